"""A house for planners, requests to it, and models that answer as told."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from hearthnet.core.devices import Device, Principal
from hearthnet.core.intents import Origin, Plan, Request
from hearthnet.core.messages import Json
from hearthnet.core.planner import Situation
from hearthnet.core.planner.budget import Budget
from hearthnet.core.planner.candidates import candidates_for
from hearthnet.core.planner.errors import PlannerError
from hearthnet.core.planner.model import ModelPlanner, Repair, Usage
from hearthnet.core.planner.prompt import Prompt
from hearthnet.core.policy.load import load
from hearthnet.simulation import SimulatedHouse

NOW = datetime(2026, 11, 30, 18, 0, tzinfo=timezone(timedelta(hours=1)))
ANNA = Principal(kind="user", id="anna", name="Anna", role="owner")

DIMMABLE = frozenset({"light.turn_on", "light.turn_off", "brightness_pct"})


POLICY = load(
    """
version: 1
rules:
  - {id: everybody, effect: allow}
  - id: no-garage
    why: Anna's ex must never get in
    effect: deny
    operations: cover.*
    targets: {area: Garage}
  - id: quiet
    effect: limit
    operations: media_player.volume_set
    bounds: {volume_level: {max: 0.3}}
    conditions: {time: "22:00-07:00"}
  - {id: children, effect: deny, operations: climate.*, subjects: {role: child}}
  - {id: owner, effect: confirm, operations: fan.*, subjects: {role: owner}}
  - {id: voice, effect: confirm, operations: switch.*, subjects: {origin: voice}}
  - {id: one, effect: deny, targets: {entity: light.secret}}
  - {id: anna, effect: deny, operations: light.*, subjects: {principal: anna}}
  - {id: many, effect: confirm, conditions: {more_devices_than: 5}}
"""
)
"""A policy with a rule of each sort."""


def device(entity_id: str, name: str, area: str | None = None, **fields: Any) -> Device:
    """Return a device; its id tells nothing about it, as a registry's does not."""
    domain = entity_id.partition(".")[0]
    return Device(
        id=f"id_{entity_id.replace('.', '_')}",
        entity_id=entity_id,
        name=name,
        domain=domain,
        area=area,
        **fields,
    )


def small_house() -> SimulatedHouse:
    """Return a house with something of everything."""
    house = SimulatedHouse()
    add = house.add
    add(
        device("light.kitchen", "Kitchen ceiling", "Kitchen", features=DIMMABLE),
        state="on",
        brightness_pct=40,
    )
    labels = frozenset({"evening", "guests", "own"})
    hall = device("light.hall", "Hall light", "Hall", labels=labels)
    add(replace(hall, aliases=("Flurlicht",)), state="off")
    add(device("light.desk", "Desk lamp", "Office"), state="on", brightness_pct=80)
    add(
        device("cover.study", "Study blind", "Office", device_class="blind"),
        state="open",
        current_position=100,
    )
    add(
        device("cover.garage", "Garage door", "Garage", device_class="garage"),
        state="closed",
        current_position=0,
    )
    add(device("lock.front", "Front door", "Hall"), state="locked")
    add(
        device("media_player.tv", "TV", "Living room"),
        state="off",
        source="HDMI 1",
    )
    add(
        device("climate.living", "Thermostat", "Living room"),
        state="heat",
        temperature=20.5,
    )
    add(device("switch.freezer", "Freezer", "Garage"), state="on")
    return house


def large_house(count: int) -> SimulatedHouse:
    """Return a house with `count` devices in rooms of about twelve."""
    house = SimulatedHouse()
    kinds = (
        *("light", "light", "light", "light", "switch", "cover", "media_player"),
        *("climate", "fan", "lock", "light", "input_boolean"),
    )
    for number in range(count):
        domain = kinds[number % len(kinds)]
        room = f"Room {number // len(kinds) + 1}"
        name = f"{domain.replace('_', ' ').title()} {number + 1}"
        house.add(
            device(f"{domain}.n{number + 1}", name, room),
            state="off" if number % 3 else "on",
        )
    return house


def ask(text: str, **fields: Any) -> Request:
    """Return a request of a signed-in person."""
    return Request(text=text, principal=ANNA, **{"origin": Origin.APP, **fields})


def situation(house: SimulatedHouse, **fields: Any) -> Situation:
    """Return the situation at six in the evening."""
    return Situation(house=house, **{"now": NOW, **fields})


def answer(*actions: dict[str, Any], kind: str = "command", **fields: Any) -> Json:
    """Return a model's answer with these actions, numbered."""
    numbered = [{"n": n, **action} for n, action in enumerate(actions, 1)]
    return {
        "kind": kind,
        "say": "",
        "actions": list[Any](numbered),
        "asked": [],
    } | fields


def act(device: str, op: str, /, **args: Any) -> dict[str, Any]:
    """Return one action of an answer."""
    pairs = [{"name": name, "value": value} for name, value in args.items()]
    base = {"device": device, "op": op, "args": pairs, "relative": [], "after": 0}
    return base | {"why": ""}


@dataclass
class ScriptedModel:
    """A model in this process: answers in order, the last one again and again."""

    replies: list[Json | PlannerError | Callable[[Prompt], Json]]
    name: str = "scripted"
    most_devices: int = 60
    seconds: float = 30.0
    prompts: list[Prompt] = field(default_factory=list)
    repairs: list[Repair | None] = field(default_factory=list)

    async def ask(self, prompt: Prompt, repair: Repair | None, usage: Usage) -> Json:
        """Return the next answer."""
        self.prompts.append(prompt)
        self.repairs.append(repair)
        usage.input_tokens, usage.output_tokens = 1000, 100
        reply = self.replies[min(len(self.prompts), len(self.replies)) - 1]
        if isinstance(reply, PlannerError):
            raise reply
        return reply(prompt) if callable(reply) else reply


async def no_sleep(_seconds: float) -> None:
    """Wait not at all."""


def planner(*replies: Any, **fields: Any) -> ModelPlanner:
    """Return a planner whose model gives these answers."""
    return ModelPlanner(
        ScriptedModel(list(replies)), Budget(), sleep=no_sleep, **fields
    )


async def plan(
    text: str, *replies: Any, house: SimulatedHouse | None = None, **fields: Any
) -> Plan:
    """Return what becomes of a sentence with a model that gives these answers."""
    made = await planner(*replies).plan(
        ask(text, **fields), situation(house or small_house())
    )
    assert made is not None
    return made


def alias(house: SimulatedHouse, entity_id: str) -> str:
    """Return the short name under which a prompt shows a device."""
    shown = candidates_for(ask(""), house.devices(), 10_000)
    return next(a for a, d in shown.aliases.items() if d.entity_id == entity_id)
