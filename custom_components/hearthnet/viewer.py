"""What one reader sees of the timeline: in their language, and no more than they may.

Home Assistant's own rights decide: whoever may not read an entity sees no line
about it, and of a chain that touches it only that there was a step.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.core import HomeAssistant, callback
from homeassistant.util import dt as dt_util

from .coordinator import HearthnetCoordinator
from .core import wording
from .core.clock import from_text
from .core.devices import Values
from .core.leftovers import SAID, Dropped
from .core.messages import Json, MessageType
from .core.paths import device_path
from .core.reasons import DONE, Outcome, Reason
from .core.story import Event, Line
from .core.texts import texts_for
from .timeline import UNREADABLE

_NO = {MessageType.DENIAL, MessageType.REFUSAL, MessageType.CONFLICT}
_LASTING = {MessageType.GRANT, MessageType.CONFIRMATION_REQUEST}
_GOOD = DONE | {Outcome.RUNNING, Outcome.UNVERIFIED}
_TURNS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
"""Characters that reverse what is written after them."""


def plain[T](told: T) -> T:
    """Return what is to be shown without what would let a text turn its neighbors."""
    shown: Any = told
    match told:
        case str() if not told.isascii():
            shown = told.translate(_TURNS)
        case dict():
            shown = {key: plain(value) for key, value in told.items()}
        case list():
            shown = [plain(value) for value in told]
    return cast(T, shown)


class Viewer:
    """Shows lines, chains and the status to one user in one language."""

    def __init__(
        self,
        hass: HomeAssistant,
        coordinator: HearthnetCoordinator,
        user: User,
        language: str,
    ) -> None:
        """Take the reader."""
        self._hass = hass
        self._coordinator = coordinator
        self._house = coordinator.house
        self.user = user
        self.language = language
        self.texts = texts_for(language)

    # Rights

    @callback
    def may_read(self, devices: Iterable[str]) -> bool:
        """Tell whether the reader may read all of some devices."""
        if self.user.permissions.access_all_entities(POLICY_READ):
            return True
        return all(
            (entity_id := self._house.entity_id(device)) is not None
            and self.user.permissions.check_entity(entity_id, POLICY_READ)
            for device in devices
        )

    @callback
    def may_see(self, line: Line) -> bool:
        """Tell whether the reader may see a line; words are for who said them."""
        if line.devices:
            return self.may_read(line.devices)
        asked = line.asked
        mine = asked is not None and asked.principal.id == self.user.id
        return mine or self.user.is_admin

    @callback
    def may_decide_about(self, dropped: Dropped) -> bool:
        """Tell whether what a start dropped is the reader's to ask for anew."""
        asked = dropped.request
        return self.user.is_admin or (
            asked is not None and asked.principal.id == self.user.id
        )

    # Lines

    @callback
    def rows(self, lines: Iterable[Line]) -> list[dict[str, Any]]:
        """Return the rows that the reader may see, newest first."""
        seen = sorted(filter(self.may_see, lines), key=lambda line: line.at)
        return plain([self._row(line) for line in reversed(seen)])

    @callback
    def _row(self, line: Line) -> dict[str, Any]:
        asked = line.asked
        first = line.evidence[0] if line.evidence else None
        return {
            "id": line.id,
            "event": line.event,
            "intent": asked.intent if asked else None,
            "at": line.at.timestamp(),
            "outcome": line.outcome,
            "cause": line.cause,
            "reason": line.reason,
            "why": self.texts.reasons[line.reason] if line.reason else "",
            "detail": first.text if first else "",
            "rule": first.rule if first else None,
            "targets": self.targets([line.device] if line.device else []),
            "wanted": self.wanted(line.operation, line.parameters),
            "seen": self._seen(line),
            "asked": asked.text if asked else "",
            "again": asked is not None and asked.sentence and asked.origin in SAID,
            "by": asked.principal.name if asked else line.by,
            "origin": asked.origin if asked else "",
            "agent": line.agent,
            "until": line.until and line.until.timestamp(),
            "hold": _hold(line.hold),
            "undid": list(line.undid),
            "commit": line.commit,
        }

    def wanted(
        self, operation: str | None, parameters: Mapping[str, Json] | None
    ) -> str:
        """Tell what is wanted of a device: “on, 20 % bright”."""
        if operation is None:
            return ""
        return wording.wanted(self.texts, operation, parameters or {})

    def _seen(self, line: Line) -> str:
        """Tell what was read back, if all that was moved shows the same."""
        if line.operation is None:
            told = {wording.state(self.texts, values) for values in line.seen}
        else:
            told = {
                self._reached(line.operation, line.parameters, values)
                for values in line.seen
            }
        return told.pop() if len(told) == 1 else ""

    def _reached(
        self, operation: str, parameters: Mapping[str, Json], values: Values
    ) -> str:
        operations = self._coordinator.home.operations
        return wording.reached(self.texts, operation, parameters, values, operations)

    def targets(self, devices: Iterable[str]) -> list[dict[str, Any]]:
        """Return devices as people know them."""
        return [
            {"entity_id": self._house.entity_id(device), "name": self._name(device)}
            for device in devices
        ]

    def _name(self, device_id: str) -> str:
        """Return a device's present name, else the recorded one."""
        if (device := self._house.device(device_id)) is not None:
            return device.name
        kept = self._coordinator.hub.node.view.get(device_path(device_id))
        name = kept.get("name") if isinstance(kept, dict) else None
        return str(name or device_id)

    # Chains

    @callback
    def nodes(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        """Return a chain's messages; of what may not be read, only that it was."""
        tasks = {e["id"]: e for e in events if e["type"] == MessageType.TASK}
        told = [e for e in events if e.get("message")]
        held = {
            f"holds/{met['hold']['id']}.json": self._held(met["hold"])
            for event in told
            if event["type"] == MessageType.CONFLICT
            for met in event["message"]["body"].get("conflicts", ())
        }
        return plain([self._node(e, tasks.get(e["task"]), held) for e in told])

    def _node(
        self, event: Event, task: Event | None, held: Mapping[str, str]
    ) -> dict[str, Any]:
        body = event["message"].get("body", {})
        order = task["message"]["body"] if task else {}
        about = [*event["devices"], *order.get("targets", ())]
        shown = self.may_read(about)
        named = [order["device"]] if task else event["devices"]
        # A proposal has a time of its own, which is nothing to wait for.
        until = event["type"] in _LASTING and event["message"].get("expires_at")
        asker = event["type"] == MessageType.INTENT and body["principal"]["name"]
        return {
            "id": event["id"],
            "cause": event["cause"],
            "task": event["task"],
            "type": event["type"],
            "at": from_text(event["at"]).timestamp(),
            "from": asker or event["sender"],
            "to": event["recipient"],
            "status": _status(event),
            "text": self._words(event, body, order, named) if shown else "",
            "targets": self.targets(named) if shown else [],
            "evidence": self._evidence(body, held) if shown else [],
            "until": from_text(until).timestamp() if until else None,
            "commit": event["commit"],
        }

    def _words(
        self,
        event: Event,
        body: Mapping[str, Any],
        order: Mapping[str, Any],
        named: Iterable[str],
    ) -> str:
        """Say what a message does; in the recorded words if it is of another shape."""
        try:
            return self._told(event, body, order, named)
        except UNREADABLE:
            return str(event["content"])

    def _told(
        self,
        event: Event,
        body: Mapping[str, Any],
        order: Mapping[str, Any],
        named: Iterable[str],
    ) -> str:
        names = self.texts.comma.join(map(self._name, named))
        parameters = body.get("parameters") or order.get("parameters")
        match event["type"]:
            case MessageType.INTENT:
                return str(body.get("text", ""))
            case (
                MessageType.TASK
                | MessageType.PROPOSAL
                | MessageType.GRANT
                | MessageType.EXECUTE
                | MessageType.CONFIRMATION_REQUEST
            ) if order:
                return f"{names}: {self.wanted(order['operation'], parameters)}"
            case MessageType.RECEIPT:
                return self._receipt(body, order, names)
            case MessageType.DENIAL if "outcome" in body:
                return self._receipt({**body, "members": body["values"]}, order, names)
            case MessageType.DENIAL | MessageType.REFUSAL:
                return f"{names}: {self.texts.reasons[Reason(body['reason'])]}"
            case MessageType.CONFLICT:
                return self._conflict(body)
        return str(event["content"])

    def _receipt(
        self, body: Mapping[str, Any], order: Mapping[str, Any], names: str
    ) -> str:
        operation, seen = body["operation"], body.get("values") or {}
        told = {
            self._reached(operation, order.get("parameters", {}), seen.get(one, {}))
            for one in body["members"]
        }
        state = told.pop() if len(told) == 1 else ""
        sentence = self.texts.outcomes[Outcome(body["outcome"])][0]
        return sentence.format(names=names, state=state or self.texts.as_asked)

    def _conflict(self, body: Mapping[str, Any]) -> str:
        """Name who holds what, each once."""
        held = (self._held(met["hold"]) for met in body.get("conflicts", ()))
        return self.texts.comma.join(dict.fromkeys(held))

    def _held(self, hold: Mapping[str, Any]) -> str:
        return self.texts.held_until.format(
            who=hold["principal"]["name"],
            time=self._clock(from_text(hold["since"])),
            end=self._clock(from_text(hold["ends_at"])),
        )

    def _evidence(
        self, body: Mapping[str, Any], held: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """Cite in the reader's words and time what the record has in its own.

        A hold for each attribute is one wish, and is cited once.
        """
        cited: dict[tuple[str, str | None], dict[str, Any]] = {}
        for item in body.get("evidence", ()):
            text = held.get(item.get("path", ""), item["text"])
            cited.setdefault((text, item.get("event")), {**item, "text": text})
        return list(cited.values())

    def _clock(self, moment: datetime) -> str:
        return dt_util.as_local(moment).strftime(self.texts.time)


def _status(event: Event) -> str:
    body = event["message"].get("body", {})
    match event["type"]:
        case MessageType.CONFIRMATION_REQUEST:
            return "wait"
        case MessageType.RECEIPT | MessageType.DENIAL if "outcome" in body:
            return "ok" if body["outcome"] in _GOOD else "no"
        case MessageType.CONFIRMATION:
            return "ok" if body["answer"] == "approved" else "no"
        case MessageType.RESOLUTION:
            return "no" if body.get("reason") else "ok"
    return "no" if event["type"] in _NO else "ok"


def _hold(hold: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if hold is None:
        return None
    return {
        "by": hold["principal"]["name"],
        "since": from_text(hold["since"]).timestamp(),
        "until": from_text(hold["ends_at"]).timestamp(),
    }
