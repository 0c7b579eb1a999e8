"""Benches: each module measures one thing and returns a dict of numbers."""
