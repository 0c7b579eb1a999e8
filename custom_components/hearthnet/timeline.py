"""The timeline over a hub: pages of lines, chains, and lines as they come about."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN, LOGGER
from .coordinator import HearthnetConfigEntry, HearthnetCoordinator
from .core.messages import MessageType
from .core.overview import Told
from .core.status import Cause, HubStatus
from .core.story import DECIDING, Event, Line, lines_of

CHUNK = 200
"""Events read at once."""
MOST_CHUNKS = 10
"""Read for one page at most: a rare thing is looked for in steps."""
WATCHED = 200
"""Newest events that are looked through after each change."""
NEW: Final = object()
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)
"""What a message of another shape leads to."""
PAUSE = 0.1
"""Seconds in which changes are gathered."""


class Record(Protocol):
    """What the timeline asks of the record."""

    async def timeline(
        self,
        *,
        limit: int,
        before: str | None,
        messages: bool = False,
        **filters: str | None,
    ) -> dict[str, Any]:
        """Return `events`, the newest first; with `messages` each has its own."""

    async def explain(self, *, event: str) -> dict[str, Any]:
        """Return the `events` of an event's chain, oldest first.

        Raises:
            LookupError: nothing is on record about it.
        """


class Asked(Protocol):
    """What the timeline asks of a hub."""

    @property
    def status(self) -> HubStatus:
        """Everything at this moment."""

    @property
    def chronicle(self) -> Record:
        """What has happened."""


@dataclass(frozen=True)
class Page:
    """Lines in no particular order, and where older ones start."""

    lines: tuple[Line, ...]
    cursor: str | None
    """None: there are none."""


type Listener = Callable[[Collection[Line], Collection[str]], None]
"""Told after each change: lines that are new or other than before, and the ids of
those that are no more. Of a change of nothing but the status, neither."""


class Timeline:
    """The lines of one boot of the hub."""

    def __init__(self, hass: HomeAssistant, hub: Asked) -> None:
        """Take the hub; nothing is read before somebody listens."""
        self._hass = hass
        self._hub = hub
        self._listeners: set[Listener] = set()
        self._ends: set[CALLBACK_TYPE] = set()
        self._planned: CALLBACK_TYPE | None = None
        self._looking = asyncio.Lock()
        self._seen: dict[str, str | None] = {}
        """The newest events with their commits, as they were last looked at."""

    # Questions

    async def page(
        self,
        *,
        limit: int,
        cursor: str | None = None,
        devices: Collection[str] | None = None,
        text: str | None = None,
    ) -> Page:
        """Return at least `limit` lines older than a cursor, if there are so many.

        With `devices` only what is about one of them; with `text` whatever has a
        message with it.
        """
        found: dict[str, Line] = {}
        seen: set[str] = set()
        device = next(iter(devices)) if devices and len(devices) == 1 else None
        partial = text is not None or device is not None
        for _ in range(MOST_CHUNKS):
            answer = await self._hub.chronicle.timeline(
                limit=CHUNK, before=cursor, messages=True, device=device, text=text
            )
            events: list[Event] = answer["events"]
            for event in events:
                if len(found) >= limit:
                    return Page(tuple(found.values()), cursor)
                cursor = event["id"]
                key = event["intent"] or event["id"]
                if key in seen or not _tells(event, devices):
                    continue
                seen.add(key)
                chain = None if partial else _whole(event, events)
                if chain is None:
                    chain = await self._chain_of(event)
                for line in self.lines(chain):
                    if shows(line, devices):
                        found.setdefault(line.id, line)
            if len(events) < CHUNK:
                return Page(tuple(found.values()), None)
        return Page(tuple(found.values()), cursor)

    async def chain(self, event: str) -> dict[str, Any]:
        """Return the chain that an event is in.

        Raises:
            LookupError: nothing is on record about it.
        """
        return await self._hub.chronicle.explain(event=event)

    def lines(self, events: Sequence[Event]) -> list[Line]:
        """Return the lines of a chain as things stand."""
        status = self._hub.status
        try:
            return lines_of(events, status.boot, {plan.id for plan in status.deferred})
        except UNREADABLE as error:
            # Recorded by another version. What is readable shall still be shown.
            LOGGER.debug("No lines for %s: %r", events[0]["id"], error)
            return []

    async def _chain_of(self, event: Event) -> Sequence[Event]:
        """Return an event's chain, oldest first; empty when it cannot be had."""
        try:
            answer = await self._hub.chronicle.explain(event=event["id"])
        except LookupError:
            return ()
        chain: list[Event] = answer["events"]
        return chain

    # Changes

    @callback
    def async_listen(self, listener: Listener) -> CALLBACK_TYPE:
        """Call `listener` after each change from now on; see `async_learn`."""
        self._listeners.add(listener)

        @callback
        def end() -> None:
            # A card may end what a close has ended already.
            self._listeners.discard(listener)
            if not self._listeners:
                self._seen = {}  # nobody looks from now on

        return end

    async def async_learn(self) -> None:
        """Learn what is there, so that what comes after can be told as new."""
        async with self._looking:
            if not self._seen:
                self._seen = seen_in(await self._newest())

    @callback
    def async_on_close(self, end: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `end` when the hub goes; return what takes that back."""
        self._ends.add(end)
        return lambda: self._ends.discard(end)

    @callback
    def async_close(self) -> None:
        """Let go of the hub; whoever listens has to ask again."""
        if self._planned is not None:
            self._planned()
        self._listeners.clear()
        for end in tuple(self._ends):
            end()

    @callback
    def async_changed(self, _told: Told | None = None) -> None:
        """Look for what is new, soon: one request makes many events at once."""
        if self._planned is None and self._listeners:
            job = HassJob(self._async_look, cancel_on_shutdown=True)
            self._planned = async_call_later(self._hass, PAUSE, job)

    async def _async_look(self, _now: datetime) -> None:
        """Read again the chains that have a new message, or a commit for one."""
        self._planned = None
        async with self._looking:
            events = await self._newest()
            seen, self._seen = self._seen, seen_in(events)
            news = [e for e in events if seen.get(e["id"], NEW) != e["commit"]]
            told, gone = await self._read_again(news, seen)
        for listener in tuple(self._listeners):
            listener(told, gone)

    async def _newest(self) -> list[Event]:
        answer = await self._hub.chronicle.timeline(limit=WATCHED, before=None)
        events: list[Event] = answer["events"]
        return events

    async def _read_again(
        self, news: Iterable[Event], seen: Mapping[str, str | None]
    ) -> tuple[Collection[Line], Collection[str]]:
        """Return the lines of the chains of some events, and the ids of former ones."""
        told: dict[str, Line] = {}
        gone: set[str] = set()
        for event in {e["intent"] or e["id"]: e for e in news}.values():
            chain = await self._chain_of(event)
            for line in self.lines(chain):
                told[line.id] = line
            before = [e for e in chain if e["id"] in seen]
            gone.update(line.id for line in self.lines(before))
        return told.values(), gone - told.keys()


def seen_in(events: Iterable[Event]) -> dict[str, str | None]:
    """Return what there is to see of events: that they are there, and committed."""
    return {event["id"]: event["commit"] for event in events}


def _tells(event: Event, devices: Collection[str] | None) -> bool:
    """Tell whether an event can stand for lines that are wanted."""
    if event["intent"] is not None:
        return True
    return event["type"] in DECIDING and (
        event["type"] == MessageType.RECOVERY
        or devices is None
        or any(device in devices for device in event["devices"])
    )


def shows(line: Line, devices: Collection[str] | None) -> bool:
    """Tell whether a line belongs to a list about some devices, or about all."""
    if line.cause in (Cause.RECONNECT, Cause.OWN):
        return False  # nobody did anything that is not told already
    if devices is None:
        # A home changes all the time; here only what HearthNet had to do with.
        return line.outcome is not None or bool(line.undid)
    return any(device in devices for device in line.devices)


def _whole(event: Event, events: Iterable[Event]) -> Sequence[Event] | None:
    """Return an event's chain, oldest first, if surely all of it is among these."""
    if (intent := event["intent"]) is None:
        return (event,)
    mine = [other for other in events if other["intent"] == intent][::-1]
    begun = any(e["id"] == intent for e in mine)
    ended = any(e["cause"] == intent and e["task"] is None for e in mine)
    return mine if begun and ended else None


TIMELINE: HassKey[tuple[HearthnetCoordinator, Timeline]] = HassKey(DOMAIN)


@callback
def async_setup_timeline(hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
    """Offer the timeline of an entry's hub until the entry is unloaded."""
    coordinator = entry.runtime_data
    timeline = Timeline(hass, coordinator.hub)
    hass.data[TIMELINE] = coordinator, timeline
    entry.async_on_unload(coordinator.hub.overview.subscribe(timeline.async_changed))
    # Commits, and what only time changes.
    entry.async_on_unload(coordinator.async_add_listener(timeline.async_changed))

    @callback
    def end() -> None:
        hass.data.pop(TIMELINE)
        timeline.async_close()

    entry.async_on_unload(end)
