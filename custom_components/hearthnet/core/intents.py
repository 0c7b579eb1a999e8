"""Intents: what a person or an automation wants, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from .devices import Principal, Values
from .messages import Json
from .reasons import DONE, Outcome, Reason

DEFAULT_DEADLINE = 120.0
"""Seconds that an intent may take before what is left of it is dropped."""


class Origin(StrEnum):
    """The channel an intent came through; evidence for policy."""

    APP = "app"
    """An authenticated person on screen or keyboard."""
    VOICE = "voice"
    """A satellite: nobody has proved who spoke."""
    CHAT = "chat"
    """A messenger whose user is mapped to a person."""
    AUTOMATION = "automation"
    SCHEDULE = "schedule"
    AGENT = "agent"
    """A manager acting on its own initiative."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """An intent before it is recorded."""

    text: str
    principal: Principal
    origin: Origin
    language: str = "en"
    area: str | None = None
    """Name of the area the request came from (a satellite's)."""
    turns: tuple[tuple[str, str], ...] = ()
    """Visible turns of the dialogue before this one: (`user`|`assistant`, text)."""
    deadline: float = DEFAULT_DEADLINE
    dry_run: bool = False
    reference: str | None = None
    """What it is called where it came from, such as a chat's message."""
    sentence: bool = True
    """False: the text only says why. Said again, it would mean nothing."""

    def as_dict(self) -> dict[str, Json]:
        """Return what the record keeps of it to ask for the same again."""
        return {
            "text": self.text,
            "principal": self.principal.as_dict(),
            "origin": self.origin.value,
            "language": self.language,
            "area": self.area,
            "sentence": self.sentence,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Request":
        """Read the JSON form; KeyError, TypeError or ValueError when it is none."""
        return cls(
            text=str(data["text"]),
            principal=Principal.from_dict(data["principal"]),
            origin=Origin(data["origin"]),
            language=str(data["language"]),
            area=data["area"],
            sentence=bool(data.get("sentence", True)),
        )


class PlanKind(StrEnum):
    """What a planner took the text for."""

    COMMAND = "command"
    QUESTION = "question"
    UNCLEAR = "unclear"


@dataclass(frozen=True, kw_only=True)
class Action:
    """One step of a plan: one operation on one device or on a group's members."""

    targets: tuple[str, ...]
    """Device ids."""
    operation: str
    parameters: Mapping[str, Json] = field(default_factory=dict)
    relative: Mapping[str, float] = field(default_factory=dict)
    """Parameter to a difference, resolved by code on a fresh read."""
    ranges: Mapping[str, tuple[float | None, float | None]] = field(
        default_factory=dict
    )
    """Attribute to the range a person named (“below 60 %”); held as a range."""
    after: int | None = None
    """Index of the action that must have finished before."""
    why: str = ""

    def as_dict(self) -> dict[str, Json]:
        """Return what the record keeps of it to do the same again."""
        return {
            "targets": list(self.targets),
            "operation": self.operation,
            "parameters": dict(self.parameters),
            "relative": dict(self.relative),
            "after": self.after,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Action":
        """Read the JSON form; KeyError, TypeError or ValueError when it is none."""
        return cls(
            targets=tuple(map(str, data["targets"])),
            operation=str(data["operation"]),
            parameters=dict(data["parameters"]),
            relative=dict(data["relative"]),
            after=data["after"],
        )


@dataclass(frozen=True, kw_only=True)
class Consultation:
    """What asking a model for a plan took, failed calls included."""

    model: str
    prompt: str = ""
    """SHA-256 of the prompt's bytes: request and view give the same ones back."""
    calls: int = 0
    input_tokens: int = 0
    """Without those that the provider's cache served."""
    cached_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    claims: int = 0
    """Texts that were held back because they told an outcome or a state."""

    @property
    def tokens(self) -> int:
        """All tokens, in and out, cached ones too."""
        return self.input_tokens + self.cached_tokens + self.output_tokens

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form that the record keeps."""
        return {
            "model": self.model,
            "prompt": self.prompt,
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "cached_tokens": self.cached_tokens,
            "output_tokens": self.output_tokens,
            "seconds": round(self.seconds, 3),
            "claims": self.claims,
        }


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A plan that waits for its time, as it is told."""

    id: str
    """The id of the intent that made it."""
    text: str
    due: datetime


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a planner makes of a request. It grants nothing."""

    kind: PlanKind
    actions: tuple[Action, ...] = ()
    asked: tuple[str, ...] = ()
    """Device ids that a question is about."""
    why: bool = False
    """True when the question is why they are as they are."""
    say: str | None = None
    """What to ask back or to answer; never a claim about an action."""
    reason: Reason | None = None
    """Why nothing can be done, for `UNCLEAR`."""
    near: tuple[str, ...] = ()
    """Names that are close to an unknown one, or the candidates of an ambiguous one."""
    standing: bool = False
    """True when the intent stands (a routine such as “working from home”)."""
    until: datetime | None = None
    """When a standing intent ends; None: midnight."""
    source: str = "sentences"
    """Which planner made it: `playbook:<id>`, `sentences`, a model's name."""
    dropped: tuple["Step", ...] = ()
    """What was planned and may not be tried: to be told with what was."""
    due: datetime | None = None
    """When to act; None: now."""
    by_clock: bool = False
    """True when `due` or `until` was said as a clock shows it."""
    reverts: bool = False
    """True when at `until` the devices go back to how they were."""
    as_of: datetime | None = None
    """The moment whose state the actions put back."""
    waiting: tuple[Waiting, ...] = ()
    """What a question about plans for later is answered with."""
    cancels: tuple[Waiting, ...] = ()
    """Plans for later that are taken off the record."""
    consultation: Consultation | None = None
    """What a model took, if one was asked."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a verdict rests on, by name, so that it can be looked up."""

    text: str
    """One sentence for a person."""
    code: Reason | None = None
    event: str | None = None
    commit: str | None = None
    lease: str | None = None
    intent: str | None = None
    rule: str | None = None
    path: str | None = None

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form; absent fields are left out."""
        names = ("code", "event", "commit", "lease", "intent", "rule", "path")
        data: dict[str, Json] = {"text": self.text}
        data.update((n, v) for n in names if (v := getattr(self, n)) is not None)
        return data


@dataclass(frozen=True, kw_only=True)
class Step:
    """What became of one action on one device."""

    device: str
    entity_id: str
    name: str
    operation: str
    parameters: Mapping[str, Json]
    outcome: Outcome
    reason: Reason | None = None
    evidence: tuple[Evidence, ...] = ()
    values: Values = field(default_factory=dict)
    """Values seen by the read-back."""
    since: datetime | None = None
    """Since when an unreachable device has been so."""
    lease: str | None = None
    event: str | None = None
    """Id of the receipt, refusal, denial or confirmation request."""

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form that actions answer with."""
        return {
            "device": self.device,
            "entity_id": self.entity_id,
            "name": self.name,
            "operation": self.operation,
            "parameters": dict(self.parameters),
            "outcome": self.outcome.value,
            "reason": self.reason.value if self.reason else None,
            "evidence": [item.as_dict() for item in self.evidence],
            "values": dict(self.values),
            "lease": self.lease,
            "event": self.event,
        }


@dataclass(frozen=True, kw_only=True)
class Because:
    """Why a device is as it is, as far as the one who asks may know."""

    at: datetime
    who: str = ""
    """The person's or the automation's name; empty: not known, or not to be told."""
    text: str = ""
    """What the person had said; empty as `who`."""
    cause: str = ""
    """How it was changed past HearthNet, a `Cause`; empty: it was asked for."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer to a question about state: read live, with its age."""

    device: str
    entity_id: str
    name: str
    available: bool
    values: Values
    since: datetime | None
    seen: Mapping[str, datetime] | None = None
    """As of a `Reading`: when each value was read, if not for this answer."""
    because: Because | None = None
    """Where the question was why: None if that is not on record."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of an intent. Sentences about it are made by `render`."""

    intent: str
    """Id of the intent message."""
    kind: PlanKind
    language: str
    steps: tuple[Step, ...] = ()
    answers: tuple[Answer, ...] = ()
    say: str | None = None
    reason: Reason | None = None
    near: tuple[str, ...] = ()
    why: bool = False
    """The question was why it is so."""
    dry_run: bool = False
    due: datetime | None = None
    """When it will be done; None: it was done, or not, just now."""
    until: datetime | None = None
    """When what was done goes back to how it was."""
    as_of: datetime | None = None
    """The moment whose state was to be put back."""
    waiting: tuple[Waiting, ...] = ()
    """The plans for later that were asked about."""
    canceled: tuple[Waiting, ...] = ()
    """The plans for later that were taken off the record."""

    @property
    def complete(self) -> bool:
        """True when every step was read back as done."""
        return bool(self.steps) and all(step.outcome in DONE for step in self.steps)
