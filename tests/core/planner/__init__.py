"""Planners that ask a model."""
