"""The closed table: complete rows, and effects that can be read back."""

from pathlib import Path
from random import Random
import re

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.devices import Values
from hearthnet.core.domains import OPERATIONS, operations_of
from hearthnet.core.effects import Effect, contradicts
from hearthnet.core.messages import Json
from hearthnet.core.operations import Operation, Risk, check_parameters

from .homes import SEEDS, VALUES, draw_parameters

ROOT = Path(__file__).parents[2]
DOMAINS = {
    *("light", "switch", "input_boolean", "media_player", "climate", "cover", "lock"),
    *("fan", "input_datetime", "input_number", "number", "input_select", "select"),
    *("valve", "alarm_control_panel", "humidifier", "water_heater", "vacuum"),
    *("lawn_mower", "siren", "button", "input_button", "input_text", "text"),
    *("remote", "camera", "script", "scene"),
}
MORE_VALUES: dict[str, tuple[Json, ...]] = {
    **VALUES,
    "percentage": (1, 50),
    "oscillating": (True, False),
    "direction": ("forward",),
    "value": (0, 21.5),
    "option": ("on", "auto"),
    "humidity": (40, 60),
    "mode": ("auto", "on"),
    "operation_mode": ("eco", "off", "on"),
    "away_mode": (True, False),
    "fan_speed": ("low", "max"),
    "activity": ("TV", "Music"),
    "date": ("2026-12-24", "2027-01-01"),
    "time": ("07:30", "18:05:30"),
    "tone": ("fire",),
    "duration": (1, 60),
}
TEXTS = ("on", "milk")
"""What is written into a text, where others take a number of the same name."""
UNSEEN = frozenset({"transition", "tone", "duration"})
"""Parameters that say how, and that no device reports back."""


def values_of(row: Operation, name: str) -> tuple[Json, ...]:
    return TEXTS if name == "value" and row.parameters[name].text else MORE_VALUES[name]


PRESENT: tuple[Values, ...] = ({}, {"current_position": 30, "state": "open"})


def test_the_table_knows_the_domains() -> None:
    assert {row.domain for row in OPERATIONS.values()} == DOMAINS
    assert {row.name for row in operations_of("lock")} == {
        *("lock.lock", "lock.unlock", "lock.open")
    }
    assert operations_of("automation") == ()
    for name, row in OPERATIONS.items():
        assert name == row.name


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=OPERATIONS)
def test_a_row_is_complete(row: Operation) -> None:
    grouped = row.required.union(*row.exclusive, *row.alternatives)
    assert grouped <= row.parameters.keys()
    assert 0 < row.deadline <= 30
    assert "toggle" not in row.name
    for name in row.parameters:
        assert not row.parameters[name].problem(values_of(row, name)[0])


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=OPERATIONS)
def test_every_parameter_but_the_way_there_has_an_effect(row: Operation) -> None:
    unseen = UNSEEN | ({"volume_level"} if row.domain == "siren" else set())
    for name in row.parameters.keys() - unseen:
        values = values_of(row, name)
        seen = {repr(row.effects({name: value}, {})) for value in values}
        assert len(seen) == len(values)
    bare = row.effects({}, {})
    assert row.effects({"transition": 5, "duration": 5}, {}) == bare


@settings(deadline=None)
@given(st.sampled_from(list(OPERATIONS.values())), SEEDS)
def test_effects_of_one_operation_do_not_contradict_each_other(
    row: Operation, seed: int
) -> None:
    if row.parameters.keys() <= VALUES.keys():
        parameters = draw_parameters(Random(seed), row)
        assert check_parameters(row, parameters) is None
        for present in PRESENT:
            effects = row.effects(parameters, present)
            assert len({attribute for attribute, _ in effects}) == len(effects)
            if ("state", "off") not in effects:
                for one in effects:
                    for other in effects:
                        assert not contradicts(Effect("d", *one), *other)


def test_what_stops_closes_locks_or_switches_off_reads_no_state() -> None:
    """F20: it must not be refused because the device moved on."""
    blind = {row.name for row in OPERATIONS.values() if not row.reads_state}
    named = {
        name
        for name in OPERATIONS
        if re.search(
            r"\.(turn_off|(media_)?stop(_\w+)?|lock|dock|return_to_base)$", name
        )
        or re.search(r"\.(close_\w+|alarm_arm_(away|vacation))$", name)
        or name in ("vacuum.pause", "lawn_mower.pause")
    }
    assert blind == named
    for name in blind:
        # What guards has no safe direction, nor has a helper: off may mean alarm off.
        guards = name.startswith(("input_boolean.", "siren.", "camera."))
        assert OPERATIONS[name].risk is (Risk.NORMAL if guards else Risk.FREE)
        assert OPERATIONS[name].absolute


def test_what_cannot_be_read_back() -> None:
    silent = {name for name, row in OPERATIONS.items() if _never_effects(row)}
    assert silent == {
        *("cover.stop_cover", "cover.stop_cover_tilt", "valve.stop_valve"),
        *("media_player.media_next_track", "media_player.media_previous_track"),
        *("camera.turn_on", "camera.turn_off", "vacuum.locate"),
        *("button.press", "input_button.press", "script.turn_on", "scene.turn_on"),
    }


def test_what_is_never_repeated() -> None:
    assert {name for name, row in OPERATIONS.items() if not row.absolute} == {
        *("lock.open", "button.press", "input_button.press"),
        *("script.turn_on", "scene.turn_on"),
        *("media_player.media_next_track", "media_player.media_previous_track"),
    }


def test_no_operation_takes_a_code() -> None:
    """Codes would be in the record for ever."""
    for row in OPERATIONS.values():
        assert not row.parameters.keys() & {"code", "pin", "password"}


def _never_effects(row: Operation) -> bool:
    values = {name: values_of(row, name)[0] for name in row.parameters}
    return not row.effects(values, {})


def test_what_opens_the_house_is_of_the_confirm_class() -> None:
    risky = {row.name for row in OPERATIONS.values() if row.risk is Risk.CONFIRM}
    assert risky == {
        *("lock.unlock", "lock.open", "cover.open_cover", "cover.set_cover_position"),
        *("valve.open_valve", "valve.set_valve_position"),
        *("alarm_control_panel.alarm_disarm", "button.press", "input_button.press"),
        *("script.turn_on", "scene.turn_on"),
    }


def test_a_blind_that_knows_its_position_is_read_back_by_it() -> None:
    row = OPERATIONS["cover.open_cover"]
    assert row.effects({}, {"current_position": 3}) == (
        *(("state", "open"), ("current_position", 100)),
    )
    assert row.effects({}, {}) == (("state", "open"),)
    position = OPERATIONS["cover.set_cover_position"]
    assert position.effects({"position": 40}, {}) == (("current_position", 40),)


@pytest.mark.parametrize(
    ("name", "parameters", "field"),
    [
        ("light.turn_on", {"brightness_pct": 0}, "brightness_pct"),
        ("light.turn_on", {"brightness_pct": True}, "brightness_pct"),
        ("light.turn_on", {"brightness_pct": float("nan")}, "brightness_pct"),
        ("light.turn_on", {"brightness": 128}, "brightness"),
        ("light.turn_on", {"flash": "short"}, "flash"),
        (
            "light.turn_on",
            {"color_temp_kelvin": 2700, "rgb_color": [1, 2, 3]},
            "rgb_color",
        ),
        ("light.turn_on", {"rgb_color": [1, 2]}, "rgb_color"),
        ("climate.set_temperature", {}, "temperature"),
        ("climate.set_temperature", {"hvac_mode": "heat"}, "temperature"),
        ("climate.set_temperature", {"target_temp_low": 18}, "target_temp_low"),
        (
            "climate.set_temperature",
            {"temperature": 20, "target_temp_low": 18, "target_temp_high": 22},
            "target_temp_high",
        ),
        ("media_player.volume_set", {"volume_level": 30}, "volume_level"),
        ("media_player.volume_set", {}, "volume_level"),
        ("media_player.volume_mute", {"is_volume_muted": "yes"}, "is_volume_muted"),
        ("lock.unlock", {"code": "1234"}, "code"),
        ("alarm_control_panel.alarm_disarm", {"code": "1234"}, "code"),
        ("siren.turn_on", {"duration": 3600}, "duration"),
        ("humidifier.set_humidity", {"humidity": 101}, "humidity"),
        ("text.set_value", {"value": "x" * 101}, "value"),
    ],
)
def test_wrong_parameters_are_named(
    name: str, parameters: dict[str, Json], field: str
) -> None:
    problem = check_parameters(OPERATIONS[name], parameters)
    assert problem is not None
    assert problem.field == field


def test_the_page_lists_the_table() -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    row_of = re.compile(
        r"^\| `(\w+\.\w+)` \| (.*?) \| (\w+) \| ([\d.]+) s", re.MULTILINE
    )
    rows = row_of.findall(page)
    listed = {name: (parameters, risk, float(s)) for name, parameters, risk, s in rows}
    assert listed == {
        name: (
            ", ".join(f"`{p}`" for p in row.parameters) or "none",
            row.risk.value,
            row.deadline,
        )
        for name, row in OPERATIONS.items()
    }
