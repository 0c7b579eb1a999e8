"""Sentences and names, folded so that spelling and accents do not matter."""

from collections.abc import Iterable
from functools import lru_cache
import re
import unicodedata

_HAN = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts written without spaces between words."""
_ACCENTS = re.compile("[\u0300-\u036f]")
_NO_WORD = re.compile(r"[^\w?%¿:]+|_+")
_SEAM = re.compile(rf"(?<=[{_HAN}])(?=[^\s{_HAN}])|(?<=[^\s{_HAN}])(?=[{_HAN}])")
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
    return f" {' '.join(_SEAM.sub(' ', words).replace('?', ' ? ').split())} "


def says(sentence: str, name: str) -> bool:
    """Tell whether a folded sentence has a name in it, as whole words.

    Args:
        sentence: what `fold` returned.
        name: any text; one without words is in no sentence.
    """
    folded = fold(name)
    if folded.isspace():
        return False
    if _WITHOUT_SPACES.search(folded):
        return folded.replace(" ", "") in sentence.replace(" ", "")
    return folded in sentence


def phrases(entries: Iterable[str]) -> re.Pattern[str]:
    """Compile words and phrases into one pattern for folded sentences.

    A `*` at an end stands for any letters there: `*licht` finds `kuchenlicht`.
    Chinese entries are found anywhere. An entry in slashes is a pattern itself.
    """
    return re.compile("|".join(_phrase(entry) for entry in entries))


def _phrase(entry: str) -> str:
    if entry.startswith("/"):
        return f"(?:{entry[1:-1]})"
    core = re.escape(fold(entry.strip("*")).strip())
    if _WITHOUT_SPACES.search(core):
        return core
    start = r"\w*" if entry.startswith("*") else ""
    end = r"\w*" if entry.endswith("*") else ""
    return rf"(?<!\w){start}{core}{end}(?!\w)"
