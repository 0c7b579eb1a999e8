"""What an audit can find, and where."""

from dataclasses import dataclass
from enum import StrEnum

from hearthnet.core.messages import Json


class Rule(StrEnum):
    """What a commit breaks. What a lease breaks is told with the gate's own codes."""

    DAMAGED = "damaged"
    """Git cannot read an object, or its name is not that of its content."""
    FORKED = "forked"
    """A commit that does not follow exactly the one before it."""
    TEXT = "text"
    """The commit's text is not what its message makes."""
    TREE = "tree"
    """Files changed that the event does not write, or have other content."""
    SIGNATURE = "signature"
    """The node's key did not sign exactly these bytes."""
    KEY = "key"
    """A node names another key than before, and nothing vouches for it."""
    GAP = "gap"
    """Events are missing before this one."""
    ORDER = "order"
    """The event stands after a later one of its node, or is there twice."""
    QUARANTINE = "quarantine"
    """The event was kept from counting although it is sound, or the other way."""
    MALFORMED = "malformed"
    """Its body is not one that HearthNet writes, so that nothing can be said of it."""
    GRANT = "grant"
    """A grant that is no lease, or says what the record does not."""
    EXECUTE = "execute"
    """An execute that is not for whom and what its lease was granted."""
    RECEIPT = "receipt"
    """A receipt of no execute, of another one's lease, or the second one."""


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that is wrong, at one commit."""

    number: int
    """The commit's place in the history, from 1."""
    commit: str
    event: str
    """The event's id; empty where the commit records none."""
    rule: str
    """A `Rule`, or the gate's code."""
    text: str

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form."""
        return dict(vars(self))

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{self.commit[:12]} {self.event or '-'}: {self.rule}: {self.text}"
