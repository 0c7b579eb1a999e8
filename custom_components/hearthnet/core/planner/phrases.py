"""Phrases: what a playbook is called by, matched exactly, small things aside.

`[the]` may be missing, `(a|b)` is one or the other, `{area}` is the name of an
area. Case, punctuation and spaces do not count, so that one rule does for
languages with and without spaces.
"""

from dataclasses import dataclass
import re
import unicodedata

SLOTS = frozenset({"area"})
MAX_LENGTH = 200
MAX_CHOICES = 20
"""Most brackets and bars in a phrase: each may double the ways of reading a text."""
_TOKENS = re.compile(r"[\[\](){}|]|[^\[\](){}|]+")
_CLOSING = {"[": "]", "(": ")"}


class PhraseError(ValueError):
    """A phrase that cannot be read; the text says why and how to put it right."""


def normalize(text: str) -> str:
    """Return only the letters and digits of a text, in one form."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(c for c in folded if unicodedata.category(c)[0] in "LNM")
    # What stood between two letters may have kept them from being one.
    return unicodedata.normalize("NFKC", kept)


@dataclass(frozen=True)
class Phrase:
    """A phrase that has been read."""

    text: str
    pattern: re.Pattern[str]

    @classmethod
    def read(cls, text: str) -> "Phrase":
        """Read a phrase.

        Raises:
            PhraseError: it is no phrase.
        """
        if not text or len(text) > MAX_LENGTH:
            raise PhraseError(f"expected 1 to {MAX_LENGTH} letters")
        if sum(map(text.count, "[|")) > MAX_CHOICES:
            raise PhraseError(f"more than {MAX_CHOICES} choices; make it two phrases")
        reader = _Reader(text)
        source = reader.alternatives("")
        pattern = re.compile(source)
        if pattern.fullmatch("") is not None:
            raise PhraseError("everything in it is optional; it would fit silence")
        return cls(text, pattern)

    def match(self, text: str) -> dict[str, str] | None:
        """Return the slots of a normalized text, None if it does not fit."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        return {name: value for name, value in found.groupdict().items() if value}


class _Reader:
    """Goes through a phrase's tokens and writes a regular expression.

    Nothing repeats in a phrase, so neither does anything in the expression: a match
    takes time linear in the text for each way of choosing.
    """

    def __init__(self, text: str) -> None:
        self._tokens = _TOKENS.findall(text)
        self._slots: set[str] = set()

    def alternatives(self, end: str) -> str:
        """Read up to `end`, the closing bracket or the end of the phrase."""
        choices = [""]
        while self._tokens:
            piece = self._tokens.pop(0)
            if piece == end:
                return self._joined(choices, end)
            if piece == "|":
                if not end:
                    raise PhraseError("put alternatives in brackets: (this|that)")
                choices.append("")
            else:
                choices[-1] += self._part(piece)
        if end:
            raise PhraseError(f"a closing {end} is missing")
        return choices[0]

    def _joined(self, choices: list[str], end: str) -> str:
        if end == ")" and "" in choices:
            raise PhraseError("an alternative is empty; write [this] for what may miss")
        return f"(?:{'|'.join(choices)})" + ("?" if end == "]" else "")

    def _part(self, piece: str) -> str:
        if piece in _CLOSING:
            return self.alternatives(_CLOSING[piece])
        if piece == "{":
            return self._slot()
        if piece in "])}":
            raise PhraseError(f"{piece} closes nothing")
        return re.escape(normalize(piece))

    def _slot(self) -> str:
        name = self._tokens.pop(0).strip() if self._tokens else ""
        if name not in SLOTS:
            raise PhraseError(f"{{{name}}} is unknown; there is {{area}}")
        if name in self._slots:
            raise PhraseError(f"{{{name}}} may stand once only")
        if not self._tokens or self._tokens.pop(0) != "}":
            raise PhraseError("a closing } is missing")
        self._slots.add(name)
        return f"(?P<{name}>.+)"
