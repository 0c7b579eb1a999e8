"""The card knows the core's names, fits its budget, and writes no markup from data."""

from enum import StrEnum
import gzip
from pathlib import Path
import re

import pytest

from custom_components.hearthnet.card import FILE, FOLDER
from custom_components.hearthnet.core.domains import OPERATIONS
from custom_components.hearthnet.core.messages import MessageType
from custom_components.hearthnet.core.reasons import Outcome, Reason
from custom_components.hearthnet.core.status import Cause

SOURCES = Path(__file__).parents[2] / "frontend/src"
BUDGET = 25_000


def constants(file: str, name: str) -> set[str]:
    """Return the texts of a constant list."""
    found = re.search(
        rf"const {name} = \[(.*?)\] as const", (SOURCES / file).read_text(), re.DOTALL
    )
    assert found
    return set(re.findall(r'"(\w+)"', found[1]))


def keys(name: str) -> set[str]:
    """Return the keys of a table of English texts."""
    text = (SOURCES / "texts/en.ts").read_text()
    found = re.search(rf"\n  {name}: {{\n(.*?)\n  }},", text, re.DOTALL)
    assert found
    return set(re.findall(r"^    (\w+):", found[1], re.MULTILINE))


@pytest.mark.parametrize(
    ("name", "names", "apart"),
    [
        ("OUTCOMES", Outcome, {Outcome.PLANNED}),  # a dry run is not recorded
        ("CAUSES", Cause, {Cause.RECONNECT, Cause.OWN}),  # nobody did anything
        (
            "MESSAGE_TYPES",
            MessageType,
            {
                *(MessageType.RECOVERY, MessageType.POLICY, MessageType.ALERT),
                *(MessageType.HELLO, MessageType.HEARTBEAT),
            },
        ),
    ],
)
def test_names_are_the_cores(
    name: str, names: type[StrEnum], apart: set[StrEnum]
) -> None:
    assert constants("types.ts", name) == set(names) - apart


def test_refusals_that_have_a_label_exist() -> None:
    assert keys("refusals") <= set(Reason)


def test_suggestions_are_for_what_can_be_moved() -> None:
    domains = {operation.domain for operation in OPERATIONS.values()}
    assert domains.isdisjoint(constants("config.ts", "REPORTING"))


def test_it_is_small() -> None:
    """Together with the largest of the languages, of which a page loads one."""
    sizes = {
        path.name: len(gzip.compress(path.read_bytes(), 9)) for path in FOLDER.iterdir()
    }
    assert sizes.pop(FILE) + max(sizes.values()) < BUDGET


def test_no_markup_is_made_of_data() -> None:
    for path in SOURCES.rglob("*.ts"):
        for danger in ("innerHTML", "unsafeHTML", "unsafeSVG", "insertAdjacentHTML"):
            assert danger not in path.read_text(), path
