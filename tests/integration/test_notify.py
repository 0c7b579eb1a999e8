"""People's own phones, through the real mobile_app: asked, answered, cleared."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from aiohttp.test_utils import TestClient
from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.components.frontend.storage import async_user_store
from homeassistant.components.notify import DOMAIN as NOTIFY, NotifyEntity
from homeassistant.core import Context, HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_component import EntityComponent
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from tests.support.push_server import PushServer, buttons, press

from .home import expose, lamp, set_up, turn
from .setup import ENTRY_ID, set_up_hearthnet

pytestmark = pytest.mark.usefixtures("socket_enabled")

type Register = Callable[[str, str], Awaitable[str]]
DOOR = "lock.front_door"
GATE = "lock.garden_gate"


@pytest.fixture
async def phones() -> AsyncIterator[PushServer]:
    async with PushServer() as running:
        yield running


@pytest.fixture
async def ben(hass: HomeAssistant) -> MockUser:
    group = await hass.auth.async_get_group(GROUP_ID_USER)
    assert group is not None
    user = MockUser(name="Ben", groups=[group])
    return user.add_to_hass(hass)


@pytest.fixture
async def client(
    hass: HomeAssistant, hass_client_no_auth: ClientSessionGenerator
) -> TestClient[Any, Any]:
    locks = [
        {
            "name": name,
            "unique_id": helper,
            "default_entity_id": entity_id,
            "state": f"{{{{ is_state('input_boolean.{helper}', 'off') }}}}",
            "lock": [turn(f"input_boolean.{helper}", "turn_off")],
            "unlock": [turn(f"input_boolean.{helper}", "turn_on")],
        }
        for name, entity_id, helper in (
            ("Front door", DOOR, "door"),
            ("Garden gate", GATE, "gate"),
        )
    ]
    await set_up(hass, [lamp("desk"), lamp("door"), lamp("gate")], lock=locks)
    expose(hass, "light.desk", DOOR)
    # All that HearthNet serves is there before the server starts.
    for component in (NOTIFY, "mobile_app", "hearthnet"):
        assert await async_setup_component(hass, component, {})
    http: TestClient[Any, Any] = await hass_client_no_auth()
    return http


@pytest.fixture
def register(
    hass: HomeAssistant, client: TestClient[Any, Any], phones: PushServer
) -> Register:
    """Register a phone as its user's app does; return its webhook."""

    async def registered(device: str, user_id: str) -> str:
        user = await hass.auth.async_get_user(user_id)
        assert user is not None
        refresh = await hass.auth.async_create_refresh_token(user, "http://test/")
        token = hass.auth.async_create_access_token(refresh)
        answer = await client.post(
            "/api/mobile_app/registrations",
            json=phones.registration(device),
            headers={"Authorization": f"Bearer {token}"},
        )
        assert answer.status == 201
        await hass.async_block_till_done()
        return f"/api/webhook/{(await answer.json())['webhook_id']}"

    return registered


def row(hass: HomeAssistant, user: MockUser, device: str, *topics: str) -> Any:
    entity = er.async_get(hass).async_get_entity_id(
        NOTIFY, "mobile_app", f"id of {device}"
    )
    assert entity is not None
    return {"user": user.id, "entity": entity, "topics": list(topics)}


async def propose(hass: HomeAssistant, context: Context, action: str) -> Any:
    entity_id = DOOR if action.startswith("lock") else "light.desk"
    return await hass.services.async_call(
        "hearthnet",
        "propose",
        {"entity_id": entity_id, "action": action, "reason": "a test"},
        blocking=True,
        return_response=True,
        context=context,
    )


def state(hass: HomeAssistant, entity_id: str) -> str:
    found = hass.states.get(entity_id)
    assert found is not None
    return found.state


async def executes(entry: MockConfigEntry) -> int:
    told = await entry.runtime_data.hub.chronicle.timeline(type="execute", limit=100)
    return len(told["events"])


async def test_asked_in_ones_language_and_answered_once(
    hass: HomeAssistant,
    client: TestClient[Any, Any],
    phones: PushServer,
    register: Register,
    hass_owner_user: MockUser,
    ben: MockUser,
) -> None:
    """Both are asked; one answers; the other's buttons are gone, and both see it."""
    anna = hass_owner_user
    store = await async_user_store(hass, ben.id)
    await store.async_set_item("language", {"language": "de"})
    await register("Annas phone", anna.id)
    webhook = await register("Bens phone", ben.id)
    rows = [row(hass, anna, "Annas phone"), row(hass, ben, "Bens phone")]
    entry = await set_up_hearthnet(hass, notify=rows)
    await propose(hass, Context(user_id=anna.id), "lock.unlock")
    hers = await phones.pushed("Annas phone", "Front door unlocked.")
    his = await phones.pushed("Bens phone", "Front door entriegelt.")
    assert "Now it is locked." in hers["message"]
    assert "Answer until" in hers["message"]
    assert list(buttons(his)) == ["Bestätigen", "Ablehnen"]
    assert hers["data"]["actions"][0]["authenticationRequired"]
    for _ in range(2):
        await client.post(webhook, json=press(buttons(his)["Bestätigen"]))
    after = await phones.pushed("Annas phone", "Approved by Ben.")
    assert after["data"]["tag"] == hers["data"]["tag"]
    assert "actions" not in after["data"]
    await phones.pushed("Bens phone", "Bestätigt von Ben.")
    await hass.async_block_till_done()
    assert state(hass, DOOR) == "unlocked"
    assert await executes(entry) == 1


async def test_only_the_own_phone_counts(
    hass: HomeAssistant,
    client: TestClient[Any, Any],
    phones: PushServer,
    register: Register,
    hass_owner_user: MockUser,
    ben: MockUser,
) -> None:
    """Whoever learns the secret of another's button can do nothing with it."""
    await register("Annas phone", hass_owner_user.id)
    webhook = await register("Bens phone", ben.id)
    rows = [row(hass, hass_owner_user, "Annas phone"), row(hass, ben, "Bens phone")]
    entry = await set_up_hearthnet(hass, notify=rows)
    await propose(hass, Context(user_id=ben.id), "lock.unlock")
    hers = await phones.pushed("Annas phone", "Front door")
    his = await phones.pushed("Bens phone", "Front door")
    stolen = buttons(hers)["Approve"]
    await client.post(webhook, json=press(stolen))
    # An automation or a script of hers can make the event, but not the app's way.
    hass.bus.async_fire(
        "mobile_app_notification_action",
        {"action": stolen},
        context=Context(user_id=hass_owner_user.id),
    )
    await client.post(webhook, json=press("HEARTHNET_guessed"))
    await hass.async_block_till_done()
    assert len(entry.runtime_data.hub.status.questions) == 1
    await client.post(webhook, json=press(buttons(his)["Reject"]))
    await phones.pushed("Annas phone", "Rejected by Ben")
    assert state(hass, DOOR) == "locked"


async def test_everybody_is_asked_about_what_they_may_control(
    hass: HomeAssistant,
    client: TestClient[Any, Any],
    phones: PushServer,
    register: Register,
    hass_owner_user: MockUser,
    ben: MockUser,
) -> None:
    """What is put as one to Anna is half of it to Ben, who has no key to the house."""
    expose(hass, GATE)
    ben.groups = []
    ben.mock_policy({"entities": {"entity_ids": {GATE: True}}})
    await register("Annas phone", hass_owner_user.id)
    webhook = await register("Bens phone", ben.id)
    rows = [row(hass, hass_owner_user, "Annas phone"), row(hass, ben, "Bens phone")]
    entry = await set_up_hearthnet(hass, notify=rows)
    both = {"entity_id": [DOOR, GATE], "action": "lock.unlock", "reason": "a test"}
    context = Context(user_id=hass_owner_user.id)
    await hass.services.async_call(
        "hearthnet", "propose", both, True, context, None, True
    )
    await phones.pushed("Annas phone", "wants: Front door, Garden gate unlocked.")
    his = await phones.pushed("Bens phone", "wants: Garden gate unlocked.")
    await client.post(webhook, json=press(buttons(his)["Approve"]))
    await hass.async_block_till_done()
    assert (state(hass, DOOR), state(hass, GATE)) == ("locked", "unlocked")
    assert await executes(entry) == 1


async def test_a_guest_is_not_asked(
    hass: HomeAssistant,
    phones: PushServer,
    register: Register,
    hass_owner_user: MockUser,
    ben: MockUser,
) -> None:
    await register("Annas phone", hass_owner_user.id)
    await register("Bens phone", ben.id)
    rows = [row(hass, ben, "Bens phone"), row(hass, hass_owner_user, "Annas phone")]
    await set_up_hearthnet(hass, notify=rows, roles={ben.id: "guest"})
    await propose(hass, Context(user_id=hass_owner_user.id), "lock.unlock")
    await phones.pushed("Annas phone", "Front door")
    assert phones.of("Bens phone") == []


async def test_a_newer_wish_clears_the_older_question(
    hass: HomeAssistant,
    phones: PushServer,
    register: Register,
    hass_owner_user: MockUser,
) -> None:
    await register("Annas phone", hass_owner_user.id)
    await set_up_hearthnet(hass, notify=[row(hass, hass_owner_user, "Annas phone")])
    context = Context(user_id=hass_owner_user.id)
    await propose(hass, context, "lock.unlock")
    first = await phones.pushed("Annas phone", "Front door")
    await propose(hass, context, "lock.unlock")
    cleared = await phones.pushed("Annas phone", "clear_notification")
    assert cleared["data"]["tag"] == first["data"]["tag"]


async def test_a_restart_clears_what_stood_open(
    hass: HomeAssistant,
    client: TestClient[Any, Any],
    phones: PushServer,
    register: Register,
    hass_owner_user: MockUser,
) -> None:
    webhook = await register("Annas phone", hass_owner_user.id)
    await set_up_hearthnet(hass, notify=[row(hass, hass_owner_user, "Annas phone")])
    await propose(hass, Context(user_id=hass_owner_user.id), "lock.unlock")
    asked = await phones.pushed("Annas phone", "Front door")
    assert await hass.config_entries.async_reload(ENTRY_ID)
    cleared = await phones.pushed("Annas phone", "clear_notification")
    assert cleared["data"]["tag"] == asked["data"]["tag"]
    await client.post(webhook, json=press(buttons(asked)["Approve"]))
    await hass.async_block_till_done()
    assert state(hass, DOOR) == "locked"


async def test_a_conflict_is_told_to_who_wants_to_know(
    hass: HomeAssistant,
    phones: PushServer,
    register: Register,
    hass_owner_user: MockUser,
    ben: MockUser,
) -> None:
    await register("Annas phone", hass_owner_user.id)
    await register("Bens phone", ben.id)
    rows = [
        row(hass, ben, "Bens phone"),
        row(hass, hass_owner_user, "Annas phone", "conflicts"),
    ]
    await set_up_hearthnet(hass, notify=rows)
    await propose(hass, Context(user_id=ben.id), "light.turn_on")
    await propose(hass, Context(), "light.turn_off")
    told = await phones.pushed("Annas phone", "Desk was left alone")
    assert told["title"] == "HearthNet refused"
    assert "a request by Ben" in told["message"]
    assert phones.of("Bens phone") == []


class Speaker(NotifyEntity):
    """Any other notify entity: it takes words."""

    _attr_name = "Speaker"
    _attr_unique_id = "speaker"

    def __init__(self) -> None:
        self.words: asyncio.Queue[str] = asyncio.Queue()

    async def async_send_message(self, message: str, title: str | None = None) -> None:
        """Keep the words."""
        self.words.put_nowait(message)


async def test_words_only(
    hass: HomeAssistant, client: TestClient[Any, Any], hass_owner_user: MockUser
) -> None:
    speaker = Speaker()
    component: EntityComponent[NotifyEntity] = hass.data[NOTIFY]
    await component.async_add_entities([speaker])
    rows = [{"user": hass_owner_user.id, "entity": "notify.speaker"}]
    await set_up_hearthnet(hass, notify=rows)
    await propose(hass, Context(user_id=hass_owner_user.id), "lock.unlock")
    async with asyncio.timeout(10):
        assert "Front door unlocked." in await speaker.words.get()


async def test_another_users_phone_cannot_be_chosen(
    hass: HomeAssistant, register: Register, hass_owner_user: MockUser, ben: MockUser
) -> None:
    """It would answer as its own user, whoever the form says."""
    await register("Bens phone", ben.id)
    entry = await set_up_hearthnet(hass)
    flows = hass.config_entries.options
    menu = await flows.async_init(ENTRY_ID)
    form = await flows.async_configure(menu["flow_id"], {"next_step_id": "notify"})
    wrong = row(hass, hass_owner_user, "Bens phone")
    form = await flows.async_configure(form["flow_id"], {"notify": [wrong]})
    assert form["errors"] == {"notify": "not_their_phone"}
    right = row(hass, ben, "Bens phone", "conflicts")
    done = await flows.async_configure(form["flow_id"], {"notify": [right]})
    assert done["type"] is FlowResultType.CREATE_ENTRY
    assert entry.options["notify"] == [right]
    await hass.async_block_till_done()
