"""Actions compiled: members of groups both ways, one physical thing once."""

from dataclasses import replace

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.arbitrate import Answer, arbitrate
from hearthnet.core.compile import Compiled, compile_action
from hearthnet.core.devices import Device
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.effects import Effect
from hearthnet.core.holds import SourceClass
from hearthnet.core.messages import Json
from hearthnet.core.operations import Problem, supported
from hearthnet.core.policy.model import Policy
from hearthnet.core.reasons import Reason

from .homes import ALL_LIGHTS, DESK, RADIO, SOFA, TestHouse, device
from .test_arbitrate import ANNA, NOW, SOME_HOLD


def house(*more: Device, values: dict[str, dict[str, Json]] | None = None) -> TestHouse:
    made = TestHouse(values={**(values or {})})
    made.known |= {one.id: one for one in more}
    return made


def done(
    name: str, one: Device, where: TestHouse | None = None, **parameters: Json
) -> Compiled:
    found = compile_action(OPERATIONS[name], parameters, one, where or house(one))
    assert isinstance(found, Compiled), found
    return found


def failed(
    name: str, one: Device, where: TestHouse | None = None, **parameters: Json
) -> tuple[Reason, str | None]:
    found = compile_action(OPERATIONS[name], parameters, one, where or house(one))
    assert isinstance(found, Problem), found
    assert found.text
    return found.reason, found.field


def keys(compiled: Compiled) -> list[str]:
    return [target.device.key for target in compiled.targets]


def test_one_device() -> None:
    found = done("light.turn_on", DESK, brightness_pct=40)
    assert keys(found) == ["desk"]
    assert found.targets[0].group is None
    assert found.effects == (
        Effect("desk", "state", "on"),
        Effect("desk", "brightness_pct", 40),
    )
    assert found.members == {}


def test_a_group_means_its_members_and_itself() -> None:
    found = done("light.turn_off", ALL_LIGHTS)
    assert keys(found) == ["desk", "sofa"]
    assert all(target.group is ALL_LIGHTS for target in found.targets)
    assert [effect.device for effect in found.effects] == ["desk", "sofa", "all_lights"]
    assert found.members == {"all_lights": ("desk", "sofa")}


def test_nested_groups_and_circles_come_to_an_end() -> None:
    inner = device("inner", "light", members=("desk", "outer"))
    outer = device("outer", "light", members=("inner", "sofa", "desk"))
    found = done("light.turn_off", outer, house(inner, outer))
    assert sorted(keys(found)) == ["desk", "sofa"]
    circle = device("circle", "light", members=("circle",))
    assert failed("light.turn_off", circle) == (Reason.UNKNOWN_TARGET, "target")


def test_a_member_that_is_gone_is_left_out_and_a_hidden_one_is_not() -> None:
    group = device("group", "light", members=("desk", "gone"))
    where = house(group)
    where.hidden = frozenset({"desk"})
    assert keys(done("light.turn_off", group, where)) == ["desk"]
    empty = device("empty", "light", members=("gone",))
    assert failed("light.turn_off", empty) == (Reason.UNKNOWN_TARGET, "target")


def test_two_names_of_one_thing_are_one_target() -> None:
    matter = device("sofa_matter", "light", physical="sofa")
    both = device("both", "light", members=("sofa", "sofa_matter"))
    where = house(matter, both)
    found = done("light.turn_on", both, where, brightness_pct=20)
    assert keys(found) == ["sofa"]
    assert found.targets[0].aliases == (matter,)
    assert len([e for e in found.effects if e.device == "sofa"]) == 2
    alone = done("light.turn_on", matter, where)
    assert keys(alone) == ["sofa"]
    assert alone.targets[0].device is matter
    assert alone.targets[0].aliases == (SOFA,)


def test_what_stands_for_a_thing_counts_though_it_is_hidden() -> None:
    matter = device("sofa_matter", "light", physical="sofa")
    where = house(matter)
    where.hidden = frozenset({"sofa"})
    found = done("light.turn_on", matter, where)
    assert found.targets[0].aliases == (SOFA,)


def test_a_plug_shown_as_a_lamp_is_held_as_the_plug() -> None:
    """Home Assistant's "switch as X": another domain, the same relay."""
    lamp = device("plug_as_lamp", "light", physical="plug")
    found = done("light.turn_on", lamp, house(lamp))
    assert found.effects == (Effect("plug", "state", "on"),)


def test_a_white_lamp_of_a_group_gets_no_color() -> None:
    white = device(
        "white",
        "light",
        features=frozenset({"light.turn_on", "light.turn_off", "brightness_pct"}),
    )
    group = device("group", "light", members=("desk", "white"))
    where = house(white, group)
    found = done("light.turn_on", group, where, brightness_pct=30, rgb_color=[1, 2, 3])
    attributes = {d: set[str]() for d in ("desk", "white", "group")}
    for effect in found.effects:
        attributes[effect.device].add(effect.attribute)
    assert attributes["desk"] == attributes["group"]
    assert attributes["desk"] - attributes["white"] == {"rgb_color"}
    assert supported({"rgb_color": [1, 2, 3]}, white) == {}
    assert failed("light.turn_on", white, rgb_color=[1, 2, 3]) == (
        Reason.UNSUPPORTED,
        "rgb_color",
    )


@pytest.mark.parametrize(
    ("name", "one", "parameters", "reason", "field"),
    [
        ("lock.unlock", DESK, {}, Reason.UNSUPPORTED, "operation"),
        ("light.turn_on", DESK, {"flash": 1}, Reason.BAD_PARAMETER, "flash"),
        ("light.turn_on", DESK, {"transition": -1}, Reason.BAD_PARAMETER, "transition"),
        (
            "cover.stop_cover",
            device("flap", "cover", features=frozenset({"cover.open_cover"})),
            {},
            Reason.UNSUPPORTED,
            "operation",
        ),
    ],
)
def test_what_cannot_be_done_is_said(
    name: str, one: Device, parameters: dict[str, Json], reason: Reason, field: str
) -> None:
    assert failed(name, one, None, **parameters) == (reason, field)


def test_effects_read_the_present_values() -> None:
    blind = device("shade", "cover")
    where = house(blind, values={"shade": {"current_position": 30}})
    found = done("cover.close_cover", blind, where)
    assert Effect("shade", "current_position", 0) in found.effects
    assert len(done("cover.close_cover", blind).effects) == 1


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdefxy")), min_size=1
    )
)
def test_targets_are_the_leaves_of_any_graph(graph: dict[str, set[str]]) -> None:
    known = {
        name: device(name, "light", members=tuple(sorted(members)))
        for name, members in graph.items()
    }
    known |= {name: device(name, "light") for name in "xy"}
    where = TestHouse(known=known)
    start = min(graph)
    reached, waiting = set[str](), {start}
    while waiting:
        reached |= waiting
        waiting = {m for n in waiting for m in known[n].members if m in known} - reached
    leaves = {name for name in reached if not known[name].members}
    found = compile_action(OPERATIONS["light.turn_off"], {}, known[start], where)
    if leaves:
        assert isinstance(found, Compiled)
        assert set(keys(found)) == leaves
        assert len(keys(found)) == len(leaves)
    else:
        assert isinstance(found, Problem)


def test_another_domain_in_a_group_is_not_told() -> None:
    mixed = device("mixed", "light", members=("desk", "radio"))
    assert keys(done("light.turn_off", mixed, house(mixed))) == ["desk"]
    only = replace(mixed, members=(RADIO.id,))
    assert failed("light.turn_off", only) == (Reason.UNKNOWN_TARGET, "target")


def test_f19_a_recipe_meets_the_hold_on_the_television_it_controls() -> None:
    """Two managers, one device: the hold is on the thing, not on its entity."""
    television = device("tv", "media_player")
    recipe = replace(
        device("tv_remote", "media_player", physical="tv"), manager="darcy"
    )
    where = house(television, recipe)
    playing = replace(SOME_HOLD, device="tv", attribute="state", value="playing")
    found = done("media_player.turn_off", recipe, where)
    answer = arbitrate(
        found.effects, SourceClass.AGENT, ANNA, [playing], now=NOW, policy=Policy()
    )
    assert answer.answer is Answer.REFUSED
