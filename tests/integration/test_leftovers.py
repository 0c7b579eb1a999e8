"""What a restart dropped: told, offered again, and never run by itself."""

from typing import Any

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.components import persistent_notification
from homeassistant.components.repairs import RepairsFlow
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser
from pytest_homeassistant_custom_component.typing import (
    MockHAClientWebSocket,
    WebSocketGenerator,
)

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.hub import Hub
from custom_components.hearthnet.core.messages import MessageType
from custom_components.hearthnet.repairs import async_create_fix_flow

from .home import expose, lamp, set_up
from .setup import ENTRY_ID, set_up_hearthnet

DESK, BED = "turn on the desk", "turn on the bed"


def leave_open(
    hub: Hub, user: Any, text: str, origin: str = "app", *, sentence: bool = True
) -> str:
    """Record an intent that comes to no end in this boot; return its id."""
    role = "automation" if origin == "schedule" else "owner"
    record = hub.node.emit(
        sender="rupert",
        to="rupert",
        type=MessageType.INTENT,
        content=f"{user.name}: {text}",
        body={
            "text": text,
            "principal": {
                "kind": "user",
                "id": user.id,
                "name": user.name,
                "role": role,
            },
            "origin": origin,
            "source": "person",
            "language": "en",
            "area": None,
            "sentence": sentence,
        },
    )
    return record.message.id


@pytest.fixture
async def hub(hass: HomeAssistant, hass_owner_user: MockUser) -> Hub:
    hass_owner_user.name = "Anna"
    await set_up(hass, [lamp("desk"), lamp("bed")])
    expose(hass, "light.desk", "light.bed")
    entry = await set_up_hearthnet(hass)
    hub: Hub = entry.runtime_data.hub
    return hub


async def restart(hass: HomeAssistant) -> Hub:
    assert await hass.config_entries.async_reload(ENTRY_ID)
    await hass.async_block_till_done()
    entry: MockConfigEntry | None = hass.config_entries.async_get_entry(ENTRY_ID)
    assert entry is not None
    restarted: Hub = entry.runtime_data.hub
    return restarted


def lit(hass: HomeAssistant) -> dict[str, bool]:
    return {key: hass.states.is_state(f"light.{key}", "on") for key in ("desk", "bed")}


async def fix_flow(hass: HomeAssistant) -> RepairsFlow:
    issue = ir.async_get(hass).async_get_issue(DOMAIN, "dropped")
    assert issue is not None
    assert issue.is_fixable
    flow = await async_create_fix_flow(hass, issue.issue_id, None)
    flow.hass = hass
    return flow


async def dropped(client: MockHAClientWebSocket, **data: Any) -> Any:
    message = {"type": f"{DOMAIN}/timeline/dropped", "language": "en", **data}
    await client.send_json_auto_id(message)
    return await client.receive_json()


async def test_a_restart_tells_and_runs_nothing(
    hass: HomeAssistant, hub: Hub, hass_owner_user: MockUser
) -> None:
    for text in (DESK, BED):
        leave_open(hub, hass_owner_user, text)
    leave_open(hub, hass_owner_user, "It is getting dark", "schedule")
    await restart(hass)
    notices = persistent_notification._async_get_or_create_notifications(hass)  # type: ignore[attr-defined]
    notice = notices[f"{DOMAIN}_dropped"]
    assert notice["title"] == "HearthNet was restarted: 3 dropped, nothing re-run"
    for text in (DESK, BED, "It is getting dark"):
        assert f"- {text}" in notice["message"]
    assert lit(hass) == {"desk": False, "bed": False}


async def test_repairs_asks_anew_for_what_is_chosen(
    hass: HomeAssistant, hub: Hub, hass_owner_user: MockUser
) -> None:
    """As whoever said it, in a new intent; the rest, and automations', is let go."""
    first = leave_open(hub, hass_owner_user, DESK)
    second = leave_open(hub, hass_owner_user, BED)
    leave_open(hub, hass_owner_user, "It is getting dark", "schedule")
    hub = await restart(hass)
    flow = await fix_flow(hass)
    form: Any = await flow.async_step_init(None)  # type: ignore[attr-defined]
    (field,) = form["data_schema"].schema.values()
    assert field.options == {first: DESK, second: BED}
    await flow.async_step_init({"again": [second]})  # type: ignore[attr-defined]
    await hass.async_block_till_done()
    assert lit(hass) == {"desk": False, "bed": True}
    (intent,) = (
        event
        for event in (await hub.chronicle.timeline(type="intent"))["events"]
        if event["id"].startswith(f"hub.{hub.node.boot}.")
    )
    assert intent["content"] == f"Anna: {BED}"
    assert hub.leftovers.standing == ()
    assert ir.async_get(hass).async_get_issue(DOMAIN, "dropped") is None


async def test_what_nobody_said_is_no_issue(
    hass: HomeAssistant, hub: Hub, hass_owner_user: MockUser
) -> None:
    leave_open(hub, hass_owner_user, "It is getting dark", "schedule")
    # A button on a dashboard that proposes something gives a reason for it.
    leave_open(hub, hass_owner_user, "the door bell rang", sentence=False)
    hub = await restart(hass)
    assert [one.sayable for one in hub.leftovers.standing] == [False, False]
    assert ir.async_get(hass).async_get_issue(DOMAIN, "dropped") is None


async def test_the_card_asks_anew(
    hass: HomeAssistant,
    hub: Hub,
    hass_owner_user: MockUser,
    hass_ws_client: WebSocketGenerator,
) -> None:
    """Once: the second press finds it decided. Let be, nothing happens."""
    first = leave_open(hub, hass_owner_user, DESK)
    second = leave_open(hub, hass_owner_user, BED)
    await restart(hass)
    client = await hass_ws_client(hass)
    answer = await dropped(client, intent=first, again=True)
    assert answer["result"] == {"speech": "Desk is now on."}
    again = await dropped(client, intent=first, again=True)
    assert again["error"]["code"] == "not_found"
    assert (await dropped(client, intent=second, again=False))["success"]
    await hass.async_block_till_done()
    assert lit(hass) == {"desk": True, "bed": False}
    assert ir.async_get(hass).async_get_issue(DOMAIN, "dropped") is None


async def test_only_ones_own(
    hass: HomeAssistant,
    hub: Hub,
    hass_owner_user: MockUser,
    hass_ws_client: WebSocketGenerator,
) -> None:
    """Ben sees and asks anew for what he said himself, and for nothing of Anna's."""
    ben = await hass.auth.async_create_user("Ben", group_ids=[GROUP_ID_USER])
    hers = leave_open(hub, hass_owner_user, DESK)
    his = leave_open(hub, ben, BED)
    await restart(hass)
    token = await hass.auth.async_create_refresh_token(ben, "https://localhost/")
    client = await hass_ws_client(hass, hass.auth.async_create_access_token(token))
    subscription = {"type": f"{DOMAIN}/timeline/subscribe", "language": "en"}
    await client.send_json_auto_id(subscription)
    assert (await client.receive_json())["success"]
    status = (await client.receive_json())["event"]["status"]
    assert status["dropped"] == [
        {"intent": his, "text": BED, "by": "Ben", "again": True}
    ]
    client = await hass_ws_client(hass, hass.auth.async_create_access_token(token))
    refused = await dropped(client, intent=hers, again=True)
    assert refused["error"]["code"] == "not_found"
    assert (await dropped(client, intent=his, again=True))["success"]
    assert lit(hass) == {"desk": False, "bed": True}
