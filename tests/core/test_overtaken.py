"""A wish that a later one overtook is told so, and by which."""

import asyncio
from pathlib import Path

import pytest

from hearthnet.core.intents import Action, Origin, Plan, Request
from hearthnet.core.messages import MessageType
from hearthnet.core.planner import Situation
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.render import render
from hearthnet.core.story import lines_of
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, BEN, ScriptedPlanner, command, lamp, request, running


async def test_the_later_request_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is slow: Anna's lease is revoked between its use and the act."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    planner = ScriptedPlanner(
        {
            text: command(
                Action(
                    targets=(desk.id,),
                    operation="light.turn_on",
                    parameters={"brightness_pct": level},
                )
            )
            for text, level in (("dim", 10), ("full", 100))
        }
    )
    async with running(tmp_path, house, planner) as home:
        disk, sync = asyncio.Event(), home.hub.node.sync

        async def slow_sync() -> None:
            await disk.wait()
            await sync()

        monkeypatch.setattr(home.hub.node, "sync", slow_sync)
        first = asyncio.ensure_future(home.hub.wishes.ask(request("dim")))
        await home.until(MessageType.EXECUTE)
        second = asyncio.ensure_future(home.hub.wishes.ask(request("full", BEN)))
        await home.until(MessageType.REVOCATION)
        disk.set()
        overtaken, done = await first, await second
        assert done.steps[0].outcome is Outcome.CHANGED
        (step,) = overtaken.steps
        assert step.reason is Reason.SUPERSEDED
        assert step.evidence[0].intent == done.intent
        assert "Ben" in step.evidence[0].text
        assert [item.code for item in step.evidence[1:]] == [Reason.REVOKED]
        assert render(overtaken, "en", now=home.clock.now()) == (
            "Desk was left alone: a later request came first."
        )
        told = await home.hub.chronicle.explain(intent=overtaken.intent)
        (line,) = lines_of(told["events"])
        assert line.reason is Reason.SUPERSEDED
        assert line.evidence[0].intent == done.intent
        assert house.values[desk.id]["brightness_pct"] == 100


async def test_no_lease_is_used_once_its_revocation_is_on_record(
    tmp_path: Path,
) -> None:
    """Wishes for one lamp come at once: each takes back the lease before it."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path, house) as home:
        wishes = [
            home.hub.wishes.propose(
                principal=person,
                origin=Origin.APP,
                targets=(desk.id,),
                operation="light.turn_on",
                parameters={"brightness_pct": level},
                reason=f"{person.name} wants {level} %",
            )
            for level, person in ((10, ANNA), (20, BEN), (30, ANNA), (40, BEN))
        ]
        await asyncio.gather(*wishes)
        revoked: set[str | None] = set()
        used = []
        for message in home.messages:
            if message.type is MessageType.REVOCATION:
                revoked.add(message.lease)
            elif message.type is MessageType.EXECUTE:
                used.append(message.lease)
                assert message.lease not in revoked
    assert revoked
    assert used
    assert house.values[desk.id]["brightness_pct"] == 40


async def test_an_older_wish_does_not_undo_a_later_one(tmp_path: Path) -> None:
    """Anna's takes its time to be understood; Ben's was done meanwhile."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    understood = asyncio.Event()

    class Slow(ScriptedPlanner):
        async def plan(self, request: Request, situation: Situation) -> Plan | None:
            plan = await super().plan(request, situation)
            await understood.wait()
            return plan

    dim = Action(
        targets=(desk.id,),
        operation="light.turn_on",
        parameters={"brightness_pct": 10},
    )
    async with running(tmp_path, house, Slow({"dim": command(dim)})) as home:
        first = asyncio.ensure_future(home.hub.wishes.ask(request("dim")))
        await home.until(MessageType.INTENT)
        later = await home.hub.wishes.propose(
            principal=BEN,
            origin=Origin.APP,
            targets=(desk.id,),
            operation="light.turn_on",
            parameters={"brightness_pct": 100},
            reason="full",
        )
        understood.set()
        (step,) = (await first).steps
        assert step.reason is Reason.SUPERSEDED
        assert step.evidence[0].intent == later.intent
    assert house.values[desk.id]["brightness_pct"] == 100
