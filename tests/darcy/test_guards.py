"""The lease, the owner and the link at every moment of a run.

The world keeps its own count: whatever is reported, the button was pressed at
most once, and what is told as done is so.
"""

import asyncio
from collections.abc import Callable
import dataclasses

import pytest

from hearthnet.core.intents import Evidence
from hearthnet.core.phone.recipe import Require
from hearthnet.core.reasons import DONE, Outcome, Reason
from hearthnet.core.verdict import Refused
from hearthnet.darcy.adbkey import AdbKey
from hearthnet.darcy.link import Link, Timing
from hearthnet.darcy.phone import Phone
from hearthnet.darcy.runner import Report, perform
from tests.support.phone.fake_adbd import FakeAdbd, Faults
from tests.support.phone.world import World

from .conftest import FAST, Bench, no_objection, until
from .test_scenarios import hasty


class Lease:
    """A lease that is over after some checks."""

    def __init__(self, good: int, reason: Reason = Reason.EXPIRED) -> None:
        self.checks = 0
        self._good = good
        self._reason = reason

    def __call__(self) -> None:
        self.checks += 1
        if self.checks > self._good:
            raise Refused((Evidence(text="It is over.", code=self._reason),))


# The lease


async def checks_of(bench: Bench, capability: str, **arguments: object) -> int:
    """Return how often the lease is checked in a whole run."""
    lease = Lease(good=1000)
    await bench.run(capability, lease, **arguments)
    return lease.checks


async def test_each_input_is_checked(bench: Bench) -> None:
    bench.world.awake, bench.world.locked, bench.world.dismissable = False, True, False

    # Wake, dismiss, swipe, start, tap; going home needs no lease.
    assert await checks_of(bench, "tv.power_off") == 5
    assert len(bench.world.inputs()) == 4


@pytest.mark.parametrize("reason", [Reason.EXPIRED, Reason.REVOKED, Reason.FENCED])
@pytest.mark.parametrize("good", range(5))
async def test_no_input_after_the_lease_is_over(
    bench: Bench, good: int, reason: Reason
) -> None:
    bench.world.awake, bench.world.locked, bench.world.dismissable = False, True, False

    report = await bench.run("tv.power_off", Lease(good, reason))

    assert (report.outcome, report.reason) == (Outcome.REFUSED, reason)
    assert not bench.world.tv.presses
    assert bench.world.front is None


async def test_a_loop_stops_when_the_lease_is_over(bench: Bench) -> None:
    # One check for the start, one for each tap.
    report = await bench.run("tv.set_volume", Lease(good=3), level=20)

    assert (report.outcome, report.reason) == (Outcome.FAILED, Reason.EXPIRED)
    assert bench.world.tv.presses == ["louder"] * 2
    assert report.values == {"volume": 14}, "it is known how far it came"
    assert bench.world.front is None


async def test_the_check_is_the_last_thing_before_the_tap(bench: Bench) -> None:
    """Nothing is asked of the phone between the check and the tap."""
    seen: list[int] = []

    await bench.run("tv.power_off", lambda: seen.append(len(bench.world.log)))

    assert bench.world.log[seen[-1]][:2] == ["input", "tap"]


# The owner


async def test_a_phone_in_use_is_left_alone(bench: Bench) -> None:
    bench.world.touch()
    bench.world.front = "com.example.other"

    report = await bench.run("tv.power_off")

    assert (report.outcome, report.reason) == (Outcome.REFUSED, Reason.OWNER_ACTIVE)
    assert bench.world.front == "com.example.other"
    assert not bench.world.inputs()


async def test_darcys_own_touches_do_not_keep_him_off(bench: Bench) -> None:
    for capability in ("tv.power_off", "tv.power_on", "tv.mute"):
        assert (await bench.run(capability)).outcome is Outcome.CHANGED


async def test_a_dark_phone_was_not_just_used(bench: Bench) -> None:
    bench.world.touch()
    bench.world.awake = False

    assert (await bench.run("tv.power_off")).outcome is Outcome.CHANGED


async def test_a_dark_phone_stays_dark_unless_the_recipe_may_wake_it(
    bench: Bench,
) -> None:
    required = Require(wake=False)
    bench.recipe = dataclasses.replace(bench.recipe, require=required)
    bench.world.awake = False

    report = await bench.run("tv.power_off")

    assert (report.outcome, report.reason) == (
        Outcome.UNREACHABLE,
        Reason.SCREEN_OFF,
    )
    assert not bench.world.awake
    assert not bench.world.inputs()


def touched_at(world: World, when: Callable[[list[str]], bool]) -> None:
    """Let the owner touch the phone once a command fits, well after Darcy's input."""
    log = world.log

    class Watched(list[list[str]]):
        def append(self, words: list[str]) -> None:
            log.append(words)
            if when(words):
                world.touch()

        def __iter__(self):  # type: ignore[no-untyped-def]
            return iter(log)

    world.log = Watched()


@pytest.mark.parametrize("moment", ["uiautomator", "am"])
async def test_the_owners_touch_ends_the_run(bench: Bench, moment: str) -> None:
    """Between Darcy's look and his tap: no tap, and no key either."""
    bench.phone.pace = dataclasses.replace(FAST, poll=0.08)
    world = bench.world
    if moment == "uiautomator":
        world.null_roots = 1  # gives the touch some time after the start
    else:
        world.tv.empty_looks = 1
    dumps = 0

    def second_dump(words: list[str]) -> bool:
        nonlocal dumps
        dumps += words[0] == "uiautomator"
        return words[0] == "uiautomator" and dumps == 2

    touched_at(world, second_dump)

    report = await bench.run("tv.power_off")

    assert (report.outcome, report.reason) == (Outcome.REFUSED, Reason.OWNER_ACTIVE)
    assert not world.tv.presses
    assert not world.inputs(), "the phone is the owner's: not even the home key"
    assert world.front == world.tv.package


def after_a_dump(world: World, change: Callable[[], None], *, once: bool) -> None:
    """Let something happen right after a screen was read, before the tap."""
    log, dumped = world.log, False

    class Watched(list[list[str]]):
        def append(self, words: list[str]) -> None:
            nonlocal dumped
            log.append(words)
            if words[:2] == ["dumpsys", "power"]:
                if dumped:
                    change()
                dumped = dumped and not once
            elif words[0] == "uiautomator":
                dumped = True

        def __iter__(self):  # type: ignore[no-untyped-def]
            return iter(log)

    world.log = Watched()


async def test_a_sheet_comes_up_over_the_button(bench: Bench) -> None:
    """It is the app's own, so the app is in front as before: only the look is old."""

    def sheet() -> None:
        bench.world.tv.news = not any(bench.world.inputs())

    after_a_dump(bench.world, sheet, once=True)
    report = await bench.run("tv.power_off")
    assert report.outcome is Outcome.CHANGED, report
    assert bench.world.inputs()[0] == ["keyevent", "KEYCODE_BACK"]
    assert bench.world.tv.presses == ["power"]


async def test_another_app_comes_to_the_front_before_the_tap(bench: Bench) -> None:
    """It is not tapped, and its screen is not even looked at."""

    def another() -> None:
        bench.world.front = "com.example.other"

    after_a_dump(bench.world, another, once=True)
    report = await bench.run("tv.power_off")
    assert (report.outcome, report.reason) == (
        Outcome.REFUSED,
        Reason.WRONG_FOREGROUND,
    )
    looks = [words for words in bench.world.log if words[0] == "uiautomator"]
    assert len(looks) == 1
    assert bench.world.tv.presses == []


async def test_the_display_is_turned_before_the_tap(bench: Bench) -> None:
    def turn() -> None:
        bench.world.rotation = 1

    after_a_dump(bench.world, turn, once=True)
    report = await bench.run("tv.power_off")
    assert report.outcome is Outcome.CHANGED, report
    done = [words[:2] for words in bench.world.log]
    before = done[: done.index(["input", "tap"])]
    assert sum(words[0] == "uiautomator" for words in before) == 2
    assert bench.world.tv.presses == ["power"]


async def test_a_display_that_goes_on_turning(bench: Bench) -> None:
    def turn() -> None:
        bench.world.rotation = 1 - bench.world.rotation

    after_a_dump(bench.world, turn, once=False)
    report = await bench.run("tv.power_off")
    assert (report.outcome, report.reason) == (Outcome.REFUSED, Reason.INTERRUPTED)
    assert bench.world.tv.presses == []


async def test_a_touch_in_the_middle_of_a_loop(bench: Bench) -> None:
    bench.phone.pace = dataclasses.replace(FAST, poll=0.08)
    bench.world.tv.behind = 1
    dumps = 0

    def fifth_dump(words: list[str]) -> bool:
        nonlocal dumps
        dumps += words[0] == "uiautomator"
        return words[0] == "uiautomator" and dumps == 5

    touched_at(bench.world, fifth_dump)

    report = await bench.run("tv.set_volume", level=30)

    assert (report.outcome, report.reason) == (Outcome.FAILED, Reason.OWNER_ACTIVE)
    assert len(bench.world.tv.presses) == 2
    assert report.values == {"volume": 14}


# The link


async def run_with(
    faults: Faults, key: AdbKey, bench: Bench
) -> tuple[Report, FakeAdbd]:
    """Run “power off” on a phone of its own with faults."""
    async with FakeAdbd(faults=faults) as adbd:
        timing = Timing(connect=0.05, first_retry=0.001, last_retry=0.01)
        link = Link("127.0.0.1", adbd.port, key.signer, timing=timing)
        pace = dataclasses.replace(FAST, command=0.05, start=0.05, dump=0.02)
        recipe = hasty(bench.recipe)
        capability = recipe.capabilities["tv.power_off"]
        report = await perform(Phone(link, pace), recipe, capability, {}, no_objection)
        await link.close()
    return report, adbd


def is_honest(report: Report, world: World) -> None:
    """Check that a report claims nothing that is not so."""
    presses = len(world.tv.presses)
    assert presses <= 1
    if report.outcome in DONE:
        assert not world.tv.power
    if report.outcome in {Outcome.REFUSED, Outcome.UNREACHABLE}:
        assert presses == 0
    if presses:
        known = {Outcome.CHANGED, Outcome.UNKNOWN, Outcome.FAILED}
        assert report.outcome in known
    assert report.taps >= presses


@pytest.mark.parametrize("reset", [False, True])
async def test_a_cut_anywhere_in_a_run(
    bench: Bench, adb_key: AdbKey, reset: bool
) -> None:
    """The link breaks after every so many bytes of a whole run."""
    await bench.run("tv.power_off")
    whole = bench.adbd.sent
    outcomes = set()
    for cut in range(0, whole, 61):
        faults = Faults(cut_after=cut, reset=reset)
        report, adbd = await run_with(faults, adb_key, bench)
        is_honest(report, adbd.world)
        outcomes.add(report.outcome)

    assert {Outcome.UNREACHABLE, Outcome.UNKNOWN, Outcome.CHANGED} <= outcomes


async def test_a_stall_anywhere_in_a_run(bench: Bench, adb_key: AdbKey) -> None:
    await bench.run("tv.power_off")
    for stall in range(0, bench.adbd.sent, 401):
        report, adbd = await run_with(Faults(stall_after=stall), adb_key, bench)
        is_honest(report, adbd.world)


async def test_the_link_dies_during_the_tap(bench: Bench) -> None:
    """The press had its effect, and nobody can know: that is what is said."""
    press = bench.world.tap

    def tap_and_die(x: int, y: int) -> None:
        press(x, y)
        bench.adbd.drop()

    bench.world.tap = tap_and_die  # type: ignore[method-assign]

    report = await bench.run("tv.power_off")

    assert (report.outcome, report.reason) == (Outcome.UNKNOWN, Reason.RESULT_UNKNOWN)
    assert not bench.world.tv.power
    assert bench.world.front is None, "it still went home, over a new connection"
    assert (await bench.read()).values["power"] == "off", "a read tells"


async def test_the_link_dies_right_before_the_tap(bench: Bench) -> None:
    """A tap goes where the screen was seen, not over a new connection."""

    async def cut() -> None:
        bench.adbd.drop()
        await until(lambda: not bench.phone.link.up)

    tap = bench.phone.tap

    async def late_tap(x: int, y: int) -> None:
        await cut()
        await tap(x, y)

    bench.phone.tap = late_tap  # type: ignore[method-assign]

    report = await bench.run("tv.power_off")

    assert (report.outcome, report.reason) == (Outcome.UNREACHABLE, Reason.ADB_OFFLINE)
    assert not bench.world.tv.presses


@pytest.mark.parametrize("command", ["dumpsys", "am", "uiautomator"])
async def test_a_command_that_hangs(bench: Bench, command: str) -> None:
    bench.adbd.framework.hanging.add(command)
    bench.phone.pace = dataclasses.replace(FAST, command=0.03, start=0.03, dump=0.01)

    report = await bench.run("tv.power_off")

    expected = Outcome.UNREACHABLE, Reason.PHONE_TIMEOUT
    assert (report.outcome, report.reason) == expected
    assert not bench.world.tv.presses


async def test_the_tap_hangs(bench: Bench) -> None:
    bench.adbd.framework.hanging.add("input")
    bench.phone.pace = dataclasses.replace(FAST, command=0.03)

    report = await bench.run("tv.power_off")

    assert (report.outcome, report.reason) == (Outcome.UNKNOWN, Reason.RESULT_UNKNOWN)


async def test_an_input_that_fails_half_way(bench: Bench) -> None:
    """Killed in the middle: nobody knows whether the touch went through."""
    bench.world.inputs_killed = True

    report = await bench.run("tv.power_off")

    assert (report.outcome, report.reason) == (Outcome.UNKNOWN, Reason.RESULT_UNKNOWN)
    assert not bench.world.tv.power


# Time and cancellation


async def test_a_run_has_a_budget(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearthnet.core.phone.capabilities.OVERHEAD", 0.0)
    bench.world.null_roots = 10**6
    bench.phone.pace = dataclasses.replace(FAST, poll=0.2)
    bench.recipe = hasty(bench.recipe)

    report = await bench.run("tv.power_off")

    assert (report.outcome, report.reason) == (Outcome.REFUSED, Reason.DEADLINE)
    assert bench.world.front is None


@pytest.mark.parametrize("at", ["glance", "start", "dump", "tap"])
async def test_a_canceled_run_goes_home(bench: Bench, at: str) -> None:
    hang = {"glance": "dumpsys", "start": "am", "dump": "uiautomator", "tap": "input"}
    reached = asyncio.Event()
    run = bench.adbd.framework.run

    async def run_or_wait(words: list[str]):  # type: ignore[no-untyped-def]
        if words[0] == hang[at] and not reached.is_set():
            reached.set()
            await asyncio.Event().wait()
        return await run(words)

    bench.adbd.framework.run = run_or_wait  # type: ignore[method-assign]
    task = asyncio.create_task(bench.run("tv.power_off"))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert bench.world.front is None
    assert not bench.world.tv.presses
    assert (await bench.run("tv.power_off")).outcome is Outcome.CHANGED
