"""The total order of all that happened, as the oracle looks through it.

Nothing of HearthNet is imported: messages are plain JSON, ids are text, times are
seconds. Facts are only filed by what they are about, so that a question need not
go through those about other things.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
import json
from typing import Any

from .oracle_holds import Happened, Held, replay
from .plain import (
    DAY,
    DONE,
    HUB,
    LOCAL,
    NOON,
    SOURCES,
    SWITCH,
    Change,
    Grant,
    Message,
    Place,
    Task,
    Thing,
    effects,
    place,
)


@dataclass(kw_only=True)
class Facts:
    """Everything that happened, in order."""

    things: Mapping[str, Thing]
    standing: set[str] = field(default_factory=set)
    """Words of the intents that are meant to stand."""
    n: int = 0
    total: int = 0
    own: Counter[str] = field(default_factory=Counter)
    ends: dict[str, Place] = field(default_factory=dict)
    """Node to its last event."""
    heard_of: dict[tuple[str, str], Place] = field(default_factory=dict)
    """(listener, node) to the last event of the node that the listener heard."""
    began: dict[str, float] = field(default_factory=dict)
    policies: list[tuple[int, Place, Message]] = field(default_factory=list)
    intents: dict[str, tuple[int, float, Message]] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    """Intents that had a task."""
    tasks: dict[str, Task] = field(default_factory=dict)
    grants: dict[str, Grant] = field(default_factory=dict)
    granted: dict[tuple[str, str], list[Grant]] = field(default_factory=dict)
    """(principal, key) to its grants; ("", key) to everybody's."""
    changes: dict[str, list[Change]] = field(default_factory=dict)
    happened: dict[str, list[Happened]] = field(default_factory=dict)
    """Key to all that makes or ends holds on it."""
    asked: dict[tuple[str, str], float] = field(default_factory=dict)
    arrived: dict[tuple[str, str], bool] = field(default_factory=dict)
    """(agent, lease) to whether the grant that came was genuine."""
    revoked: set[tuple[str, str]] = field(default_factory=set)
    fences: dict[str, int] = field(default_factory=dict)
    executes: dict[str, Message] = field(default_factory=dict)
    """Lease to its execute."""
    ran: dict[str, list[Message]] = field(default_factory=dict)
    """Key to the executes on it."""
    running: dict[str, str] = field(default_factory=dict)
    """Key to the execute that has no answer yet."""

    names: dict[str, list[str]] = field(default_factory=dict)
    """Key to the ids of the devices that are the same physical thing."""

    def __post_init__(self) -> None:
        """Look up what is the same physical thing."""
        for thing in self.things.values():
            self.names.setdefault(thing.key, []).append(thing.id)

    # What happens on the nodes

    def said(self, node: str, message: Message, now: float) -> None:
        """Note an event, in the moment in which its node makes it."""
        self.n += 1
        self.total += 1
        self.own[message.get("intent", "")] += 1
        self.ends[node] = place(message["id"])
        note = getattr(self, f"_on_{message['type']}", None)
        if note is not None:
            note(node, message, now)

    def _on_policy(self, _node: str, message: Message, _now: float) -> None:
        text = json.loads(message["writes"]["policy.yaml"])
        self.policies.append((self.n, place(message["id"]), text))

    def _on_intent(self, _node: str, message: Message, now: float) -> None:
        self.intents[message["id"]] = self.n, now, message

    def _on_task(self, _node: str, message: Message, _now: float) -> None:
        if message["body"]["use"] is not None:
            return
        since, started, intent = self.intents[message["intent"]]
        again = message["intent"] in self.tried
        self.tried.add(message["intent"])
        self.tasks[message["id"]] = Task(
            message=message,
            intent=intent["body"],
            started=started,
            since=self.n if again else since,
        )

    def _on_proposal(self, _node: str, message: Message, now: float) -> None:
        self.asked[message["from"], message["id"]] = now

    def _on_grant(self, _node: str, message: Message, now: float) -> None:
        agent, target = message["body"]["grantee"], message["body"]["target"]
        knew = place(message["id"])
        if agent != LOCAL:
            knew = self.heard_of.get((HUB, agent), (0, 0))
        grant = Grant(
            place=place(message["id"]),
            message=message,
            now=now,
            knew=knew,
            held=frozenset(
                (key, hold.made.n, hold.attribute)
                for key in self.keys(target)
                for hold in self.standing_on(key, now)
            ),
            total=self.total,
            own=self.own[message["intent"]],
        )
        self.grants[message["id"]] = grant
        who = message["body"]["principal"]["id"]
        for key in self.keys(target):
            self.granted.setdefault((who, key), []).append(grant)
            self.granted.setdefault(("", key), []).append(grant)

    def _on_denial(self, _node: str, message: Message, _now: float) -> None:
        if (task := self.tasks.get(message.get("task", ""))) is not None:
            task.open = False

    _on_confirmation_request = _on_denial

    def _on_execute(self, _node: str, message: Message, _now: float) -> None:
        self.executes[message["lease"]] = message
        for key in self.keys(message["body"]["target"]):
            self.ran.setdefault(key, []).append(message)
            self.running[key] = message["id"]

    def _on_receipt(self, node: str, message: Message, _now: float) -> None:
        body = message["body"]
        self._answered(message["cause"])
        for target, outcome in body["members"].items():
            if outcome == "unknown":
                self._change(node, target, message, None)
            elif target in body["values"]:
                self._change(node, target, message, body["values"][target])

    def _on_refusal(self, _node: str, message: Message, _now: float) -> None:
        self._answered(message["body"].get("execute", ""))

    def _on_observation(self, node: str, message: Message, now: float) -> None:
        body = message["body"]
        before = self.values(body["device"])
        self._change(node, body["device"], message, body["values"])
        if node == HUB:
            self._noticed(body, before, place(message["id"]), now)

    def _on_resolution(self, _node: str, message: Message, now: float) -> None:
        if (hold := message.get("body", {}).get("hold")) is not None:
            self._happen(
                hold["device"],
                kind="released",
                hub=place(message["id"]),
                now=now,
                values={hold["attribute"]: hold["value"]},
                who=hold["principal"],
            )
        task = self.tasks.get(message.get("cause", ""))
        if task is None or not task.open:
            return
        task.open = False
        if task.receipt is not None:
            self._got(task, task.receipt, place(message["id"]), now)

    def _answered(self, execute: str) -> None:
        self.running = {k: e for k, e in self.running.items() if e != execute}

    def _change(
        self, node: str, device: str, message: Message, values: Message | None
    ) -> None:
        known = self.changes.setdefault(device, [])
        if known and values is not None and known[-1].values == values:
            return
        learned = self.n if node == HUB else None
        known.append(Change(place=place(message["id"]), values=values, learned=learned))

    # What reaches whom

    def heard(self, listener: str, node: str, message: Message, now: float) -> None:
        """Note that a listener has the node's events up to this one."""
        self.n += 1
        body, at = message.get("body", {}), place(message["id"])
        kind = message["type"]
        if listener == HUB and kind == "observation":
            before = self.values(body["device"], self.heard_of.get((HUB, node), (0, 0)))
            boot, number = self.ends[HUB]
            self._noticed(body, before, (boot, number + 1), now)
        self.heard_of[listener, node] = at
        if listener == HUB and kind in ("observation", "receipt"):
            for device in body.get("members", (body.get("device", ""),)):
                for change in self.changes.get(device, ()):
                    if change.place == at:
                        change.learned = self.n

    def received(self, message: Message) -> None:
        """Note that an answer of a manager has come to the root."""
        self.n += 1
        over = message["type"] == "receipt" or message["body"].get("over") is True
        if over and (grant := self.grants.get(message.get("lease", ""))) is not None:
            grant.freed = True
        if message["type"] == "receipt" and message.get("task") in self.tasks:
            self.tasks[message["task"]].receipt = message

    def started(self, node: str, agent: str, boot: int, now: float) -> None:
        """Note a new boot: what the agent asked for and was granted is void."""
        self.n += 1
        self.began[agent] = now
        self.fences.setdefault(agent, 0)
        mine = {key for key in self.running if self.things[key].agent == agent}
        self.running = {k: e for k, e in self.running.items() if k not in mine}
        self.asked = {k: at for k, at in self.asked.items() if k[0] != agent}
        self.arrived = {
            (to, lease): genuine
            for (to, lease), genuine in self.arrived.items()
            if to != agent or (node == HUB and place(lease)[0] == boot - 1)
        }
        if node == HUB:
            self.fences[agent] = boot
            for task in self.tasks.values():
                task.open = False

    def forgot(self, node: str, last: Place) -> None:
        """Note that a killed node's events after `last` have not been kept."""
        self.n += 1
        for device, changes in self.changes.items():
            if self.things[device].agent == node:
                self.changes[device] = [c for c in changes if c.place <= last]
        gone = {
            lease
            for lease, execute in self.executes.items()
            if execute["from"] == node and place(execute["id"]) > last
        }
        for lease in gone:
            execute = self.executes.pop(lease)
            for key in self.keys(execute["body"]["target"]):
                self.ran[key].remove(execute)

    # Holds

    def _noticed(
        self, body: Message, before: Message | None, hub: Place, now: float
    ) -> None:
        """Note what a change past HearthNet does to holds."""
        if before is None or body.get("cause") not in ("person", "device"):
            return
        policy = self.policies[-1][2]
        person = body["cause"] == "person"
        minutes = policy["holds"]["person_minutes" if person else "cool_down_minutes"]
        changed = {n: v for n, v in body["values"].items() if before.get(n) != v}
        self._happen(
            body["device"],
            kind="got" if person else "switched",
            hub=hub,
            now=now,
            values=changed,
            who=body["principal"] if person else SWITCH,
            until=now + 60 * minutes if minutes else None,
            order=policy["persons"],
            roles=tuple(policy["roles"]),
        )

    def _got(self, task: Task, receipt: Message, hub: Place, now: float) -> None:
        """Note what a receipt does to holds."""
        policy, intent = self.policies[-1][2], task.intent
        source = leaves = SOURCES.get(intent["origin"], "person")
        if source == "person" and intent["text"] in self.standing:
            leaves = "standing"
            until: float | None = now + DAY - (now + NOON) % DAY
        else:
            minutes = policy["holds"].get(f"{leaves}_minutes", 0)
            until = now + 60 * minutes if minutes else None
        lease = self.grants[receipt["lease"]].message["body"]
        given = {name: bound["exact"] for name, bound in lease["envelope"].items()}
        for target, outcome in receipt["body"]["members"].items():
            if outcome not in DONE:
                continue
            seen = receipt["body"]["values"].get(target, {})
            wanted = effects(lease["operation"], given)
            self._happen(
                self.things[target].key,
                kind="got",
                hub=hub,
                now=now,
                values={name: seen[name] for name in wanted if name in seen},
                who=intent["principal"],
                source=source,
                leaves=leaves,
                until=until,
                order=policy["persons"],
                roles=tuple(policy["roles"]),
            )

    def _happen(self, device: str, **what: Any) -> None:
        key = self.things[device].key
        self.happened.setdefault(key, []).append(Happened(n=self.n, **what))

    def standing_on(self, key: str, now: float) -> list[Held]:
        """Return the holds on a physical thing at a moment."""
        return [hold for hold in self.all_on(key) if hold.stands(now)]

    def all_on(self, key: str) -> list[Held]:
        """Return every hold there ever was on a physical thing."""
        return replay(self.happened.get(key, ()))

    # Looking things up

    def keys(self, targets: Iterable[str]) -> list[str]:
        """Return the physical things that targets are, each once."""
        return list(dict.fromkeys(self.things[target].key for target in targets))

    def values(self, device: str, known: Place | None = None) -> Message | None:
        """Return a device's values as last read; to one who has heard so much."""
        return next(
            (
                change.values
                for change in reversed(self.changes.get(device, ()))
                if change.values is not None
                and (known is None or change.place <= known)
            ),
            None,
        )
