"""Repairs that HearthNet can make itself, after a person's yes."""

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.core import HomeAssistant
import voluptuous as vol

from .routes import async_close_route

type Data = dict[str, str | int | float | None]


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: Data | None
) -> RepairsFlow:
    """Return the flow that closes a route past the gate."""
    return CloseRouteFlow(data or {})


class CloseRouteFlow(RepairsFlow):
    """Asks once, then closes the route."""

    def __init__(self, route: Data) -> None:
        """Take the route's kind and id."""
        self._route = route

    async def async_step_init(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Start with the question."""
        return await self.async_step_confirm()

    async def async_step_confirm(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Close it after a yes."""
        if user_input is not None:
            route = self._route
            await async_close_route(self.hass, str(route["kind"]), str(route["id"]))
            return self.async_create_entry(data={})
        return self.async_show_form(
            step_id="confirm",
            data_schema=vol.Schema({}),
            description_placeholders={"name": str(self._route["name"])},
        )
