"""Texts of devices and people, made harmless for prompts and pages."""

from functools import lru_cache
import unicodedata


@lru_cache(maxsize=8192)
def clean(text: str, most: int) -> str:
    """Return a text without control and format characters, cut to `most`."""
    plain = "".join(
        " " if unicodedata.category(char).startswith("C") else char
        for char in text[: 4 * most]
    )
    words = " ".join(plain.split())
    return words if len(words) <= most else f"{words[: most - 1]}…"
