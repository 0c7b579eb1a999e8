"""Traces of a home: recorded, played again, compared."""
