"""The timeline over the websocket, with a real hub and librarian behind it."""

from collections.abc import Callable, Coroutine
from typing import Any, cast

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser
from pytest_homeassistant_custom_component.typing import (
    MockHAClientWebSocket,
    WebSocketGenerator,
)

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.devices import Principal
from custom_components.hearthnet.core.intents import Origin

from .home import device_id, expose, lamp, place, set_up, turn
from .setup import ENTRY_ID, recorded, set_up_hearthnet

DESK, BED = "light.desk", "light.bed"
FREEZER = "switch.freezer"
PUMP = "switch.pump"

type Ask = Callable[..., Coroutine[Any, Any, dict[str, Any]]]


@pytest.fixture
def gus(hass: HomeAssistant) -> MockUser:
    """Somebody who may read the desk lamp only."""
    user = MockUser(name="Gus").add_to_hass(hass)
    user.mock_policy({"entities": {"entity_ids": {DESK: True}}})
    return user


@pytest.fixture
async def entry(
    hass: HomeAssistant,
    hass_owner_user: MockUser,
    hass_admin_user: MockUser,
    hass_read_only_user: MockUser,
    gus: MockUser,
) -> MockConfigEntry:
    """A home of two lamps and a plug that nobody said anything about."""
    switches = [
        {
            "name": name,
            "unique_id": name.lower(),
            "default_entity_id": f"switch.{name.lower()}",
            "state": "{{ states('input_boolean.plug') }}",
            "turn_on": [turn("input_boolean.plug", "turn_on")],
            "turn_off": [turn("input_boolean.plug", "turn_off")],
        }
        for name in ("Freezer", "Pump")
    ]
    await set_up(hass, [lamp("desk"), lamp("bed"), lamp("plug")], switch=switches)
    expose(hass, DESK, BED, FREEZER)
    expose(hass, "light.plug", exposed=False)
    place(hass, "Study", DESK)
    place(hass, "Bedroom", BED)
    return await set_up_hearthnet(hass)


@pytest.fixture
async def client(
    hass: HomeAssistant, entry: MockConfigEntry, hass_ws_client: WebSocketGenerator
) -> MockHAClientWebSocket:
    """The owner's connection."""
    return await hass_ws_client(hass)


async def ask(client: MockHAClientWebSocket, command: str, **data: Any) -> Any:
    """Send a command and return its answer; events that come first are dropped."""
    message = {"type": f"{DOMAIN}/timeline/{command}", "language": "en", **data}
    await client.send_json_auto_id(message)
    while (answer := await client.receive_json())["type"] != "result":
        pass
    return answer


async def subscribe(client: MockHAClientWebSocket, **data: Any) -> dict[str, Any]:
    """Subscribe and return the snapshot."""
    answer = await ask(client, "subscribe", **data)
    assert answer["success"], answer
    event: dict[str, Any] = (await client.receive_json())["event"]
    assert event["type"] == "snapshot"
    return event


async def until(
    client: MockHAClientWebSocket, right: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """Wait for an event."""
    while True:
        event: dict[str, Any] = (await client.receive_json())["event"]
        if right(event):
            return event


async def propose(
    hass: HomeAssistant,
    action: str,
    entity_id: str | list[str],
    user: User | None = None,
    **data: Any,
) -> dict[str, Any]:
    response = await hass.services.async_call(
        DOMAIN,
        "propose",
        {"action": action, "entity_id": entity_id, "data": data, "reason": "a test"},
        blocking=True,
        return_response=True,
        context=Context(user_id=user.id if user else None),
    )
    return cast(dict[str, Any], response)


async def owner(hass: HomeAssistant) -> User:
    found = await hass.auth.async_get_owner()
    assert found is not None
    return found


# Live


async def test_nothing_is_ready_before_the_entry(
    hass: HomeAssistant, hass_ws_client: WebSocketGenerator
) -> None:
    await set_up(hass)
    assert await async_setup_component(hass, DOMAIN, {})
    client = await hass_ws_client(hass)
    for command, data in (
        ("subscribe", {}),
        ("page", {}),
        ("chain", {"event": "hub.1.1"}),
        ("answer", {"questions": ["hub.1.1"], "approve": True}),
    ):
        answer = await ask(client, command, **data)
        assert answer["error"]["code"] == "not_ready"


async def test_a_row_comes_live_and_again_with_its_commit(
    hass: HomeAssistant, entry: MockConfigEntry, client: MockHAClientWebSocket
) -> None:
    snapshot = await subscribe(client)
    assert snapshot["rows"] == []
    assert snapshot["cursor"] is None
    assert len(snapshot["card"]) == 12
    status = snapshot["status"]
    assert status["open"] is status["enabled"] is status["journal"] is True
    assert status["may_decide"]
    assert [agent["name"] for agent in status["agents"]] == ["rupert", "jeeves"]

    await propose(hass, "light.turn_on", DESK, await owner(hass), brightness_pct=40)
    event = await until(client, lambda event: event["type"] == "rows")
    (row,) = event["rows"]
    assert row["outcome"] == "changed"
    assert row["targets"] == [{"entity_id": DESK, "name": "Desk"}]
    assert (row["wanted"], row["seen"]) == ("on, 40 % bright",) * 2
    assert (row["asked"], row["origin"], row["agent"]) == ("a test", "app", "jeeves")
    assert row["reason"] is None

    await recorded(entry)
    again = row  # Dewey may have been quicker than the row
    while again["commit"] is None:
        event = await until(client, lambda event: event["type"] == "rows")
        (again,) = event["rows"]
    assert again | {"commit": None} == row | {"commit": None}
    assert len(again["commit"]) == 40


async def test_holds_are_shown_together_and_end(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    await subscribe(client)
    await propose(hass, "light.turn_on", DESK, await owner(hass), brightness_pct=40)
    event = await until(
        client, lambda e: e["type"] == "status" and bool(e["status"]["holds"])
    )
    (hold,) = event["status"]["holds"]
    assert hold["target"] == {"entity_id": DESK, "name": "Desk"}
    assert hold["value"] == "on, 40 % bright"
    assert hold["until"] - hold["since"] == pytest.approx(1800, abs=5)
    for one in hold["ids"]:
        await hass.services.async_call(
            DOMAIN,
            "release_hold",
            {"hold": one},
            blocking=True,
            context=Context(user_id=(await owner(hass)).id),
        )
    await until(client, lambda e: e["type"] == "status" and not e["status"]["holds"])


async def test_the_conflict_is_told_with_its_hold(
    hass: HomeAssistant, entry: MockConfigEntry, client: MockHAClientWebSocket
) -> None:
    user = await owner(hass)
    await propose(hass, "light.turn_off", DESK, user)
    await entry.runtime_data.hub.wishes.propose(
        principal=Principal(
            kind="automation", id="automation.dusk", name="Dusk", role="automation"
        ),
        origin=Origin.SCHEDULE,
        targets=(device_id(hass, DESK),),
        operation="light.turn_on",
        parameters={},
        reason="a test",
    )
    row, before = (await subscribe(client, language="de"))["rows"]
    assert (row["outcome"], row["reason"]) == ("refused", "conflict")
    assert row["why"] == "ein früherer Auftrag gilt"
    assert row["hold"]["by"] == user.name
    assert (row["wanted"], row["seen"]) == ("an", "")

    answer = await ask(client, "chain", event=row["event"])
    nodes = answer["result"]["nodes"]
    assert [node["type"] for node in nodes] == [
        *("intent", "task", "proposal", "conflict", "denial"),
        *("resolution", "resolution"),
    ]
    texts = {node["type"]: node["text"] for node in nodes}
    assert texts["intent"] == "a test"
    assert texts["proposal"] == "Desk: on"
    assert texts["conflict"].startswith(f"a request by {user.name} of ")
    assert texts["denial"] == "Desk: an earlier request stands"
    denial = nodes[4]
    assert denial["status"] == "no"
    assert denial["evidence"][0]["event"] == before["event"]
    # In the reader's words and time, not as recorded.
    assert {cited["text"] for cited in denial["evidence"]} == {texts["conflict"]}
    assert denial["cause"] == nodes[2]["id"]
    assert (denial["from"], denial["to"]) == ("rupert", "jeeves")


async def test_a_change_by_others_undoes_a_row(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    await subscribe(client)
    user = await owner(hass)
    await propose(hass, "light.turn_on", DESK, user)
    ours = await until(client, lambda event: event["type"] == "rows")
    await hass.services.async_call(
        "input_boolean", "turn_off", {"entity_id": "input_boolean.desk"}, blocking=True
    )
    found: list[dict[str, Any]] = []
    while not found:
        event = await until(client, lambda event: event["type"] == "rows")
        # The former row may come again beside it, with its commit.
        found = [row for row in event["rows"] if row["outcome"] is None]
    (row,) = found
    assert row["undid"] == [ours["rows"][0]["event"]]
    assert row["seen"].startswith("off")
    assert row["intent"] is None
    answer = await ask(client, "chain", event=row["event"])
    assert [node["type"] for node in answer["result"]["nodes"]] == ["observation"]


async def test_a_question_is_answered_once(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    await subscribe(client)
    await propose(hass, "switch.turn_on", FREEZER, await owner(hass))
    event = await until(
        client, lambda e: e["type"] == "status" and bool(e["status"]["questions"])
    )
    (question,) = event["status"]["questions"]
    assert question["targets"] == [{"entity_id": FREEZER, "name": "Freezer"}]
    assert question["wanted"] == "on"
    assert question["evening"] is None
    assert question["now"].startswith("Now it is ")
    (waiting,) = (await ask(client, "page"))["result"]["rows"]
    assert waiting["outcome"] == "waiting"

    answer = await ask(client, "answer", questions=question["ids"], approve=True)
    assert answer["success"], answer
    assert answer["result"]["speech"] == "Freezer is now on."
    (row,) = (await ask(client, "page"))["result"]["rows"]
    assert (row["id"], row["outcome"]) == (waiting["id"], "changed")
    answer = await ask(client, "answer", questions=question["ids"], approve=True)
    assert answer["error"]["code"] == "not_found"


async def test_what_is_asked_alike_is_put_as_one_question(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    """Each is bound and verified by itself; a person is asked once."""
    expose(hass, PUMP)
    await propose(hass, "switch.turn_on", [FREEZER, PUMP], await owner(hass))
    (question,) = (await subscribe(client))["status"]["questions"]
    assert [t["entity_id"] for t in question["targets"]] == [FREEZER, PUMP]
    assert len(question["ids"]) == 2

    first, *_ = question["ids"]
    answer = await ask(client, "answer", questions=[first], approve=False)
    assert answer["result"]["speech"] is None
    answer = await ask(client, "answer", questions=question["ids"], approve=True)
    assert answer["result"]["speech"] == "Pump is now on."
    rows = (await ask(client, "page"))["result"]["rows"]
    assert {r["targets"][0]["name"]: r["outcome"] for r in rows} == {
        "Freezer": "refused",
        "Pump": "changed",
    }
    answer = await ask(client, "answer", questions=question["ids"], approve=True)
    assert answer["error"]["code"] == "not_found"


async def test_a_card_about_one_device_tells_of_no_other(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    user = await owner(hass)
    await propose(hass, "switch.turn_on", FREEZER, user)
    await propose(hass, "light.turn_on", DESK, user)
    said = {"text": "turn on the bed in five minutes"}
    context = Context(user_id=user.id)
    await hass.services.async_call(DOMAIN, "ask", said, True, context)
    shown = {}
    for about in (DESK, BED, FREEZER):
        status = (await subscribe(client, entity_ids=[about]))["status"]
        strips = ("holds", "plans", "questions")
        shown[about] = [strip for strip in strips if status[strip]]
    assert shown == {DESK: ["holds"], BED: ["plans"], FREEZER: ["questions"]}


async def test_what_was_said_can_be_asked_again(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    """A button on a dashboard proposes an action; its reason is no sentence."""
    user = await owner(hass)
    await propose(hass, "light.turn_on", DESK, user)
    said = {"text": "turn on the bed"}
    context = Context(user_id=user.id)
    await hass.services.async_call(DOMAIN, "ask", said, True, context)
    rows = (await subscribe(client))["rows"]
    assert {row["asked"]: row["again"] for row in rows} == {
        "a test": False,
        "turn on the bed": True,
    }


async def test_no_text_turns_what_stands_beside_it(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    """A text that reverses what follows could pass one person off as another."""
    said = {"text": "turn on the \u202edesk \u2067now"}
    context = Context(user_id=(await owner(hass)).id)
    await hass.services.async_call(DOMAIN, "ask", said, True, context)
    (row,) = (await subscribe(client))["rows"]
    assert row["asked"] == "turn on the desk now"
    chain = (await ask(client, "chain", event=row["event"]))["result"]
    assert chain["nodes"][0]["text"] == "turn on the desk now"


async def test_a_routines_question_is_answered_for_the_evening(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    """It is asked once; what was agreed to shows with its end."""
    await subscribe(client)

    async def night_round() -> str:
        context = Context()
        ran = {"name": "Night round", "entity_id": "automation.night_round"}
        hass.bus.async_fire("automation_triggered", ran, context=context)
        given = {"entity_id": FREEZER, "action": "switch.turn_on", "reason": "night"}
        response: Any = await hass.services.async_call(
            DOMAIN, "propose", given, True, context, None, True
        )
        return str(response["outcome"])

    assert await night_round() == "waiting"
    event = await until(
        client, lambda e: e["type"] == "status" and bool(e["status"]["questions"])
    )
    (question,) = event["status"]["questions"]
    assert question["evening"] > question["until"]
    answer = {"questions": question["ids"], "approve": True}
    late = await ask(client, "answer", **answer, until=question["evening"] + 1e6)
    assert late["error"]["code"] == "invalid_format"
    agreed = await ask(client, "answer", **answer, until=question["evening"])
    assert agreed["success"], agreed
    assert await night_round() == "already_so"
    status = (await subscribe(client))["status"]
    (approval,) = status["approvals"]
    assert (approval["for"], approval["until"]) == ("Night round", question["evening"])
    assert status["questions"] == []


async def test_an_unload_tells_the_card_to_ask_again(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    message = {"type": "hearthnet/timeline/subscribe", "language": "en"}
    await client.send_json_auto_id(message)
    number = (await client.receive_json())["id"]
    assert await hass.config_entries.async_unload(ENTRY_ID)
    await until(client, lambda event: event["type"] == "reset")
    # The card ends on its side what has ended here.
    end = {"type": "unsubscribe_events", "subscription": number}
    await client.send_json_auto_id(end)
    assert (await client.receive_json())["success"]
    assert (await ask(client, "page"))["error"]["code"] == "not_ready"
    assert await hass.config_entries.async_setup(ENTRY_ID)
    await subscribe(client)


async def test_an_ended_subscription_is_forgotten(
    hass: HomeAssistant, client: MockHAClientWebSocket
) -> None:
    await client.send_json_auto_id(
        {"type": "hearthnet/timeline/subscribe", "language": "en"}
    )
    number = (await client.receive_json())["id"]
    await client.receive_json()
    await client.send_json_auto_id(
        {"type": "unsubscribe_events", "subscription": number}
    )
    assert (await client.receive_json())["success"]
    await propose(hass, "light.turn_on", DESK)
    assert (await ask(client, "page"))["success"]


# Older rows


async def test_pages_go_back_without_gaps(
    hass: HomeAssistant, entry: MockConfigEntry, client: MockHAClientWebSocket
) -> None:
    user = await owner(hass)
    for level in range(10, 60, 10):
        await propose(hass, "light.turn_on", DESK, user, brightness_pct=level)
    await recorded(entry)
    found, cursor = [], None
    while True:
        more: dict[str, str] = {} if cursor is None else {"cursor": cursor}
        page = (await ask(client, "page", limit=2, **more))["result"]
        found += [row["wanted"] for row in page["rows"]]
        if (cursor := page["cursor"]) is None:
            break
    shown = list(dict.fromkeys(found))
    assert shown == [f"on, {level} % bright" for level in (50, 40, 30, 20, 10)]


async def test_filters_and_search(
    hass: HomeAssistant, entry: MockConfigEntry, client: MockHAClientWebSocket
) -> None:
    user = await owner(hass)
    await propose(hass, "light.turn_on", DESK, user)
    await propose(hass, "light.turn_on", BED, user)

    async def rows(**data: Any) -> list[str]:
        page = (await ask(client, "page", **data))["result"]
        return [row["targets"][0]["name"] for row in page["rows"]]

    assert await rows() == ["Bed", "Desk"]
    assert await rows(entity_ids=[DESK]) == ["Desk"]
    areas = hass.data["area_registry"]
    study = areas.async_get_area_by_name("Study").id
    assert await rows(area_ids=[study]) == ["Desk"]
    assert await rows(area_ids=[study], entity_ids=[BED]) == ["Bed", "Desk"]
    assert await rows(text="desk") == ["Desk"]
    assert await rows(text="a test") == ["Bed", "Desk"]
    assert await rows(text="sofa") == []
    assert await rows(entity_ids=["light.gone"]) == []


@pytest.mark.parametrize(
    ("command", "data"),
    [
        ("page", {"cursor": "yesterday"}),
        ("chain", {"event": "x" * 300}),
        ("page", {"limit": 201}),
        ("page", {"entity_ids": ["no entity"]}),
    ],
)
async def test_nonsense_is_refused(
    client: MockHAClientWebSocket, command: str, data: dict[str, Any]
) -> None:
    answer = await ask(client, command, **data)
    assert answer["error"]["code"] == "invalid_format"


# Rights


@pytest.fixture
async def guest(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    gus: MockUser,
    hass_ws_client: WebSocketGenerator,
) -> MockHAClientWebSocket:
    """Gus's connection."""
    refresh = await hass.auth.async_create_refresh_token(gus, "https://card.test/")
    token = hass.auth.async_create_access_token(refresh)
    return await hass_ws_client(hass, token)


async def test_rows_of_what_may_not_be_read_are_left_out(
    hass: HomeAssistant, guest: MockHAClientWebSocket, client: MockHAClientWebSocket
) -> None:
    user = await owner(hass)
    await propose(hass, "light.turn_on", DESK, user)
    await propose(hass, "light.turn_on", BED, user)
    await hass.services.async_call(
        DOMAIN, "ask", {"text": "gibberish"}, blocking=True, return_response=True
    )
    everything = await subscribe(client)
    snapshot = await subscribe(guest)

    assert [row["asked"] for row in everything["rows"]] == [
        *("gibberish", "a test", "a test"),
    ]
    assert [row["targets"][0]["name"] for row in snapshot["rows"]] == ["Desk"]
    holds = [hold["target"]["name"] for hold in snapshot["status"]["holds"]]
    assert holds == ["Desk"]

    bed = everything["rows"][1]
    answer = await ask(guest, "chain", event=bed["event"])
    assert answer["error"]["code"] == "not_found"
    answer = await ask(guest, "chain", event=snapshot["rows"][0]["event"])
    assert all(node["text"] for node in answer["result"]["nodes"])

    await propose(hass, "light.turn_off", BED, user)
    await propose(hass, "light.turn_off", DESK, user)
    event = await until(guest, lambda e: e["type"] == "rows")
    assert {row["targets"][0]["name"] for row in event["rows"]} == {"Desk"}


async def test_of_a_shared_request_only_ones_own_steps_are_told(
    hass: HomeAssistant, guest: MockHAClientWebSocket
) -> None:
    await propose(hass, "light.turn_on", [DESK, BED], await owner(hass))
    (row,) = (await subscribe(guest))["rows"]
    nodes = (await ask(guest, "chain", event=row["event"]))["result"]["nodes"]
    hidden = [node for node in nodes if not node["text"]]
    assert {node["type"] for node in hidden} >= {"task", "proposal", "grant", "receipt"}
    assert not any(node["targets"] or node["evidence"] for node in hidden)
    assert "Bed" not in str(nodes)


async def test_plans_are_shown_to_whoever_may_cancel_them(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    guest: MockHAClientWebSocket,
    client: MockHAClientWebSocket,
    hass_ws_client: WebSocketGenerator,
    hass_read_only_access_token: str,
) -> None:
    """Gus may look at the desk only; who only looks decides about nothing."""
    user = await owner(hass)
    for name in ("desk", "bed"):
        said = {"text": f"turn on the {name} in five minutes"}
        context = Context(user_id=user.id)
        await hass.services.async_call(DOMAIN, "ask", said, True, context)
    desk, bed = (await subscribe(client))["status"]["plans"]
    plan, _ = entry.runtime_data.hub.state.deferred()
    assert desk == {
        "intent": plan.id,
        "text": "turn on the desk in five minutes",
        "by": user.name,
        "due": plan.due.timestamp(),
    }
    assert bed["text"] == "turn on the bed in five minutes"
    assert (await subscribe(guest))["status"]["plans"] == [desk]
    looks = await hass_ws_client(hass, hass_read_only_access_token)
    assert (await subscribe(looks))["status"]["plans"] == []


async def test_guests_decide_nothing(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    hass_ws_client: WebSocketGenerator,
    hass_read_only_access_token: str,
) -> None:
    await propose(hass, "switch.turn_on", FREEZER, await owner(hass))
    client = await hass_ws_client(hass, hass_read_only_access_token)
    status = (await subscribe(client))["status"]
    assert not status["may_decide"]
    questions = status["questions"][0]["ids"]
    answer = await ask(client, "answer", questions=questions, approve=True)
    assert answer["error"]["code"] == "unauthorized"
