"""Dewey on a machine of its own: the librarian behind a broker.

The same librarian as the hub's child process (`service`); here its frames come
from the broker, each signed by the node it is about.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
import itertools
import logging
from pathlib import Path
from typing import Any

from ..bus.inbound import Done, Framed
from ..bus.mqtt import MqttBus
from ..journal import Entry
from ..messages import Position
from ..node import Node
from . import BlockedError, LibrarianError, wire
from .feed import Feed, Head
from .service import Service
from .stream import Heads

_LOGGER = logging.getLogger(__name__)

REOPEN_SECONDS = 5.0
MAX_ANSWER = 3 * 2**20
"""Longest answer sent over the broker."""


class Host:
    """Takes the journals of all enrolled nodes, its own too, and answers."""

    def __init__(
        self,
        node: Node,
        bus: MqttBus,
        folder: Path,
        *,
        on_head: Callable[[Head], None] = lambda _head: None,
    ) -> None:
        """`on_head` is told whenever something was recorded for good."""
        self._node = node
        self._bus = bus
        self._folder = folder
        self._on_head = on_head
        self._service: Service | None = None
        self._feed = Feed(node)
        self._keys: dict[str, list[str]] = {}
        self._numbers = itertools.count(1)
        self._asking: dict[int, Callable[[wire.Frame], None]] = {}
        self._unacked: list[tuple[str, Position, Done]] = []
        self._heads = Heads(node, bus)
        self._problem: str | None = "starting"
        self._extras: dict[str, str | None] = {}
        """What is wrong with what is beside the record, by its name."""
        self._notices: Sequence[str] = ()
        self.head: Head | None = None
        bus.on_frame("log", self._take_log)
        bus.on_frame("query", self._take_query)

    async def run(self) -> None:
        """Record until canceled; a repository that is blocked is opened anew.

        Raises:
            LibrarianError: the repository cannot be opened.
        """
        feeding = asyncio.ensure_future(self._feed.run())
        try:
            while True:
                try:
                    await self._serve()
                except BlockedError as error:
                    self._problem = str(error)
                    self._tell_head()
                await asyncio.sleep(REOPEN_SECONDS)
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)

    async def _serve(self) -> None:
        service = Service(self._folder, self._out, self._node.clock)
        try:
            await service.open()
            self._service = service
            self._tell_keys()
            assert self.head
            self._feed.connect(self._send_own, self.head)
            await service.run()
        finally:
            self._service = None
            asking, self._asking = self._asking, {}
            for answer in asking.values():
                answer({"error": "the record was closed"})
            self._feed.disconnect()
            self._release(everything=True)
            service.stop()
            await service.close()

    def enroll(self, keys: Mapping[str, list[str]]) -> None:
        """Take the keys, older ones too, of the nodes whose records count."""
        self._keys = dict(keys)
        self._tell_keys()

    def greet(self) -> None:
        """Say where the record stands; call it at each new connection."""
        if self.head is not None:
            self._tell_head()

    def tell_extra(self, name: str, problem: str | None) -> None:
        """Tell what is wrong with the mirror, or the API; None: nothing any more."""
        if problem != self._extras.get(name):
            self._extras[name] = problem
            if problem is not None:
                _LOGGER.warning("%s", problem)
            self._tell_head()

    async def ask(self, what: str, **args: Any) -> Any:
        """Answer a question; LibrarianError when there is no answer."""
        if self._service is None or self.head is None:
            raise LibrarianError("the record is not open")
        if what == "head":
            head = self.head
            return {"commit": head.commit, "repository": head.repository} | {
                "nodes": {name: list(place) for name, place in head.nodes.items()}
            }
        answer: asyncio.Future[wire.Frame] = asyncio.get_running_loop().create_future()
        self._put(what, args, answer.set_result)
        frame = await answer
        if "error" in frame:
            raise LibrarianError(frame["error"])
        return frame["result"]

    # From the broker

    def _take_log(self, found: Framed, done: Done) -> None:
        if found.kind != "log" or self._service is None:
            done()  # it is sent again once the record is open
            return
        records = found.frame["records"]
        position = (int(records[-1][0]), int(records[-1][1]))
        # The broker sends on only once the disk has what it sent before.
        self._unacked.append((found.sender, position, done))
        self._service.receive(
            {
                "kind": "log",
                "node": found.sender,
                "records": records,
                "trusted": False,
                "oldest": found.frame["oldest"] is True,
            }
        )

    def _take_query(self, found: Framed, done: Done) -> None:
        done()
        if found.kind != "inbox":
            return
        number = found.frame["number"]

        def answer(frame: wire.Frame) -> None:
            part = {k: frame[k] for k in ("result", "error") if k in frame}
            if len(str(part)) > MAX_ANSWER:
                part = {"error": "the answer is too long: ask for less"}
            self._bus.send_frame(found.sender, "answer", number=number, **part)

        if self._service is None:
            answer({"error": "the record is not open"})
        else:
            self._put(found.frame["what"], found.frame["args"], answer)

    def _put(
        self, what: str, args: Mapping[str, Any], answer: Callable[[wire.Frame], None]
    ) -> None:
        assert self._service
        number = next(self._numbers)
        self._asking[number] = answer
        frame = {"kind": "query", "number": number, "what": what, "args": args}
        self._service.receive(frame)

    def _send_own(self, entries: Sequence[Entry], oldest: bool) -> None:
        if self._service is not None:
            self._service.receive(
                {
                    "kind": "log",
                    "node": self._node.name,
                    "records": wire.from_entries(entries),
                    "trusted": True,
                    "oldest": oldest,
                }
            )

    # From the librarian

    def _out(self, line: bytes) -> None:
        frame = wire.unpack(line)
        match frame["kind"]:
            case "head":
                self.head = Head.from_dict(frame)
                if self._feed.connected:
                    self._feed.learn(self.head)
                self._tell_head()
                self._release()
                self._on_head(self.head)
            case "gap" if frame["node"] == self._node.name:
                self._feed.go_back((frame["after"][0], frame["after"][1]))
            case "gap":
                self._release(everything=True)
                self._bus.send_frame(frame["node"], "gap", after=frame["after"])
            case "health":
                self._problem, self._notices = frame["problem"], frame["notices"]
                # What it complains of will have to come again, if at all.
                self._release(everything=True)
                if self.head is not None:
                    self._tell_head()
            case "answer":
                if (answer := self._asking.pop(frame["number"], None)) is not None:
                    answer(frame)

    def _release(self, *, everything: bool = False) -> None:
        """Acknowledge what is recorded, or what will have to come again."""
        nodes = self.head.nodes if self.head else {}
        kept = []
        for node, position, done in self._unacked:
            if everything or position <= nodes.get(node, (0, 0)):
                done()
            else:
                kept.append((node, position, done))
        self._unacked = kept

    def _tell_keys(self) -> None:
        if self._service is not None and self._keys:
            self._service.receive({"kind": "keys", "keys": self._keys})

    def _tell_head(self) -> None:
        if self.head is not None:
            extras = "; ".join(filter(None, self._extras.values())) or None
            self._heads.tell(self.head, self._problem, self._notices, extras)
