"""Two persons asked “which one?” at the same time, each answering in their own way."""

from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from tests.support.telegram_server import TelegramServer

from .home import place
from .test_telegram import (
    ANNA,
    BEN,
    ben as ben,  # noqa: PLC0414 - a fixture
    bot as bot,  # noqa: PLC0414 - a fixture
    entry as entry,  # noqa: PLC0414 - a fixture
    server as server,  # noqa: PLC0414 - a fixture
    state,
)

pytestmark = pytest.mark.usefixtures("socket_enabled")

WHICH = "Which one do you mean: Hall or Study?"


@pytest.fixture
async def assist(hass: HomeAssistant, entry: MockConfigEntry) -> str:
    """The lamps in their rooms, and HearthNet's agent."""
    place(hass, "Study", "light.desk")
    place(hass, "Hall", "light.hall")
    await hass.async_block_till_done()
    return "conversation.home"


async def say(
    hass: HomeAssistant, agent: str, who: MockUser, text: str, talk: str | None = None
) -> tuple[str, str]:
    """Say something to Assist; return the answer and the conversation."""
    told = await conversation.async_converse(
        hass, text, talk, Context(user_id=who.id), "en", agent
    )
    assert told.conversation_id is not None
    return told.response.speech["plain"]["speech"], told.conversation_id


async def test_in_assist_and_in_telegram(
    hass: HomeAssistant,
    server: TelegramServer,
    assist: str,
    hass_owner_user: MockUser,
) -> None:
    """Each answer is to what was asked of that person, the other way round in time."""
    asked, talk = await say(hass, assist, hass_owner_user, "turn on the light")
    assert asked == WHICH
    await server.say(BEN, "Turn on the light")
    await server.shown(WHICH)
    # In one chat, too, everybody has a conversation of their own.
    await server.say(ANNA, "Turn off the light")

    told, _ = await say(hass, assist, hass_owner_user, "Study", talk)
    assert told == "Desk is now on."
    assert state(hass, "light.hall") == "off"
    await server.say(BEN, "Hall")
    await server.shown("Jeeves: Hall is now on.")
    assert state(hass, "light.desk") == "on"
    await server.say(ANNA, "Hall")
    await server.shown("Jeeves: Hall is now off.")
    assert state(hass, "light.desk") == "on"


async def test_two_in_assist(
    hass: HomeAssistant, assist: str, hass_owner_user: MockUser, ben: MockUser
) -> None:
    _, hers = await say(hass, assist, hass_owner_user, "turn on the light")
    _, his = await say(hass, assist, ben, "set the light to 30 percent")
    told, _ = await say(hass, assist, ben, "in the hall", his)
    assert told == "Hall is now on, 30 % bright."
    assert state(hass, "light.desk") == "off"
    told, _ = await say(hass, assist, hass_owner_user, "the study", hers)
    assert told == "Desk is now on."
    # What “it” is, and what was wrong, is of the own conversation as well.
    told, _ = await say(hass, assist, ben, "brighter", his)
    assert told == "Hall is now on, 40 % bright."
    told, _ = await say(hass, assist, hass_owner_user, "turn it off", hers)
    assert told == "Desk is now off."


async def test_an_answer_without_a_question_is_none(
    hass: HomeAssistant, assist: str, hass_owner_user: MockUser, ben: MockUser
) -> None:
    """Who was not asked answers nothing, though somebody else was."""
    await say(hass, assist, hass_owner_user, "turn on the light")
    await say(hass, assist, ben, "in the hall")
    assert state(hass, "light.desk") == "off"
    assert state(hass, "light.hall") == "off"
