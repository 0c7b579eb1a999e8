"""Shows which names of the policy nothing here goes by (any more)."""

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import (
    area_registry as ar,
    entity_registry as er,
    floor_registry as fr,
    label_registry as lr,
)
from homeassistant.helpers.debounce import Debouncer

from .const import LOGGER
from .core.devices import House
from .core.policy.model import Policy
from .core.policy.strays import Names, strays
from .core.state import State as HubState
from .house import HassHouse
from .issues import STRAYS, async_show_mistakes
from .policy_file import policy_path

QUIET = 5.0
"""Seconds in which changes of the registries are gathered: a start makes many."""


@callback
def async_watch_names(
    hass: HomeAssistant, house: HassHouse, home: House, state: HubState
) -> CALLBACK_TYPE:
    """Look now, and whenever something came, went or got another name."""

    @callback
    def look() -> None:
        async_show_strays(hass, home, state.in_force.policy)

    later = Debouncer(hass, LOGGER, cooldown=QUIET, immediate=False, function=look)
    end = house.async_listen(later.async_schedule_call)
    look()

    @callback
    def stop() -> None:
        end()
        later.async_shutdown()

    return stop


@callback
def async_show_strays(hass: HomeAssistant, home: House, policy: Policy) -> None:
    """Show the names of a policy that nothing goes by, or take the issue back."""
    lines = map(str, strays(policy, async_names(hass, home)))
    path = str(policy_path(hass))
    async_show_mistakes(hass, STRAYS, lines, path, fixable=True)


@callback
def async_names(hass: HomeAssistant, home: House) -> Names:
    """Return what a policy can name here."""
    # What phones control is in no registry under the names that a policy uses.
    devices = tuple(home.devices())
    entries = er.async_get(hass).entities.values()
    states = hass.states.async_entity_ids()
    return Names(
        entities=frozenset(entry.entity_id for entry in entries).union(
            states, (device.entity_id for device in devices)
        ),
        devices=frozenset(entry.id for entry in entries).union(
            states, (device.id for device in devices)
        ),
        areas=frozenset(area.name for area in ar.async_get(hass).async_list_areas()),
        floors=frozenset(f.name for f in fr.async_get(hass).async_list_floors()),
        labels=frozenset(one.name for one in lr.async_get(hass).async_list_labels()),
    )
