"""The devices, outside of every process that is killed: one file of what was done."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
import os
from pathlib import Path

from hearthnet.core.adapter import Permit
from hearthnet.core.devices import Device, Principal, Reading
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.killpoint import killpoint
from hearthnet.core.operations import Operation

PHONE, JEEVES = "phone", "jeeves"
MANAGERS = dict.fromkeys("abc", JEEVES) | dict.fromkeys("pqrstu", PHONE)
"""Lamps and who moves them."""


@dataclass(frozen=True)
class Act:
    """One command as a lamp got it."""

    lease: str
    execute: str
    lamp: str
    level: int


class World:
    """Lamps that obey at once. Implements `House` and `Adapter`."""

    def __init__(self, path: Path) -> None:
        """Keep what is done in the file `path`."""
        self._path = path
        self._known = {
            name: Device(
                id=name,
                entity_id=f"light.{name}",
                name=f"Lamp {name}",
                domain="light",
                manager=manager,
            )
            for name, manager in MANAGERS.items()
        }

    @property
    def operations(self) -> Mapping[str, Operation]:
        """Those that lamps have."""
        return OPERATIONS

    def acts(self) -> list[Act]:
        """Return all that was done, in order."""
        if not self._path.exists():
            return []
        lines = (line.split() for line in self._path.read_text().splitlines())
        return [
            Act(lease, execute, n, int(level)) for lease, execute, n, level in lines
        ]

    def device(self, device_id: str) -> Device | None:
        """Return a lamp."""
        return self._known.get(device_id)

    def devices(self) -> Iterable[Device]:
        """Return all lamps."""
        return tuple(self._known.values())

    def read(self, device_id: str) -> Reading:
        """Return what a lamp is at."""
        level = next((a.level for a in reversed(self.acts()) if a.lamp == device_id), 1)
        return Reading(available=True, values={"state": "on", "brightness_pct": level})

    def may_control(self, principal: Principal, device_id: str) -> bool:
        """Let everybody."""
        return True

    async def act(self, permit: Permit) -> None:
        """Tell each lamp; it has the command once the file has the line."""
        level = permit.parameters["brightness_pct"]
        for lamp in permit.target:
            line = f"{permit.lease} {permit.execute} {lamp} {level}\n"
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.write(file, line.encode())
            os.close(file)
            killpoint()

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        """Return the readings at once."""
        return {target: self.read(target) for target in permit.target}
