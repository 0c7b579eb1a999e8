"""What a verdict of the policy rested on besides record and request. Pure.

Every answer to a proposal carries it, so that whoever has the record, and nothing
else, can ask the policy of that moment again, or another policy.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from .devices import Device
from .domains import OPERATIONS
from .messages import Json, MalformedError
from .operations import Operation, Parameter, Risk
from .policy.model import Policy, Target

_TEXTS = ("device_class", "area", "floor", "physical")


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The devices of an action as they were known, the time, and who was at home."""

    operation: Operation
    targets: tuple[Target, ...]
    now: datetime | None
    """The home's local time; None while the clock was not trusted."""
    home: frozenset[str] | None
    """Persons at home; None when it was not known, or no rule asks for it."""

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form that answers carry."""
        group = self.targets[0].group
        data: dict[str, Json] = {
            "now": None if self.now is None else self.now.isoformat("T", "seconds"),
            "risk": self.operation.risk.value,
            "targets": [
                {
                    **_device(target.device, self.operation),
                    **(
                        {
                            "aliases": [
                                _device(a, self.operation) for a in target.aliases
                            ]
                        }
                        if target.aliases
                        else {}
                    ),
                }
                for target in self.targets
            ],
        }
        if group is not None:
            data["group"] = _device(group, self.operation)
        if self.home is not None:
            data["home"] = list[Json](sorted(self.home))
        return data

    @classmethod
    def from_dict(
        cls, operation: str, parameters: Iterable[str], data: Mapping[str, Any]
    ) -> Self:
        """Read the JSON form; MalformedError when it has another shape.

        `parameters` are those that were given: a phone's operations are in no table.
        """
        try:
            row = OPERATIONS.get(operation) or Operation(
                name=operation,
                effects=lambda _parameters, _values: (),
                parameters=dict.fromkeys(parameters, Parameter(text=True)),
            )
            row = replace(row, risk=Risk(data["risk"]))
            group = data.get("group")
            home, now = data.get("home"), data["now"]
            return cls(
                operation=row,
                targets=tuple(
                    Target(
                        device=_read(item, row),
                        group=None if group is None else _read(group, row),
                        aliases=tuple(_read(a, row) for a in item.get("aliases", ())),
                    )
                    for item in data["targets"]
                ),
                now=None if now is None else datetime.fromisoformat(now),
                home=None if home is None else frozenset(map(str, home)),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MalformedError(f"facts: {error!r}") from None


def asks_who_is_home(policy: Policy) -> bool:
    """Tell whether a policy has a rule about presence; else nobody's is recorded."""
    return any(
        rule.conditions.somebody_home is not None or rule.conditions.persons_home
        for rule in policy.rules
    )


def _device(device: Device, operation: Operation) -> dict[str, Json]:
    data: dict[str, Json] = {
        "id": device.id,
        "entity_id": device.entity_id,
        "name": device.name,
    }
    data.update((n, v) for n in _TEXTS if (v := getattr(device, n)) is not None)
    if device.labels:
        data["labels"] = list[Json](sorted(device.labels))
    if lacks := [name for name in operation.parameters if not device.supports(name)]:
        data["lacks"] = list[Json](lacks)
    return data


def _read(data: Mapping[str, Any], operation: Operation) -> Device:
    lacks = data.get("lacks")
    known = {operation.name, *operation.parameters}
    return Device(
        id=data["id"],
        entity_id=data["entity_id"],
        name=data["name"],
        domain=data["entity_id"].partition(".")[0],
        labels=frozenset(data.get("labels", ())),
        features=None if lacks is None else frozenset(known - set(lacks)),
        device_class=data.get("device_class"),
        area=data.get("area"),
        floor=data.get("floor"),
        physical=data.get("physical"),
    )
