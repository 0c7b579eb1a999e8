"""The timeline over the websocket; `frontend/src/types.ts` is the other half.

Commands exist before the entry does and answer `not_ready` meanwhile: the card
comes back by itself after a restart.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from homeassistant.components import websocket_api
from homeassistant.components.websocket_api.connection import ActiveConnection
from homeassistant.const import ATTR_AREA_ID
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .card import async_card_digest
from .const import DOMAIN
from .coordinator import HearthnetCoordinator
from .core.messages import EventId
from .core.story import Line
from .principal import async_caller, requested_by
from .speech import speech
from .standing import Standing
from .timeline import TIMELINE, Timeline, shows
from .viewer import Viewer

ERR_NOT_READY: Final = "not_ready"
MAX_LIMIT: Final = 200

SCOPE: Final[dict[str | vol.Marker, Any]] = {
    vol.Required("language"): cv.string,
    vol.Optional("entity_ids"): [cv.entity_id],
    vol.Optional("area_ids"): [cv.string],
    vol.Optional("limit", default=50): vol.All(int, vol.Range(min=1, max=MAX_LIMIT)),
}


@callback
def async_setup_websocket_api(hass: HomeAssistant) -> None:
    """Register the commands; they outlive the entry."""
    websocket_api.async_register_command(hass, ws_subscribe)
    websocket_api.async_register_command(hass, ws_page)
    websocket_api.async_register_command(hass, ws_chain)
    websocket_api.async_register_command(hass, ws_answer)
    websocket_api.async_register_command(hass, ws_dropped)


@websocket_api.websocket_command(
    {vol.Required("type"): f"{DOMAIN}/timeline/subscribe", **SCOPE}
)
@websocket_api.async_response
async def ws_subscribe(
    hass: HomeAssistant, connection: ActiveConnection, msg: dict[str, Any]
) -> None:
    """Send the newest rows and the status, then what changes."""
    if (ready := _ready(hass, connection, msg)) is None:
        return
    coordinator, timeline = ready
    context = Context(user_id=connection.user.id)
    caller = await async_caller(coordinator, context)
    subscription = _Subscription(
        hass,
        connection,
        msg,
        coordinator,
        may_decide=caller.principal.decides,
    )
    ends = [
        timeline.async_listen(subscription.changed),
        timeline.async_on_close(subscription.reset),
    ]

    @callback
    def unsubscribe() -> None:
        for end in ends:
            end()

    connection.subscriptions[msg["id"]] = unsubscribe
    connection.send_result(msg["id"])
    await subscription.start(timeline)


class _Subscription:
    """What one card has been sent."""

    def __init__(
        self,
        hass: HomeAssistant,
        connection: ActiveConnection,
        msg: Mapping[str, Any],
        coordinator: HearthnetCoordinator,
        *,
        may_decide: bool,
    ) -> None:
        self._hass = hass
        self._connection = connection
        self._id = msg["id"]
        self._limit: int = msg["limit"]
        self._devices = _devices(hass, coordinator, msg)
        self._viewer = Viewer(hass, coordinator, connection.user, msg["language"])
        self._standing = Standing(
            self._viewer,
            coordinator.hub,
            may_decide=may_decide,
            devices=self._devices,
        )
        self._sent: dict[str, Line] | None = None
        self._since = 0.0
        """Older lines are read by pages."""
        self._status: dict[str, Any] = {}

    async def start(self, timeline: Timeline) -> None:
        """Send the snapshot; what changes meanwhile is sent after it."""
        await timeline.async_learn()
        page = await timeline.page(limit=self._limit, devices=self._devices)
        self._sent = {line.id: line for line in page.lines}
        if page.cursor is not None and page.lines:
            self._since = min(line.at.timestamp() for line in page.lines)
        self._send(
            "snapshot",
            rows=self._viewer.rows(page.lines),
            cursor=page.cursor,
            card=async_card_digest(self._hass),
            status=self._now(),
        )

    @callback
    def changed(self, lines: Collection[Line], gone: Collection[str]) -> None:
        """Send what is not as it was sent last."""
        if self._sent is None:
            return
        news = [line for line in lines if self._is_news(line, self._sent)]
        over = [line_id for line_id in gone if self._sent.pop(line_id, None)]
        self._sent.update((line.id, line) for line in news)
        if (rows := self._viewer.rows(news)) or over:
            self._send("rows", rows=rows, gone=over)
        # The clock in it is no news.
        before = {**self._status, "now": 0}
        if {**self._now(), "now": 0} != before:
            self._send("status", status=self._status)

    @callback
    def reset(self) -> None:
        """Tell the card to ask again: the hub goes, and with it this subscription."""
        self._send("reset")

    def _is_news(self, line: Line, sent: Mapping[str, Line]) -> bool:
        if line.id not in sent and line.at.timestamp() < self._since:
            return False
        return sent.get(line.id) != line and shows(line, self._devices)

    def _now(self) -> dict[str, Any]:
        self._status = self._standing.status()
        return self._status

    def _send(self, kind: str, **data: Any) -> None:
        self._connection.send_event(self._id, {"type": kind, **data})


@websocket_api.websocket_command(
    {
        vol.Required("type"): f"{DOMAIN}/timeline/page",
        **SCOPE,
        vol.Optional("cursor"): cv.string,
        vol.Optional("text"): vol.All(cv.string, vol.Length(min=1, max=200)),
    }
)
@websocket_api.async_response
async def ws_page(
    hass: HomeAssistant, connection: ActiveConnection, msg: dict[str, Any]
) -> None:
    """Answer with older rows."""
    if (ready := _ready(hass, connection, msg)) is None:
        return
    coordinator, timeline = ready
    cursor = _event_id(connection, msg, "cursor") if "cursor" in msg else None
    if cursor is None and "cursor" in msg:
        return
    page = await timeline.page(
        limit=msg["limit"],
        cursor=cursor,
        devices=_devices(hass, coordinator, msg),
        text=msg.get("text"),
    )
    viewer = Viewer(hass, coordinator, connection.user, msg["language"])
    connection.send_result(
        msg["id"], {"rows": viewer.rows(page.lines), "cursor": page.cursor}
    )


@websocket_api.websocket_command(
    {
        vol.Required("type"): f"{DOMAIN}/timeline/chain",
        vol.Required("event"): cv.string,
        vol.Required("language"): cv.string,
    }
)
@websocket_api.async_response
async def ws_chain(
    hass: HomeAssistant, connection: ActiveConnection, msg: dict[str, Any]
) -> None:
    """Answer with the messages behind a row."""
    if (ready := _ready(hass, connection, msg)) is None:
        return
    coordinator, timeline = ready
    if (event := _event_id(connection, msg, "event")) is None:
        return
    viewer = Viewer(hass, coordinator, connection.user, msg["language"])
    try:
        chain = await timeline.chain(event)
    except LookupError:
        chain = {"events": [], "complete": True}
    events = chain["events"]
    # The words of a request are for those who may see something that came of it.
    if not any(viewer.may_see(line) for line in timeline.lines(events)):
        connection.send_error(
            msg["id"], websocket_api.ERR_NOT_FOUND, f"{event} is not on record"
        )
        return
    connection.send_result(
        msg["id"], {"nodes": viewer.nodes(events), "complete": chain["complete"]}
    )


@websocket_api.websocket_command(
    {
        vol.Required("type"): f"{DOMAIN}/timeline/answer",
        vol.Required("questions"): vol.All([cv.string], vol.Length(min=1)),
        vol.Required("approve"): bool,
        vol.Optional("until"): vol.All(vol.Coerce(float), vol.Range(0, 2**32)),
        vol.Required("language"): cv.string,
    }
)
@websocket_api.async_response
async def ws_answer(
    hass: HomeAssistant, connection: ActiveConnection, msg: dict[str, Any]
) -> None:
    """Take a signed-in person's answer to questions that were put as one."""
    if (ready := _ready(hass, connection, msg)) is None:
        return
    coordinator, _ = ready
    context = Context(user_id=connection.user.id)
    caller, until = await async_caller(coordinator, context), msg.get("until")
    try:
        with requested_by(context):
            result = await coordinator.hub.wishes.answer_together(
                msg["questions"],
                principal=caller.principal,
                origin=caller.origin,
                approve=msg["approve"],
                until=dt_util.utc_from_timestamp(until) if until else None,
            )
    except LookupError:
        text = "This question does not stand any more."
        connection.send_error(msg["id"], websocket_api.ERR_NOT_FOUND, text)
    except PermissionError as error:
        connection.send_error(msg["id"], websocket_api.ERR_UNAUTHORIZED, str(error))
    except ValueError as error:
        connection.send_error(msg["id"], websocket_api.ERR_INVALID_FORMAT, str(error))
    else:
        told = speech(coordinator, result, msg["language"]) if result else None
        connection.send_result(msg["id"], {"speech": told})


@websocket_api.websocket_command(
    {
        vol.Required("type"): f"{DOMAIN}/timeline/dropped",
        vol.Required("intent"): cv.string,
        vol.Required("again"): bool,
        vol.Required("language"): cv.string,
    }
)
@websocket_api.async_response
async def ws_dropped(
    hass: HomeAssistant, connection: ActiveConnection, msg: dict[str, Any]
) -> None:
    """Ask anew for what a start dropped, as the reader's own wish, or let it be."""
    if (ready := _ready(hass, connection, msg)) is None:
        return
    coordinator, _ = ready
    leftovers, intent = coordinator.hub.leftovers, msg["intent"]
    viewer = Viewer(hass, coordinator, connection.user, msg["language"])
    dropped = leftovers.get(intent)
    if dropped is None or not viewer.may_decide_about(dropped):
        text = "This is decided already."
        connection.send_error(msg["id"], websocket_api.ERR_NOT_FOUND, text)
        return
    if not msg["again"]:
        leftovers.let_go(intent)
        connection.send_result(msg["id"], {"speech": None})
        return
    context = Context(user_id=connection.user.id)
    caller = await async_caller(coordinator, context)
    with requested_by(context):
        result = await leftovers.again(intent, caller.principal)
    connection.send_result(
        msg["id"], {"speech": speech(coordinator, result, msg["language"])}
    )


@callback
def _ready(
    hass: HomeAssistant, connection: ActiveConnection, msg: Mapping[str, Any]
) -> tuple[HearthnetCoordinator, Timeline] | None:
    """Return the hub's parts, or answer that there are none yet."""
    if (ready := hass.data.get(TIMELINE)) is None:
        connection.send_error(msg["id"], ERR_NOT_READY, "HearthNet is starting.")
    return ready


@callback
def _event_id(
    connection: ActiveConnection, msg: Mapping[str, Any], field: str
) -> str | None:
    """Return an id, or answer that it is none."""
    try:
        return str(EventId.parse(msg[field]))
    except ValueError as error:
        connection.send_error(
            msg["id"], websocket_api.ERR_INVALID_FORMAT, f"{field}: {error}"
        )
        return None


@callback
def _devices(
    hass: HomeAssistant, coordinator: HearthnetCoordinator, msg: Mapping[str, Any]
) -> frozenset[str] | None:
    """Return the ids of the devices that a card is about; None: all."""
    if "entity_ids" not in msg and "area_ids" not in msg:
        return None
    entity_ids = set(msg.get("entity_ids", ()))
    if areas := msg.get("area_ids"):
        target = TargetSelection({ATTR_AREA_ID: areas})
        found = async_extract_referenced_entity_ids(hass, target, expand_group=False)
        entity_ids |= found.referenced | found.indirectly_referenced
    return frozenset(map(coordinator.house.device_id, entity_ids))
