"""A question that a phone's node puts to a model: which of the views shown is meant.

The texts are a screen's: private, and possibly hostile. They go to the hub in a frame
and into no record; the record has their digest and the number that came back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
import json
from typing import Any, Self

from ..messages import Json

KIND = "question"
"""The kind of frame that carries one."""
MOST = 20
"""Most candidates; on a screen with more of them nothing is asked."""
TEXT = 80
"""Most characters of one text."""
_FIELDS = ("text", "desc", "id", "inside")


@dataclass(frozen=True, kw_only=True)
class Question:
    """Numbered candidates, of which at most one is meant."""

    lease: str
    execute: str
    """The event under which the phone acts: what the answer is an answer to."""
    wanted: str
    """What the recipe's selector names, in words."""
    candidates: tuple[Mapping[str, str], ...]
    """What each shows, by field; the first one is number 1."""

    def as_dict(self) -> dict[str, Json]:
        """Return the frame's fields."""
        return {
            "lease": self.lease,
            "execute": self.execute,
            "wanted": self.wanted,
            "candidates": [dict[str, Json](one) for one in self.candidates],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a frame's fields; KeyError, TypeError or ValueError when malformed."""
        candidates = tuple(
            {name: str(one[name])[:TEXT] for name in _FIELDS if name in one}
            for one in data["candidates"]
        )
        if not 1 <= len(candidates) <= MOST:
            raise ValueError(f"{len(candidates)} candidates")
        return cls(
            lease=str(data["lease"]),
            execute=str(data["execute"]),
            wanted=str(data["wanted"])[: 4 * TEXT],
            candidates=candidates,
        )

    @property
    def digest(self) -> str:
        """SHA-256 in hex of what is asked."""
        text = json.dumps(self.as_dict(), sort_keys=True, ensure_ascii=False)
        return sha256(text.encode("utf-8", "replace")).hexdigest()
