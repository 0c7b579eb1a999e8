"""Tests of the integration inside Home Assistant, by its own test harness."""
