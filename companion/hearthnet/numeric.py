"""Numbers on a command line, refused before anything is begun."""

import argparse
from math import isfinite


def count(text: str, least: int = 1) -> int:
    """Read how many; for `argparse`, which tells what is wrong."""
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text} is no number from {least} on")
    return int(text)


def seconds(text: str) -> float:
    """Read how long; for `argparse`."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds")
    return value
