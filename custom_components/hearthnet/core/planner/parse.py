"""A model's answer, checked by code: nothing passes because it sounds right.

What is wrong is a `Fault`. The model gets the faults once, to repair them; what is
still wrong then is left out and named.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..devices import Device
from ..domains import OPERATIONS
from ..intents import Action, PlanKind
from ..operations import Operation
from ..reasons import Reason
from .arguments import read_arguments, unsupported
from .candidates import Candidates
from .clean import clean
from .faults import Fault, Place, short, word
from .schema import MOST_ACTIONS
from .words.claims import claims_something

SAY, WHY = 600, 100
"""How many characters are taken of each."""


@dataclass(frozen=True, kw_only=True)
class Proposed:
    """An action that passed, with what it was made from."""

    action: Action
    """Its `after` is a place among the proposed."""
    operation: Operation
    device: Device


@dataclass(frozen=True, kw_only=True)
class Rejected:
    """An action that did not pass. Its words come from the model, hence few."""

    device: Device | None
    target: str
    """The short name that the model gave, where it is none."""
    operation: str
    fault: Fault


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """An answer, as far as it holds."""

    kind: PlanKind
    say: str
    asked: tuple[Device, ...]
    proposed: tuple[Proposed, ...]
    rejected: tuple[Rejected, ...]
    faults: tuple[Fault, ...]
    usable: bool
    """False when it is no answer at all: no kind, or no list of actions."""


def parse(
    data: object,
    candidates: Candidates,
    operations: Mapping[str, Operation] = OPERATIONS,
) -> Parsed:
    """Check an answer against what exists; never raises, whatever `data` is."""
    faults: list[Fault] = []
    raw = data if isinstance(data, Mapping) else {}
    if not raw:
        whole = "an object, as the schema says"
        faults.append(Fault(field="", value=short(data), allowed=whole))
    kind = _kind(raw, faults)
    actions = _Actions(candidates, operations)
    if kind is PlanKind.COMMAND:
        faults += actions.read(raw.get("actions"))
    usable = not faults
    asked = _asked(raw.get("asked") or [], candidates, faults)
    say = raw.get("say")
    return Parsed(
        kind=kind,
        say=clean(say, SAY) if isinstance(say, str) else "",
        asked=asked,
        proposed=tuple(actions.proposed),
        rejected=tuple(actions.rejected),
        faults=(*faults, *(item.fault for item in actions.rejected)),
        usable=usable,
    )


def _kind(raw: Mapping[str, object], faults: list[Fault]) -> PlanKind:
    value = raw.get("kind")
    for kind in PlanKind:
        if value == kind.value:
            return kind
    allowed = ", ".join(kind.value for kind in PlanKind)
    faults.append(Fault(field="kind", value=short(value), allowed=allowed))
    return PlanKind.UNCLEAR


def _asked(
    value: object, candidates: Candidates, faults: list[Fault]
) -> tuple[Device, ...]:
    if not isinstance(value, list):
        allowed = "a list of short names"
        faults.append(Fault(field="asked", value=short(value), allowed=allowed))
        return ()
    found: dict[str, Device] = {}
    for position, alias in enumerate(value):
        if (device := _device(alias, candidates)) is not None:
            found[device.id] = device
            continue
        fault = Fault(
            field=f"asked[{position}]",
            value=short(alias),
            allowed="a short name of the catalogue or the candidates",
            reason=Reason.UNKNOWN_TARGET,
        )
        faults.append(fault)
    return tuple(found.values())


def _device(alias: object, candidates: Candidates) -> Device | None:
    return candidates.aliases.get(alias) if isinstance(alias, str) else None


@dataclass
class _Actions:
    """Reads the list of actions, one after the other."""

    candidates: Candidates
    operations: Mapping[str, Operation]
    proposed: list[Proposed] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    _places: dict[int, int | None] = field(default_factory=dict)
    """By the model's `n`: place among the proposed, None when it was rejected."""

    def read(self, value: object) -> list[Fault]:
        """Take the list; return what is wrong with it as a whole."""
        if not isinstance(value, list):
            allowed = "a list of actions"
            return [Fault(field="actions", value=short(value), allowed=allowed)]
        for position, item in enumerate(value):
            raw = item if isinstance(item, Mapping) else {}
            number = _whole(raw.get("n")) or position + 1
            self._places[number] = self._take(position, raw)
        return []

    def _take(self, position: int, raw: Mapping[str, object]) -> int | None:
        """Take one action; return its place among the proposed, if it is one."""
        device = _device(raw.get("device"), self.candidates)
        name = raw.get("op")
        operation = self.operations.get(name) if isinstance(name, str) else None
        action = self._action(Place(position), raw, device, operation)
        if isinstance(action, Fault) or device is None or operation is None:
            assert isinstance(action, Fault)
            rejected = Rejected(
                device=device,
                target=word(raw.get("device")),
                operation=operation.name if operation else word(name),
                fault=action,
            )
            self.rejected.append(rejected)
            return None
        self.proposed.append(
            Proposed(action=action, operation=operation, device=device)
        )
        return len(self.proposed) - 1

    def _action(
        self,
        place: Place,
        raw: Mapping[str, object],
        device: Device | None,
        operation: Operation | None,
    ) -> Action | Fault:
        """Return an action, or the first thing that is wrong with it."""
        if place.position >= MOST_ACTIONS:
            return place.fault("", None, f"at most {MOST_ACTIONS} actions")
        if device is None:
            allowed = "a short name of the catalogue or the candidates"
            value = raw.get("device")
            return place.fault(".device", value, allowed, Reason.UNKNOWN_TARGET)
        if operation is None or operation.domain != device.domain:
            rows = self.operations.values()
            allowed = ", ".join(r.name for r in rows if r.domain == device.domain)
            reason = Reason.UNKNOWN_OPERATION
            return place.fault(".op", raw.get("op"), allowed, reason)
        if fault := unsupported(place, device, operation.name, ".op"):
            return fault
        arguments = read_arguments(place, raw, device, operation)
        if isinstance(arguments, Fault):
            return arguments
        after = None
        if raw.get("after"):
            after = self._places.get(_whole(raw["after"]))
            if after is None:
                allowed = "0, or the n of an action before this one that is possible"
                return place.fault(".after", raw["after"], allowed)
        return Action(
            targets=(device.id,),
            operation=operation.name,
            parameters=arguments.parameters,
            relative=arguments.relative,
            after=after,
            why=_reason(raw.get("why")),
        )


def _whole(value: object) -> int:
    """Return a whole number, 0 for what is none; some models write `1.0`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else 0


def _reason(why: object) -> str:
    """Return the model's reason for an action; it is recorded, so it claims nothing."""
    text = clean(why, WHY) if isinstance(why, str) else ""
    return "" if claims_something(text) else text
