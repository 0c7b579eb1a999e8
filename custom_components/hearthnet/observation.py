"""What changes outside HearthNet: compared, told from our own, attributed, calmed.

A change is told to the hub at once, because freshness rests on it. What the same
device reports right after belongs to the same cause, and only its end is told: a
lamp fades and a blind travels in many small reports.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from homeassistant.core import (
    CALLBACK_TYPE,
    Event,
    EventStateChangedData,
    HassJob,
    HomeAssistant,
    callback,
)
from homeassistant.helpers.event import async_call_later, async_track_state_change_event

from .core.clock import Clock
from .core.devices import Device, Principal, Values
from .core.effects import STATE
from .core.paths import device_path
from .core.shadow import doubt
from .core.status import Cause
from .core.view import View
from .house import HassHouse, platform_of
from .origin import Origin, OriginTracker
from .values import MOVING, differences, reading_of

SETTLE = 1.0
"""Seconds of quiet after which a device has settled."""
SETTLE_BY_DOMAIN = {"cover": 3.0, "lock": 3.0, "valve": 3.0}
SETTLE_MAX = 120.0
"""Seconds after which the values of a device that never rests are told anyway."""
REFRESH = 0.5
"""Seconds of quiet in the registries before the devices are looked up again."""
CHUNK = 20
"""Devices compared in one step of the loop."""
RECENT = 256
DERIVED = frozenset({"template", "group", "switch_as_x", "generic_thermostat"})
"""Integrations whose entities only show, or act through, other entities."""


class Observe(Protocol):
    """`Hub.observe`."""

    def __call__(
        self,
        device_id: str,
        values: Values,
        *,
        cause: Cause,
        principal: Principal | None = None,
        detail: str = "",
        execute: str | None = None,
    ) -> object:
        """Record that a device changed outside HearthNet."""


type Expects = Callable[[str, Values, float], str | None]
"""`Gate.expects`: the execute that a change belongs to."""
type Known = Callable[[str], Values | None]
"""The values that the record has of a device, None if it has none."""


def recorded(view: View, device_id: str) -> Values | None:
    """Return the values that the record has of a device and is sure of."""
    kept = view.get(device_path(device_id))
    if not isinstance(kept, dict) or doubt(kept) is not None:
        return None
    values = kept.get("values")
    return values if isinstance(values, dict) else None


@dataclass(kw_only=True)
class _Burst:
    """Reports of one device that follow each other closely, and have one cause."""

    origin: Origin
    started: float
    end: CALLBACK_TYPE | None = None


class Observer:
    """Watches the exposed devices, group members and what aliases stand for."""

    def __init__(
        self,
        hass: HomeAssistant,
        house: HassHouse,
        origins: OriginTracker,
        *,
        observe: Observe,
        expects: Expects,
        known: Known,
        clock: Clock,
    ) -> None:
        """Take the hub's and the gate's ends; nothing is watched yet."""
        self._hass = hass
        self._house = house
        self._origins = origins
        self._observe = observe
        self._expects = expects
        self._known = known
        self._clock = clock
        self._watched: dict[str, str] = {}
        """Entity id to device id."""
        self._last: dict[str, Values] = {}
        """By device id, the newest values; absent until the device was first read."""
        self._away: set[str] = set()
        self._bursts: dict[str, _Burst] = {}
        self._contexts: OrderedDict[str, str] = OrderedDict()
        """Context id to the device that it was first seen at."""
        self._end_tracking: CALLBACK_TYPE | None = None
        self._end_refresh: CALLBACK_TYPE | None = None
        self._running = False

    async def async_start(self) -> CALLBACK_TYPE:
        """Watch, and tell what changed while nobody did; return what ends it.

        Call it when Home Assistant has started: before that entities are missing
        or unavailable, and none of it is news.
        """
        self._running = True
        end_listening = self._house.async_listen(self._schedule_refresh)
        await self._async_refresh()

        @callback
        def stop() -> None:
            self._running = False
            end_listening()
            for end in (self._end_tracking, self._end_refresh):
                if end is not None:
                    end()
            for device_id in list(self._bursts):
                self._end_burst(device_id)

        return stop

    # Which devices

    @callback
    def _schedule_refresh(self) -> None:
        if self._end_refresh is not None:
            self._end_refresh()
        job = HassJob(self._async_refresh_now, cancel_on_shutdown=True)
        self._end_refresh = async_call_later(self._hass, REFRESH, job)

    async def _async_refresh_now(self, _now: object = None) -> None:
        self._end_refresh = None
        await self._async_refresh()

    async def _async_refresh(self) -> None:
        """Watch the devices that are there now, and compare those that are new."""
        watched = {device.entity_id: device.id for device in self._observed()}
        if watched != self._watched:
            if self._end_tracking is not None:
                self._end_tracking()
            self._watched = watched
            self._end_tracking = async_track_state_change_event(
                self._hass, watched, self._changed
            )
        present = set(watched.values())
        for device_id in self._last.keys() - present:
            # Nobody watches it from now on: what is known of it grows old.
            self._end_burst(device_id)
            del self._last[device_id]
        self._away &= present
        for number, (entity_id, device_id) in enumerate(watched.items()):
            if number % CHUNK == CHUNK - 1:
                await asyncio.sleep(0)
            if not self._running:
                return
            self._compare(entity_id, device_id)

    @callback
    def _observed(self) -> list[Device]:
        """Return the devices that can change by themselves.

        A group only shows what its members do, and an alias what it stands for.
        """
        found: dict[str, Device] = {}
        waiting = list(self._house.devices())
        for device in waiting:
            inner = device.members or ((device.physical,) if device.physical else ())
            if not inner:
                found[device.id] = device
            waiting += [
                member
                for device_id in inner
                if device_id not in found
                and (member := self._house.device(device_id)) is not None
            ]
        return list(found.values())

    @callback
    def _compare(self, entity_id: str, device_id: str) -> None:
        """Tell what a device does not share with the record, once it is read.

        That is everything when it is new; later it is what changed between two
        names of it, or while it was not exposed.
        """
        values = reading_of(self._hass.states.get(entity_id)).values
        known = self._last.get(device_id) or self._known(device_id)
        if not values:
            self._away.add(device_id)
        elif differences(known, values):
            self._last[device_id] = values
            detail = "changed unwatched" if known else "seen for the first time"
            self._tell(device_id, Origin(cause=Cause.RECONNECT, detail=detail))
        else:
            self._last.setdefault(device_id, values)

    # Changes

    @callback
    def _changed(self, event: Event[EventStateChangedData]) -> None:
        entity_id = event.data["entity_id"]
        new_state = event.data["new_state"]
        if (device_id := self._watched.get(entity_id)) is None or new_state is None:
            return
        values = reading_of(new_state).values
        if not values:
            self._leave(device_id)
            return
        old = self._last.get(device_id) or self._known(device_id)
        back = device_id in self._away or old is None
        self._away.discard(device_id)
        if not differences(old, values):
            self._last.setdefault(device_id, values)
            return
        self._last[device_id] = values
        execute = self._expects(device_id, values, self._clock.boottime())
        if execute is not None:
            detail = f"a late effect of {execute}"
            origin = Origin(cause=Cause.OWN, detail=detail, own=True, execute=execute)
        elif back:
            origin = Origin(cause=Cause.RECONNECT, detail="it was unavailable")
        else:
            origin = self._origin(event, device_id, old or {}, values)
        self._join(device_id, origin, old or {})

    @callback
    def _origin(
        self,
        event: Event[EventStateChangedData],
        device_id: str,
        old: Values,
        new: Values,
    ) -> Origin:
        entity_id, context = event.data["entity_id"], event.context
        origin = self._origins.classify(entity_id, context, old, new)
        first = self._contexts.setdefault(context.id, device_id)
        if len(self._contexts) > RECENT:
            self._contexts.popitem(last=False)
        if (
            first != device_id
            and platform_of(self._hass, entity_id) in DERIVED
            and not self._origins.was_told(entity_id, context)
        ):
            # It only shows what the other did: one wish, counted once.
            device = self._house.device(first)
            name = device.name if device else first
            return Origin(cause=Cause.UNKNOWN, detail=f"follows {name}")
        return origin

    @callback
    def _leave(self, device_id: str) -> None:
        """Note that a device cannot be read; no value of it has changed by that."""
        self._away.add(device_id)
        self._end_burst(device_id)

    # Bursts

    @callback
    def _join(self, device_id: str, origin: Origin, old: Values) -> None:
        """Add a change to the burst it belongs to, or begin one."""
        burst = self._bursts.get(device_id)
        if burst is not None and not self._continues(burst, device_id, origin, old):
            if origin.own:
                # Told now, it would be recorded after our receipt, as if it were newer.
                self._forget_burst(device_id)
            else:
                self._end_burst(device_id, old)
            burst = None
        if burst is None:
            burst = _Burst(origin=origin, started=self._hass.loop.time())
            self._bursts[device_id] = burst
            if not origin.own:
                # Our own effects are the receipt's to tell; what comes after it
                # is told when the burst ends.
                self._tell(device_id, origin)
        self._wait(device_id, burst)

    @callback
    def _continues(
        self, burst: _Burst, device_id: str, origin: Origin, old: Values
    ) -> bool:
        """Tell whether a change is a part of what began the burst.

        A change with a cause of its own is not; nor is one without that turns the
        state around, which may well be another hand. Only a device that comes back
        may say anything until it has found itself.
        """
        if origin.cause is Cause.DEVICE and burst.origin.cause is Cause.RECONNECT:
            return True
        if origin.cause is not Cause.DEVICE:
            return (origin.own, origin.cause, origin.principal) == (
                burst.origin.own,
                burst.origin.cause,
                burst.origin.principal,
            )
        state, before = self._last[device_id].get(STATE), old.get(STATE)
        return state == before or state in MOVING.get(str(before), ())

    @callback
    def _wait(self, device_id: str, burst: _Burst) -> None:
        if burst.end is not None:
            burst.end()
        device = self._house.device(device_id)
        quiet = SETTLE_BY_DOMAIN.get(device.domain if device else "", SETTLE)
        left = burst.started + SETTLE_MAX - self._hass.loop.time()
        if self._last[device_id].get(STATE) in MOVING:
            quiet = left

        @callback
        def settled(_now: object) -> None:
            burst.end = None
            self._end_burst(device_id)

        job = HassJob(settled, cancel_on_shutdown=True)
        burst.end = async_call_later(self._hass, max(0.0, min(quiet, left)), job)

    @callback
    def _end_burst(self, device_id: str, values: Values | None = None) -> None:
        """Tell where a burst ended, unless the record has it.

        `values` are the last ones of the burst, if there are newer ones by now.
        """
        if (burst := self._forget_burst(device_id)) is None:
            return
        values = values or self._last[device_id]
        if differences(self._known(device_id), values):
            self._tell(device_id, burst.origin, values)

    @callback
    def _forget_burst(self, device_id: str) -> _Burst | None:
        """Wait no more for the end of a burst, and return it."""
        burst = self._bursts.pop(device_id, None)
        if burst is not None and burst.end is not None:
            burst.end()
        return burst

    @callback
    def _tell(
        self, device_id: str, origin: Origin, values: Values | None = None
    ) -> None:
        self._observe(
            device_id,
            values or self._last[device_id],
            cause=origin.cause,
            principal=origin.principal,
            detail=origin.detail,
            execute=origin.execute,
        )
