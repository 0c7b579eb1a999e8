"""Claude through the SDK on Home Assistant's own HTTP client."""

from functools import partial

from anthropic import AsyncAnthropic
from homeassistant.core import HomeAssistant
from homeassistant.helpers.httpx_client import get_async_client
from homeassistant.util import dt as dt_util
import pytest

from custom_components.hearthnet.core.devices import Device, Principal
from custom_components.hearthnet.core.intents import Origin, Request
from custom_components.hearthnet.core.planner import Situation
from custom_components.hearthnet.core.planner.anthropic import AnthropicModel, probe
from custom_components.hearthnet.core.planner.budget import Budget
from custom_components.hearthnet.core.planner.model import ModelPlanner
from tests.support.messages_api import KEY, MODEL, MessagesApi, first_light

from .house import FixedHouse

ANNA = Principal(kind="user", id="anna", name="Anna", role="owner")
LAMP = Device(id="id1", entity_id="light.hall", name="Hall light", domain="light")


@pytest.mark.usefixtures("socket_enabled")
async def test_key_is_probed_and_a_plan_made(hass: HomeAssistant) -> None:
    """As the config flow and the entry's setup do it."""
    async with MessagesApi(first_light) as api:
        client = await hass.async_add_executor_job(
            partial(
                AsyncAnthropic,
                api_key=KEY,
                base_url=api.url,
                http_client=get_async_client(hass),
            )
        )
        settings = await probe(client, MODEL)
        planner = ModelPlanner(AnthropicModel(client, settings), Budget())
        request = Request(text="Hall light on", principal=ANNA, origin=Origin.APP)
        situation = Situation(house=FixedHouse((LAMP,)), now=dt_util.now())
        made = await planner.plan(request, situation)
    assert made
    assert [a.targets for a in made.actions] == [("id1",)]
