"""A house that is as it is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from custom_components.hearthnet.core.devices import Device, Principal, Reading
from custom_components.hearthnet.core.domains import OPERATIONS
from custom_components.hearthnet.core.operations import Operation


@dataclass(frozen=True)
class FixedHouse:
    """Implements `House`; everything is off."""

    known: tuple[Device, ...]

    @property
    def operations(self) -> Mapping[str, Operation]:
        """The table of operations."""
        return OPERATIONS

    def device(self, device_id: str) -> Device | None:
        """Return a device by id."""
        return next((d for d in self.known if d.id == device_id), None)

    def devices(self) -> Iterable[Device]:
        """Return all devices."""
        return self.known

    def read(self, device_id: str) -> Reading:
        """Return that it is off."""
        return Reading(available=True, values={"state": "off"})

    def may_control(self, principal: Principal, device_id: str) -> bool:
        """Let everybody control everything."""
        return True
