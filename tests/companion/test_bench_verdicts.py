"""The verdicts' bench: repeatable, adversarial, and able to fail."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hearthnet.bench.verdicts.arena import Played, play
from hearthnet.bench.verdicts.generator import Setting, moves, setting
from hearthnet.bench.verdicts.moves import HOWS, Misuse, Wish
from hearthnet.core.gate import Gate
from hearthnet.core.intents import Evidence
from hearthnet.core.reasons import Reason

WISHES = 250


@pytest.fixture(scope="module")
def home() -> Setting:
    """A small home, so that everybody is in everybody's way."""
    return setting(5, agents=5, devices=60)


def played(home: Setting, folder: Path, gate: type[Gate] = Gate) -> Played:
    return play(home, moves(home, 5, WISHES), folder, 5, gate)


def test_the_seed_tells_everything(home: Setting) -> None:
    again = setting(5, agents=5, devices=60)
    assert again == home
    assert list(moves(again, 5, WISHES)) == list(moves(home, 5, WISHES))
    assert list(moves(home, 6, WISHES)) != list(moves(home, 5, WISHES))


def test_the_moves_are_in_order_and_of_every_kind() -> None:
    large = setting(1, agents=16, devices=200)
    found = list(moves(large, 1, 3000))
    assert [m.at for m in found] == sorted(m.at for m in found)
    wishes = [m for m in found if isinstance(m, Wish)]
    assert [w.number for w in sorted(wishes, key=lambda w: w.number)] == [*range(3000)]
    kinds = Counter(type(m).__name__ for m in found)
    assert set(kinds) == {
        *("Wish", "Misuse", "Change", "Away", "Fault", "Edit"),
        *("Reboot", "Revoke", "Release"),
    }
    assert {m.how for m in found if isinstance(m, Misuse)} == set(HOWS)
    groups = {one for one, thing in large.things.items() if thing.members}
    names = {one for one, thing in large.things.items() if thing.key != one}
    assert {w.device for w in wishes} & groups
    assert {w.device for w in wishes} & names
    # The same device, within the time that one of them takes.
    ordered = sorted(wishes, key=lambda w: w.at)
    races = sum(a.device == b.device and b.at - a.at < 3 for a, b in pairwise(ordered))
    assert races > 30


def test_nothing_is_judged_wrongly(home: Setting, tmp_path: Path) -> None:
    found = played(home, tmp_path)
    tally = found.tally
    assert tally.wrong == []
    assert (tally.wrong_refusals, tally.wrong_acceptances) == (0, 0)
    assert tally.other_reasons == 0
    assert tally.conflicts_found == tally.conflicts > 10
    assert found.unseen == []
    assert found.faults == []
    assert tally.decisions >= WISHES * 0.9
    assert tally.acted > 20
    assert tally.naive_refusals > tally.executed / 4
    assert set(tally.reasons) > {
        *(Reason.CONFLICT, Reason.STALE_STATE, Reason.SUPERSEDED),
        *(Reason.EXPIRED, Reason.REVOKED, Reason.OUT_OF_SCOPE),
    }


class Careless(Gate):
    """A gate that does not ask whether a lease is fresh."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._book._fresh = lambda *_: None  # type: ignore[method-assign]


class Timid(Gate):
    """A gate that takes any event at all for a change."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        node = options["node"]
        fresh = self._book._fresh

        def timid(entry: Any, found: list[Evidence]) -> None:
            fresh(entry, found)
            if node.position > (node.boot, 40):
                found.append(Evidence(code=Reason.STALE_STATE, text="who knows"))

        self._book._fresh = timid  # type: ignore[method-assign]


class Generous(Gate):
    """A gate that lets a lease be used for ever."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._book._standing = lambda *_: None  # type: ignore[method-assign]


@pytest.mark.parametrize("gate", [Careless, Generous])
def test_a_gate_that_lets_too_much_through_is_found(
    home: Setting, tmp_path: Path, gate: type[Gate]
) -> None:
    assert played(home, tmp_path, gate).tally.wrong_acceptances > 0


def test_a_gate_that_refuses_too_much_is_found(home: Setting, tmp_path: Path) -> None:
    assert played(home, tmp_path, Timid).tally.wrong_refusals > 0
