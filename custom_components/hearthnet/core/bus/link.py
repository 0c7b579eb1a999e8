"""One connection to the broker; what is peculiar to aiomqtt is in here and `client`.

aiomqtt 2.5 acknowledges a message before anybody has handled it, ignores what
the broker answers to a publish or a subscribe, and cannot be used twice. So
each connection is a new client, acknowledges by hand, and reads the answers.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
import logging
from typing import Any, Protocol

import aiomqtt
from paho.mqtt import client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from .broker import Broker
from .client import Client
from .envelope import MAX_BYTES

_LOGGER = logging.getLogger(f"{__name__}.client")
# It calls each lost connection an error; whoever uses the link says what it means.
_LOGGER.setLevel(logging.CRITICAL)

KEEPALIVE = 4
"""Seconds without a word after which one side asks; the broker waits half as long
again. With the will's delay everybody knows of a pulled cable in ten seconds."""
WILL_DELAY = 2
"""Seconds within which a new connection takes the place of a lost one unseen."""
TIMEOUT = 10.0
PATIENCE = 30.0
"""Seconds that the broker may take to answer to a message, before another connection
is tried: what waits here for it would only get old."""
MAX_PACKET = MAX_BYTES + 2**16
"""The broker delivers nothing longer. A message of our own is shorter."""
_TAKEN_OVER = 0x8E
_NOT_AUTHORIZED = {0x86, 0x87, 4, 5}
_FAILED = 0x80


class LinkError(Exception):
    """The connection cannot be made or is lost; another one may be tried."""


class AccessError(LinkError):
    """The broker does not let this node in, or not do something."""


class TakenOverError(LinkError):
    """Another client came with this one's name: whoever is pushed out stops."""


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """A message as the broker delivers it."""

    topic: str
    payload: bytes
    retained: bool
    mid: int
    qos: int


@dataclass(frozen=True, kw_only=True)
class Will:
    """What the broker says of this node when the connection breaks."""

    topic: str
    payload: bytes


class Connection(Protocol):
    """A connection that stands; see `Link`, which is one over a network."""

    async def subscribe(self, *filters: str) -> None:
        """Subscribe to topics; AccessError when the broker refuses one."""

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        expiry: int | None = None,
    ) -> asyncio.Future[None]:
        """Hand a message to the broker; the result is the broker's answer."""

    async def watch(self) -> None:
        """Wait until the broker takes too long to answer, and raise LinkError."""

    def ack(self, delivery: Delivery) -> None:
        """Tell the broker that a delivery is dealt with."""

    def deliveries(self) -> AsyncIterator[Delivery]:
        """Go through what comes, until the connection is lost."""


type Connect = Callable[
    [Broker, str, Will | None], AbstractAsyncContextManager[Connection]
]
"""Makes a connection under a client's name, with a will; LinkError when it cannot."""


@dataclass(frozen=True)
class _Unanswered:
    answer: asyncio.Future[None]
    since: float


class Link:
    """A connection that stands."""

    def __init__(self, client: Client) -> None:
        """Take a client that is about to connect."""
        self._client = client
        self._paho: paho.Client = client._client  # noqa: SLF001 - not to be had otherwise
        self._acks: dict[int, _Unanswered] = {}
        """What the broker has not answered yet, the oldest first."""
        self._arrived: deque[Delivery] = deque()
        self._news = asyncio.Event()
        """Set when something has arrived, or the connection has ended."""
        self._paho.manual_ack_set(True)
        self._paho.on_publish = self._published
        # aiomqtt makes a task for each message.
        self._paho.on_message = self._take

    async def subscribe(self, *filters: str) -> None:
        """Subscribe to topics; AccessError when the broker refuses one."""
        try:
            codes = await self._client.subscribe([(name, 1) for name in filters])
        except aiomqtt.MqttError as error:
            raise _reason(error) from error
        for name, code in zip(filters, codes, strict=True):
            if _value(code) >= _FAILED:
                raise AccessError(f"the broker refuses to deliver {name}: {code}")

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        expiry: int | None = None,
    ) -> asyncio.Future[None]:
        """Hand a message to the broker; the result is the broker's answer.

        `expiry` is for how many seconds the broker may keep it.
        """
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if expiry is not None:
            properties.MessageExpiryInterval = max(1, expiry)
        loop = asyncio.get_running_loop()
        answer = loop.create_future()
        # Whoever does not wait for an answer must not be told that none was read.
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        info = self._paho.publish(topic, payload, 1, retain, properties)
        if info.rc not in (paho.MQTT_ERR_SUCCESS, paho.MQTT_ERR_AGAIN):
            answer.set_exception(LinkError(paho.error_string(info.rc)))
        else:
            self._acks[info.mid] = _Unanswered(answer, loop.time())
        return answer

    async def watch(self) -> None:
        """Wait until the broker takes too long to answer, and raise LinkError."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(KEEPALIVE)
            oldest = next(iter(self._acks.values()), None)
            if oldest is not None and loop.time() - oldest.since > PATIENCE:
                raise LinkError("the broker does not answer any more")

    def ack(self, delivery: Delivery) -> None:
        """Tell the broker that a delivery is dealt with."""
        self._paho.ack(delivery.mid, delivery.qos)

    async def deliveries(self) -> AsyncIterator[Delivery]:
        """Go through what comes, until the connection is lost."""
        ended = self._client.ended
        ended.add_done_callback(lambda _ended: self._news.set())
        while True:
            while self._arrived:
                yield self._arrived.popleft()
            if ended.done():
                error = ended.exception() or aiomqtt.MqttError("ended by this side")
                raise _reason(error) from error
            self._news.clear()
            await self._news.wait()

    def _take(
        self, _client: paho.Client, _userdata: Any, message: paho.MQTTMessage
    ) -> None:
        self._arrived.append(
            Delivery(
                topic=message.topic,
                payload=message.payload,
                retained=message.retain,
                mid=message.mid,
                qos=message.qos,
            )
        )
        self._news.set()

    def lose(self, error: LinkError) -> None:
        """Tell whoever waits for an answer that none will come."""
        for waiting in self._acks.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(error)

    def _published(
        self,
        _client: paho.Client,
        _userdata: Any,
        mid: int,
        code: ReasonCode,
        _properties: Properties,
    ) -> None:
        waiting = self._acks.pop(mid, None)
        if waiting is None or (answer := waiting.answer).done():
            return
        if _value(code) >= _FAILED:
            answer.set_exception(AccessError(f"the broker refuses a message: {code}"))
        else:
            answer.set_result(None)


@asynccontextmanager
async def connect(
    broker: Broker, identifier: str, will: Will | None = None
) -> AsyncIterator[Link]:
    """Connect; on leaving, say goodbye so that the will is not sent.

    Raises:
        LinkError: there is no connection, or it is lost.
    """
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    properties.MaximumPacketSize = MAX_PACKET
    client = Client(
        broker.host,
        broker.port,
        username=broker.username,
        password=broker.password,
        identifier=identifier,
        protocol=aiomqtt.ProtocolVersion.V5,
        # Nothing waits at the broker for whoever is away: what is live is only
        # for who is there, and the record comes again from the journal.
        clean_start=True,
        properties=properties,
        keepalive=KEEPALIVE,
        timeout=TIMEOUT,
        tls_context=await asyncio.to_thread(broker.context),
        will=_will(will) if will else None,
        logger=_LOGGER,
    )
    link = Link(client)
    try:
        async with client:
            yield link
    except aiomqtt.MqttError as error:
        raise _reason(error) from error
    finally:
        client.release()
        link.lose(LinkError("the connection is lost"))


def _will(will: Will) -> aiomqtt.Will:
    properties = Properties(PacketTypes.WILLMESSAGE)  # type: ignore[no-untyped-call]
    properties.WillDelayInterval = WILL_DELAY
    return aiomqtt.Will(
        will.topic, will.payload, qos=1, retain=True, properties=properties
    )


def _reason(error: BaseException) -> LinkError:
    """Tell apart what another attempt may cure."""
    cause = error if isinstance(error, aiomqtt.MqttCodeError) else error.__cause__
    code = getattr(cause, "rc", None)
    value = _value(code) if code is not None else None
    if value == _TAKEN_OVER:
        return TakenOverError(str(error))
    if value in _NOT_AUTHORIZED:
        return AccessError(str(error))
    return LinkError(str(error))


def _value(code: object) -> int:
    value = code.value if isinstance(code, ReasonCode) else code
    assert isinstance(value, int)
    return value
