"""The card is served and loaded without a manual step."""

from http import HTTPStatus
from typing import Any

from homeassistant.components.frontend import DATA_EXTRA_MODULE_URL
from homeassistant.components.lovelace.const import LOVELACE_DATA
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.hearthnet.card import BASE, DIGEST, FILE

from .home import set_up
from .setup import ENTRY_ID, set_up_hearthnet

OTHER = {"id": "1", "type": "module", "url": "/local/other.js"}


@pytest.fixture(autouse=True)
async def _home(hass: HomeAssistant) -> None:
    await set_up(hass)


def url(hass: HomeAssistant) -> str:
    return f"{BASE}/{hass.data[DIGEST]}/{FILE}"


def resources(hass: HomeAssistant) -> list[str]:
    items: list[dict[str, Any]] = hass.data[LOVELACE_DATA].resources.async_items()
    return [item["url"] for item in items]


def stored(*items: dict[str, Any]) -> dict[str, Any]:
    return {
        "lovelace_resources": {
            "version": 1,
            "key": "lovelace_resources",
            "data": {"items": list(items)},
        }
    }


async def test_it_is_a_resource_until_the_entry_is_removed(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    hass_storage |= stored(OTHER)
    await set_up_hearthnet(hass)
    assert resources(hass) == [OTHER["url"], url(hass)]
    assert await hass.config_entries.async_reload(ENTRY_ID)
    assert resources(hass) == [OTHER["url"], url(hass)]
    await hass.config_entries.async_remove(ENTRY_ID)
    await hass.async_block_till_done()
    assert resources(hass) == [OTHER["url"]]


async def test_an_older_version_is_replaced_and_doubles_go(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    old = [
        {"id": str(n), "type": "module", "url": f"{BASE}/{n}{n}/{FILE}"} for n in (2, 3)
    ]
    hass_storage |= stored(OTHER, *old)
    await set_up_hearthnet(hass)
    assert resources(hass) == [OTHER["url"], url(hass)]


async def test_with_resources_in_yaml_every_page_loads_it(hass: HomeAssistant) -> None:
    yaml = {"lovelace": {"resource_mode": "yaml"}}
    assert await async_setup_component(hass, "lovelace", yaml)
    await set_up_hearthnet(hass)
    assert url(hass) in hass.data[DATA_EXTRA_MODULE_URL].urls
    await hass.config_entries.async_remove(ENTRY_ID)
    await hass.async_block_till_done()
    assert url(hass) not in hass.data[DATA_EXTRA_MODULE_URL].urls


@pytest.mark.usefixtures("socket_enabled")
async def test_it_is_served_to_be_kept(
    hass: HomeAssistant, hass_client_no_auth: ClientSessionGenerator
) -> None:
    await set_up_hearthnet(hass)
    client = await hass_client_no_auth()
    response = await client.get(url(hass))
    assert response.status == HTTPStatus.OK
    assert "max-age" in response.headers["Cache-Control"]
    assert b"hearthnet-timeline-card" in await response.read()
