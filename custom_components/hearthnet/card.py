"""Serves the timeline card and has dashboards load it, without a manual step."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import add_extra_js_url, remove_extra_js_url
from homeassistant.components.http import StaticPathConfig
from homeassistant.components.lovelace.const import LOVELACE_DATA
from homeassistant.components.lovelace.resources import ResourceStorageCollection
from homeassistant.const import CONF_ID, CONF_URL
from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

FOLDER = Path(__file__).parent / "frontend"
FILE: Final = "hearthnet-timeline-card.js"
BASE: Final = "/hearthnet_static"
DIGEST: HassKey[str] = HassKey("hearthnet_card")


async def async_setup_card(hass: HomeAssistant) -> None:
    """Serve the card; a path cannot be taken back, so this is done once.

    The files' digest is in the path. In the query it would not reach what the card
    loads, and without it browsers and apps keep an old card for days.
    """
    digest = await hass.async_add_executor_job(_digest)
    hass.data[DIGEST] = digest
    await hass.http.async_register_static_paths(
        [StaticPathConfig(f"{BASE}/{digest}", str(FOLDER), cache_headers=True)]
    )


@callback
def async_card_digest(hass: HomeAssistant) -> str | None:
    """Return what tells this version of the card from others."""
    return hass.data.get(DIGEST)


async def async_register_card(hass: HomeAssistant) -> None:
    """Have dashboards load the card.

    As a resource, which is there before a dashboard is drawn and reaches Cast.
    Where resources are kept in YAML, as a module that every page loads.
    """
    url = _url(hass)
    resources = await _resources(hass)
    if resources is None:
        add_extra_js_url(hass, url)
        return
    wanted = {"res_type": "module", CONF_URL: url}
    ours = _ours(resources)
    if not ours:
        await resources.async_create_item(wanted)
        return
    if resources.data[ours[0]][CONF_URL] != url:
        await resources.async_update_item(ours[0], wanted)
    for item in ours[1:]:
        await resources.async_delete_item(item)


async def async_forget_card(hass: HomeAssistant) -> None:
    """Take the resource back, which would be a dead link without the integration."""
    resources = await _resources(hass)
    if resources is None:
        remove_extra_js_url(hass, _url(hass))
        return
    for item in _ours(resources):
        await resources.async_delete_item(item)


async def _resources(hass: HomeAssistant) -> ResourceStorageCollection | None:
    """Return the stored resources, None where they are kept in YAML."""
    resources = hass.data[LOVELACE_DATA].resources
    if not isinstance(resources, ResourceStorageCollection):
        return None
    # Unloaded it looks empty, and each start would add one more.
    await resources.async_get_info()
    return resources


def _url(hass: HomeAssistant) -> str:
    return f"{BASE}/{hass.data[DIGEST]}/{FILE}"


def _ours(resources: ResourceStorageCollection) -> list[str]:
    return [
        item[CONF_ID]
        for item in resources.async_items()
        if item[CONF_URL].startswith(f"{BASE}/")
    ]


def _digest() -> str:
    found = sha256()
    for path in sorted(FOLDER.iterdir()):
        found.update(path.read_bytes())
    return found.hexdigest()[:12]
