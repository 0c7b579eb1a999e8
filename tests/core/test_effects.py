"""Effects: what counts as reached, and what would change a held attribute."""

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.effects import Effect, contradicts, same_value
from hearthnet.core.messages import Json


@pytest.mark.parametrize(
    ("attribute", "wanted", "seen", "same"),
    [
        ("brightness_pct", 55, 54.9, True),
        ("brightness_pct", 55, 53.9, False),
        ("brightness_pct", 55, None, False),
        ("brightness_pct", 55, "55", False),
        ("volume_level", 0.3, 0.31, True),
        ("is_volume_muted", True, 1, False),
        ("rgb_color", [255, 0, 0], [255, 0, 0], True),
        ("rgb_color", [255, 0, 0], [255, 0], False),
        # Through xy, and without its brightness.
        ("rgb_color", [0, 0, 255], [11, 0, 255], True),
        ("rgb_color", [128, 0, 128], [254, 11, 255], True),
        ("rgb_color", [255, 165, 0], [255, 128, 0], False),
        ("rgb_color", [0, 0, 0], [255, 255, 255], False),
        ("rgb_color", [0, 0, 0], [0, 0, 0], True),
        ("rgb_color", [255, 0, 0], None, False),
        ("state", "on", "on", True),
        ("state", "on", "playing", True),
        ("state", "on", "heat", True),
        ("state", "on", "off", False),
        ("state", "on", "standby", False),
        ("state", "on", "unavailable", False),
        ("state", "on", None, False),
        ("state", "off", "standby", True),
        ("state", "off", "idle", False),
        ("state", "idle", "on", True),
        ("state", "idle", "playing", False),
        ("state", "paused", "idle", True),
        ("state", "open", "unlocked", True),
        ("state", "unlocked", "open", False),
        ("state", "locked", "unlocked", False),
        ("state", 21.5, 21.5, True),
        ("source", "on", "playing", False),
        ("option", "on", "auto", False),
    ],
)
def test_what_a_device_shows_counts_as_what_was_wanted(
    attribute: str, wanted: Json, seen: Json, same: bool
) -> None:
    assert same_value(attribute, wanted, seen) is same


@pytest.mark.parametrize(
    ("new", "held", "against"),
    [
        # F5 (iii): off, on, and on without parameters.
        (("state", "off"), ("brightness_pct", 60), True),
        (("state", "off"), ("state", "off"), False),
        (("state", "off"), ("state", "standby"), False),
        (("state", "on"), ("brightness_pct", 60), False),
        (("state", "on"), ("state", "playing"), False),
        (("brightness_pct", 20), ("state", "off"), True),
        (("state", "on"), ("state", "off"), True),
        (("brightness_pct", 20), ("state", "on"), False),
        (("brightness_pct", 20), ("brightness_pct", 60), True),
        (("brightness_pct", 60), ("brightness_pct", 60.4), False),
        # Attributes that displace each other.
        (("color_temp_kelvin", 2700), ("rgb_color", [255, 0, 0]), True),
        (("color_temp_kelvin", 2700), ("brightness_pct", 60), False),
        (("preset_mode", "eco"), ("temperature", 21), True),
        (("target_temp_low", 18), ("temperature", 21), True),
        (("target_temp_low", 18), ("target_temp_high", 24), False),
        (("preset_mode", "breeze"), ("percentage", 50), True),
        # A blind's state and its position are one thing.
        (("current_position", 50), ("state", "closed"), True),
        (("current_position", 0), ("state", "closed"), False),
        (("state", "closed"), ("current_position", 50), True),
        (("state", "open"), ("current_position", 100), False),
        (("state", "opening"), ("current_position", 50), False),
        (("state", "unlocked"), ("state", "locked"), True),
    ],
)
def test_a_change_of_what_is_held(
    new: tuple[str, Json], held: tuple[str, Json], against: bool
) -> None:
    assert contradicts(Effect("d", *new), *held) is against


LAMP_EFFECTS = st.one_of(
    st.tuples(st.just("state"), st.sampled_from(["on", "off"])),
    st.tuples(st.just("brightness_pct"), st.sampled_from([20, 60])),
    st.tuples(st.just("color_temp_kelvin"), st.sampled_from([2700, 4000])),
    st.tuples(st.just("rgb_color"), st.sampled_from([[255, 0, 0], [0, 0, 255]])),
)


def after(lamp: dict[str, Json], attribute: str, value: Json) -> dict[str, Json]:
    """Return what a real lamp shows after an effect."""
    if (attribute, value) == ("state", "off"):
        return {"state": "off"}
    if attribute in ("color_temp_kelvin", "rgb_color"):
        colors = ("color_temp_kelvin", "rgb_color")
        lamp = {name: old for name, old in lamp.items() if name not in colors}
    return {**lamp, "state": "on", attribute: value}


@settings(deadline=None)
@given(LAMP_EFFECTS, LAMP_EFFECTS)
def test_agrees_with_a_lamp(new: tuple[str, Json], held: tuple[str, Json]) -> None:
    """An effect contradicts a held attribute just if a lamp would change it."""
    lamp = after({}, *held)
    changed = after(lamp, *new).get(held[0]) != held[1]
    assert contradicts(Effect("d", *new), *held) is changed
