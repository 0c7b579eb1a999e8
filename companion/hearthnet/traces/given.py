"""What a trace gives, in the core's own types."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from hearthnet.core.adapter import AdapterError
from hearthnet.core.devices import Device
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.intents import (
    DEFAULT_DEADLINE,
    Evidence,
    Origin,
    Plan,
    PlanKind,
    Request,
    Step as Untried,
)
from hearthnet.core.phone.camera import OPERATION, TAKE_PICTURE, camera_id, camera_of
from hearthnet.core.phone.part import RecipeError
from hearthnet.core.phone.recipe import Recipe, canonical
from hearthnet.core.phone.recipes import Recipes
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.simulation import Answered, Behavior, SimulatedHouse

from .shape import TraceError
from .trace import JEEVES, Step, Trace, action_of, principal_of


def recipes_of(trace: Trace) -> Recipes:
    """Return what phones run; TraceError when that is no recipe."""
    recipes = Recipes()
    for node, of_node in trace.recipes.items():
        for data in of_node:
            try:
                problem = recipes.put(node, Recipe.load(canonical(data)))
            except RecipeError as error:
                problem = str(error)
            if problem is not None:
                raise TraceError(f"a recipe of {node}: {problem}")
    return recipes


def houses_of(trace: Trace, recipes: Recipes) -> dict[str, SimulatedHouse]:
    """Return what each manager reaches; the devices answer as they did."""
    houses = {JEEVES: SimulatedHouse()}
    for given in trace.devices:
        device = _device(given, recipes)
        house = houses.setdefault(given.manager, SimulatedHouse())
        house.add(device, **dict(trace.values.get(device.id, {})))
        answers = trace.answers.get(device.id)
        if answers:
            house.behavior[device.id] = Behavior(answers=deque(map(_answer, answers)))
        if device.id in trace.away:
            house.unavailable.add(device.id)
    for manager, house in houses.items():
        if manager != JEEVES:
            house.rows = {**OPERATIONS, **recipes.operations, TAKE_PICTURE: OPERATION}
    return houses


def _device(given: Device, recipes: Recipes) -> Device:
    """Return a device with what its recipe says of it."""
    node = given.manager
    if given.id == camera_id(node):
        return camera_of(node, node)
    if (placed := recipes.by_device.get(given.id)) is None:
        return given
    return replace(
        placed.recipe.as_device(node, node, given.physical),
        area=given.area,
        floor=given.floor,
        labels=given.labels,
    )


def _answer(data: Mapping[str, Any]) -> Answered:
    fails = None
    if "fails" in data:
        fails = AdapterError(Outcome(data["fails"]), str(data.get("text", "it failed")))
    return Answered(
        seconds=float(data.get("seconds", 0.0)),
        values=data.get("values", {}),
        fails=fails,
    )


def request_of(step: Step) -> Request:
    """Return what somebody asks for."""
    data = step.data
    principal = principal_of(data["principal"])
    assert principal is not None
    return Request(
        text=data.get("text", ""),
        principal=principal,
        origin=Origin(data.get("origin", "app")),
        language=data.get("language", "en"),
        area=data.get("area"),
        deadline=float(data.get("deadline", DEFAULT_DEADLINE)),
    )


def plan_of(step: Step) -> Plan | None:
    """Return what it was taken for; None when no planner knew."""
    data = step.data.get("plan")
    if data is None:
        return None
    reason, until, due = data.get("reason"), data.get("until"), data.get("due")
    return Plan(
        kind=PlanKind(data["kind"]),
        actions=tuple(map(action_of, data.get("actions", ()))),
        asked=tuple(data.get("asked", ())),
        reason=None if reason is None else Reason(reason),
        near=tuple(data.get("near", ())),
        standing=bool(data.get("standing")),
        reverts=bool(data.get("reverts")),
        until=None if until is None else datetime.fromisoformat(until),
        due=None if due is None else datetime.fromisoformat(due),
        source=data.get("source", "sentences"),
        dropped=tuple(map(_dropped, data.get("dropped", ()))),
    )


def _dropped(data: Mapping[str, Any]) -> Untried:
    """Return what was planned and was not to be tried."""
    reason = data.get("reason")
    return Untried(
        device=data["device"],
        entity_id="",
        name=data["device"],
        operation=data["operation"],
        parameters={},
        outcome=Outcome(data["outcome"]),
        reason=None if reason is None else Reason(reason),
        evidence=tuple(
            Evidence(text=one["text"], code=Reason(one["code"]))
            if one.get("code")
            else Evidence(text=one["text"])
            for one in data.get("evidence", ())
        ),
    )
