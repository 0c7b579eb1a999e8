"""The companions of an entry: who they are, and where the broker is."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
import json
import os
from pathlib import Path
import random
from typing import Any

from homeassistant.components.mqtt import DOMAIN as MQTT_DOMAIN
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_NAME, CONF_PASSWORD, CONF_PORT, CONF_USERNAME
from homeassistant.core import HomeAssistant, callback

from .const import CONF_BROKER, CONF_ROLE, SUBENTRY_COMPANION
from .core.bus.broker import Broker, Topics
from .core.bus.link import Link, LinkError, connect
from .core.bus.retry import Backoff, first
from .core.clock import SystemClock
from .core.enrolled import Enrolled
from .core.files import replace
from .core.keys import SigningKey
from .core.librarian.stream import Named
from .core.pairing import LIFE, Code, Offer

CONNECT_TIMEOUT = 10.0


def broker_of(entry: ConfigEntry) -> Broker | None:
    """Return the broker of an entry; None in the embedded set-up."""
    data = entry.data.get(CONF_BROKER)
    return Broker.from_dict(data) if data else None


def enrolled_of(entry: ConfigEntry) -> dict[str, Enrolled]:
    """Return the companions of an entry by name."""
    found = (
        Enrolled.from_dict(subentry.data)
        for subentry in entry.get_subentries_of_type(SUBENTRY_COMPANION)
    )
    return {one.name: one for one in found}


def subentries_of(entry: ConfigEntry, role: str | None = None) -> dict[str, str]:
    """Return the ids of the companions' subentries by name, of a role or all."""
    return {
        subentry.data[CONF_NAME]: subentry.subentry_id
        for subentry in entry.get_subentries_of_type(SUBENTRY_COMPANION)
        if role in (None, subentry.data[CONF_ROLE])
    }


@callback
def async_mqtt_broker(hass: HomeAssistant) -> Mapping[str, Any] | None:
    """Return where the MQTT integration's broker is; None when there is none."""
    for entry in hass.config_entries.async_entries(MQTT_DOMAIN, include_ignore=False):
        authority = entry.data.get("certificate")
        return {
            "host": entry.data.get("broker"),
            CONF_PORT: entry.data.get(CONF_PORT, 1883),
            CONF_USERNAME: entry.data.get(CONF_USERNAME),
            CONF_PASSWORD: entry.data.get(CONF_PASSWORD),
            "tls": bool(authority),
            "ca": None if authority == "auto" else authority,
        }
    return None


async def async_try_broker(broker: Broker) -> str | None:
    """Return why a broker cannot be used, in words."""
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT):
            async with connect(broker, f"{broker.prefix}/{os.urandom(4).hex()}"):
                return None
    except TimeoutError:
        return f"no answer in {CONNECT_TIMEOUT:.0f} s"
    except (LinkError, OSError) as error:
        return str(error) or type(error).__name__


def read_record(path: Path) -> Named | None:
    """Return which librarian elsewhere keeps the record; None: the embedded. Blocks."""
    with suppress(OSError, ValueError, TypeError):
        return Named(**json.loads(path.read_bytes()))
    return None


def write_record(path: Path, named: Named) -> None:
    """Note which librarian keeps the record. Blocks."""
    data = {"node": named.node, "repository": named.repository}
    replace(path, json.dumps(data).encode())


class Pairing:
    """The hub's side of a pairing while its form is open."""

    def __init__(self, code: Code, key: SigningKey, *, via: Broker) -> None:
        """Prepare to listen for whoever knows the code.

        `via` is how the hub itself reaches the broker; a companion may have to use
        another name, and another user.
        """
        self._via = via
        self._clock = SystemClock()
        self._key = key
        self.offer = Offer(code, since=self._clock.boottime())
        self._came = asyncio.Event()
        self._decided: asyncio.Future[bytes] = (
            asyncio.get_running_loop().create_future()
        )
        self._answered = asyncio.Event()

    @property
    def problem(self) -> str | None:
        """Return why the code is no good any more; see `Offer.problem`."""
        return self.offer.problem(self._clock.boottime())

    async def async_wait(self, seconds: float) -> Enrolled | None:
        """Return who has come; None if nobody did in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._came.wait()
        return self.offer.found

    async def async_conclude(self, *, accepted: bool) -> bool:
        """Tell the companion what the person said; False if the broker is away."""
        if not self._decided.done():
            self._decided.set_result(self.offer.answer(self._key, accepted=accepted))
        with suppress(TimeoutError):
            async with asyncio.timeout(CONNECT_TIMEOUT):
                await self._answered.wait()
        return self._answered.is_set()

    async def async_run(self) -> None:
        """Listen, and answer once a person has decided; also over a lost broker."""
        backoff = Backoff(self._clock, random.random)
        while not self._answered.is_set():
            backoff.begin()
            with suppress(LinkError, OSError):
                await self._async_serve()
            await backoff.pause(self._answered)

    async def _async_serve(self) -> None:
        """Listen and answer over one connection."""
        code = self.offer.code
        topics = Topics(self._via.prefix)
        identifier = topics.pair(code.topic, "hub")
        async with connect(self._via, identifier) as link:
            await link.subscribe(topics.pair(code.topic, code.name))
            listening = asyncio.ensure_future(self._async_listen(link))
            deciding = asyncio.ensure_future(asyncio.shield(self._decided))
            try:
                await first([listening, deciding])
                payload = self._decided.result()
                # The companion may be cut off just now: it hears it when it is back.
                await link.publish(
                    topics.pair(code.topic, "hub"),
                    payload,
                    retain=True,
                    expiry=round(LIFE),
                )
                self._answered.set()
            finally:
                listening.cancel()
                deciding.cancel()
                await asyncio.gather(listening, deciding, return_exceptions=True)

    async def _async_listen(self, link: Link) -> None:
        async for delivery in link.deliveries():
            link.ack(delivery)
            now = self._clock.boottime()
            if self.offer.hear(delivery.payload, now) is not None:
                self._came.set()
