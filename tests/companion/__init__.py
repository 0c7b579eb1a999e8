"""Tests of the companion package, run on Python 3.12 without Home Assistant."""
