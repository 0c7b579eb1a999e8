"""The types of a policy. Reading the text is `load`, deciding is `evaluate`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time
from enum import IntEnum, StrEnum

from ..devices import Device, Principal
from ..leases import Bound
from ..operations import Operation, Parameters, Risk
from ..reasons import Reason


class RuleEffect(IntEnum):
    """What a matching rule does; of all that match, the highest counts."""

    ALLOW = 0
    """Opens. Nothing else does: without a matching `allow` all is denied."""
    LIMIT = 1
    """Only narrows the values, by its bounds."""
    CONFIRM = 2
    """A person is asked first, about what an `allow` opens."""
    DENY = 3


class Decision(IntEnum):
    """What the policy says of a request, the strictest last."""

    ALLOW = 0
    CONFIRM = 1
    DENY = 2


class Evidence(IntEnum):
    """How sure it is who asks."""

    LOW = 0
    """Nobody in particular: a microphone without a role, an unknown chat."""
    MAPPED = 1
    """The owner gave the satellite, chat or automation a role."""
    STRONG = 2
    """A signed-in user."""


class Unrecorded(StrEnum):
    """What is still granted while the librarian is away."""

    LOW_RISK = "low_risk"
    NOTHING = "nothing"


class PersonOrder(StrEnum):
    """Which of two persons' wishes counts."""

    NEWEST = "newest"
    ROLE = "role"


@dataclass(frozen=True, kw_only=True)
class Target:
    """A device that an action moves, and by what other names it may be known."""

    device: Device
    group: Device | None = None
    """The group through which it is reached, when a group was named."""
    aliases: tuple[Device, ...] = ()
    """Other devices that are the same physical thing."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One operation on one device, or on a group's members at once."""

    principal: Principal
    manager: str
    origin: str
    """The way in, one of `intents.Origin`."""
    evidence: Evidence
    operation: Operation
    parameters: Parameters
    targets: tuple[Target, ...]
    home: frozenset[str] | None = None
    """Persons at home, by name; None when it is not known."""


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What was granted before, counted by the caller."""

    devices: int = 0
    """Devices that this intent has moved already, without this action's."""
    ages: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """By the `Device.key` of what is wanted: seconds since each recent grant to this
    principal."""


@dataclass(frozen=True, kw_only=True)
class Subjects:
    """Who asks. Of each list one must fit; an empty list fits all."""

    managers: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    principals: frozenset[str] = frozenset()
    """Principals by id or name."""


@dataclass(frozen=True, kw_only=True)
class Targets:
    """What is moved. Of each list one must fit; an empty list fits all."""

    entities: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    """Devices by the id HearthNet knows them by."""
    areas: frozenset[str] = frozenset()
    floors: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    device_classes: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Operations:
    """Which operations. One of all lists must fit; if all are empty, all fit."""

    names: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    """From `light.*`."""
    risks: frozenset[Risk] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Window:
    """A time of day, from included, until excluded; over midnight if from > until."""

    start: time
    end: time | None
    """None is midnight at the end of the day."""


@dataclass(frozen=True, kw_only=True)
class Rate:
    """More than `times` grants of one device to one principal in a while."""

    times: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """When a rule counts. All that are given must hold."""

    window: Window | None = None
    weekdays: frozenset[int] = frozenset()
    """0 is Monday. A window over midnight belongs to the day it starts on."""
    somebody_home: bool | None = None
    persons_home: frozenset[str] = frozenset()
    """One of these is at home."""
    evidence_below: Evidence | None = None
    evidence_from: Evidence | None = None
    values: Mapping[str, Bound] = field(default_factory=dict)
    """Parameters that lie inside; one that is not named does not."""
    more_devices_than: int | None = None
    more_often_than: Rate | None = None


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """A part that a rule leaves out: what fits all that is given here."""

    subjects: Subjects = Subjects()
    targets: Targets = Targets()
    operations: Operations = Operations()


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule. What is not given fits everything."""

    id: str
    effect: RuleEffect
    why: str = ""
    """The owner's reason, shown to whoever meets the rule."""
    subjects: Subjects = Subjects()
    targets: Targets = Targets()
    operations: Operations = Operations()
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    conditions: Conditions = Conditions()
    exceptions: tuple[Exclusion, ...] = ()
    line: int | None = None
    """Line of the text, for evidence."""


@dataclass(frozen=True, kw_only=True)
class HoldLengths:
    """How long each source's wish holds, in minutes; 0 leaves no hold."""

    person: float = 30
    automation: float = 0
    schedule: float = 0
    agent: float = 0
    safety: float = 0
    cool_down: float = 10
    """How long schedules and agents keep off after a switch was pressed."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What the owner says of a script or an opaque scene; nothing else tells."""

    members: frozenset[str]
    """Entity ids of what it moves."""
    risk: Risk = Risk.CONFIRM


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The owner's policy. In force is its text; this is what the text says."""

    rules: tuple[Rule, ...] = ()
    name: str = ""
    unclassified_switches: Decision = Decision.CONFIRM
    """Plugs of no device class may be a lamp or a freezer."""
    answered_switches: frozenset[str] = frozenset()
    """Plugs, by entity id, about which the owner has been asked."""
    same_as: tuple[frozenset[str], ...] = ()
    """Sets of entity ids that are one physical device."""
    when_unrecorded: Unrecorded = Unrecorded.LOW_RISK
    safety_automations: frozenset[str] = frozenset()
    """Automations, by entity id, that stand above persons."""
    persons: PersonOrder = PersonOrder.NEWEST
    roles: tuple[str, ...] = ("owner", "resident", "guest", "child")
    """Roles by rank, for `persons: role`; others rank below."""
    holds: HoldLengths = HoldLengths()
    switches_as_persons: frozenset[str] = frozenset()
    """Entities whose wall switch counts as a person."""
    vision: frozenset[str] = frozenset()
    """Appliances, by entity id, in whose apps a model may choose what is meant."""
    declared: Mapping[str, Declared] = field(default_factory=dict)
    """Scripts and opaque scenes by entity id. Others do not exist."""

    def grants_unrecorded(self, risk: Risk) -> bool:
        """Tell whether an operation is still granted while nothing is recorded."""
        return risk is Risk.FREE and self.when_unrecorded is Unrecorded.LOW_RISK


@dataclass(frozen=True, kw_only=True)
class Matched:
    """A rule that counted, and why."""

    rule: str
    """Rule's id; those built in start with `hearthnet:`."""
    effect: RuleEffect
    evidence: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the policy says of a request, with its evidence."""

    decision: Decision
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    """Bounds of the operation's parameters, all rules taken together."""
    rules: tuple[Matched, ...] = ()
    reason: Reason | None = None
    """None when allowed."""
    text: str = ""
    """One sentence for a person."""
    field: str | None = None
    """The parameter that failed, if one did."""
