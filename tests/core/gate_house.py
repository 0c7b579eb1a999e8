"""Devices for tests of the gate."""

from collections.abc import Callable, Mapping
from typing import Any

from hearthnet.core.adapter import Permit
from hearthnet.core.devices import Device, Reading
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.messages import Json

type Hook = Callable[[], None]


class FakeHouse:
    """Devices that do at once what they are told; implements `Adapter`."""

    def __init__(self) -> None:
        self.known: dict[str, Device] = {}
        self.values: dict[str, dict[str, Json]] = {}
        self.unavailable: set[str] = set()
        self.deaf: set[str] = set()
        self.acts: list[Permit] = []
        self.before_act: Hook = lambda: None
        self.in_act: Hook = lambda: None
        self.report: Callable[[str], None] = lambda device: None

    def add(self, device_id: str, domain: str, **values: Any) -> Device:
        fields = {
            n: values.pop(n) for n in ("physical", "assumed_state") if n in values
        }
        device = Device(
            id=device_id,
            entity_id=f"{domain}.{device_id}",
            name=device_id.replace("_", " "),
            domain=domain,
            **fields,
        )
        self.known[device_id] = device
        self.values[device_id] = values
        return device

    def device(self, device_id: str) -> Device | None:
        return self.known.get(device_id)

    def read(self, device_id: str) -> Reading:
        return Reading(
            available=device_id not in self.unavailable,
            values=dict(self.values[device_id]),
        )

    async def act(self, permit: Permit) -> None:
        assert type(permit) is Permit
        assert permit.lease not in [earlier.lease for earlier in self.acts]
        self.before_act()
        permit.recheck()
        self.acts.append(permit)
        for target in permit.target:
            if target not in self.deaf and target not in self.unavailable:
                effects = OPERATIONS[permit.operation].effects(
                    permit.parameters, self.values[target]
                )
                self.values[target].update(dict(effects))
                self.report(target)
        self.in_act()
        permit.recheck()

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        readings = {target: self.read(target) for target in permit.target}
        satisfied(readings)
        return readings
