"""What a node says of itself, and what it makes of what is said in its name.

The broker keeps the last status of each node and gives it to whoever comes.
"""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

from ..clock import to_text
from ..messages import Json
from ..node import Node
from .broker import Topics
from .envelope import EnvelopeError, pack, seal, unpack, unseal, verified
from .inbound import Done, Framed
from .outbound import Outbound
from .presence import Presence, Status
from .twin import ANSWER_SECONDS, Twin, Verdict


class Statuses:
    """One node's own status, and the newest of the others."""

    def __init__(
        self,
        node: Node,
        own: Status,
        *,
        topics: Topics,
        outbound: Outbound,
        presence: Presence,
        twin: Twin,
        about: Callable[[], Mapping[str, Json]],
        changed: Callable[[], None],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        end: Callable[[str], None],
    ) -> None:
        """Speak for `node`, which is as `own` says.

        `about` gives what the node says beside, `changed` is called when who is
        there has changed, `spawn` runs what takes a while, `end` ends the connection.
        """
        self._node = node
        self.own = own
        self._topics = topics
        self._outbound = outbound
        self._presence = presence
        self._twin = twin
        self._about = about
        self._changed = changed
        self._spawn = spawn
        self._end = end
        self._latest: dict[str, bytes] = {}
        """The last status of each node, as it was signed."""

    def begin(self) -> bytes:
        """Begin a connection; return what the broker shall say when it is lost."""
        self.own = replace(self.own, boot=self._node.boot)
        return self._payload(online=False)

    def say(self) -> None:
        """Say that this node is there."""
        topic = self._topics.status(self._node.name)
        self.own = replace(self.own, boot=self._node.boot)
        self._outbound.put(topic, self._payload(online=True), retain=True)

    def take(self, status: Status, found: Framed) -> None:
        """Take what a node says of itself, or somebody in this one's name."""
        if status.node == self._node.name:
            self._take_own(status, found.retained)
        elif status.boot < self._presence.seen(status.node):
            if status.online and status.node in self._latest:
                # Its disk went back, and the broker does not know it either.
                self._tell_seen(status.node, self._latest[status.node].decode())
        else:
            self._latest[status.node] = found.payload
            if self._presence.take(status):
                self._changed()

    def take_seen(self, found: Framed, done: Done) -> None:
        """Hear that a later boot of this node was seen; it may still live.

        What this node has said then proves it, or anybody could end its boots.
        """
        done()
        said, _ = verified(found.frame["said"].encode(), self._node.public_key)
        status = Status.from_dict(unpack(said) or {})
        mine = found.kind == "inbox" and status.node == self._node.name
        if mine and status.boot >= self._node.boot:
            self._twin.seen = max(self._twin.seen, status.boot)
            self.say()
            self._spawn(self._twin.outlive(self._node, ANSWER_SECONDS))

    def claimed(self, payload: bytes) -> None:
        """Hear what somebody says in this node's name, with a key that is not its own.

        A will may be of this node's, from before its key was renewed; but who says
        that he is there is another.
        """
        try:
            said = unpack(unseal(payload)[0]) or {}
        except EnvelopeError:
            return
        if said.get("kind") == "status" and said.get("online") is True:
            name, where = self._node.name, self._topics.prefix
            self._twin.zombie = f"another {name}, with another key, speaks on {where}"
            self._changed()

    def forget(self, node: str) -> None:
        """Forget a node that is not enrolled any more."""
        self._latest.pop(node, None)

    def _tell_seen(self, node: str, said: str) -> None:
        data = pack("seen", node=self._node.name, said=said)
        payload = seal(data, self._node.sign(data))
        topic = self._topics.inbox(node, self._node.name)
        self._outbound.put(topic, payload, expiry=60)

    def _payload(self, *, online: bool) -> bytes:
        status = replace(self.own, online=online, about=self._about())
        at = to_text(self._node.clock.now())
        data = pack("status", at=at, **status.as_dict())
        return seal(data, self._node.sign(data))

    def _take_own(self, status: Status, retained: bool) -> None:
        """Look at what is said in this node's name."""
        match self._twin.look(self.own, status, retained=retained):
            case Verdict.SAY_AGAIN:
                self.say()
                self._changed()
            case Verdict.ASK:
                self.say()
                self._spawn(self._twin.outlive(self._node, ANSWER_SECONDS))
            case Verdict.OUTLIVE:
                self._spawn(self._twin.outlive(self._node, 0))
            case Verdict.STOP:
                # An equal one has to hear of this one, to stop as well.
                self.say()
                self._spawn(self._give_way())

    async def _give_way(self) -> None:
        await self._outbound.drain()
        self._end(self._twin.fenced or "")
