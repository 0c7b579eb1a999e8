"""HearthNet's triggers and conditions, in automations that Home Assistant runs."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.automation import EVENT_AUTOMATION_TRIGGERED
from homeassistant.core import Context, Event, HomeAssistant, ServiceCall
from homeassistant.helpers.condition import async_get_all_descriptions as conditions_of
from homeassistant.helpers.trigger import async_get_all_descriptions as triggers_of
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockUser,
    async_capture_events,
    async_fire_time_changed,
)

from custom_components.hearthnet.condition import CONDITIONS
from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.status import AgentStatus
from custom_components.hearthnet.trigger import TRIGGERS

from .home import expose, lamp, set_up
from .setup import ENTRY_ID, set_up_hearthnet

DESK, BED, PLUG = "light.desk", "light.bed", "switch.plug"
TOLD = "told"

type Propose = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
async def entry(hass: HomeAssistant, hass_owner_user: MockUser) -> MockConfigEntry:
    hass_owner_user.name = "Anna"
    plug = {"name": "Plug", "unique_id": "plug", "turn_on": [], "turn_off": []}
    await set_up(hass, [lamp("desk"), lamp("bed")], switch=[plug])
    expose(hass, DESK, BED, PLUG)
    return await set_up_hearthnet(hass)


@pytest.fixture
def propose(hass: HomeAssistant, hass_owner_user: MockUser) -> Propose:
    """Propose as Anna, or in another context."""

    async def call(entity_id: str = DESK, **data: Any) -> dict[str, Any]:
        context = data.pop("context", Context(user_id=hass_owner_user.id))
        given = {
            "entity_id": entity_id,
            "action": "light.turn_on",
            "data": {"brightness_pct": 40},
            "reason": "reading",
        }
        response: Any = await hass.services.async_call(
            DOMAIN, "propose", given | data, True, context, None, True
        )
        await hass.async_block_till_done()
        found: dict[str, Any] = response
        return found

    return call


async def automate(hass: HomeAssistant, **automation: Any) -> list[Event[Any]]:
    """Set up an automation that fires what it was triggered by."""
    events: list[Event[Any]] = async_capture_events(hass, TOLD)
    actions = [{"event": TOLD, "event_data": {"got": "{{ trigger }}"}}]
    automation = {"alias": "Test", "mode": "queued", "actions": actions} | automation
    assert await async_setup_component(hass, "automation", {"automation": automation})
    await hass.async_block_till_done()
    (state,) = hass.states.async_all("automation")
    assert state.state == "on"
    return events


def on(trigger: str, **options: Any) -> dict[str, Any]:
    return {"triggers": [{"trigger": f"{DOMAIN}.{trigger}", "options": options}]}


def got(events: list[Event[Any]]) -> list[dict[str, Any]]:
    """Return what each run was triggered by, without what every trigger has."""
    ours = ("id", "idx", "alias", "platform", "description")
    return [
        {key: value for key, value in event.data["got"].items() if key not in ours}
        for event in events
    ]


# Triggers


async def test_a_decision(
    hass: HomeAssistant, entry: MockConfigEntry, propose: Propose
) -> None:
    events = await automate(
        hass, **on("decision_made", entity_id=[DESK], outcome=["changed"])
    )
    await propose(BED)
    done = await propose()
    await propose()  # it is so already
    (step,) = done["steps"]
    assert got(events) == [
        {
            "entity_id": DESK,
            "name": "Desk",
            "outcome": "changed",
            "operation": "light.turn_on",
            "reason": None,
            "principal": "Anna",
            "intent": done["intent"],
            "lease": step["lease"],
            "event": step["event"],
        }
    ]


async def test_a_conflict(
    hass: HomeAssistant, entry: MockConfigEntry, propose: Propose
) -> None:
    """A schedule meets what Anna asked for."""
    events = await automate(hass, **on("conflict_found"))
    await propose()
    assert events == []
    dusk, ran = Context(), {"name": "Dusk", "entity_id": "automation.dusk"}
    hass.bus.async_fire(EVENT_AUTOMATION_TRIGGERED, ran, context=dusk)
    refused = await propose(data={"brightness_pct": 90}, context=dusk)
    assert refused["outcome"] == "refused"
    (found,) = got(events)
    assert (found["entity_id"], found["reason"]) == (DESK, "conflict")
    assert "Anna" in found["evidence"][0]
    assert found["sentence"].startswith("Desk was left alone: a request by Anna of ")


async def test_the_end_of_a_request(
    hass: HomeAssistant, entry: MockConfigEntry, propose: Propose
) -> None:
    events = await automate(hass, **on("intent_finished", complete=False))
    await propose()
    assert events == []
    said = {"text": "make me a sandwich"}
    await hass.services.async_call(DOMAIN, "ask", said, True)
    await hass.async_block_till_done()
    (found,) = got(events)
    assert found.pop("intent").startswith("hub.1.")
    assert found == {
        "text": "make me a sandwich",
        "principal": "an unknown caller",
        "kind": "unclear",
        "complete": False,
        "reason": "not_understood",
        "outcomes": [],
    }


async def test_what_waits_for_later_has_not_finished(
    hass: HomeAssistant, entry: MockConfigEntry, hass_owner_user: MockUser
) -> None:
    events = await automate(hass, **on("intent_finished"))
    context = Context(user_id=hass_owner_user.id)
    said = {"text": "turn on the desk in five minutes"}
    await hass.services.async_call(DOMAIN, "ask", said, True, context)
    await hass.async_block_till_done()
    assert entry.runtime_data.hub.status.deferred
    assert events == []


async def test_a_confirmation(
    hass: HomeAssistant, entry: MockConfigEntry, propose: Propose
) -> None:
    """Of a plug whose use nobody told; asked anew it is the same question no more."""
    events = await automate(hass, **on("confirmation_wanted", entity_id=PLUG))
    waiting = await propose(PLUG, action="switch.turn_off", data={})
    assert waiting["outcome"] == "waiting"
    (found,) = got(events)
    assert found["question"] == waiting["steps"][0]["event"]
    assert found["entity_id"] == [PLUG]
    assert found["operation"] == "switch.turn_off"
    assert found["principal"] == "Anna"
    assert found["sentence"].startswith("Anna wants: Plug off. Now it is ")
    assert dt_util.parse_datetime(found["expires_at"], raise_on_error=True)


async def test_the_end_of_a_hold(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    propose: Propose,
    freezer: FrozenDateTimeFactory,
) -> None:
    """Renewed it stands; over, it is told within a second or two, once a device."""
    events = await automate(hass, **on("hold_ended", entity_id=[DESK]))
    await propose(BED)
    await propose()
    await propose(data={"brightness_pct": 60})
    assert events == []
    freezer.tick(timedelta(minutes=30, seconds=-1))
    async_fire_time_changed(hass, dt_util.utcnow())
    await hass.async_block_till_done()
    assert events == []
    for _ in range(3):
        freezer.tick(1)
        async_fire_time_changed(hass, dt_util.utcnow())
        await hass.async_block_till_done()
    assert got(events) == [
        {
            "entity_id": DESK,
            "name": "Desk",
            "attributes": ["state", "brightness_pct"],
            "principal": "Anna",
            "expired": True,
        }
    ]


async def test_a_released_hold(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    propose: Propose,
    hass_owner_user: MockUser,
) -> None:
    events = await automate(hass, **on("hold_ended"))
    await propose(action="light.turn_off", data={})
    (hold,) = entry.runtime_data.hub.status.holds
    context = Context(user_id=hass_owner_user.id)
    given = {"hold": hold.id}
    await hass.services.async_call(DOMAIN, "release_hold", given, True, context)
    await hass.async_block_till_done()
    (found,) = got(events)
    assert (found["attributes"], found["expired"]) == (["state"], False)


async def test_an_agent_is_lost(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """It has to have been there, and one that comes back is no loss."""
    events = await automate(hass, **on("agent_lost", agent="darcy"))
    coordinator = entry.runtime_data
    data = coordinator.data

    async def shown(*agents: AgentStatus) -> list[dict[str, Any]]:
        coordinator.async_set_updated_data(
            replace(data, agents=(*data.agents, *agents))
        )
        await hass.async_block_till_done()
        return got(events)

    darcy = AgentStatus(name="darcy", online=True)
    dewey = AgentStatus(name="dewey", online=True)
    lost = replace(darcy, online=False)
    assert await shown(lost, dewey) == []
    assert await shown(darcy, dewey) == []
    assert await shown(darcy, replace(dewey, online=False)) == []
    assert await shown(lost, dewey) == [{"agent": "darcy"}]
    assert await shown(lost, dewey) == [{"agent": "darcy"}]


async def test_triggers_outlive_a_reload(
    hass: HomeAssistant, entry: MockConfigEntry, propose: Propose
) -> None:
    events = await automate(hass, **on("decision_made"))
    assert await hass.config_entries.async_reload(ENTRY_ID)
    await hass.async_block_till_done()
    await propose()
    assert len(events) == 1


@pytest.mark.parametrize(
    ("trigger", "options"),
    [
        ("decision_made", {"outcome": ["planned"]}),
        ("decision_made", {"agent": "jeeves"}),
        ("hold_ended", {"entity_id": "no entity"}),
    ],
)
async def test_mistakes_in_triggers(
    hass: HomeAssistant, entry: MockConfigEntry, trigger: str, options: dict[str, Any]
) -> None:
    automation = {"alias": "Test", "actions": [], **on(trigger, **options)}
    assert await async_setup_component(hass, "automation", {"automation": automation})
    (state,) = hass.states.async_all("automation")
    assert state.state == "unavailable"


async def test_who_proposes_is_known_at_once(
    hass: HomeAssistant, entry: MockConfigEntry
) -> None:
    """Set off by a change, whose listeners hear of the automation only afterwards."""
    events = async_capture_events(hass, TOLD)
    propose = {
        "action": f"{DOMAIN}.propose",
        "target": {"entity_id": DESK},
        "data": {"action": "light.turn_on", "reason": "dusk"},
        "response_variable": "answer",
    }
    hass.states.async_set("input_boolean.dusk", "off")
    await automate(
        hass,
        alias="Dusk",
        triggers=[{"trigger": "state", "entity_id": "input_boolean.dusk", "to": "on"}],
        actions=[propose, {"event": TOLD, "event_data": {"got": "{{ answer }}"}}],
    )
    hass.states.async_set("input_boolean.dusk", "on")
    await hass.async_block_till_done()
    (answer,) = got(events)
    assert answer["outcome"] == "changed"


# Conditions


async def check(
    hass: HomeAssistant, condition: str, **options: Any
) -> Callable[[], Awaitable[bool]]:
    """Set up an automation with a condition; return what tells whether it is so."""
    calls: list[ServiceCall] = []
    hass.services.async_register("test", "noted", calls.append)
    conditions = [{"condition": f"{DOMAIN}.{condition}", "options": options}]
    await automate(
        hass,
        triggers=[{"trigger": "event", "event_type": "look"}],
        conditions=conditions,
        actions=[{"action": "test.noted"}],
    )

    async def holds() -> bool:
        calls.clear()
        hass.bus.async_fire("look")
        await hass.async_block_till_done()
        return bool(calls)

    return holds


@pytest.mark.parametrize(
    ("options", "after"),
    [({}, True), ({"entity_id": [DESK]}, True), ({"entity_id": BED}, False)],
)
async def test_hold_active(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    propose: Propose,
    freezer: FrozenDateTimeFactory,
    options: dict[str, Any],
    after: bool,
) -> None:
    holds = await check(hass, "hold_active", **options)
    assert not await holds()
    await propose()
    assert await holds() is after
    freezer.tick(timedelta(minutes=31))
    assert not await holds()


@pytest.mark.parametrize(("entity_id", "after"), [(DESK, True), (BED, False)])
async def test_lease_active(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    hass_owner_user: MockUser,
    entity_id: str,
    after: bool,
) -> None:
    active = await check(hass, "lease_active", entity_id=entity_id)
    assert not await active()
    given = {"entity_id": DESK, "action": "light.turn_on", "reason": "reading"}
    context = Context(user_id=hass_owner_user.id)
    response: Any = await hass.services.async_call(
        DOMAIN, "request_lease", given, True, context, None, True
    )
    assert await active() is after
    lease = {"lease": response["lease"]}
    await hass.services.async_call(DOMAIN, "revoke_lease", lease, True, context)
    assert not await active()


@pytest.mark.parametrize(("agent", "online"), [("jeeves", True), ("darcy", False)])
async def test_agent_online(
    hass: HomeAssistant, entry: MockConfigEntry, agent: str, online: bool
) -> None:
    answers = await check(hass, "agent_online", agent=agent)
    assert await answers() is online


async def test_actuation_enabled(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """Also false while HearthNet itself is not there."""
    enabled = await check(hass, "actuation_enabled")
    assert await enabled()
    switch = {"entity_id": "switch.home_actuation_enabled"}
    await hass.services.async_call("switch", "turn_off", switch, True)
    assert not await enabled()
    await hass.services.async_call("switch", "turn_on", switch, True)
    assert await enabled()
    assert await hass.config_entries.async_unload(ENTRY_ID)
    assert not await enabled()


# Descriptions


async def test_they_are_described(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """Home Assistant's editor offers them with their fields."""
    triggers, conditions = await triggers_of(hass), await conditions_of(hass)
    pairs: Any = ((triggers, TRIGGERS), (conditions, CONDITIONS))
    for found, ours in pairs:
        described = {
            key.removeprefix(f"{DOMAIN}."): value
            for key, value in found.items()
            if key.startswith(f"{DOMAIN}.")
        }
        assert described.keys() == ours.keys()
        for key, value in described.items():
            assert value is not None
            fields = {str(field) for field in ours[key].fields}
            assert set(value.get("fields", {})) == fields
