"""Changes outside HearthNet: what is told, when, and who is said to be behind it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.components.light import ColorMode, LightEntity
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.hearthnet.core.clock import ManualClock
from custom_components.hearthnet.core.devices import Principal, Values
from custom_components.hearthnet.core.status import Cause
from custom_components.hearthnet.house import HassHouse
from custom_components.hearthnet.observation import Observer
from custom_components.hearthnet.origin import OriginTracker
from custom_components.hearthnet.people import async_own_user

from .home import device_id, expose, group, lamp, set_up, setup_lights


@dataclass
class Told:
    """One observation."""

    device: str
    values: Values
    cause: Cause
    principal: Principal | None
    detail: str
    execute: str | None = None


@dataclass
class Hub:
    """The hub's and the gate's ends: a list and two dictionaries."""

    told: list[Told] = field(default_factory=list)
    record: dict[str, Values] = field(default_factory=dict)
    expected: dict[str, Values] = field(default_factory=dict)

    def observe(
        self,
        device_id: str,
        values: Values,
        *,
        cause: Cause,
        principal: Principal | None = None,
        detail: str = "",
        execute: str | None = None,
    ) -> None:
        self.record[device_id] = values
        self.told.append(Told(device_id, values, cause, principal, detail, execute))

    def expects(self, device_id: str, values: Values, now: float) -> str | None:
        return "hub.1.7" if self.expected.get(device_id) == values else None

    def taken(self) -> list[Told]:
        told, self.told = self.told, []
        return told


@dataclass
class Home:
    """A watched home."""

    hass: HomeAssistant
    hub: Hub
    house: HassHouse
    origins: OriginTracker
    own: str

    async def call(
        self, action: str, context: Context | None = None, **data: Any
    ) -> None:
        domain, _, name = action.partition(".")
        await self.hass.services.async_call(domain, name, data, True, context)
        await self.hass.async_block_till_done()

    async def settle(self, seconds: float = 4) -> None:
        await self.hass.async_block_till_done()
        async_fire_time_changed(
            self.hass, dt_util.utcnow() + timedelta(seconds=seconds), fire_all=True
        )
        await self.hass.async_block_till_done()

    def one(self) -> Told:
        (told,) = self.hub.taken()
        return told


async def watch(hass: HomeAssistant, hub: Hub | None = None) -> Home:
    hub = hub or Hub()
    await hass.auth.async_create_user("Olga")  # the first one is the owner
    house = HassHouse(hass)
    await house.async_start()
    user = await async_own_user(hass, None)
    origins = OriginTracker(hass, user.id, house.people, voice_role="guest")
    origins.async_start()
    observer = Observer(
        hass,
        house,
        origins,
        observe=hub.observe,
        expects=hub.expects,
        known=hub.record.get,
        clock=ManualClock(),
    )
    stop = await observer.async_start()
    hass.bus.async_listen_once("stop_watching", lambda _: stop())
    return Home(hass, hub, house, origins, user.id)


@pytest.fixture
async def home(hass: HomeAssistant) -> AsyncIterator[Home]:
    await set_up(hass, [lamp("hall"), lamp("desk")])
    home = await watch(hass)
    home.hub.told.clear()
    yield home
    hass.bus.async_fire("stop_watching")
    await hass.async_block_till_done()


async def person(home: Home, name: str = "Ana") -> tuple[Context, Principal]:
    user = await home.hass.auth.async_create_user(name, group_ids=[GROUP_ID_USER])
    await home.hass.async_block_till_done()
    return Context(user_id=user.id), Principal(kind="user", id=user.id, name=name)


# Causes


async def test_a_person(home: Home) -> None:
    context, ana = await person(home)
    await home.call("light.turn_on", context, entity_id="light.hall")
    told = home.one()
    assert told.device == device_id(home.hass, "light.hall")
    assert told.values == {"state": "on", "brightness_pct": 50}
    assert (told.cause, told.principal) == (Cause.PERSON, ana)


async def test_a_person_through_a_script(home: Home) -> None:
    steps = [{"action": "light.turn_on", "target": {"entity_id": "light.hall"}}]
    assert await async_setup_component(
        home.hass, "script", {"script": {"evening": {"sequence": steps}}}
    )
    context, ana = await person(home)
    await home.call("script.evening", context)
    told = home.one()
    assert (told.cause, told.principal) == (Cause.PERSON, ana)


async def automation(
    hass: HomeAssistant, *actions: dict[str, Any], **more: Any
) -> None:
    config = {
        "id": "1",
        "alias": "Dusk",
        "triggers": {"trigger": "event", "event_type": "dusk"},
        "actions": list(actions),
        **more,
    }
    assert await async_setup_component(hass, "automation", {"automation": config})
    await hass.async_block_till_done()


HALL_ON = {"action": "light.turn_on", "target": {"entity_id": "light.hall"}}


async def test_an_automation_by_name(home: Home) -> None:
    await automation(home.hass, HALL_ON)
    home.hass.bus.async_fire("dusk")
    await home.hass.async_block_till_done()
    told = home.one()
    assert told.cause is Cause.AUTOMATION
    assert told.detail == "Dusk"
    assert told.principal == Principal(
        kind="automation", id="automation.dusk", name="Dusk", role="automation"
    )


async def test_an_automation_that_a_person_set_off(home: Home) -> None:
    """Its call is not the person's own act."""
    await automation(home.hass, HALL_ON)
    context, _ = await person(home)
    home.hass.bus.async_fire("dusk", context=context)
    await home.hass.async_block_till_done()
    assert home.one().cause is Cause.AUTOMATION


async def test_voice(home: Home) -> None:
    heard = Context()
    home.hass.states.async_set(
        "assist_satellite.kitchen",
        "processing",
        {"friendly_name": "Kitchen"},
        context=heard,
    )
    home.hass.states.async_set("conversation.home_assistant", "now", context=heard)
    await home.call("light.turn_on", heard, entity_id="light.hall")
    told = home.one()
    assert told.cause is Cause.VOICE
    assert told.principal == Principal(
        kind="satellite", id="assist_satellite.kitchen", name="Kitchen", role="guest"
    )


async def test_typed_to_assist_is_a_person(home: Home) -> None:
    context, ana = await person(home)
    home.hass.states.async_set("conversation.home_assistant", "now", context=context)
    await home.call("light.turn_on", context, entity_id="light.hall")
    told = home.one()
    assert (told.cause, told.principal) == (Cause.PERSON, ana)


async def test_a_switch_on_the_wall(home: Home) -> None:
    home.hass.states.async_set("input_boolean.hall", "on")
    await home.hass.async_block_till_done()
    told = home.one()
    assert (told.cause, told.principal, told.detail) == (Cause.DEVICE, None, "")


async def test_an_action_of_nobody_in_particular(home: Home) -> None:
    await home.call("light.turn_on", Context(), entity_id="light.hall")
    told = home.one()
    assert (told.cause, told.principal) == (Cause.UNKNOWN, None)
    assert told.detail == "light.turn_on by an integration"


async def test_a_part_of_home_assistant_is_no_person(home: Home) -> None:
    cloud = await home.hass.auth.async_create_system_user(
        "Home Assistant Cloud", group_ids=[GROUP_ID_USER]
    )
    await home.hass.async_block_till_done()
    context = Context(user_id=cloud.id)
    await home.call("light.turn_on", context, entity_id="light.hall")
    told = home.one()
    assert (told.cause, told.principal) == (Cause.UNKNOWN, None)
    assert told.detail == "Home Assistant Cloud"


# Our own effects


async def test_expected_effects_are_the_receipts(home: Home) -> None:
    hall = device_id(home.hass, "light.hall")
    home.hub.expected[hall] = {"state": "on", "brightness_pct": 50}
    # With our context or without any: a device reports as it likes.
    home.hass.states.async_set("input_boolean.hall", "on")
    await home.hass.async_block_till_done()
    home.hub.record[hall] = home.hub.expected[hall]  # the receipt
    await home.settle()
    assert home.hub.taken() == []


async def test_effects_after_the_receipt_are_told(home: Home) -> None:
    hall = device_id(home.hass, "light.hall")
    home.hub.expected[hall] = {"state": "on", "brightness_pct": 50}
    home.hass.states.async_set("input_boolean.hall", "on")
    await home.hass.async_block_till_done()
    home.hub.record[hall] = {"state": "on"}
    await home.settle()
    told = home.one()
    assert told.values == {"state": "on", "brightness_pct": 50}
    assert (told.cause, told.execute) == (Cause.OWN, "hub.1.7")


async def test_our_own_unexpected_effect_is_no_foreign_hand(home: Home) -> None:
    context = Context(user_id=home.own)
    await home.call("light.turn_on", context, entity_id="light.hall")
    assert home.hub.taken() == []
    await home.settle()
    told = home.one()
    assert (told.cause, told.detail) == (Cause.OWN, "our own action")


async def test_a_person_right_after_us_is_a_person(home: Home) -> None:
    hall = device_id(home.hass, "light.hall")
    home.hub.expected[hall] = {"state": "on", "brightness_pct": 50}
    context, ana = await person(home)
    home.hass.states.async_set("input_boolean.hall", "on")
    await home.hass.async_block_till_done()
    home.hub.record[hall] = home.hub.expected[hall]
    await home.call("light.turn_off", context, entity_id="light.hall")
    told = home.one()
    assert (told.values, told.cause, told.principal) == (
        {"state": "off"},
        Cause.PERSON,
        ana,
    )


async def test_a_switch_right_after_us_is_a_switch(home: Home) -> None:
    hall = device_id(home.hass, "light.hall")
    home.hub.expected[hall] = {"state": "on", "brightness_pct": 50}
    home.hass.states.async_set("input_boolean.hall", "on")
    await home.hass.async_block_till_done()
    home.hub.record[hall] = home.hub.expected[hall]
    home.hass.states.async_set("input_boolean.hall", "off")
    await home.hass.async_block_till_done()
    assert home.one().cause is Cause.DEVICE


# Unavailable and back


async def test_away_and_back_with_nothing_new(home: Home) -> None:
    home.hass.states.async_set("input_boolean.hall", "unavailable")
    await home.hass.async_block_till_done()
    home.hass.states.async_set("input_boolean.hall", "off")
    await home.settle()
    assert home.hub.taken() == []


async def test_away_and_back_with_something_new(home: Home) -> None:
    home.hass.states.async_set("input_boolean.hall", "unavailable")
    await home.hass.async_block_till_done()
    home.hass.states.async_set("input_boolean.hall", "on")
    await home.hass.async_block_till_done()
    told = home.one()
    assert (told.cause, told.detail) == (Cause.RECONNECT, "it was unavailable")
    # Until it has found itself, what it says is no hand on a switch.
    home.hass.states.async_set("input_boolean.hall", "off")
    await home.settle()
    told = home.one()
    assert (told.values, told.cause) == ({"state": "off"}, Cause.RECONNECT)


async def test_a_start_tells_only_differences(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("same"), lamp("other"), lamp("new"), lamp("gone")])
    hub = Hub()
    ids = {key: device_id(hass, f"light.{key}") for key in ("same", "other", "gone")}
    hub.record[ids["same"]] = {"state": "off"}
    hub.record[ids["other"]] = {"state": "on", "brightness_pct": 20}
    hub.record[ids["gone"]] = {"state": "on", "brightness_pct": 50}
    hass.states.async_set("input_boolean.gone", "unavailable")
    await hass.async_block_till_done()
    home = await watch(hass, hub)
    told = {t.device: t for t in hub.taken()}
    assert told.keys() == {ids["other"], device_id(hass, "light.new")}
    assert all(t.cause is Cause.RECONNECT for t in told.values())
    assert told[ids["other"]].detail == "changed unwatched"

    # It comes back later, as it was, and then not as it was.
    hass.states.async_set("input_boolean.gone", "on")
    await home.settle()
    assert hub.taken() == []
    hass.states.async_set("input_boolean.gone", "unavailable")
    await hass.async_block_till_done()
    hass.states.async_set("input_boolean.gone", "off")
    await home.settle()
    assert home.one().cause is Cause.RECONNECT


# Bursts


class Dimmer(LightEntity):
    """A lamp that fades, and tells each step."""

    _attr_should_poll = False
    _attr_color_mode = ColorMode.BRIGHTNESS

    def __init__(self, name: str) -> None:
        self._attr_supported_color_modes = {ColorMode.BRIGHTNESS}
        self._attr_name = self._attr_unique_id = name
        self._attr_is_on = False
        self.late = False

    async def async_turn_on(self, **kwargs: Any) -> None:
        if not self.late:
            self.report(20)

    async def async_turn_off(self, **kwargs: Any) -> None:
        if not self.late:
            self.report(0)

    def report(self, brightness: int) -> None:
        self._attr_is_on, self._attr_brightness = brightness > 0, brightness
        self.async_write_ha_state()

    def push(self, brightness: int) -> None:
        """Report without the caller's context, as after its five seconds."""
        self._context = None
        self.report(brightness)


async def test_a_fade_is_told_at_its_beginning_and_end(hass: HomeAssistant) -> None:
    await setup_lights(hass, [dimmer := Dimmer("Hall")])
    home = await watch(hass)
    home.hub.told.clear()
    context, ana = await person(home)
    await home.call("light.turn_on", context, entity_id="light.hall")
    for brightness in (80, 140, 200, 255):
        dimmer.push(brightness)
        await hass.async_block_till_done()
    first = home.one()
    await home.settle()
    last = home.one()
    assert first.values["brightness_pct"] == 8
    assert last.values["brightness_pct"] == 100
    assert (last.cause, last.principal) == (Cause.PERSON, ana)

    # Afterwards it is the device's own knob again.
    dimmer.push(100)
    await hass.async_block_till_done()
    assert home.one().cause is Cause.DEVICE
    await home.settle()
    assert home.hub.taken() == []


async def test_a_slow_device_shows_whose_action_it_was(hass: HomeAssistant) -> None:
    await setup_lights(hass, [dimmer := Dimmer("Hall")])
    home = await watch(hass)
    home.hub.told.clear()
    dimmer.late = True
    context, ana = await person(home)
    await home.call("light.turn_on", context, entity_id="light.hall")
    assert home.hub.taken() == []
    dimmer.push(255)
    await hass.async_block_till_done()
    told = home.one()
    assert (told.cause, told.principal) == (Cause.PERSON, ana)

    # The opposite of what it was told is somebody else's doing.
    await home.call("light.turn_on", context, entity_id="light.hall")
    dimmer.push(0)
    await hass.async_block_till_done()
    assert home.one().cause is Cause.DEVICE


async def test_two_persons_are_not_one(home: Home) -> None:
    first, ana = await person(home)
    second, ben = await person(home, "Ben")
    await home.call("light.turn_on", first, entity_id="light.hall")
    await home.call("light.turn_off", second, entity_id="light.hall")
    assert [t.principal for t in home.hub.taken()] == [ana, ben]


async def test_a_blind_is_told_when_it_starts_and_when_it_stands(
    hass: HomeAssistant,
) -> None:
    await set_up(hass)
    entry = er.async_get(hass).async_get_or_create(
        "cover", "blinds", "1", object_id_base="blind"
    )
    hass.states.async_set(entry.entity_id, "closed", {"current_position": 0})
    home = await watch(hass)
    home.hub.told.clear()
    for state, position in (
        ("opening", 10),
        ("opening", 50),
        ("opening", 90),
        ("open", 100),
    ):
        hass.states.async_set(entry.entity_id, state, {"current_position": position})
        await hass.async_block_till_done()
    await home.settle()
    first, last = home.hub.taken()
    assert first.values == {"state": "opening", "current_position": 10}
    assert last.values == {"state": "open", "current_position": 100}
    assert first.cause is last.cause is Cause.DEVICE


async def test_our_own_blind_ends_no_hold_when_it_arrives(hass: HomeAssistant) -> None:
    """The read-back was over at `running`; what follows is still our doing."""
    await set_up(hass)
    entry = er.async_get(hass).async_get_or_create(
        "cover", "blinds", "1", object_id_base="blind"
    )
    hass.states.async_set(entry.entity_id, "closed", {"current_position": 0})
    home = await watch(hass)
    home.hub.told.clear()
    moving: Values = {"state": "opening", "current_position": 10}
    home.hub.expected[entry.id] = moving
    hass.states.async_set(entry.entity_id, "opening", {"current_position": 10})
    await hass.async_block_till_done()
    home.hub.record[entry.id] = moving
    hass.states.async_set(entry.entity_id, "opening", {"current_position": 60})
    hass.states.async_set(entry.entity_id, "open", {"current_position": 100})
    await home.settle()
    told = home.one()
    assert told.values == {"state": "open", "current_position": 100}
    assert (told.cause, told.execute) == (Cause.OWN, "hub.1.7")


# Which devices


async def test_members_speak_for_their_group(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("a"), lamp("b")])
    await group(hass, "light", "Pair", ["light.a", "light.b"])
    # Hidden members move with the exposed group, so they are watched with it.
    expose(hass, "light.a", "light.b", exposed=False)
    home = await watch(hass)
    home.hub.told.clear()
    context, _ = await person(home)
    await home.call("light.turn_on", context, entity_id="light.pair")
    told = home.hub.taken()
    assert {t.device for t in told} == {
        device_id(hass, "light.a"),
        device_id(hass, "light.b"),
    }
    assert all(t.cause is Cause.PERSON for t in told)


async def test_a_template_that_follows_is_not_counted_twice(
    hass: HomeAssistant,
) -> None:
    mirror = {
        "name": "Mirror",
        "unique_id": "mirror",
        "default_entity_id": "light.mirror",
        "state": "{{ states('light.hall') }}",
        "turn_on": [HALL_ON],
        "turn_off": [],
    }
    await setup_lights(hass, [dimmer := Dimmer("Hall")])
    await set_up(hass, light=[mirror])
    home = await watch(hass)
    home.hub.told.clear()
    dimmer.push(255)
    await hass.async_block_till_done()
    hall, follower = home.hub.taken()
    assert (hall.device, hall.cause) == (device_id(hass, "light.hall"), Cause.DEVICE)
    assert follower.device == device_id(hass, "light.mirror")
    assert (follower.cause, follower.detail) == (Cause.UNKNOWN, "follows Hall")
    await home.settle()

    # Told itself, it is what the person meant.
    dimmer.push(0)
    await home.settle()
    home.hub.taken()
    context, _ = await person(home)
    await home.call("light.turn_on", context, entity_id="light.mirror")
    assert [t.cause for t in home.hub.taken()] == [Cause.PERSON, Cause.PERSON]


async def test_exposure_and_names_are_followed(home: Home) -> None:
    hass = home.hass
    registry = er.async_get(hass)
    registry.async_update_entity("light.hall", new_entity_id="light.foyer")
    await home.settle()
    hass.states.async_set("input_boolean.hall", "on")
    await hass.async_block_till_done()
    assert home.one().device == device_id(hass, "light.foyer")

    expose(hass, "light.foyer", exposed=False)
    await home.settle()
    hass.states.async_set("input_boolean.hall", "off")
    await home.settle()
    assert home.hub.taken() == []

    expose(hass, "light.foyer")
    await home.settle()
    told = home.one()
    assert (told.cause, told.values) == (Cause.RECONNECT, {"state": "off"})


async def test_the_automation_behind_a_context(home: Home) -> None:
    """What `hearthnet.ask` needs to know of its caller."""
    seen: list[Context] = []
    home.hass.services.async_register(
        "test", "ask", lambda call: seen.append(call.context)
    )
    await automation(home.hass, {"action": "test.ask"})
    home.hass.bus.async_fire("dusk")
    await home.hass.async_block_till_done()
    found = home.origins.automation(seen[0])
    assert found is not None
    assert (found.entity_id, found.name) == ("automation.dusk", "Dusk")
    assert home.origins.automation(Context()) is None
