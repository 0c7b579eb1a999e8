"""The librarian beside the hub, for nodes elsewhere: the hub stands in its name.

The child process knows no broker. So the hub takes the companions' journals for
it, tells them what is recorded, and asks again for what is missing. Each record
still counts only with the signature of the node that made it.
"""

from collections.abc import Callable, Mapping

from ..bus.inbound import Done, Framed
from ..bus.mqtt import MqttBus
from ..node import Node
from . import wire
from .client import LibrarianProcess
from .stream import Heads, Named


class Relay:
    """Passes companions' journals on to the librarian's process."""

    def __init__(
        self,
        node: Node,
        bus: MqttBus,
        librarian: LibrarianProcess,
        keys: Mapping[str, str],
        *,
        opened: Callable[[], None],
    ) -> None:
        """`keys` are those of the companions; a change of them is a new boot.

        `opened` is called once `named` says who keeps the record.
        """
        self._node = node
        self._bus = bus
        self._librarian = librarian
        self._heads = Heads(node, bus)
        self._opened = opened
        self._connected = self._open = False
        for name, key in keys.items():
            librarian.enroll(name, key)
        librarian.on_other = self._heard
        bus.on_frame("log", self._take_log)

    @property
    def named(self) -> Named | None:
        """Who keeps the record, as companions are told; None until it is open."""
        head = self._librarian.feed.head
        return Named(node=self._node.name, repository=head.repository) if head else None

    def look(self) -> None:
        """Say where the record stands at a new connection; call it at each change."""
        if self._bus.connected and not self._connected:
            self._tell()
        self._connected = self._bus.connected

    def _take_log(self, found: Framed, done: Done) -> None:
        done()  # what does not arrive is asked for, or sent again after a while
        if found.kind == "log" and found.sender != self._node.name:
            entries = wire.to_entries(found.frame["records"])
            oldest = found.frame["oldest"] is True
            self._librarian.forward(found.sender, entries, oldest=oldest)

    def _heard(self, frame: wire.Frame) -> None:
        if frame["kind"] == "gap":
            self._bus.send_frame(frame["node"], "gap", after=frame["after"])
        else:
            self._tell()

    def _tell(self) -> None:
        librarian = self._librarian
        if (head := librarian.feed.head) is not None:
            self._heads.tell(head, librarian.status.problem, librarian.notices)
            if not self._open:
                self._open = True
                self._opened()
