"""Tests of the phone's half: recipes, the link, the runner, the adapter, the doctor."""
