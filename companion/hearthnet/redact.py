"""Names and words taken out of JSON, so that an incident can be shown to others.

What is left says what happened: identifiers of events and commits, times, numbers,
and the words of HearthNet itself. Everything else becomes a mark, the same for the
same text. Pure.
"""

from collections.abc import Mapping
import re
from typing import Any

from hearthnet.core.domains import OPERATIONS
from hearthnet.core.holds import SourceClass
from hearthnet.core.intents import Origin, PlanKind
from hearthnet.core.messages import Json, MessageType
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause

_PLAIN = re.compile(
    r"hub\.[0-9]+\.[0-9]+(-[0-9]+)?"  # an event of the hub, or a hold of it
    r"|[0-9a-f]{40}"  # a commit
    r"|[0-9-]{10}T[0-9:.]+(Z|[+-][0-9:]+)?"  # a time
    r"|policy\.yaml|use lease hub\.[0-9]+\.[0-9]+"
)
_EVENT = re.compile(r"([a-z][a-z0-9_-]*)((?:\.[0-9]+){2})")
_FIELD = re.compile(r"[a-z][a-z_]*")
_STATES = (
    "on off open opening closed closing locked locking unlocked unlocking jammed"
    " playing paused idle standby buffering heat cool heat_cool auto dry fan_only"
    " cleaning docked returning mowing error disarmed arming pending triggered"
    " armed_away armed_home armed_night armed_vacation armed_custom_bypass"
    " forward reverse home not_home none unknown unavailable"
)
_ROLES = "owner resident guest child automation agent user satellite system telegram"
_AGENTS = "rupert jeeves darcy dewey hub all"
WORDS = frozenset(
    {
        *(*Reason, *Outcome, *MessageType, *Origin, *PlanKind, *Cause, *OPERATIONS),
        *(source.name.lower() for source in SourceClass),
        *(_STATES.split()),
        *(_ROLES.split()),
        *(_AGENTS.split()),
        *("approved", "rejected", "expired", "superseded", "refused", "ask", "yields"),
    }
)
"""Texts that say nothing about anybody."""


def is_plain(text: str) -> bool:
    """Tell whether a text is HearthNet's or Home Assistant's own."""
    return text in WORDS or _PLAIN.fullmatch(text) is not None


class Redactor:
    """Gives each text its mark."""

    def __init__(self) -> None:
        """Start with no marks."""
        self._marks: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return a text that is HearthNet's own, or the mark of another."""
        if is_plain(text):
            return text
        if event := _EVENT.fullmatch(text):
            # A companion may be named after whose phone it is on.
            return f"{self.text(event[1])}{event[2]}"
        folder, slash, _ = text.partition("/")
        if slash and folder in {"devices", "holds", "tasks", "nodes", "deferred"}:
            return f"{folder}/{self._mark(text)}"
        return self._mark(text)

    def json(self, value: Any) -> Json:
        """Return a value with every text in it redacted, identifiers as keys too."""
        redacted: Json = self._keys(self._values(value))
        return redacted

    def _mark(self, text: str) -> str:
        return self._marks.setdefault(text, f"[{len(self._marks) + 1}]")

    def _values(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self._values(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._values(item) for item in value]
        return value

    def _keys(self, value: Any) -> Any:
        """Redact the keys that are no fields of HearthNet's: identifiers and paths."""
        if isinstance(value, dict):
            return {
                key
                if _FIELD.fullmatch(key) and key not in self._marks
                else self.text(key): self._keys(item)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self._keys(item) for item in value]
        return value
