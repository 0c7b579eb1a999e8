"""The paper's three scenes, counted in what a trace of them led to."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

from hearthnet.audit.history import audit
from hearthnet.core.messages import Message, MessageType
from hearthnet.core.paths import HUB
from hearthnet.core.reasons import DONE, Outcome, Reason

from .play import play
from .trace import SHIPPED, Step, Trace
from .wires import key_of
from .written import write

_DEAD = frozenset({Reason.NOT_ASKED, Reason.FENCED, Reason.REVOKED, Reason.EXPIRED})


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one run of the scenes came to."""

    tasks: int
    completed: int
    latency: float
    """Seconds from the sentence to the last receipt, scene 1."""
    conflicts: int
    detected: int
    resolved: int
    replays: int
    stale: int
    dead: int
    false_rejections: int
    events: int
    persisted: int
    sound: bool
    """Git and the audit found nothing wrong."""
    work: float
    """Seconds of this machine that playing took."""

    @property
    def good(self) -> bool:
        """Whether everything is as the scenes ask for."""
        return (
            self.tasks == self.completed
            and self.conflicts == self.detected == self.resolved
            and self.replays == self.stale == self.dead
            and not self.false_rejections
            and self.events == self.persisted
            and self.sound
        )


def play_scenes(
    runs: int, seed: int, model: tuple[float, float], *, over_broker: bool = False
) -> Iterator[Run]:
    """Play the scenes so often, the model's time drawn anew each time.

    `over_broker` see `play`; without it, what came of it is recorded afterwards.
    """
    random = Random(seed)  # noqa: S311
    trace = Trace.load(SHIPPED / "scenes.json")
    for _ in range(runs):
        yield _run(_thinking(trace, random.uniform(*model)), over_broker)


def _thinking(trace: Trace, seconds: float) -> Trace:
    """Let the plan of scene 1 take so long, and all that follows come later."""
    asked = _scene_1(trace)
    later = seconds - asked.data.get("think", 0.0)
    return replace(
        trace,
        steps=tuple(
            replace(step, data={**step.data, "think": seconds})
            if step is asked
            else replace(step, at=step.at + later)
            if step.at > asked.at
            else step
            for step in trace.steps
        ),
    )


def _scene_1(trace: Trace) -> Step:
    """Return the request that led to the most actions."""

    def size(step: Step) -> int:
        return len((step.data.get("plan") or {}).get("actions", ()))

    return max(trace.steps, key=size)


def _run(trace: Trace, over_broker: bool) -> Run:
    start = perf_counter()
    played = play(trace, over_broker=over_broker)
    work = perf_counter() - start
    persisted, sound = played.persisted, not played.broken
    if persisted is None:
        with TemporaryDirectory(prefix="hearthnet-table1-") as folder:
            write(played.records, Path(folder) / "record")
            found = audit(Path(folder) / "record", {HUB: key_of(HUB).public})
        persisted, sound = found.ledger.events, sound and found.sound
    messages = [record.message for record in played.records]
    intents = {m.id: m for m in messages if m.type is MessageType.INTENT}
    chains = {
        name: [m for m in messages if name in (m.intent, m.id)] for name in intents
    }
    words = _scene_1(trace).data["text"]
    first = next(c for n, c in chains.items() if intents[n].body["text"] == words)
    routine = next(
        c for n, c in chains.items() if intents[n].body["origin"] == "schedule"
    )
    replays = [c for c in chains.values() if any(m.body.get("use") for m in c)]
    others = [c for c in chains.values() if c is not routine and c not in replays]
    kept = set(_moved(first)) & set(_wanted(routine))
    refused = [_answer(messages, str(task.body["use"])) for task in _uses(replays)]
    return Run(
        tasks=len(_wanted(first)),
        completed=len(_done(first)),
        latency=played.seconds[_scene_1(trace).name],
        conflicts=len(kept),
        detected=sum(
            m.body["reason"] == Reason.CONFLICT and m.body["device"] in kept
            for m in _of(routine, MessageType.DENIAL)
        ),
        resolved=len(kept - set(_moved(routine))),
        replays=len(replays),
        stale=sum(Reason.STALE_STATE in codes for codes in refused),
        dead=sum(bool(codes & _DEAD) for codes in refused),
        false_rejections=len(set(_wanted(routine)) - kept - set(_done(routine)))
        + sum(m.type is MessageType.DENIAL for c in others for m in c),
        events=len(played.records),
        persisted=persisted,
        sound=sound,
        work=work,
    )


def _uses(replays: list[list[Message]]) -> list[Message]:
    return [m for chain in replays for m in _of(chain, MessageType.TASK)]


def _answer(messages: list[Message], lease: str) -> set[str]:
    """Return the codes of the gate's last word on a lease."""
    said = [m for m in _of(messages, MessageType.REFUSAL) if m.lease == lease]
    return {item["code"] for item in said[-1].body["evidence"]} if said else set()


def _of(chain: list[Message], type_: MessageType) -> list[Message]:
    return [message for message in chain if message.type is type_]


def _wanted(chain: list[Message]) -> list[str]:
    return [message.body["device"] for message in _of(chain, MessageType.TASK)]


def _moved(chain: list[Message]) -> list[str]:
    acts = [message for message in chain if message.type is MessageType.EXECUTE]
    return [target for act in acts for target in act.body["target"]]


def _done(chain: list[Message]) -> list[str]:
    return [
        device
        for message in _of(chain, MessageType.RECEIPT)
        for device, outcome in message.body["members"].items()
        if Outcome(outcome) in DONE
    ]
