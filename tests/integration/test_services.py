"""The actions, with a real hub behind them."""

from datetime import timedelta
from typing import Any, cast

from freezegun.api import FrozenDateTimeFactory
from homeassistant.auth.const import GROUP_ID_ADMIN, GROUP_ID_USER
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import Context, CoreState, HomeAssistant
from homeassistant.exceptions import (
    HomeAssistantError,
    ServiceValidationError,
    Unauthorized,
    UnknownUser,
)
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockUser,
    async_capture_events,
    async_fire_time_changed,
)
import voluptuous as vol

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.journal import JournalError

from .home import device_id, expose, lamp, place, set_up, turn
from .setup import ENTRY_ID, recorded, set_up_hearthnet

DESK = "light.desk"


@pytest.fixture
async def entry(
    hass: HomeAssistant,
    anna: Context,
    hass_owner_user: MockUser,
    hass_read_only_user: MockUser,
) -> MockConfigEntry:
    """A home of two lamps in the study and one in the hall."""
    freezer = {
        "name": "Freezer",
        "unique_id": "freezer",
        "default_entity_id": "switch.freezer",
        "state": "{{ is_state('input_boolean.shelf', 'on') }}",
        "turn_on": turn("input_boolean.shelf", "turn_on"),
        "turn_off": turn("input_boolean.shelf", "turn_off"),
    }
    lamps = [lamp("desk"), lamp("shelf"), lamp("hall")]
    await set_up(hass, lamps, switch=[freezer])
    expose(hass, DESK, "light.shelf", "light.hall")
    place(hass, "Study", DESK, "light.shelf")
    place(hass, "Hall", "light.hall")
    return await set_up_hearthnet(hass)


@pytest.fixture
async def anna(hass: HomeAssistant) -> Context:
    """A resident's context."""
    group = await hass.auth.async_get_group(GROUP_ID_USER)
    user = MockUser(name="Anna", groups=[group]).add_to_hass(hass)
    return Context(user_id=user.id)


async def call(
    hass: HomeAssistant, name: str, context: Context | None = None, /, **data: Any
) -> dict[str, Any]:
    response = await hass.services.async_call(
        DOMAIN, name, data, blocking=True, return_response=True, context=context
    )
    return cast(dict[str, Any], response)


async def read(hass: HomeAssistant, name: str, **data: Any) -> dict[str, Any]:
    """Ask about the record as the owner, who may read all of it."""
    users = await hass.auth.async_get_users()
    owner = next(user for user in users if user.is_owner)
    return await call(hass, name, Context(user_id=owner.id), **data)


async def propose(
    hass: HomeAssistant, context: Context | None, brightness: int, **data: Any
) -> dict[str, Any]:
    given = {
        "entity_id": DESK,
        "action": "light.turn_on",
        "data": {"brightness_pct": brightness},
        "reason": "a test",
    }
    return await call(hass, "propose", context, **given | data)


# Propose


async def test_propose(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """The response tells what was read back, step by step and in a sentence."""
    response = await propose(hass, anna, 40, language="de")
    assert response["complete"] is True
    assert response["outcome"] == "changed"
    assert response["speech"] == "Desk ist jetzt an, auf 40 % Helligkeit."
    step = response["steps"][0]
    assert step["entity_id"] == DESK
    assert step["values"] == {"state": "on", "brightness_pct": 40}
    assert step["lease"]
    state = hass.states.get(DESK)
    assert state is not None
    assert state.attributes["brightness"] == 102
    assert (await propose(hass, anna, 40))["outcome"] == "already_so"


async def test_the_language_of_a_wish_is_on_record(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """The caller's own, else the home's."""
    hass.config.language = "fr"
    lease = await call(
        hass,
        "request_lease",
        anna,
        entity_id=DESK,
        action="light.turn_off",
        reason="a test",
    )
    used = await call(hass, "execute", anna, lease=lease["lease"], language="es")
    assert used["speech"] == "Desk: ya apagado."
    spoken = await propose(hass, anna, 40)
    assert spoken["speech"] == "Desk : maintenant allumé, à 40 % de luminosité."
    languages = []
    for wish in (used, spoken):
        await recorded(entry)
        told = await read(hass, "explain", intent=wish["intent"])
        (intent,) = [e for e in told["events"] if e["message"]["type"] == "intent"]
        languages.append(intent["message"]["body"]["language"])
    assert languages == ["es", "fr"]


async def test_propose_dry_run(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    response = await propose(hass, anna, 40, dry_run=True)
    assert response["outcome"] == "planned"
    assert response["complete"] is False
    assert "would be allowed" in response["speech"]
    state = hass.states.get(DESK)
    assert state is not None
    assert state.state == "off"


async def test_propose_for_an_area(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """An area stands for its exposed entities that the action fits."""
    response = await call(
        hass,
        "propose",
        anna,
        area_id="study",
        action="light.turn_on",
        reason="a test",
    )
    assert {step["entity_id"] for step in response["steps"]} == {DESK, "light.shelf"}
    assert response["speech"] == "Desk and Shelf are now on."


MISTAKES = [
    ({"action": "light.toggle"}, "unknown_action", "light.turn_on"),
    ({"action": "homeassistant.restart"}, "unknown_domain", "light"),
    ({"data": {"brightness_pct": 140}}, "bad_data", "brightness_pct"),
    ({"data": {"brightness": 140}}, "bad_data", "brightness_pct"),
    ({"entity_id": "light.attic"}, "unknown_entity", "light.attic"),
    ({"entity_id": "input_boolean.desk"}, "wrong_domain", "input_boolean.desk"),
    ({"entity_id": "all"}, "name_the_targets", "all"),
    ({"entity_id": [], "area_id": "attic"}, "empty_target", "light.turn_on"),
]


@pytest.mark.parametrize(("given", "key", "named"), MISTAKES)
async def test_propose_mistakes(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    anna: Context,
    given: dict[str, Any],
    key: str,
    named: str,
) -> None:
    """A caller's mistake is an exception that names the field and the remedy."""
    await hass.config.async_update(language="en")
    with pytest.raises(ServiceValidationError) as raised:
        await propose(hass, anna, 40, **given)
    assert raised.value.translation_domain == DOMAIN
    assert raised.value.translation_key == key
    assert named in str(raised.value)
    assert "Field “" in str(raised.value)


# Ask


async def test_ask(hass: HomeAssistant, entry: MockConfigEntry, anna: Context) -> None:
    plan = await call(hass, "ask", anna, text="Turn on the hall light", dry_run=True)
    assert plan["outcome"] == "planned"
    assert plan["intent"] == ""
    assert plan["speech"] == "Hall would be allowed: on."
    done = await call(hass, "ask", anna, text="Turn on the hall light")
    assert done["kind"] == "command"
    assert done["speech"] == "Hall is now on."
    told = await call(
        hass, "ask", anna, text="Ist das Licht auf dem Mond an?", language="de"
    )
    assert told["kind"] == "unclear"
    # The hall has no German name here; there is one hall, though.
    told = await call(
        hass, "ask", anna, text="Ist das Licht im Flur an?", language="de"
    )
    assert told["speech"] == "Hall ist an, auf 50 % Helligkeit."
    asked = await call(hass, "ask", anna, text="Is the hall light on?")
    (answer,) = asked["answers"]
    assert answer["entity_id"] == "light.hall"
    assert answer["values"]["state"] == "on"
    assert dt_util.parse_datetime(answer["since"])


async def test_ask_nothing(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    with pytest.raises(vol.Invalid):
        await call(hass, "ask", anna, text="")


# Who asks


async def run_automation(
    hass: HomeAssistant, trigger: dict[str, Any], **given: Any
) -> None:
    """Set up an automation that proposes 20 % and keeps the response."""
    action = {
        "action": "hearthnet.propose",
        "target": {"entity_id": DESK},
        "data": {
            "action": "light.turn_on",
            "data": {"brightness_pct": 20},
            "reason": "wind-down",
        },
        "response_variable": "decision",
    }
    event = {
        "event": "decided",
        "event_data": {
            "outcome": "{{ decision.outcome }}",
            "speech": "{{ decision.speech }}",
        },
    }
    assert await async_setup_component(
        hass,
        "automation",
        {
            "automation": {
                "id": "wind_down",
                "alias": "Wind-down",
                "triggers": trigger,
                "actions": [action, event],
            }
        },
    )
    await hass.async_block_till_done()


async def intent_of(hass: HomeAssistant) -> dict[str, Any]:
    """Return the newest intent."""
    row = (await read(hass, "timeline", type="intent", limit=1))["events"][0]
    chain = await read(hass, "explain", intent=row["id"])
    body: dict[str, Any] = chain["events"][0]["message"]["body"]
    return body


async def test_automation_gets_a_denial_as_response(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """What a person wants now stands; the automation can go on and say so."""
    events: list[Any] = []
    hass.bus.async_listen("decided", events.append)
    assert (await propose(hass, anna, 55))["complete"]
    await run_automation(hass, {"trigger": "event", "event_type": "go"})
    hass.bus.async_fire("go")
    await hass.async_block_till_done()

    told = events[0].data
    assert told["outcome"] == "refused"
    assert told["speech"].startswith("Desk was left alone: a request by Anna of ")
    state = hass.states.get(DESK)
    assert state is not None
    assert state.attributes["brightness"] == 140
    intent = await intent_of(hass)
    assert intent["origin"] == "automation"
    assert intent["principal"] == {
        "kind": "automation",
        "id": "automation.wind_down",
        "name": "Wind-down",
        "role": "automation",
    }


async def test_schedule(
    hass: HomeAssistant, entry: MockConfigEntry, freezer: FrozenDateTimeFactory
) -> None:
    """A trigger that is only a moment makes a schedule of an automation."""
    await run_automation(hass, {"trigger": "time_pattern", "seconds": "/1"})

    freezer.tick(timedelta(seconds=2))
    async_fire_time_changed(hass, dt_util.utcnow())
    await hass.async_block_till_done()
    assert (await intent_of(hass))["origin"] == "schedule"
    await hass.services.async_call("automation", "turn_off", {"entity_id": "all"}, True)


async def test_person_and_nobody(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    anna: Context,
    hass_owner_user: MockUser,
) -> None:
    await propose(hass, anna, 10)
    assert (await intent_of(hass))["principal"]["role"] == "resident"
    await propose(hass, Context(user_id=hass_owner_user.id), 20)
    intent = await intent_of(hass)
    assert intent["principal"]["role"] == "owner"
    assert intent["origin"] == "app"
    refused = await propose(hass, None, 30)
    assert refused["steps"][0]["reason"] == "policy_denied"
    assert (await intent_of(hass))["origin"] == "agent"


async def test_program_with_a_token(
    hass: HomeAssistant, entry: MockConfigEntry
) -> None:
    """An app of the Supervisor is no person, whatever its token may do."""
    user = await hass.auth.async_create_system_user(
        "Supervisor", group_ids=[GROUP_ID_ADMIN]
    )
    await hass.async_block_till_done()
    assert (await propose(hass, Context(user_id=user.id), 30))["complete"]
    intent = await intent_of(hass)
    assert intent["origin"] == "automation"
    assert intent["principal"]["role"] == "automation"


async def test_what_moves_is_traced_to_who_asked(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """The logbook shows HearthNet, and the person's act as its cause."""
    await propose(hass, anna, 40)
    state = hass.states.get(DESK)
    assert state is not None
    assert state.context.parent_id == anna.id
    user = await hass.auth.async_get_user(state.context.user_id or "")
    assert user is not None
    assert user.name == "HearthNet"


async def test_guests(
    hass: HomeAssistant, entry: MockConfigEntry, hass_read_only_user: MockUser
) -> None:
    """Who may only look in Home Assistant moves nothing through HearthNet."""
    context = Context(user_id=hass_read_only_user.id)
    refused = await propose(hass, context, 30)
    assert refused["steps"][0]["reason"] == "not_permitted"
    assert (await intent_of(hass))["principal"]["role"] == "guest"
    for action, data in (
        ("revoke_lease", {"lease": "hub.1.1"}),
        ("release_hold", {"hold": "hub.1.1"}),
    ):
        with pytest.raises(Unauthorized):
            await call(hass, action, context, **data)


async def test_unknown_user(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    with pytest.raises(UnknownUser):
        await propose(hass, Context(user_id="gone"), 30)


# Leases


async def test_lease(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    anna: Context,
    hass_owner_user: MockUser,
) -> None:
    """Granted to its caller, once: a second try gets the first one's receipt."""
    wanted = {
        "entity_id": DESK,
        "action": "light.turn_on",
        "data": {"brightness_pct": 60},
        "reason": "a test",
    }
    granted = await call(hass, "request_lease", anna, **wanted)
    assert granted["granted"] is True
    lease = granted["lease"]
    state = hass.states.get(DESK)
    assert state is not None
    assert state.state == "off"
    active = hass.states.get("sensor.home_active_leases")
    assert active is not None
    assert active.state == "1"

    owner = Context(user_id=hass_owner_user.id)
    with pytest.raises(ServiceValidationError) as raised:
        await call(hass, "execute", owner, lease=lease)
    assert raised.value.translation_key == "foreign_lease"
    assert raised.value.translation_placeholders == {
        "lease": lease,
        "principal": "Anna",
    }

    done = await call(hass, "execute", anna, lease=lease)
    assert done["outcome"] == "changed"
    acts = async_capture_events(hass, EVENT_CALL_SERVICE)
    again = await call(hass, "execute", anna, lease=lease)
    assert again["steps"][0]["event"] == done["steps"][0]["event"]
    assert [act.data["service"] for act in acts] == ["execute"]


async def test_lease_mistakes(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    with pytest.raises(ServiceValidationError) as raised:
        await call(hass, "execute", anna, lease="nonsense")
    assert raised.value.translation_key == "not_an_id"
    with pytest.raises(ServiceValidationError) as raised:
        await call(hass, "execute", anna, lease="hub.1.999")
    assert raised.value.translation_key == "unknown_lease"
    with pytest.raises(ServiceValidationError) as raised:
        await call(
            hass,
            "request_lease",
            anna,
            entity_id=[DESK, "light.shelf"],
            action="light.turn_on",
            reason="a test",
        )
    assert raised.value.translation_key == "one_target"


async def test_revoke(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    granted = await call(
        hass,
        "request_lease",
        anna,
        entity_id=DESK,
        action="light.turn_on",
        reason="a test",
    )
    lease = granted["lease"]
    assert await call(hass, "revoke_lease", anna, lease=lease) == {"revoked": True}
    assert await call(hass, "revoke_lease", anna, lease=lease) == {"revoked": False}
    refused = await call(hass, "execute", anna, lease=lease)
    assert refused["steps"][0]["reason"] == "revoked"


# Holds


async def test_release_hold(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """A refusal names the hold; released, it stands in nobody's way."""
    await propose(hass, anna, 55)
    for hold in entry.runtime_data.data.holds:
        assert await call(hass, "release_hold", anna, hold=hold.id) == {
            "released": True
        }
    assert entry.runtime_data.hub.status.holds == ()
    assert await call(hass, "release_hold", anna, hold="hub.1.1") == {"released": False}


# Looking back


async def test_explain(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """From a lamp to the person behind it, with the commits of the record."""
    done = await propose(hass, anna, 55)
    await recorded(entry)
    chain = await read(hass, "explain", entity_id=DESK)
    assert chain["intent"] == done["intent"]
    types = [event["type"] for event in chain["events"]]
    assert types[0] == "intent"
    assert {"grant", "execute", "receipt"} <= set(types)
    assert all(event["commit"] for event in chain["events"])
    lease = done["steps"][0]["lease"]
    assert (await read(hass, "explain", lease=lease))["intent"] == done["intent"]
    receipt = done["steps"][0]["event"]
    assert (await read(hass, "explain", event=receipt))["event"] == receipt


async def test_explain_mistakes(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    for given, key in (
        ({}, "explain_one"),
        ({"lease": "hub.1.1", "event": "hub.1.1"}, "explain_one"),
        ({"intent": "nonsense"}, "not_an_id"),
        ({"event": "hub.1.999"}, "not_on_record"),
        ({"entity_id": "light.attic"}, "unknown_entity"),
    ):
        with pytest.raises(ServiceValidationError) as raised:
            await read(hass, "explain", **given)
        assert raised.value.translation_key == key


async def test_timeline(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    await propose(hass, anna, 55)
    everything = (await read(hass, "timeline"))["events"]
    assert [event["at"] for event in everything] == sorted(
        (event["at"] for event in everything), reverse=True
    )
    receipts = (await read(hass, "timeline", type="receipt", entity_id=DESK))["events"]
    assert [event["devices"] for event in receipts] == [[device_id(hass, DESK)]]
    older = (await read(hass, "timeline", before=receipts[0]["id"], limit=1))["events"]
    assert len(older) == 1
    assert older[0]["id"] != receipts[0]["id"]
    found = (await read(hass, "timeline", text="A TEST", limit=5))["events"]
    assert found
    intent = receipts[0]["intent"]
    chain = (await read(hass, "timeline", intent=intent))["events"]
    assert {event["intent"] or event["id"] for event in chain} == {intent}


# Not ready


async def test_nothing_before_the_start(hass: HomeAssistant, anna: Context) -> None:
    """Until Home Assistant has started, entities are missing: nothing is granted."""
    await set_up(hass, [lamp("desk")])
    expose(hass, DESK)
    hass.set_state(CoreState.not_running)
    entry = MockConfigEntry(domain=DOMAIN, entry_id=ENTRY_ID, title="Home")
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(ENTRY_ID)
    refused = await propose(hass, anna, 40)
    assert refused["steps"][0]["reason"] == "starting"
    await hass.async_start()
    await hass.async_block_till_done()
    assert (await propose(hass, anna, 40))["complete"] is True


async def test_not_loaded(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    assert await hass.config_entries.async_unload(ENTRY_ID)
    assert entry.state is ConfigEntryState.NOT_LOADED
    with pytest.raises(ServiceValidationError):
        await propose(hass, None, 40)


async def test_unwritable_record(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """A full disk is told as what it is."""
    hub = entry.runtime_data.hub

    async def full() -> None:
        raise JournalError("disk full")

    hub.node.sync = full
    granted = await call(
        hass,
        "request_lease",
        anna,
        entity_id=DESK,
        action="light.turn_on",
        reason="a test",
    )
    with pytest.raises(HomeAssistantError) as raised:
        await call(hass, "revoke_lease", anna, lease=granted["lease"])
    assert raised.value.translation_key == "journal_unusable"


# Questions


@pytest.fixture
async def waiting(hass: HomeAssistant, entry: MockConfigEntry, anna: Context) -> str:
    """A question about a plug of unknown use, which the default policy asks."""
    expose(hass, "switch.freezer")
    asked = await call(
        hass,
        "propose",
        anna,
        entity_id="switch.freezer",
        action="switch.turn_on",
        reason="a test",
    )
    assert asked["outcome"] == "waiting"
    assert asked["speech"] == "Freezer waits for somebody to confirm."
    questions = hass.states.get("sensor.home_open_questions")
    assert questions is not None
    assert questions.state == "1"
    event: str = asked["steps"][0]["event"]
    return event


async def test_approve(
    hass: HomeAssistant, waiting: str, anna: Context, hass_read_only_user: MockUser
) -> None:
    """A signed-in resident can, once; a guest cannot."""
    with pytest.raises(Unauthorized):
        await call(
            hass, "approve", Context(user_id=hass_read_only_user.id), question=waiting
        )
    done = await call(hass, "approve", anna, question=waiting)
    assert done["approved"] is True
    assert done["outcome"] == "changed"
    with pytest.raises(ServiceValidationError) as raised:
        await call(hass, "approve", anna, question=waiting)
    assert raised.value.translation_key == "question_over"


async def test_approve_until(
    hass: HomeAssistant, entry: MockConfigEntry, waiting: str, anna: Context
) -> None:
    """The same needs no question until then, or until it is revoked."""
    evening = (dt_util.now() + timedelta(hours=1)).strftime("%H:%M:%S")
    await call(hass, "approve", anna, question=waiting, until=evening)
    wish = {"entity_id": "switch.freezer", "reason": "a test"}
    for action in ("turn_off", "turn_on"):
        await call(hass, "propose", anna, **wish, action=f"switch.{action}")
    again = await call(hass, "propose", anna, **wish, action="switch.turn_on")
    assert again["complete"]
    (approval,) = entry.runtime_data.hub.status.approvals
    assert dt_util.as_local(approval.ends_at).strftime("%H:%M:%S") == evening
    await hass.async_block_till_done()
    count = hass.states.get("sensor.home_standing_approvals")
    assert count is not None
    assert count.state == "1"
    gone = await call(hass, "revoke_approval", anna, approval=approval.id)
    assert gone == {"revoked": True}
    asked = await call(hass, "propose", anna, **wish, action="switch.turn_off")
    assert asked["outcome"] == "waiting"


async def test_a_script_does_not_approve(
    hass: HomeAssistant, waiting: str, entry: MockConfigEntry, anna: Context
) -> None:
    """Whoever runs it, a model's tool among them: nobody looked at the question."""
    step = {"action": "hearthnet.approve", "data": {"question": waiting}}
    assert await async_setup_component(
        hass, "script", {"script": {"yes": {"sequence": [step]}}}
    )
    with pytest.raises(Unauthorized):
        await hass.services.async_call(
            "script", "yes", blocking=True, context=Context(user_id=anna.user_id)
        )
    (question,) = entry.runtime_data.hub.status.questions
    assert question.id == waiting


async def test_reject(hass: HomeAssistant, waiting: str, anna: Context) -> None:
    answer = await call(hass, "approve", anna, question=waiting, approve=False)
    assert answer == {"approved": False}
    switch = hass.states.get("switch.freezer")
    assert switch is not None
    assert switch.state == "off"
