"""A scripted day with a model: what each sentence did is read from the devices.

A real Home Assistant, the config flow with its tested key, the anthropic SDK and a
server that speaks the Messages API. After every sentence all devices of the home
are compared, so that nothing moves unasked, and a model that claims is not believed.
"""

from collections.abc import Iterator, Mapping
import statistics
from typing import Any

import pytest

from script.lib.demo.house import LAMPS, PLAYERS
from script.lib.demo.stage import Stage, stage
from tests.support.messages_api import KEY, MODEL, Body, MessagesApi, Reply, plan, shown
from tests.support.process import wait_until
from tests.support.provider import provider

from .day import DAY, Turn

BY_TEXT = {turn.text: turn for turn in DAY}
CLAIMS = (
    *("done", "turned on", "erledigt", "alles ist an", "fait", "tout est", "hecho"),
    *("encendido todo",),
)
LATENCY = 0.05


def planned(body: Body) -> Reply:
    """Answer as the day says, with the short names of the request."""
    data = shown(body)
    rows = data["catalogue"].get("devices") or data["situation"]["candidates"]
    aliases = {name: alias for alias, name, *_ in rows}
    if (turn := BY_TEXT.get(data["situation"]["request"])) is None:
        return plan(kind="unclear", say="What do you mean?")
    actions = [row | {"device": aliases[row["device"]]} for row in turn.model]
    return plan(*actions, kind=turn.kind, say=turn.claim)


UNSETTLED = (AssertionError, TimeoutError, RuntimeError)
"""What waiting for something that does not come about raises."""


def looks(home: Stage) -> dict[str, str | int | None]:
    """Return how every device of the home is now."""
    entities = {state["entity_id"]: state for state in home.socket.call("get_states")}
    seen: dict[str, str | int | None] = {}
    for lamp in LAMPS:
        state = entities[home.entities[lamp.id]]
        level = state["attributes"].get("brightness")
        lit = state["state"] == "on" and level is not None
        seen[lamp.id] = round(level / 255 * 100) if lit else state["state"]
    for id_, *_ in PLAYERS:
        state = entities[home.entities[id_]]
        playing = state["state"] != "off"
        level = state["attributes"].get("volume_level")
        seen[id_] = round(level * 100) if playing and level is not None else "off"
    return seen


def expected(
    before: Mapping[str, str | int | None], turn: Turn, levels: dict[str, int]
) -> dict[str, str | int | None]:
    """Return how every device has to be after a sentence."""
    after = dict(before)
    for name, value in turn.then.items():
        # A lamp comes on as bright as it last was.
        after[name] = levels.get(name, 100) if value == "on" else value
        if isinstance(after[name], int):
            levels[name] = int(after[name] or 0)
    return after


@pytest.fixture(scope="module")
def model() -> Iterator[MessagesApi]:
    with provider(planned, latency=LATENCY) as api:
        yield api


@pytest.fixture(scope="module")
def home(
    tmp_path_factory: pytest.TempPathFactory, model: MessagesApi
) -> Iterator[Stage]:
    """The demo's home with Claude, chosen through the config flow."""
    with stage(
        tmp_path_factory.mktemp("day"),
        lambda _text: None,
        choices={"planner": "anthropic", "api_key": KEY, "model": MODEL},
        env={"ANTHROPIC_BASE_URL": model.url},
    ) as running:
        yield running


def test_a_day(home: Stage, model: MessagesApi, record_property: Any) -> None:
    assert len(DAY) >= 60
    wrong: list[str] = []
    levels: dict[str, int] = {}
    conversation = None
    local: list[float] = []
    for turn in DAY:
        before, asked = looks(home), len(model.requests)
        answer = home.tell(
            turn.text,
            conversation if turn.follows else None,
            language=turn.language,
        )
        conversation = answer["conversation_id"]
        speech = answer["response"]["speech"]["plain"]["speech"]
        want = expected(before, turn, levels)
        now: dict[str, Any] = {}

        def settled(want: Any = want, now: dict[str, Any] = now) -> bool:
            now.update(looks(home))
            return bool(now == want)

        try:
            wait_until(settled, 2, lambda: "")
        except UNSETTLED:
            other = {k: (want[k], now[k]) for k in want if want[k] != now[k]}
            wrong.append(f"{turn.text} -> {speech}: wanted, is: {other}")
        if turn.says.casefold() not in speech.casefold():
            wrong.append(f"{turn.text} -> {speech}: no {turn.says!r}")
        if turn.claim and any(word in speech.casefold() for word in CLAIMS):
            wrong.append(f"{turn.text} -> {speech}: a claim came through")
        told = {one["id"] for one in answer["response"]["data"].get("success", ())}
        if not turn.then and turn.says != "already" and told:
            wrong.append(f"{turn.text} -> {speech}: success without a change: {told}")
        if len(model.requests) == asked:
            local.append(home.latencies[-1])
    # `script/test e2e --junit-xml` keeps them.
    record_property("sentences", len(DAY))
    record_property("without a model", len(local))
    record_property("model calls", len(model.requests))
    record_property("median without a model", round(statistics.median(local), 3))
    assert wrong == [], "\n".join(wrong)
    # C19: who is asked all day long agrees without looking.
    asked_back = home.events(type="confirmation_request", limit=200)
    assert len(asked_back) == 1
