"""Makes a home and what happens in it, all of it from one seed.

Adversarial: a few devices are wanted by many at once; plans rest on what changes
while they are made; a group is moved while its members are; reports come late;
devices drop out and come back as something else; policies change in between; nodes
are killed; leases are used late, twice, or for something else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import heapq
from random import Random
from typing import Any

from .moves import (
    HOWS,
    Away,
    Change,
    Edit,
    Fault,
    Misuse,
    Move,
    Reboot,
    Release,
    Revoke,
    Who,
    Wish,
)
from .plain import HUB, LOCAL, Thing

DOMAINS = ("light", "light", "light", "switch", "climate", "media_player", "lock")
HOT = 40
"""Devices that everybody wants."""
PACE = 64 / 60
"""Wishes a second: one a minute and agent."""
BURSTS = (1, 1, 1, 1, 2, 3)
"""How many want about the same at once."""
GROUP_OF = (3, 6)
"""How many members a group has."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A home: its devices, its people, and what the owner forbids."""

    things: Mapping[str, Thing]
    domains: Mapping[str, str]
    agents: tuple[str, ...]
    people: tuple[Who, ...]
    forbidden: frozenset[tuple[str, str]]
    hot: tuple[str, ...]
    """Devices, groups and second names that are wanted most."""
    policy: Mapping[str, Any]


def setting(seed: int, *, agents: int, devices: int) -> Setting:
    """Make a home."""
    rng = Random(f"{seed}/setting")  # noqa: S311 - wanted to be repeatable
    names = (LOCAL, *(f"agent{number}" for number in range(1, agents)))
    things: dict[str, Thing] = {}
    domains: dict[str, str] = {}
    for number in range(devices):
        one, agent = f"d{number}", names[number % agents]
        domains[one] = DOMAINS[number // agents % len(DOMAINS)]
        things[one] = Thing(id=one, agent=agent, key=one)
    for agent in names:
        lamps = [t for t in things if _is(things, domains, t, agent)]
        if len(lamps) < GROUP_OF[0]:
            continue
        for number in range(2):
            members = rng.sample(lamps, min(len(lamps), rng.randint(*GROUP_OF)))
            one = f"g-{agent}-{number}"
            domains[one] = "light"
            things[one] = Thing(id=one, agent=agent, key=one, members=tuple(members))
        twin = f"t-{agent}"
        domains[twin] = "light"
        things[twin] = Thing(id=twin, agent=agent, key=lamps[0])
    people = tuple(_people())
    single = [t for t in things if things[t].key == t and not things[t].members]
    others = [one for one in things if one not in set(single)]
    hot = [*rng.sample(single, min(HOT, len(single))), *others]
    return Setting(
        things=things,
        domains=domains,
        agents=names,
        people=people,
        forbidden=frozenset(
            (who.id, rng.choice(single)) for who in people for _ in range(5)
        ),
        hot=tuple(rng.sample(hot, min(HOT, len(hot)))),
        policy=_policy(rng, single),
    )


def _is(
    things: Mapping[str, Thing], domains: Mapping[str, str], one: str, agent: str
) -> bool:
    return domains[one] == "light" and things[one].agent == agent


def _people() -> Iterator[Who]:
    for number, role in enumerate(("owner", "resident", "resident", "guest", "child")):
        yield Who(kind="user", id=f"person{number}", role=role, origin="app")
        yield Who(kind="user", id=f"person{number}", role=role, origin="chat")
    yield Who(kind="satellite", id="kitchen", role="unknown", origin="voice")
    yield Who(kind="satellite", id="study", role="resident", origin="voice")
    for number in range(4):
        for origin in ("automation", "schedule"):
            yield Who(
                kind="automation",
                id=f"{origin}{number}",
                role="automation",
                origin=origin,
            )
    for number in range(3):
        yield Who(kind="agent", id=f"initiative{number}", role="agent", origin="agent")


def _policy(rng: Random, devices: list[str]) -> dict[str, Any]:
    """Make a policy, in the words of its file; every draw is another one."""
    rules: list[dict[str, Any]] = [
        {"id": "safe", "effect": "allow", "operations": ["free"]},
        {
            "id": "all",
            "effect": "allow",
            "subjects": {"role": ["owner", "resident", "automation", "unknown"]},
        },
        {
            "id": "guests",
            "effect": "allow",
            "subjects": {"role": ["guest", "child", "agent"]},
            "operations": ["light.turn_on", "media_player.volume_set"],
        },
        {"id": "doors", "effect": "confirm", "operations": ["lock.unlock"]},
        {
            "id": "warm",
            "effect": "confirm",
            "operations": ["climate.set_temperature"],
            "conditions": {"values": {"temperature": {"above": rng.choice((23, 25))}}},
        },
        {
            "id": "quiet",
            "effect": "limit",
            "subjects": {"role": ["resident", "guest", "child", "automation"]},
            "operations": ["media_player.volume_set"],
            "bounds": {"volume_level": {"max": 0.3}},
            "conditions": {"time": rng.choice(("22:00-07:00", "12:00-13:00"))},
        },
        {
            "id": "dim",
            "effect": "limit",
            "subjects": {"role": [rng.choice(("guest", "child", "automation"))]},
            "operations": ["light.turn_on"],
            "bounds": {"brightness_pct": {"max": rng.choice((40, 60, 80))}},
        },
        {
            "id": "many",
            "effect": "confirm",
            "operations": ["light.turn_on"],
            "conditions": {"more_devices_than": rng.choice((4, 5))},
        },
        {
            "id": "often",
            "effect": "deny",
            "subjects": {"role": ["agent", "automation"]},
            "conditions": {"more_often_than": {"times": 3, "seconds": 600}},
        },
        {
            "id": "never",
            "effect": "deny",
            "targets": {"device": rng.sample(devices, min(12, len(devices)))},
        },
    ]
    return {
        "version": 1,
        "rules": [r for r in rules if r["id"] != "often" or rng.random() < 0.7],
        "persons": rng.choice(("newest", "role")),
        "roles": ["owner", "resident", "guest", "child"],
        "holds": {
            "person_minutes": rng.choice((2, 10, 30)),
            "automation_minutes": rng.choice((0, 5, 15)),
            "schedule_minutes": rng.choice((0, 5)),
            "cool_down_minutes": rng.choice((0, 3, 10)),
        },
    }


def moves(home: Setting, seed: int, wishes: int) -> Iterator[Move]:
    """Yield what happens, in the order of time."""
    return heapq.merge(
        _with_what_follows(home, Random(f"{seed}/wishes"), wishes),  # noqa: S311
        _accidents(home, Random(f"{seed}/accidents"), wishes / PACE),  # noqa: S311
        key=lambda move: move.at,
    )


def _with_what_follows(home: Setting, rng: Random, wishes: int) -> Iterator[Move]:
    """Yield wishes, and with each what others do at about the same time."""
    waiting: list[tuple[float, int, Move]] = []
    at, number, order = 10.0, 0, 0
    while number < wishes:
        at += rng.expovariate(PACE * len(BURSTS) / sum(BURSTS))
        device = rng.choice(home.hot if rng.random() < 0.4 else tuple(home.things))
        for _ in range(min(wishes - number, rng.choice(BURSTS))):
            wish = _wish(home, rng, at + rng.uniform(0, 3), number, device)
            number += 1
            for move in (wish, *_around(home, rng, wish)):
                order += 1
                heapq.heappush(waiting, (move.at, order, move))
            device = _near(home, rng, device)
        while waiting and waiting[0][0] <= at:
            yield heapq.heappop(waiting)[2]
    while waiting:
        yield heapq.heappop(waiting)[2]


def _near(home: Setting, rng: Random, device: str) -> str:
    """Return the device, or one that is moved with it."""
    thing = home.things[device]
    near = [
        other.id
        for other in home.things.values()
        if device in other.members
        or other.key == thing.key
        or other.id in thing.members
    ]
    return rng.choice(near)


def _wish(home: Setting, rng: Random, at: float, number: int, device: str) -> Wish:
    who = rng.choice(home.people)
    operation, parameters = _operation(home, rng, device)
    person = who.origin in ("app", "chat", "voice")
    lease = rng.choice((5.0, 20.0, 60.0)) if rng.random() < 0.15 else None
    return Wish(
        at=at,
        number=number,
        who=who,
        device=device,
        operation=operation,
        parameters=parameters,
        think=0.0 if lease or rng.random() < 0.5 else rng.lognormvariate(1.4, 0.6),
        deadline=120.0 if rng.random() < 0.95 else rng.uniform(0.5, 6.0),
        standing=person and lease is None and rng.random() < 0.2,
        lease=lease,
    )


def _operation(home: Setting, rng: Random, device: str) -> tuple[str, dict[str, Any]]:
    match home.domains[device]:
        case "light":
            if rng.random() < 0.3:
                return "light.turn_off", {}
            if rng.random() < 0.2:
                return "light.turn_on", {}
            return "light.turn_on", {"brightness_pct": 10 * rng.randint(1, 10)}
        case "switch":
            return f"switch.turn_{rng.choice(('on', 'off'))}", {}
        case "climate":
            value = 18 + rng.randint(0, 16) / 2
            return "climate.set_temperature", {"temperature": value}
        case "media_player":
            return "media_player.volume_set", {"volume_level": rng.randint(0, 10) / 10}
    return f"lock.{rng.choice(('lock', 'lock', 'unlock'))}", {}


def _around(home: Setting, rng: Random, wish: Wish) -> Iterator[Move]:
    """Yield what happens to a wish, its device and its lease."""
    if wish.lease is not None:
        late = wish.lease * rng.choice((0.2, 0.5, 0.9, 1.2))
        yield Misuse(at=wish.at + late, wish=wish.number, how="use")
    if rng.random() < 0.15:
        at = wish.at + rng.uniform(0, 8 if wish.lease is None else wish.lease)
        yield _change(home, rng, at, _leaf(home, rng, wish.device))
    if rng.random() < 0.10:
        at = wish.at + rng.choice((1, 3, 10, 100, 2000)) * rng.random()
        yield Misuse(at=at, wish=wish.number, how=rng.choice(HOWS))
    if rng.random() < 0.03:
        yield Revoke(at=wish.at + rng.uniform(0, 6), wish=wish.number)
    if rng.random() < 0.02:
        yield Release(at=wish.at + rng.uniform(0, 60), device=wish.device)
    if rng.random() < 0.02:
        how = rng.choice(("before", "after", "deaf"))
        yield Fault(at=wish.at, device=_leaf(home, rng, wish.device), how=how)


def _leaf(home: Setting, rng: Random, device: str) -> str:
    thing = home.things[device]
    return home.things[rng.choice(thing.members) if thing.members else device].key


def _change(home: Setting, rng: Random, at: float, device: str) -> Change:
    cause = rng.choice(("person", "person", "device", "automation", "unknown"))
    persons = [who for who in home.people if who.kind == "user"]
    return Change(
        at=at,
        device=device,
        values=_values(home, rng, device),
        cause=cause,
        who=rng.choice(persons) if cause == "person" else None,
        report=rng.choice((0.0, 0.1, 1.0, 5.0)) * rng.random(),
    )


def _values(home: Setting, rng: Random, device: str) -> dict[str, Any]:
    """Return values that a device may show after somebody was at it."""
    match home.domains[device]:
        case "light":
            if rng.random() < 0.4:
                return {"state": "off"}
            return {"state": "on", "brightness_pct": 10 * rng.randint(1, 10)}
        case "switch":
            return {"state": rng.choice(("on", "off"))}
        case "climate":
            return {"state": "heat", "temperature": 18 + rng.randint(0, 16) / 2}
        case "media_player":
            return {"state": "playing", "volume_level": rng.randint(0, 10) / 10}
    return {"state": rng.choice(("locked", "unlocked"))}


def _accidents(home: Setting, rng: Random, seconds: float) -> Iterator[Move]:
    """Yield what has nothing to do with any wish."""
    at = 10.0
    single = [one for one, thing in home.things.items() if thing.key == one]
    single = [one for one in single if not home.things[one].members]
    while (at := at + rng.expovariate(1 / 4)) < seconds + 10:
        draw = rng.random()
        if draw < 0.70:
            yield _change(home, rng, at, rng.choice(single))
        elif draw < 0.93:
            values = _values(home, rng, device := rng.choice(single))
            back = values if rng.random() < 0.5 else None
            yield Away(at=at, device=device, seconds=rng.uniform(1, 90), values=back)
        elif draw < 0.96:
            yield Edit(at=at, policy=_policy(rng, single))
        elif draw < 0.992:
            yield Reboot(at=at, node=rng.choice(home.agents[1:] or (HUB,)))
        elif draw < 0.994:
            yield Revoke(at=at, wish=None)
        else:
            yield Reboot(at=at, node=HUB)
