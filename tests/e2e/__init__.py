"""Tests that boot a real Home Assistant and look at it as a person would."""
