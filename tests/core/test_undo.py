"""Undo: what comes late is ours, and what is left alone is named with why."""

from collections import deque
from dataclasses import replace
from pathlib import Path

from hearthnet.core.clock import ManualClock
from hearthnet.core.devices import Device, Values
from hearthnet.core.intents import Action
from hearthnet.core.messages import MessageType
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.render import render
from hearthnet.core.status import Cause
from hearthnet.core.undo import UNDO
from hearthnet.simulation import Answered, Behavior, SimulatedHouse

from .home import BEN, command, lamp, request, running

BLIND = Device(id="id_blind", entity_id="cover.blind", name="Blind", domain="cover")
BUTTON = Device(id="id_gong", entity_id="button.gong", name="Gong", domain="button")
ALLOW = """
version: 1
name: all
rules:
  - id: all
    why: so that undo is all that is tested
    effect: allow
"""


def moving() -> Behavior:
    """Return how a blind answers that takes longer than anybody waits."""
    started = Answered(values={"state": "closing", "current_position": 80})
    return Behavior(answers=deque([started]), deaf=True)


async def test_a_blind_that_arrives_later_is_still_ours(tmp_path: Path) -> None:
    """It was `running` when the receipt was made; its arrival is no other hand."""
    house = SimulatedHouse()
    house.add(BLIND, state="open", current_position=100)
    async with running(tmp_path, house, policy=ALLOW) as home:
        home.planner.plans["close"] = command(
            Action(targets=(BLIND.id,), operation="cover.close_cover")
        )
        home.house.behavior[BLIND.id] = moving()
        told = await home.hub.wishes.ask(request("close"))
        (step,) = told.steps
        assert step.outcome is Outcome.RUNNING
        receipt = home.of(MessageType.RECEIPT)[-1]
        arrived: Values = {"state": "closed", "current_position": 0}
        house.become(BLIND.id, arrived)
        home.hub.observe(BLIND.id, arrived, cause=Cause.OWN, execute=receipt.cause)

        # Why it is closed is the intent, not its own arrival.
        why = await home.hub.chronicle.explain(device=BLIND.id)
        assert why["intent"] == told.intent
        house.behavior[BLIND.id] = Behavior()
        back = await home.hub.wishes.ask(request("undo that"))
        assert [(s.name, s.outcome) for s in back.steps] == [("Blind", Outcome.CHANGED)]
        assert house.values[BLIND.id]["current_position"] == 100


async def test_a_late_effect_of_another_command_is_a_change(tmp_path: Path) -> None:
    """What Ben's command did late is not for Anna's undo."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="off")
    async with running(tmp_path, house, policy=ALLOW) as home:
        for text, level in (("anna", 80), ("ben", 20)):
            home.planner.plans[text] = command(
                Action(
                    targets=(desk.id,),
                    operation="light.turn_on",
                    parameters={"brightness_pct": level},
                )
            )
        mine = await home.hub.wishes.ask(request("anna"))
        await home.hub.wishes.ask(request("ben", BEN))
        later: Values = {"state": "on", "brightness_pct": 21}
        house.become(desk.id, later)
        bens = home.of(MessageType.RECEIPT)[-1]
        home.hub.observe(desk.id, later, cause=Cause.OWN, execute=bens.cause)
        told = await home.hub.wishes.ask(request(f"undo {mine.intent}"))
        (step,) = told.steps
        assert step.reason is Reason.CHANGED_SINCE
        assert step.evidence[0].event == home.of(MessageType.OBSERVATION)[-1].id
        assert house.values[desk.id] == later


async def test_what_is_only_sent_is_put_back_too(tmp_path: Path) -> None:
    """A lamp that tells nothing back was on before: it is switched off again."""
    house = SimulatedHouse()
    desk = lamp(house, "desk", state="off")
    house.known[desk.id] = replace(desk, assumed_state=True)
    async with running(tmp_path, house, policy=ALLOW) as home:
        home.planner.plans["on"] = command(
            Action(targets=(desk.id,), operation="light.turn_on")
        )
        told = await home.hub.wishes.ask(request("on"))
        assert told.steps[0].outcome is Outcome.UNVERIFIED
        back = await home.hub.wishes.ask(request("undo that"))
        assert back.steps[0].outcome is Outcome.UNVERIFIED
        assert house.values[desk.id]["state"] == "off"


async def test_what_cannot_be_undone_is_named(tmp_path: Path) -> None:
    """A button that was pressed, a lamp that is gone; and nothing older instead."""
    house, clock = SimulatedHouse(), ManualClock()
    desk, shelf = lamp(house, "desk"), lamp(house, "shelf")
    house.add(BUTTON)
    async with running(tmp_path, house, clock=clock, policy=ALLOW) as home:
        light = Action(targets=(desk.id, shelf.id), operation="light.turn_on")
        press = Action(targets=(BUTTON.id,), operation="button.press")
        home.planner.plans |= {
            "light": command(light),
            "gong": command(press),
            "both": command(light, press),
        }
        await home.hub.wishes.ask(request("light"))
        await home.hub.wishes.ask(request("gong"))
        told = await home.hub.wishes.ask(request("undo that"))
        assert [(s.name, s.reason) for s in told.steps] == [
            ("Gong", Reason.NO_WAY_BACK)
        ]
        assert house.values[desk.id]["state"] == "on"

        for device in (desk, shelf):
            house.change(device.id, state="off")
            home.hub.observe(device.id, house.values[device.id], cause=Cause.DEVICE)
        await home.hub.wishes.ask(request("both"))
        del house.known[shelf.id]
        shown = await home.hub.wishes.ask(request("undo that", dry_run=True))
        assert shown.steps[0].outcome is Outcome.PLANNED
        told = await home.hub.wishes.ask(request("undo that"))
        assert {s.name: (s.outcome, s.reason) for s in told.steps} == {
            "Desk": (Outcome.CHANGED, None),
            "Gong": (Outcome.REFUSED, Reason.NO_WAY_BACK),
            "Shelf": (Outcome.REFUSED, Reason.UNKNOWN_TARGET),
        }
        assert all(s.operation == UNDO for s in told.steps if s.reason)
        words = render(told, "en", now=clock.now())
        assert "Gong" in words
        assert "Shelf" in words
        again = await home.hub.wishes.ask(request("undo that"))
        assert {s.name: s.reason for s in again.steps} == {
            "Gong": Reason.NO_WAY_BACK,
            "Shelf": Reason.UNKNOWN_TARGET,
        }


async def test_undo_reaches_back_a_day(tmp_path: Path) -> None:
    """“Undo that” is not about yesterday's lamp; its intent by id still is."""
    house, clock = SimulatedHouse(), ManualClock()
    desk = lamp(house, "desk")
    async with running(tmp_path, house, clock=clock, policy=ALLOW) as home:
        home.planner.plans["on"] = command(
            Action(targets=(desk.id,), operation="light.turn_on")
        )
        made = await home.hub.wishes.ask(request("on"))
        clock.advance(24 * 3600 + 1)
        told = await home.hub.wishes.ask(request("undo that"))
        assert told.reason is Reason.NOTHING_TO_UNDO
        assert house.values[desk.id]["state"] == "on"
        clock.advance(1)
        told = await home.hub.wishes.ask(request(f"undo {made.intent}"))
        assert told.steps[0].outcome is Outcome.CHANGED
