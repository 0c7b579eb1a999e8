"""The rules of a record, kept along its history. Pure: no Git in here."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from hearthnet.core.keys import VerifyKey
from hearthnet.core.leases import Lease
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import MalformedError, Message, MessageType
from hearthnet.core.paths import HUB
from hearthnet.core.state import POLICY_PATH
from hearthnet.core.view import View

from .findings import Finding, Rule
from .grants import Grants
from .leases import Leases
from .nodes import Nodes, Problem, quarantine

type _Place = tuple[int, str]

UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a value of another type or shape than expected raises."""


class Ledger:
    """Takes the events of a record one after another and finds what is wrong."""

    def __init__(
        self,
        trusted: Mapping[str, VerifyKey],
        chain: Sequence[Mapping[str, str]] = (),
    ) -> None:
        """Take the keys known from elsewhere; see `Nodes`."""
        self.view = View()
        self.nodes = Nodes(trusted, chain)
        self.grants = Grants(self.view)
        self.leases = Leases(self.view)
        self.events = 0
        self._stalled: dict[str, deque[tuple[_Place, Event]]] = {}
        """By node: what came of it from an execute on whose grant has not come yet.

        Between two nodes' events there is no order in the record.
        """
        self.unknown_bases = 0
        """Events that name a commit which this history does not have."""
        self._commits: set[bytes] = set()

    def take(self, number: int, commit: str, event: Event) -> Iterator[Finding]:
        """Take the next event; yield what it breaks."""
        self.events += 1
        self.knows(commit)
        place = (number, commit)
        for rule, text in self.nodes.take(event):
            yield _finding(place, event, rule, text)
        if event.message is not None:
            base = event.message.base_commit
            gone = base is not None and _short(base) not in self._commits
            self.unknown_bases += gone
        if (stalled := self._stalled.get(event.id.node)) is not None:
            stalled.append((place, event))
            return
        yield from self._follow(place, event)

    def knows(self, commit: str) -> None:
        """Note a commit that later events may name."""
        self._commits.add(_short(commit))

    def end(self) -> Iterator[Finding]:
        """Yield what only the end of the record shows."""
        for node in list(self._stalled):
            yield from self._go_on(node, forced=True)

    def _follow(
        self, place: _Place, event: Event, *, forced: bool = False
    ) -> Iterator[Finding]:
        """Judge an event and fold it in, or let its node wait for a grant."""
        message = event.message
        counts = message is not None and event.problem is None
        if (
            message is not None
            and counts
            and message.type is MessageType.EXECUTE
            and not (forced or self.leases.knows(message))
        ):
            self._stalled[event.id.node] = deque([(place, event)])
            return
        problem = quarantine(event, self.view)
        if (problem is None) != (event.problem is None):
            text = problem or "it is sound, and was kept from counting"
            yield _finding(place, event, Rule.QUARANTINE, text)
        if message is None or not counts:
            return
        try:
            for rule, text in self._judge(message):
                yield _finding(place, event, rule, text)
        except UNFIT as error:
            # A node may sign anything; the audit goes on whatever it says.
            yield _finding(place, event, Rule.MALFORMED, f"not to be judged: {error!r}")
        self.view.apply(message)
        if POLICY_PATH in message.writes and (problem := self.grants.loads()):
            yield _finding(place, event, Rule.MALFORMED, f"{POLICY_PATH}: {problem}")
        if message.type is MessageType.GRANT:
            for node, stalled in list(self._stalled.items()):
                first = stalled[0][1].message
                if first is not None and first.lease == message.id:
                    yield from self._go_on(node)

    def _go_on(self, node: str, *, forced: bool = False) -> Iterator[Finding]:
        """Judge what a node has said since it began to wait."""
        waiting = self._stalled.pop(node)
        while waiting:
            yield from self._follow(*waiting.popleft(), forced=forced)
            if (stalled := self._stalled.get(node)) is not None:
                stalled.extend(waiting)
                return

    def _judge(self, message: Message) -> Iterator[Problem]:
        match message.type:
            case MessageType.GRANT:
                yield from self._grant(message)
            case MessageType.EXECUTE:
                yield from self.leases.check(message)
            case _:
                yield from self.leases.note(message)
                if message.event.node == HUB:
                    self.grants.note(message)

    def _grant(self, message: Message) -> Iterator[Problem]:
        if message.event.node != HUB:
            yield Rule.GRANT, f"{message.event.node} grants nothing"
            return
        try:
            lease = Lease.from_message(message)
        except MalformedError as error:
            yield Rule.GRANT, str(error)
            return
        yield from self.grants.check(message, lease)
        self.leases.granted(lease)


def _finding(place: _Place, event: Event, rule: str, text: str) -> Finding:
    return Finding(*place, str(event.id), rule, text)


def _short(commit: str) -> bytes:
    return bytes.fromhex(commit)[:8] if len(commit) == 40 else b""
