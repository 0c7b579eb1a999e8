"""The whole core at work: intents from start to receipts."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from hearthnet.core.adapter import AdapterError
from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Device, Principal
from hearthnet.core.intents import Action, Origin
from hearthnet.core.messages import MessageType
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause
from hearthnet.simulation import Behavior, SimulatedHouse

from .home import ANNA, BEN, ROUTINE, ScriptedPlanner, command, lamp, request, running


async def test_an_intent_runs_to_its_receipts(tmp_path: Path) -> None:
    """Every step of the chain is on record, in order, and the lamp is on."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    planner = ScriptedPlanner(
        {
            "light": command(
                Action(
                    targets=(desk.id,),
                    operation="light.turn_on",
                    parameters={"brightness_pct": 55},
                )
            )
        }
    )
    async with running(tmp_path, house, planner) as home:
        result = await home.hub.wishes.ask(request("light"))
        assert [step.outcome for step in result.steps] == [Outcome.CHANGED]
        assert result.complete
        assert house.values[desk.id] == {"state": "on", "brightness_pct": 55}
        chain = [m.type for m in home.messages if m.intent or m.id == result.intent]
        assert chain == [
            MessageType.INTENT,
            MessageType.TASK,
            MessageType.PROPOSAL,
            MessageType.GRANT,
            MessageType.EXECUTE,
            MessageType.RECEIPT,
            MessageType.RESOLUTION,
            MessageType.RESOLUTION,
        ]
        holds = home.hub.status.holds
        assert {(h.attribute, h.value) for h in holds} == {
            ("state", "on"),
            ("brightness_pct", 55),
        }


async def test_a_schedule_bounces_off_a_standing_intent(tmp_path: Path) -> None:
    """The second scene: refused with the intent as evidence, passes elsewhere."""
    house = SimulatedHouse()
    desk, bed = lamp(house, "desk"), lamp(house, "bed", area="Bedroom", state="on")
    planner = ScriptedPlanner(
        {
            "working from home": command(
                Action(
                    targets=(desk.id,),
                    operation="light.turn_on",
                    parameters={"brightness_pct": 55},
                    ranges={"brightness_pct": (None, 60)},
                ),
                standing=True,
            )
        }
    )
    async with running(tmp_path, house, planner) as home:
        standing = await home.hub.wishes.ask(request("working from home"))
        result = await home.hub.wishes.propose(
            principal=ROUTINE,
            origin=Origin.SCHEDULE,
            targets=(desk.id, bed.id),
            operation="light.turn_on",
            parameters={"brightness_pct": 20, "color_temp_kelvin": 2700},
            reason="evening wind-down",
        )
        refused, passed = result.steps
        assert refused.outcome is Outcome.REFUSED
        assert refused.reason is Reason.CONFLICT
        assert refused.evidence[0].intent == standing.intent
        assert passed.outcome is Outcome.CHANGED
        assert house.values[desk.id]["brightness_pct"] == 55
        assert len(home.of(MessageType.CONFLICT)) == 1


async def test_a_dry_run_moves_and_records_nothing(tmp_path: Path) -> None:
    """Its steps carry the verdicts."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    on = Action(targets=(desk.id,), operation="light.turn_on")
    async with running(
        tmp_path, house, ScriptedPlanner({"light": command(on)})
    ) as home:
        result = await home.hub.wishes.ask(request("light", dry_run=True))
        assert [step.outcome for step in result.steps] == [Outcome.PLANNED]
        house.unavailable.add(desk.id)
        result = await home.hub.wishes.ask(request("light", dry_run=True))
        assert [step.outcome for step in result.steps] == [Outcome.UNREACHABLE]
        assert home.messages == []
        assert house.acts == []


async def test_a_lease_of_an_old_boot_is_refused_with_evidence(tmp_path: Path) -> None:
    """The third scene: lease and invalidating event are named."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path, house) as home:
        step = await home.hub.wishes.request_lease(
            principal=ANNA,
            origin=Origin.APP,
            target=desk.id,
            operation="light.turn_on",
            parameters={},
            reason="to be replayed",
        )
        assert step.lease is not None
    async with running(tmp_path, house, clock=home.clock) as home:
        house.change(desk.id, state="on", brightness_pct=80)
        home.hub.observe(desk.id, house.values[desk.id], cause=Cause.DEVICE)
        result = await home.hub.wishes.execute(
            step.lease, principal=ANNA, origin=Origin.APP
        )
        assert house.acts == []
        assert result.steps[0].outcome is Outcome.REFUSED
        codes = [item.code for item in result.steps[0].evidence]
        assert codes[0] is Reason.NOT_ASKED
        assert Reason.FENCED in codes
        assert Reason.STALE_STATE in codes


def door(house: SimulatedHouse) -> Device:
    """Put a locked door into the house."""
    device = Device(
        id="id_door", entity_id="lock.door", name="Door", domain="lock", area="Hall"
    )
    return house.add(device, state="locked")


async def test_a_risky_action_waits_for_a_person(tmp_path: Path) -> None:
    """Approved once it runs, as a new intent; pressed twice it counts once."""
    house = SimulatedHouse()
    unlock = command(Action(targets=(door(house).id,), operation="lock.unlock"))
    async with running(tmp_path, house, ScriptedPlanner({"unlock": unlock})) as home:
        asked = await home.hub.wishes.ask(request("unlock"))
        assert asked.steps[0].outcome is Outcome.WAITING
        assert house.acts == []
        (question,) = home.hub.status.questions
        result = await home.hub.wishes.answer(
            question.id, principal=BEN, origin=Origin.APP, approve=True
        )
        assert result is not None
        assert result.steps[0].outcome is Outcome.CHANGED
        assert result.intent != asked.intent
        with pytest.raises(LookupError):
            await home.hub.wishes.answer(
                question.id, principal=BEN, origin=Origin.APP, approve=True
            )
        assert len(house.acts) == 1


async def test_an_approval_is_bound_to_what_was_shown(tmp_path: Path) -> None:
    """The door was opened meanwhile: people are asked anew, nothing moves."""
    house = SimulatedHouse()
    device = door(house)
    unlock = command(Action(targets=(device.id,), operation="lock.unlock"))
    async with running(tmp_path, house, ScriptedPlanner({"unlock": unlock})) as home:
        await home.hub.wishes.ask(request("unlock"))
        (question,) = home.hub.status.questions
        house.change(device.id, state="jammed")
        result = await home.hub.wishes.answer(
            question.id, principal=ANNA, origin=Origin.APP, approve=True
        )
        assert result is not None
        assert result.steps[0].outcome is Outcome.WAITING
        assert house.acts == []


async def test_nobody_approves_by_voice_or_as_a_guest(tmp_path: Path) -> None:
    """The question stands until somebody entitled answers it."""
    house = SimulatedHouse()
    unlock = command(Action(targets=(door(house).id,), operation="lock.unlock"))
    guest = Principal(kind="user", id="gil", name="Gil", role="guest")
    async with running(tmp_path, house, ScriptedPlanner({"unlock": unlock})) as home:
        await home.hub.wishes.ask(request("unlock"))
        (question,) = home.hub.status.questions
        for principal, origin in ((ANNA, Origin.VOICE), (guest, Origin.APP)):
            with pytest.raises(PermissionError):
                await home.hub.wishes.answer(
                    question.id, principal=principal, origin=origin, approve=True
                )
        still = home.hub.status.questions
        assert [q.id for q in still] == [question.id]
        await home.hub.wishes.answer(
            question.id, principal=ANNA, origin=Origin.APP, approve=False
        )
        left = home.hub.status
        assert left.questions == ()
        assert house.acts == []


async def test_a_later_word_replaces_a_standing_wish_and_keeps_its_end(
    tmp_path: Path,
) -> None:
    """“Working from home”, then “brighter”: the lamp stays hers until the evening."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="on", brightness_pct=100)

    def turn_on(level: int) -> Action:
        return Action(
            targets=(desk.id,),
            operation="light.turn_on",
            parameters={"brightness_pct": level},
        )

    evening = ManualClock().now() + timedelta(hours=6)
    planner = ScriptedPlanner(
        {
            "full": command(turn_on(100)),
            "working from home": command(turn_on(55), standing=True, until=evening),
            "brighter": command(turn_on(80)),
        }
    )
    async with running(tmp_path, house, planner) as home:
        for text in ("full", "working from home", "brighter"):
            result = await home.hub.wishes.ask(request(text))
            assert result.steps[0].outcome in (Outcome.CHANGED, Outcome.ALREADY_SO)
        held = [h for h in home.hub.status.holds if h.attribute == "brightness_pct"]
        assert [(hold.value, hold.ends_at) for hold in held] == [(80, evening)]


async def test_undo_puts_back_what_nobody_else_has_changed(tmp_path: Path) -> None:
    """Attribute-exact, through the gate; what Ben changed since is left and named."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="on", brightness_pct=80)
    bed = lamp(house, "bed", state="off")
    shelf = lamp(house, "shelf", state="on", brightness_pct=40)
    full = Action(
        targets=(desk.id, bed.id, shelf.id),
        operation="light.turn_on",
        parameters={"brightness_pct": 100},
    )
    planner = ScriptedPlanner({"full": command(full)})
    async with running(tmp_path, house, planner) as home:
        await home.hub.wishes.ask(request("full"))
        house.change(shelf.id, brightness_pct=20)
        home.hub.observe(
            shelf.id, house.values[shelf.id], cause=Cause.PERSON, principal=BEN
        )
        result = await home.hub.wishes.ask(request("Undo that"))
        assert house.values[desk.id]["brightness_pct"] == 80
        assert house.values[bed.id]["state"] == "off"
        assert house.values[shelf.id]["brightness_pct"] == 20
        by_name = {step.name: step for step in result.steps}
        assert by_name["Desk"].outcome is Outcome.CHANGED
        assert by_name["Bed"].outcome is Outcome.CHANGED
        assert by_name["Shelf"].reason is Reason.CHANGED_SINCE
        nothing = await home.hub.wishes.ask(request("undo", BEN))
        assert nothing.reason is Reason.NOTHING_TO_UNDO
        # A second one does not do again what the first has undone.
        again = await home.hub.wishes.ask(request("Undo that"))
        assert [step.name for step in again.steps] == ["Shelf"]
        assert house.values[desk.id]["brightness_pct"] == 80


async def test_a_read_ends_what_an_adapters_fault_left_unknown(tmp_path: Path) -> None:
    """The first command ends unknown; the next one reads first, then acts."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    on = Action(targets=(desk.id,), operation="light.turn_on")
    planner = ScriptedPlanner({"on": command(on)})
    async with running(tmp_path, house, planner) as home:
        house.behavior[desk.id] = Behavior(fails=AdapterError(Outcome.UNKNOWN, "cut"))
        first = await home.hub.wishes.ask(request("on"))
        assert first.steps[0].outcome is Outcome.UNKNOWN
        assert home.hub.gate.unknown(desk.id) is not None
        del house.behavior[desk.id]
        second = await home.hub.wishes.ask(request("on"))
        assert second.steps[0].outcome is Outcome.CHANGED
        assert home.hub.gate.unknown(desk.id) is None


async def test_a_deferred_plan_runs_once_when_it_is_due(tmp_path: Path) -> None:
    """D06: nothing moves now; it survives a restart; it is verified when due."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="on")
    off = Action(targets=(desk.id,), operation="light.turn_off")
    clock = ManualClock()
    due = clock.now() + timedelta(minutes=2)
    planner = ScriptedPlanner({"off in two minutes": command(off, due=due)})
    async with running(tmp_path, house, planner, clock=clock) as home:
        result = await home.hub.wishes.ask(request("off in two minutes"))
        assert result.due == due
        assert house.acts == []
        assert [plan.due for plan in home.hub.status.deferred] == [due]
    clock.advance(125)
    async with running(tmp_path, house, clock=clock) as home:
        receipt = await home.until(MessageType.RECEIPT)
        assert receipt.body["outcome"] == Outcome.CHANGED
        assert home.hub.status.deferred == ()
    async with running(tmp_path, house, clock=clock) as home:
        assert home.restart.dropped == ()
        assert len(house.acts) == 1


async def test_a_missed_plan_is_reported_and_not_run(tmp_path: Path) -> None:
    """The hub was away for longer than the plan's grace."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="on")
    off = Action(targets=(desk.id,), operation="light.turn_off")
    clock = ManualClock()
    due = clock.now() + timedelta(minutes=2)
    planner = ScriptedPlanner({"off in two minutes": command(off, due=due)})
    async with running(tmp_path, house, planner, clock=clock) as home:
        await home.hub.wishes.ask(request("off in two minutes"))
    clock.advance(3600)
    async with running(tmp_path, house, clock=clock) as home:
        assert [dropped.due for dropped in home.restart.dropped] == [due]
        assert home.hub.status.deferred == ()
    assert house.acts == []


async def test_a_deferred_plan_can_be_canceled(tmp_path: Path) -> None:
    """It is off the record, and a second time there is nothing to cancel."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="on")
    off = Action(targets=(desk.id,), operation="light.turn_off")
    clock = ManualClock()
    due = clock.now() + timedelta(minutes=2)
    planner = ScriptedPlanner({"off in two minutes": command(off, due=due)})
    async with running(tmp_path, house, planner, clock=clock) as home:
        result = await home.hub.wishes.ask(request("off in two minutes"))
        assert await home.hub.control.cancel(result.intent, ANNA)
        assert not await home.hub.control.cancel(result.intent, ANNA)
        assert home.hub.status.deferred == ()


async def test_a_routine_does_not_take_back_a_persons_unused_lease(
    tmp_path: Path,
) -> None:
    """It waits for its turn, and is refused by what the person's act left."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path, house) as home:
        lease = await home.hub.wishes.request_lease(
            principal=ANNA,
            origin=Origin.APP,
            target=desk.id,
            operation="light.turn_on",
            parameters={},
            reason="soon",
        )
        routine = asyncio.ensure_future(
            home.hub.wishes.propose(
                principal=ROUTINE,
                origin=Origin.SCHEDULE,
                targets=(desk.id,),
                operation="light.turn_off",
                parameters={},
                reason="wind-down",
            )
        )
        await home.until(MessageType.PROPOSAL, 2)
        assert lease.lease is not None
        used = await home.hub.wishes.execute(
            lease.lease, principal=ANNA, origin=Origin.APP
        )
        assert used.steps[0].outcome is Outcome.CHANGED
        assert (await routine).steps[0].reason is Reason.CONFLICT
