"""What a sentence says not to do stays undone, whatever a model plans."""

# ruff: noqa: RUF001 - Chinese punctuation

import pytest

from hearthnet.core.domains import OPERATIONS
from hearthnet.core.planner.scope import reach_of
from hearthnet.core.planner.words.forbidden import directions, forbidden
from hearthnet.core.reasons import Outcome, Reason

from .houses import act, alias, answer, ask, device, plan, small_house
from .sentences import COMMANDS

HEATER = device("climate.heater", "Heater", "Hall", aliases=("Heizung", "暖气"))
LAMP = device("light.floor", "Floor lamp", "Hall")
OTHER = device("light.desk", "Desk lamp", "Study")
BLIND = device("cover.blind", "Blind", "Study", device_class="blind")
ALL = (HEATER, LAMP, OTHER, BLIND)


def refused(text: str) -> set[tuple[str, str]]:
    """Return the actions that a sentence forbids, of those that could be planned."""
    reach = reach_of(ask(text), ALL)
    tried = {
        "climate": ("climate.turn_on", "climate.turn_off", "climate.set_temperature"),
        "light": ("light.turn_on", "light.turn_off"),
        "cover": ("cover.open_cover", "cover.close_cover"),
    }
    return {
        (one.entity_id, name)
        for one in ALL
        for name in tried[one.domain]
        if (problem := reach.admits(OPERATIONS[name], one))
        and problem.text == "the request says not to"
    }


HEATER_ON = {("climate.heater", "climate.turn_on")}
DESK_OFF = {("light.desk", "light.turn_off")}
BLIND_OPEN = {("cover.blind", "cover.open_cover")}


@pytest.mark.parametrize(
    ("text", "not_to"),
    [
        ("whatever you do, don't turn the heater on, but light the hall", HEATER_ON),
        ("Do not turn on the heater and switch on the floor lamp", HEATER_ON),
        ("make it cozy without turning on the heating", HEATER_ON),
        ("make it cozy here, but never start the heater", HEATER_ON),
        ("Egal was ist, mach die Heizung nicht an, aber mach es gemütlich", HEATER_ON),
        ("Schalte nicht die Heizung ein, mach lieber Licht", HEATER_ON),
        ("quoi que tu fasses, n'allume pas le chauffage mais éclaire", HEATER_ON),
        ("allume pas le chauffage, fais autre chose", HEATER_ON),
        ("n'allume surtout pas le chauffage", HEATER_ON),
        ("hagas lo que hagas, no enciendas la calefacción pero haz luz", HEATER_ON),
        ("sin encender la calefacción, ponlo acogedor", HEATER_ON),
        ("无论如何不要开暖气，但是让这里舒服一点", HEATER_ON),
        ("千万别把暖气打开，开灯就好", HEATER_ON),
        ("Don't turn off the desk lamp, make the rest dark", DESK_OFF),
        ("Mach alles dunkel, aber Desk lamp nicht aus", DESK_OFF),
        ("don't open the blinds, I want it bright by lamps", BLIND_OPEN),
        ("öffne den Rollladen nicht, mach Licht", BLIND_OPEN),
        ("n'ouvre pas les volets, allume plutôt", BLIND_OPEN),
        ("no abras la persiana, da luz", BLIND_OPEN),
        ("不要打开窗帘，开灯", BLIND_OPEN),
        (
            "make it nice, but don't touch the blinds",
            BLIND_OPEN | {("cover.blind", "cover.close_cover")},
        ),
    ],
)  # fmt: skip
def test_what_is_forbidden(text: str, not_to: set[tuple[str, str]]) -> None:
    assert refused(text) == not_to


@pytest.mark.parametrize(
    "text",
    [
        "don't forget to turn on the heater",
        "why don't you turn on the floor lamp",
        "don't just turn on the floor lamp, turn on the heater too",
        "turn on the floor lamp if it is not on",
        "turn on the heater, it's not warm",
        "I don't see anything turn on the floor lamp",
        "Don't leave me in the dark, turn on the floor lamp",
        "not all the lights, only the desk lamp",
        "don't turn on all lights, turn on the desk lamp only when I say the desk lamp",
        "don't turn it on",
        "mach die Heizung an, wenn sie nicht an ist",
        "vergiss nicht, die Heizung anzumachen",
        "mach nicht nur die Heizung an",
        "n'oublie pas d'allumer le chauffage",
        "allume le chauffage s'il n'est pas allumé",
        "no olvides encender la calefacción",
        "enciende la calefacción si no está encendida",
        "别忘了开暖气",
        "能不能打开暖气",
        "no, turn on the floor lamp",
    ],
)
def test_what_only_looks_so(text: str) -> None:
    refusals = refused(text)
    assert ("climate.heater", "climate.turn_on") not in refusals
    assert ("light.desk", "light.turn_on") not in refusals
    assert ("light.floor", "light.turn_on") not in refusals or "all lights" in text


@pytest.mark.parametrize("language", COMMANDS)
def test_commands_forbid_nothing(language: str) -> None:
    for text in COMMANDS[language]:
        assert not any(what for _, what in forbidden(text)), text


def test_every_operation_has_a_direction_or_none() -> None:
    """What is named after what it does is found by its name."""
    assert directions("climate.set_hvac_mode", {"hvac_mode": "heat"}) == {"on", "any"}
    assert directions("climate.set_hvac_mode", {"hvac_mode": "off"}) == {"off", "any"}
    assert directions("light.turn_on", {}) == {"on", "any"}
    assert directions("vacuum.start", {}) == {"on", "any"}
    assert directions("lock.unlock", {}) == {"open", "any"}
    assert directions("valve.close_valve", {}) == {"shut", "any"}
    assert directions("cover.set_cover_position", {"position": 5}) == {"any"}


async def test_a_model_that_reads_past_a_not() -> None:
    """The rest is done, and what was left out is told."""
    house = small_house()
    first, second = [one for one in house.devices() if one.domain == "light"][:2]
    reply = answer(
        act(alias(house, first.entity_id), "light.turn_on"),
        act(alias(house, second.entity_id), "light.turn_on"),
    )
    text = f"whatever you do, don't turn the {first.name} on, but do make it cozy"
    made = await plan(text, reply, house=house)
    assert [action.targets for action in made.actions] == [(second.id,)]
    (step,) = made.dropped
    assert (step.name, step.outcome) == (first.name, Outcome.REFUSED)
    assert step.reason is Reason.OUT_OF_SCOPE
