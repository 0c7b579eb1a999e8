"""The doctor: finds what would fail, says what to do, records what was said."""

import asyncio
import json
from pathlib import Path
import subprocess
import sys

import pytest

from hearthnet.core.phone.recipe import Recipe
from hearthnet.darcy.adbkey import AdbKey
from hearthnet.darcy.command import describe, read_recipe
from hearthnet.darcy.doctor import examine
from hearthnet.darcy.findings import Findings, Verdict
from hearthnet.darcy.link import Link
from hearthnet.darcy.ui import Tree
from tests.support.phone.apk import CERTIFICATE, DIGEST, V3, apk
from tests.support.phone.fake_adbd import FakeAdbd
from tests.support.phone.framework import APK

from .conftest import RECIPES
from .test_signer import pinned

SCREENS = Path(__file__).parent / "screens"


async def examined(link: Link, *recipes: Recipe, open_apps: bool = False) -> Findings:
    return await examine(link, "AA:BB", recipes, open_apps=open_apps)


def verdict(report: Findings, name: str) -> tuple[Verdict, str]:
    (check,) = [check for check in report.checks if check.name == name]
    return check.verdict, check.remedy


async def test_a_good_phone(link: Link, adbd: FakeAdbd, tv_recipe: Recipe) -> None:
    adbd.world.settings |= {
        "adb_allowed_connection_time": "0",
        "animator_duration_scale": "0.0",
    }

    report = await examined(link, tv_recipe, open_apps=True)

    assert report.healthy
    notes = [c.name for c in report.checks if c.verdict is not Verdict.FINE]
    assert notes == ["sensors"], "a host cannot ask Termux"
    assert "shows power on" in report.checks[-1].found
    assert not adbd.world.tv.presses
    assert adbd.world.front is None


async def test_what_is_recorded(link: Link) -> None:
    data = (await examined(link)).as_dict()

    recorded = data["recorded"]
    assert isinstance(recorded, dict)
    glance, dump = recorded["glance"], recorded["dump"]
    assert isinstance(glance, dict)
    assert isinstance(dump, dict)
    assert "mWakefulness=Awake" in str(glance["out"])
    assert isinstance(dump["ms"], int)
    assert dump["nodes"] == 2
    assert json.loads(json.dumps(data)) == data


async def test_what_gets_better_with_advice(link: Link, adbd: FakeAdbd) -> None:
    adbd.world.settings["animator_duration_scale"] = "1.0"

    report = await examined(link)

    for name in ("key expiry", "animations", "sensors"):
        found, remedy = verdict(report, name)
        assert found is Verdict.ADVICE
        assert remedy
    assert report.healthy


async def test_xiaomi(link: Link, adbd: FakeAdbd) -> None:
    adbd.world.inputs_allowed = False

    report = await examined(link)

    assert verdict(report, "inputs")[0] is Verdict.PROBLEM
    assert "Security settings" in verdict(report, "inputs")[1]
    assert not report.healthy


async def test_an_android_that_is_not_known(link: Link, adbd: FakeAdbd) -> None:
    adbd.world.hidden_lines = True

    report = await examined(link)

    for name in ("screen", "lock", "owner"):
        assert verdict(report, name)[0] is Verdict.PROBLEM


async def test_a_screen_that_cannot_be_read(link: Link, adbd: FakeAdbd) -> None:
    adbd.world.null_roots = 99

    assert verdict(await examined(link), "reading")[0] is Verdict.PROBLEM


async def test_recipes_that_do_not_fit(
    link: Link, adbd: FakeAdbd, tv_recipe: Recipe
) -> None:
    adbd.world.tv.version = 1300
    report = await examined(link, tv_recipe)
    assert verdict(report, "living_room_tv")[0] is Verdict.PROBLEM
    assert "1300" in report.checks[-1].found

    del adbd.world.apps[adbd.world.tv.package]
    report = await examined(link, tv_recipe)
    assert "not installed" in report.checks[-1].found


async def test_who_signed_an_app(link: Link, adbd: FakeAdbd, tv_recipe: Recipe) -> None:
    """What a recipe may be pinned to is told, and an app of somebody else is found."""
    adbd.shell.files[APK] = apk({V3: CERTIFICATE})
    report = await examined(link, tv_recipe)
    assert f"signer_sha256: {DIGEST}" in report.checks[-1].found
    assert report.checks[-1].verdict is Verdict.FINE

    adbd.shell.files[APK] = apk({V3: b"another"})
    report = await examined(link, pinned(tv_recipe, DIGEST))
    assert verdict(report, "living_room_tv")[0] is Verdict.PROBLEM


async def test_a_recipe_whose_screen_has_changed(
    link: Link, adbd: FakeAdbd, tv_recipe: Recipe
) -> None:
    adbd.world.tv.status = "Allumé"

    report = await examined(link, tv_recipe, open_apps=True)

    assert verdict(report, "living_room_tv")[0] is Verdict.PROBLEM
    assert "value_unmapped" in report.checks[-1].found


async def test_a_phone_that_is_gone(adbd: FakeAdbd, link: Link) -> None:
    await adbd.__aexit__()

    report = await examined(link)

    assert [check.name for check in report.checks] == ["key", "connection"]
    assert "adb tcpip 5555" in verdict(report, "connection")[1]
    await adbd.__aenter__()


async def test_the_text_is_for_people(link: Link, adbd: FakeAdbd) -> None:
    adbd.world.inputs_allowed = False

    text = (await examined(link)).text()

    assert "FAIL  inputs" in text
    assert text.endswith("problems: 1\n")


# The command line


MAIN = "from hearthnet.cli import main; raise SystemExit(main())"


async def command(*words: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", MAIN, *words],
        capture_output=True,
        text=True,
        check=False,
    )


async def test_hearthnet_darcy_doctor(
    adbd: FakeAdbd, adb_key: AdbKey, tmp_path: Path
) -> None:
    target = tmp_path / "report.json"
    done = await command(
        *("darcy", "doctor", "--port", str(adbd.port), "--key", str(tmp_path / "key")),
        *("--recipe", str(RECIPES / "living_room_tv.yaml"), "--open"),
        *("--json", str(target)),
    )

    assert done.returncode == 0, done.stderr
    assert "living_room_tv" in done.stdout
    assert json.loads(target.read_text())["healthy"] is True
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


async def test_hearthnet_darcy_screen(adbd: FakeAdbd, tmp_path: Path) -> None:
    adbd.world.start(adbd.world.tv.package)

    done = await command(
        *("darcy", "screen", "--port", str(adbd.port), "--key", str(tmp_path / "key"))
    )

    assert 'id: "com.example.tvremote:id/btn_power"}  (clickable)' in done.stdout


async def test_a_recipe_that_is_wrong(adbd: FakeAdbd, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("schema: 1\n")

    done = await command("darcy", "doctor", "--recipe", str(tmp_path / "bad.yaml"))

    assert done.returncode == 2
    assert "bad.yaml: line 1" in done.stderr
    assert not adbd.connections


def test_recipes_are_read_compiled_as_well(tmp_path: Path, tv_recipe: Recipe) -> None:
    path = tmp_path / "tv.json"
    path.write_bytes(tv_recipe.compiled())

    assert read_recipe(path) == tv_recipe
    path.write_bytes(b"{}")
    with pytest.raises(ValueError, match=r"tv\.json"):
        read_recipe(path)


def test_a_screen_is_described_without_secrets() -> None:
    text = "".join(describe(Tree((SCREENS / "sign_in.xml").read_bytes())))

    assert 'id: "com.example.thermo:id/password"' in text
    assert "hunter2" not in text


# Keys


def test_a_key_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "keys/adbkey"
    first = AdbKey.load_or_create(path)
    path.with_name("adbkey.pub").unlink()

    again = AdbKey.load_or_create(path)

    assert again.fingerprint == first.fingerprint
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(first.fingerprint.split(":")) == 16


def test_what_is_no_key(tmp_path: Path) -> None:
    path = tmp_path / "adbkey"
    path.write_text("not a key")

    with pytest.raises(ValueError, match="PEM"):
        AdbKey.load_or_create(path)
