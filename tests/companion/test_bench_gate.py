"""The bench of the gate measures what it says; its numbers are not judged here."""

from typing import Any

from hearthnet.bench.gate import measure


def test_measure() -> None:
    numbers: dict[str, Any] = measure(devices=20, checks=200, executes=5)
    assert numbers["checks"] == 200
    for name in ("check_us", "admit_us", "execute_us"):
        times = numbers[name]
        assert 0 < times["p50"] <= times["p95"] <= times["p99"] <= times["p99.9"]
