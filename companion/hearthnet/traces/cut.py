"""Cuts a trace out of a record: what came from outside, and what was decided. Pure.

What the hub and its managers said is not in the trace's steps: they say it again when
it is played. Inputs are intents with their plans, changes of devices, and what people
set; how devices answered is taken from the receipts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
import re
from typing import Any

from hearthnet.core.devices import Device
from hearthnet.core.domains import operations_of
from hearthnet.core.messages import Json, Message, MessageType
from hearthnet.core.paths import HUB, device_of
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.shadow import doubt
from hearthnet.core.state import ENABLED_PATH, POLICY_PATH
from hearthnet.core.view import View

from .chains import chains
from .trace import Step, Trace, TraceError

_KEPT = ("holds/", "settings/", "deferred/")
_REVOKED = re.compile(r"is revoked: (.+) revoked (it|all leases)\.$")
_SYSTEM = "system"


def cut(title: str, before: Iterable[Message], messages: Sequence[Message]) -> Trace:
    """Return the trace of some of the hub's events.

    `before` are the events that came before them, of which only the state is kept.

    Raises:
        TraceError: there is nothing of the hub in it.
    """
    view = View()
    for message in before:
        view.apply(message)
    mine = [message for message in messages if message.event.node == HUB]
    if not mine:
        raise TraceError("no event of the hub is in there")
    cutter = _Cutter(mine, view)
    steps = tuple(sorted(cutter.steps(), key=lambda step: step.at))
    devices = cutter.devices()
    names = {device.id: device.name for device in devices}
    return Trace(
        title=title,
        start=mine[0].at.astimezone(cutter.zone),
        policy=cutter.policy,
        devices=devices,
        values=cutter.values(devices),
        answers=cutter.answers,
        state={path: view.get(path) for path in view.paths() if path.startswith(_KEPT)},
        home=cutter.home,
        steps=steps,
        decisions=tuple(chains(mine, names)),
        left_out=len(messages) - len(mine),
    )


@dataclass
class _Wish:
    """An intent and what became of it."""

    message: Message
    tasks: list[Message] = field(default_factory=list)
    again: set[str] = field(default_factory=set)
    """Tasks that were proposed anew after a lost race; no part of the plan."""
    ended: dict[str, int] = field(default_factory=dict)
    """Task to how many tasks there were when it ended."""
    grants: list[Message] = field(default_factory=list)
    holds: list[Mapping[str, Any]] = field(default_factory=list)
    end: Message | None = None


class _Cutter:
    """One pass over the events."""

    def __init__(self, messages: Sequence[Message], view: View) -> None:
        self._messages = messages
        self._view = view
        self._start = messages[0].at
        self._wishes: dict[str, _Wish] = {}
        self._by_lease: dict[str, str] = {}
        self._executes: dict[str, Message] = {}
        self._questions: dict[str, str] = {}
        self._facts: dict[str, dict[str, Any]] = {}
        self._shadows: dict[str, Mapping[str, Any]] = {}
        self._operated: dict[str, str] = {}
        """Devices of which no more is known than one operation on them."""
        self._members: dict[str, list[str]] = {}
        self._crashed: set[int] = set()
        """Boots that found an execute without a receipt."""
        self._assumed: set[str] = set()
        self.answers: dict[str, list[dict[str, Any]]] = {}
        self.zone: timezone = timezone(timedelta())
        self.home: frozenset[str] | None = None
        text = view.get(POLICY_PATH)
        self.policy = text if isinstance(text, str) else ""
        for message in messages:
            self._learn(message)

    # What there is

    def _learn(self, message: Message) -> None:
        body = message.body
        self._learn_state(message)
        if isinstance(facts := body.get("facts"), dict):
            self._learn_facts(facts)
        match message.type:
            case MessageType.INTENT:
                self._wishes[message.id] = _Wish(message)
            case MessageType.CONFIRMATION_REQUEST:
                self._questions[message.id] = message.intent or ""
            case MessageType.EXECUTE:
                self._executes[message.id] = message
            case MessageType.RECEIPT:
                self._learn_answer(message)
        if (wish := self._wishes.get(message.intent or "")) is not None:
            self._learn_wish(wish, message)

    def _learn_state(self, message: Message) -> None:
        """Note what devices were at when they were first seen, and the first policy."""
        for device, seen in message.body.get("before", {}).items():
            shadow = {"entity_id": "", "name": "", "values": seen}
            self._shadows.setdefault(device, shadow)
        for path, value in message.writes.items():
            one = device_of(path)
            if one is not None and isinstance(value, dict) and "entity_id" in value:
                self._shadows.setdefault(one, value)
            if path == POLICY_PATH and not self.policy and isinstance(value, str):
                self.policy = value

    def _learn_wish(self, wish: _Wish, message: Message) -> None:
        """Take an event of an intent."""
        body = message.body
        match message.type:
            case MessageType.TASK:
                wish.tasks.append(message)
                targets: list[str] = body["targets"]
                self._operated |= dict.fromkeys(targets, body["operation"])
                if targets != [body["device"]]:
                    self._members[body["device"]] = targets
            case MessageType.GRANT:
                wish.grants.append(message)
                self._by_lease[message.id] = message.intent or ""
            case MessageType.DENIAL | MessageType.REFUSAL if (
                body.get("reason") == Reason.STALE_STATE
            ):
                wish.again.add(message.task or "")
            case MessageType.RESOLUTION if message.task is not None:
                wish.ended[message.task] = len(wish.tasks)
                wish.holds += [
                    value
                    for path, value in message.writes.items()
                    if path.startswith("holds/") and isinstance(value, dict)
                ]
            case MessageType.RESOLUTION if message.cause == message.intent:
                wish.end = message

    def _learn_facts(self, facts: Mapping[str, Any]) -> None:
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

    def _learn_answer(self, receipt: Message) -> None:
        """Note how the devices answered, where something was sent to them."""
        execute = self._executes.get(receipt.cause or "")
        if execute is None:
            return
        if receipt.event.boot != execute.event.boot:
            self._crashed.add(receipt.event.boot)
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

    def devices(self) -> tuple[Device, ...]:
        """Return the devices that the events name, as far as they are known."""
        for path in self._view.paths("devices/"):
            value, device = self._view.get(path), device_of(path)
            if device and isinstance(value, dict) and "entity_id" in value:
                self._shadows[device] = value
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
            name=str(facts.get("name") or shadow.get("name") or entity_id),
            domain=domain,
            device_class=facts.get("device_class"),
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

    # What came

    def steps(self) -> Iterator[Step]:
        """Yield what came from outside."""
        for message in self._messages:
            yield from self._step(message)

    def _at(self, message: Message) -> float:
        return (message.at - self._start).total_seconds()

    def _step(self, message: Message) -> Iterator[Step]:
        body, at = message.body, self._at(message)
        match message.type:
            case MessageType.HELLO if message is not self._messages[0]:
                crashed = message.event.boot in self._crashed
                yield Step(at=at, do="crash" if crashed else "restart")
            case MessageType.INTENT:
                yield from self._intent(self._wishes[message.id])
            case MessageType.OBSERVATION if "cause" in body:
                data = {
                    name: body[name]
                    for name in ("device", "values", "cause", "principal", "detail")
                    if body.get(name) or name == "values"
                }
                yield Step(at=at, do="change", data=data)
            case MessageType.POLICY if body["principal"]["kind"] != _SYSTEM:
                text = str(message.writes[POLICY_PATH])
                data = {**_person(body), "policy": text.splitlines()}
                yield Step(at=at, do="policy", data=data)
            case MessageType.ALERT if ENABLED_PATH in message.writes:
                value = message.writes[ENABLED_PATH]
                enabled = isinstance(value, dict) and value["enabled"]
                yield Step(
                    at=at, do="enable", data={**_person(body), "enabled": enabled}
                )
            case MessageType.CONFIRMATION if body.get("principal"):
                data = {
                    **_person(body),
                    "of": self._questions.get(message.cause or "", ""),
                    "approve": body["answer"] == "approved",
                }
                yield Step(at=at, do="answer", name=message.id, data=data)
            case MessageType.REVOCATION if found := _REVOKED.search(message.content):
                nobody = {"kind": "user", "id": "", "name": found[1], "role": "owner"}
                lease = self._by_lease.get(message.lease or "", "")
                yield Step(
                    at=at, do="revoke", data={"principal": nobody, "lease": lease}
                )
            case MessageType.RESOLUTION if "hold" in body and body.get("principal"):
                hold = body["hold"]
                data = {n: hold[n] for n in ("device", "attribute")}
                yield Step(at=at, do="release", data={**_person(body), **data})
            case MessageType.REFUSAL if (
                body.get("reason") == Reason.UNREACHABLE and "grantee" not in body
            ):
                yield from self._away(message)

    def _away(self, refusal: Message) -> Iterator[Step]:
        """Take a device away while its manager looked: more is not known of it."""
        task = next(
            (
                task
                for wish in self._wishes.values()
                for task in wish.tasks
                if task.id == refusal.task
            ),
            None,
        )
        for device in task.body["targets"] if task else ():
            data = {"device": device}
            yield Step(at=self._at(task or refusal) - 0.001, do="away", data=data)
            yield Step(at=self._at(refusal) + 0.001, do="back", data=data)

    def _intent(self, wish: _Wish) -> Iterator[Step]:
        message, body = wish.message, wish.message.body
        if message.cause is not None:
            return  # an approval or a due plan makes it anew
        data: dict[str, Any] = {
            "text": body["text"],
            "principal": body["principal"],
            "origin": body["origin"],
        }
        for name, usual in (("language", "en"), ("area", None), ("deadline", 120.0)):
            if body.get(name, usual) != usual:
                data[name] = body[name]
        at, name = self._at(message), message.id
        end: Mapping[str, Any] = wish.end.body if wish.end else {}
        actions = self._actions(wish)
        if end.get("planner") == "lease":
            lease = (
                self._by_lease.get(str(wish.tasks[0].lease), "") if wish.tasks else ""
            )
            yield Step(at=at, do="use", name=name, data={**data, "lease": lease})
        elif wish.tasks and wish.tasks[0].body["lease_only"]:
            ttl = {"ttl": wish.grants[0].body["ttl"]} if wish.grants else {}
            data |= {**ttl, "actions": actions}
            yield Step(at=at, do="lease", name=name, data=data)
        elif end.get("planner") == "proposal":
            yield Step(
                at=at, do="propose", name=name, data={**data, "actions": actions}
            )
        else:
            first = wish.tasks[0] if wish.tasks else wish.end
            think = 0.0 if first is None else self._at(first) - at
            if think > 0:
                data["think"] = round(think, 3)
            data["plan"] = self._plan(wish, end, actions)
            yield Step(at=at, do="ask", name=name, data=data)

    def _plan(
        self, wish: _Wish, end: Mapping[str, Any], actions: list[dict[str, Any]]
    ) -> dict[str, Any]:
        plan: dict[str, Any] = {"kind": end.get("kind", "command")}
        if actions:
            plan["actions"] = actions
        for name in ("reason", "near"):
            if end.get(name) and not actions:
                plan[name] = end[name]
        if end.get("planner"):
            plan["source"] = end["planner"]
        standing = [h for h in wish.holds if h.get("source") == "standing"]
        if standing:
            plan["standing"] = True
            plan["until"] = standing[0]["ends_at"]
        written = wish.end.writes if wish.end else {}
        waiting = written.get(f"deferred/{wish.message.id}.json")
        if isinstance(waiting, dict):
            plan["due"] = waiting["due"]
            plan["actions"] = waiting["actions"]
        return plan

    def _actions(self, wish: _Wish) -> list[dict[str, Any]]:
        """Return the plan that the tasks came of."""
        ranges = {
            (hold["device"], hold["attribute"]): hold["within"]
            for hold in wish.holds
            if hold.get("within")
        }
        lost: set[tuple[str, str]] = set()
        actions: list[dict[str, Any]] = []
        number: dict[str, int] = {}
        for position, task in enumerate(wish.tasks):
            body = task.body
            about = (body["device"], body["operation"])
            if about in lost:
                continue  # the hub proposes it anew by itself
            if task.id in wish.again:
                lost.add(about)
            before = [
                number[t]
                for t, count in wish.ended.items()
                if count <= position and t in number
            ]
            action: dict[str, Any] = {
                "targets": [body["device"]],
                "operation": body["operation"],
                "parameters": body["parameters"],
            }
            if body["relative"]:
                action["relative"] = body["relative"]
            mine = {
                attribute: within
                for (device, attribute), within in ranges.items()
                if device in body["targets"] or device == body["device"]
            }
            if mine:
                action["ranges"] = mine
            if before:
                action["after"] = max(before)
            number[task.id] = _merge(actions, action)
        return actions


def _person(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"principal": body["principal"]}


def _merge(actions: list[dict[str, Any]], action: dict[str, Any]) -> int:
    """Put an action to the same one on other devices, or at the end; return where."""
    same, (device,) = {**action, "targets": []}, action["targets"]
    for index, other in enumerate(actions):
        if {**other, "targets": []} == same and device not in other["targets"]:
            other["targets"].append(device)
            return index
    actions.append(action)
    return len(actions) - 1
