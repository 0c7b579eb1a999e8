"""Tests of the domain core, run on Python 3.12 without Home Assistant."""
