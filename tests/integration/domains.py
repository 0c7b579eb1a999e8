"""Operations carried out on real entities, as the gate does it, and judged."""

from collections.abc import Collection
from typing import Any
from unittest.mock import patch

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.hearthnet.core.adapter import _SEAL, AdapterError, Permit
from custom_components.hearthnet.core.compile import compile_action
from custom_components.hearthnet.core.devices import Device, Principal, Values
from custom_components.hearthnet.core.domains import OPERATIONS
from custom_components.hearthnet.core.messages import Json
from custom_components.hearthnet.core.operations import Problem
from custom_components.hearthnet.core.outcomes import (
    goals_of,
    judge,
    needless,
    satisfied,
    untouched,
)
from custom_components.hearthnet.core.reasons import Outcome
from custom_components.hearthnet.core.restore import ways_back
from custom_components.hearthnet.house import HassHouse, HouseOptions, platform_of
from custom_components.hearthnet.jeeves import JeevesAdapter
from custom_components.hearthnet.people import async_own_user
from custom_components.hearthnet.values import differences

from .home import expose

DEADLINE = 0.4
"""Seconds that a test waits for what does not come; a row's own are too many."""

type Done = dict[str, Outcome]


async def demo(hass: HomeAssistant, *platforms: Platform) -> None:
    """Set up platforms of Home Assistant's demo."""
    assert await async_setup_component(hass, "homeassistant", {})
    entry = MockConfigEntry(domain="demo")
    entry.add_to_hass(hass)
    with (
        patch(
            "homeassistant.components.demo.COMPONENTS_WITH_CONFIG_ENTRY_DEMO_PLATFORM",
            platforms,
        ),
        patch("homeassistant.components.demo.COMPONENTS_WITH_DEMO_PLATFORM", ()),
    ):
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()


class Hands:
    """Does operations by entity id and tells what became of them."""

    def __init__(self, hass: HomeAssistant, house: HassHouse, user: str) -> None:
        self.hass = hass
        self.house = house
        self.adapter = JeevesAdapter(hass, house, user)

    @classmethod
    async def of(cls, hass: HomeAssistant, *entity_ids: str) -> Hands:
        """Expose entities and start; those without registry entry are let in."""
        expose(hass, *entity_ids)
        platforms = {name: platform_of(hass, name) or "" for name in entity_ids}
        house = HassHouse(hass, HouseOptions(unregistered=platforms))
        await house.async_start()
        user = await async_own_user(hass, None)
        return cls(hass, house, user.id)

    def device(self, entity_id: str) -> Device:
        found = self.house.device(self.house.device_id(entity_id))
        assert found is not None
        return found

    def values(self, entity_id: str) -> Values:
        return self.house.read(self.house.device_id(entity_id)).values

    def problem(
        self, entity_id: str, operation: str, **parameters: Json
    ) -> Problem | None:
        """Return why an operation would be refused before anything is sent."""
        found = compile_action(
            OPERATIONS[operation], parameters, self.device(entity_id), self.house
        )
        return found if isinstance(found, Problem) else None

    async def do(
        self,
        entity_id: str,
        operation: str,
        within: float = DEADLINE,
        **parameters: Json,
    ) -> Outcome:
        """Do an operation on one entity; return its outcome."""
        done = await self.do_all(entity_id, operation, within, **parameters)
        (outcome,) = done.values()
        return outcome

    async def do_all(
        self,
        entity_id: str,
        operation: str,
        within: float = DEADLINE,
        **parameters: Json,
    ) -> Done:
        """Do an operation on an entity or a group; return each target's outcome."""
        row = OPERATIONS[operation]
        compiled = compile_action(row, parameters, self.device(entity_id), self.house)
        assert not isinstance(compiled, Problem), compiled.text
        devices = [target.device for target in compiled.targets]
        readings = {device.id: self.house.read(device.id) for device in devices}
        goals = goals_of(row, parameters, devices, readings)
        if needless(row, goals):
            return {g.device.entity_id: untouched(g) for g in goals.values()}
        permit = Permit(
            target=tuple(sorted(goals)),
            operation=operation,
            parameters=parameters,
            lease="hub.1.1",
            execute="hub.1.2",
            principal=Principal(kind="user", id="x", name="x"),
            recipe=None,
            vision=False,
            recheck=lambda: None,
            seal=_SEAL,
        )
        fault: Outcome | None = None
        try:
            await self.adapter.act(permit)
        except AdapterError as error:
            fault = error.outcome
        seen = await self.adapter.settle(
            permit, lambda readings: satisfied(goals, readings), within
        )
        return {
            goal.device.entity_id: judge(row, goal, seen[target], fault)
            for target, goal in goals.items()
        }

    async def put_back(self, entity_id: str, before: Values) -> Collection[Any]:
        """Restore what an entity showed; return the operations that did it."""
        now = self.values(entity_id)
        changed = {
            name: before[name] for name in differences(now, before) if name in before
        }
        ways = ways_back(self.device(entity_id), changed, before)
        for operation, parameters in ways:
            await self.do_all(entity_id, operation, DEADLINE, **parameters)
        return [operation for operation, _ in ways]
