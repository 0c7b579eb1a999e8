"""C8 as it is heard: what a device itself can be set to counts, and is told."""

from typing import Any, cast

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.core import Context, HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.hearthnet.const import DOMAIN

from .home import expose, lamp, place, set_up
from .setup import set_up_hearthnet
from .test_domains import entity
from .test_domains_daily import choose, numbers, write

HEATING, FAN, DESK = "climate.heating", "fan.attic", "light.desk"


@pytest.fixture
async def anna(hass: HomeAssistant) -> Context:
    """A home with a thermostat, a fan of three speeds and a lamp; a resident."""
    group = await hass.auth.async_get_group(GROUP_ID_USER)
    user = MockUser(name="Anna", groups=[group]).add_to_hass(hass)
    await numbers(hass, warm=20, speed=33, desk=128)
    mode = {"mode": {"options": ["heat", "off"]}}
    assert await async_setup_component(hass, "input_select", {"input_select": mode})
    heating = entity(
        "climate",
        "heating",
        hvac_mode="{{ states('input_select.mode') }}",
        hvac_modes="{{ ['off', 'heat'] }}",
        set_hvac_mode=choose("mode", "{{ hvac_mode }}"),
        target_temperature="{{ states('input_number.warm') | float }}",
        set_temperature=write("warm", "{{ temperature }}"),
        target_temperature_step=0.5,
        min_temperature=7,
        max_temperature=23,
    )
    fan = entity(
        "fan",
        "attic",
        state="{{ true }}",
        turn_on=[],
        turn_off=[],
        percentage="{{ states('input_number.speed') | int }}",
        set_percentage=write("speed", "{{ percentage }}"),
        speed_count=3,
    )
    await set_up(hass, [lamp("desk")], climate=[heating], fan=[fan])
    expose(hass, HEATING, FAN, DESK)
    place(hass, "Hall", HEATING)
    await set_up_hearthnet(hass)
    return Context(user_id=user.id)


async def call(
    hass: HomeAssistant, name: str, context: Context, /, **data: Any
) -> dict[str, Any]:
    """Call an action in English and return its response."""
    response = await hass.services.async_call(
        DOMAIN,
        name,
        {"language": "en", **data},
        blocking=True,
        return_response=True,
        context=context,
    )
    return cast(dict[str, Any], response)


async def test_a_difference_ends_at_the_devices_own_limit(
    hass: HomeAssistant, anna: Context
) -> None:
    """“Up by ten degrees” is as warm as this thermostat gets, and is told so."""
    text = "turn the heating up by 10 degrees in the hall"
    shown = await call(hass, "ask", anna, text=text, dry_run=True)
    assert shown["speech"] == "Heating would be allowed: at a target of 23°."
    told = await call(hass, "ask", anna, text=text)
    assert told["outcome"] == "changed"
    assert told["speech"] == "Heating is now at a target of 23°."
    assert hass.states.get("input_number.warm").state == "23.0"  # type: ignore[union-attr]


async def test_what_the_device_does_not_take_is_not_sent(
    hass: HomeAssistant, anna: Context
) -> None:
    """An absolute number outside is refused with the range, before any lease."""
    for dry_run in (True, False):
        told = await call(
            hass,
            "propose",
            anna,
            entity_id=HEATING,
            action="climate.set_temperature",
            data={"temperature": 40},
            reason="It is cold",
            dry_run=dry_run,
        )
        (step,) = told["steps"]
        assert (step["outcome"], step["reason"]) == ("refused", "bad_parameter")
        assert "7 to 23" in step["evidence"][0]["text"]
        assert told["speech"] == "Heating was left alone: a value does not fit."
    assert hass.states.get("input_number.warm").state == "20.0"  # type: ignore[union-attr]


async def test_between_two_steps_is_the_nearest(
    hass: HomeAssistant, anna: Context
) -> None:
    """The lease names what will be; the answer too, and it is no failure."""
    for operation, entity_id, data, shown in (
        ("fan.set_percentage", FAN, {"percentage": 50}, 66),
        ("climate.set_temperature", HEATING, {"temperature": 21.3}, 21.5),
    ):
        told = await call(
            hass,
            "propose",
            anna,
            entity_id=entity_id,
            action=operation,
            data=data,
            reason="a breeze",
        )
        (step,) = told["steps"]
        assert step["outcome"] == "changed"
        (name,) = data
        assert step["values"][name] == shown


async def test_a_dry_run_of_a_difference_shows_the_value(
    hass: HomeAssistant, anna: Context
) -> None:
    done = await call(
        hass,
        "propose",
        anna,
        entity_id=DESK,
        action="light.turn_on",
        data={"brightness_pct": 40},
        reason="I read",
    )
    assert done["outcome"] == "changed"
    text = "make the desk a bit brighter"
    shown = await call(hass, "ask", anna, text=text, dry_run=True)
    assert shown["speech"] == "Desk would be allowed: on, 50 % bright."
    told = await call(hass, "ask", anna, text=text)
    assert told["speech"] == "Desk is now on, 50 % bright."
