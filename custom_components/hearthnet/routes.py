"""Routes past the gate that a person can close: found, shown in Repairs, and closed.

A pipeline that prefers local intents has Home Assistant act before HearthNet hears
of it. An agent that has Home Assistant's own tools beside HearthNet's can choose those,
which nobody checks.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
)
from homeassistant.const import CONF_LLM_HASS_API, Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er, issue_registry as ir
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.llm import (
    LLM_API_ASSIST,
    LLM_API_HOME_ASSISTANT,
    async_get_apis,
)
from homeassistant.helpers.start import async_at_started

from .const import DOMAIN

if TYPE_CHECKING:
    from homeassistant.components.assist_pipeline import Pipeline

PIPELINES: Final = "assist_pipeline"
PREFERS_LOCAL: Final = "prefers_local"
UNGATED_AGENT: Final = "ungated_agent"
UNGATED: Final = {LLM_API_ASSIST, LLM_API_HOME_ASSISTANT}
"""Tools that call actions; people read “Device control” and “Home Assistant”."""
ALL_TOOLS: Final = "all_llm_apis"
READ_ONLY: Final = "read_only"
"""What the server of the Model Context Protocol keeps; by default it gives all."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """A way to devices that does not lead through the gate."""

    kind: str
    """Translation key of its issue."""
    id: str
    """Of the pipeline; or of the entry and, after a dot, of the subentry."""
    name: str

    @property
    def issue(self) -> str:
        """Id of its issue."""
        return f"{self.kind}_{self.id}"


@callback
def async_watch_routes(hass: HomeAssistant) -> CALLBACK_TYPE:
    """Show the routes once Home Assistant has started, and at each change."""
    ends: list[CALLBACK_TYPE] = []

    @callback
    def changed(_change: ConfigEntryChange, _entry: ConfigEntry) -> None:
        async_show_routes(hass)

    async def pipeline_changed(_kind: str, _id: str, _config: object) -> None:
        async_show_routes(hass)

    @callback
    def started(hass: HomeAssistant) -> None:
        ends.append(
            async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, changed)
        )
        if PIPELINES in hass.config.components:
            ends.append(_listen_to_pipelines(hass, pipeline_changed))
        async_show_routes(hass)

    ends.append(async_at_started(hass, started))

    @callback
    def stop() -> None:
        for end in ends:
            end()

    return stop


@callback
def async_show_routes(hass: HomeAssistant) -> None:
    """Show an issue for each route there is, and take back those of closed ones."""
    found = {route.issue: route for route in _routes(hass)}
    for domain, issue in list(ir.async_get(hass).issues):
        ours = issue.startswith((PREFERS_LOCAL, UNGATED_AGENT))
        if domain == DOMAIN and ours and issue not in found:
            ir.async_delete_issue(hass, DOMAIN, issue)
    for issue, route in found.items():
        ir.async_create_issue(
            hass,
            DOMAIN,
            issue,
            is_fixable=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key=route.kind,
            translation_placeholders={"name": route.name},
            data={"kind": route.kind, "id": route.id, "name": route.name},
        )


async def async_close_route(hass: HomeAssistant, kind: str, route_id: str) -> None:
    """Close a route; nothing happens where it is closed already."""
    if kind == PREFERS_LOCAL:
        await _async_stop_preferring(hass, route_id)
    else:
        _take_ungated_away(hass, route_id)
    async_show_routes(hass)


def _routes(hass: HomeAssistant) -> Iterator[Route]:
    """Go through the routes past the gate."""
    registry = er.async_get(hass)
    ours = {
        entry.entity_id
        for entry in registry.entities.values()
        if entry.platform == DOMAIN and entry.domain == Platform.CONVERSATION
    }
    for pipeline in _pipelines(hass):
        if pipeline.prefer_local_intents and pipeline.conversation_engine in ours:
            yield Route(kind=PREFERS_LOCAL, id=pipeline.id, name=pipeline.name)
    for entry in hass.config_entries.async_entries():
        if _has_both(entry.data) or _has_both(entry.options):
            yield Route(kind=UNGATED_AGENT, id=entry.entry_id, name=entry.title)
        for subentry in entry.subentries.values():
            if _has_both(subentry.data):
                yield Route(
                    kind=UNGATED_AGENT,
                    id=f"{entry.entry_id}.{subentry.subentry_id}",
                    name=subentry.title,
                )


def _has_both(settings: Mapping[str, Any]) -> bool:
    if settings.get(READ_ONLY) or settings.get(ALL_TOOLS):
        return not settings.get(READ_ONLY)
    apis = settings.get(CONF_LLM_HASS_API)
    return isinstance(apis, list) and DOMAIN in apis and not UNGATED.isdisjoint(apis)


@callback
def _without_ungated(
    hass: HomeAssistant, settings: Mapping[str, Any]
) -> dict[str, Any]:
    if not _has_both(settings):
        return dict(settings)
    given = settings[CONF_LLM_HASS_API]
    if settings.get(ALL_TOOLS):
        given = [api.id for api in async_get_apis(hass)]
        settings = {**settings, ALL_TOOLS: False}
    kept = [api for api in given if api not in UNGATED]
    return {**settings, CONF_LLM_HASS_API: kept}


@callback
def _take_ungated_away(hass: HomeAssistant, route_id: str) -> None:
    entry_id, _, subentry_id = route_id.partition(".")
    entries = hass.config_entries
    if (entry := entries.async_get_entry(entry_id)) is None:
        return
    if not subentry_id:
        entries.async_update_entry(
            entry,
            data=_without_ungated(hass, entry.data),
            options=_without_ungated(hass, entry.options),
        )
        # An open session would keep the tools that it began with.
        entries.async_schedule_reload(entry_id)
    elif (subentry := entry.subentries.get(subentry_id)) is not None:
        entries.async_update_subentry(
            entry, subentry, data=_without_ungated(hass, subentry.data)
        )


async def _async_stop_preferring(hass: HomeAssistant, pipeline_id: str) -> None:
    for pipeline in _pipelines(hass):
        if pipeline.id == pipeline_id:
            # Needs packages that only its users have, so it is no dependency.
            from homeassistant.components.assist_pipeline import (  # noqa: PLC0415
                async_update_pipeline,
            )

            await async_update_pipeline(hass, pipeline, prefer_local_intents=False)


def _pipelines(hass: HomeAssistant) -> list[Pipeline]:
    if PIPELINES not in hass.config.components:
        return []
    from homeassistant.components.assist_pipeline import (  # noqa: PLC0415 - as above
        async_get_pipelines,
    )

    return async_get_pipelines(hass)


def _listen_to_pipelines(
    hass: HomeAssistant, changed: Callable[[str, str, Any], Any]
) -> CALLBACK_TYPE:
    from homeassistant.components.assist_pipeline.pipeline import (  # noqa: PLC0415
        KEY_ASSIST_PIPELINE,
    )

    store = hass.data[KEY_ASSIST_PIPELINE].pipeline_store
    return store.async_add_listener(changed)
