"""Who is behind a change: what contexts and actions were seen doing, never a guess.

Home Assistant has no mark for the caller. A context names a signed-in user; an
automation, a satellite or an action without a user left an event with the same
context; and an entity keeps its caller's context for five seconds only, so that a
slow device reports without it and has to be recognized by what it was told.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from homeassistant.components.automation import EVENT_AUTOMATION_TRIGGERED
from homeassistant.const import (
    ATTR_DOMAIN,
    ATTR_ENTITY_ID,
    ATTR_NAME,
    EVENT_CALL_SERVICE,
    EVENT_STATE_CHANGED,
)
from homeassistant.core import CALLBACK_TYPE, Context, Event, HomeAssistant, callback
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)
import voluptuous as vol

from .building import DOMAINS
from .core.devices import Principal, Values
from .core.domains import OPERATIONS, routines
from .core.effects import STATE, same_value
from .core.messages import Json
from .core.operations import check_parameters
from .core.outcomes import TRAVEL
from .core.status import Cause
from .groups import leaves
from .people import People
from .values import MOVING

KEPT = 1024
"""Contexts remembered of each kind."""
SLOW = 10.0
"""Seconds in which a device may show an action outside the operations table."""
TARGET_KEYS = {"entity_id", "device_id", "area_id", "floor_id", "label_id", "exclude"}
VOICE_PREFIXES = ("conversation.", "assist_satellite.")


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Who caused a change. `own` is HearthNet itself."""

    cause: Cause
    principal: Principal | None = None
    detail: str = ""
    own: bool = False
    execute: str | None = None
    """What it is a late effect of."""


@dataclass(frozen=True, kw_only=True)
class AutomationOrigin:
    """The automation whose run a context belongs to."""

    entity_id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class _Call:
    """An action that an entity was told, and how long it may take to show."""

    context: Context
    wanted: Mapping[str, Json]
    """Attributes it sets, as far as the operations table tells."""
    exact: bool
    """True when it sets nothing else."""
    until: float


class _Recent[V](OrderedDict[str, V]):
    """The newest entries of a mapping."""

    def note(self, key: str, value: V) -> None:
        """Keep an entry and drop the oldest if there are too many."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > KEPT:
            self.popitem(last=False)


class OriginTracker:
    """Remembers what the recent contexts were seen doing."""

    def __init__(
        self,
        hass: HomeAssistant,
        own_user_id: str,
        people: People,
        voice_role: str = "guest",
    ) -> None:
        """Take what tells persons and HearthNet itself apart.

        `voice_role` is the role of who speaks to a satellite: nobody knows who.
        """
        self._hass = hass
        self._own_user_id = own_user_id
        self._people = people
        self._voice_role = voice_role
        self._automations: _Recent[AutomationOrigin] = _Recent()
        self._voices: _Recent[str] = _Recent()
        self._actions: _Recent[str] = _Recent()
        self._began: _Recent[str] = _Recent()
        """By context, the domain of the first action in it."""
        self._calls: _Recent[_Call] = _Recent()
        """By entity id, the newest action it was told."""

    @callback
    def async_start(self) -> CALLBACK_TYPE:
        """Begin to listen; return what ends it."""
        listen = self._hass.bus.async_listen
        ends = (
            listen(EVENT_AUTOMATION_TRIGGERED, self._automation_ran),
            listen(EVENT_CALL_SERVICE, self._began_with),
            listen(EVENT_CALL_SERVICE, self._action_called, _is_actuation),
            listen(EVENT_STATE_CHANGED, self._voice_heard, _is_voice),
        )

        @callback
        def stop() -> None:
            for end in ends:
                end()

        return stop

    # Asking

    @callback
    def began_with(self, context: Context, domain: str) -> bool:
        """Tell whether a context is of a call of its own, of an action of a domain.

        A script, or a tool of an agent, gives what it calls its own context.
        """
        return context.parent_id is None and self._began.get(context.id) == domain

    @callback
    def automation(self, context: Context) -> AutomationOrigin | None:
        """Return the automation whose run a context belongs to, if one's does."""
        return self._automations.get(context.id) or self._automations.get(
            context.parent_id or ""
        )

    @callback
    def classify(
        self, entity_id: str, context: Context, old: Values, new: Values
    ) -> Origin:
        """Return who changed an entity from one set of values to another."""
        if (origin := self._by_context(context)) is not None:
            return origin
        if (call := self._told(entity_id, old, new)) is not None:
            origin = self._by_context(call.context)
            if origin is not None:
                return origin
        return Origin(cause=Cause.DEVICE)

    @callback
    def was_told(self, entity_id: str, context: Context) -> bool:
        """Tell whether an action in this context named the entity itself."""
        call = self._calls.get(entity_id)
        return call is not None and call.context.id == context.id

    @callback
    def _by_context(self, context: Context) -> Origin | None:
        """Return the origin that a context gives away, None if it gives away none.

        An automation counts before the person whose act set it off: its call is
        not the person's own act.
        """
        if context.user_id == self._own_user_id:
            return Origin(cause=Cause.OWN, detail="our own action", own=True)
        if (automation := self.automation(context)) is not None:
            return Origin(
                cause=Cause.AUTOMATION,
                principal=Principal(
                    kind="automation",
                    id=automation.entity_id,
                    name=automation.name,
                    role="automation",
                ),
                detail=automation.name,
            )
        if context.user_id is not None:
            return self._by_user(context.user_id)
        if (heard := self._voices.get(context.id)) is not None:
            return Origin(cause=Cause.VOICE, principal=self._speaker(heard))
        if (action := self._actions.get(context.id)) is not None:
            return Origin(cause=Cause.UNKNOWN, detail=f"{action} by an integration")
        return None

    def _by_user(self, user_id: str) -> Origin:
        principal = self._people.principal(user_id)
        if principal is None:
            return Origin(cause=Cause.UNKNOWN, detail="a user who is gone")
        if self._people.is_system(user_id):
            # The cloud's user stands for whoever spoke to a speaker somewhere.
            return Origin(cause=Cause.UNKNOWN, detail=principal.name)
        return Origin(cause=Cause.PERSON, principal=principal)

    def _speaker(self, entity_id: str) -> Principal:
        state = self._hass.states.get(entity_id)
        return Principal(
            kind="satellite",
            id=entity_id,
            name=state.name if state else entity_id,
            role=self._voice_role,
        )

    def _told(self, entity_id: str, old: Values, new: Values) -> _Call | None:
        """Return the action that an entity shows the effect of, if it does."""
        call = self._calls.get(entity_id)
        if call is None or self._hass.loop.time() > call.until:
            return None
        changed = [n for n in old.keys() | new.keys() if old.get(n) != new.get(n)]
        known = [name for name in changed if name in call.wanted]
        if call.exact and not known:
            return None
        reached = (_leads_to(name, call.wanted[name], new.get(name)) for name in known)
        return call if all(reached) else None

    # Listening

    @callback
    def _automation_ran(self, event: Event) -> None:
        self._automations.note(
            event.context.id,
            AutomationOrigin(
                entity_id=event.data.get(ATTR_ENTITY_ID, ""),
                name=event.data.get(ATTR_NAME, "an automation"),
            ),
        )

    @callback
    def _voice_heard(self, event: Event[Any]) -> None:
        if event.context.user_id is None:
            known = self._voices.get(event.context.id, "")
            # The satellite says where it was heard; the agent only that it was.
            if not known.startswith("assist_satellite."):
                self._voices.note(event.context.id, event.data[ATTR_ENTITY_ID])

    @callback
    def _began_with(self, event: Event[Mapping[str, Any]]) -> None:
        if event.context.id not in self._began:
            self._began.note(event.context.id, event.data[ATTR_DOMAIN])

    @callback
    def _action_called(self, event: Event[Any]) -> None:
        if event.context.user_id == self._own_user_id:
            return
        data = event.data
        name = f"{data['domain']}.{data['service']}"
        # The first is the caller's; the others are what it led to.
        self._actions.note(event.context.id, self._actions.get(event.context.id, name))
        call = _call(name, data["service_data"], event.context, self._hass.loop.time())
        for entity_id in called_targets(self._hass, data["service_data"]):
            self._calls.note(entity_id, call)


@callback
def _is_voice(data: Mapping[str, Any]) -> bool:
    return str(data[ATTR_ENTITY_ID]).startswith(VOICE_PREFIXES)


@callback
def _is_actuation(data: Mapping[str, Any]) -> bool:
    # What a script or scene moves, its own inner actions tell.
    return data["domain"] in DOMAINS - routines.DOMAINS


@callback
def called_targets(hass: HomeAssistant, data: Mapping[str, Any]) -> set[str]:
    """Return the entities that an action moves, a group's members among them."""
    try:
        found = async_extract_referenced_entity_ids(hass, TargetSelection(dict(data)))
    except vol.Invalid, TypeError, ValueError:
        # The action itself will say what is wrong with its target.
        return set()
    named = found.referenced | found.indirectly_referenced
    return named.union(*(leaves(hass, entity_id) for entity_id in named))


def _call(name: str, data: Mapping[str, Any], context: Context, now: float) -> _Call:
    """Return what an action sets, as far as the operations table knows it."""
    operation = OPERATIONS.get(name)
    if operation is None:
        return _Call(context=context, wanted={}, exact=False, until=now + SLOW)
    given = {n: v for n, v in data.items() if n in operation.parameters}
    if known := check_parameters(operation, given) is None:
        known = not data.keys() - given.keys() - TARGET_KEYS
    wanted = dict(operation.effects(given if known else {}, {}))
    return _Call(
        context=context,
        wanted=wanted,
        exact=bool(wanted) and known and not operation.moves,
        until=now + (TRAVEL if operation.moves else max(SLOW, operation.deadline)),
    )


def _leads_to(name: str, wanted: Json, seen: Json) -> bool:
    """Tell whether a value is the one wanted, or a state on the way to it."""
    if name == STATE and isinstance(seen, str) and seen in MOVING:
        return any(same_value(name, wanted, end) for end in MOVING[seen])
    return same_value(name, wanted, seen)
