"""A short campaign; `script/faults` is the long one."""

from pathlib import Path

from .campaign import Campaign


async def test_nothing_is_lost_doubled_or_done_twice(tmp_path: Path) -> None:
    outcome = await Campaign(tmp_path, seed=7).run(12)
    assert not outcome.faults, outcome.text()
    assert outcome.acts.total() > 10
    assert outcome.events > 100
