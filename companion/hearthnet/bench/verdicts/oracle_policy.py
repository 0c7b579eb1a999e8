"""What a policy says, read from its plain data: the oracle's own reading.

Knows only what the generator writes into policies. Imports nothing of HearthNet.
"""

from collections.abc import Mapping, Sequence
from typing import Any

type Rule = Mapping[str, Any]

FREE = frozenset({"light.turn_off", "switch.turn_off", "lock.lock"})
"""Operations in the safe direction; a device that nobody vouches for may do these."""
PICKED = {"light.turn_on": "brightness_pct"}
"""What a lamp picks itself if it is not told."""
STRENGTH = {"allow": 0, "limit": 1, "confirm": 2, "deny": 3}


class Asked:
    """One request, with all that a rule can look at."""

    def __init__(
        self,
        *,
        who: Mapping[str, str],
        origin: str,
        operation: str,
        parameters: Mapping[str, Any],
        targets: Sequence[Sequence[str]],
        minute: int,
        recent: Mapping[str, Sequence[float]],
    ) -> None:
        """Take who asks for what.

        `targets` are ids, each with all its other names; `minute` is of the day;
        `recent` are by a target's first name the seconds since each grant of it.
        """
        self.who = who
        self.origin = origin
        self.operation = operation
        self.parameters = parameters
        self.targets = targets
        self.minute = minute
        self.recent = recent


def decide(policy: Mapping[str, Any], asked: Asked) -> str:
    """Return `allow`, `confirm` or `deny`: the strictest word of all that count."""
    found = {"limit"}
    for names in asked.targets:
        here = [rule for rule in policy["rules"] if counts(rule, asked, names)]
        if not any(rule["effect"] == "allow" for rule in here):
            return "deny"
        if any(broken(rule, asked) for rule in here):
            return "deny"
        found |= {rule["effect"] for rule in here}
    unknown = asked.origin == "agent" or asked.who["role"] == "unknown"
    if unknown and asked.operation not in FREE:
        return "deny"
    word = max(found, key=lambda effect: STRENGTH[effect])
    return "allow" if word == "limit" else word


def counts(rule: Rule, asked: Asked, names: Sequence[str]) -> bool:
    """Tell whether a rule is about this request and this target."""
    subjects, targets = rule.get("subjects", {}), rule.get("targets", {})
    when = rule.get("conditions", {})
    wanted = rule.get("operations")
    return (
        _among(asked.who["role"], subjects.get("role"))
        and _among(asked.who["id"], subjects.get("principal"))
        and (
            wanted is None
            or asked.operation in wanted
            or ("free" in wanted and asked.operation in FREE)
        )
        and ("device" not in targets or bool(set(targets["device"]) & set(names)))
        and ("time" not in when or _within(when["time"], asked.minute))
        and all(_above(n, v, asked) for n, v in when.get("values", {}).items())
        and _often(when, asked, names[0])
    )


def broken(rule: Rule, asked: Asked) -> bool:
    """Tell whether a request is outside a rule's bounds."""
    for name, bound in rule.get("bounds", {}).items():
        if name in asked.parameters:
            if asked.parameters[name] > bound["max"]:
                return True
        elif PICKED.get(asked.operation) == name:
            return True
    return False


def _among(value: str, listed: Sequence[str] | None) -> bool:
    return listed is None or value in listed


def _within(window: str, minute: int) -> bool:
    start, end = (int(t[:2]) * 60 + int(t[3:]) for t in window.split("-"))
    if start <= end:
        return start <= minute < end
    return minute >= start or minute < end


def _above(name: str, bound: Mapping[str, float], asked: Asked) -> bool:
    return name in asked.parameters and bool(asked.parameters[name] > bound["above"])


def _often(when: Mapping[str, Any], asked: Asked, name: str) -> bool:
    if "more_devices_than" in when and len(asked.targets) <= when["more_devices_than"]:
        return False
    if (rate := when.get("more_often_than")) is None:
        return True
    ages = asked.recent.get(name, ())
    count = sum(age < rate["seconds"] for age in ages)
    return bool(count >= rate["times"])
