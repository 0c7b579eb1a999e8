"""Every scenario again, through Android's own daemon, shell and toybox."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
import dataclasses
from pathlib import Path
import random

import pytest

from hearthnet.core.phone.recipe import Recipe
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.darcy.adbkey import AdbKey, fingerprint
from hearthnet.darcy.doctor import examine
from hearthnet.darcy.findings import Verdict
from hearthnet.darcy.link import Link, LinkError, Timing
from hearthnet.darcy.phone import Pace, Phone
from hearthnet.darcy.runner import perform
from hearthnet.darcy.shell import Line, line
from tests.support.mosquitto import Mosquitto
from tests.support.phone.adb import Adb
from tests.support.phone.apk import CERTIFICATE, DIGEST, V3, apk
from tests.support.phone.real_adbd import RealAdbd, asks_for_keys, missing
from tests.support.phone.wireless import wireless_port
from tests.support.phone.world import World

from .conftest import FAST, no_objection, outdated_recipe, recipe_named, until
from .hub import darcy, home
from .scenarios import DONE, NOT_DONE, Case
from .test_scenarios import hasty

REASON = missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=f"real adbd: {REASON}")
with_keys = pytest.mark.skipif(
    not asks_for_keys(), reason="real adbd: it cannot be made to ask for keys here"
)
PACE = dataclasses.replace(FAST, dump=0.5, arrive=0.5)
PATIENT = dataclasses.replace(FAST, dump=15, arrive=15)
"""For what shall succeed, however busy the machine is."""
TIMING = Timing(connect=5, allow=5, first_retry=0.001, last_retry=0.01)


@pytest.fixture
async def adbd() -> AsyncIterator[RealAdbd]:
    async with RealAdbd() as daemon:
        yield daemon


@pytest.fixture
async def link(adbd: RealAdbd) -> AsyncIterator[Link]:
    opened = Link("127.0.0.1", adbd.port, None, timing=TIMING)
    yield opened
    await opened.close()


async def run_case(
    case: Case, recipe: Recipe, link: Link, world: World, pace: Pace = PACE
) -> None:
    case.prepare(world)
    report = await perform(
        Phone(link, pace),
        recipe,
        recipe.capabilities[case.run],
        case.arguments,  # type: ignore[arg-type]
        no_objection,
    )
    assert (report.outcome, report.reason) == (case.outcome, case.reason), (
        report.evidence,
        report.trail,
    )
    assert tuple(world.tv.presses) == case.presses
    assert case.holds(world)
    assert world.front is None


@pytest.mark.parametrize("case", DONE, ids=str)
async def test_it_is_done(case: Case, link: Link, adbd: RealAdbd) -> None:
    await run_case(case, recipe_named(case.recipe), link, adbd.world, PATIENT)


@pytest.mark.parametrize("case", NOT_DONE, ids=str)
async def test_it_is_not_done(case: Case, link: Link, adbd: RealAdbd) -> None:
    await run_case(case, hasty(recipe_named(case.recipe)), link, adbd.world)


async def test_a_choice_after_an_update(link: Link, adbd: RealAdbd) -> None:
    recipe = outdated_recipe()

    async def eye(_wanted: str, shown: Sequence[Mapping[str, str]]) -> int:
        return [one.get("id") for one in shown].index("btn_power")

    report = await perform(
        Phone(link, PATIENT),
        recipe,
        recipe.capabilities["tv.power_off"],
        {},
        no_objection,
        eye,
    )
    assert report.outcome is Outcome.CHANGED, (report.evidence, report.trail)
    assert adbd.world.tv.presses == ["power"]


async def test_the_shell_is_androids(link: Link) -> None:
    reply = await link.run(Line("echo $KSH_VERSION; nosuch; exit 7"), 5)

    assert "MIRBSD KSH" in reply.text
    assert "inaccessible or not found" in reply.error
    assert reply.code == 7


async def test_quoting_through_mksh(link: Link) -> None:
    """What goes in as words comes out as words: nothing becomes code."""
    letters = [chr(i) for i in range(32, 0x3000) if chr(i).isprintable()]
    chance = random.Random(1)
    words = ["", "'", "''", "-n", "$(reboot)", "`id`", "a;b", "*", "~", "\\", "!!", "é"]
    for alphabet in (letters, "'\"\\$`!;&|<>(){}[]*?~# "):
        words += ["".join(chance.choices(alphabet, k=20)) for _ in range(300)]

    for at in range(0, len(words), 40):
        some = words[at : at + 40]
        reply = await link.run(line("printf", "%s\\n", *some), 5)
        assert reply.text.split("\n")[:-1] == some


async def test_the_dump_is_not_left_on_the_phone(link: Link, adbd: RealAdbd) -> None:
    recipe = recipe_named("living_room_tv")
    await perform(
        Phone(link, PACE), recipe, recipe.capabilities["tv.power_off"], {}, no_objection
    )

    assert (await link.run(Line("ls /data/local/tmp"), 5)).text == ""


async def test_whose_app_it_is(link: Link, adbd: RealAdbd) -> None:
    (adbd.data / "app").mkdir()
    (adbd.data / "app/base.apk").write_bytes(apk({V3: CERTIFICATE}, 300_000))

    assert await Phone(link, PACE).signer("com.example.tvremote") == DIGEST


async def test_the_phone_dies(link: Link, adbd: RealAdbd) -> None:
    await link.connect()
    adbd.framework.hanging.add("dumpsys")
    asked = asyncio.create_task(link.run(line("dumpsys", "power"), 20))
    await until(lambda: bool(adbd.world.log))
    await asyncio.to_thread(adbd._process.kill)

    with pytest.raises(LinkError) as error:
        await asked
    assert (error.value.reason, error.value.sent) == (Reason.ADB_OFFLINE, True)


@with_keys
async def test_a_key_that_the_phone_knows(adb_key: AdbKey) -> None:
    async with RealAdbd(keys=adb_key.signer.GetPublicKey()) as adbd:
        link = Link("127.0.0.1", adbd.port, adb_key.signer, timing=TIMING)
        assert (await link.run(line("echo", "in"), 5)).text == "in\n"
        await link.close()


@with_keys
@pytest.mark.parametrize("allow", [True, False])
async def test_the_owner_answers(adb_key: AdbKey, allow: bool) -> None:
    async with RealAdbd(keys=b"") as adbd:
        timing = dataclasses.replace(TIMING, connect=0.5, allow=0.5)
        link = Link("127.0.0.1", adbd.port, adb_key.signer, timing=timing)
        connecting = asyncio.create_task(link.connect(allow=5 if allow else 0.5))
        asked = await adbd.asked.get()
        assert asked.startswith(b"PK")
        assert fingerprint(asked[2:]) == adb_key.fingerprint, "the owner can compare"

        adbd.answer(allow=allow)
        if allow:
            await connecting
            assert link.up
        else:
            with pytest.raises(LinkError) as error:
                await connecting
            assert error.value.reason is Reason.ADB_UNAUTHORIZED
        await link.close()


@with_keys
async def test_nobody_answers(adb_key: AdbKey) -> None:
    async with RealAdbd(keys=b"") as adbd:
        timing = dataclasses.replace(TIMING, allow=0.2)
        link = Link("127.0.0.1", adbd.port, adb_key.signer, timing=timing)

        with pytest.raises(LinkError) as error:
            await link.run(line("id"), 5)

        assert error.value.reason is Reason.ADB_UNAUTHORIZED
        await link.close()


@with_keys
async def test_through_the_port_of_wireless_debugging(adb_key: AdbKey) -> None:
    """Behind it is adbd's own TLS."""
    recipe = recipe_named("living_room_tv")
    async with (
        RealAdbd(keys=adb_key.signer.GetPublicKey()) as adbd,
        wireless_port(adbd.port) as port,
    ):
        link = Link("127.0.0.1", port, adb_key.signer, adb_key.tls, timing=TIMING)
        capability = recipe.capabilities["tv.power_off"]
        report = await perform(
            Phone(link, PATIENT), recipe, capability, {}, no_objection
        )
        assert report.outcome is Outcome.CHANGED, (report.evidence, report.trail)
        assert adbd.world.tv.presses == ["power"]

        long = await link.run(Line("head -c 3000000 /dev/zero | base64"), 20)
        assert len(long.out) > 4_000_000
        adbd.framework.hanging.add("dumpsys")
        asked = asyncio.create_task(link.run(line("dumpsys", "power"), 20))
        await until(lambda: any(words[0] == "dumpsys" for words in adbd.world.log[-1:]))
        await asyncio.to_thread(adbd._process.kill)
        with pytest.raises(LinkError) as error:
            await asked
        assert (error.value.reason, error.value.sent) == (Reason.ADB_OFFLINE, True)
        await link.close()


@with_keys
async def test_wireless_debugging_with_the_key_that_adb_has_paired(
    tmp_path: Path,
) -> None:
    made = tmp_path / "adbkey"
    async with Adb(tmp_path) as adb:
        await adb.run("keygen", str(made))
    key = AdbKey.load_or_create(made)
    public = key.signer.GetPublicKey()
    async with RealAdbd(keys=public) as adbd, wireless_port(adbd.port) as port:
        link = Link("127.0.0.1", port, key.signer, key.tls, timing=TIMING)
        assert (await link.run(line("echo", "in"), 5)).text == "in\n"
        await link.close()


@with_keys
async def test_wireless_debugging_of_another_key(adb_key: AdbKey) -> None:
    async with RealAdbd(keys=b"") as adbd, wireless_port(adbd.port) as port:
        link = Link("127.0.0.1", port, adb_key.signer, adb_key.tls, timing=TIMING)
        report = await examine(link, adb_key.fingerprint, (), open_apps=False)
        await link.close()
    assert link.problem is not None
    assert link.problem.reason is Reason.ADB_TLS_PORT
    (check,) = (one for one in report.checks if one.name == "connection")
    assert check.verdict is Verdict.PROBLEM
    assert "adb tcpip 5555" in check.remedy
    assert not adbd.asked.qsize(), "that port never asks its owner"


async def test_debians_adb_sees_the_same_phone(
    adbd: RealAdbd, link: Link, tmp_path: Path
) -> None:
    serial = f"127.0.0.1:{adbd.port}"
    async with Adb(tmp_path) as adb:
        await adb.run("connect", serial)
        asked = Line("getprop ro.product.model; exit 3")
        theirs = await adb.run("-s", serial, "shell", asked)
        ours = await link.run(asked, 5)

    assert (theirs.code, theirs.out) == (ours.code, ours.out) == (3, b"FakePhone\n")


async def test_a_run_and_its_outcome_beside_another_client(
    adbd: RealAdbd, link: Link, tmp_path: Path
) -> None:
    """A second adb on the same phone does not disturb a run."""
    recipe = recipe_named("living_room_tv")
    serial = f"127.0.0.1:{adbd.port}"
    async with Adb(tmp_path) as adb:
        await adb.run("connect", serial)
        capability = recipe.capabilities["tv.power_off"]
        _, report = await asyncio.gather(
            adb.run("-s", serial, "shell", "sleep 0.3"),
            perform(Phone(link, PACE), recipe, capability, {}, no_objection),
        )

    assert report.outcome is Outcome.CHANGED


async def test_a_whole_darcy(
    mosquitto: Mosquitto, adbd: RealAdbd, key_file: Path, tmp_path: Path
) -> None:
    """From an intent at the hub over the broker to a tap, and back."""
    async with (
        home(tmp_path, mosquitto.port) as here,
        darcy(tmp_path, mosquitto.port, adbd.port, key_file, PATIENT),
    ):
        await here.reached()
        done = await here.do("tv.power_off")
        assert done.steps[0].outcome is Outcome.CHANGED, done
        assert adbd.world.tv.presses == ["power"]
        again = await here.do("tv.power_off")
        assert again.steps[0].outcome is Outcome.ALREADY_SO, again
        assert adbd.world.tv.presses == ["power"]
