"""The model's key is revoked while the home is in use."""

import asyncio

from homeassistant.config_entries import SOURCE_REAUTH
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.hearthnet.const import DOMAIN
from tests.support.messages_api import KEY, Body, Reply, act, first_light, plan

from .home import expose, lamp, set_up
from .model import CLAUDE, DATA, claude, say
from .setup import set_up_hearthnet

pytestmark = pytest.mark.usefixtures("socket_enabled")

COZY = "Make it a bit more homely please"
ON = act("light1", "light.turn_on")
REVOKED = plan(ON, error="authentication_error", after=2)
"""Half of a plan, and then the refusal, in one stream."""


@pytest.mark.parametrize(
    "revoked",
    [REVOKED, Reply(error="authentication_error")],
    ids=["in the middle of a stream", "before it"],
)
async def test_the_home_goes_on_without_the_model(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    hass_admin_user: MockUser,
    revoked: Reply,
) -> None:
    await set_up(hass, [lamp("hall")])
    expose(hass, "light.hall")
    answers: dict[str, Reply | None] = {"now": revoked}

    def answer(body: Body) -> Reply:
        return answers["now"] or first_light(body)

    def lit() -> bool:
        state = hass.states.get("light.hall")
        return state is not None and state.state == "on"

    async with claude(monkeypatch, answer) as api:
        entry = await set_up_hearthnet(hass, DATA, **CLAUDE)
        user = hass_admin_user.id

        # Two sentences at once: each is told the truth, and nothing moves.
        both = await asyncio.gather(
            say(hass, COZY, user), say(hass, "I would like to read now", user)
        )
        await hass.async_block_till_done()
        for told in both:
            assert told["reason"] == "model_unauthorized"
            assert told["steps"] == []
            assert told["speech"] == (
                "Nothing was touched: the language model does not accept the key."
            )
        assert not lit()
        assert len(api.requests) == 2  # a refused key is not tried again

        # A person is asked for a key, once, however often it is refused.
        await say(hass, COZY, user)
        await hass.async_block_till_done()
        flow = hass.config_entries.flow
        (asked,) = flow.async_progress_by_handler(DOMAIN)
        assert asked["context"]["source"] == SOURCE_REAUTH

        # What needs no model goes on meanwhile, over a restart too.
        assert (await say(hass, "turn on the hall", user))["complete"]
        assert lit()
        await hass.config_entries.async_reload(entry.entry_id)
        await hass.async_block_till_done()
        assert (await say(hass, "turn off the hall", user))["complete"]
        # Home Assistant ends the request for a key at a start; it comes again.
        await say(hass, COZY, user)
        await hass.async_block_till_done()
        (asked,) = flow.async_progress_by_handler(DOMAIN)

        # With a key that counts everything is as before.
        answers["now"] = None
        done = await flow.async_configure(asked["flow_id"], {"api_key": KEY})
        assert done["reason"] == "reauth_successful"
        await hass.async_block_till_done()
        assert (await say(hass, COZY, user))["complete"]
        assert lit()
        assert flow.async_progress_by_handler(DOMAIN) == []
