"""The rules of a record, kept along its history. Pure: no Git in here."""

from collections.abc import Iterator, Mapping, Sequence

from hearthnet.core.keys import VerifyKey
from hearthnet.core.leases import Lease
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import MalformedError, Message, MessageType
from hearthnet.core.paths import HUB
from hearthnet.core.reasons import Reason
from hearthnet.core.view import View

from .findings import Finding, Rule
from .grants import Grants
from .leases import Leases
from .nodes import Nodes, Problem, quarantine

type _Place = tuple[int, str]


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
        self._waiting: dict[str, tuple[_Place, Message]] = {}
        """Executes of other nodes whose grant has not come yet, by lease."""
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
        problem = quarantine(event, self.view)
        if (problem is None) != (event.problem is None):
            text = problem or "it is sound, and was kept from counting"
            yield _finding(place, event, Rule.QUARANTINE, text)
        if event.message is None or event.problem is not None:
            return
        for where, about, (rule, text) in self._judge(place, event.message):
            yield _finding(where, about, rule, text)
        self.view.apply(event.message)
        base = event.message.base_commit
        self.unknown_bases += base is not None and _short(base) not in self._commits

    def knows(self, commit: str) -> None:
        """Note a commit that later events may name."""
        self._commits.add(_short(commit))

    def end(self) -> Iterator[Finding]:
        """Yield what only the end of the record shows."""
        for place, message in self._waiting.values():
            text = f"{message.lease} is no grant of this record"
            yield _finding(place, message, Reason.NO_LEASE, text)

    def _judge(
        self, place: _Place, message: Message
    ) -> Iterator[tuple[_Place, Message, Problem]]:
        match message.type:
            case MessageType.GRANT:
                for problem in self._grant(message):
                    yield place, message, problem
                if waiting := self._waiting.pop(message.id, None):
                    for problem in self.leases.check(waiting[1]):
                        yield *waiting, problem
            case MessageType.EXECUTE if self.leases.knows(message):
                for problem in self.leases.check(message):
                    yield place, message, problem
            case MessageType.EXECUTE:
                assert message.lease is not None
                self._waiting[message.lease] = place, message
            case _:
                for problem in self.leases.note(message):
                    yield place, message, problem
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


def _finding(place: _Place, event: Event | Message, rule: str, text: str) -> Finding:
    return Finding(*place, str(event.id), rule, text)


def _short(commit: str) -> bytes:
    return bytes.fromhex(commit)[:8] if len(commit) == 40 else b""
