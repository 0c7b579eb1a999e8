"""What the core and the companion may import, construct and call."""

import subprocess
import sys

import pytest

from tests.support.source_code import (
    COMPANION,
    INTEGRATION,
    ROOT,
    called,
    imported,
    mentioned,
    modules,
    passed,
)

CORE = modules(INTEGRATION / "core")
ALL = CORE | {f"companion/{name}": tree for name, tree in modules(COMPANION).items()}
PHONE = [
    *("messages", "leases", "gate", "journal", "node", "view", "keys", "clock"),
    *("adapter", "recovery", "devices", "effects", "operations", "reasons", "bus"),
    *("companion", "pairing", "agents.manager"),
]
"""What a companion on a phone cannot do without."""
NOT_ON_A_PHONE = {
    *("homeassistant", "pygit2", "anthropic", "yaml", "orjson", "pydantic"),
    *("aiohttp", "nacl"),
}


def test_only_the_gate_makes_permits() -> None:
    assert [name for name, tree in ALL.items() if "Permit" in called(tree)] == [
        "gate.py"
    ]
    assert [name for name, tree in ALL.items() if "_SEAL" in mentioned(tree)] == [
        "adapter.py",
        "gate.py",
    ]


def test_only_the_gate_makes_adapters_act() -> None:
    assert [name for name, tree in ALL.items() if "act" in called(tree)] == ["gate.py"]


def test_only_the_gate_records_an_execute() -> None:
    assert [name for name, tree in ALL.items() if "EXECUTE" in passed(tree)] == [
        "announce.py"
    ]
    assert [name for name, tree in ALL.items() if "Announcer" in called(tree)] == [
        "gate.py"
    ]


@pytest.mark.parametrize("name", sorted(CORE))
def test_the_core_knows_nothing_of_home_assistant(name: str) -> None:
    roots = {module.partition(".")[0] for module in imported(CORE[name])}
    assert not roots & {"homeassistant", "custom_components", "hearthnet"}


@pytest.mark.parametrize("module", PHONE)
def test_a_phone_needs_little(module: str) -> None:
    """Import it in a fresh process and look at everything that came with it."""
    code = (
        f"import sys, hearthnet.core.{module}\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "companion")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "hearthnet" in done.stdout.split()
    assert not NOT_ON_A_PHONE & set(done.stdout.split())
