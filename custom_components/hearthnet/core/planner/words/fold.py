"""Sentences and names, folded so that spelling and accents do not matter."""

from collections.abc import Iterator
from functools import lru_cache
import re
import unicodedata

_HAN = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts written without spaces between words."""
_ACCENTS = re.compile("[\u0300-\u036f]")
_NO_WORD = re.compile(r"[^\w?%¿:]+|_+")
_SEAM = re.compile(rf"(?<=[{_HAN}])(?=[^\s{_HAN}])|(?<=[^\s{_HAN}])(?=[{_HAN}])")
_MARKS = re.compile("([?¿])")
_WITHOUT_SPACES = re.compile(f"[{_HAN}]")


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Return the words in lower case, without accents, a blank at each side.

    Compatibility forms are one (full-width digits are digits), punctuation is a blank
    except `?`, `%` and `:`; Chinese runs stand apart from what is beside them.
    """
    return _spaced(_ACCENTS.sub("", unicodedata.normalize("NFKD", text).casefold()))


@lru_cache(maxsize=1024)
def fold_accented(text: str) -> str:
    """As `fold`, with accents: in Spanish they tell “what” from “that”."""
    return _spaced(unicodedata.normalize("NFKC", text).casefold())


def _spaced(text: str) -> str:
    words = _NO_WORD.sub(" ", unicodedata.normalize("NFC", text))
    apart = _MARKS.sub(r" \1 ", _SEAM.sub(" ", words))
    return f" {' '.join(apart.split())} "


def says(sentence: str, name: str) -> bool:
    """Tell whether a sentence has a name in it, as whole words; both are folded."""
    if name.isspace():
        return False
    if _is_han(name):
        return name.replace(" ", "") in sentence.replace(" ", "")
    return name in sentence


def phrases(table: str) -> re.Pattern[str]:
    """Compile a table of words and phrases into one pattern for folded sentences.

    Entries stand apart by commas and lines. A `*` at an end stands for any letters
    there: `*licht` finds `kuchenlicht`. What is between slashes, on a line of its own
    or on several, is a pattern itself. Entries are whole words, Chinese ones anywhere.
    """
    return re.compile("|".join(map(_phrase, _entries(table))))


def _entries(table: str) -> Iterator[str]:
    pattern = ""
    for line in map(str.strip, table.splitlines()):
        if pattern or line.startswith("/"):
            pattern += line
            if len(pattern) > 1 and pattern.endswith("/"):
                yield pattern
                pattern = ""
        else:
            yield from filter(None, map(str.strip, line.split(",")))


def _phrase(entry: str) -> str:
    if entry.startswith("/"):
        inner = entry[1:-1]
        return f"(?:{inner})" if _is_han(inner) else rf"(?<!\w)(?:{inner})(?!\w)"
    core = re.escape(fold(entry.strip("*")).strip())
    if _is_han(core):
        return core
    start = r"\w*" if entry.startswith("*") else ""
    end = r"\w*" if entry.endswith("*") else ""
    return rf"(?<!\w){start}{core}{end}(?!\w)"


def _is_han(text: str) -> bool:
    return _WITHOUT_SPACES.search(text) is not None
