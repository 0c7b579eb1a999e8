"""What was taken back between a lease and its use, and who may answer for others."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hearthnet.core.confirmations import LIFE, Binding, Confirmations, Pending
from hearthnet.core.devices import Device, Principal
from hearthnet.core.intents import Action, Origin, Step
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.simulation import Behavior, SimulatedHouse

from .home import ANNA, BEN, Home, ScriptedPlanner, command, lamp, request, running

GUEST = Principal(kind="user", id="gast", name="Gast", role="guest")


async def leased(home: Home, device: str) -> str:
    """Return a lease of Ben's that he has not used yet."""
    step = await home.hub.wishes.request_lease(
        principal=BEN,
        origin=Origin.APP,
        target=device,
        operation="light.turn_on",
        parameters={},
        reason="a test",
    )
    assert step.lease is not None
    return step.lease


async def used(home: Home, lease: str) -> Step:
    """Use it."""
    result = await home.hub.wishes.execute(lease, principal=BEN, origin=Origin.APP)
    return result.steps[0]


async def test_a_right_that_was_withdrawn(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path, house) as home:
        lease = await leased(home, desk.id)
        house.forbidden.add((BEN.id, desk.id))
        step = await used(home, lease)
        assert (step.outcome, step.reason) == (Outcome.REFUSED, Reason.NOT_PERMITTED)
        assert not house.acts


@pytest.mark.parametrize("grouped", [False, True])
async def test_an_exposure_that_was_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grouped: bool
) -> None:
    """A member of a group that is exposed may be moved without being so itself."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    group = Device(
        id="g", entity_id="light.g", name="G", domain="light", members=(desk.id,)
    )
    if grouped:
        house.add(group, state="off")
    async with running(tmp_path, house) as home:
        lease = await leased(home, group.id if grouped else desk.id)
        monkeypatch.setattr(house, "devices", lambda: (group,) if grouped else ())
        step = await used(home, lease)
        assert bool(house.acts) is grouped
        assert step.reason is (None if grouped else Reason.UNKNOWN_TARGET)


@pytest.mark.parametrize("approve", [True, False])
async def test_a_guest_does_not_answer_for_others(
    tmp_path: Path, approve: bool
) -> None:
    house = SimulatedHouse()
    door = house.add(
        Device(id="door", entity_id="lock.door", name="Door", domain="lock"),
        state="locked",
    )
    async with running(tmp_path, house) as home:
        asked = await home.hub.wishes.propose(
            principal=BEN,
            origin=Origin.APP,
            targets=(door.id,),
            operation="lock.unlock",
            parameters={},
            reason="a test",
        )
        assert asked.steps[0].outcome is Outcome.WAITING
        with pytest.raises(PermissionError):
            await home.hub.wishes.answer(
                asked.steps[0].event or "",
                principal=GUEST,
                origin=Origin.APP,
                approve=approve,
            )
        assert len(home.hub.status.questions) == 1


async def test_said_twice_to_one_satellite_is_wished_twice(tmp_path: Path) -> None:
    """“Brighter, brighter”: only what a second satellite heard is an echo."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="on", brightness_pct=20)
    brighter = Action(
        targets=(desk.id,),
        operation="light.turn_on",
        relative={"brightness_pct": 10},
    )
    planner = ScriptedPlanner({"brighter": command(brighter)})
    kitchen, hall = (
        Principal(kind="satellite", id=name, name=name, role="resident")
        for name in ("kitchen", "hall")
    )
    async with running(tmp_path, house, planner) as home:
        for satellite in (kitchen, hall, kitchen):
            spoken = request("brighter", satellite, origin=Origin.VOICE)
            await home.hub.wishes.ask(spoken)
        assert house.values[desk.id]["brightness_pct"] == 40


def test_a_question_has_its_time() -> None:
    pending = Pending(
        id="hub.1.9",
        intent=None,
        task=None,
        sentence="Unlock?",
        binding=Binding(
            principal=BEN,
            target=("door",),
            operation="lock.unlock",
            parameters={},
            shown={},
        ),
        request=request("unlock"),
        action=Action(targets=("door",), operation="lock.unlock"),
        until=LIFE,
        expires_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    questions = Confirmations()
    questions.add(pending)
    assert questions.take(pending.id, LIFE) is None
    assert questions.standing(LIFE) == ()
    assert questions.take(pending.id, LIFE - 1) is pending
    assert questions.take(pending.id, LIFE - 1) is None


async def test_a_guest_undoes_only_what_was_his(tmp_path: Path) -> None:
    """Nor is put back what was never done."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="on", brightness_pct=20)
    house.behavior[desk.id] = Behavior(deaf=True)
    level = Action(
        targets=(desk.id,),
        operation="light.turn_on",
        parameters={"brightness_pct": 90},
    )
    planner = ScriptedPlanner({"bright": command(level)})
    async with running(tmp_path, house, planner) as home:
        failed = await home.hub.wishes.ask(request("bright", BEN))
        assert failed.steps[0].outcome is Outcome.FAILED
        house.behavior.clear()
        house.change(desk.id, brightness_pct=50)
        for words in ("undo that", f"undo {failed.intent}"):
            nothing = await home.hub.wishes.ask(request(words, BEN))
            assert nothing.reason is Reason.NOTHING_TO_UNDO
        done = await home.hub.wishes.ask(request("bright", BEN))
        assert done.steps[0].outcome is Outcome.CHANGED
        other = await home.hub.wishes.ask(request(f"undo {done.intent}", GUEST))
        assert other.reason is Reason.NOTHING_TO_UNDO
        assert house.values[desk.id]["brightness_pct"] == 90


async def test_a_lease_is_used_by_whom_it_was_granted(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path, house) as home:
        lease = await leased(home, desk.id)
        with pytest.raises(PermissionError):
            await home.hub.wishes.execute(lease, principal=ANNA, origin=Origin.APP)
        assert not house.acts
        assert (await used(home, lease)).outcome is Outcome.CHANGED


@pytest.mark.parametrize("operation", ["lock.unlock", "lock.lock"])
async def test_what_is_wished_later_ends_a_question(
    tmp_path: Path, operation: str
) -> None:
    """Nobody shall agree to what is no longer wanted, asked about or granted."""
    house = SimulatedHouse()
    door = Device(id="door", entity_id="lock.door", name="Door", domain="lock")
    house.add(door, state="locked")
    async with running(tmp_path, house, ScriptedPlanner()) as home:

        async def wish(operation: str) -> Step:
            result = await home.hub.wishes.propose(
                principal=BEN,
                origin=Origin.APP,
                targets=(door.id,),
                operation=operation,
                parameters={},
                reason="a test",
            )
            return result.steps[0]

        assert (await wish("lock.unlock")).outcome is Outcome.WAITING
        (first,) = home.hub.status.questions
        later = await wish(operation)
        asked = [question.id for question in home.hub.status.questions]
        assert asked == ([later.event] if operation == "lock.unlock" else [])
        with pytest.raises(LookupError):
            await home.hub.wishes.answer(
                first.id, principal=ANNA, origin=Origin.APP, approve=True
            )
