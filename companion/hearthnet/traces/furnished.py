"""What a record tells of a home: its devices, their values and their answers. Pure."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from hearthnet.core.devices import Device
from hearthnet.core.domains import operations_of
from hearthnet.core.messages import EventId, Json, Message, MessageType
from hearthnet.core.paths import HUB, RECIPES, device_of
from hearthnet.core.reasons import Outcome
from hearthnet.core.shadow import doubt
from hearthnet.core.state import POLICY_PATH
from hearthnet.core.view import View

from .trace import JEEVES


class Furnished:
    """The home as far as events tell of it."""

    def __init__(self, view: View) -> None:
        """Begin with what was on record before."""
        self._view = view
        self._executes: dict[str, Message] = {}
        self._facts: dict[str, dict[str, Any]] = {}
        self._shadows: dict[str, Mapping[str, Any]] = {}
        self._operated: dict[str, str] = {}
        """Devices of which no more is known than one operation on them."""
        self._named: dict[str, str] = {}
        """What a task calls a device that was never seen."""
        self._managers: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self._assumed: set[str] = set()
        self.nodes: set[str] = set()
        """Managers' nodes beside the hub."""
        self._recipes: dict[str, Json] = {}
        self.crashed: set[tuple[str, int]] = set()
        """Nodes and boots that found something half done."""
        self.answers: dict[str, list[dict[str, Any]]] = {}
        self.zone: timezone = timezone(timedelta())
        self.home: frozenset[str] | None = None
        for path in view.paths(f"{RECIPES}/"):
            self._recipes[path] = view.get(path)
        text = view.get(POLICY_PATH)
        self.policy = text if isinstance(text, str) else ""

    def take(self, message: Message) -> None:
        """Learn from the next event."""
        self._take_state(message)
        if message.event.node != HUB:
            self.nodes.add(message.event.node)
        if isinstance(facts := message.body.get("facts"), dict):
            self._take_facts(facts)
        match message.type:
            case MessageType.EXECUTE:
                self._executes[message.id] = message
            case MessageType.RECEIPT:
                self._take_answer(message)
            case MessageType.RECOVERY if _cut_off(message):
                self.crashed.add((message.event.node, message.event.boot))

    def take_task(self, task: Message) -> None:
        """Learn which devices a task is about."""
        targets: list[str] = task.body["targets"]
        self._managers |= dict.fromkeys(targets, task.to)
        operation = task.body["operation"]
        self._operated |= dict.fromkeys(targets, operation)
        goal = task.content.removeprefix(f"{operation} on ")
        self._named[task.body["device"]] = goal.partition(": ")[0]
        if targets != [task.body["device"]]:
            self._members[task.body["device"]] = targets

    def _take_state(self, message: Message) -> None:
        """Note what devices were at when they were first seen, and the first policy."""
        for device, seen in message.body.get("before", {}).items():
            shadow = {"entity_id": "", "name": "", "values": seen}
            self._shadows.setdefault(device, shadow)
        for path, value in message.writes.items():
            one = device_of(path)
            if one is not None and isinstance(value, dict) and "entity_id" in value:
                self._shadows.setdefault(one, value)
                self._met(one, message.event.node)
            if path.startswith(f"{RECIPES}/") and value is not None:
                self._recipes[path] = value
            if path == POLICY_PATH and not self.policy and isinstance(value, str):
                self.policy = value

    def _met(self, device: str, node: str) -> None:
        """Note who writes a device, if that is a node of its own."""
        if node != HUB:
            self._managers[device] = node

    def _take_facts(self, facts: Mapping[str, Any]) -> None:
        group = facts.get("group")
        for item in (*facts["targets"], *([group] if group else ())):
            for one in (item, *item.get("aliases", ())):
                known = self._facts.setdefault(one["id"], {})
                lacks = {*known.get("lacks", ()), *one.get("lacks", ())}
                known.update({**one, "lacks": sorted(lacks)})
        if facts.get("now"):
            offset = datetime.fromisoformat(facts["now"]).utcoffset()
            self.zone = timezone(offset or timedelta())
        if facts.get("home") is not None:
            self.home = frozenset(facts["home"])

    def _take_answer(self, receipt: Message) -> None:
        """Note how the devices answered, where something was sent to them."""
        execute = self._executes.get(receipt.cause or "")
        if execute is None:
            return
        if receipt.event.boot != execute.event.boot:
            self.crashed.add((receipt.event.node, receipt.event.boot))
        seconds = (receipt.at - execute.at).total_seconds()
        for device, outcome in receipt.body["members"].items():
            if outcome == Outcome.ALREADY_SO:
                continue
            answer: dict[str, Any] = {"seconds": max(0.0, round(seconds, 3))}
            values = receipt.body["values"].get(device)
            if outcome == Outcome.UNREACHABLE or values is None:
                answer["fails"] = str(outcome)
            else:
                answer["values"] = values
            if outcome == Outcome.UNVERIFIED:
                self._assumed.add(device)
            self.answers.setdefault(device, []).append(answer)
            seconds = 0.0  # members of a group are told at once

    def recipes(self) -> dict[str, list[Json]]:
        """Return the recipes, the newest of each appliance, by node."""
        found: dict[str, list[Json]] = {}
        for path, data in sorted(self._recipes.items()):
            found.setdefault(path.split("/")[1], []).append(data)
        return found

    def devices(self) -> tuple[Device, ...]:
        """Return the devices that the events name, as far as they are known."""
        for path in self._view.paths("devices/"):
            value, device = self._view.get(path), device_of(path)
            if device and isinstance(value, dict) and "entity_id" in value:
                self._shadows[device] = value
                self._met(device, EventId.parse(self._view.version(path) or "").node)
        found = {*self._facts, *self._shadows, *self._operated}
        return tuple(map(self._device, sorted(found)))

    def _device(self, device: str) -> Device:
        facts = self._facts.get(device, {})
        shadow = self._shadows.get(device, {})
        entity_id = str(facts.get("entity_id") or shadow.get("entity_id") or "")
        domain = (entity_id or self._operated[device]).partition(".")[0]
        entity_id = entity_id or f"{domain}.{device}"
        features = None
        if lacks := facts.get("lacks"):
            rows = operations_of(domain)
            known = {row.name for row in rows}.union(*(row.parameters for row in rows))
            features = frozenset(known - set(lacks))
        return Device(
            id=device,
            entity_id=entity_id,
            name=str(
                facts.get("name")
                or shadow.get("name")
                or self._named.get(device)
                or entity_id
            ),
            domain=domain,
            device_class=facts.get("device_class"),
            manager=self._managers.get(device, JEEVES),
            area=facts.get("area"),
            floor=facts.get("floor"),
            labels=frozenset(facts.get("labels", ())),
            physical=facts.get("physical"),
            members=tuple(self._members.get(device, ())),
            assumed_state=device in self._assumed,
            features=features,
        )

    def values(self, devices: Iterable[Device]) -> dict[str, Mapping[str, Json]]:
        """Return what devices were at in the beginning.

        What was first seen only later is taken to have been so before.
        """
        return {
            device.id: dict(shadow.get("values") or {})
            for device in devices
            if (shadow := self._shadows.get(device.id)) is not None
            and doubt(dict(shadow)) is None
        }


def _cut_off(recovery: Message) -> bool:
    """Tell whether the start before did not end in order: it left something open.

    What was for later and came due meanwhile is no sign of it.
    """
    dropped = recovery.body.get("dropped", ())
    tasks = any(path.startswith("tasks/") for path in recovery.writes)
    return tasks or any(one.get("due") is None for one in dropped)
