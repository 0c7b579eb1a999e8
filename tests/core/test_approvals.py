"""Standing approvals: for this routine until 23:00, and for nothing else."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hearthnet.core.agents import questions
from hearthnet.core.approvals import LONGEST, Approval, this_evening
from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Device, Principal
from hearthnet.core.intents import Origin, Step
from hearthnet.core.messages import MalformedError, MessageType
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause
from hearthnet.core.story import lines_of
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, BEN, ROUTINE, Home, ScriptedPlanner, running

DOOR = Device(id="id_door", entity_id="lock.door", name="Door", domain="lock")
BACK = Device(id="id_back", entity_id="lock.back", name="Back", domain="lock")
HOUR = timedelta(hours=1)


@pytest.fixture
def house() -> SimulatedHouse:
    made = SimulatedHouse()
    made.add(DOOR, state="locked")
    made.add(BACK, state="locked")
    return made


async def unlock(
    home: Home, device: Device = DOOR, principal: Principal = ROUTINE
) -> Step:
    """Have a door unlocked, after somebody has locked it by hand."""
    home.house.change(device.id, state="locked")
    home.hub.observe(device.id, home.house.read(device.id).values, cause=Cause.UNKNOWN)
    result = await home.hub.wishes.propose(
        principal=principal,
        origin=Origin.APP if principal.kind == "user" else Origin.AUTOMATION,
        targets=(device.id,),
        operation="lock.unlock",
        parameters={},
        reason="Deliveries",
    )
    return result.steps[0]


async def agree(home: Home, until: datetime | None, by: Principal = ANNA) -> None:
    (question,) = home.hub.status.questions
    await home.hub.wishes.answer(
        question.id, principal=by, origin=Origin.APP, approve=True, until=until
    )


async def test_the_same_needs_no_question_until_then(
    tmp_path: Path, house: SimulatedHouse
) -> None:
    clock = ManualClock()
    async with running(tmp_path, house, ScriptedPlanner(), clock=clock) as home:
        assert (await unlock(home)).outcome is Outcome.WAITING
        (question,) = home.hub.status.questions
        assert question.again
        await agree(home, clock.now() + HOUR)
        (approval,) = home.hub.status.approvals
        assert (approval.by, approval.principal) == ("Anna", "Wind down")
        step = await unlock(home)
        assert step.outcome is Outcome.CHANGED
        assert step.lease is not None
        lease = home.hub.gate.lease(step.lease)
        assert lease is not None
        # Revoked between grant and use, it would make the lease stale.
        assert f"approvals/{question.id}.json" in lease.reads
        # Another door, and another's wish, are not what was agreed to.
        assert (await unlock(home, BACK)).outcome is Outcome.WAITING
        assert (await unlock(home, principal=BEN)).outcome is Outcome.WAITING
        clock.advance(HOUR.total_seconds())
        assert home.hub.status.approvals == ()
        assert (await unlock(home)).outcome is Outcome.WAITING


async def test_a_plain_yes_is_good_once(tmp_path: Path, house: SimulatedHouse) -> None:
    async with running(tmp_path, house, ScriptedPlanner()) as home:
        await unlock(home)
        await agree(home, None)
        assert home.hub.status.approvals == ()
        assert (await unlock(home)).outcome is Outcome.WAITING


async def test_revoked(tmp_path: Path, house: SimulatedHouse) -> None:
    clock = ManualClock()
    async with running(tmp_path, house, ScriptedPlanner(), clock=clock) as home:
        await unlock(home)
        await agree(home, clock.now() + HOUR)
        (approval,) = home.hub.status.approvals
        assert await home.hub.control.revoke_approval(approval.id, BEN)
        assert not await home.hub.control.revoke_approval(approval.id, BEN)
        assert (await unlock(home)).outcome is Outcome.WAITING


async def test_it_is_in_the_record(tmp_path: Path, house: SimulatedHouse) -> None:
    """It has an end of its own, so a boot does not end it; questions it does."""
    clock = ManualClock()
    async with running(tmp_path, house, ScriptedPlanner(), clock=clock) as home:
        await unlock(home)
        await agree(home, clock.now() + HOUR)
        assert (await unlock(home, BACK)).outcome is Outcome.WAITING
    async with running(tmp_path, house, ScriptedPlanner(), clock=clock) as home:
        assert home.hub.status.questions == ()
        assert (await unlock(home)).outcome is Outcome.CHANGED


@pytest.mark.parametrize("ahead", [timedelta(0), -HOUR, LONGEST + HOUR])
async def test_it_ends_within_a_day(
    tmp_path: Path, house: SimulatedHouse, ahead: timedelta
) -> None:
    """What cannot be agreed to is no answer: the question stands."""
    clock = ManualClock()
    async with running(tmp_path, house, ScriptedPlanner(), clock=clock) as home:
        await unlock(home)
        with pytest.raises(ValueError, match="not within a day"):
            await agree(home, clock.now() + ahead)
        assert len(home.hub.status.questions) == 1
        assert home.hub.status.approvals == ()


async def test_a_late_press_leaves_the_question_to_its_end(
    tmp_path: Path, house: SimulatedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "LIFE", 0.1)
    clock = ManualClock()
    async with running(tmp_path, house, ScriptedPlanner(), clock=clock) as home:
        await unlock(home)
        (question,) = home.hub.status.questions
        clock.advance(1)
        with pytest.raises(LookupError):
            await home.hub.wishes.answer(
                question.id, principal=ANNA, origin=Origin.APP, approve=True
            )
        ended = await home.until(MessageType.CONFIRMATION)
        assert ended.body["answer"] == "expired"
        chain = await home.hub.chronicle.explain(intent=question.intent)
        (line,) = lines_of(chain["events"])
        assert (line.outcome, line.reason) == (Outcome.REFUSED, Reason.UNANSWERED)
        assert len(house.acts) == 0


APPROVAL = Approval(
    id="hub.1.5",
    by=ANNA,
    principal=ROUTINE,
    target=("a", "b"),
    operation="cover.set_cover_position",
    parameters={"position": 40},
    since=datetime(2026, 11, 30, 20, tzinfo=UTC),
    until=datetime(2026, 11, 30, 23, tzinfo=UTC),
)


@pytest.mark.parametrize(
    ("change", "covered"),
    [
        ({}, True),
        ({"principal": replace(ROUTINE, name="Renamed")}, True),
        ({"principal": replace(ROUTINE, id="automation.other")}, False),
        ({"principal": replace(ROUTINE, kind="user")}, False),
        ({"principal": replace(ROUTINE, role="owner")}, False),
        ({"target": ("a",)}, False),
        ({"target": ("a", "b", "c")}, False),
        ({"operation": "cover.open_cover"}, False),
        ({"parameters": {"position": 41}}, False),
        ({"parameters": {}}, False),
    ],
)
def test_it_covers_exactly_what_was_asked(
    change: Mapping[str, Any], covered: bool
) -> None:
    wish = {
        "principal": APPROVAL.principal,
        "target": APPROVAL.target,
        "operation": APPROVAL.operation,
        "parameters": APPROVAL.parameters,
    }
    assert APPROVAL.covers(**{**wish, **change}) is covered


def test_it_stands_from_its_making_to_its_end() -> None:
    tick = timedelta(seconds=1)
    assert APPROVAL.stands(APPROVAL.since)
    assert APPROVAL.stands(APPROVAL.until - tick)
    for moment in (APPROVAL.since - tick, APPROVAL.until, None):
        assert not APPROVAL.stands(moment)


def test_it_is_read_as_it_was_written() -> None:
    assert Approval.from_dict(APPROVAL.as_dict()) == APPROVAL
    with pytest.raises(MalformedError):
        Approval.from_dict(APPROVAL.as_dict() | {"until": "tonight"})


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-11-30 19:00", "2026-11-30 23:00"),
        ("2026-11-30 22:30", "2026-11-30 23:00"),
        ("2026-11-30 22:31", "2026-12-01 22:31"),
        ("2026-11-30 23:30", "2026-12-01 23:00"),
    ],
)
def test_this_evening(now: str, until: str) -> None:
    zone = ZoneInfo("Europe/Berlin")
    at = datetime.fromisoformat(now).replace(tzinfo=zone)
    assert this_evening(at) == datetime.fromisoformat(until).replace(tzinfo=zone)
