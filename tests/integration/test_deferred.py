"""Plans for later in Home Assistant: said, shown, listed, canceled, missed."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from freezegun.api import FrozenDateTimeFactory
from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.components import conversation, persistent_notification
from homeassistant.components.conversation import ConversationResult
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.helpers.intent import IntentResponseType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.clock import SystemClock

from .home import expose, lamp, place, set_up
from .setup import ENTRY_ID, set_up_hearthnet

AGENT, HALL, NEXT = "conversation.home", "light.hall", "sensor.home_next_plan"


@pytest.fixture
async def anna(hass: HomeAssistant) -> Context:
    """A resident's context."""
    group = await hass.auth.async_get_group(GROUP_ID_USER)
    user = MockUser(name="Anna", groups=[group]).add_to_hass(hass)
    return Context(user_id=user.id)


@pytest.fixture
async def entry(
    hass: HomeAssistant,
    freezer: FrozenDateTimeFactory,
    anna: Context,
    hass_owner_user: MockUser,
    hass_read_only_user: MockUser,
) -> MockConfigEntry:
    """The hall at six in the evening, where time stands still."""
    await hass.config.async_set_time_zone("UTC")
    freezer.move_to("2026-11-30 18:00:00+00:00")
    return await set_up_hall(hass)


async def set_up_hall(hass: HomeAssistant) -> MockConfigEntry:
    """Set up a hall with a lamp that is on."""
    await set_up(hass, [lamp("hall")])
    expose(hass, HALL)
    place(hass, "Hall", HALL)
    await hass.services.async_call("light", "turn_on", {"entity_id": HALL}, True)
    return await set_up_hearthnet(hass)


async def say(
    hass: HomeAssistant, text: str, context: Context, language: str = "en"
) -> ConversationResult:
    """Say something to HearthNet's agent."""
    return await conversation.async_converse(
        hass, text, None, context, language=language, agent_id=AGENT
    )


def spoken(result: ConversationResult) -> str:
    """Return what was answered."""
    return cast(str, result.response.speech["plain"]["speech"])


async def call(
    hass: HomeAssistant, name: str, context: Context, **data: Any
) -> dict[str, Any]:
    """Call an action and return its response."""
    response = await hass.services.async_call(
        DOMAIN, name, data, blocking=True, return_response=True, context=context
    )
    return cast(dict[str, Any], response)


def notified(hass: HomeAssistant) -> str | None:
    """Return the notification about what was dropped, None when there is none."""
    found = persistent_notification._async_get_or_create_notifications(  # type: ignore[attr-defined]
        hass
    )
    dropped = found.get("hearthnet_dropped")
    return dropped["message"] if dropped else None


async def until_notified(hass: HomeAssistant, prefix: str) -> str:
    """Wait for a notification whose id begins so; return its text."""
    told: asyncio.Future[str] = hass.loop.create_future()

    @callback
    def look(
        _kind: persistent_notification.UpdateType,
        notes: dict[str, persistent_notification.Notification],
    ) -> None:
        for name, note in notes.items():
            if name.startswith(prefix) and not told.done():
                told.set_result(note["message"])

    end = persistent_notification.async_register_callback(hass, look)
    async with asyncio.timeout(10):
        text = await told
    end()
    await hass.async_block_till_done()
    return text


def is_on(hass: HomeAssistant) -> bool:
    """Tell whether the lamp is on."""
    return hass.states.is_state(HALL, "on")


async def until_it_is(hass: HomeAssistant, state: str) -> None:
    """Wait until the lamp is on or off."""
    changed = asyncio.Event()
    end = async_track_state_change_event(hass, HALL, callback(lambda _: changed.set()))
    async with asyncio.timeout(10):
        while not hass.states.is_state(HALL, state):
            await changed.wait()
            changed.clear()
    end()
    await hass.async_block_till_done()


@pytest.mark.parametrize(
    ("language", "plan", "question", "answer", "cancel", "canceled"),
    [
        (
            "en",
            "Turn off the hall light at nine",
            "What is planned?",
            "Planned for 21:00: “Turn off the hall light at nine”.",
            "Cancel the plan for nine",
            "The plan for 21:00 is canceled: “Turn off the hall light at nine”.",
        ),
        (
            "de",
            "Schalte um neun Uhr Hall aus",
            "Was ist geplant?",
            "Geplant für 21:00: „Schalte um neun Uhr Hall aus“.",
            "Brich das ab",
            "Der Plan für 21:00 ist gestrichen: „Schalte um neun Uhr Hall aus“.",
        ),
    ],
)
async def test_said(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    anna: Context,
    language: str,
    plan: str,
    question: str,
    answer: str,
    cancel: str,
    canceled: str,
) -> None:
    """A plan is no failure, nothing moves, and words tell and cancel it."""
    result = await say(hass, plan, anna, language)
    assert result.response.response_type is IntentResponseType.ACTION_DONE
    assert hass.states.get(NEXT).state == "2026-11-30T21:00:00+00:00"  # type: ignore[union-attr]
    asked = await say(hass, question, anna, language)
    assert spoken(asked) == answer
    assert asked.response.response_type is IntentResponseType.QUERY_ANSWER
    ended = await say(hass, cancel, anna, language)
    assert spoken(ended) == canceled
    assert ended.response.response_type is IntentResponseType.ACTION_DONE
    assert hass.states.is_state(NEXT, "unknown")
    assert is_on(hass)


async def test_shown_listed_and_canceled(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    anna: Context,
    hass_read_only_user: MockUser,
) -> None:
    """The entity has no words; guests neither see nor cancel what others planned."""
    told = await call(
        hass, "ask", anna, text="turn off the hall light at nine", language="en"
    )
    assert told["due"] == "2026-11-30T21:00:00+00:00"
    shown = hass.states.get(NEXT)
    assert shown is not None
    assert {
        name: shown.attributes[name]
        for name in ("plans", "intent", "principal", "entity_id")
    } == {
        "plans": 1,
        "intent": told["intent"],
        "principal": "Anna",
        "entity_id": [HALL],
    }
    assert "nine" not in str(shown.attributes)
    assert await call(hass, "list_deferred", anna) == {
        "plans": [
            {
                "intent": told["intent"],
                "text": "turn off the hall light at nine",
                "due": "2026-11-30T21:00:00+00:00",
                "principal": "Anna",
                "entities": [HALL],
                "reverts": False,
            }
        ]
    }
    guest = Context(user_id=hass_read_only_user.id)
    assert await call(hass, "list_deferred", guest) == {"plans": []}
    with pytest.raises(Unauthorized):
        await call(hass, "cancel", guest, intent=told["intent"])
    with pytest.raises(ServiceValidationError, match="intent"):
        await call(hass, "cancel", anna, intent="nine")
    assert await call(hass, "cancel", anna, intent=told["intent"]) == {"canceled": True}
    assert await call(hass, "cancel", anna, intent=told["intent"]) == {
        "canceled": False
    }
    assert (await call(hass, "list_deferred", anna))["plans"] == []


async def test_missed(
    hass: HomeAssistant,
    entry: MockConfigEntry,
    anna: Context,
    freezer: FrozenDateTimeFactory,
) -> None:
    """What was due while nobody was there is told, and not done late."""
    await say(hass, "Turn off the hall light in two minutes", anna)
    assert await hass.config_entries.async_unload(ENTRY_ID)
    freezer.tick(timedelta(hours=3))
    assert await hass.config_entries.async_setup(ENTRY_ID)
    await hass.async_block_till_done()
    assert is_on(hass)
    assert "Turn off the hall light in two minutes" in (notified(hass) or "")
    assert hass.states.is_state(NEXT, "unknown")


async def test_the_homes_zone_is_corrected(
    hass: HomeAssistant, entry: MockConfigEntry, anna: Context
) -> None:
    """“At nine” is nine where the home is, and so are quiet hours; at once."""
    await say(hass, "Turn off the hall light at nine", anna)
    await say(hass, "Turn off the hall light in two hours", anna)
    await hass.config.async_update(time_zone="Europe/Berlin")
    await hass.async_block_till_done()
    told = await call(hass, "list_deferred", anna)
    assert [plan["due"] for plan in told["plans"]] == [
        "2026-11-30T20:00:00+00:00",
        "2026-11-30T20:00:00+00:00",
    ]
    assert hass.states.get(NEXT).state == "2026-11-30T20:00:00+00:00"  # type: ignore[union-attr]
    both = await say(hass, "Cancel the plan for nine", anna)
    assert "21:00" in spoken(both)
    # What is said from now on is by the new clock, too.
    asked = await call(hass, "ask", anna, text="turn off the hall light at ten")
    assert asked["due"] == "2026-11-30T22:00:00+01:00"


# Timers stand still while time is frozen; these move the hub's own clock instead.


class Wall:
    """The hub's wall clock, which can be moved on."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        """Return the time, as `SystemClock.now` does."""
        return datetime.now(UTC) + self._ahead

    def advance(self, **span: float) -> None:
        """Move it on."""
        self._ahead += timedelta(**span)


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    """Put a clock that can be moved on into the hub."""
    wall = Wall()
    monkeypatch.setattr(SystemClock, "now", lambda _clock: wall.now())
    return wall


async def test_due_after_a_restart(
    hass: HomeAssistant, wall: Wall, anna: Context, hass_owner_user: MockUser
) -> None:
    """D06: it is verified anew when due, here right after a start, and runs once."""
    await set_up_hall(hass)
    await say(hass, "Turn off the hall light in two minutes", anna)
    assert is_on(hass)
    assert await hass.config_entries.async_unload(ENTRY_ID)
    wall.advance(minutes=3)
    assert await hass.config_entries.async_setup(ENTRY_ID)
    await until_it_is(hass, "off")
    assert hass.states.is_state(NEXT, "unknown")
    assert notified(hass) is None


async def test_until(
    hass: HomeAssistant, wall: Wall, anna: Context, hass_owner_user: MockUser
) -> None:
    """What is switched off until ten is as before after ten, over a restart too."""
    entry = await set_up_hall(hass)
    result = await say(hass, "Turn off the hall light until 10:00", anna)
    assert spoken(result).endswith("it will be as it was before.")
    assert not is_on(hass)
    (plan,) = entry.runtime_data.hub.status.deferred
    left = plan.due - wall.now()
    assert await hass.config_entries.async_unload(ENTRY_ID)
    wall.advance(seconds=left.total_seconds() + 60)
    assert await hass.config_entries.async_setup(ENTRY_ID)
    await until_it_is(hass, "on")


async def test_what_could_not_be_done_when_due_is_said(
    hass: HomeAssistant, wall: Wall, anna: Context, hass_owner_user: MockUser
) -> None:
    """Whoever heard “I will do that” is in no conversation by then."""
    entry = await set_up_hall(hass)
    await say(hass, "Turn off the hall light in two minutes", anna)
    hass.states.async_set("input_boolean.hall", "unavailable")
    await hass.async_block_till_done()
    wall.advance(minutes=3)
    entry.runtime_data.hub._deferrals.changed()
    told = await until_notified(hass, "hearthnet_not_done_")
    assert "“Turn off the hall light in two minutes” was planned for" in told
    assert "Hall cannot be reached" in told


async def test_what_was_missed_while_the_machine_slept_is_said(
    hass: HomeAssistant, wall: Wall, anna: Context, hass_owner_user: MockUser
) -> None:
    """A laptop's lid: Home Assistant runs on, hours later."""
    entry = await set_up_hall(hass)
    await say(hass, "Turn off the hall light in two minutes", anna)
    wall.advance(hours=3)
    entry.runtime_data.hub._deferrals.changed()
    told = await until_notified(hass, "hearthnet_not_done_")
    assert "Nothing is done late" in told
    assert is_on(hass)
    assert hass.states.is_state(NEXT, "unknown")
