"""What is heard while a sentence is worked on, and follow-ups across its turns."""

import asyncio
from collections.abc import Callable, Iterator
import time
from typing import Any

from homeassistant.components.conversation import chat_log as chat_logs
from homeassistant.core import Context, HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.hearthnet import telling
from tests.support.messages_api import Reply, act, plan, shown

from .home import expose, lamp, place, set_up
from .model import CLAUDE, DATA, claude
from .setup import set_up_hearthnet
from .test_conversation import say, spoken

pytestmark = pytest.mark.usefixtures("socket_enabled")
LATENCY = 2.0
"""Seconds that a slow model takes to begin."""
SLOW = [{"delay": {"milliseconds": 400}}]


@pytest.fixture
def owner(hass_owner_user: MockUser) -> Context:
    return Context(user_id=hass_owner_user.id)


@pytest.fixture
async def home(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("hall"), lamp("bed", before=SLOW)])
    expose(hass, "light.hall", "light.bed")
    place(hass, "Hall", "light.hall")
    place(hass, "Bedroom", "light.bed")


@pytest.fixture
def deltas(hass: HomeAssistant) -> Iterator[list[dict[str, Any]]]:
    """What a pipeline would hear of the next sentence."""
    heard: list[dict[str, Any]] = []
    original = chat_logs.async_get_chat_log

    def listening(*args: Any, **given: Any) -> Any:
        given["chat_log_delta_listener"] = lambda _log, delta: heard.append(
            {**delta, "at": time.perf_counter()}
        )
        return original(*args, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "homeassistant.components.conversation.entity.async_get_chat_log",
            listening,
        )
        yield heard


def contents(deltas: list[dict[str, Any]]) -> list[str]:
    return [d["content"] for d in deltas if d.get("content")]


@pytest.mark.usefixtures("home")
async def test_what_is_quick_is_not_announced(
    hass: HomeAssistant, owner: Context, deltas: list[dict[str, Any]]
) -> None:
    await set_up_hearthnet(hass)
    result = await say(hass, "turn on the hall", owner)
    assert contents(deltas) == [spoken(result)] == ["Hall is now on."]


@pytest.mark.usefixtures("home")
async def test_a_slow_device_is_announced(
    hass: HomeAssistant,
    owner: Context,
    deltas: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Code knows the plan by then; the answer repeats nothing of it."""
    monkeypatch.setattr(telling, "ACKNOWLEDGE_AFTER", 0.1)
    await set_up_hearthnet(hass)
    result = await say(hass, "turn on the bed", owner)
    assert spoken(result) == "Bed is now on."
    assert contents(deltas) == ["Working on 1 device.", "Bed is now on."]
    # This makes a pipeline speak at once, however short the text is.
    assert [
        delta["tool_calls"][0].external for delta in deltas if "tool_calls" in delta
    ]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("en", "One moment.", " Working on 2 devices."),
        ("de", "Einen Moment.", " Ich kümmere mich um 2 Geräte."),
        ("zh-Hans", "请稍等。", " 正在处理2个设备。"),
    ],
)
async def test_a_model_is_waited_for(
    hass: HomeAssistant,
    owner: Context,
    deltas: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    language: str,
    first: str,
    second: str,
) -> None:
    """First that something is done, then on how many devices."""
    monkeypatch.setattr(telling, "ACKNOWLEDGE_AFTER", 0.1)
    both = plan(act("light1", "light.turn_on"), act("light2", "light.turn_on"))
    async with claude(monkeypatch, both, latency=0.3):
        await set_up_hearthnet(hass, DATA, **CLAUDE)
        result = await say(hass, "Fiat lux omnibus", owner, language=language)
    assert contents(deltas) == [first, second, spoken(result)]
    assert len(result.response.success_results) == 2


@pytest.mark.usefixtures("home")
async def test_the_first_words_do_not_wait_for_the_model(
    hass: HomeAssistant,
    owner: Context,
    deltas: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """With the silence that ships; `docs/bench.md` says how to read the times."""
    answered: list[float] = []

    def late(_body: dict[str, Any]) -> Reply:
        answered.append(time.perf_counter() + LATENCY)
        return plan(act("light1", "light.turn_on"))

    async with claude(monkeypatch, late, latency=LATENCY):
        await set_up_hearthnet(hass, DATA, **CLAUDE)
        began = time.perf_counter()
        result = await say(hass, "Fiat lux", owner)
        ended = time.perf_counter()
    first, *_ = (delta for delta in deltas if delta.get("content"))
    assert first["content"] == "One moment."
    assert first["at"] < answered[0]
    assert contents(deltas)[-1] == spoken(result)
    record_property("first acknowledgment", round(first["at"] - began, 3))
    record_property("model", LATENCY)
    record_property("answer", round(ended - began, 3))


@pytest.mark.usefixtures("home")
async def test_follow_up_with_turns(
    hass: HomeAssistant, owner: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model sees the turns before, also those that needed none."""
    monkeypatch.setattr(telling, "ACKNOWLEDGE_AFTER", 0.05)
    dimmed = plan(act("light1", "light.turn_on", brightness_pct="20"))
    async with claude(monkeypatch, dimmed, latency=0.2) as api:
        await set_up_hearthnet(hass, DATA, **CLAUDE)
        first = await say(hass, "turn on the bed", owner)
        again = {"conversation_id": first.conversation_id}
        second = await say(hass, "a little cosier in there please", owner, **again)
        await say(hass, "and that one as well, would you", owner, **again)
        turns = [shown(body)["situation"]["dialogue"] for body in api.requests]
    assert turns[0] == [["user", "turn on the bed"], ["assistant", "Bed is now on."]]
    assert turns[1][2:] == [
        ["user", "a little cosier in there please"],
        ["assistant", spoken(second)],
    ]


@pytest.mark.usefixtures("home")
async def test_a_pipeline_that_gives_up_ends_the_asking(
    hass: HomeAssistant, owner: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrived = asyncio.Event()

    def slow(_body: dict[str, Any]) -> Reply:
        arrived.set()
        return plan()

    async with claude(monkeypatch, slow, latency=30) as api:
        await set_up_hearthnet(hass, DATA, **CLAUDE)
        talking = hass.async_create_task(say(hass, "Fiat lux omnibus", owner))
        await arrived.wait()
        talking.cancel()
        await asyncio.wait([talking])
        await api.dropped.wait()
