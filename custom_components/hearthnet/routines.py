"""What a script or a scene moves while it runs, against what the policy declares.

Nobody can prevent an inner call: it is Home Assistant's, in our context. It is seen by
its context, and what was not declared is told as an alert.
"""

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from homeassistant.const import EVENT_CALL_SERVICE
from homeassistant.core import CALLBACK_TYPE, Context, Event, HomeAssistant, callback

from .core.adapter import Permit
from .core.devices import Device
from .groups import leaves
from .house import HassHouse
from .origin import called_targets

type Tell = Callable[[Permit, str, tuple[str, ...]], None]
"""Told of a permit, the name of what ran and the entities not declared."""


class Watch:
    """While open, notes the entities that calls in a context are about."""

    def __init__(
        self, hass: HomeAssistant, context: Context, allowed: Iterable[str]
    ) -> None:
        """Take the context of the call, and the entities that it may move."""
        self._hass = hass
        self._contexts = {context.id}
        self._allowed = frozenset(allowed)
        self._end: CALLBACK_TYPE | None = None
        self.undeclared: set[str] = set()

    def __enter__(self) -> Self:
        """Listen from now on."""
        self._end = self._hass.bus.async_listen(EVENT_CALL_SERVICE, self._called)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Listen no longer."""
        if self._end is not None:
            self._end()

    @callback
    def _called(self, event: Event[Any]) -> None:
        context = event.context
        if context.id not in self._contexts:
            if context.parent_id not in self._contexts:
                return
            self._contexts.add(context.id)
        data = event.data
        targets = called_targets(self._hass, data.get("service_data") or {})
        if data["domain"] == "script" and data["service"] not in _ABOUT_SCRIPTS:
            targets.add(f"script.{data['service']}")
        self.undeclared |= targets - self._allowed


_ABOUT_SCRIPTS = frozenset({"turn_on", "turn_off", "toggle", "reload"})


@callback
def allowed_to(hass: HomeAssistant, house: HassHouse, device: Device) -> set[str]:
    """Return the entities that a script or scene may be about, groups included."""
    named = {device.entity_id} | {
        entity_id
        for member in device.moves
        if (entity_id := house.entity_id(member)) is not None
    }
    return named.union(*(leaves(hass, entity_id) for entity_id in named))
