"""Darcy: drives apps without an API on a phone, and reads the phone's sensors.

It decides nothing: a recipe says what can be done and how, a lease says what
may be done now. Needs adb-shell and cryptography; no Git, no YAML, no model.
"""

from .command import add_arguments, run

__all__ = ["add_arguments", "run"]
