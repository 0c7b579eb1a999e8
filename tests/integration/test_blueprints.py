"""The shipped blueprints: installed, made into automations and run."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.core import Context, HomeAssistant, State
from homeassistant.exceptions import Unauthorized
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockUser,
    async_capture_events,
    async_fire_time_changed,
    async_mock_service,
)
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.hearthnet.blueprints import SHIPPED
from custom_components.hearthnet.const import DOMAIN
from tests.support.push_server import PushServer

from .home import expose, lamp, place, set_up
from .setup import set_up_hearthnet

BLUEPRINTS = sorted(str(path.relative_to(SHIPPED)) for path in SHIPPED.rglob("*.yaml"))


@pytest.fixture
async def entry(hass: HomeAssistant, hass_owner_user: MockUser) -> MockConfigEntry:
    hass_owner_user.name = "Anna"
    await set_up(hass, [lamp("desk"), lamp("bed")])
    expose(hass, "light.desk", "light.bed")
    place(hass, "Study", "light.desk")
    place(hass, "Bedroom", "light.bed")
    return await set_up_hearthnet(hass)


def light(hass: HomeAssistant, key: str) -> State:
    state = hass.states.get(f"light.{key}")
    assert state is not None
    return state


async def install(hass: HomeAssistant, user: MockUser, **data: Any) -> dict[str, Any]:
    context = Context(user_id=user.id)
    response: Any = await hass.services.async_call(
        DOMAIN, "install_blueprints", data, True, context, None, True
    )
    await hass.async_block_till_done()
    found: dict[str, Any] = response
    return found


async def automate(
    hass: HomeAssistant, user: MockUser, name: str, **inputs: Any
) -> None:
    """Install the blueprints and make an automation of one."""
    await install(hass, user)
    blueprint = {"path": f"hearthnet/{name}.yaml", "input": inputs}
    automation = {"alias": "Test", "use_blueprint": blueprint}
    assert await async_setup_component(hass, "automation", {"automation": automation})
    await hass.async_block_till_done()
    state = hass.states.get("automation.test")
    assert state is not None
    assert state.state == "on"


async def wish(hass: HomeAssistant, user: MockUser, entity_id: str, level: int) -> None:
    """Get a brightness by a person's wish."""
    response: Any = await hass.services.async_call(
        DOMAIN,
        "propose",
        {
            "entity_id": entity_id,
            "action": "light.turn_on",
            "data": {"brightness_pct": level},
            "reason": "reading",
        },
        blocking=True,
        return_response=True,
        context=Context(user_id=user.id),
    )
    assert response["complete"]


async def async_text(hass: HomeAssistant, path: Path) -> str:
    return await hass.async_add_executor_job(path.read_text)


async def async_folders(hass: HomeAssistant, path: Path) -> list[str]:
    found = await hass.async_add_executor_job(path.glob, "*")
    return [folder.name for folder in found]


def toggle(hass: HomeAssistant, state: str) -> None:
    hass.states.async_set("input_boolean.guests", state)


# Installing


async def test_installing(
    hass: HomeAssistant, entry: MockConfigEntry, hass_owner_user: MockUser
) -> None:
    """A file of the owner's own stays until it is overwritten on purpose."""
    folder = Path(hass.config.path("blueprints/automation"))
    user = hass_owner_user
    assert await install(hass, user) == {
        "installed": BLUEPRINTS,
        "unchanged": [],
        "kept": [],
    }
    assert "homeassistant" in await async_folders(hass, folder)  # core's own examples
    changed, *others = BLUEPRINTS
    await hass.async_add_executor_job((folder / changed).write_text, "# mine\n")
    kept = {"installed": [], "unchanged": others, "kept": [changed]}
    assert await install(hass, user) == kept
    assert await async_text(hass, folder / changed) == "# mine\n"
    replaced = {"installed": [changed], "unchanged": others, "kept": []}
    assert await install(hass, user, overwrite=True) == replaced
    shipped = await async_text(hass, SHIPPED / changed)
    assert await async_text(hass, folder / changed) == shipped


async def test_only_owners_install(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    user = await hass.auth.async_create_user("Ben", group_ids=[GROUP_ID_USER])
    await hass.async_block_till_done()
    with pytest.raises(Unauthorized):
        await install(hass, user)
    folder = Path(hass.config.path("blueprints/automation"))
    assert "hearthnet" not in await async_folders(hass, folder)


# Running


async def test_scheduled_routine(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    hass_owner_user: MockUser,
    freezer: FrozenDateTimeFactory,
) -> None:
    """It bounces off what a person wants in one room and passes in the other."""
    events = async_capture_events(hass, "told")
    at = dt_util.now() + timedelta(hours=1)
    inputs = {
        "at": f"{at:%H:%M:%S}",
        "where": {"area_id": ["study", "bedroom"]},
        "brightness": 20,
        "color_temperature": 0,
        "reason": "Time to wind down",
        "done": [{"event": "told", "event_data": {"denied": False}}],
        "denied": [
            {
                "event": "told",
                "event_data": {"denied": True, "speech": "{{ decision.speech }}"},
            }
        ],
    }
    await automate(hass, hass_owner_user, "scheduled_routine", **inputs)
    assert light(hass, "desk").state == "off"

    freezer.move_to(at - timedelta(minutes=10))
    await wish(hass, hass_owner_user, "light.desk", 60)

    freezer.move_to(at + timedelta(seconds=1))
    async_fire_time_changed(hass, dt_util.utcnow())
    await hass.async_block_till_done()
    assert light(hass, "desk").attributes["brightness"] == 153
    assert light(hass, "bed").attributes["brightness"] == 51
    (told,) = events
    assert told.data["denied"] is True
    assert told.data["speech"].startswith("Bed is now on, 20 % bright. Desk was left")
    assert "a request by Anna of" in told.data["speech"]

    turned_off = {"entity_id": "light.desk"}
    await hass.services.async_call("light", "turn_off", turned_off, True)
    await hass.services.async_call("automation", "turn_off", {"entity_id": "all"}, True)


async def test_intent_on_event(
    hass: HomeAssistant, entry: MockConfigEntry, hass_owner_user: MockUser
) -> None:
    """The sentence may be a template; what was not done is told."""
    events = async_capture_events(hass, "told")
    await automate(
        hass,
        hass_owner_user,
        "intent_on_event",
        event=[{"trigger": "event", "event_type": "came_home"}],
        text="turn on the {{ trigger.event.data.lamp }}",
        done=[{"event": "told", "event_data": {"done": True}}],
        denied=[{"event": "told", "event_data": {"said": "{{ answer.speech }}"}}],
    )
    hass.bus.async_fire("came_home", {"lamp": "desk"})
    await hass.async_block_till_done()
    assert light(hass, "desk").state == "on"
    hass.bus.async_fire("came_home", {"lamp": "moon"})
    await hass.async_block_till_done()
    done, denied = events
    assert done.data == {"done": True}
    assert denied.data["said"].startswith("Nothing was touched: no such device or room")


@pytest.mark.parametrize(
    ("entities", "told"), [([], True), (["light.desk"], True), (["light.bed"], False)]
)
async def test_notify_on_conflict(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    hass_owner_user: MockUser,
    entities: list[str],
    told: bool,
) -> None:
    await automate(hass, hass_owner_user, "notify_on_conflict", entities=entities)
    notices = async_mock_service(hass, "notify", "persistent_notification")
    await wish(hass, hass_owner_user, "light.desk", 60)
    dusk = Context()
    hass.bus.async_fire("automation_triggered", {"name": "Dusk"}, context=dusk)
    await hass.services.async_call(
        DOMAIN,
        "propose",
        {
            "entity_id": "light.desk",
            "action": "light.turn_on",
            "data": {"brightness_pct": 10},
            "reason": "dusk",
        },
        blocking=True,
        context=dusk,
    )
    await hass.async_block_till_done()
    assert bool(notices) is told
    if told:
        assert notices[0].data["title"] == "Desk was left alone"
        message = notices[0].data["message"]
        assert message.startswith("Dusk: Desk was left alone: a request by Anna of ")


async def test_guest_mode(
    hass: HomeAssistant, entry: MockConfigEntry, hass_owner_user: MockUser
) -> None:
    """Anna reads at her desk: the guests' light leaves it alone, both times."""
    toggle(hass, "off")
    await automate(
        hass,
        hass_owner_user,
        "guest_mode",
        guests="input_boolean.guests",
        resting=["automation.robot"],
        where={"entity_id": ["light.desk", "light.bed"]},
        brightness=60,
    )
    switched = [
        async_mock_service(hass, "automation", "turn_off"),
        async_mock_service(hass, "automation", "turn_on"),
    ]
    await wish(hass, hass_owner_user, "light.desk", 20)
    toggle(hass, "on")
    await hass.async_block_till_done()
    assert light(hass, "bed").attributes["brightness"] == 153
    assert light(hass, "desk").attributes["brightness"] == 51
    assert [len(calls) for calls in switched] == [1, 0]
    assert switched[0][0].data == {"entity_id": ["automation.robot"]}
    toggle(hass, "unavailable")
    toggle(hass, "on")
    await hass.async_block_till_done()
    assert [len(calls) for calls in switched] == [1, 0]
    toggle(hass, "off")
    await hass.async_block_till_done()
    assert light(hass, "bed").state == "off"
    assert light(hass, "desk").state == "on"
    assert [len(calls) for calls in switched] == [1, 1]


@pytest.mark.usefixtures("socket_enabled")
async def test_confirm_by_phone(
    hass: HomeAssistant,
    hass_owner_user: MockUser,
    hass_client: ClientSessionGenerator,
) -> None:
    """The phone rings once and opens the card; what waits stays with the person."""
    plug = {"name": "Plug", "unique_id": "plug", "turn_on": [], "turn_off": []}
    others = [{**plug, "name": f"Plug {n}", "unique_id": f"plug_{n}"} for n in (2, 3)]
    await set_up(hass, switch=[plug, *others])
    expose(hass, "switch.plug", "switch.plug_2", "switch.plug_3")
    for component in ("notify", "mobile_app", DOMAIN):
        assert await async_setup_component(hass, component, {})
    client = await hass_client()
    hub = (await set_up_hearthnet(hass)).runtime_data.hub
    async with PushServer() as phones:
        path, app = "/api/mobile_app/registrations", phones.registration("Annas phone")
        assert (await client.post(path, json=app)).status == 201
        await hass.async_block_till_done()
        (entry,) = hass.config_entries.async_entries("mobile_app")
        (phone,) = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
        await automate(
            hass,
            hass_owner_user,
            "confirm_by_phone",
            phone=phone.id,
            dashboard="/lovelace/timeline",
        )
        given = {"entity_id": "switch.plug", "action": "switch.turn_off"}
        context = Context(user_id=hass_owner_user.id)
        given["reason"] = "saving power"
        await hass.services.async_call(DOMAIN, "propose", given, True, context)
        push = await phones.pushed("Annas phone", "Plug")
        assert len(hub.status.questions) == 1
        both = {**given, "entity_id": ["switch.plug_2", "switch.plug_3"]}
        await hass.services.async_call(DOMAIN, "propose", both, True, context)
        several = await phones.pushed("Annas phone", "(+2)")
        assert phones.of("Annas phone") == [push, several]
    assert push["title"] == "HearthNet waits for you"
    said = f"{hass_owner_user.name} wants: Plug off. Now it is in an unknown state."
    assert push["message"] == said
    assert push["data"]["tag"] == several["data"]["tag"]
    assert push["data"]["clickAction"] == "/lovelace/timeline"
    assert 0 < int(push["data"]["timeout"]) <= 120
    assert "actions" not in push["data"]
