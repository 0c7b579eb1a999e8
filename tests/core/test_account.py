"""An intent as its followers read it, of a real hub."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hearthnet.core.account import (
    MOST,
    MOST_TOGETHER,
    Reader,
    account,
    ending,
    question,
    together,
)
from hearthnet.core.devices import Device
from hearthnet.core.intents import Action, Origin, Result
from hearthnet.core.reasons import Outcome
from hearthnet.core.texts import TABLES
from hearthnet.core.wishes import Answering
from hearthnet.simulation import SimulatedHouse

from .home import (
    BEN,
    ROUTINE,
    Home,
    ScriptedPlanner,
    command,
    lamp,
    request,
    running,
)
from .test_story import ASK, event, task, turn

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def reader(home: Home, language: str = "en") -> Reader:
    def name(device_id: str) -> str:
        device = home.house.device(device_id)
        return device.name if device else device_id

    return Reader(language=language, now=NOW, name=name)


async def told(home: Home, result: Result, language: str = "en") -> list[str]:
    chain = await home.hub.chronicle.explain(intent=result.intent)
    text = account(
        chain["events"],
        reader(home, language),
        boot=home.hub.node.boot,
        result=result,
    )
    return text.splitlines()


async def test_what_was_asked_and_what_came_of_it(tmp_path: Path) -> None:
    house = SimulatedHouse()
    plan = command(turn("on", lamp(house, "desk"), lamp(house, "hall")))
    async with running(tmp_path, house, ScriptedPlanner({"light": plan})) as home:
        result = await home.hub.wishes.ask(request("light"))
        assert sorted(await told(home, result)) == [
            *("Jeeves: Desk is now on.", "Jeeves: Hall is now on."),
            *("Rupert → Jeeves: Desk: on", "Rupert → Jeeves: Hall: on"),
        ]


async def test_what_is_not_done_yet_is_told_as_asked_for(tmp_path: Path) -> None:
    house = SimulatedHouse()
    plan = command(turn("on", lamp(house, "desk")))
    async with running(tmp_path, house, ScriptedPlanner({"light": plan})) as home:
        result = await home.hub.wishes.ask(request("light"))
        chain = (await home.hub.chronicle.explain(intent=result.intent))["events"]
        begun = [e for e in chain if e["type"] in ("intent", "task", "proposal")]
        text = account(begun, reader(home), boot=home.hub.node.boot)
        assert text == "Rupert → Jeeves: Desk: on"


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Rupert: Desk was left alone: a request by Anna"),
        ("de", "Rupert: Desk bleibt unangetastet: ein Auftrag von Anna"),
    ],
)
async def test_a_conflict_names_who_and_what(
    tmp_path: Path, language: str, sentence: str
) -> None:
    """The routine's wish is refused, with the event that made the hold."""
    house = SimulatedHouse()
    desk = lamp(house, "desk")
    planner = ScriptedPlanner(
        {"light": command(turn("on", desk)), "wind down": command(turn("off", desk))}
    )
    async with running(tmp_path, house, planner) as home:
        await home.hub.wishes.ask(request("light"))
        (hold,) = home.hub.status.holds
        wind_down = request("wind down", ROUTINE, origin=Origin.SCHEDULE)
        lines = await told(home, await home.hub.wishes.ask(wind_down), language)
        assert lines[1].startswith(sentence)
        assert hold.id.rpartition("-")[0] in lines[2]


def test_a_refusal_of_the_gate_names_lease_and_commit() -> None:
    evidence = {
        "text": "the lease was revoked",
        "code": "revoked",
        "lease": "hub.1.5",
        "event": "hub.1.6",
        "commit": "0123456789abcdef",
    }
    refusal = event(
        "hub.1.7",
        "refusal",
        sender="jeeves",
        task="hub.1.2",
        body={"reason": "revoked", "evidence": [evidence]},
    )
    chain = [ASK, task("hub.1.2") | {"sender": "rupert"}, refusal]
    teller = Reader(language="en", now=NOW, name=str.capitalize)
    assert account(chain, teller, boot=1).splitlines() == [
        "Rupert → Jeeves: Desk: on",
        "Jeeves: Desk was left alone: the lease was revoked.",
        "   lease hub.1.5 · event hub.1.6 · commit 0123456789",
    ]


async def test_a_question_shows_the_state_that_is_agreed_to(tmp_path: Path) -> None:
    house = SimulatedHouse()
    door = Device(id="id_door", entity_id="lock.door", name="Door", domain="lock")
    house.add(door, state="locked")
    unlock = command(Action(targets=(door.id,), operation="lock.unlock"))
    async with running(tmp_path, house, ScriptedPlanner({"unlock": unlock})) as home:
        asked = await home.hub.wishes.ask(request("unlock"))
        (open_question,) = home.hub.status.questions
        assert question(open_question, reader(home)).splitlines() == [
            "Anna wants: Door unlocked.",
            "Now it is locked.",
            "Answer until 12:02:00; without an answer nothing is done.",
        ]
        await home.hub.wishes.answer(
            open_question.id, principal=BEN, origin=Origin.APP, approve=True
        )
        assert (await told(home, asked))[-1] == "Approved by Ben."


async def test_what_is_alike_is_asked_once(tmp_path: Path) -> None:
    """Same wish, same request, same state; a list that nobody reads is split."""
    house = SimulatedHouse()
    doors = [
        Device(id=f"door{n:02}", entity_id=f"lock.d{n}", name=f"D{n}", domain="lock")
        for n in range(12)
    ]
    for number, door in enumerate(doors):
        house.add(door, state="jammed" if number == 3 else "locked")
    unlock = command(*(Action(targets=(d.id,), operation="lock.unlock") for d in doors))
    async with running(tmp_path, house, ScriptedPlanner({"unlock": unlock})) as home:
        await home.hub.wishes.ask(request("unlock"))
        open_questions = home.hub.status.questions
        put = together(open_questions, "en")
        assert [len(one.ids) for one in put] == [MOST_TOGETHER, 1, 1]
        assert {i for one in put for i in one.ids} == {q.id for q in open_questions}
        assert question(put[0], reader(home)).splitlines()[:2] == [
            "Anna wants: D0, D1, D2, D4, D5, D6, D7, D8, D9, D10 unlocked.",
            "Now it is locked.",
        ]
        yes: Answering = {"principal": BEN, "origin": Origin.APP, "approve": True}
        no: Answering = {"principal": BEN, "origin": Origin.APP, "approve": False}
        first, *others = put[0].ids
        await home.hub.wishes.answer(first, **no)
        result = await home.hub.wishes.answer_together(put[0].ids, **yes)
        assert result is not None
        assert [s.outcome for s in result.steps] == [Outcome.CHANGED] * len(others)
        assert house.read("door00").values["state"] == "locked"
        with pytest.raises(LookupError):
            await home.hub.wishes.answer_together(put[0].ids, **yes)


async def test_an_answer_has_no_tasks(tmp_path: Path) -> None:
    async with running(tmp_path, SimulatedHouse(), ScriptedPlanner({})) as home:
        result = await home.hub.wishes.ask(request("what?"))
        (line,) = await told(home, result)
        assert line.startswith("Nothing was touched: I did not understand")


async def test_it_fits_into_one_message(tmp_path: Path) -> None:
    house = SimulatedHouse()
    lamps = [lamp(house, f"lamp {'x' * 80} {number}") for number in range(25)]
    plan = command(turn("on", *lamps))
    async with running(tmp_path, house, ScriptedPlanner({"light": plan})) as home:
        lines = await told(home, await home.hub.wishes.ask(request("light")))
        assert len("\n".join(lines)) <= MOST
        assert lines[-1] == "…"
        assert all(line.startswith(("Rupert", "Jeeves")) for line in lines[:-1])


@pytest.mark.parametrize("language", TABLES)
def test_names_are_one_line(language: str) -> None:
    """A name is data: it cannot add a line that looks like an agent's."""
    teller = Reader(language=language, now=NOW, name=str)
    text = ending("approved", "Anna\nRupert: done", teller)
    assert "\n" not in text
