"""Caps on calls, tokens and seconds, per intent and per day."""

from datetime import timedelta
from typing import Any

import pytest

from hearthnet.core.planner.budget import PER_DAY, PER_INTENT, Amount, Budget
from hearthnet.core.planner.errors import PlannerError
from hearthnet.core.reasons import Reason

from .houses import NOW

TOMORROW = NOW + timedelta(days=1)


@pytest.mark.parametrize(
    ("used", "what"),
    [
        (Amount(calls=PER_INTENT.calls), "calls per intent"),
        (Amount(tokens=PER_INTENT.tokens), "tokens per intent"),
        (Amount(seconds=PER_INTENT.seconds), "seconds per intent"),
    ],
)
def test_cap_of_an_intent(used: Amount, what: str) -> None:
    with pytest.raises(PlannerError, match=what) as error:
        Budget().check(used, NOW)
    assert error.value.reason is Reason.BUDGET_SPENT


@pytest.mark.parametrize("name", ["calls", "tokens", "seconds"])
def test_cap_of_a_day_ends_with_the_day(name: str) -> None:
    budget = Budget()
    budget.charge(Amount(**{name: getattr(PER_DAY, name)}), NOW)
    with pytest.raises(PlannerError, match=f"{name} per day"):
        budget.check(Amount(), NOW)
    budget.check(Amount(), TOMORROW)
    assert budget.today(TOMORROW) == Amount()


def test_below_the_caps() -> None:
    budget = Budget()
    budget.charge(Amount(calls=1, tokens=100, seconds=2.0), NOW)
    budget.check(Amount(calls=1), NOW)
    assert budget.seconds_left(Amount(seconds=30), NOW) == PER_INTENT.seconds - 30
    assert budget.seconds_left(Amount(seconds=90), NOW) == 0


def test_a_restart_is_no_way_around() -> None:
    before, after = Budget(), Budget()
    before.charge(Amount(calls=3, tokens=5, seconds=1.5), NOW)
    after.restore(before.as_dict())
    assert (
        after.today(NOW) == before.today(NOW) == Amount(calls=3, tokens=5, seconds=1.5)
    )


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"day": "yesterday", "spent": {}},
        {"day": "2026-11-30", "spent": 4},
        {"day": "2026-11-30", "spent": {"calls": "x", "tokens": None, "seconds": -1}},
    ],
)
def test_a_broken_store_counts_as_nothing_spent(data: dict[str, Any]) -> None:
    budget = Budget()
    budget.restore(data)
    assert budget.today(NOW) == Amount()
