"""The timeline over a hub of the test's own: what pages and looks do at the edges."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.hearthnet.core.reasons import Outcome
from custom_components.hearthnet.core.status import HubStatus
from custom_components.hearthnet.core.story import Line
from custom_components.hearthnet.timeline import CHUNK, MOST_CHUNKS, Timeline

ANNA = {"kind": "user", "id": "anna", "name": "Anna", "role": "owner"}
ORDER = {
    "device": "desk",
    "targets": ["desk"],
    "operation": "light.turn_on",
    "parameters": {},
}


@dataclass
class FakeHub:
    """A hub that has recorded some events."""

    events: list[dict[str, Any]] = field(default_factory=list)
    """Oldest first."""
    asked: int = 0
    status: HubStatus = field(
        default_factory=lambda: HubStatus(boot=1, open=True, enabled=True)
    )

    @property
    def chronicle(self) -> FakeHub:
        return self

    async def timeline(
        self, *, limit: int, before: str | None, messages: bool = False, **_: str | None
    ) -> dict[str, Any]:
        self.asked += 1
        ids = [event["id"] for event in self.events]
        end = ids.index(before) if before else len(ids)
        return {"events": self.events[:end][::-1][:limit], "complete": True}

    async def explain(self, **subject: str | None) -> dict[str, Any]:
        wanted = next(e for e in self.events if e["id"] == subject["event"])
        chain = [e for e in self.events if e["intent"] == wanted["intent"]]
        return {"events": chain, "complete": True}

    def record(self, type_: str, **fields: Any) -> dict[str, Any]:
        """Record an event."""
        number = len(self.events) + 1
        body = fields.pop("body", {})
        event = {
            "id": f"hub.1.{number}",
            "type": type_,
            "at": f"2026-11-30T12:00:00.{number % 1000:03}Z",
            "recipient": "jeeves",
            "devices": [],
            **dict.fromkeys(("cause", "intent", "task", "lease", "commit")),
            **fields,
            "message": {"body": body},
        }
        if type_ == "intent":
            event["intent"] = event["id"]
        if type_ == "task":
            event["task"] = event["id"]
        self.events.append(event)
        return event

    def act(self, **order: Any) -> dict[str, Any]:
        """Record an intent with a task; return the task."""
        asked = {"text": "light", "principal": ANNA, "origin": "app"}
        intent = self.record("intent", body=asked)["id"]
        return self.record("task", cause=intent, intent=intent, body={**ORDER, **order})

    def finish(self, task: dict[str, Any], outcome: str = "changed") -> None:
        """Record the receipt of a task and the end of its intent."""
        body = {"outcome": outcome, "members": {"desk": outcome}, "values": {}}
        of = {"intent": task["intent"], "task": task["id"]}
        self.record("receipt", **of, body=body)
        self.record("resolution", intent=task["intent"], cause=task["intent"])


@pytest.fixture
def hub() -> FakeHub:
    return FakeHub()


@pytest.fixture
def timeline(hass: HomeAssistant, hub: FakeHub) -> Timeline:
    return Timeline(hass, hub)


class Told:
    """What a listener was told."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.gone: set[str] = set()

    def __call__(self, lines: Collection[Line], gone: Collection[str]) -> None:
        self.lines, self.gone = list(lines), set(gone)


async def look(hass: HomeAssistant, timeline: Timeline) -> None:
    timeline.async_changed()
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=1))
    await hass.async_block_till_done()


async def test_a_chain_of_another_shape_hides_no_other(
    hub: FakeHub, timeline: Timeline
) -> None:
    hub.finish(hub.act())
    strange = hub.act(device=None, targets=None, operation=7)
    hub.record("receipt", task=strange["id"], intent=strange["intent"], body={"x": 1})
    page = await timeline.page(limit=10)
    assert [line.device for line in page.lines] == ["desk"]


async def test_a_rare_thing_is_looked_for_in_steps(
    hub: FakeHub, timeline: Timeline
) -> None:
    hub.finish(hub.act())
    for _ in range(CHUNK * MOST_CHUNKS):
        hub.record("alert")
    first = await timeline.page(limit=10)
    assert first.lines == ()
    assert hub.asked == MOST_CHUNKS
    second = await timeline.page(limit=10, cursor=first.cursor)
    assert len(second.lines) == 1
    assert second.cursor is None


async def test_only_what_is_new_is_told_again(
    hass: HomeAssistant, hub: FakeHub, timeline: Timeline
) -> None:
    hub.finish(hub.act())
    end = timeline.async_listen(told := Told())
    await timeline.async_learn()
    await look(hass, timeline)
    assert told.lines == []

    task = hub.act()
    await look(hass, timeline)
    assert told.lines == []
    hub.finish(task)
    await look(hass, timeline)
    assert [line.id for line in told.lines] == [task["id"]]
    await look(hass, timeline)
    assert told.lines == []

    receipt = next(e for e in hub.events[::-1] if e["type"] == "receipt")
    receipt["commit"] = "c" * 40
    await look(hass, timeline)
    assert [line.commit for line in told.lines] == ["c" * 40]
    end()
    asked = hub.asked
    await look(hass, timeline)
    assert hub.asked == asked


async def test_a_line_that_went_on_in_another_is_gone(
    hass: HomeAssistant, hub: FakeHub, timeline: Timeline
) -> None:
    task = hub.act()
    of = {"intent": task["intent"], "task": task["id"]}
    question = hub.record("confirmation_request", **of)
    timeline.async_listen(told := Told())
    await timeline.async_learn()
    hub.record("confirmation", **of, cause=question["id"], body={"answer": "approved"})
    await look(hass, timeline)
    assert (told.lines, told.gone) == ([], {question["id"]})

    again = hub.act()
    hub.events[-2]["cause"] = question["id"]
    hub.finish(again)
    await look(hass, timeline)
    assert [(line.id, line.outcome) for line in told.lines] == [
        (question["id"], Outcome.CHANGED)
    ]
    assert told.gone == set()


async def test_a_close_tells_who_listens(
    hass: HomeAssistant, timeline: Timeline
) -> None:
    ended: list[str] = []
    timeline.async_listen(Told())
    timeline.async_on_close(lambda: ended.append("one"))
    timeline.async_on_close(lambda: ended.append("two"))()
    timeline.async_changed()
    timeline.async_close()
    assert ended == ["one"]
    await look(hass, timeline)
