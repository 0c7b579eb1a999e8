"""An older wish never undoes what a newer one, no weaker, was granted."""

from collections.abc import Callable
from typing import Any

import pytest

from hearthnet.core.agents.turns import Turns
from hearthnet.core.assignment import Assignment
from hearthnet.core.holds import SourceClass
from hearthnet.core.intents import Origin
from hearthnet.core.leases import Lease
from hearthnet.core.tasks import Scope, Task

from .home import ANNA

AGENT, AUTOMATION = SourceClass.AGENT, SourceClass.AUTOMATION
PERSON = SourceClass.PERSON


def wish(number: int, source: SourceClass = PERSON) -> Assignment:
    scope = Scope(devices=frozenset(), operations=frozenset(), count=0)
    return Assignment(
        task=Task(
            id=f"hub.1.{number + 1}",
            intent=f"hub.1.{number}",
            manager="jeeves",
            goal="A wish.",
            scope=scope,
        ),
        device="lamp",
        operation="light.turn_on",
        principal=ANNA,
        origin=Origin.APP,
        source=source,
    )


@pytest.fixture
def lease() -> Callable[[int], Any]:
    """Only the id is kept."""

    def make(number: int) -> Any:
        found = object.__new__(Lease)
        object.__setattr__(found, "id", f"hub.1.{number + 2}")
        return found

    return make


def test_only_a_later_wish_that_is_no_weaker_counts(
    lease: Callable[[int], Any],
) -> None:
    turns = Turns()
    assert turns.later(["lamp"], wish(10)) is None
    turns.granted(["lamp", "fan"], lease(20), wish(20, AUTOMATION))
    assert turns.later(["lamp"], wish(10, AGENT)) is not None
    assert turns.later(["lamp"], wish(10, AUTOMATION)) is not None
    assert turns.later(["lamp"], wish(10)) is None
    assert turns.later(["lamp"], wish(30, AGENT)) is None
    assert turns.later(["blind"], wish(10, AGENT)) is None
    assert turns.later(["blind", "fan"], wish(10, AGENT)) is not None


def test_a_weaker_wish_in_between_hides_no_stronger_one(
    lease: Callable[[int], Any],
) -> None:
    """Anna, Ben, then a routine that agrees with Ben: Anna still comes too late."""
    turns = Turns()
    turns.granted(["lamp"], lease(20), wish(20))
    turns.granted(["lamp"], lease(30), wish(30, AUTOMATION))
    found = turns.later(["lamp"], wish(10))
    assert found is not None
    assert (found.intent, found.lease) == ("hub.1.20", "hub.1.22")
    found = turns.later(["lamp"], wish(10, AUTOMATION))
    assert found is not None
    assert found.intent == "hub.1.30"
