"""What is so already is not asked about: nobody has anything to agree to."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hearthnet.core.devices import Device, Reading
from hearthnet.core.intents import Action, Origin, Plan, PlanKind, Request, Step
from hearthnet.core.messages import MessageType
from hearthnet.core.reasons import Outcome
from hearthnet.core.story import lines_of
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, ROUTINE, Home, ScriptedPlanner, running

DOOR = Device(id="id_door", entity_id="lock.door", name="Door", domain="lock")


async def unlock(home: Home) -> Step:
    result = await home.hub.wishes.propose(
        principal=ROUTINE,
        origin=Origin.AUTOMATION,
        targets=(DOOR.id,),
        operation="lock.unlock",
        parameters={},
        reason="Deliveries",
    )
    return result.steps[0]


async def test_a_door_that_is_unlocked_already(tmp_path: Path) -> None:
    house = SimulatedHouse()
    house.add(DOOR, state="unlocked")
    async with running(tmp_path, house, ScriptedPlanner()) as home:
        step = await unlock(home)
        assert step.outcome is Outcome.ALREADY_SO
        assert step.values == {"state": "unlocked"}
        assert step.reason is None
        assert home.hub.status.questions == ()
        answer = await home.hub.chronicle.timeline(limit=50, before=None, messages=True)
        events = answer["events"][::-1]
        kinds = {event["type"] for event in events}
        assert not kinds & {MessageType.GRANT, MessageType.EXECUTE}
        told = [e for e in events if e["intent"]]
        (line,) = lines_of(told, home.hub.status.boot, set())
        assert (line.outcome, line.reason) == (Outcome.ALREADY_SO, None)
        assert line.seen == ({"state": "unlocked"},)
        # Whoever wants to use a lease later is asked: it may be locked by then.
        later = await home.hub.wishes.request_lease(
            principal=ANNA,
            origin=Origin.APP,
            target=DOOR.id,
            operation="lock.unlock",
            parameters={},
            reason="later",
        )
        assert later.outcome is Outcome.WAITING


async def test_a_dry_run_says_the_same(tmp_path: Path) -> None:
    house = SimulatedHouse()
    house.add(DOOR, state="unlocked")
    action = Action(targets=(DOOR.id,), operation="lock.unlock")
    plan = Plan(kind=PlanKind.COMMAND, actions=(action,))
    planner = ScriptedPlanner({"unlock": plan})
    async with running(tmp_path, house, planner) as home:
        request = Request(
            text="unlock", principal=ANNA, origin=Origin.APP, dry_run=True
        )
        result = await home.hub.wishes.ask(request)
        assert result.steps[0].outcome is Outcome.ALREADY_SO
        house.change(DOOR.id, state="locked")
        result = await home.hub.wishes.ask(request)
        assert result.steps[0].outcome is Outcome.REFUSED


def silent(house: SimulatedHouse) -> None:
    """It tells nothing back: what is shown is what it was told."""
    house.known[DOOR.id] = replace(DOOR, assumed_state=True)


def locked(house: SimulatedHouse) -> None:
    house.change(DOOR.id, state="locked")


def stale(house: SimulatedHouse) -> None:
    """An app showed it a while ago."""
    read = house.read

    def before(device: str) -> Reading:
        return replace(read(device), seen={})

    house.read = before  # type: ignore[assignment]


@pytest.mark.parametrize("doubt", [silent, locked, stale])
async def test_where_it_is_not_surely_so_a_person_is_asked(
    tmp_path: Path, doubt: Callable[[SimulatedHouse], None]
) -> None:
    house = SimulatedHouse()
    house.add(DOOR, state="unlocked")
    doubt(house)
    async with running(tmp_path, house, ScriptedPlanner()) as home:
        assert (await unlock(home)).outcome is Outcome.WAITING
        assert len(home.hub.status.questions) == 1
