"""A whole Darcy on a real broker: from an intent at the hub to a tap, and back."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
import time

import pytest

from hearthnet.core.bus import retry
from hearthnet.core.clock import SystemClock
from hearthnet.core.devices import Device
from hearthnet.core.intents import Origin
from hearthnet.core.messages import MessageType
from hearthnet.core.news import HoldBroken
from hearthnet.core.outside import CONVERGED
from hearthnet.core.paths import device_path
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause
from tests.core.home import ANNA, ROUTINE
from tests.support.mosquitto import Mosquitto
from tests.support.phone.fake_adbd import FakeAdbd
from tests.support.phone.framework import Result

from .conftest import until
from .desk import TV
from .hub import ENROLLED, darcy, home


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_DELAY", 0.05)
    monkeypatch.setattr("hearthnet.core.agents.failures.FIRST_DELAY", 0.05)
    monkeypatch.setattr("hearthnet.core.agents.dispatch.LOOK", 0.05)
    monkeypatch.setattr("hearthnet.core.bus.link.WILL_DELAY", 0)


async def test_an_intent_becomes_one_tap(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    async with home(tmp_path, mosquitto.port) as here:
        here.outside._started -= CONVERGED
        away = await here.do("tv.power_off")
        assert away.steps[0].reason is Reason.MANAGER_OFFLINE
        async with darcy(tmp_path, mosquitto.port, adbd.port, key_file):
            await here.reached()
            done = await here.do("tv.power_off")
            assert done.steps[0].outcome is Outcome.CHANGED, done
            assert adbd.world.tv.presses == ["power"]
            assert here.appliances.read(TV).values["state"] == "off"
            again = await here.do("tv.power_off")
            assert again.steps[0].outcome is Outcome.ALREADY_SO
            assert adbd.world.tv.presses == ["power"]
            blind = await here.do("tv.set_input", input="hdmi2")
            assert blind.steps[0].outcome is Outcome.UNVERIFIED
        grants = [m for m in await here.messages() if m.type is MessageType.GRANT]
        digest = here.appliances.recipes.digest_of("tv.power_off")
        assert {grant.body["recipe"] for grant in grants} == {digest}
        assert grants[0].body["ttl"] == 33
        assert {grant.body["grantee"] for grant in grants} == {"phone"}


async def test_a_phone_that_is_not_there_yet_when_the_hub_starts(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    async with home(tmp_path, mosquitto.port) as here:
        asking = asyncio.ensure_future(here.do("tv.power_off"))
        async with darcy(tmp_path, mosquitto.port, adbd.port, key_file):
            done = await asking
            assert done.steps[0].outcome is Outcome.CHANGED, done
    # One that never comes is waited for no longer than all need to see each other.
    other = {"phone": ENROLLED["phone"], "other": ENROLLED["phone"]}
    async with home(tmp_path, mosquitto.port, enrolled=other) as here:
        assert here.outside.expected("other")
        here.outside._started -= CONVERGED
        assert not here.outside.expected("other")
        await until(lambda: here.outside.expected("phone"))  # by its goodbye


async def test_a_phone_that_is_back_is_asked_at_once(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    """Not when it would have been tried again, a minute after it went."""
    async with (
        home(tmp_path, mosquitto.port) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file) as one,
    ):
        await here.reached()
        await adbd.__aexit__()
        await until(lambda: not one.phone.link.up)
        gone = await here.do("tv.power_off")
        assert gone.steps[0].outcome is Outcome.UNREACHABLE, gone
        one.phone.link._not_before = one.phone.link.now() + 3600
        await adbd.__aenter__()
        done = await here.do("tv.power_off")
        assert done.steps[0].outcome is Outcome.CHANGED, done
        await here.reached()


async def test_holds_meet_on_the_same_appliance(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    """What Anna wants of Home Assistant's television, no routine undoes in the app."""
    box = "media_player.tv"
    television = Device(id=box, entity_id=box, name="TV", domain="media_player")
    async with (
        home(tmp_path, mosquitto.port, same_as=box) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file),
    ):
        here.house.add(television, state="off")
        await here.reached()
        on = await here.do("media_player.turn_on", target=box)
        assert on.steps[0].outcome is Outcome.CHANGED, on

        routine = await here.do("tv.power_off", ROUTINE)
        assert routine.steps[0].reason is Reason.CONFLICT, routine
        assert adbd.world.tv.presses == []
        anna = await here.do("tv.power_off")
        assert anna.steps[0].outcome is Outcome.CHANGED, anna
        assert adbd.world.tv.presses == ["power"]
        (hold,) = here.hub.status.holds
        assert (hold.device, hold.attribute) == (box, "state")


async def test_values_have_an_age_by_the_hubs_clock(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    # Somebody may be at the phone, so no app is opened only to be read.
    adbd.world.touched_at = time.monotonic() - 60
    async with home(tmp_path, mosquitto.port) as here:
        began = here.hub.node.clock.now()
        async with darcy(tmp_path, mosquitto.port, adbd.port, key_file):
            await here.reached()
            assert here.appliances.read(TV).seen == {}
            await here.do("tv.power_off")
            await here.until(lambda: here.appliances.read(TV).seen)
            reading = here.appliances.read(TV)
            assert reading.values["state"] == "off"
            assert reading.seen is not None
            assert began <= reading.seen["state"] <= here.hub.node.clock.now()
        # What was read was read, whatever becomes of the phone's node.
        async with darcy(tmp_path, mosquitto.port, adbd.port, key_file):
            await here.reached()
            assert here.appliances.read(TV).seen == reading.seen


class WrongClock(SystemClock):
    """A phone that was reset, or whose owner has set another time."""

    def __init__(self, off: timedelta) -> None:
        self._off = off

    def now(self) -> datetime:
        return super().now() + self._off


@pytest.mark.parametrize("seconds", [100, -100])
async def test_a_clock_that_is_a_little_off(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    seconds: int,
) -> None:
    clock = WrongClock(timedelta(seconds=seconds))
    async with (
        home(tmp_path, mosquitto.port) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file, clock=clock),
    ):
        await here.reached()
        done = await here.do("tv.power_off")
        assert done.steps[0].outcome is Outcome.CHANGED, done
        await here.until(lambda: here.appliances.read(TV).seen)
        seen = here.appliances.read(TV).seen
        assert seen is not None
        now = here.hub.node.clock.now()
        assert timedelta() <= now - seen["state"] < timedelta(seconds=60)


@pytest.mark.parametrize("hours", [2, -20 * 365 * 24])
async def test_a_clock_that_is_wrong_is_told_and_costs_nothing(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    hours: int,
) -> None:
    clock = WrongClock(timedelta(hours=hours))
    async with (
        home(tmp_path, mosquitto.port) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file, clock=clock),
    ):
        await here.reached()
        ahead = here.outside.phones["phone"].ahead
        assert abs(ahead - 3600 * hours) < 60
        # What is too old is told by the clock of whoever said it.
        done = await here.do("tv.power_off")
        assert done.steps[0].outcome is Outcome.CHANGED, done
        assert not here.outside.bus.reports.rejected
    assert adbd.world.tv.presses == ["power"]


async def test_several_appliances_at_once_take_turns(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A phone has one screen: the time of a lease runs once it is its turn."""
    run, proposed = adbd.framework.run, list[int]()
    names = ("living_room_tv", "music_player")
    adbd.world.music.restless = False
    # Somebody may be at the phone, so no app is opened only to be read.
    adbd.world.touched_at = time.monotonic() - 60
    async with (
        home(tmp_path, mosquitto.port, recipes=names) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file) as phone,
    ):
        node = phone.companion.node

        async def watched(words: list[str]) -> Result:
            if words[:2] == ["am", "start"] and "-W" in words:
                if not proposed:  # both have to be there, and time to propose as well
                    await until(lambda: len(node.view.paths("tasks/")) == len(names))
                    for _ in range(200):
                        await asyncio.sleep(0)
                own = [r.message for r in node.history()]
                proposed.append(sum(m.type is MessageType.PROPOSAL for m in own))
            return await run(words)

        monkeypatch.setattr(adbd.framework, "run", watched)
        await here.reached()
        results = await asyncio.gather(
            here.do("tv.power_off"),
            here.do(
                "music.play_playlist", target="phone.phone_music", playlist="Dinner"
            ),
        )
        outcomes = [(r.steps[0].outcome, r.steps[0].reason) for r in results]
        assert outcomes == [(Outcome.CHANGED, None), (Outcome.UNVERIFIED, None)]
        assert proposed == [1, 2]


async def test_the_broker_restarts_in_the_middle_of_a_run(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The lease stands, the run goes on, and what came of it is told after all."""
    run, tapping, back = adbd.framework.run, asyncio.Event(), asyncio.Event()

    async def held(words: list[str]) -> Result:
        if words[:2] == ["input", "tap"]:
            tapping.set()
            await back.wait()
        return await run(words)

    monkeypatch.setattr(adbd.framework, "run", held)
    async with (
        home(tmp_path, mosquitto.port) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file) as phone,
    ):
        await here.reached()
        asking = asyncio.ensure_future(here.do("tv.power_off"))
        await tapping.wait()
        await asyncio.to_thread(mosquitto.kill)
        await here.until(lambda: not here.outside.alive("phone"))
        await until(lambda: not phone.companion.mqtt.connected)
        back.set()
        await until(lambda: adbd.world.tv.presses)
        await asyncio.to_thread(mosquitto.start)
        done = await asking
        assert done.steps[0].outcome is Outcome.CHANGED, done
        assert adbd.world.tv.presses == ["power"]
        assert not here.hub.status.reviews


async def test_the_phone_starts_anew_in_the_middle_of_a_run(
    mosquitto: Mosquitto,
    adbd: FakeAdbd,
    key_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody knows what the tap did; a read tells, once the phone is back."""
    run, tapping = adbd.framework.run, asyncio.Event()

    async def held(words: list[str]) -> Result:
        if words[:2] == ["input", "tap"] and not tapping.is_set():
            result = await run(words)
            tapping.set()
            await asyncio.Event().wait()  # the phone goes down: no answer comes
            return result
        return await run(words)

    monkeypatch.setattr(adbd.framework, "run", held)
    async with (
        home(tmp_path, mosquitto.port) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file) as phone,
    ):
        await here.reached()
        asking = asyncio.ensure_future(here.do("tv.power_off"))
        await tapping.wait()
        await adbd.__aexit__()
        done = await asking
        assert done.steps[0].outcome is Outcome.UNKNOWN, done
        adbd.world.front, adbd.world.awake = None, False
        adbd.world.touched_at = time.monotonic() - 3600
        await adbd.__aenter__()
        phone.phone.keeper.look_soon()
        again = await here.do("tv.power_off")
        assert again.steps[0].outcome is Outcome.ALREADY_SO, again
        assert adbd.world.tv.presses == ["power"]


async def test_a_lease_for_later(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    """It stands at the phone's gate, is good once, and ends when it is revoked."""
    async with (
        home(tmp_path, mosquitto.port) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file),
    ):
        await here.reached()

        async def lease(operation: str) -> str:
            step = await here.hub.wishes.request_lease(
                principal=ANNA,
                origin=Origin.APP,
                target=TV,
                operation=operation,
                parameters={},
                reason="a test",
            )
            assert step.outcome is Outcome.GRANTED, step
            assert step.lease
            return step.lease

        off = await lease("tv.power_off")
        assert adbd.world.tv.presses == []
        used = await here.hub.wishes.execute(off, principal=ANNA, origin=Origin.APP)
        assert used.steps[0].outcome is Outcome.CHANGED, used
        on = await lease("tv.power_on")
        assert await here.hub.control.revoke_lease(on, ANNA)
        # The phone says that it is over, and the hub lets go of it.
        await until(lambda: not here.hub.status.leases)
        with pytest.raises(LookupError):
            await here.hub.wishes.execute(on, principal=ANNA, origin=Origin.APP)
        assert adbd.world.tv.presses == ["power"]


async def test_what_changed_in_home_assistant_makes_a_lease_on_the_phone_stale(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    """The gate is on another machine than who writes what the lease rests on."""
    box = "media_player.tv"
    television = Device(id=box, entity_id=box, name="TV", domain="media_player")
    # Somebody may be at the phone: nothing is read in the app, and written, meanwhile.
    adbd.world.touched_at = time.monotonic() - 60
    async with (
        home(tmp_path, mosquitto.port, same_as=box) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file) as phone,
    ):
        here.house.add(television, state="on", is_volume_muted=False)
        view = phone.companion.node.view
        await here.reached()
        granted = await here.hub.wishes.request_lease(
            principal=ANNA,
            origin=Origin.APP,
            target=TV,
            operation="tv.mute",
            parameters={},
            reason="a test",
        )
        assert granted.lease, granted
        assert view.version(device_path(box)) is None, "not told without need"
        here.hub.observe(box, {"is_volume_muted": True}, cause=Cause.RECONNECT)
        await until(lambda: view.version(device_path(box)))

        refused = await here.hub.wishes.execute(
            granted.lease, principal=ANNA, origin=Origin.APP
        )

        (step,) = refused.steps
        assert (step.outcome, step.reason) == (Outcome.REFUSED, Reason.STALE_STATE)
        assert step.evidence[0].event == view.version(device_path(box))
        assert adbd.world.tv.presses == []
        # What is asked for anew is decided on what is so now.
        done = await here.do("tv.mute")
        assert done.steps[0].outcome is Outcome.CHANGED, done
        assert adbd.world.tv.presses == ["mute"]


async def test_recipes_follow_the_hub(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    async with darcy(tmp_path, mosquitto.port, adbd.port, key_file) as one:
        async with home(tmp_path, mosquitto.port):
            await until(lambda: one.phone.shelf.entry(TV))
        async with home(tmp_path, mosquitto.port, recipes=("music_player",)):
            await until(lambda: one.phone.shelf.entry("phone.phone_music"))
            assert one.phone.shelf.entry(TV) is None
            assert "tv.power_off" not in one.phone.operations


async def test_who_is_taken_out_does_nothing_more(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    async with darcy(tmp_path, mosquitto.port, adbd.port, key_file) as one:
        async with home(tmp_path, mosquitto.port) as here:
            await here.reached()
            await until(lambda: one.phone.shelf.entry(TV))
        # The subentry is deleted: the hub starts anew, without this companion.
        async with home(tmp_path, mosquitto.port, enrolled={}) as after:
            presence, boot = one.companion.mqtt.presence, after.hub.node.boot
            await until(
                lambda: (hub := presence.status("hub")) is not None and hub.boot == boot
            )
            assert not after.outside.reachable("phone")
            refused = await after.do("tv.power_off")
            assert refused.steps[0].reason is Reason.MANAGER_OFFLINE
        assert adbd.world.tv.presses == []


async def test_a_change_by_others_breaks_a_hold(
    mosquitto: Mosquitto, adbd: FakeAdbd, key_file: Path, tmp_path: Path
) -> None:
    """Somebody else's remote control is seen when the app is read the next time."""
    told: list[object] = []
    async with home(tmp_path, mosquitto.port) as here:
        async with darcy(tmp_path, mosquitto.port, adbd.port, key_file):
            await here.reached()
            off = await here.do("tv.power_off")
            assert off.steps[0].outcome is Outcome.CHANGED, off
        (hold,) = here.hub.status.holds
        adbd.world.tv.power = True
        adbd.world.touched_at -= 3600  # nobody is at the phone any more
        here.hub.overview.subscribe(told.append)
        async with darcy(tmp_path, mosquitto.port, adbd.port, key_file):
            await until(lambda: any(isinstance(one, HoldBroken) for one in told))
        (broken,) = (one for one in told if isinstance(one, HoldBroken))
        assert (broken.device.id, broken.cause) == (TV, Cause.UNKNOWN)
        assert broken.values["state"] == "on"
        assert [one.id for one in broken.holds] == [hold.id]
        assert here.hub.status.holds == (hold,)
        assert here.appliances.read(TV).values["state"] == "on"
