"""Rules as the owner writes them, drawn at random, and what they mean, naively.

The oracle shares no code with the core: it reads the written form itself, with
loops over plain data, and knows a bound as the set of the values it admits.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
import json
from random import Random
from typing import Any

from hypothesis import strategies as st

from hearthnet.core.domains import OPERATIONS
from hearthnet.core.policy.model import Evidence, Request, Target, Usage

from .homes import DEVICES, ORIGINS, ROLES, SEEDS, VALUES

type Written = dict[str, Any]

NUMERIC = ("brightness_pct", "volume_level", "temperature", "position")
TIMES = ("00:00", "06:30", "12:00", "22:00")
EFFECTS = ("allow", "allow", "allow", "limit", "confirm", "deny")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def some(rng: Random, values: Iterable[str]) -> list[str]:
    listed = sorted(values)
    return rng.sample(listed, rng.randint(1, min(3, len(listed))))


def rarely(rng: Random) -> bool:
    return rng.random() < 0.25


def often(rng: Random) -> bool:
    return rng.random() < 0.5


def draw_subjects(rng: Random) -> Written:
    lists = {"role": ROLES, "origin": ORIGINS}
    return {name: some(rng, values) for name, values in lists.items() if often(rng)}


def draw_targets(rng: Random) -> Written:
    lists = {
        "entity": {one.entity_id for one in DEVICES},
        "area": {one.area for one in DEVICES if one.area},
        "floor": {"up", "down"},
        "label": {"work", "keep"},
        "domain": {one.domain for one in DEVICES},
        "device_class": {"outlet", "blind", "garage"},
    }
    return {name: some(rng, values) for name, values in lists.items() if rarely(rng)}


def draw_operations(rng: Random) -> list[str] | None:
    if often(rng):
        return None
    wide = {"free", "normal", "confirm", "light.*", "media_player.*", "climate.*"}
    single = {"light.turn_on", "media_player.volume_set", "climate.set_temperature"}
    other = {"lock.unlock", "switch.turn_off", "cover.set_cover_position", "lock.*"}
    return some(rng, wide | single | other)


def covered(written: list[str] | None, name: str) -> bool:
    """Tell whether an operation is one of those written."""
    if written is None:
        return True
    domain, _, _ = name.partition(".")
    names = (name, OPERATIONS[name].risk.value, f"{domain}.*")
    return any(one in names for one in written)


def draw_bounds(rng: Random, operations: list[str] | None) -> Written:
    """Draw bounds of parameters that the operations have."""
    names = [
        name
        for name in NUMERIC
        if any(
            name in row.parameters and covered(operations, row.name)
            for row in OPERATIONS.values()
        )
    ]
    chosen = rng.sample(names, rng.randint(0, min(2, len(names))))
    return {name: draw_bound(rng, name) for name in chosen}


def draw_bound(rng: Random, name: str) -> Any:
    values = VALUES[name]
    match rng.choice(["range", "below", "above", "list", "exact"]):
        case "range":
            low, high = sorted(rng.choices(values, k=2))  # type: ignore[type-var]
            return {"min": low, "max": high}
        case "below":
            return {"below": rng.choice(values[1:])}
        case "above":
            return {"above": rng.choice(values[:-1])}
        case "list":
            return rng.sample(values, rng.randint(1, len(values)))
    return rng.choice(values)


def draw_conditions(rng: Random, effect: str, operations: list[str] | None) -> Written:
    written: Written = {}
    if rarely(rng):
        written["time"] = "-".join(rng.sample(TIMES, 2))
    if rarely(rng):
        written["weekday"] = some(rng, DAYS)
    if rarely(rng):
        presence = ["somebody", "nobody", ["Anna"], ["Bo", "Cy"]]
        written["presence"] = rng.choice(presence)
    if rarely(rng):
        name = rng.choice(["evidence_from", "evidence_below"])
        written[name] = rng.choice(["low", "mapped", "strong"])
    if rarely(rng) and (values := draw_bounds(rng, operations)):
        written["values"] = values
    if effect in ("confirm", "deny") and rarely(rng):
        written["more_devices_than"] = rng.randint(0, 4)
    if effect in ("confirm", "deny") and rarely(rng):
        rate = {"times": rng.randint(0, 3), "seconds": rng.choice([10, 60, 600])}
        written["more_often_than"] = rate
    return written


def draw_rule(rng: Random, effects: tuple[str, ...] = EFFECTS) -> Written:
    """Draw a rule, without its id."""
    effect = rng.choice(effects)
    operations = draw_operations(rng)
    limits = draw_bounds(rng, operations) if effect != "deny" else {}
    if effect == "limit" and not limits:
        effect = "confirm"
    written: Written = {"effect": effect}
    for name, value in (
        ("subjects", draw_subjects(rng) if rarely(rng) else {}),
        ("targets", draw_targets(rng) if often(rng) else {}),
        ("operations", operations),
        ("bounds", limits),
        ("conditions", draw_conditions(rng, effect, operations)),
    ):
        if value:
            written[name] = value
    if rarely(rng):
        out = {"subjects": draw_subjects(rng), "targets": draw_targets(rng)}
        if out := {name: value for name, value in out.items() if value}:
            written["except"] = rng.choice([out, [out]])
    return written


def draw_policy(rng: Random) -> Written:
    """Draw a policy as the owner writes it."""
    drawn = [draw_rule(rng) for _ in range(rng.randint(0, 5))]
    if often(rng):
        drawn = [{"effect": "allow"}, *drawn]
    return policy(
        drawn,
        unclassified_switches=rng.choice(["confirm", "allow", "deny"]),
        answered_switches=rng.choice([[], ["switch.freezer"]]),
    )


def policies() -> st.SearchStrategy[Written]:
    return SEEDS.map(lambda seed: draw_policy(Random(seed)))


def rules(effects: tuple[str, ...] = EFFECTS) -> st.SearchStrategy[Written]:
    return SEEDS.map(lambda seed: draw_rule(Random(seed), effects))


def policy(drawn: list[Written], **options: Any) -> Written:
    numbered = [{"id": f"rule-{n}", **rule} for n, rule in enumerate(drawn)]
    return {"version": 1, "rules": numbered, **options}


def text(written: Written) -> str:
    """Return the YAML text; JSON is YAML."""
    return json.dumps(written, indent=1)


# The oracle


def oracle(
    written: Written, request: Request, now: datetime, usage: Usage
) -> tuple[str, dict[str, set[Any]]]:
    """Return `allow`, `confirm` or `deny`, and the values left by parameter."""
    strictest = "allow"
    left = {n: set(map(repr, VALUES[n])) for n in request.operation.parameters}
    if request.operation.risk.value != "free" and request.evidence is Evidence.LOW:
        strictest = "deny"
    bounded: set[str] = set()
    for target in request.targets:
        strictest = worse(strictest, plug(written, target))
        truths = [meaning(r, request, target, now, usage) for r in written["rules"]]
        found = list(zip(written["rules"], truths, strict=True))
        if not any(r["effect"] == "allow" and truth == "yes" for r, truth in found):
            strictest = "deny"
        for rule in [r for r, truth in found if truth != "no"]:
            if rule["effect"] in ("confirm", "deny"):
                strictest = worse(strictest, rule["effect"])
            for name, limit in limits_of(rule):
                bounded.add(name)
                left.setdefault(name, set())
                left[name] &= {repr(v) for v in VALUES[name] if inside(limit, v)}
    named = request.parameters
    outside = [n for n in named if repr(named[n]) not in left[n]]
    unnamed = [n for n in picked(request) if n in bounded and n not in named]
    if outside or unnamed:
        strictest = "deny"
    return strictest, left


def limits_of(rule: Written) -> Iterator[tuple[str, Any]]:
    for listed, limit in rule.get("bounds", {}).items():
        for name in family(listed):
            yield name, limit


def picked(request: Request) -> tuple[str, ...]:
    """Return what a device of the home picks itself."""
    return ("brightness_pct",) if request.operation.name == "light.turn_on" else ()


def worse(one: str, other: str) -> str:
    order = ["allow", "confirm", "deny"]
    return max(one, other, key=order.index)


def family(name: str) -> list[str]:
    if name == "temperature":
        return ["temperature", "target_temp_low", "target_temp_high"]
    return [name]


def plug(written: Written, target: Target) -> str:
    names = (target.device, *target.aliases)
    answered = any(n.entity_id in written["answered_switches"] for n in names)
    unclear = any(n.domain == "switch" and n.device_class is None for n in names)
    return (
        str(written["unclassified_switches"]) if unclear and not answered else "allow"
    )


def meaning(
    rule: Written, request: Request, target: Target, now: datetime, usage: Usage
) -> str:
    """Return `yes`, `no` or `maybe`."""
    if not asked_by(rule.get("subjects", {}), request):
        return "no"
    if not covered(rule.get("operations"), request.operation.name):
        return "no"
    if not about(rule, request, target):
        return "no"
    answers = set(holds(rule, request, target, now, usage))
    return "no" if "no" in answers else "maybe" if "maybe" in answers else "yes"


def asked_by(written: Written, request: Request) -> bool:
    return request.principal.role in written.get("role", ROLES) and (
        request.origin in written.get("origin", ORIGINS)
    )


def about(rule: Written, request: Request, target: Target) -> bool:
    left_out = rule.get("except", [])
    left_out = left_out if isinstance(left_out, list) else [left_out]
    left_out = [o for o in left_out if asked_by(o.get("subjects", {}), request)]
    wanted = rule.get("targets", {})
    faces = [target.device, *target.aliases]
    if target.group:
        faces.append(target.group)

    def out(face: Any, named: set[str]) -> bool:
        return any(fits(o.get("targets", {}), face, named) for o in left_out)

    through = {target.group.entity_id} if target.group else set()
    if rule["effect"] == "allow":
        return fits(wanted, target.device, through) and not any(
            out(face, through) for face in faces
        )
    return any(fits(wanted, face, through) and not out(face, set()) for face in faces)


def fits(wanted: Written, face: Any, named: set[str]) -> bool:
    for name, listed in wanted.items():
        have = {
            "entity": {face.entity_id} | named,
            "area": {face.area},
            "floor": {face.floor},
            "label": set(face.labels),
            "domain": {face.domain},
            "device_class": {face.device_class},
        }[name]
        if not have & set(listed):
            return False
    return True


def holds(
    rule: Written, request: Request, target: Target, now: datetime, usage: Usage
) -> Iterator[str]:
    written = rule.get("conditions", {})
    if "time" in written or "weekday" in written:
        yield yes(at(written, now))
    if "presence" in written:
        yield presence(written["presence"], request.home)
    ranks = {"low": 0, "mapped": 1, "strong": 2}
    if "evidence_from" in written:
        yield yes(request.evidence.value >= ranks[written["evidence_from"]])
    if "evidence_below" in written:
        yield yes(request.evidence.value < ranks[written["evidence_below"]])
    for name, limit in written.get("values", {}).items():
        yield lies(name, limit, request, opens=rule["effect"] == "allow")
    if "more_devices_than" in written:
        count = usage.devices + len({t.device.id for t in request.targets})
        yield yes(count > written["more_devices_than"])
    if "more_often_than" in written:
        rate = written["more_often_than"]
        ages = usage.ages.get(target.device.id, ())
        yield yes(len([a for a in ages if a < rate["seconds"]]) + 1 > rate["times"])


def presence(wanted: Any, home: frozenset[str] | None) -> str:
    if home is None:
        return "maybe"
    if isinstance(wanted, list):
        return yes(bool(home & set(wanted)))
    return yes((wanted == "somebody") == (len(home) > 0))


def lies(name: str, limit: Any, request: Request, *, opens: bool) -> str:
    named = [request.parameters[n] for n in family(name) if n in request.parameters]
    if not named:
        return "maybe" if name in picked(request) else "no"
    found = [inside(limit, value) for value in named]
    return yes(all(found) if opens else any(found))


def yes(truth: bool) -> str:
    return "yes" if truth else "no"


def at(written: Written, now: datetime) -> bool:
    """Tell whether a moment lies in a window, by listing all minutes of its days."""
    days = written.get("weekday", DAYS)
    start, end = written.get("time", "00:00-24:00").split("-")
    for back in (0, 1):
        day = now.date() - timedelta(days=back)
        if DAYS[day.weekday()] not in days:
            continue
        length = (minutes(end) - minutes(start)) % 1440 or 1440
        since = back * 1440 + now.hour * 60 + now.minute - minutes(start)
        if 0 <= since < length:
            return True
    return False


def minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:])


def inside(limit: Any, value: Any) -> bool:
    if isinstance(limit, list):
        return value in limit
    if isinstance(limit, dict):
        return (
            value >= limit.get("min", value)
            and value <= limit.get("max", value)
            and not value <= limit.get("above", value - 1)
            and not value >= limit.get("below", value + 1)
        )
    return bool(value == limit)
