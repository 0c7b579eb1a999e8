"""Command lines for the phone's shell, made so that no text can become code.

A line that Darcy runs is either written in its own source or made of quoted
words. `Line` keeps the type checker from letting any other text through.
"""

import shlex
from typing import NewType

Line = NewType("Line", str)
"""A line for the phone's shell; only this module makes one out of other texts."""

MAX_WORD = 2_000


class UnquotableError(ValueError):
    """A word cannot be handed to a shell safely."""


def line(*words: str | int) -> Line:
    """Return a command of words that reach it exactly as they are.

    Single quotes are all that the phone's shell (mksh) needs, so shlex does.
    Control characters are refused: no command of Android's needs one, and a
    terminal or a log would act on them.

    Raises:
        UnquotableError: a word has a control character, or is endless.
    """
    quoted = []
    for word in map(str, words):
        if len(word) > MAX_WORD or not word.isprintable():
            raise UnquotableError(f"not for a shell: {word[:60]!r}")
        quoted.append(shlex.quote(word))
    return Line(" ".join(quoted))


def sequence(*lines: Line) -> Line:
    """Return a line that runs several, whatever becomes of each."""
    return Line("; ".join(lines))
