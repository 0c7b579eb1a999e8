"""Cuts a trace out of a record: what came from outside, and what was decided. Pure.

What the hub and its managers said is not in the trace's steps: they say it again when
it is played. Inputs are intents with their plans, changes of devices, and what people
set; how devices answered is taken from the receipts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
import re
from typing import Any

from hearthnet.core.messages import Message, MessageType
from hearthnet.core.paths import HUB
from hearthnet.core.reasons import Reason
from hearthnet.core.state import ENABLED_PATH, POLICY_PATH
from hearthnet.core.view import View

from .chains import chains, ordered
from .furnished import Furnished
from .shape import RACE, TraceError
from .trace import Step, Trace
from .wish import Wish

_KEPT = ("holds/", "settings/", "deferred/", "approvals/")
_REVOKED = re.compile(r"is revoked: (.+) revoked (it|all leases)\.$")
_SYSTEM = "system"


@contextmanager
def _named(what: str) -> Iterator[None]:
    """Say what it was that does not have what HearthNet records.

    Earlier versions recorded less, and a record may be anybody's.
    """
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise TraceError(f"{what} cannot be played: {error!r}") from error


def _seconds(
    messages: Sequence[Message], start: datetime
) -> Iterator[tuple[str, float]]:
    """Yield when each event came, in seconds after the start.

    By how much a node's wall clock was set back is left out: its events stay in their
    order.
    """
    last: dict[str, tuple[float, datetime]] = {}
    for message in messages:
        seconds, before = last.get(message.event.node, (0.0, start))
        seconds += max(0.0, (message.at - before).total_seconds())
        last[message.event.node] = seconds, message.at
        yield message.id, round(seconds, 3)


def cut(title: str, view: View, messages: Sequence[Message]) -> Trace:
    """Return the trace of some of the hub's events.

    `view` is the state before them.

    Raises:
        TraceError: there is nothing of the hub in it.
    """
    hub = [message for message in messages if message.event.node == HUB]
    if not hub:
        raise TraceError("no event of the hub is in there")
    nodes = {HUB, *managers(messages)}
    mine = ordered(message for message in messages if message.event.node in nodes)
    cutter = _Cutter(mine, hub[0], view)
    furnished = cutter.furnished
    steps = sorted(cutter.steps(), key=lambda step: step.at)
    end = max(cutter.at(mine[-1]), *(step.at for step in steps), 0.0)
    steps.append(Step(at=end, do="end"))
    with _named(f"{mine[0].id} to {mine[-1].id}"):
        devices = furnished.devices()
        names = {device.id: device.name for device in devices}
        return Trace(
            title=title,
            start=hub[0].at.astimezone(furnished.zone),
            policy=furnished.policy,
            devices=devices,
            values=furnished.values(devices),
            answers=furnished.answers,
            recipes=furnished.recipes(),
            state={p: view.get(p) for p in view.paths() if p.startswith(_KEPT)},
            home=furnished.home,
            steps=tuple(steps),
            decisions=tuple(chains(mine, names)),
            left_out=len(messages) - len(mine),
        )


def managers(messages: Iterable[Message]) -> set[str]:
    """Return the nodes besides the hub that have taken part in a task."""
    return {
        message.event.node
        for message in messages
        if message.event.node != HUB and message.task is not None
    }


class _Cutter:
    """One pass over the events, the first of which is `start`."""

    def __init__(self, messages: Sequence[Message], start: Message, view: View) -> None:
        self.furnished = Furnished(view)
        self._messages = messages
        self._seconds = dict(_seconds(messages, start.at))
        self._known = {HUB} if start.type is not MessageType.HELLO else set()
        """Nodes whose next start is not their first."""
        self._gone: set[str] = set()
        self._underway: dict[str, Message] = {}
        """By device: a proposal without an answer, or a lease that is not used yet."""
        self._known |= {
            path.removeprefix("nodes/").removesuffix(".json")
            for path in view.paths("nodes/")
        } - {HUB}
        self._wishes: dict[str, Wish] = {}
        self._by_lease: dict[str, str] = {}
        self._questions: dict[str, dict[str, str]] = {}
        """Question to what a step says of it: of which intent, about which device."""
        for message in messages:
            with _named(message.id):
                self._learn(message)

    def _learn(self, message: Message) -> None:
        self.furnished.take(message)
        match message.type:
            case MessageType.INTENT:
                self._wishes[message.id] = Wish(message)
            case MessageType.CONFIRMATION_REQUEST:
                self._questions[message.id] = {
                    "of": message.intent or "",
                    "device": message.body["binding"]["target"][0],
                }
        if (wish := self._wishes.get(message.intent or "")) is None:
            return
        wish.take(message)
        match message.type:
            case MessageType.TASK:
                self.furnished.take_task(message)
            case MessageType.GRANT:
                self._by_lease[message.id] = wish.message.id

    def steps(self) -> Iterator[Step]:
        """Yield what came from outside."""
        devices = self.furnished.devices()
        # What is read in parts is told in parts.
        known = {d: dict(v) for d, v in self.furnished.values(devices).items()}
        for message in self._messages:
            with _named(message.id):
                yield from self._step(message)
                self._follow(message)
                if message.type is MessageType.RECEIPT:
                    yield from self._unseen(message, known)
                for device, values in _seen(message):
                    known.setdefault(device, {}).update(values)

    def _follow(self, message: Message) -> None:
        """Note what is on its way to the root or to the gate, by device."""
        match message.type:
            case MessageType.PROPOSAL:
                self._underway[message.body["device"]] = message
            case MessageType.GRANT:
                self._underway |= dict.fromkeys(message.body["target"], message)
            case _ if message.task is not None:
                for device, other in list(self._underway.items()):
                    if other.task == message.task:
                        del self._underway[device]

    def _unseen(
        self, receipt: Message, known: Mapping[str, Mapping[str, Any]]
    ) -> Iterator[Step]:
        """Let become of a device what nobody saw before a manager looked."""
        wish = self._wishes.get(receipt.intent or "")
        for device, values in receipt.body.get("before", {}).items():
            before = known.get(device, values)
            changed = any(before.get(name) != value for name, value in values.items())
            if changed and wish is not None:
                data = {"device": device, "values": {**before, **values}}
                at = max(0.0, self.at(wish.message) - 0.001)
                yield Step(at=at, do="unseen", data=data)

    def at(self, message: Message) -> float:
        """Return when an event came, in seconds after the first."""
        return self._seconds[message.id]

    def _step(self, message: Message) -> Iterator[Step]:
        body, at = message.body, self.at(message)
        match message.type:
            case MessageType.HELLO:
                yield from self._started(message)
            case MessageType.INTENT:
                yield from self._intent(self._wishes[message.id])
            case MessageType.OBSERVATION if "cause" in body:
                data = {
                    name: body[name]
                    for name in ("device", "values", "cause", "principal", "detail")
                    if body.get(name) or name == "values"
                }
                underway = self._underway.get(body["device"])
                if underway is not None and at - self.at(underway) < RACE:
                    data["race"] = underway.intent
                    data["after"] = underway.type
                yield Step(at=at, do="change", data=data)
            case MessageType.REFUSAL if (
                body.get("reason") == Reason.UNREACHABLE and "grantee" not in body
            ):
                yield from self._away(message)
            case MessageType.RESOLUTION if body.get("reason") == Reason.MANAGER_OFFLINE:
                yield from self._offline(message)
            case _:
                yield from self._set(message)

    def _started(self, message: Message) -> Iterator[Step]:
        node = message.event.node
        if node in self._gone:
            self._gone.remove(node)  # it was brought back
        elif node in self._known:
            crashed = (node, message.event.boot) in self.furnished.crashed
            yield Step(
                at=self.at(message),
                do="crash" if crashed else "restart",
                data={} if node == HUB else {"node": node},
            )
        self._known.add(node)

    def _set(self, message: Message) -> Iterator[Step]:
        """Yield what a person has set or answered."""
        body, at = message.body, self.at(message)
        match message.type:
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
                    **self._questions.get(message.cause or "", {"of": ""}),
                    "approve": body["answer"] == "approved",
                    **({"until": body["until"]} if body.get("until") else {}),
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
            case MessageType.RESOLUTION if "approval" in body:
                # One that stood at the beginning keeps its name.
                question = str(body["approval"]["id"])
                asked = self._questions.get(question, {"of": question})
                yield Step(at=at, do="withdraw", data={**_person(body), **asked})
            case MessageType.RESOLUTION if "due" in body and body.get("principal"):
                data = {**_person(body), "of": message.cause}
                yield Step(at=at, do="cancel", data=data)

    def _away(self, refusal: Message) -> Iterator[Step]:
        """Take a device away while its manager looked: more is not known of it."""
        found = self._task(refusal)
        if found is None:
            return
        wish, task = found
        # When played, what is due begins at its very moment, and what is to be done
        # at once does so at one moment.
        first = self._due(wish.message) or self.at(wish.first_beside(task))
        for device in task.body["targets"]:
            data = {"device": device}
            yield Step(at=max(0.0, first - 0.002), do="away", data=data)
            yield Step(at=self.at(refusal) + 0.001, do="back", data=data)

    def _due(self, intent: Message) -> float | None:
        """Return when a plan for later was due, if the intent is one's."""
        made = self._wishes.get(intent.cause or "")
        due = made.plan().get("due") if made else None
        if due is None:
            return None
        late = (intent.at - datetime.fromisoformat(due)).total_seconds()
        return self.at(intent) - max(0.0, late)

    def _offline(self, dropped: Message) -> Iterator[Step]:
        """Take a node away from before the hub looked for it until it is heard of."""
        found = self._task(dropped)
        node = found[1].to if found else ""
        if found is None or node in self._gone or node not in self.furnished.nodes:
            return
        task = found[1]
        self._gone.add(node)
        later = self._messages[self._messages.index(dropped) :]
        heard = next((m for m in later if m.event.node == node), dropped)
        at = max(0.0, self.at(heard) + (0.001 if heard is dropped else -0.001))
        looked = max(0.0, self.at(task) - 0.001)
        yield Step(at=looked, do="away", data={"node": node})
        yield Step(at=at, do="back", data={"node": node})

    def _task(self, message: Message) -> tuple[Wish, Message] | None:
        """Return the task that a message is about, and what it is part of."""
        found = (
            (wish, task)
            for wish in self._wishes.values()
            for task in wish.tasks
            if task.id == message.task
        )
        return next(found, None)

    def _intent(self, wish: Wish) -> Iterator[Step]:
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
        at, name = self.at(message), message.id
        planner, actions = wish.result.get("planner"), wish.actions()
        if planner == "lease":
            used = str(wish.tasks[0].body["use"]) if wish.tasks else ""
            # One from before the trace keeps its name.
            lease = self._by_lease.get(used, used)
            yield Step(at=at, do="use", name=name, data={**data, "lease": lease})
        elif wish.tasks and wish.tasks[0].body["lease_only"]:
            ttl = {"ttl": wish.grants[0].body["ttl"]} if wish.grants else {}
            data |= {**ttl, "actions": actions}
            yield Step(at=at, do="lease", name=name, data=data)
        elif planner == "proposal":
            yield Step(
                at=at, do="propose", name=name, data={**data, "actions": actions}
            )
        else:
            first = wish.tasks[0] if wish.tasks else wish.end
            think = 0.0 if first is None else self.at(first) - at
            if think > 0:
                data["think"] = round(think, 3)
            data["plan"] = wish.plan()
            yield Step(at=at, do="ask", name=name, data=data)


def _seen(message: Message) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what devices were seen to be at."""
    if message.type is MessageType.OBSERVATION and "cause" in message.body:
        yield message.body["device"], message.body["values"]
    elif message.type is MessageType.RECEIPT:
        yield from message.body["values"].items()


def _person(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"principal": body["principal"]}
