"""From the values of a text to a policy, noting every mistake on the way."""

from collections.abc import Mapping, Sequence

from ..operations import Operation, Risk
from .model import (
    Decision,
    Declared,
    HoldLengths,
    PersonOrder,
    Policy,
    Rule,
    Unrecorded,
)
from .parse_rule import ROLES, RuleReader
from .spots import PolicyError, Reader, Spot, join

VERSION = 1
_FIELDS = (
    *("version", "name", "rules", "unclassified_switches", "answered_switches"),
    *("same_as", "when_unrecorded", "safety_automations", "persons", "roles"),
    *("holds", "switches_as_persons", "vision", "scripts", "scenes"),
)
_DECISIONS = ("confirm", "allow", "deny")
_HOLDS = ("person", "automation", "schedule", "agent", "safety", "cool_down")
_WEEK = 7 * 24 * 60
"""Longest hold in minutes."""


def parse(spot: Spot, operations: Mapping[str, Operation] | None) -> Policy:
    """Return the policy that a text's values describe.

    Without `operations` it is not checked whether there is what rules name.

    Raises:
        PolicyError: with every mistake found.
    """
    reader = Reader()
    fields = reader.fields(spot, "", _FIELDS)
    if "version" not in fields:
        reader.note(spot, "version", f"missing; write version: {VERSION}")
    elif fields["version"].value != VERSION:
        reader.note(fields["version"], "version", f"this HearthNet reads {VERSION}")
    roles = tuple(reader.texts(fields["roles"], "roles")) if "roles" in fields else None
    rules = _rules(reader, fields, operations, frozenset(roles or ()) | ROLES)
    switches = _option(reader, fields, "unclassified_switches", _DECISIONS)
    policy = Policy(
        name=reader.text(fields["name"], "name") if "name" in fields else "",
        rules=rules,
        unclassified_switches=Decision[switches.upper()],
        answered_switches=_entities(reader, fields, "answered_switches"),
        same_as=_same_as(reader, fields.get("same_as")),
        when_unrecorded=Unrecorded(
            _option(reader, fields, "when_unrecorded", list(Unrecorded))
        ),
        safety_automations=_entities(reader, fields, "safety_automations"),
        persons=PersonOrder(_option(reader, fields, "persons", list(PersonOrder))),
        roles=Policy.roles if roles is None else roles,
        holds=_holds(reader, fields.get("holds")),
        switches_as_persons=_entities(reader, fields, "switches_as_persons"),
        vision=_entities(reader, fields, "vision"),
        declared=_declared(reader, fields, "script")
        | _declared(reader, fields, "scene"),
    )
    if reader.mistakes:
        raise PolicyError(reader.mistakes)
    return policy


def _option(
    reader: Reader, fields: Mapping[str, Spot], name: str, known: Sequence[str]
) -> str:
    """Return one of a few texts; the first when the text does not say."""
    if (spot := fields.get(name)) is None:
        return known[0]
    return reader.choice(spot, name, known) or known[0]


def _rules(
    reader: Reader,
    fields: Mapping[str, Spot],
    operations: Mapping[str, Operation] | None,
    roles: frozenset[str],
) -> tuple[Rule, ...]:
    if "rules" not in fields:
        return ()
    rules: list[Rule] = []
    lines: dict[str, int] = {}
    rule_reader = RuleReader(reader, operations, roles)
    for number, spot in enumerate(reader.items(fields["rules"], "rules")):
        field = f"rules[{number}]"
        if (rule := rule_reader.rule(spot, field)) is None:
            continue
        if rule.id in lines:
            text = f"{rule.id} is in line {lines[rule.id]} already; take another"
            reader.note(spot, join(field, "id"), text)
        lines[rule.id] = spot.line
        rules.append(rule)
    return tuple(rules)


def _entities(reader: Reader, fields: Mapping[str, Spot], name: str) -> frozenset[str]:
    spot = fields.get(name)
    # An empty list is the place to fill in; in a rule it would fit everything.
    if spot is None or spot.value == []:
        return frozenset()
    return reader.entities(spot, name)


def _same_as(reader: Reader, spot: Spot | None) -> tuple[frozenset[str], ...]:
    if spot is None:
        return ()
    sets: list[frozenset[str]] = []
    for number, item in enumerate(reader.items(spot, "same_as")):
        field = f"same_as[{number}]"
        found = reader.entities(item, field)
        if len(found) < 2:
            reader.note(item, field, "name at least two entities of one thing")
        if any(found & other for other in sets):
            reader.note(item, field, "an entity is in two sets; join the sets")
        sets.append(found)
    return tuple(sets)


def _declared(
    reader: Reader, fields: Mapping[str, Spot], domain: str
) -> dict[str, Declared]:
    """Read what scripts, or scenes, move and what can go wrong."""
    section = f"{domain}s"
    if (spot := fields.get(section)) is None or spot.value == []:
        return {}
    found: dict[str, Declared] = {}
    for number, item in enumerate(reader.items(spot, section)):
        place = f"{section}[{number}]"
        parts = reader.fields(item, place, ("entity", "members", "risk"))
        for name in ("entity", "members"):
            if name not in parts:
                reader.note(item, join(place, name), "missing")
        if not {"entity", "members"} <= parts.keys():
            continue
        entity = reader.text(parts["entity"], join(place, "entity"))
        if not entity.startswith(f"{domain}."):
            text = f"expected a {domain}, such as {domain}.good_night"
            reader.note(parts["entity"], join(place, "entity"), text)
        if entity in found:
            reader.note(item, join(place, "entity"), f"{entity} is declared twice")
        risk = Risk.CONFIRM.value
        if (said := parts.get("risk")) is not None:
            known = [one.value for one in Risk]
            risk = reader.choice(said, join(place, "risk"), known) or risk
        found[entity] = Declared(
            members=reader.entities(parts["members"], join(place, "members")),
            risk=Risk(risk),
        )
    return found


def _holds(reader: Reader, spot: Spot | None) -> HoldLengths:
    if spot is None:
        return HoldLengths()
    lengths: dict[str, float] = {}
    names = {f"{name}_minutes": name for name in _HOLDS}
    for name, item in reader.fields(spot, "holds", tuple(names)).items():
        if (minutes := reader.number(item, join("holds", name), 0, _WEEK)) is not None:
            lengths[names[name]] = minutes
    return HoldLengths(**lengths)
