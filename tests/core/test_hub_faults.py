"""Names, sizes and faults that nobody thought of: one step's trouble stays its own."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hearthnet.core.devices import Device, Principal
from hearthnet.core.intents import Origin, Result
from hearthnet.core.messages import MessageType
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, ROUTINE, Home, lamp, request, running


async def turn_on(
    home: Home,
    *devices: str,
    parameters: Mapping[str, Any] | None = None,
    principal: Principal = ANNA,
    origin: Origin = Origin.APP,
) -> Result:
    """Propose to switch lamps on."""
    proposed = home.hub.wishes.propose(
        principal=principal,
        origin=origin,
        targets=devices,
        operation="light.turn_on",
        parameters=parameters or {},
        reason="a test",
    )
    return await asyncio.wait_for(proposed, 10)


async def test_a_step_that_breaks_down_is_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left out, the others alone would make the answer “done”."""
    house = SimulatedHouse()
    desk, shelf = lamp(house, "desk"), lamp(house, "shelf")
    read = house.device

    async with running(tmp_path, house) as home:
        calls = iter(range(99))

        def device(device_id: str) -> Device | None:
            # The first look is the dispatcher's own, at what must not be shared.
            if device_id == shelf.id and next(calls) == 1:
                raise RuntimeError("a registry is broken")
            return read(device_id)

        monkeypatch.setattr(house, "device", device)
        result = await turn_on(home, desk.id, shelf.id)
        assert [step.outcome for step in result.steps] == [
            Outcome.CHANGED,
            Outcome.REFUSED,
        ]
        assert result.steps[1].reason is Reason.FAULT
        assert not result.complete


@pytest.mark.parametrize("name", ["B\ud800", "\0", "\u202elamp", "😀" * 3000, "\n\n"])
async def test_no_name_keeps_a_lamp_from_being_switched(
    tmp_path: Path, name: str
) -> None:
    house = SimulatedHouse()
    desk = house.add(
        Device(id="odd", entity_id="light.odd", name=name, domain="light"), state="off"
    )
    async with running(tmp_path, house) as home:
        result = await turn_on(home, desk.id)
        assert [step.outcome for step in result.steps] == [Outcome.CHANGED]


async def test_too_large_a_group_is_refused_before_anything_moves(
    tmp_path: Path,
) -> None:
    """What follows from it would not fit into a message."""
    house = SimulatedHouse()
    members = tuple(lamp(house, f"lamp_{n}").id for n in range(101))
    group = Device(
        id="all", entity_id="light.all", name="All", domain="light", members=members
    )
    house.add(group, state="off")
    async with running(tmp_path, house) as home:
        result = await turn_on(home, group.id)
        assert [step.reason for step in result.steps] == [Reason.OUT_OF_SCOPE]
        assert not house.acts


@pytest.mark.parametrize("number", [60, 100])
async def test_a_large_group_is_one_of_the_same_kind(
    tmp_path: Path, number: int
) -> None:
    """A sentence that names all its members is longer than a message may carry."""
    house = SimulatedHouse()
    members = tuple(
        lamp(house, f"a_lamp_with_quite_a_long_name_in_the_hall_{n}").id
        for n in range(number)
    )
    group = house.add(
        Device(
            id="group",
            entity_id="light.all",
            name="All",
            domain="light",
            members=members,
        ),
        state="off",
    )
    async with running(tmp_path, house) as home:
        asked = await turn_on(home, group.id, parameters={"brightness_pct": 80})
        assert [step.outcome for step in asked.steps] == [Outcome.WAITING]
        assert not home.hub.status.leases
        answered = await home.hub.wishes.answer(
            asked.steps[0].event or "", principal=ANNA, origin=Origin.APP, approve=True
        )
        assert answered is not None
        assert len(answered.steps) == number
        assert answered.complete
        bounced = await turn_on(
            home,
            group.id,
            parameters={"brightness_pct": 20},
            principal=ROUTINE,
            origin=Origin.SCHEDULE,
        )
        assert [step.reason for step in bounced.steps] == [Reason.CONFLICT]


@pytest.mark.parametrize(
    "parameters",
    [
        {1: 2},
        {None: 2},
        {"brightness_pct": float("nan")},
        {"brightness_pct": 10**400},
        {"brightness_pct": object()},
        {"brightness_pct": {1, 2}},
        {"rgb_color": [[[]]]},
        {"x" * 300_000: 1},
        {"\ud800": 1},
    ],
)
async def test_no_data_whatever_is_more_than_refused(
    tmp_path: Path, parameters: Mapping[Any, Any]
) -> None:
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path, house) as home:
        result = await turn_on(home, desk.id, parameters=parameters)
        assert [step.outcome for step in result.steps] == [Outcome.REFUSED]
        assert not house.acts
        assert (await turn_on(home, desk.id)).complete


@pytest.mark.parametrize("text", ["\ud800", "\0", "x" * 300_000, "a " * 5000, " "])
async def test_no_text_whatever_is_more_than_not_understood(
    tmp_path: Path, text: str
) -> None:
    house = SimulatedHouse()
    lamp(house, "desk")
    async with running(tmp_path, house) as home:
        result = await home.hub.wishes.ask(request(text))
        assert result.reason is Reason.NOT_UNDERSTOOD
        assert not result.steps


async def test_what_comes_in_the_way_at_the_gate_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lease stays good, but nobody will try it again: its task and it end."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    async with running(tmp_path, house) as home:
        journal = home.hub.node.journal
        stop = home.hub.node.subscribe(
            lambda record: (
                monkeypatch.setattr(type(journal), "writable", False)
                if record.message.type is MessageType.GRANT
                else None
            )
        )
        result = await turn_on(home, desk.id)
        (step,) = result.steps
        assert (step.outcome, step.reason) == (
            Outcome.REFUSED,
            Reason.JOURNAL_UNWRITABLE,
        )
        await home.until(MessageType.REVOCATION)
        stop()
        monkeypatch.undo()
        again = await turn_on(home, desk.id)
        assert [step.outcome for step in again.steps] == [Outcome.CHANGED]
