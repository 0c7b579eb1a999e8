"""Undo is attribute-exact: after any operation, its way back gives what was before."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from hearthnet.core.devices import Device, Values
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.effects import OFF_VALUES, STATE, same_value
from hearthnet.core.messages import Json
from hearthnet.core.operations import Operation, Parameters, check_parameters
from hearthnet.core.restore import restorable, ways_back

from .test_operations_table import values_of

type Full = dict[str, Json]

PLAYERS: tuple[Full, ...] = tuple(
    {
        "state": state,
        "volume_level": 0.4,
        "is_volume_muted": muted,
        "source": "Radio",
    }
    for state in ("on", "idle", "playing", "paused")
    for muted in (True, False)
)
STATES: Mapping[str, tuple[Full, ...]] = {
    "light": (
        {"state": "off"},
        {"state": "on"},
        {"state": "on", "brightness_pct": 33, "color_temp_kelvin": 3300},
        {"state": "on", "brightness_pct": 33, "rgb_color": [9, 99, 255]},
        {"state": "on", "brightness_pct": 33, "effect": "rainbow"},
    ),
    "switch": ({"state": "off"}, {"state": "on"}),
    "input_boolean": ({"state": "off"}, {"state": "on"}),
    "media_player": ({"state": "off"}, *PLAYERS),
    "climate": (
        {"state": "off", "temperature": 20, "fan_mode": "high"},
        {"state": "heat", "temperature": 20, "fan_mode": "high"},
        {"state": "heat", "temperature": 20, "preset_mode": "comfort"},
        {"state": "heat_cool", "target_temp_low": 19, "target_temp_high": 25},
    ),
    "cover": (
        {"state": "closed"},
        {"state": "open"},
        {"state": "closed", "current_position": 0, "current_tilt_position": 20},
        {"state": "open", "current_position": 40, "current_tilt_position": 80},
    ),
    "valve": (
        {"state": "closed"},
        {"state": "open"},
        {"state": "open", "current_position": 40},
    ),
    "lock": ({"state": "locked"}, {"state": "unlocked"}),
    "alarm_control_panel": ({"state": "disarmed"}, {"state": "armed_night"}),
    "fan": (
        {"state": "off"},
        {"state": "on"},
        {"state": "on", "percentage": 33, "oscillating": False, "direction": "reverse"},
        {"state": "on", "preset_mode": "breeze", "oscillating": True},
    ),
    "humidifier": (
        {"state": "off"},
        {"state": "on", "humidity": 45, "mode": "sleep"},
    ),
    "water_heater": (
        {"state": "off"},
        {
            "state": "gas",
            "operation_mode": "gas",
            "temperature": 52,
            "away_mode": False,
        },
    ),
    "vacuum": tuple(
        {"state": state, "fan_speed": "quiet"}
        for state in ("docked", "cleaning", "paused")
    ),
    "lawn_mower": tuple({"state": s} for s in ("docked", "mowing", "paused")),
    "siren": ({"state": "off"},),
    "remote": ({"state": "off"}, {"state": "on", "current_activity": "Radio"}),
    "camera": ({"motion_detection": True}, {"motion_detection": False}),
    "number": ({"state": 7},),
    "input_number": ({"state": 7},),
    "input_datetime": (
        {"date": "2026-11-30", "time": "06:00:00"},
        {"time": "06:00:00"},
    ),
    "select": ({"option": "eco"},),
    "input_select": ({"option": "eco"},),
    "text": ({"value": "bread"},),
    "input_text": ({"value": "bread"},),
}
"""By domain, how a device may be before; all attributes that a command sets."""
LOSES_ALL = frozenset({"light", "fan", "humidifier", "water_heater", "remote"})
"""Domains of which one that is off shows no other attribute."""
ONE_OF = {
    "light": frozenset({"color_temp_kelvin", "rgb_color", "effect"}),
    "fan": frozenset({"percentage", "preset_mode"}),
}
"""Attributes of which a device shows the one that was set last."""


@dataclass
class Thing:
    """A device that does as it is told, and remembers what it showed when it was on."""

    domain: str
    values: Full
    kept: Full

    def do(self, row: Operation, parameters: Parameters) -> None:
        """Let an operation have its effects."""
        asleep = self.values.get(STATE) in OFF_VALUES
        if self.domain == "media_player" and asleep and "turn_on" not in row.name:
            return
        effects = dict(row.effects(parameters, self.values))
        if effects.get(STATE) == "on" and self.values.get(STATE) not in OFF_VALUES:
            del effects[STATE]  # it is on, and stays as it is
        now = {**self.kept, **self.values, **effects}
        for name in effects.keys() & ONE_OF.get(self.domain, frozenset()):
            for rival in ONE_OF[self.domain] - {name}:
                now.pop(rival, None)
        if self.domain == "light" and now.get("effect", "") is None:
            del now["effect"]
        position = effects.get("current_position")
        if self.domain in ("cover", "valve") and position is not None:
            now[STATE] = "closed" if position == 0 else "open"
        if self.domain in LOSES_ALL and asleep and effects and STATE not in effects:
            now[STATE] = "on"  # whoever sets its speed switches it on
        if self.domain == "water_heater" and effects.get("operation_mode"):
            now[STATE] = effects["operation_mode"]
        self.kept = now
        off = self.domain in LOSES_ALL and now.get(STATE) in OFF_VALUES
        self.values = {STATE: now[STATE]} if off else now


def same(name: str, value: Json, shown: Json) -> bool:
    """Tell whether two values are one, states to the letter."""
    return value == shown if name == STATE else same_value(name, value, shown)


def draws(row: Operation) -> list[dict[str, Json]]:
    """Return parameters for an operation: each alone, and what belongs together."""
    found: list[dict[str, Json]] = [{}] if not row.required else []
    names = [n for n in row.parameters if n not in ("transition", "tone", "duration")]
    found += [{n: v} for n in names for v in values_of(row, n)]
    found += [
        {name: values_of(row, name)[0] for name in way} for way in row.alternatives
    ]
    return [p for p in found if check_parameters(row, p) is None]


def test_every_domain_with_a_way_back_is_tried() -> None:
    known = {
        domain
        for domain in {row.domain for row in OPERATIONS.values()}
        if restorable(Device(id="d", entity_id=f"{domain}.d", name="D", domain=domain))
    }
    assert known == STATES.keys()


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=OPERATIONS)
def test_the_way_back_gives_what_was_before(row: Operation) -> None:
    domain = row.domain
    device = Device(id="d", entity_id=f"{domain}.d", name="D", domain=domain)
    for before in STATES.get(domain, ()):
        for parameters in draws(row):
            thing = Thing(domain, dict(before), dict(before))
            thing.do(row, parameters)
            changed: Values = {
                name: value
                for name, value in before.items()
                if not same(name, value, thing.values.get(name))
            }
            for operation, back in ways_back(device, changed, before, thing.values):
                assert check_parameters(OPERATIONS[operation], back) is None
                thing.do(OPERATIONS[operation], back)
            where = parameters, before, thing.values
            for name, value in before.items():
                shown = thing.values.get(name)
                on = name == STATE and value == "on" and shown not in OFF_VALUES
                assert on or same(name, value, shown), where


def test_a_player_that_cannot_stop_is_paused() -> None:
    """What was idle and plays by our doing shall be silent again."""
    device = Device(
        id="d",
        entity_id="media_player.d",
        name="D",
        domain="media_player",
        features=frozenset({"media_player.media_play", "media_player.media_pause"}),
    )
    (way,) = ways_back(device, {"state": "idle"}, {"state": "idle"})
    assert way == ("media_player.media_pause", {})
