"""From the values of one rule to the rule, noting every mistake on the way."""

from collections.abc import Mapping
import re

from ..operations import Operation, Risk
from .match import covers
from .model import Exclusion, Operations, Rule, RuleEffect, Subjects, Targets
from .parse_bounds import bounds
from .parse_conditions import CAPS, conditions
from .spots import Reader, Spot, join

ROLES = frozenset(
    {"owner", "resident", "guest", "child", "automation", "agent", "unknown"}
)
ORIGINS = frozenset({"app", "voice", "chat", "automation", "schedule", "agent"})
EFFECTS = tuple(effect.name.lower() for effect in RuleEffect)
_RULE = (
    *("id", "effect", "why", "subjects", "targets", "operations", "bounds"),
    *("conditions", "except"),
)
_SUBJECTS = {
    "manager": "managers",
    "role": "roles",
    "origin": "origins",
    "principal": "principals",
}
_TARGETS = {
    "entity": "entities",
    "device": "devices",
    "area": "areas",
    "floor": "floors",
    "label": "labels",
    "domain": "domains",
    "device_class": "device_classes",
}
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


class RuleReader:
    """Reads rules; the mistakes go to the reader."""

    def __init__(
        self,
        reader: Reader,
        operations: Mapping[str, Operation] | None,
        roles: frozenset[str],
    ) -> None:
        """Take the operations, if they are to be checked, and roles to be named."""
        self._reader = reader
        self._operations = operations
        self._roles = roles

    def rule(self, spot: Spot, field: str) -> Rule | None:
        """Return a rule, or None when it has no id or effect to go by."""
        reader = self._reader
        parts = reader.fields(spot, field, _RULE)
        for name in ("id", "effect"):
            if name not in parts:
                reader.note(spot, join(field, name), "missing")
        if "id" not in parts or "effect" not in parts:
            return None
        id_ = reader.text(parts["id"], join(field, "id"))
        if id_ and not _ID.fullmatch(id_):
            text = "use small letters, digits, - and _, such as quiet-hours"
            reader.note(parts["id"], join(field, "id"), text)
        effect = reader.choice(parts["effect"], join(field, "effect"), EFFECTS)
        if effect is None:
            return None
        operations = self._operations_of(parts.get("operations"), field)
        rows = self._rows(operations)
        rule = Rule(
            id=id_,
            effect=RuleEffect[effect.upper()],
            why=reader.text(parts["why"], join(field, "why")) if "why" in parts else "",
            subjects=self._subjects(parts.get("subjects"), field),
            targets=self._targets(parts.get("targets"), field),
            operations=operations,
            bounds=bounds(reader, parts.get("bounds"), join(field, "bounds"), rows),
            conditions=conditions(reader, parts.get("conditions"), field, rows),
            exceptions=self._exceptions(parts.get("except"), field),
            line=spot.line,
        )
        self._check(rule, spot, parts, field)
        return rule

    def _check(
        self, rule: Rule, spot: Spot, parts: Mapping[str, Spot], field: str
    ) -> None:
        """Note what does not go together."""
        note = self._reader.note
        if rule.effect is RuleEffect.DENY and "bounds" in parts:
            text = "deny has none; use effect: limit, or conditions.values"
            note(parts["bounds"], join(field, "bounds"), text)
        if rule.effect is RuleEffect.LIMIT and "bounds" not in parts:
            note(spot, join(field, "bounds"), "missing; limit needs the values")
        caps = [getattr(rule.conditions, name) for name in CAPS]
        if rule.effect < RuleEffect.CONFIRM and any(cap is not None for cap in caps):
            text = f"{' and '.join(CAPS)} belong to confirm or deny"
            note(parts["conditions"], join(field, "conditions"), text)

    def _lists(
        self, spot: Spot, field: str, names: Mapping[str, str]
    ) -> dict[str, frozenset[str]]:
        """Return lists of texts under the model's names."""
        known: dict[str, frozenset[str]] = {
            "role": self._roles,
            "origin": ORIGINS,
        }
        if self._operations is not None:
            known["domain"] = self._domains(self._operations)
        lists: dict[str, frozenset[str]] = {}
        for name, item in self._reader.fields(spot, field, tuple(names)).items():
            inner = join(field, name)
            if name == "entity":
                lists[names[name]] = self._reader.entities(item, inner)
            else:
                texts = self._reader.texts(item, inner, known.get(name))
                lists[names[name]] = frozenset(texts)
        return lists

    def _subjects(self, spot: Spot | None, field: str) -> Subjects:
        if spot is None:
            return Subjects()
        return Subjects(**self._lists(spot, join(field, "subjects"), _SUBJECTS))

    def _targets(self, spot: Spot | None, field: str) -> Targets:
        if spot is None:
            return Targets()
        return Targets(**self._lists(spot, join(field, "targets"), _TARGETS))

    def _operations_of(self, spot: Spot | None, field: str) -> Operations:
        if spot is None:
            return Operations()
        known: set[str] | None = None
        if (there := self._operations) is not None:
            whole = (f"{domain}.*" for domain in self._domains(there))
            known = {*there, *whole, *Risk}
        texts = set(self._reader.texts(spot, join(field, "operations"), known))
        risks = texts & set(Risk)
        domains = {text for text in texts if text.endswith(".*")}
        return Operations(
            names=frozenset(texts - risks - domains),
            domains=frozenset(text[:-2] for text in domains),
            risks=frozenset(map(Risk, risks)),
        )

    def _rows(self, operations: Operations) -> list[Operation] | None:
        """Return the operations that a rule is about, if they are to be checked."""
        if self._operations is None:
            return None
        return [row for row in self._operations.values() if covers(operations, row)]

    @staticmethod
    def _domains(operations: Mapping[str, Operation]) -> frozenset[str]:
        return frozenset(row.domain for row in operations.values())

    def _exceptions(self, spot: Spot | None, field: str) -> tuple[Exclusion, ...]:
        if spot is None:
            return ()
        items = spot.value if isinstance(spot.value, list) else [spot]
        return tuple(self._exclusion(item, join(field, "except")) for item in items)

    def _exclusion(self, spot: Spot, field: str) -> Exclusion:
        names = ("subjects", "targets", "operations")
        parts = self._reader.fields(spot, field, names)
        if not parts:
            text = "names nothing, so it would leave out all"
            self._reader.note(spot, field, text)
        return Exclusion(
            subjects=self._subjects(parts.get("subjects"), field),
            targets=self._targets(parts.get("targets"), field),
            operations=self._operations_of(parts.get("operations"), field),
        )
