"""Chains, of a real hub where it can make them, told line by line."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Device
from hearthnet.core.intents import Action, Origin, Plan, PlanKind, Result
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause
from hearthnet.core.story import Line, lines_of
from hearthnet.simulation import Behavior, SimulatedHouse

from .home import (
    ANNA,
    BEN,
    ROUTINE,
    Home,
    ScriptedPlanner,
    command,
    lamp,
    request,
    running,
)


def turn(operation: str, *devices: Device, **parameters: Any) -> Action:
    return Action(
        targets=tuple(device.id for device in devices),
        operation=f"light.turn_{operation}",
        parameters=parameters,
    )


async def told(home: Home, result: Result) -> list[Line]:
    chain = await home.hub.chronicle.explain(intent=result.intent)
    return lines_of(chain["events"])


def event(id_: str, type_: str, **fields: Any) -> dict[str, Any]:
    """Return an event as the chronicle gives it."""
    body = fields.pop("body", {})
    row = dict.fromkeys(("cause", "intent", "task", "lease", "commit"))
    return {
        "id": id_,
        "type": type_,
        "at": "2026-11-30T12:00:00.000Z",
        "recipient": "jeeves",
        **row,
        **fields,
        "message": {"id": id_, "type": type_, "body": body},
    }


ASK = event(
    "hub.1.1",
    "intent",
    intent="hub.1.1",
    body={"text": "light", "principal": ANNA.as_dict(), "origin": "app"},
)
TURN_ON = {
    "device": "desk",
    "targets": ["desk"],
    "operation": "light.turn_on",
    "parameters": {},
}


def task(id_: str, **body: Any) -> dict[str, Any]:
    return event(id_, "task", cause="hub.1.1", task=id_, body={**TURN_ON, **body})


async def test_a_done_action_is_one_line(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    plan = command(turn("on", desk, brightness_pct=55))
    async with running(tmp_path, house, ScriptedPlanner({"light": plan})) as home:
        result = await home.hub.wishes.ask(request("light", BEN, origin=Origin.VOICE))
        (line,) = await told(home, result)

    task, receipt = home.messages[1], home.messages[5]
    assert (line.id, line.event, line.at) == (task.id, receipt.id, receipt.at)
    assert (line.outcome, line.reason) == (Outcome.CHANGED, None)
    assert (line.device, line.devices) == (desk.id, (desk.id,))
    assert line.operation == "light.turn_on"
    assert line.parameters == {"brightness_pct": 55}
    assert line.seen == ({"state": "on", "brightness_pct": 55},)
    assert line.asked is not None
    assert (line.asked.text, line.asked.principal) == ("light", BEN)
    assert (line.asked.origin, line.agent) == ("voice", "jeeves")


async def test_each_action_of_a_request_is_a_line(tmp_path: Path) -> None:
    house = SimulatedHouse()
    names = ("desk", "bed", "sofa", "hall")
    desk, bed, sofa, hall = (lamp(house, name) for name in names)
    bed_off = command(turn("off", bed))
    house.unavailable.add(sofa.id)
    house.behavior[hall.id] = Behavior(deaf=True)
    async with running(tmp_path, house, ScriptedPlanner({"bed": bed_off})) as home:
        (before,) = await told(home, held := await home.hub.wishes.ask(request("bed")))
        result = await home.hub.wishes.propose(
            principal=ROUTINE,
            origin=Origin.SCHEDULE,
            targets=(desk.id, bed.id, sofa.id, hall.id),
            operation="light.turn_on",
            parameters={},
            reason="evening",
        )
        lines = await told(home, result)

    assert [(line.device, line.outcome, line.reason) for line in lines] == [
        (desk.id, Outcome.CHANGED, None),
        (bed.id, Outcome.REFUSED, Reason.CONFLICT),
        (sofa.id, Outcome.UNREACHABLE, Reason.UNREACHABLE),
        (hall.id, Outcome.FAILED, None),
    ]
    assert before.outcome is Outcome.ALREADY_SO
    assert lines[1].hold is not None
    assert lines[1].hold["event"] == before.event
    assert lines[1].evidence[0].intent == held.intent
    assert not any(line.hold for line in (lines[0], lines[2], lines[3]))


async def test_members_are_told_apart_only_when_they_differ(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk, bed = lamp(house, "desk"), lamp(house, "bed")
    both = Device(
        id="id_both",
        entity_id="light.both",
        name="Both",
        domain="light",
        members=(desk.id, bed.id),
    )
    house.add(both, state="off")
    plans = {"on": command(turn("on", both)), "off": command(turn("off", both))}
    async with running(tmp_path, house, ScriptedPlanner(plans)) as home:
        (together,) = await told(home, await home.hub.wishes.ask(request("on")))
        house.behavior[bed.id] = Behavior(deaf=True)
        apart = await told(home, await home.hub.wishes.ask(request("off")))

    assert together.device == both.id
    assert set(together.devices) == {both.id, bed.id, desk.id}
    assert {(line.device, line.outcome) for line in apart} == {
        (desk.id, Outcome.CHANGED),
        (bed.id, Outcome.FAILED),
    }
    assert len({line.id for line in apart}) == 2


async def test_a_lease_is_told_where_it_was_asked_for(tmp_path: Path) -> None:
    """Granted, then changed; the request that only used it is no line of its own."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path, house) as home:
        step = await home.hub.wishes.request_lease(
            principal=ANNA,
            origin=Origin.APP,
            target=desk.id,
            operation="light.turn_on",
            parameters={},
            reason="later",
        )
        asked = home.messages[0].id
        chain = await home.hub.chronicle.explain(intent=asked)
        (granted,) = lines_of(chain["events"])
        assert step.lease is not None
        used = await home.hub.wishes.execute(
            step.lease, principal=ANNA, origin=Origin.APP
        )
        chain = await home.hub.chronicle.explain(intent=asked)
        (changed,) = lines_of(chain["events"])
        again = await told(home, used)

    assert (granted.id, granted.outcome) == (changed.id, Outcome.GRANTED)
    assert changed.outcome is Outcome.CHANGED
    assert again == []


async def test_a_request_that_came_to_nothing_is_a_line(tmp_path: Path) -> None:
    plans = {"what is on?": Plan(kind=PlanKind.QUESTION)}
    async with running(tmp_path, SimulatedHouse(), ScriptedPlanner(plans)) as home:
        (line,) = await told(home, await home.hub.wishes.ask(request("gibberish")))
        question = await told(home, await home.hub.wishes.ask(request("what is on?")))

    assert (line.outcome, line.reason) == (Outcome.REFUSED, Reason.NOT_UNDERSTOOD)
    assert (line.device, line.devices) == (None, ())
    assert line.asked is not None
    assert line.asked.text == "gibberish"
    assert question == []


async def test_a_change_by_others_names_what_it_undid(tmp_path: Path) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    planner = ScriptedPlanner({"light": command(turn("on", desk))})
    async with running(tmp_path, house, planner) as home:
        (ours,) = await told(home, await home.hub.wishes.ask(request("light")))
        home.hub.observe(desk.id, {"state": "off"}, cause=Cause.DEVICE)
        seen = await home.hub.chronicle.explain(event=home.messages[-1].id)
        (line,) = lines_of(seen["events"])

    assert (line.outcome, line.cause) == (None, Cause.DEVICE)
    assert line.undid == (ours.event,)
    assert line.seen == ({"state": "off"},)


async def test_steps_without_a_task_are_lines(tmp_path: Path) -> None:
    """A device that is gone, and what was to follow something that failed."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    bed = lamp(house, "bed")
    house.behavior[bed.id] = Behavior(deaf=True)
    gone = Device(id="gone", entity_id="light.gone", name="Gone", domain="light")
    after = replace(turn("off", desk), after=1)
    plan = command(turn("on", gone), turn("on", bed), after)
    async with running(tmp_path, house, ScriptedPlanner({"light": plan})) as home:
        result = await home.hub.wishes.ask(request("light"))
        bedside, *lines = await told(home, result)
        about = await home.hub.chronicle.timeline(device="gone")

    assert (bedside.device, bedside.outcome) == (bed.id, Outcome.FAILED)
    assert [(line.device, line.outcome, line.reason) for line in lines] == [
        ("gone", Outcome.REFUSED, Reason.UNKNOWN_TARGET),
        (desk.id, Outcome.REFUSED, Reason.CANCELED),
    ]
    assert lines[1].operation == "light.turn_off"
    assert lines[1].asked is not None
    assert "bed" in lines[1].evidence[0].text.lower()
    assert len({line.id for line in (bedside, *lines)}) == 3
    # So that a card about one device finds it.
    assert [e["type"] for e in about["events"]] == ["resolution"]


async def test_a_plan_without_any_task_tells_its_steps(tmp_path: Path) -> None:
    house = SimulatedHouse()
    gone = Device(id="gone", entity_id="light.gone", name="Gone", domain="light")
    planner = ScriptedPlanner({"light": command(turn("on", gone))})
    async with running(tmp_path, house, planner) as home:
        (line,) = await told(home, await home.hub.wishes.ask(request("light")))
    assert (line.device, line.reason) == ("gone", Reason.UNKNOWN_TARGET)


async def test_requests_that_a_restart_dropped_are_lines(tmp_path: Path) -> None:
    house, clock = SimulatedHouse(), ManualClock()
    desk = lamp(house, "desk")
    planner = ScriptedPlanner({"light": command(turn("on", desk))})
    async with running(tmp_path, house, planner, clock=clock) as home:
        await home.hub.wishes.ask(request("light"))
        chain = await home.hub.chronicle.explain(intent=home.messages[0].id)
    cut = chain["events"][:2]  # a kill after the task
    recovery = event(
        "hub.2.2",
        "recovery",
        body={"dropped": [{"intent": cut[0]["id"], "text": "light", "open_tasks": 1}]},
    )

    assert lines_of(cut) == []
    (line,) = lines_of([recovery])
    assert (line.id, line.reason) == (cut[0]["id"], Reason.RESTARTED)
    assert line.asked is not None
    assert line.asked.text == "light"


def test_a_lost_race_that_was_tried_again_is_one_line() -> None:
    stale = {"reason": "stale_state", "evidence": []}
    lost = event("hub.1.4", "denial", task="hub.1.2", body=stale)
    events = [ASK, task("hub.1.2"), lost]
    assert [line.reason for line in lines_of(events)] == [Reason.STALE_STATE]

    won = event(
        "hub.1.9",
        "receipt",
        task="hub.1.5",
        body={"outcome": "changed", "members": {"desk": "changed"}, "values": {}},
    )
    events += [task("hub.1.5"), won]
    assert [(line.id, line.outcome) for line in lines_of(events)] == [
        ("hub.1.5", Outcome.CHANGED)
    ]


def test_a_task_given_up_is_refused_or_unknown() -> None:
    """With a lease out nobody knows; the silence is the answer otherwise."""
    end = event(
        "hub.1.4", "resolution", task="hub.1.2", body={"reason": "manager_offline"}
    )
    (line,) = lines_of([ASK, task("hub.1.2"), end])
    assert (line.outcome, line.reason) == (Outcome.REFUSED, Reason.MANAGER_OFFLINE)

    grant = event("hub.1.3", "grant", task="hub.1.2")
    (line,) = lines_of([ASK, task("hub.1.2"), grant, end])
    assert line.outcome is Outcome.UNKNOWN


async def test_an_approved_question_goes_on_in_the_same_line(tmp_path: Path) -> None:
    house = SimulatedHouse()
    door = Device(id="id_door", entity_id="lock.door", name="Door", domain="lock")
    house.add(door, state="locked")
    plan = command(Action(targets=(door.id,), operation="lock.unlock"))
    async with running(tmp_path, house, ScriptedPlanner({"open": plan})) as home:
        asked = await home.hub.wishes.ask(request("open"))
        (waiting,) = await told(home, asked)
        (question,) = home.hub.status.questions
        done = await home.hub.wishes.answer(
            question.id, principal=ANNA, origin=Origin.APP, approve=True
        )
        assert done is not None
        (line,) = await told(home, done)
        assert await told(home, asked) == []

    assert waiting.outcome is Outcome.WAITING
    assert (line.id, line.outcome) == (waiting.id, Outcome.CHANGED)


async def test_a_question_that_is_not_approved_says_why(tmp_path: Path) -> None:
    house = SimulatedHouse()
    door = Device(id="id_door", entity_id="lock.door", name="Door", domain="lock")
    house.add(door, state="locked")
    plan = command(Action(targets=(door.id,), operation="lock.unlock"))
    async with running(tmp_path, house, ScriptedPlanner({"open": plan})) as home:
        first = await home.hub.wishes.ask(request("open"))
        second = await home.hub.wishes.ask(request("open"))
        (question,) = home.hub.status.questions
        await home.hub.wishes.answer(
            question.id, principal=ANNA, origin=Origin.APP, approve=False
        )
        third = await home.hub.wishes.ask(request("open"))
        ends = [await told(home, result) for result in (first, second, third)]
        chain = (await home.hub.chronicle.explain(intent=third.intent))["events"]

    assert [(line.outcome, line.reason) for (line,) in ends] == [
        (Outcome.REFUSED, Reason.SUPERSEDED),
        (Outcome.REFUSED, Reason.CONFIRMATION_REQUIRED),
        (Outcome.WAITING, Reason.CONFIRMATION_REQUIRED),
    ]
    (line,) = lines_of(chain, boot=2)
    assert (line.outcome, line.reason) == (Outcome.REFUSED, Reason.RESTARTED)
    assert line.id == ends[2][0].id


def test_who_changed_it_is_named_where_that_is_known() -> None:
    def by(cause: str, principal: dict[str, str] | None, detail: str) -> str:
        body = {"device": "desk", "cause": cause, "principal": principal}
        body |= {"detail": detail, "values": {}}
        (line,) = lines_of([event("hub.1.5", "observation", body=body)])
        return line.by

    assert by("person", {"name": "Anna"}, "") == "Anna"
    assert by("automation", None, "Dusk") == "Dusk"
    assert by("unknown", None, "follows Hall") == ""


def test_a_plan_for_later_waits_until_it_is_due_canceled_or_carried_out() -> None:
    actions = [{"targets": ["desk"], "operation": "light.turn_on", "parameters": {}}]
    plan = {"due": "2026-11-30T21:30:00.000Z", "actions": actions}
    end = event("hub.1.2", "resolution", cause="hub.1.1", body={"kind": "command"})
    end["message"]["writes"] = {"deferred/hub.1.1.json": plan}
    (line,) = lines_of([ASK, end], plans={"hub.1.1"})
    assert (line.id, line.outcome, line.device) == (
        *("hub.1.1", Outcome.WAITING, "desk"),
    )
    assert line.until == datetime(2026, 11, 30, 21, 30, tzinfo=UTC)
    assert line.operation == "light.turn_on"
    assert lines_of([ASK, end]) == []

    over = event("hub.1.9", "resolution", cause="hub.1.1", body={"reason": "canceled"})
    (line,) = lines_of([ASK, end, over])
    assert (line.id, line.reason) == ("hub.1.1", Reason.CANCELED)

    fired = {**ASK, "id": "hub.1.5", "cause": "hub.1.1"}
    done = {"outcome": "changed", "members": {"desk": "changed"}, "values": {}}
    receipt = event("hub.1.8", "receipt", task="hub.1.6", body=done)
    (line,) = lines_of([fired, task("hub.1.6"), receipt])
    assert (line.id, line.outcome) == ("hub.1.1", Outcome.CHANGED)


def test_what_is_open_or_damaged_is_no_line() -> None:
    damaged = event("hub.1.3", "receipt", task="hub.1.2") | {"message": None}
    assert lines_of([ASK, task("hub.1.2"), damaged]) == []
    assert lines_of([event("hub.1.5", "observation", body={"device": "desk"})]) == []
    assert lines_of([]) == []
