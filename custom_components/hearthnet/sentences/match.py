"""From the names in a sentence to devices, by Home Assistant's own matcher.

It sees only what is exposed and controllable. What it does not find is said to be
unknown, and what it finds twice is asked about: nothing is ever taken for "all".
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers import area_registry as ar, floor_registry as fr
from homeassistant.helpers.intent import (
    MatchFailedReason,
    MatchTargetsConstraints,
    MatchTargetsPreferences,
    MatchTargetsResult,
    async_match_targets,
)

from ..core.devices import Device
from ..core.intents import Plan, PlanKind, Request, Step
from ..core.planner.targets import without_doubles
from ..core.reasons import Outcome, Reason
from ..house import HassHouse
from .recognize import Heard, area_of

NEAR = 3
"""How many near names are offered."""
SIMILAR = 0.6
SHORTEST = 4
"""Letters below which any word is like a name; Chinese ones tell more each."""
SEVERAL = (MatchFailedReason.DUPLICATE_NAME, MatchFailedReason.MULTIPLE_TARGETS)
PLACED = frozenset({"name", "area", "floor", "everywhere"})
"""Slots that say where what is meant is."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where a sentence was said: what its words can mean."""

    hass: HomeAssistant
    house: HassHouse
    request: Request


@dataclass(frozen=True, kw_only=True)
class Found:
    """Devices that a sentence means."""

    devices: tuple[Device, ...]
    named: bool
    """True when the sentence names the device, false when an area or a kind."""
    why: str
    """How the words led to them; evidence for people."""


@callback
def find(
    setting: Setting,
    heard: Heard,
    *,
    domains: Iterable[str] | None = None,
    feature: str | None = None,
    single: bool = False,
) -> Found | Plan:
    """Return the devices that a sentence is about, or what to say instead.

    Args:
        setting: where it was said.
        heard: what was recognized.
        domains: the domains it can be about, unless it says one itself.
        feature: an operation or a parameter that they must support.
        single: true when exactly one device can be meant.
    """
    slots = heard.slots
    constraints = MatchTargetsConstraints(
        name=slots.get("name"),
        area_name=slots.get("area"),
        floor_name=slots.get("floor"),
        domains=_set(slots.get("domain")) or (set(domains) if domains else None),
        device_classes=_set(slots.get("device_class")),
        single_target=single and not heard.those,
    )
    devices = {
        device.entity_id: device
        for device in setting.house.devices()
        if (feature is None or device.supports(feature))
        and (not heard.those or device.id in heard.those)
    }
    area = area_of(setting.hass, setting.request.area)
    preferences = MatchTargetsPreferences(area_id=area.id if area else None)
    result = _match(setting, constraints, preferences, devices)
    if not result.is_match:
        if feature is not None and result.no_match_reason not in SEVERAL:
            able = find(setting, heard, domains=domains)
            if isinstance(able, Found):
                return _unable(able)
        return _failure(setting, constraints, result, devices)
    found = [devices[state.entity_id] for state in result.states]
    named = constraints.name is not None or bool(heard.those)
    if not named:
        found = list(without_doubles(found, setting.house))
    if not found:
        return _failure(setting, constraints, result, devices)
    return Found(devices=tuple(found), named=named, why=_why(setting, constraints))


def _unable(found: Found) -> Plan:
    """Say of devices that they cannot do it."""
    return Plan(
        kind=PlanKind.COMMAND,
        dropped=tuple(
            Step(
                device=device.id,
                entity_id=device.entity_id,
                name=device.name,
                operation="",
                parameters={},
                outcome=Outcome.REFUSED,
                reason=Reason.UNSUPPORTED,
            )
            for device in found.devices
        ),
    )


@callback
def unknown(setting: Setting, said: str, *, areas_only: bool = False) -> Plan:
    """Say that a name is not known, and which known ones are near to it."""
    names = [area.name for area in ar.async_get(setting.hass).async_list_areas()]
    names += [floor.name for floor in fr.async_get(setting.hass).async_list_floors()]
    if not areas_only:
        for device in setting.house.devices():
            names += [device.name, *device.aliases]
    by_form = {
        name.casefold(): name
        for name in names
        if len(name) >= SHORTEST or not name.isascii()
    }
    near = get_close_matches(said.casefold(), by_form, n=NEAR, cutoff=SIMILAR)
    return Plan(
        kind=PlanKind.UNCLEAR,
        reason=Reason.UNKNOWN_TARGET,
        near=tuple(by_form[name] for name in near),
    )


@callback
def _match(
    setting: Setting,
    constraints: MatchTargetsConstraints,
    preferences: MatchTargetsPreferences,
    devices: Iterable[str],
) -> MatchTargetsResult:
    states = _states(setting.hass, devices)
    if not states:
        # Given no states, the matcher would look at all there are.
        return MatchTargetsResult(is_match=False)
    return async_match_targets(setting.hass, constraints, preferences, states)


def _states(hass: HomeAssistant, entity_ids: Iterable[str]) -> list[State]:
    found = (hass.states.get(entity_id) for entity_id in entity_ids)
    return [state for state in found if state is not None]


@callback
def _failure(
    setting: Setting,
    constraints: MatchTargetsConstraints,
    result: MatchTargetsResult,
    devices: dict[str, Device],
) -> Plan:
    """Return a plan that says or asks what keeps a sentence from being clear."""
    match result.no_match_reason:
        case MatchFailedReason.INVALID_AREA | MatchFailedReason.INVALID_FLOOR:
            return unknown(setting, result.no_match_name or "", areas_only=True)
        case MatchFailedReason.DUPLICATE_NAME:
            every = replace(constraints, allow_duplicate_names=True)
            result = _match(setting, every, MatchTargetsPreferences(), devices)
            return _which(devices[state.entity_id] for state in result.states)
        case MatchFailedReason.MULTIPLE_TARGETS:
            return _which(devices[state.entity_id] for state in result.states)
        case MatchFailedReason.NAME:
            return unknown(setting, constraints.name or "")
    return Plan(kind=PlanKind.UNCLEAR, reason=Reason.UNKNOWN_TARGET)


def _which(candidates: Iterable[Device]) -> Plan:
    """Ask which one is meant, by what tells the candidates apart."""
    devices = sorted(candidates, key=lambda device: device.entity_id)
    areas = [device.area for device in devices if device.area is not None]
    names = [device.name for device in devices]
    if len(set(names)) == len(devices):
        near = names
    elif len(set(areas)) == len(devices):
        near = areas
    else:
        near = [
            f"{device.name} ({device.area or device.entity_id})" for device in devices
        ]
    return Plan(kind=PlanKind.UNCLEAR, reason=Reason.AMBIGUOUS, near=tuple(near))


def _why(setting: Setting, constraints: MatchTargetsConstraints) -> str:
    """Return how the words led to the devices, an area that nobody said included."""
    area, home = constraints.area_name, setting.request.area
    if area is None:
        return constraints.name or constraints.floor_name or "all of that kind"
    if home is not None and area.casefold() == home.casefold():
        said = area.casefold() in setting.request.text.casefold()
        return area if said else f"in {area}, where the request came from"
    return f"in {area}"


def _set(value: object) -> set[str] | None:
    if value is None:
        return None
    return {value} if isinstance(value, str) else {str(v) for v in value}  # type: ignore[attr-defined]
