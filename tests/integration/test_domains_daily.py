"""The domains of every home on template entities: done, slow, failing, undone."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest

from custom_components.hearthnet.core.messages import Json
from custom_components.hearthnet.core.reasons import Outcome

from .domains import Hands
from .home import set_up, turn
from .test_domains import BROKEN, SLOW, entity, show, stage

CHANGED, ALREADY_SO, RUNNING = Outcome.CHANGED, Outcome.ALREADY_SO, Outcome.RUNNING
FAILED, PARTIAL = Outcome.FAILED, Outcome.PARTIAL


async def numbers(hass: HomeAssistant, **initial: float) -> None:
    """Set up an input_number for each name, which a template entity stands on."""
    fields = {name: {"min": 0, "max": 300, "initial": v} for name, v in initial.items()}
    assert await async_setup_component(hass, "input_number", {"input_number": fields})


def write(helper: str, template: str, *before: dict[str, Any]) -> list[dict[str, Any]]:
    number = turn(f"input_number.{helper}", "set_value", value=template)
    return [*before, number]


def choose(helper: str, template: str, *before: dict[str, Any]) -> list[dict[str, Any]]:
    option = turn(f"input_select.{helper}", "select_option", option=template)
    return [*before, option]


async def test_a_switch(hass: HomeAssistant) -> None:
    await stage(hass, plug=["on", "off"])
    plug = entity(
        "switch",
        "plug",
        state="{{ states('input_select.plug') }}",
        turn_on=[BROKEN],
        turn_off=show("plug", "off", SLOW),
    )
    await set_up(hass, switch=[plug])
    hands = await Hands.of(hass, "switch.plug", "input_select.plug")
    before = hands.values("switch.plug")
    assert before == {"state": "on"}
    assert await hands.do("switch.plug", "switch.turn_off") is CHANGED
    assert await hands.do("switch.plug", "switch.turn_off") is ALREADY_SO
    assert await hands.do("switch.plug", "switch.turn_on") is FAILED
    assert await hands.put_back("switch.plug", before) == ["switch.turn_on"]
    assert hands.values("switch.plug") == {"state": "off"}


def thermostat(mode: str) -> dict[str, Any]:
    """Return a climate entity with the set-points that a mode has."""
    helpers = {"": "temperature"}
    if mode == "heat_cool":
        helpers = {"_low": "target_temp_low", "_high": "target_temp_high"}
    points: dict[str, Any] = {}
    written: list[dict[str, Any]] = [SLOW]
    for end, parameter in helpers.items():
        helper = f"warm{end}"
        reads = f"{{{{ states('input_number.{helper}') | float }}}}"
        points[f"target_temperature{end}"] = reads
        written += write(helper, f"{{{{ {parameter} }}}}")
    return entity(
        "climate",
        "hall",
        hvac_mode="{{ states('input_select.mode') }}",
        hvac_modes=f"{{{{ ['off', '{mode}', 'dry'] }}}}",
        set_hvac_mode=choose("mode", "{{ hvac_mode }}", SLOW),
        set_temperature=written,
        fan_mode="{{ states('input_select.fan') }}",
        fan_modes="{{ ['low', 'high'] }}",
        set_fan_mode=choose("fan", "{{ fan_mode }}"),
        preset_mode="{{ states('input_select.preset') }}",
        preset_modes="{{ ['eco', 'away'] }}",
        set_preset_mode=[BROKEN],
        min_temperature=7,
        max_temperature=35,
        **points,
    )


@pytest.mark.parametrize(
    ("mode", "mine"),
    [
        ("heat", {"temperature": 21.5}),
        ("heat_cool", {"target_temp_low": 19, "target_temp_high": 24}),
    ],
)
async def test_a_thermostat(
    hass: HomeAssistant, mode: str, mine: dict[str, Any]
) -> None:
    """Both set-point styles."""
    await stage(hass, mode=[mode, "off", "dry"], fan=["low", "high"], preset=["eco"])
    await numbers(hass, warm=20, warm_low=18, warm_high=26)
    await set_up(hass, climate=[thermostat(mode)])
    name = "climate.hall"
    hands = await Hands.of(hass, name)
    before, do = hands.values(name), hands.do
    assert before["state"] == mode
    assert await do(name, "climate.set_temperature", **mine) is CHANGED
    assert mine.items() <= hands.values(name).items()
    assert await do(name, "climate.set_temperature", **mine) is ALREADY_SO
    one_of_two = list(mine.items())[:1]
    if mode == "heat_cool":
        assert hands.problem(name, "climate.set_temperature", **dict(one_of_two))
    assert await do(name, "climate.set_fan_mode", fan_mode="high") is CHANGED
    failed = await do(name, "climate.set_preset_mode", preset_mode="away")
    assert failed is FAILED
    assert await do(name, "climate.set_hvac_mode", hvac_mode="dry") is CHANGED
    assert await do(name, "climate.turn_off") is CHANGED
    assert await do(name, "climate.turn_off") is ALREADY_SO
    assert await do(name, "climate.turn_on") is CHANGED
    hass.states.async_set("input_select.mode", "dry")
    await hass.async_block_till_done()
    assert set(await hands.put_back(name, before)) == {
        *("climate.set_hvac_mode", "climate.set_temperature", "climate.set_fan_mode")
    }
    assert hands.values(name) == before


async def test_a_player(hass: HomeAssistant) -> None:
    states = ["off", "idle", "playing", "paused"]
    await stage(hass, player=states, source=["Radio", "TV"])
    await numbers(hass, volume=0.3)
    player = entity(
        "media_player",
        "den",
        state="{{ states('input_select.player') }}",
        turn_on=show("player", "idle", SLOW),
        turn_off=show("player", "off"),
        media_play=show("player", "playing", SLOW),
        media_pause=show("player", "paused"),
        media_stop=show("player", "idle"),
        volume_level="{{ states('input_number.volume') | float }}",
        volume_set=write("volume", "{{ volume_level }}", SLOW),
        volume_mute=[BROKEN],
        source="{{ states('input_select.source') }}",
        source_list="{{ ['Radio', 'TV'] }}",
        select_source=choose("source", "{{ source }}"),
    )
    await set_up(hass, media_player=[player])
    name = "media_player.den"
    hands = await Hands.of(hass, name)
    do, player_is = hands.do, hands.values
    off = player_is(name)
    assert off["state"] == "off"
    assert await do(name, "media_player.turn_on") is CHANGED
    assert await do(name, "media_player.media_play") is CHANGED
    assert await do(name, "media_player.media_play") is ALREADY_SO
    playing = player_is(name)
    assert await do(name, "media_player.volume_set", volume_level=0.5) is CHANGED
    mute = "media_player.volume_mute"
    assert await do(name, mute, is_volume_muted=True) is FAILED
    assert await do(name, "media_player.select_source", source="TV") is CHANGED
    assert await do(name, "media_player.media_pause") is CHANGED
    assert await hands.put_back(name, playing) == [
        *("media_player.media_play", "media_player.volume_set"),
        "media_player.select_source",
    ]
    assert player_is(name) == playing
    assert await do(name, "media_player.media_stop") is CHANGED
    assert await hands.put_back(name, off) == ["media_player.turn_off"]
    assert player_is(name)["state"] == "off"


async def test_a_blind_with_slats(hass: HomeAssistant) -> None:
    await numbers(hass, slats=40, height=100)
    blind = entity(
        "cover",
        "blind",
        position="{{ states('input_number.height') | int }}",
        open_cover=write("height", "100"),
        close_cover=write("height", "60"),
        stop_cover=[],
        set_cover_position=[BROKEN],
        tilt="{{ states('input_number.slats') | int }}",
        set_cover_tilt_position=write("slats", "{{ tilt }}", SLOW),
    )
    await set_up(hass, cover=[blind])
    name = "cover.blind"
    hands = await Hands.of(hass, name)
    before, do = hands.values(name), hands.do
    assert before["current_tilt_position"] == 40
    tilt = "cover.set_cover_tilt_position"
    assert await do(name, tilt, tilt_position=70) is CHANGED
    assert await do(name, tilt, tilt_position=70) is ALREADY_SO
    assert await do(name, "cover.close_cover_tilt") is CHANGED
    assert await do(name, "cover.open_cover_tilt") is CHANGED
    assert await hands.put_back(name, before) == [tilt]
    assert hands.values(name) == before
    # On its way when the time is over; and one that does not move at all.
    assert await do(name, "cover.close_cover") is RUNNING
    assert await do(name, "cover.set_cover_position", position=10) is FAILED


async def test_a_fan(hass: HomeAssistant) -> None:
    await stage(
        hass,
        wind=["on", "off"],
        preset=["breeze", "storm"],
        turns=["forward", "reverse"],
        swings=["False", "True"],
    )
    await numbers(hass, speed=33)
    fan = entity(
        "fan",
        "attic",
        state="{{ states('input_select.wind') }}",
        turn_on=show("wind", "on", SLOW),
        turn_off=show("wind", "off"),
        percentage="{{ states('input_number.speed') | int }}",
        set_percentage=write("speed", "{{ percentage }}", SLOW),
        speed_count=3,
        preset_mode="{{ states('input_select.preset') }}",
        preset_modes=["breeze", "storm"],
        set_preset_mode=[BROKEN],
        oscillating="{{ states('input_select.swings') == 'True' }}",
        set_oscillating=choose("swings", "{{ oscillating }}"),
        direction="{{ states('input_select.turns') }}",
        set_direction=choose("turns", "{{ direction }}"),
    )
    await set_up(hass, fan=[fan])
    name = "fan.attic"
    hands = await Hands.of(hass, name)
    before, do = hands.values(name), hands.do
    assert before["percentage"] == 33
    assert await do(name, "fan.set_percentage", percentage=66) is CHANGED
    assert await do(name, "fan.oscillate", oscillating=True) is CHANGED
    assert await do(name, "fan.set_direction", direction="reverse") is CHANGED
    assert await do(name, "fan.turn_off") is CHANGED
    assert await do(name, "fan.turn_off") is ALREADY_SO
    assert await do(name, "fan.turn_on") is CHANGED
    assert await hands.put_back(name, before) == [
        *("fan.set_percentage", "fan.oscillate", "fan.set_direction")
    ]
    assert hands.values(name) == before
    assert await do(name, "fan.set_preset_mode", preset_mode="storm") is FAILED


async def test_a_lock_with_a_latch(hass: HomeAssistant) -> None:
    states = ["locked", "locking", "unlocked", "unlocking", "open", "jammed"]
    await stage(hass, bolt=states)
    lock = entity(
        "lock",
        "front",
        state="{{ states('input_select.bolt') }}",
        lock=show("bolt", "locked", SLOW),
        unlock=[BROKEN],
        open=show("bolt", "open", SLOW),
    )
    await set_up(hass, lock=[lock])
    name = "lock.front"
    hands = await Hands.of(hass, name)
    assert await hands.do(name, "lock.lock") is ALREADY_SO
    assert await hands.do(name, "lock.unlock") is FAILED
    assert await hands.do(name, "lock.open") is CHANGED
    # The latch springs back, so a second time is no repetition.
    assert await hands.do(name, "lock.open") is CHANGED
    hass.states.async_set("input_select.bolt", "unlocked")
    await hass.async_block_till_done()
    assert await hands.put_back(name, {"state": "locked"}) == ["lock.lock"]
    assert hands.values(name) == {"state": "locked"}


async def test_settings(hass: HomeAssistant) -> None:
    """Numbers and choices of devices, and the helpers of both kinds."""
    await stage(hass, program=["eco", "fast"], other=["a", "b"])
    await numbers(hass, level=20, other=5)
    level = entity(
        "number",
        "level",
        state="{{ states('input_number.level') }}",
        set_value=write("level", "{{ value }}", SLOW),
        min=10,
        max=60,
        step=5,
    )
    stuck = entity(
        "number", "stuck", state="{{ 10 }}", set_value=[BROKEN], min=0, max=50, step=1
    )
    program = entity(
        "select",
        "program",
        state="{{ states('input_select.program') }}",
        options="{{ ['eco', 'fast'] }}",
        select_option=choose("program", "{{ option }}", SLOW),
    )
    await set_up(hass, number=[level, stuck], select=[program])
    names = ("number.level", "number.stuck", "select.program")
    hands = await Hands.of(hass, *names, "input_number.other", "input_select.other")
    cases: tuple[tuple[str, str, Any, Json], ...] = (
        ("number.level", "set_value", 45, 20),
        ("select.program", "select_option", "fast", "eco"),
        ("input_number.other", "set_value", 7, 5),
        ("input_select.other", "select_option", "b", "a"),
    )
    for name, action, value, old in cases:
        operation = f"{name.partition('.')[0]}.{action}"
        parameter = "option" if action == "select_option" else "value"
        wanted: dict[str, Any] = {parameter: value}
        before = hands.values(name)
        assert list(before.values()) == [old]
        assert await hands.do(name, operation, **wanted) is CHANGED
        assert await hands.do(name, operation, **wanted) is ALREADY_SO
        assert await hands.put_back(name, before) == [operation]
        assert hands.values(name) == before
    assert await hands.do("number.stuck", "number.set_value", value=20) is FAILED
    wrong = await hands.do(
        "input_select.other", "input_select.select_option", option="c"
    )
    assert wrong is FAILED


async def test_a_time_of_day_and_a_date(hass: HomeAssistant) -> None:
    """A helper that has a time takes no date; both are read back as they are shown."""
    fields = {
        "alarm": {"has_time": True, "initial": "06:00"},
        "trip": {"has_time": True, "has_date": True, "initial": "2026-12-24 06:00"},
        "day": {"has_date": True, "initial": "2026-12-24"},
    }
    assert await async_setup_component(
        hass, "input_datetime", {"input_datetime": fields}
    )
    await set_up(hass)
    names = [f"input_datetime.{key}" for key in fields]
    hands = await Hands.of(hass, *names)
    alarm, trip, day = names
    put = "input_datetime.set_datetime"
    before = {name: hands.values(name) for name in names}
    assert before == {
        alarm: {"time": "06:00:00"},
        trip: {"date": "2026-12-24", "time": "06:00:00"},
        day: {"date": "2026-12-24"},
    }
    assert hands.problem(alarm, put, date="2026-12-25") is not None
    assert await hands.do(alarm, put, time="07:30") is CHANGED
    assert await hands.do(alarm, put, time="07:30:00") is ALREADY_SO
    assert await hands.do(alarm, put, time="25:99") is FAILED
    assert await hands.do(trip, put, date="2026-12-25", time="18:05") is CHANGED
    assert await hands.do(day, put, date="2027-01-01") is CHANGED
    for name in names:
        assert await hands.put_back(name, before[name]) == [put]
        assert hands.values(name) == before[name]


async def test_a_lamps_color(hass: HomeAssistant) -> None:
    """Lamps keep hue and saturation: what comes back is not what was sent."""
    await stage(hass, glow=["off", "on"], effect=["off", "candle"])
    await numbers(hass, hue=0, gray=0, level=255)
    light = entity(
        "light",
        "glow",
        state="{{ states('input_select.glow') }}",
        level="{{ states('input_number.level') | int }}",
        hs="({{ states('input_number.hue') }}, {{ states('input_number.gray') }})",
        effect="{{ states('input_select.effect') }}",
        effect_list="{{ ['off', 'candle'] }}",
        set_effect=[*choose("effect", "{{ effect }}", SLOW), *show("glow", "on")],
        turn_on=show("glow", "on"),
        turn_off=show("glow", "off"),
        set_level=[*write("level", "{{ brightness }}"), *show("glow", "on")],
        set_hs=[
            *write("hue", "{{ h }}", SLOW),
            *write("gray", "{{ s }}"),
            *show("glow", "on"),
        ],
    )
    await set_up(hass, light=[light])
    name = "light.glow"
    hands = await Hands.of(hass, name)
    purple: list[Json] = [128, 0, 128]
    assert await hands.do(name, "light.turn_on", rgb_color=purple) is CHANGED
    assert hands.values(name)["rgb_color"] == [255, 0, 255]
    assert await hands.do(name, "light.turn_on", rgb_color=purple) is ALREADY_SO
    orange: list[Json] = [255, 165, 0]
    assert await hands.do(name, "light.turn_on", rgb_color=orange) is CHANGED
    before = hands.values(name)
    # While an effect runs, its colors are nobody's.
    assert await hands.do(name, "light.turn_on", effect="candle") is CHANGED
    assert hands.values(name).keys() == {"state", "brightness_pct", "effect"}
    candle = hands.values(name)
    assert await hands.do(name, "light.turn_on", effect="off") is CHANGED
    assert hands.values(name) == before
    assert await hands.put_back(name, candle) == ["light.turn_on"]
    assert hands.values(name) == candle
