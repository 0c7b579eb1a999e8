"""Planners inside Home Assistant."""
