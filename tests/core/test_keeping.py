"""What a receipt keeps: where a blind goes, not where it was seen on its way."""

from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

from hearthnet.core.devices import Device
from hearthnet.core.intents import Action, Origin
from hearthnet.core.messages import Json
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.simulation import Answered, Behavior, SimulatedHouse

from .home import ROUTINE, command, request, running
from .test_undo import ALLOW

BLIND = Device(id="id_blind", entity_id="cover.blind", name="Blind", domain="cover")
OPEN: dict[str, Json] = {"state": "open", "current_position": 100}
MOVING: dict[str, Json] = {"state": "closing", "current_position": 80}
HALFWAY = Answered(values=MOVING)


@pytest.mark.parametrize(
    ("answer", "assumed", "outcome", "kept"),
    [
        (HALFWAY, False, Outcome.RUNNING, True),
        # It tells only where it arrives.
        (Answered(values=OPEN), False, Outcome.UNVERIFIED, True),
        # It never tells anything: nobody can say what is kept.
        (Answered(values=OPEN), True, Outcome.UNVERIFIED, False),
    ],
)
async def test_a_blind_on_its_way_is_held_where_it_goes(
    tmp_path: Path, answer: Answered, assumed: bool, outcome: Outcome, kept: bool
) -> None:
    house = SimulatedHouse()
    house.add(replace(BLIND, assumed_state=assumed), **OPEN)
    async with running(tmp_path, house, policy=ALLOW) as home:
        home.planner.plans["close"] = command(
            Action(targets=(BLIND.id,), operation="cover.close_cover")
        )
        house.behavior[BLIND.id] = Behavior(answers=deque([answer]), deaf=True)
        told = await home.hub.wishes.ask(request("close"))
        assert told.steps[0].outcome is outcome
        held = {hold.attribute: hold.value for hold in home.hub.status.holds}
        assert held == ({"state": "closed", "current_position": 0} if kept else {})
        meanwhile = await home.hub.wishes.propose(
            principal=ROUTINE,
            origin=Origin.AUTOMATION,
            targets=(BLIND.id,),
            operation="cover.open_cover",
            parameters={},
            reason="the morning",
        )
        refused = meanwhile.steps[0].reason is Reason.CONFLICT
        assert refused is kept
