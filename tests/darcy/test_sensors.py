"""What is read of the phone itself, from dumpsys and from Termux's commands."""

from collections.abc import Callable
import json
from pathlib import Path
import time

from hypothesis import given, strategies as st
import pytest

from hearthnet.darcy import facts, termux
from hearthnet.darcy.link import Link
from hearthnet.darcy.sensors import (
    MAX_AGE,
    PhoneState,
    Sensors,
    from_termux,
    recent_events,
    with_battery,
)
from tests.support.phone.fake_adbd import FakeAdbd

from .conftest import until

TV = "phone.living_room_tv"

POPUP = "  mCurrentFocus=Window{1f u0 PopupWindow:ab12}\n"

# dumpsys, in the shapes of several Android versions


@pytest.mark.parametrize(
    ("text", "package", "shade"),
    [
        ("  mCurrentFocus=Window{1f u0 com.a.b/com.a.b.Main}\n", "com.a.b", False),
        ("  mCurrentFocus=Window{1f com.a.b/com.a.b.Main}\n", "com.a.b", False),
        ("  mCurrentFocus=Window{1f u10 com.a.b/.Main}\n", "com.a.b", False),
        ("  mCurrentFocus=Window{1f u0 NotificationShade}\n", None, True),
        ("  mCurrentFocus=Window{1f u0 StatusBar}\n", None, True),
        ("  mCurrentFocus=null\n", None, False),
        ("", None, False),
        (
            "  mCurrentFocus=null\n  mCurrentFocus=Window{1f u0 com.a.b/.Main}\n",
            "com.a.b",
            False,
        ),
        (
            f"{POPUP}  mFocusedApp=ActivityRecord{{2a u0 com.a.b/.Main t7}}\n",
            "com.a.b",
            False,
        ),
        (
            f"{POPUP}  mFocusedApp=AppWindowToken{{3 Token{{5 u0 com.a.b/.Main}}}}\n",
            "com.a.b",
            False,
        ),
    ],
)
def test_what_is_in_front(text: str, package: str | None, shade: bool) -> None:
    seen = facts.glance(f"\n{facts.MARK}\n{text}{facts.MARK}\n{facts.MARK}\n")

    assert (seen.package, seen.shade) == (package, shade)


@pytest.mark.parametrize(
    ("text", "locked"),
    [
        ("  mDreamingLockscreen=true\n", True),
        ("  mShowingLockscreen=false mShowingDream=false\n", False),
        ("    isKeyguardShowing=true\n", True),
        ("  KeyguardController:\n    mKeyguardShowing=true\n", True),
        ("    mIsShowing=false\n    mDreamingLockscreen=true\n", True),
        ("", None),
    ],
)
def test_whether_it_is_locked(text: str, locked: bool | None) -> None:
    assert facts.glance(f"{facts.MARK}{text}{facts.MARK}").locked is locked


@pytest.mark.parametrize(
    ("text", "quiet"),
    [
        ("lastUserActivityTime=11453 (163624 ms ago)\n", 163.624),
        ("  mLastUserActivityTime=71986209 (11539 ms ago)\n", 11.539),
        ("lastUserActivityTime=5 (now)\n", 0),
        (
            "lastUserActivityTime=5 (900 ms ago)\nlastUserActivityTime=9 (20 ms ago)\n",
            0.02,
        ),
        (" mLastUserActivityTime(excludingAttention)=11447\n", None),
        ("", None),
    ],
)
def test_when_it_was_touched(text: str, quiet: float | None) -> None:
    assert facts.glance(text).quiet == quiet


def test_the_overridden_size_counts() -> None:
    text = facts.MARK * 3 + "Physical size: 1440x3200\nOverride size: 1080x2400\n"

    assert facts.glance(text).size == (1080, 2400)


def test_an_app_of_another_user_is_not_there() -> None:
    text = (
        "    versionCode=12 minSdk=1\n    User 0: ceDataInode=0 installed=false hidden"
    )

    assert facts.package(text) is None


@given(st.text())
def test_any_output(text: str) -> None:
    facts.glance(text)
    facts.package(text)
    with_battery(PhoneState(), text)
    recent_events(text, "10:00:00")


@pytest.mark.parametrize("digits", [20, 400, 5000])
def test_numbers_without_end(digits: int) -> None:
    """More than any phone says, and more than Python reads or a float holds."""
    long = "9" * digits
    seen = facts.glance(
        f"astUserActivityTime=1 ({long} ms ago)\n"
        + facts.MARK * 3
        + f"Physical size: {long}x{long}\n"
    )
    assert (seen.quiet, seen.size) == (None, None)
    assert facts.package(f"versionCode={long} minSdk=1") is None
    battery = f"  level: {long}\n  scale: {long}\n  temperature: -{long}\n"
    assert with_battery(PhoneState(), battery) == PhoneState()
    event = f"L: last 1 events\n\t 1 (ts=1, wall=10:00:00.1) {long}e999,\n"
    recent_events(f"0x1) L | type: android.sensor.light(5)\n{event}", "10:00:00")


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "9" * 5000]
)
def test_no_sensor_says_what_is_no_number(value: str) -> None:
    text = f'{{"light": {{"values": [{value}]}}, "gyroscope": {{"values": [1, 2, 3]}}}}'
    assert "light" not in from_termux(text.encode())


def test_an_answer_of_termux_without_end() -> None:
    assert from_termux(b"[" * 100_000) == {}


# Sensors

LIGHT = (
    "Sensor List:\n"
    "0x01010005) TMD4910 Light | AMS | ver: 1 | type: android.sensor.light(5) | perm\n"
    "Recent Sensor events:\n"
    "TMD4910 Light: last 2 events\n"
    "\t 1 (ts=96.1, wall=23:59:02.123) 5.00, 0.00,\n"
    "\t 2 (ts=97.1, wall=23:59:58.123) 7.50, 0.00,\n"
    "Unlisted: last 1 events\n"
    "\t 1 (ts=97.1, wall=23:59:58.123) 9.00,\n"
)


def test_the_newest_event_counts() -> None:
    assert recent_events(LIGHT, "23:59:59")["light"] == (7.5, 0)
    assert recent_events(LIGHT, "00:00:30")["light"] == (7.5, 0), "past midnight"


def test_an_old_event_says_nothing() -> None:
    later = time.strftime("%H:%M:%S", time.gmtime(MAX_AGE))
    assert recent_events(LIGHT, later) == {}
    assert recent_events(LIGHT, "no clock") == {}


async def test_the_state_of_the_phone(link: Link, adbd: FakeAdbd) -> None:
    adbd.world.front = adbd.world.music.package

    state = await Sensors(link).read()

    assert state.values() == {
        "battery": 81,
        "charging": True,
        "temperature": 28.7,
        "light": 124.0,
        "screen": True,
        "locked": False,
        "app": "com.example.music",
    }


async def test_what_android_does_not_tell_is_left_out(
    link: Link, adbd: FakeAdbd
) -> None:
    adbd.world.hidden_lines = True

    assert (await Sensors(link).read()).values() == {}


def test_termux_names_sensors_after_their_makers() -> None:
    text = json.dumps(
        {
            "TMD4910 Ambient Light Sensor": {"values": [12]},
            "LSM6DSO Gyroscope": {"values": [0.1, 0, -0.25]},
            "LSM6DSO Accelerometer": {"values": [0, 9.81, 0]},
            "broken": {"values": ["x"]},
            "Light strip": {"values": []},
        }
    ).encode()

    assert from_termux(text) == {
        "light": (12,),
        "gyroscope": (0.1, 0, -0.25),
        "accelerometer": (0, 9.81, 0),
    }


@given(st.binary())
def test_any_answer_of_termux(data: bytes) -> None:
    from_termux(data)


@pytest.mark.parametrize(
    "text", ["[]", "3", '{"light": 3}', '{"light": {"values": 3}}']
)
def test_odd_answers_of_termux(text: str) -> None:
    assert from_termux(text.encode()) == {}


type Install = Callable[[str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a command of Termux's on PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def put(name: str, script: str) -> None:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return put


async def test_termux_is_asked_where_it_is(link: Link, install: Install) -> None:
    install(
        "termux-sensor",
        """[ "$1" = -c ] || echo '{"LSM6DSO Gyroscope": {"values": [1, 2, 3]}}'""",
    )

    state = await Sensors(link).read()

    assert state.gyroscope == (1.0, 2.0, 3.0)
    assert state.light == 124, "what Termux does not have comes from dumpsys"


async def test_termux_that_never_answers(
    link: Link, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearthnet.darcy.sensors.TERMUX_LIMIT", 0.1)
    install("termux-sensor", f"sleep 60 & echo $! > {tmp_path}/child; wait")

    state = await Sensors(link).read()

    assert state.battery == 81
    assert state.gyroscope is None
    await until(lambda: not lives((tmp_path / "child").read_text().strip()))


def lives(pid: str) -> bool:
    """Tell whether a process has not ended."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().split()[2] != "Z"


async def test_a_command_that_is_not_there() -> None:
    assert not termux.has("termux-nonsense")
    with pytest.raises(termux.TermuxError):
        await termux.run("termux-nonsense", timeout=1)


async def test_a_command_that_fails(install: Install) -> None:
    install("termux-x", "echo no >&2; exit 3")

    with pytest.raises(termux.TermuxError, match="exit code 3 no"):
        await termux.run("termux-x", timeout=5)
