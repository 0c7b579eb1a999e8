"""A plan that worked, saved: what is in it, and that it loads whatever was said."""

from typing import Any

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.planner.phrases import normalize
from hearthnet.core.planner.playbook_file import PlaybookError, load
from hearthnet.core.planner.playbook_save import Saved, playbook_of, saved_steps
from tests.core.homes import TestHouse, device

HOUSE = TestHouse({d.id: d for d in (device("desk", "light"), device("left", "light"))})
DIM = {"brightness_pct": 20}


def event(kind: str, task: str | None = None, **more: Any) -> dict[str, Any]:
    body = more.pop("body", None)
    message = {} if body is None else {"body": body}
    return {"type": kind, "task": task, "outcome": None, "message": message} | more


def proposal(task: str, device_id: str) -> dict[str, Any]:
    body = {"device": device_id, "operation": "light.turn_on", "parameters": DIM}
    return event("proposal", task, body=body)


INTENT = event("intent", body={"text": "Make it cozy", "language": "en-GB"})


def test_what_was_read_back_is_saved() -> None:
    """The second proposal of a task counts, and what failed is named."""
    saved = saved_steps(
        [
            INTENT,
            event("task", "t1", body={}),
            proposal("t1", "desk"),
            proposal("t1", "desk"),
            proposal("t2", "left"),
            proposal("t3", "gone"),
            event("execute", "t1"),
            event("receipt", "t1", outcome="changed"),
            event("receipt", "t2", outcome="failed"),
            event("receipt", "t3", outcome="changed"),
        ],
        HOUSE,
    )
    desk = HOUSE.device("desk")
    left = HOUSE.device("left")
    assert desk is not None
    assert left is not None
    assert saved.steps == (("light.turn_on", DIM, (desk.entity_id,)),)
    assert saved.left_out == (left.name, "gone")


def test_no_intent() -> None:
    with pytest.raises(LookupError):
        saved_steps([event("receipt", "t1", outcome="changed")], HOUSE)


@settings(max_examples=200)
@given(name=st.text(min_size=1), said=st.text(min_size=1))
def test_whatever_was_said_it_loads_or_is_refused(name: str, said: str) -> None:
    """No text breaks out of its place, and what loads answers to what was said."""
    step = ("light.turn_on", DIM, ("light.desk",))
    saved = Saved(text=said, language="en", steps=(step,), left_out=())
    try:
        text = playbook_of(saved, name=name, sentence=None, origin="hub.1.2")
    except PlaybookError:
        return
    playbook = load("saved", text)
    assert playbook.name == {"en": name}
    (loaded,) = playbook.steps
    assert loaded.operation == "light.turn_on"
    assert loaded.parameters == DIM
    (phrase,) = playbook.sentences["en"]
    assert phrase.match(normalize(said)) is not None
