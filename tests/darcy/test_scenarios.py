"""Every scenario on the fake adbd: the report is right and nothing else was pressed."""

import dataclasses

import pytest

from hearthnet.core.phone.recipe import Recipe
from hearthnet.core.reasons import DONE as TOLD_AS_DONE, Outcome, Reason
from hearthnet.darcy.ui import Tree

from .conftest import Bench, recipe_named
from .scenarios import DONE, NOT_DONE, Case

SHORT = 0.05
"""Seconds for which a goal that does not come is waited for here."""


def hasty(recipe: Recipe) -> Recipe:
    """Return a recipe that gives up soon, for cases that end in giving up."""
    capabilities = {
        name: dataclasses.replace(capability, within=SHORT, stable=0)
        for name, capability in recipe.capabilities.items()
    }
    return dataclasses.replace(recipe, capabilities=capabilities)


@pytest.mark.parametrize("case", DONE, ids=str)
async def test_it_is_done(bench: Bench, case: Case) -> None:
    bench.recipe = recipe_named(case.recipe)
    case.prepare(bench.world)

    report = await bench.run(case.run, **case.arguments)

    assert (report.outcome, report.reason) == (case.outcome, None), report.evidence
    assert tuple(bench.world.tv.presses) == case.presses
    assert case.holds(bench.world)
    assert bench.world.front is None, "the phone is left on its home screen"


@pytest.mark.parametrize("case", NOT_DONE, ids=str)
async def test_it_is_not_done(bench: Bench, case: Case) -> None:
    bench.recipe = hasty(recipe_named(case.recipe))
    case.prepare(bench.world)
    before = bench.world.front

    report = await bench.run(case.run, **case.arguments)

    assert (report.outcome, report.reason) == (case.outcome, case.reason), (
        report.evidence,
        report.trail,
    )
    assert report.evidence[0].code is case.reason
    assert report.evidence[0].text
    assert tuple(bench.world.tv.presses) == case.presses
    assert not bench.world.music.presses
    assert case.holds(bench.world)
    assert bench.world.front in {None, before}, "the phone is left on its home screen"
    assert report.outcome not in TOLD_AS_DONE


@pytest.mark.parametrize("status", [None, "A private word"])
@pytest.mark.parametrize("case", [*DONE, *NOT_DONE], ids=str)
async def test_no_text_of_a_screen_is_told(
    bench: Bench, case: Case, status: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run says goes into the record; what apps show is private."""
    shown = set[str]()
    init = Tree.__init__

    def read(tree: Tree, xml: bytes, frame: str) -> None:
        init(tree, xml, frame)
        for node in tree.nodes:
            shown.update((node.get("text"), node.get("content-desc")))

    monkeypatch.setattr(Tree, "__init__", read)
    bench.recipe = hasty(recipe_named(case.recipe))
    bench.world.tv.status = status
    case.prepare(bench.world)

    report = await bench.run(case.run, **case.arguments)

    known = bench.recipe.compiled().decode()
    private = {text for text in shown if len(text) > 3 and text not in known}
    told = " ".join((*(one.text for one in report.evidence), *report.trail))
    assert not {text for text in private if text in told}


async def test_reading_moves_nothing(bench: Bench) -> None:
    report = await bench.read()

    assert report.outcome is Outcome.ALREADY_SO
    assert report.values == {"power": "on", "muted": False, "volume": 12}
    assert not bench.world.tv.presses
    assert bench.world.front is None


async def test_an_updated_app_is_still_read(bench: Bench) -> None:
    bench.world.tv.version = 1300

    assert (await bench.read()).reason is None


async def test_what_the_report_tells(bench: Bench) -> None:
    bench.world.tv.volume = 10

    report = await bench.run("tv.set_volume", level=12)

    assert report.before == {"volume": 10}
    assert report.values == {"volume": 12}
    assert report.taps == 2
    assert sum(line.startswith("input tap: 0") for line in report.trail) == 2
    assert sum(line.startswith("screen ") for line in report.trail) == 3


async def test_a_screen_is_never_left_on_the_phone(bench: Bench) -> None:
    await bench.run("tv.power_off")

    assert not bench.adbd.shell.files


async def test_nothing_of_a_screen_is_in_the_report(bench: Bench) -> None:
    bench.world.tv.status = "4111 1111 1111 1111"
    bench.world.tv.twins = True

    report = await bench.run("tv.power_off")

    told = repr((report.trail, report.values))
    assert "4111" not in told
    assert "Living room" not in told


async def test_an_updated_app_is_not_tapped_even_to_read_it(bench: Bench) -> None:
    look = dataclasses.replace(
        bench.recipe.capabilities["tv.night_mode_on"].way[0], opens="sound"
    )
    assert bench.recipe.look
    deep = dataclasses.replace(
        bench.recipe.look, screen="sound", values=("night_mode",), way=(look,)
    )
    bench.recipe = dataclasses.replace(bench.recipe, look=deep)
    assert (await bench.read()).values == {"night_mode": False}

    bench.world.tv.version = 1300
    bench.world.tv.screen = "main"
    report = await bench.read()

    assert report.reason is Reason.APP_VERSION_UNVERIFIED
    assert bench.world.tv.screen == "main"


@pytest.mark.parametrize("waits", [False, True])
async def test_a_restless_screen_costs_two_dumps_and_no_tap(
    bench: Bench, waits: bool
) -> None:
    """Two dumps of 5 s and the way there and home: about 12 s on a phone (D14)."""
    bench.recipe = recipe_named("music_player")
    bench.world.waits_for_idle = waits

    await bench.run("music.play_playlist", playlist="Morning")

    dumps = [words for words in bench.world.log if words[0] == "uiautomator"]
    assert ["--compressed" in words for words in dumps] == [False, True]
    assert bench.world.inputs() == [["keyevent", "KEYCODE_HOME"]]
    assert bench.world.front is None
