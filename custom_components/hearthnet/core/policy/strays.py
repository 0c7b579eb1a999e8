"""Names in a policy that nothing goes by: a rule on one protects nothing.

A thing that was renamed leaves the rule behind that names it. Pure.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .model import Policy, Rule, Targets


@dataclass(frozen=True, kw_only=True)
class Names:
    """What there is to be named."""

    entities: frozenset[str]
    """Entity ids."""
    devices: frozenset[str]
    """Ids by which HearthNet knows devices."""
    areas: frozenset[str]
    floors: frozenset[str]
    labels: frozenset[str]


@dataclass(frozen=True)
class Stray:
    """A name that nothing goes by."""

    place: str
    """Where the policy has it, for people."""
    kind: str
    """What it was to be: `entity`, `device`, `area`, `floor` or `label`."""
    name: str

    def __str__(self) -> str:
        """Write it as people read it."""
        return f"{self.place}: {self.name}"


def strays(policy: Policy, known: Names) -> tuple[Stray, ...]:
    """Return each name that nothing goes by, in the policy's order."""
    found = [stray for rule in policy.rules for stray in _of_rule(rule, known)]
    for field, entities in (
        *(("same_as", one) for one in policy.same_as),
        ("safety_automations", policy.safety_automations),
        ("switches_as_persons", policy.switches_as_persons),
        ("vision", policy.vision),
        ("scripts, scenes", policy.declared.keys()),
        *((entity, one.members) for entity, one in sorted(policy.declared.items())),
    ):
        found += _missing(field, "entity", entities, known.entities)
    return tuple(dict.fromkeys(found))


def _of_rule(rule: Rule, known: Names) -> Iterator[Stray]:
    place = rule.id if rule.line is None else f"line {rule.line}, {rule.id}"
    for targets in (rule.targets, *(part.targets for part in rule.exceptions)):
        yield from _of_targets(place, targets, known)


def _of_targets(place: str, targets: Targets, known: Names) -> Iterator[Stray]:
    for kind, names, there in (
        ("entity", targets.entities, known.entities),
        ("device", targets.devices, known.devices),
        ("area", targets.areas, known.areas),
        ("floor", targets.floors, known.floors),
        ("label", targets.labels, known.labels),
    ):
        yield from _missing(f"{place}, {kind}", kind, names, there)


def _missing(
    place: str, kind: str, names: Iterable[str], there: frozenset[str]
) -> Iterator[Stray]:
    return (Stray(place, kind, name) for name in sorted(set(names) - there))
