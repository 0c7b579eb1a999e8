"""The devices of the arena: slow, late to report, sometimes away or broken."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from random import Random
from typing import Any

from hearthnet.core.adapter import AdapterError, Permit
from hearthnet.core.devices import Device, Principal, Reading
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.messages import Json
from hearthnet.core.operations import Operation
from hearthnet.core.reasons import Outcome

from .generator import Setting
from .moves import Who

type Report = Callable[[str, dict[str, Json], str | None, Who | None], None]
"""Takes a device's values as shown, the cause (None: not told) and the person."""

FIRST: Mapping[str, dict[str, Json]] = {
    "light": {"state": "off"},
    "switch": {"state": "off"},
    "climate": {"state": "heat", "temperature": 20.0},
    "media_player": {"state": "playing", "volume_level": 0.2},
    "lock": {"state": "locked"},
}
"""What a device is at in the beginning."""


class ArenaHouse:
    """All devices of all agents; implements `House` and `Adapter`."""

    def __init__(
        self, home: Setting, rng: Random, acted: Callable[[str], None]
    ) -> None:
        """Make the devices; `acted` is told the lease of each act as it begins."""
        self._rng = rng
        self._acted = acted
        self._forbidden = home.forbidden
        self._devices = {
            thing.id: Device(
                id=thing.id,
                entity_id=f"{home.domains[thing.id]}.{thing.id.replace('-', '_')}",
                name=thing.id,
                domain=home.domains[thing.id],
                device_class="outlet" if home.domains[thing.id] == "switch" else None,
                members=thing.members,
                manager=thing.agent,
                physical=None if thing.key == thing.id else thing.key,
            )
            for thing in home.things.values()
        }
        single = [t.id for t in home.things.values() if t.id == t.key and not t.members]
        self.real = {one: dict(FIRST[home.domains[one]]) for one in single}
        """What devices are at."""
        self.shown = {one: dict(values) for one, values in self.real.items()}
        """What they have said that they are at."""
        self.away: set[str] = set()
        self.faults: dict[str, str] = {}
        self.report: Report = lambda _device, _values, _cause, _who: None
        self._due: dict[str, float] = {}
        self._news = asyncio.Event()

    # House

    @property
    def operations(self) -> Mapping[str, Operation]:
        """The table of operations."""
        return OPERATIONS

    def device(self, device_id: str) -> Device | None:
        """Return a device by id."""
        return self._devices.get(device_id)

    def devices(self) -> Iterable[Device]:
        """Return all devices."""
        return self._devices.values()

    def read(self, device_id: str) -> Reading:
        """Return what a device shows; a group shows nothing of its own."""
        device = self._devices[device_id]
        if device.members:
            return Reading(available=True)
        if device.key in self.away:
            return Reading(available=False)
        return Reading(available=True, values=dict(self.shown[device.key]))

    def may_control(self, principal: Principal, device_id: str) -> bool:
        """Tell whether the principal itself may."""
        return (principal.id, device_id) not in self._forbidden

    # Adapter

    async def act(self, permit: Permit) -> None:
        """Have the effect after a while, unless a fault is due."""
        self._acted(permit.lease)
        keys = [self._devices[target].key for target in permit.target]
        faults = {fault for key in keys if (fault := self.faults.pop(key, None))}
        await asyncio.sleep(self._rng.uniform(0.02, 0.4))
        there = [key for key in keys if key not in self.away]
        if not there:
            raise AdapterError(Outcome.UNREACHABLE, "it is away")
        if "before" in faults:
            raise AdapterError(Outcome.UNKNOWN, "the connection broke")
        for key in there if "deaf" not in faults else ():
            self.change(
                key, _after(permit.operation, permit.parameters, self.real[key])
            )
        if "after" in faults:
            raise AdapterError(Outcome.UNKNOWN, "the connection broke")

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        """Wait for reports until the readings satisfy."""
        readings = {target: self.read(target) for target in permit.target}
        with suppress(TimeoutError):
            async with asyncio.timeout(deadline):
                while not satisfied(readings):
                    await self._news.wait()
                    readings = {target: self.read(target) for target in permit.target}
        return readings

    # What happens

    def change(
        self,
        key: str,
        values: Mapping[str, Any],
        cause: str | None = None,
        who: Who | None = None,
        after: float | None = None,
    ) -> None:
        """Change a device; it says so `after` some time, one thing after another."""
        self.real[key] = dict(values)
        loop = asyncio.get_running_loop()
        wait = self._rng.uniform(0.01, 0.6) if after is None else after
        due = max(self._due.get(key, 0.0), loop.time() + wait)
        self._due[key] = due
        loop.call_at(due, self._show, key, dict(values), cause, who)

    def come_back(self, key: str) -> None:
        """Let a device be reachable again; it says what it is at by now."""
        self.away.discard(key)
        self._show(key, dict(self.real[key]), "reconnect", None)

    def _show(
        self, key: str, values: dict[str, Json], cause: str | None, who: Who | None
    ) -> None:
        if key in self.away:
            return
        self.shown[key] = values
        self._news.set()
        self._news = asyncio.Event()
        self.report(key, values, cause, who)


def _after(
    operation: str, parameters: Mapping[str, Json], now: Mapping[str, Json]
) -> dict[str, Json]:
    """Return what a device is at after an operation."""
    effects = dict(OPERATIONS[operation].effects(parameters, now))
    if effects.get("state") == "off":
        return {"state": "off"}
    if operation == "light.turn_on":
        effects.setdefault("brightness_pct", now.get("brightness_pct", 50))
    return {**now, **effects}
