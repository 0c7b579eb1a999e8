"""What makes a plan or a lease old, and what does not."""

import asyncio
from pathlib import Path

import pytest

from hearthnet.core.devices import Device
from hearthnet.core.intents import Action, Origin, Plan, Request, Result
from hearthnet.core.messages import Json, MessageType
from hearthnet.core.planner import Situation
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, BEN, Home, command, lamp, request, running


class SlowPlanner:
    """Answers with one plan, once it is let."""

    def __init__(self, plan: Plan) -> None:
        self.answer = plan
        self.asked, self.may = asyncio.Event(), asyncio.Event()

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        self.asked.set()
        await self.may.wait()
        return self.answer


def change(home: Home, device: str, **values: Json) -> None:
    """Let Ben change a device in the app."""
    home.house.change(device, **values)
    now = home.house.values[device]
    home.hub.observe(device, now, cause=Cause.PERSON, principal=BEN)


@pytest.fixture
def house() -> SimulatedHouse:
    """A lamp under two names, and another one."""
    house = SimulatedHouse()
    lamp(house, "sofa", state="on", brightness_pct=50)
    lamp(house, "desk")
    twin = Device(
        id="id_twin",
        entity_id="light.twin",
        name="Twin",
        domain="light",
        physical="id_sofa",
    )
    house.add(twin, state="on", brightness_pct=50)
    return house


async def plan_meanwhile(
    folder: Path, house: SimulatedHouse, device: str, operation: str, changed: str
) -> tuple[Result, list[Reason]]:
    """Change a device while a plan is made; return what came of it."""
    parameters: dict[str, Json] = (
        {"brightness_pct": 20} if operation == "light.turn_on" else {}
    )
    action = Action(targets=(device,), operation=operation, parameters=parameters)
    planner = SlowPlanner(command(action))
    async with running(folder, house, planner) as home:  # type: ignore[arg-type]
        for known in tuple(house.known):
            home.hub.observe(known, house.values[known], cause=Cause.RECONNECT)
        asking = asyncio.create_task(home.hub.wishes.ask(request("Dim the sofa.")))
        await planner.asked.wait()
        change(home, changed, brightness_pct=80)
        planner.may.set()
        result = await asking
        denied = [Reason(m.body["reason"]) for m in home.of(MessageType.DENIAL)]
    return result, denied


@pytest.mark.parametrize("device", ["id_sofa", "id_twin"])
async def test_a_plan_is_as_old_as_its_grounding(
    tmp_path: Path, house: SimulatedHouse, device: str
) -> None:
    """Whatever name the lamp has that changed."""
    result, denied = await plan_meanwhile(
        tmp_path, house, device, "light.turn_on", "id_sofa"
    )
    assert denied == [Reason.STALE_STATE]
    assert result.complete  # grounded afresh, proposed once more


async def test_another_name_may_be_what_changed(
    tmp_path: Path, house: SimulatedHouse
) -> None:
    _, denied = await plan_meanwhile(
        tmp_path, house, "id_sofa", "light.turn_on", "id_twin"
    )
    assert denied == [Reason.STALE_STATE]


@pytest.mark.parametrize(
    ("operation", "changed"),
    [("light.turn_off", "id_sofa"), ("light.turn_on", "id_desk")],
)
async def test_what_a_plan_does_not_rest_on(
    tmp_path: Path, house: SimulatedHouse, operation: str, changed: str
) -> None:
    """Off does not depend on what the lamp is at, nor anything on another lamp."""
    result, denied = await plan_meanwhile(
        tmp_path, house, "id_sofa", operation, changed
    )
    assert denied == []
    assert result.complete


@pytest.mark.parametrize(
    ("device", "changed"), [("id_sofa", "id_twin"), ("id_twin", "id_sofa")]
)
async def test_a_lease_rests_on_every_name_of_its_target(
    tmp_path: Path, house: SimulatedHouse, device: str, changed: str
) -> None:
    async with running(tmp_path, house) as home:
        for known in tuple(house.known):
            home.hub.observe(known, house.values[known], cause=Cause.RECONNECT)
        step = await home.hub.wishes.request_lease(
            principal=ANNA,
            origin=Origin.APP,
            target=device,
            operation="light.turn_on",
            parameters={"brightness_pct": 20},
            reason="Later.",
        )
        assert step.outcome is Outcome.GRANTED
        assert step.lease is not None
        change(home, changed, brightness_pct=80)
        result = await home.hub.wishes.execute(
            step.lease, principal=ANNA, origin=Origin.APP
        )
    assert [s.reason for s in result.steps] == [Reason.STALE_STATE]
    assert house.acts == []
