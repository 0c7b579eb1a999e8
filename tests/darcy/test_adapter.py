"""The phone's adapter behind the real gate: leases in, receipts out."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hearthnet.core.adapter import AdapterError
from hearthnet.core.clock import ManualClock
from hearthnet.core.messages import Json
from hearthnet.core.phone.part import RecipeError
from hearthnet.core.phone.recipe import Recipe, digest
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.verdict import Receipt, Refusal
from hearthnet.darcy.adapter import FRESH
from hearthnet.darcy.shelf import Shelf
from tests.support.phone.world import World

from .conftest import Bench, recipe_named
from .desk import TV, Desk


@dataclass
class Bed(Desk):
    """A desk whose phone is simulated."""

    bench: Bench = field(kw_only=True)
    clock: ManualClock = field(kw_only=True)

    @property
    def world(self) -> World:
        return self.bench.world


@pytest.fixture
async def desk(bench: Bench, tmp_path: Path) -> AsyncIterator[Bed]:
    clock = ManualClock()
    made = Desk.open(bench.phone, bench.recipe, tmp_path / "journal", clock)
    yield Bed(**vars(made), bench=bench, clock=clock)
    await made.node.close()


async def test_a_lease_switches_the_television_off(desk: Bed) -> None:
    receipt = await desk.do("tv.power_off")

    assert receipt.outcome is Outcome.CHANGED
    assert receipt.values == {TV: {"state": "off"}}
    assert desk.world.tv.presses == ["power"]


async def test_what_is_so_already_is_told_as_that(desk: Bed) -> None:
    desk.world.tv.power = False

    receipt = await desk.do("tv.power_off")

    assert receipt.outcome is Outcome.ALREADY_SO
    assert receipt.values == {TV: {"state": "off"}}
    assert not desk.world.tv.presses


async def test_values_are_in_home_assistants_units(desk: Bed) -> None:
    receipt = await desk.do("tv.set_volume", level=15)

    assert receipt.outcome is Outcome.CHANGED
    assert receipt.values == {TV: {"volume_level": 0.15}}


async def test_what_the_app_does_not_show_is_unverified(desk: Bed) -> None:
    receipt = await desk.do("tv.set_input", input="hdmi2")

    assert receipt.outcome is Outcome.UNVERIFIED
    assert desk.world.tv.presses == ["hdmi2"]


async def test_a_failure_has_its_code_and_one_press(desk: Bed, bench: Bench) -> None:
    desk.world.tv.disabled = True

    receipt = await desk.do("tv.power_off")

    assert receipt.outcome is Outcome.REFUSED
    assert receipt.evidence[0].code is Reason.NODE_DISABLED
    assert not desk.world.tv.presses


async def test_unknown_until_it_is_read(desk: Bed) -> None:
    press = desk.world.tap

    def tap_and_die(x: int, y: int) -> None:
        press(x, y)
        desk.bench.adbd.drop()

    desk.world.tap = tap_and_die  # type: ignore[method-assign]
    receipt = await desk.do("tv.power_off")
    assert receipt.outcome is Outcome.UNKNOWN
    assert desk.gate.unknown(TV) == receipt.execute

    desk.world.tap = press  # type: ignore[method-assign]
    refusal = await desk.execute(desk.lease("tv.power_on"), "tv.power_on")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.UNVERIFIABLE_STATE

    reading = await desk.adapter.refresh(TV)
    assert reading.values["state"] == "off"
    desk.gate.resolve_unknown(TV, reading)
    assert (await desk.do("tv.power_on")).outcome is Outcome.CHANGED


async def test_a_lease_for_another_recipe(desk: Bed) -> None:
    lease = desk.lease("tv.power_off", "0" * 64)

    answer = await desk.execute(lease, "tv.power_off")

    assert isinstance(answer, Refusal)
    assert not desk.world.log


async def test_a_recipe_that_is_replaced_meanwhile(desk: Bed) -> None:
    lease = desk.lease("tv.power_off")
    data = desk.bench.recipe.data()
    assert isinstance(data, dict)
    desk.shelf.put(Recipe.read(data | {"name": "Another name"}).compiled())

    answer = await desk.execute(lease, "tv.power_off")

    assert isinstance(answer, Refusal)
    assert not desk.world.log


async def test_a_recipe_that_is_replaced_while_the_disk_is_waited_for(
    desk: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate has checked already; what runs is what was granted, or nothing."""
    lease = desk.lease("tv.power_off")
    data = desk.bench.recipe.data()
    assert isinstance(data, dict)
    sync = desk.node.sync

    async def slowly() -> None:
        desk.shelf.put(Recipe.read(data | {"name": "Another name"}).compiled())
        await sync()

    monkeypatch.setattr(desk.node, "sync", slowly)
    answer = await desk.execute(lease, "tv.power_off")

    assert isinstance(answer, Receipt)
    assert answer.outcome is Outcome.REFUSED
    assert answer.evidence[0].code is Reason.RECIPE_MISMATCH
    assert not desk.world.log


@pytest.mark.parametrize("level", [41, -1, 12.5, "12; reboot", True])
async def test_a_value_that_the_recipe_does_not_allow(desk: Bed, level: Json) -> None:
    lease = desk.lease("tv.set_volume", level=level)

    answer = await desk.execute(lease, "tv.set_volume", level=level)

    if isinstance(answer, Receipt):
        assert answer.outcome is Outcome.REFUSED
        assert answer.evidence[0].code is Reason.BAD_PARAMETER
    assert not desk.world.log


async def test_a_whole_number_from_json(desk: Bed) -> None:
    assert (await desk.do("tv.set_volume", level=14.0)).outcome is Outcome.CHANGED
    assert desk.world.tv.volume == 14


async def test_the_lease_expires_on_the_way(desk: Bed) -> None:
    """The phone is slow; the lease is over before the tap."""
    start = desk.world.start

    def slow_start(package: str, *, fresh: bool = False) -> None:
        start(package, fresh=fresh)
        desk.clock.advance(31)

    desk.world.start = slow_start  # type: ignore[method-assign]

    receipt = await desk.do("tv.power_off")

    assert receipt.outcome is Outcome.REFUSED
    assert receipt.evidence[0].code is Reason.EXPIRED
    assert not desk.world.tv.presses
    assert desk.world.front is None


async def test_a_revocation_on_the_way(desk: Bed) -> None:
    lease = desk.lease("tv.set_volume", level=30)
    press = desk.world.tap

    def tap_and_revoke(x: int, y: int) -> None:
        press(x, y)
        if len(desk.world.tv.presses) == 3:
            desk.gate.revoke(lease, by="hub.1.900")

    desk.world.tap = tap_and_revoke  # type: ignore[method-assign]

    receipt = await desk.execute(lease, "tv.set_volume", level=30)

    assert isinstance(receipt, Receipt)
    assert receipt.outcome is Outcome.FAILED
    assert receipt.evidence[0].code is Reason.REVOKED
    assert receipt.values == {TV: {"volume_level": 0.15}}


async def test_one_screen_one_run(desk: Bed) -> None:
    """Two apps of one phone do not meet on its screen."""
    other = desk.bench.recipe.data()
    assert isinstance(other, dict)
    capabilities = other["capabilities"]
    assert isinstance(capabilities, dict)
    renamed = {name.replace("tv.", "box."): c for name, c in capabilities.items()}
    data = other | {"device": "box", "capabilities": renamed}
    desk.shelf.put(Recipe.read(data).compiled())

    first, second = await asyncio.gather(
        desk.do("tv.power_off"), desk.adapter.refresh("phone.box")
    )

    assert first.outcome is Outcome.CHANGED
    assert second.available
    starts = [i for i, words in enumerate(desk.world.log) if words[0] == "am"]
    homes = [i for i, words in enumerate(desk.world.log) if "KEYCODE_HOME" in words]
    assert starts[0] < homes[0] < starts[1] < homes[1]


async def test_a_read_is_fresh_for_a_moment(desk: Bed) -> None:
    await desk.adapter.refresh(TV)
    assert desk.adapter.read(TV).values["state"] == "on"

    desk.clock.advance(FRESH + 1)

    assert desk.adapter.read(TV).values == {}, "another remote may have been used"
    assert desk.adapter.read(TV).available
    assert desk.adapter.last(TV).values["state"] == "on"


async def test_an_old_read_decides_nothing(desk: Bed) -> None:
    """Off when last read, on by another remote since: it is switched off again."""
    await desk.do("tv.power_off")
    desk.world.tv.power = True
    desk.clock.advance(60)

    receipt = await desk.do("tv.power_off")

    assert receipt.outcome is Outcome.CHANGED
    assert not desk.world.tv.power


async def test_a_phone_that_is_gone(desk: Bed) -> None:
    await desk.bench.adbd.__aexit__()

    with pytest.raises(AdapterError) as error:
        await desk.adapter.refresh(TV)

    assert not desk.adapter.read(TV).available
    assert error.value.outcome is Outcome.UNREACHABLE
    assert error.value.evidence[0].code is Reason.ADB_OFFLINE
    await desk.bench.adbd.__aenter__()


async def test_nothing_is_known_of_what_has_no_recipe(desk: Bed) -> None:
    assert not desk.adapter.read("phone.kettle").available
    with pytest.raises(AdapterError):
        await desk.adapter.refresh("phone.kettle")


async def test_a_recipe_that_reads_nothing(desk: Bed) -> None:
    desk.shelf.put(recipe_named("music_player").compiled())

    with pytest.raises(AdapterError):
        await desk.adapter.refresh("phone.phone_music")
    assert not desk.world.log


def test_the_shelf(tv_recipe: Recipe) -> None:
    shelf = Shelf("phone")
    compiled = tv_recipe.compiled()
    table = shelf.operations

    assert shelf.put(compiled) == TV
    assert shelf.digest_of("tv.power_off") == digest(compiled)
    assert set(table) == set(tv_recipe.capabilities)
    assert [target for target, _ in shelf] == [TV]

    data = tv_recipe.data()
    assert isinstance(data, dict)
    with pytest.raises(RecipeError, match="belongs to living_room_tv"):
        shelf.put(Recipe.read(data | {"device": "other_tv"}).compiled())

    shelf.remove(TV)
    assert not table
    assert shelf.digest_of("tv.power_off") is None
    shelf.remove(TV)
