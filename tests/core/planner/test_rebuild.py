"""A prompt is built again from Git: the record proves what a model was asked."""

from pathlib import Path
from typing import Any, cast

from hearthnet.core.devices import Device
from hearthnet.core.intents import Origin, Request
from hearthnet.core.librarian.reader import Reader
from hearthnet.core.librarian.record import Event
from hearthnet.core.messages import EventId, Message, MessageType
from hearthnet.core.paths import device_path
from hearthnet.core.planner.prompt import build_prompt
from hearthnet.core.policy.load import load
from hearthnet.core.state import POLICY_PATH
from hearthnet.core.status import Cause
from hearthnet.simulation import SimulatedHouse
from tests.core.home import ANNA, Home, request, running
from tests.core.records import git, library

from .houses import act, alias, answer, planner, situation, small_house

ASKED = (
    request("Make it a bit homely", language="en", area="Hall"),
    request("Mach es dort heller", language="de", turns=(("user", "Flurlicht an"),)),
    request("再亮一点", language="zh-cn", area="Kitchen"),
)


def digests(home: Home) -> list[str]:
    """Return the digest of each prompt, as the ends of the intents tell it."""
    ends: list[Any] = [m.body.get("model") for m in home.of(MessageType.RESOLUTION)]
    return [model["prompt"] for model in ends if model]


def put_into_git(home: Home, folder: Path) -> None:
    """Record the whole journal, as the librarian does."""
    events = []
    for entry in home.hub.node.journal.history():
        event = EventId(home.hub.node.name, *entry.position)
        message = Message.decode(entry.data)
        events.append(Event(event, entry.data, entry.signature, message))
    with library(folder) as opened:
        opened.write(events)


def rebuilt(repository: Path, commit: str, devices: list[Device]) -> str:
    """Return the digest of the prompt of an intent, from its commit.

    Of the house only its list of devices is taken, which Home Assistant keeps.
    """
    reader = Reader(repository)
    message = reader.event(commit).message
    assert message is not None
    house = SimulatedHouse()
    for known in reversed(devices):
        kept = cast("dict[str, Any]", reader.value(device_path(known.id), commit))
        house.add(known, **kept["values"])
    body: dict[str, Any] = dict(message.body)
    asked = Request(
        text=body["text"],
        principal=ANNA,
        origin=Origin(body["origin"]),
        language=body["language"],
        area=body["area"],
        turns=tuple((who, said) for who, said in body["turns"]),
    )
    policy = load(str(reader.value(POLICY_PATH, commit)))
    return build_prompt(asked, situation(house, now=message.at, policy=policy)).digest


async def test_the_same_bytes_from_git(tmp_path: Path) -> None:
    """Each intent's digest, from a repository that was cloned a day later."""
    house = small_house()
    lamp = alias(house, "light.desk")
    dim = act(lamp, "light.turn_on", brightness_pct=33)
    asked = cast("Any", planner(answer(dim), answer()))
    home_folder = tmp_path / "home"
    home_folder.mkdir()
    async with running(home_folder, house, asked) as home:
        for known in house.devices():
            values = house.values[known.id]
            home.hub.observe(known.id, values, cause=Cause.RECONNECT)
        for wish in ASKED:
            await home.hub.wishes.ask(wish)
        told = digests(home)
        await home.hub.node.sync()
        put_into_git(home, tmp_path / "repository.git")
    assert len(set(told)) == len(ASKED)

    clone = tmp_path / "clone.git"
    git(tmp_path, "clone", "--quiet", "--mirror", "repository.git", str(clone))
    kinds = "--format=%H %(trailers:key=Type,valueonly,separator=)"
    log = [line.split() for line in git(clone, "log", "--reverse", kinds).splitlines()]
    commits = [commit for commit, *kind in log if kind == ["intent"]]
    devices = list(house.devices())
    again = [rebuilt(clone, commit, devices) for commit in commits]
    assert again == told


async def test_another_state_is_another_prompt(tmp_path: Path) -> None:
    """The digest does not come out the same by having nothing of the record in it."""
    house = small_house()
    async with running(tmp_path, house, cast("Any", planner(answer()))) as home:
        await home.hub.wishes.ask(ASKED[0])
        house.change("id_light_hall", state="on", brightness_pct=7)
        await home.hub.wishes.ask(ASKED[0])
        first, second = digests(home)
    assert first != second
