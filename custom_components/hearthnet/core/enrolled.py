"""Who belongs to a home: what the hub tells all, and what a companion believes.

The hub's own key is the root of it. A companion got it with the code that a
person carried over; all other keys it takes from what the hub signs.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
import json
from typing import Any, Self

from .keys import VerifyKey, follow
from .librarian.stream import Named
from .messages import NAME, Json
from .paths import HUB

DARCY = "darcy"
DEWEY = "dewey"
ROLES = (DEWEY, DARCY)


@dataclass(frozen=True, kw_only=True)
class Enrolled:
    """One companion as the hub knows it."""

    name: str
    role: str
    key: VerifyKey

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form."""
        return {"name": self.name, "role": self.role, "key": self.key.text}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form; KeyError, TypeError or ValueError when malformed."""
        if not NAME.fullmatch(data["name"]) or data["role"] not in ROLES:
            raise ValueError("not a companion")
        key = VerifyKey.from_text(data["key"])
        return cls(name=data["name"], role=data["role"], key=key)


def about(
    enrolled: Mapping[str, Enrolled],
    named: Named | None,
    chain: list[dict[str, str]],
) -> dict[str, Json]:
    """Return what the hub says in its status: whom to trust, who records."""
    told: dict[str, Any] = {
        "enrolled": [one.as_dict() for one in enrolled.values()],
        "keys": chain,
    }
    if named is not None:
        told["librarian"] = {"node": named.node, "repository": named.repository}
    return told


class Trust:
    """What a companion believes of its home."""

    def __init__(
        self,
        hub: VerifyKey,
        *,
        renewed: Callable[[VerifyKey], None] = lambda _key: None,
    ) -> None:
        """`renewed` is told of a new key of the hub, to be stored."""
        self.hub = hub
        self._renewed = renewed
        self.older: tuple[str, ...] = ()
        """Keys that the hub had before: its records may still come under them."""
        self.others: dict[str, Enrolled] = {}
        self.named: Named | None = None
        self.complete = False
        """Whether the hub has said who belongs to the home."""

    def key(self, node: str) -> VerifyKey | None:
        """Return the key of a node of this home."""
        if node == HUB:
            return self.hub
        other = self.others.get(node)
        return other.key if other else None

    def renew(self, node: str, data: bytes) -> VerifyKey | None:
        """Return the hub's new key if the one trusted so far has named it."""
        if node != HUB:
            return None
        try:
            chain = json.loads(data)["about"]["keys"]
            newest = follow(self.hub, chain)
        except (KeyError, TypeError, ValueError):
            return None
        if newest == self.hub:
            return None
        self.hub = newest
        self._renewed(newest)
        return newest

    def learn(self, told: Mapping[str, Any]) -> None:
        """Take over what the hub says in its status."""
        others = {}
        for item in told.get("enrolled", ()):
            with suppress(KeyError, TypeError, ValueError):
                one = Enrolled.from_dict(item)
                others[one.name] = one
        self.others = others
        self.complete = True
        self.older = tuple(link["old"] for link in told.get("keys", ()))
        named = told.get("librarian")
        self.named = Named(**named) if named else None
