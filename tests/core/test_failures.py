"""Where a task stands whose manager has not answered."""

import pytest

from hearthnet.core.agents.failures import Standing, lost, standing
from hearthnet.core.intents import Step
from hearthnet.core.reasons import Outcome, Reason


def step(outcome: Outcome, reason: Reason | None = None) -> Step:
    return Step(
        device="tv",
        entity_id="",
        name="TV",
        operation="light.turn_on",
        parameters={},
        outcome=outcome,
        reason=reason,
    )


@pytest.mark.parametrize(
    ("outcome", "reason", "stands"),
    [
        (Outcome.CHANGED, None, Standing.CONFIRMED),
        (Outcome.REFUSED, Reason.CONFLICT, Standing.CONFIRMED),
        # It was there until the end of the intent's time and got no lease.
        (Outcome.REFUSED, Reason.DEADLINE, Standing.CONFIRMED),
        # An adapter on this node has broken: there is a receipt that says so.
        (Outcome.UNKNOWN, None, Standing.CONFIRMED),
        (Outcome.REFUSED, Reason.MANAGER_OFFLINE, Standing.BLOCKED),
        (Outcome.UNKNOWN, Reason.MANAGER_OFFLINE, Standing.IN_FLIGHT),
        # It is there and says nothing of the lease that it got.
        (Outcome.UNKNOWN, Reason.DEADLINE, Standing.IN_FLIGHT),
    ],
)
def test_classes(outcome: Outcome, reason: Reason | None, stands: Standing) -> None:
    steps = (step(Outcome.CHANGED), step(outcome, reason))
    assert standing(steps, absolute=True) is stands
    once = Standing.REVIEW if stands is Standing.IN_FLIGHT else stands
    assert standing(steps, absolute=False) is once


def test_a_receipt_of_a_manager_that_died_tells_only_what_is_known() -> None:
    found = lost((step(Outcome.CHANGED), step(Outcome.UNKNOWN)))
    assert [s.reason for s in found] == [None, Reason.MANAGER_OFFLINE]
