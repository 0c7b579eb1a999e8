"""Stage 3: each thing that can speak against a proposal does so by itself."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hearthnet.core.agents import verifier
from hearthnet.core.devices import Device
from hearthnet.core.holds import Hold, SourceClass
from hearthnet.core.intents import Origin
from hearthnet.core.policy.model import Evidence as Certainty
from hearthnet.core.reasons import Reason
from hearthnet.core.tasks import Scope
from hearthnet.core.verify import Case, Readiness, certainty, verify
from hearthnet.core.view import Stale
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, BEN, ROUTINE, running

DOOR = Device(
    id="id_door", entity_id="lock.door", name="Door", domain="lock", area="Hall"
)


@pytest.fixture
async def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """What Rupert knows when Anna wants the door unlocked, and has agreed to it."""
    cases: list[Case] = []

    def keep(one: Case, commit_of: Any) -> Any:
        cases.append(one)
        return verify(one, commit_of)

    monkeypatch.setattr(verifier, "verify", keep)
    house = SimulatedHouse()
    house.add(DOOR, state="locked")
    async with running(tmp_path, house) as home:
        await home.hub.wishes.propose(
            principal=ANNA,
            origin=Origin.APP,
            targets=(DOOR.id,),
            operation="lock.unlock",
            parameters={},
            reason="a test",
        )
    return replace(cases[-1], approved=True)


def reasons(case: Case) -> list[Reason]:
    return [
        item.code for item in verify(case, lambda _event: None).evidence if item.code
    ]


def hold(case: Case) -> Hold:
    return Hold(
        id="hub.1.3",
        device=DOOR.key,
        attribute="state",
        value="locked",
        source=SourceClass.SAFETY,
        principal=BEN,
        since=case.now,
        ends_at=case.now + timedelta(hours=1),
    )


def test_nothing_speaks_against_it(case: Case) -> None:
    assert reasons(case) == []


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"stopping": True}, Reason.STOPPING),
        ({"alone": False}, Reason.FENCED),
        ({"open": False}, Reason.STARTING),
        ({"enabled": False}, Reason.ACTUATION_DISABLED),
        ({"journal": False}, Reason.JOURNAL_UNWRITABLE),
        ({"recorded": False}, Reason.UNRECORDED),
    ],
)
def test_a_hub_that_is_not_ready(
    case: Case, fields: dict[str, bool], reason: Reason
) -> None:
    assert reasons(replace(case, readiness=Readiness(**fields))) == [reason]


def test_a_clock_that_is_behind_the_record(case: Case) -> None:
    unready = replace(case, readiness=Readiness(clock=False))
    assert reasons(unready)[0] is Reason.CLOCK_BEHIND


def test_each_thing_alone(case: Case) -> None:
    elsewhere = Scope(devices=frozenset(), operations=frozenset(), count=1)
    task = replace(case.assignment.task, scope=elsewhere)
    person = replace(ANNA, role="guest")
    for fields, reason in (
        ({"late": True}, Reason.DEADLINE),
        ({"assignment": replace(case.assignment, task=task)}, Reason.OUT_OF_SCOPE),
        ({"forbidden": ["Door"]}, Reason.NOT_PERMITTED),
        ({"unknown": {"Door": "hub.1.2"}}, Reason.UNVERIFIABLE_STATE),
        ({"stale": [Stale("holds/a.json", None, "hub.1.2")]}, Reason.STALE_STATE),
        ({"stale": [Stale("policy.yaml", None, "hub.1.2")]}, Reason.STALE_POLICY),
        (
            {"assignment": replace(case.assignment, principal=person)},
            Reason.POLICY_DENIED,
        ),
        ({"holds": [hold(case)]}, Reason.CONFLICT),
        ({"approved": False}, Reason.CONFIRMATION_REQUIRED),
    ):
        assert reasons(replace(case, **fields)) == [reason]


def test_who_asks_is_known_from_the_transport_alone() -> None:
    voice = replace(ANNA, role="unknown")
    assert certainty(Origin.APP, ANNA) is Certainty.STRONG
    assert certainty(Origin.AGENT, ANNA) is Certainty.LOW
    assert certainty(Origin.VOICE, voice) is Certainty.LOW
    assert certainty(Origin.AUTOMATION, ROUTINE) is Certainty.MAPPED
