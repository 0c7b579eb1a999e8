"""What the shipped policies mean for daily life."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hearthnet.core.devices import Device
from hearthnet.core.operations import Risk
from hearthnet.core.policy.evaluate import evaluate
from hearthnet.core.policy.load import PRESETS, load, preset
from hearthnet.core.policy.model import Decision, Evidence, Policy, Usage
from hearthnet.core.reasons import Reason

from .homes import (
    BLIND,
    DESK,
    DOOR,
    FREEZER,
    GARAGE,
    HEATING,
    PLUG,
    RADIO,
    SOFA,
    device,
    request,
)

BERLIN = ZoneInfo("Europe/Berlin")
DAY = datetime(2026, 11, 30, 15, tzinfo=BERLIN)
NIGHT = datetime(2026, 11, 30, 23, tzinfo=BERLIN)
POLICIES = {name: load(preset(name)) for name in PRESETS}
ALLOW, CONFIRM, DENY = Decision
WATER = device("water", "valve")
ALARM = device("alarm", "alarm_control_panel")
OPENER = device("opener", "button")
SIREN = device("siren", "siren")
CAMERA = device("camera", "camera")
BOILER = device("boiler", "water_heater")


def decide(
    name: str,
    operation: str,
    one: Device,
    role: str = "resident",
    now: datetime | None = DAY,
    evidence: Evidence = Evidence.STRONG,
    **parameters: Any,
) -> Decision:
    asked = request(operation, one, role=role, evidence=evidence, **parameters)
    return evaluate(POLICIES[name], asked, now, Usage()).decision


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("role", ["owner", "resident"])
def test_who_lives_here_may_always_close_lock_and_switch_off(
    name: str, role: str
) -> None:
    for operation, one in (
        ("lock.lock", DOOR),
        ("cover.close_cover", GARAGE),
        ("cover.stop_cover", GARAGE),
        ("valve.close_valve", WATER),
        ("alarm_control_panel.alarm_arm_away", ALARM),
        ("light.turn_off", SOFA),
        ("climate.turn_off", HEATING),
        ("media_player.turn_off", RADIO),
    ):
        for now in (DAY, NIGHT, None):
            assert decide(name, operation, one, role, now) is ALLOW


@pytest.mark.parametrize(
    ("operation", "one", "parameters", "expected"),
    [
        ("light.turn_on", SOFA, {"brightness_pct": 40}, (ALLOW, ALLOW, ALLOW)),
        ("lock.unlock", DOOR, {}, (CONFIRM, CONFIRM, ALLOW)),
        ("lock.open", DOOR, {}, (CONFIRM, CONFIRM, ALLOW)),
        ("cover.open_cover", GARAGE, {}, (CONFIRM, CONFIRM, ALLOW)),
        ("cover.open_cover", BLIND, {}, (ALLOW, CONFIRM, ALLOW)),
        ("climate.set_temperature", HEATING, {"temperature": 21}, (ALLOW,) * 3),
        (
            "climate.set_temperature",
            HEATING,
            {"temperature": 26},
            (CONFIRM, DENY, ALLOW),
        ),
        ("climate.set_temperature", HEATING, {"temperature": 70}, (ALLOW,) * 3),
        (
            "climate.set_temperature",
            HEATING,
            {"target_temp_low": 70, "target_temp_high": 80},
            (CONFIRM, DENY, ALLOW),
        ),
        ("valve.open_valve", WATER, {}, (CONFIRM, CONFIRM, ALLOW)),
        ("alarm_control_panel.alarm_disarm", ALARM, {}, (CONFIRM, CONFIRM, ALLOW)),
        ("alarm_control_panel.alarm_arm_home", ALARM, {}, (ALLOW,) * 3),
        ("button.press", OPENER, {}, (CONFIRM, CONFIRM, ALLOW)),
        ("siren.turn_off", SIREN, {}, (CONFIRM, CONFIRM, ALLOW)),
        ("camera.turn_off", CAMERA, {}, (CONFIRM, CONFIRM, ALLOW)),
        ("camera.turn_on", CAMERA, {}, (ALLOW,) * 3),
        ("water_heater.set_temperature", BOILER, {"temperature": 55}, (ALLOW,) * 3),
        (
            "water_heater.set_temperature",
            BOILER,
            {"temperature": 65},
            (CONFIRM, DENY, ALLOW),
        ),
        ("water_heater.set_temperature", BOILER, {"temperature": 120}, (ALLOW,) * 3),
        (
            "water_heater.set_temperature",
            BOILER,
            {"temperature": 150},
            (CONFIRM, DENY, ALLOW),
        ),
        ("switch.turn_on", PLUG, {}, (ALLOW, CONFIRM, ALLOW)),
        ("switch.turn_off", FREEZER, {}, (CONFIRM, DENY, ALLOW)),
        (
            "media_player.volume_set",
            RADIO,
            {"volume_level": 0.8},
            (CONFIRM, DENY, ALLOW),
        ),
    ],
)
def test_a_resident_by_day(
    operation: str,
    one: Device,
    parameters: dict[str, Any],
    expected: tuple[Decision, Decision, Decision],
) -> None:
    found = [decide(name, operation, one, **parameters) for name in PRESETS]
    assert tuple(found) == expected


@pytest.mark.parametrize(
    ("role", "now", "level", "expected"),
    [
        ("resident", DAY, 0.6, ALLOW),
        ("resident", NIGHT, 0.3, ALLOW),
        ("resident", NIGHT, 0.4, DENY),
        ("owner", NIGHT, 0.6, ALLOW),
        ("guest", DAY, 0.5, ALLOW),
        ("guest", DAY, 0.6, DENY),
        ("child", NIGHT, 0.4, DENY),
    ],
)
def test_quiet_hours_are_for_everybody_but_the_owner(
    role: str, now: datetime, level: float, expected: Decision
) -> None:
    found = decide(
        "balanced", "media_player.volume_set", RADIO, role, now, volume_level=level
    )
    assert found is expected


ROBOT = device("robot", "vacuum")
FAMILY = ("owner", "resident", "guest", "child")


@pytest.mark.parametrize(
    ("operation", "one", "parameters", "by_day", "by_night"),
    [
        ("light.turn_on", SOFA, {"brightness_pct": 40}, "AAAA", "AAAA"),
        ("light.turn_off", SOFA, {}, "AAAA", "AAAA"),
        ("lock.lock", DOOR, {}, "AAAA", "AAAA"),
        ("lock.unlock", DOOR, {}, "CCDD", "CCDD"),
        ("cover.open_cover", GARAGE, {}, "CCDD", "CCDD"),
        ("cover.close_cover", GARAGE, {}, "AAAA", "AAAA"),
        ("cover.open_cover", BLIND, {}, "AAAD", "AAAD"),
        ("climate.set_temperature", HEATING, {"temperature": 21}, "AAAD", "AAAD"),
        ("climate.set_temperature", HEATING, {"temperature": 26}, "CCCD", "CCCD"),
        ("media_player.volume_set", RADIO, {"volume_level": 0.2}, "AAAA", "AAAA"),
        ("media_player.volume_set", RADIO, {"volume_level": 0.6}, "AADD", "ADDD"),
        ("alarm_control_panel.alarm_disarm", ALARM, {}, "CCDD", "CCDD"),
        ("switch.turn_on", PLUG, {}, "AADD", "AADD"),
        ("vacuum.start", ROBOT, {}, "AADD", "AADD"),
    ],
)
def test_a_family_in_the_balanced_policy(
    operation: str,
    one: Device,
    parameters: dict[str, Any],
    by_day: str,
    by_night: str,
) -> None:
    """C17: owner, resident, guest and child, by day and by night."""
    for now, expected in ((DAY, by_day), (NIGHT, by_night)):
        found = (
            decide("balanced", operation, one, role, now, **parameters)
            for role in FAMILY
        )
        assert "".join(decision.name[0] for decision in found) == expected


@pytest.mark.parametrize(
    ("origin", "now", "expected"),
    [
        ("voice", NIGHT, CONFIRM),
        ("voice", DAY, ALLOW),
        ("app", NIGHT, ALLOW),
    ],
)
def test_a_voice_at_night_wakes_nobody_unasked(
    origin: str, now: datetime, expected: Decision
) -> None:
    """C18: it may be the television; who holds a phone means it."""
    asked = request("vacuum.start", ROBOT, role="resident", evidence=Evidence.MAPPED)
    asked = replace(asked, origin=origin)
    assert evaluate(POLICIES["balanced"], asked, now, Usage()).decision is expected


@pytest.mark.parametrize(
    ("home", "expected"),
    [(None, CONFIRM), (frozenset[str](), CONFIRM), (frozenset({"Anna"}), ALLOW)],
)
def test_where_nobody_may_be_at_home_somebody_is_asked(
    home: frozenset[str] | None, expected: Decision
) -> None:
    """C18: that nobody knows who is there is no leave to act."""
    asked = replace(request("media_player.turn_on", RADIO, role="owner"), home=home)
    assert evaluate(POLICIES["cautious"], asked, DAY, Usage()).decision is expected


@pytest.mark.parametrize("name", PRESETS)
def test_guests_and_children_open_no_door_by_themselves(name: str) -> None:
    for role in ("guest", "child", "unknown"):
        for operation, one in (
            ("lock.unlock", DOOR),
            ("lock.open", DOOR),
            ("cover.open_cover", GARAGE),
            ("valve.open_valve", WATER),
            ("alarm_control_panel.alarm_disarm", ALARM),
            ("button.press", OPENER),
        ):
            assert decide(name, operation, one, role) is not ALLOW


@pytest.mark.parametrize("name", PRESETS)
def test_an_unknown_voice_silences_nothing_that_guards(name: str) -> None:
    for operation, one in (
        ("siren.turn_off", SIREN),
        ("camera.turn_off", CAMERA),
        ("camera.disable_motion_detection", CAMERA),
        ("alarm_control_panel.alarm_arm_home", ALARM),
    ):
        found = decide(name, operation, one, "unknown", evidence=Evidence.LOW)
        assert found is DENY


@pytest.mark.parametrize("name", PRESETS)
def test_agents_on_their_own_do_at_most_the_safe_direction(name: str) -> None:
    for operation, one in (("light.turn_on", SOFA), ("lock.unlock", DOOR)):
        found = decide(name, operation, one, "agent", evidence=Evidence.LOW)
        assert found is DENY


def test_a_voice_or_an_automation_does_not_open_the_garage_unasked() -> None:
    for name in PRESETS:
        for role in ("resident", "automation"):
            found = decide(
                name, "cover.open_cover", GARAGE, role, evidence=Evidence.MAPPED
            )
            assert found in (CONFIRM, DENY)


def test_a_mapped_voice_switches_the_light() -> None:
    for name in PRESETS:
        found = decide(name, "light.turn_on", SOFA, evidence=Evidence.MAPPED)
        assert found is ALLOW


def test_many_devices_are_asked_about_but_not_their_switching_off() -> None:
    lamps = [device(f"lamp_{n}", "light") for n in range(13)]
    on, off = (request(f"light.turn_{way}", *lamps) for way in ("on", "off"))
    policy = POLICIES["balanced"]
    verdict = evaluate(policy, on, DAY, Usage())
    assert verdict.reason is Reason.CONFIRMATION_REQUIRED
    assert evaluate(policy, off, DAY, Usage()).decision is ALLOW
    few = replace(on, targets=on.targets[:12])
    assert evaluate(policy, few, DAY, Usage()).decision is ALLOW
    assert evaluate(policy, few, DAY, Usage(devices=1)).decision is CONFIRM


def test_a_loop_is_stopped_but_can_still_be_switched_off() -> None:
    usage = Usage(ages={"desk": tuple(float(n) for n in range(30))})
    policy = POLICIES["balanced"]
    verdict = evaluate(policy, request("light.turn_on", DESK), DAY, usage)
    assert verdict.reason is Reason.RATE_LIMITED
    off = evaluate(policy, request("light.turn_off", DESK), DAY, usage)
    assert off.decision is ALLOW


def test_stricter_presets_are_stricter() -> None:
    """What cautious allows a resident without a question, the others do too."""
    one, two, three = (POLICIES[n] for n in ("cautious", "balanced", "relaxed"))
    for operation, target, parameters in (
        ("light.turn_on", SOFA, {"brightness_pct": 100}),
        ("switch.turn_on", PLUG, {}),
        ("switch.turn_on", FREEZER, {}),
        ("cover.open_cover", BLIND, {}),
        ("lock.unlock", DOOR, {}),
        ("climate.set_temperature", HEATING, {"temperature": 25}),
        ("media_player.volume_set", RADIO, {"volume_level": 0.9}),
    ):
        asked = request(operation, target, **parameters)
        found = [evaluate(p, asked, DAY, Usage()).decision for p in (one, two, three)]
        assert found == sorted(found, reverse=True)


def test_while_nothing_is_recorded_only_the_safe_direction_is_left() -> None:
    for name, risk, expected in (
        ("balanced", Risk.FREE, True),
        ("balanced", Risk.NORMAL, False),
        ("cautious", Risk.FREE, False),
    ):
        assert POLICIES[name].grants_unrecorded(risk) is expected
    assert Policy().grants_unrecorded(Risk.FREE)
