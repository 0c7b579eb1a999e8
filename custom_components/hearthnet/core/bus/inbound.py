"""What is taken of all that the broker delivers, and what is thrown away.

Nothing a broker delivers is believed: the topic says who may have written it,
a signature proves it, and what is old is not obeyed.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from hashlib import sha256

from ..clock import Clock, from_text, to_text
from ..keys import VerifyKey
from ..messages import EventId, MalformedError, Message, Position
from ..node import Record
from .broker import Topics
from .envelope import EnvelopeError, Frame, unpack, unseal, verified

SKEW = timedelta(minutes=2)
"""How much later than it should a message may come.

What is old is thrown away here so that nobody has to think about it; no lease
depends on it, for its time runs on its holder's own clocks. When it is over is the
sender's to say, and told by the sender's clock: another machine's may be wrong by
hours.
"""
KEPT = 512
"""How many messages of a node are remembered, to know a duplicate by its bytes."""


class Fault(StrEnum):
    """Why something is thrown away."""

    RETAINED = "retained"
    """Left on the topic for whoever comes later: never obeyed."""
    EXPIRED = "expired"
    REPLAYED = "replayed"
    FORGED = "forged"
    """Not signed by the node that the topic names, or that node is not enrolled."""
    MISPLACED = "misplaced"
    """Signed well, but on a topic, or in a name, that is not the signer's."""
    MALFORMED = "malformed"


@dataclass(frozen=True, kw_only=True)
class Rejected:
    """Something that is thrown away, and reported."""

    fault: Fault
    topic: str
    sender: str | None
    """The node that the topic names."""
    text: str
    event: str | None = None
    """Which message, if that much could be read of a well-signed one."""


@dataclass(frozen=True, kw_only=True)
class Framed:
    """A frame that is its sender's."""

    kind: str
    """The kind of the topic."""
    sender: str
    frame: Frame
    retained: bool
    payload: bytes = b""
    """As it came, with its signature."""


type Done = Callable[[], None]
"""Says that a delivery is dealt with; the broker then sends more."""
type FrameHandler = Callable[[Framed, Done], None]


@dataclass(frozen=True, kw_only=True)
class Heard:
    """A message to act on."""

    sender: str
    """The node; the message names the agent."""
    record: Record


@dataclass(frozen=True, kw_only=True)
class Again:
    """A message that came before, to the byte: it gets the answer it got."""

    sender: str
    answer: Record | None


class _Memory:
    """What came from one node."""

    def __init__(self) -> None:
        self.boot = 0
        self.floor: Position = (0, 0)
        """What is not after this was forgotten, or belongs to an earlier boot."""
        self.digests: OrderedDict[str, bytes] = OrderedDict()
        self.answers: OrderedDict[str, Record] = OrderedDict()

    def remember(self, event: EventId, digest: bytes) -> None:
        if event.boot > self.boot:
            self.boot = event.boot
            self.floor = max(self.floor, (event.boot, 0))
        self.digests[str(event)] = digest
        while len(self.digests) > KEPT:
            oldest, _ = self.digests.popitem(last=False)
            self.answers.pop(oldest, None)
            self.floor = max(self.floor, EventId.parse(oldest).position)


class Inbound:
    """Examines deliveries; pure apart from its memory."""

    def __init__(
        self,
        topics: Topics,
        key: Callable[[str], VerifyKey | None],
        clock: Clock,
        renewed: Callable[[str, bytes], VerifyKey | None],
        owner: Callable[[str], str | None] = lambda _agent: None,
        complete: Callable[[], bool] = lambda: True,
    ) -> None:
        """`key` gives the key of an enrolled node.

        `complete` tells whether it knows all of them by now: before that, a stranger
        may be one whom the hub has yet to name, and is no fault.

        `owner` gives the node that an agent's name belongs to, if any. `renewed` is
        asked for a newer key when a status is not signed with the known one: it may
        tell of the key that the old one has named.
        """
        self._renewed = renewed
        self._owner = owner
        self._complete = complete
        self._topics = topics
        self._key = key
        self._clock = clock
        self._memory: dict[str, _Memory] = {}
        self._ahead: dict[str, timedelta] = {}
        """By how much this node's wall clock is ahead of another's."""

    def note_clock(self, status: Framed) -> None:
        """Take what time it is for a node that says it is there; ValueError when none.

        An older version does not say it.
        """
        at = status.frame.get("at")
        if at is not None and status.frame["online"] is True:  # a will is old
            self._ahead[status.sender] = self._clock.now() - from_text(at)

    def examine(
        self, topic: str, payload: bytes, *, retained: bool
    ) -> Heard | Again | Framed | Rejected | None:
        """Say what a delivery is; None when it is nobody's that is known here."""
        place = self._topics.parse(topic)
        if place is None:
            return self._reject(Fault.MISPLACED, topic, None, "no topic of this home")
        if not payload:  # somebody has removed what was left on the topic
            return None
        kind, sender = place
        live = kind in ("inbox", "broadcast")
        if live and retained:
            text = "a command was left on the topic for later; it is not obeyed"
            return self._reject(Fault.RETAINED, topic, sender, text)
        if (key := self._key(sender)) is None:
            if not live or not self._complete():
                return None
            text = f"{sender} is not enrolled here"
            return self._reject(Fault.FORGED, topic, sender, text)
        try:
            data, signature = self._verified(kind, sender, payload, key)
        except EnvelopeError as error:
            forged = self._reject(Fault.FORGED, topic, sender, str(error))
            # A node of this name may have left it before it was paired anew.
            return None if retained else forged
        frame = unpack(data)
        if frame is not None:
            if frame.get("node") == sender:
                return Framed(
                    kind=kind,
                    sender=sender,
                    frame=frame,
                    retained=retained,
                    payload=payload,
                )
            text = f"a frame of {frame.get('node')!r}"
            return self._reject(Fault.MISPLACED, topic, sender, text)
        if not live:
            text = "not a frame"
            return self._reject(Fault.MALFORMED, topic, sender, text)
        return self._message(topic, sender, data, signature)

    def _verified(
        self, kind: str, sender: str, payload: bytes, key: VerifyKey
    ) -> tuple[bytes, bytes]:
        try:
            return verified(payload, key)
        except EnvelopeError:
            if kind != "status":
                raise
            newer = self._renewed(sender, unseal(payload)[0])
            if newer is None:
                raise
            return verified(payload, newer)

    def answered(self, node: str, record: Record) -> None:
        """Note an answer, in case the question comes again."""
        cause = record.message.cause
        memory = self._memory.get(node)
        if memory is None or cause is None or cause not in memory.digests:
            return
        memory.answers[cause] = record

    def forget(self, node: str) -> None:
        """Forget a node that is not enrolled any more."""
        self._memory.pop(node, None)

    def _message(
        self, topic: str, sender: str, data: bytes, signature: bytes
    ) -> Heard | Again | Rejected:
        try:
            message = Message.decode(data)
        except MalformedError as error:
            return self._reject(Fault.MALFORMED, topic, sender, str(error))
        event = message.event
        if event.node != sender:
            text = f"an event of {event.node}"
            return self._reject(Fault.MISPLACED, topic, sender, text)
        if self._owner(message.sender) not in (None, sender):
            text = f"{message.sender} is not an agent of {sender}"
            return self._reject(Fault.MISPLACED, topic, sender, text, event)
        memory = self._memory.setdefault(sender, _Memory())
        digest = sha256(data).digest()
        if (known := memory.digests.get(message.id)) is not None:
            if known == digest:
                return Again(sender=sender, answer=memory.answers.get(message.id))
            text = "another message came under this id before"
            return self._reject(Fault.REPLAYED, topic, sender, text, event)
        if event.position <= memory.floor:
            text = "it is older than what came before it"
            return self._reject(Fault.REPLAYED, topic, sender, text, event)
        now = self._clock.now() - self._ahead.get(sender, timedelta())
        if message.expires_at and now > message.expires_at + SKEW:
            text = f"its time was over at {to_text(message.expires_at)}"
            return self._reject(Fault.EXPIRED, topic, sender, text, event)
        memory.remember(event, digest)
        return Heard(sender=sender, record=Record(message, data, signature))

    @staticmethod
    def _reject(
        fault: Fault,
        topic: str,
        sender: str | None,
        text: str,
        event: EventId | None = None,
    ) -> Rejected:
        return Rejected(
            fault=fault,
            topic=topic,
            sender=sender,
            text=text,
            event=str(event) if event else None,
        )
