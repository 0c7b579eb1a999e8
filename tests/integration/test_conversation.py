"""Talking to HearthNet: the acceptance cases of users, sentence by sentence."""

# ruff: noqa: ASYNC240, RUF001

from pathlib import Path
import re
from typing import Any

from homeassistant.auth.const import GROUP_ID_ADMIN
from homeassistant.components import conversation
from homeassistant.components.conversation import ConversationResult
from homeassistant.const import EVENT_CALL_SERVICE, MATCH_ALL
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.helpers.intent import IntentResponseErrorCode, IntentResponseType
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockUser,
    async_capture_events,
)

from .home import expose, lamp, place, set_up
from .setup import set_up_hearthnet

AGENT = "conversation.home"


@pytest.fixture
async def owner(hass: HomeAssistant, hass_owner_user: MockUser) -> Context:
    hass_owner_user.name = "Anna"
    return Context(user_id=hass_owner_user.id)


@pytest.fixture
async def entry(hass: HomeAssistant, owner: Context) -> MockConfigEntry:
    """Lamps in a bedroom, a garage and a hall, a blind outside."""
    lights = [lamp(key) for key in ("porch", "bed", "hall", "garage")]
    blind = {
        "name": "Blind",
        "unique_id": "blind",
        "default_entity_id": "cover.blind",
        "device_class": "blind",
        "open_cover": [],
        "close_cover": [],
    }
    await set_up(hass, lights, cover=[blind])
    expose(hass, "cover.blind")
    expose(hass, *(f"light.{key}" for key in ("porch", "bed", "hall", "garage")))
    place(hass, "Bedroom", "light.bed", "cover.blind")
    place(hass, "Outside", "light.porch")
    place(hass, "Hall", "light.hall")
    place(hass, "Garage", "light.garage")
    return await set_up_hearthnet(hass)


async def say(
    hass: HomeAssistant, text: str, context: Context | None = None, **given: Any
) -> ConversationResult:
    arguments = {"conversation_id": None, "language": "en", "agent_id": AGENT} | given
    return await conversation.async_converse(
        hass, text, context=context or Context(), **arguments
    )


def spoken(result: ConversationResult) -> str:
    text: str = result.response.speech["plain"]["speech"]
    return text


async def events(entry: MockConfigEntry, **filters: Any) -> list[dict[str, Any]]:
    found = await entry.runtime_data.hub.chronicle.timeline(**filters)
    rows: list[dict[str, Any]] = found["events"]
    return rows


async def test_command(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    result = await say(hass, "Turn on the hall light", owner)
    assert spoken(result) == "Hall is now on."
    assert result.response.response_type is IntentResponseType.ACTION_DONE
    assert [target.id for target in result.response.success_results] == ["light.hall"]
    assert not result.continue_conversation


# The acceptance cases of research/users.md


async def test_d01_unreachable(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """No word of success, since when it is gone, no lease spent, one entry."""
    hass.states.async_set("input_boolean.porch", "unavailable")
    await hass.async_block_till_done()
    result = await say(hass, "Turn on the porch light", owner)
    assert re.fullmatch(
        r"Porch cannot be reached since \d\d:\d\d, so nothing was sent\.",
        spoken(result),
    )
    assert result.response.error_code is IntentResponseErrorCode.FAILED_TO_HANDLE
    assert result.response.success_results == []
    assert [target.id for target in result.response.failed_results] == ["light.porch"]
    assert await events(entry, type="grant") == []
    (refusal,) = await events(entry, type="refusal")
    assert refusal["reason"] == "unreachable"


async def test_d02_manager_offline(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """Nothing is claimed, the reason is told, and no adapter is called."""
    entry.runtime_data.hub._jeeves.close()
    calls = async_capture_events(hass, EVENT_CALL_SERVICE)
    result = await say(hass, "Open the blinds in the bedroom", owner)
    assert spoken(result) == (
        "Blind was left alone: the agent that reaches it is offline."
    )
    assert calls == []
    assert await events(entry, type="execute") == []


async def test_d03_question(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """The live value with its age; nothing is proposed, nothing moves."""
    result = await say(hass, "Is the hall light on?", owner)
    assert spoken(result) == "Hall is off."
    assert result.response.response_type is IntentResponseType.QUERY_ANSWER
    for kind in ("proposal", "grant", "execute"):
        assert await events(entry, type=kind) == []
    assert len(await events(entry, type="intent")) == 1


async def test_d04_unknown_area(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """Nothing moves, the near names are offered, the house is not meant instead."""
    result = await say(hass, "Turn on the bathroom lights", owner)
    assert spoken(result).startswith("No such device or room is known here.")
    assert "Bedroom" in spoken(result)
    assert result.continue_conversation
    assert await events(entry, type="execute") == []


@pytest.fixture
def satellites(hass: HomeAssistant, entry: MockConfigEntry) -> dict[str, str]:
    """Two voice satellites, one of which is in the garage."""
    config = MockConfigEntry(domain="test", title="Satellites")
    config.add_to_hass(hass)
    devices = dr.async_get(hass)
    found = {}
    for name in ("Garage", "Somewhere"):
        device = devices.async_get_or_create(
            config_entry_id=config.entry_id,
            identifiers={("test", name)},
            name=f"{name} satellite",
        )
        area = ar.async_get(hass).async_get_area_by_name(name)
        devices.async_update_device(device.id, area_id=area.id if area else None)
        found[name] = device.id
    return found


@pytest.fixture
async def three_lights(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    """Three rooms with a lamp called “Lights”, all of them on."""
    for key in ("bed", "hall", "garage"):
        er.async_get(hass).async_update_entity(f"light.{key}", name="Lights")
        hass.states.async_set(f"input_boolean.{key}", "on")
    await hass.async_block_till_done()


@pytest.mark.usefixtures("three_lights")
async def test_d05_satellite_in_the_garage(
    hass: HomeAssistant, entry: MockConfigEntry, satellites: dict[str, str]
) -> None:
    """The room of the satellite is meant, and the record shows why."""
    result = await say(hass, "turn off the lights", device_id=satellites["Garage"])
    assert spoken(result) == "Lights is now off."
    states = {key: hass.states.get(f"light.{key}") for key in ("bed", "hall", "garage")}
    assert {key: state.state for key, state in states.items() if state} == {
        "bed": "on",
        "hall": "on",
        "garage": "off",
    }
    (row,) = await events(entry, type="intent")
    chain = await entry.runtime_data.hub.chronicle.explain(intent=row["id"])
    body = chain["events"][0]["message"]["body"]
    assert body["area"] == "Garage"
    assert body["origin"] == "voice"
    assert body["principal"] == {
        "kind": "satellite",
        "id": satellites["Garage"],
        "name": "Garage satellite",
        "role": "resident",
    }


@pytest.mark.usefixtures("three_lights")
async def test_room_of_a_satellite_entity(
    hass: HomeAssistant, entry: MockConfigEntry, satellites: dict[str, str]
) -> None:
    """Its own area counts before its device's."""
    registry = er.async_get(hass)
    satellite = registry.async_get_or_create(
        "assist_satellite",
        "test",
        "kitchen",
        device_id=satellites["Garage"],
        original_name="Kitchen speaker",
    ).entity_id
    place(hass, "Hall", satellite)
    hass.states.async_set(satellite, "idle", {"friendly_name": "Kitchen speaker"})
    result = await say(
        hass,
        "turn off the lights",
        device_id=satellites["Garage"],
        satellite_id=satellite,
    )
    assert spoken(result) == "Lights is now off."
    hall = hass.states.get("light.hall")
    assert hall is not None
    assert hall.state == "off"
    holds = entry.runtime_data.data.holds
    assert "Kitchen speaker" in {hold.principal for hold in holds}


@pytest.mark.usefixtures("three_lights")
async def test_d05_satellite_without_room(
    hass: HomeAssistant, entry: MockConfigEntry, satellites: dict[str, str]
) -> None:
    """It asks which room; the answer is enough."""
    device = satellites["Somewhere"]
    asked = await say(hass, "turn off the lights", device_id=device)
    assert asked.continue_conversation
    for room in ("Bedroom", "Hall", "Garage"):
        assert room in spoken(asked)
    assert await events(entry, type="execute") == []
    answer = await say(
        hass, "in the hall", device_id=device, conversation_id=asked.conversation_id
    )
    assert spoken(answer) == "Lights is now off."
    hall = hass.states.get("light.hall")
    assert hall is not None
    assert hall.state == "off"


# Roles, languages, and what is no business of HearthNet


async def test_satellite_of_nobody(
    hass: HomeAssistant, entry: MockConfigEntry, satellites: dict[str, str]
) -> None:
    """A role of its own for whoever speaks: harmless things, nothing else."""
    hass.config_entries.async_update_entry(
        entry, options={**entry.options, "voice_role": "unknown"}
    )
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    device = satellites["Garage"]
    refused = await say(hass, "Turn on the hall light", device_id=device)
    assert spoken(refused) == (
        "Hall was left alone: the policy of this home does not allow it."
    )
    hass.states.async_set("input_boolean.hall", "on")
    await hass.async_block_till_done()
    allowed = await say(hass, "Turn off the hall light", device_id=device)
    assert spoken(allowed) == "Hall is now off."


@pytest.mark.parametrize(
    ("language", "text", "answer"),
    [
        ("de", "Schalte das Licht im Flur ein", "Flur ist jetzt an."),
        ("zh-cn", "打开Flur", "Flur现在开着。"),
        ("fr", "Allume Flur", "Flur : maintenant allumé."),
        ("es", "Enciende Flur", "Flur: ahora encendido."),
    ],
)
async def test_languages(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    owner: Context,
    language: str,
    text: str,
    answer: str,
) -> None:
    er.async_get(hass).async_update_entity("light.hall", name="Flur")
    area = ar.async_get(hass).async_get_area_by_name("Hall")
    assert area is not None
    ar.async_get(hass).async_update(area.id, name="Flur")
    await hass.async_block_till_done()
    assert spoken(await say(hass, text, owner, language=language)) == answer


@pytest.mark.parametrize(
    ("language", "text", "answer", "refusal"),
    [
        (
            "en",
            "I'm working from home today in the hall",
            "Hall is now on, 55 % bright.",
            "Hall was left alone: a request by Anna",
        ),
        (
            "de",
            "Heute arbeite ich zu Hause in Hall",
            "Hall ist jetzt an, auf 55 % Helligkeit.",
            "Hall bleibt unangetastet: ein Auftrag von Anna",
        ),
        (
            "zh-cn",
            "我今天在Hall办公",
            "Hall现在开着、亮度55%。",
            "Hall保持原样：Anna",
        ),
        (
            "fr",
            "Je travaille à la maison aujourd'hui dans Hall",
            "Hall : maintenant allumé, à 55 % de luminosité.",
            "Je n'ai pas touché à Hall : une demande de Anna",
        ),
        (
            "es",
            "Hoy trabajo en casa en Hall",
            "Hall: ahora encendido, al 55 % de brillo.",
            "No toqué Hall: una petición de Anna",
        ),
    ],
)
async def test_an_intent_and_a_routine_in_five_languages(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    owner: Context,
    language: str,
    text: str,
    answer: str,
    refusal: str,
) -> None:
    """C11: no language falls back to another, in the answer or in a refusal."""
    assert spoken(await say(hass, text, owner, language=language)) == answer
    program = await hass.auth.async_create_system_user(
        "Program", group_ids=[GROUP_ID_ADMIN]
    )
    bounced: Any = await hass.services.async_call(
        "hearthnet",
        "propose",
        {
            "entity_id": "light.hall",
            "action": "light.turn_on",
            "data": {"brightness_pct": 90},
            "reason": "a routine",
            "language": language,
        },
        blocking=True,
        return_response=True,
        context=Context(user_id=program.id),
    )
    assert bounced["speech"].startswith(refusal)
    assert bounced["steps"][0]["reason"] == "conflict"


async def test_any_language_may_be_chosen(
    hass: HomeAssistant, entry: MockConfigEntry
) -> None:
    """C11: the agent is grayed out for nobody."""
    agent = conversation.async_get_agent(hass, AGENT)
    assert agent is not None
    assert agent.supported_languages == MATCH_ALL


async def test_home_assistant_answers_what_moves_nothing(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    result = await say(hass, "What time is it?", owner)
    assert re.search(r"\d:\d\d", spoken(result))
    assert await events(entry, type="intent") == []


async def test_nonsense(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    result = await say(hass, "Colorless green ideas sleep furiously", owner)
    assert spoken(result) == "Nothing was touched: I did not understand that."
    assert result.response.error_code is IntentResponseErrorCode.NO_INTENT_MATCH
    assert not result.continue_conversation


async def test_turns_are_on_record(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """The dialogue before is part of the intent, so a plan can be explained."""
    first = await say(hass, "Turn on the hall light", owner)
    await say(
        hass,
        "Turn off the hall light",
        owner,
        conversation_id=first.conversation_id,
    )
    row = (await events(entry, type="intent", limit=1))[0]
    chain = await entry.runtime_data.hub.chronicle.explain(intent=row["id"])
    assert chain["events"][0]["message"]["body"]["turns"] == [
        ["user", "Turn on the hall light"],
        ["assistant", "Hall is now on."],
    ]


async def test_playbook(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """A routine that stands: it is told step by step and holds against a schedule."""
    result = await say(hass, "I'm working from home today in the hall", owner)
    assert spoken(result) == "Hall is now on, 55 % bright."
    holds = entry.runtime_data.data.holds
    assert {hold.source for hold in holds} == {"standing"}


async def test_own_playbooks(
    hass: HomeAssistant, entry: MockConfigEntry, owner: Context
) -> None:
    """The owner's add to the shipped ones; a broken one is named by its line."""
    folder = Path(hass.config.path("hearthnet", "playbooks"))
    folder.mkdir(parents=True)
    (folder / "reading.yaml").write_text(READING)
    (folder / "movie_night.yaml").write_text("sentences: 3\n")
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    issue = ir.async_get(hass).async_get_issue("hearthnet", "playbooks_broken")
    assert issue is not None
    placeholders = issue.translation_placeholders or {}
    assert "movie_night.yaml, line 1" in placeholders["mistakes"]
    assert placeholders["path"] == str(folder)
    result = await say(hass, "time to read", owner)
    assert spoken(result) == "Bed is now on, 30 % bright."


async def test_unreadable_playbooks(
    hass: HomeAssistant, entry: MockConfigEntry
) -> None:
    """The shipped ones are there all the same."""
    folder = Path(hass.config.path("hearthnet", "playbooks"))
    (folder / "reading.yaml").mkdir(parents=True)
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    issue = ir.async_get(hass).async_get_issue("hearthnet", "playbooks_broken")
    assert issue is not None
    assert "reading.yaml" in (issue.translation_placeholders or {})["mistakes"]


READING = """
name: {en: Reading}
sentences:
  en: [time to read]
steps:
  - do: light.turn_on
    with: {brightness_pct: 30}
    devices: {area: Bedroom}
"""
