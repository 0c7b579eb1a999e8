"""An intent of a record, what became of it, and the plan that it came of. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hearthnet.core.messages import Message, MessageType
from hearthnet.core.reasons import DONE, Reason


@dataclass
class Wish:
    """An intent and what became of it."""

    message: Message
    tasks: list[Message] = field(default_factory=list)
    again: set[str] = field(default_factory=set)
    """Tasks that were proposed anew after a lost race; no part of the plan."""
    ended: dict[str, int] = field(default_factory=dict)
    """Task to how many tasks there were when it ended."""
    grants: list[Message] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)
    """Tasks that did not come to what they were for, in their order."""
    holds: list[Mapping[str, Any]] = field(default_factory=list)
    end: Message | None = None

    def take(self, message: Message) -> None:
        """Take an event of the intent."""
        body = message.body
        match message.type:
            case MessageType.TASK:
                self.tasks.append(message)
            case MessageType.GRANT:
                self.grants.append(message)
            case MessageType.DENIAL | MessageType.REFUSAL if (
                body.get("reason") == Reason.STALE_STATE
            ):
                self.again.add(message.task or "")
            case MessageType.DENIAL | MessageType.REFUSAL:
                self.undone.append(message.task or "")
            case MessageType.RECEIPT if DONE.isdisjoint(body["members"].values()):
                self.undone.append(message.task or "")
            case MessageType.RESOLUTION if message.task is not None:
                if body.get("reason") == Reason.MANAGER_OFFLINE:
                    self.again.add(message.task)
                self.ended[message.task] = len(self.tasks)
                self.holds += [
                    value
                    for path, value in message.writes.items()
                    if path.startswith("holds/") and isinstance(value, dict)
                ]
            case MessageType.RESOLUTION if message.cause == message.intent:
                # One that is for later may be called off after its own end.
                self.end = self.end or message

    @property
    def result(self) -> Mapping[str, Any]:
        """What its end says."""
        return self.end.body if self.end else {}

    def first_beside(self, task: Message) -> Message:
        """Return the first of the tasks that were made at once with one."""
        place = self.tasks.index(task)
        starts = [count for count in self.ended.values() if count <= place]
        return self.tasks[max(starts, default=0)]

    def plan(self) -> dict[str, Any]:
        """Return the plan in the form that a step has it."""
        actions = self.actions()
        end = self.result
        plan: dict[str, Any] = {"kind": end.get("kind", "command")}
        if actions:
            plan["actions"] = actions
        for name in ("reason", "near"):
            if end.get(name) and not actions:
                plan[name] = end[name]
        if dropped := [one for one in self._untold() if one not in self._followed()]:
            plan["dropped"] = dropped
        if end.get("planner"):
            plan["source"] = end["planner"]
        if calls := (end.get("model") or {}).get("calls"):
            plan["calls"] = calls
        standing = [h for h in self.holds if h.get("source") == "standing"]
        if standing:
            plan["standing"] = True
            plan["until"] = standing[0]["ends_at"]
        written = self.end.writes if self.end else {}
        waiting = written.get(f"deferred/{self.message.id}.json")
        if isinstance(waiting, dict) and waiting["reverts"]:
            plan |= {"standing": True, "until": waiting["due"], "reverts": True}
        elif isinstance(waiting, dict):
            plan["due"] = waiting["due"]
            plan["actions"] = waiting["actions"]
        return plan

    def actions(self) -> list[dict[str, Any]]:
        """Return the plan that the tasks came of."""
        ranges = {
            (hold["device"], hold["attribute"]): hold["within"]
            for hold in self.holds
            if hold.get("within")
        }
        lost: set[tuple[str, str]] = set()
        actions: list[dict[str, Any]] = []
        number: dict[str, int] = {}
        for position, task in enumerate(self.tasks):
            body = task.body
            about = (body["device"], body["operation"])
            if about in lost:
                continue  # the hub proposes it anew by itself
            if task.id in self.again:
                lost.add(about)
            before = [
                number[t]
                for t, count in self.ended.items()
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
        failed = [number[task] for task in self.undone if task in number]
        for one in self._followed():
            # What it was to be given is not on record, as it was given nothing.
            action = {"targets": [one["device"]], "operation": one["operation"]}
            action |= {"parameters": {}, "after": failed[-1]}
            _merge(actions, action)
        return actions

    def _untold(self) -> list[Mapping[str, Any]]:
        """Return the steps of the plan that never became tasks."""
        tasks = {(task.body["device"], task.body["operation"]) for task in self.tasks}
        return [
            {**one, "evidence": [_said(item) for item in one.get("evidence", ())]}
            for one in self.result.get("refused") or ()
            if (one["device"], one["operation"]) not in tasks
        ]

    def _followed(self) -> list[Mapping[str, Any]]:
        """Return those that were left out because one before them was not done."""
        untold = self._untold() if self.undone else ()
        return [one for one in untold if one["reason"] == Reason.CANCELED]


def _said(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return evidence without what it points to: when played, that is elsewhere."""
    return {name: evidence[name] for name in ("text", "code") if name in evidence}


def _merge(actions: list[dict[str, Any]], action: dict[str, Any]) -> int:
    """Put an action to the same one on other devices, or at the end; return where."""
    same, (device,) = {**action, "targets": []}, action["targets"]
    for index, other in enumerate(actions):
        if {**other, "targets": []} == same and device not in other["targets"]:
            other["targets"].append(device)
            return index
    actions.append(action)
    return len(actions) - 1
