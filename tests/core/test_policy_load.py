"""Reading a policy: whole or not at all, and every mistake by line and name."""

from pathlib import Path
from random import Random
import re
import subprocess
import sys

from hypothesis import given, settings, strategies as st
import pytest
import yaml

from hearthnet.core.agents import tally
from hearthnet.core.operations import Risk
from hearthnet.core.policy import load as load_module
from hearthnet.core.policy.load import MAX_CHARACTERS, PRESETS, load, preset
from hearthnet.core.policy.model import Declared
from hearthnet.core.policy.parse_conditions import REMEMBERED
from hearthnet.core.policy.spots import PolicyError

from .homes import SEEDS
from .recipes import WITH_RECIPES
from .rules import draw_policy, text


def rule(*lines: str) -> str:
    """Return a policy of one rule; its lines begin in line 4."""
    indented = [f"    {line}" for line in lines]
    return "\n".join(["version: 1", "rules:", "  - id: r", *indented])


ALLOW = "effect: allow"


@pytest.mark.parametrize(
    ("written", "mistake"),
    [
        ("", "line 1: text: empty"),
        ("version: 1\nrules: }", "line 2: text: not YAML"),
        ("a: 1\nb:\n\t- c", "line 3: text: not YAML"),
        ("version: 1\nname: \x07", "line 2: text: not YAML"),
        ("a: *nowhere", "line 1: text: not YAML"),
        ("a: &a [*a]", "line 1: text: nested too deeply"),
        ("a: !secret b", "line 1: text: !secret is not supported"),
        ("? [a]\n: b", "line 1: text: a name must be a text"),
        ("version: 1\nname: a\nname: b", "line 3: name: given twice; it is in line 2"),
        ("- a", "line 1: policy: expected names and values"),
        ("rules: []", "line 1: version: missing; write version: 1"),
        ("version: 2", "line 1: version: this HearthNet reads 1"),
        ("version: 1\nrule: []", "line 2: rule: unknown; did you mean rules?"),
        ("version: 1\nrules: {}", "line 2: rules: expected a list"),
        ("version: 1\nrules:\n  - effect: deny", "line 3: rules[0].id: missing"),
        ("version: 1\nrules: [5]", "line 2: rules[0]: expected names and values"),
        (
            "version: 1\nunclassified_switches: ask",
            "line 2: unclassified_switches: 'ask' is unknown; known are allow, confirm",
        ),
        (
            "version: 1\npersons: roles",
            "line 2: persons: 'roles' is unknown; did you mean role?",
        ),
        (
            "version: 1\nanswered_switches: lamp",
            "line 2: answered_switches: 'lamp' is no entity id such as light.desk",
        ),
        (
            "version: 1\nsame_as:\n  - [light.a]",
            "line 3: same_as[0]: name at least two",
        ),
        (
            "version: 1\nsame_as:\n  - [light.a, light.b]\n  - [light.b, light.c]",
            "line 4: same_as[1]: an entity is in two sets; join the sets",
        ),
        (
            "version: 1\nholds:\n  person_minutes: -1",
            "line 3: holds.person_minutes: expected a number from 0 to 10080",
        ),
        (
            "version: 1\nholds: {person: 3}",
            "line 2: holds.person: unknown; did you mean person_minutes?",
        ),
        (rule("why: x"), "line 3: rules[0].effect: missing"),
        (
            rule("effect: alow"),
            "line 4: rules[0].effect: 'alow' is unknown; did you mean allow?",
        ),
        (
            rule(ALLOW) + "\n  - id: r\n    effect: deny",
            "line 5: rules[1].id: r is in line 3 already; take another",
        ),
        (
            rule(ALLOW).replace("id: r", "id: Quiet hours"),
            "line 3: rules[0].id: use small letters",
        ),
        (rule(ALLOW, "why: 5"), "line 5: rules[0].why: expected a text"),
        (
            rule(ALLOW, "subjects: {role: gest}"),
            "line 5: rules[0].subjects.role: 'gest' is unknown; did you mean guest?",
        ),
        (
            rule(ALLOW, "subjects: {roles: guest}"),
            "line 5: rules[0].subjects.roles: unknown; did you mean role?",
        ),
        (
            rule(ALLOW, "targets:", "  area: []"),
            "line 6: rules[0].targets.area: empty; leave it out or name something",
        ),
        (
            rule(ALLOW, "targets: {domain: lights}"),
            "line 5: rules[0].targets.domain: 'lights' is unknown; did you mean light?",
        ),
        (
            rule(ALLOW, "targets: {entity: desk}"),
            "line 5: rules[0].targets.entity: 'desk' is no entity id",
        ),
        (
            rule(ALLOW, "operations:", "  - light.turn_on", "  - light.toggle"),
            "line 7: rules[0].operations: 'light.toggle' is unknown; did you mean",
        ),
        (
            rule("effect: deny", "bounds: {volume_level: 1}"),
            "line 5: rules[0].bounds: deny has none; use effect: limit",
        ),
        (rule("effect: limit"), "line 3: rules[0].bounds: missing; limit needs"),
        (
            rule(ALLOW, "operations: light.*", "bounds: {volume_level: 1}"),
            "line 6: rules[0].bounds.volume_level: no operation of this rule has it",
        ),
        (
            rule(ALLOW, "bounds: {volume_level: {max: 30}}"),
            "line 5: rules[0].bounds.volume_level: 30 cannot be: expected a number",
        ),
        (
            rule(ALLOW, "bounds: {volume_level: {min: 0.5, max: 0.2}}"),
            "line 5: rules[0].bounds.volume_level: no value lies in it",
        ),
        (
            rule(ALLOW, "bounds: {volume_level: {}}"),
            "line 5: rules[0].bounds.volume_level: expected min, max, above or below",
        ),
        (
            rule(ALLOW, "bounds: {volume_level: {max: loud}}"),
            "line 5: rules[0].bounds.volume_level.max: expected a number",
        ),
        (
            rule(ALLOW, "bounds: {volume_level: []}"),
            "line 5: rules[0].bounds.volume_level: empty; name the values",
        ),
        (
            rule(ALLOW, "bounds: {volume_level: }"),
            "line 5: rules[0].bounds.volume_level: None cannot be",
        ),
        (
            rule(ALLOW, "bounds: 5"),
            "line 5: rules[0].bounds: expected names and values",
        ),
        (
            rule(ALLOW, "conditions:", "  time: 22:00-7:00"),
            "line 6: rules[0].conditions.time: expected a time of day such as",
        ),
        (
            rule(ALLOW, "conditions: {time: 07:00-07:00}"),
            "line 5: rules[0].conditions.time: no time at all; the whole day is",
        ),
        (
            rule(ALLOW, "conditions: {time: 07:00-25:00}"),
            "line 5: rules[0].conditions.time: expected a time of day such as",
        ),
        (
            rule(ALLOW, "conditions: {weekday: friday}"),
            "line 5: rules[0].conditions.weekday: 'friday' is unknown; did you mean",
        ),
        (
            rule(ALLOW, "conditions: {presence: away}"),
            "line 5: rules[0].conditions.presence: 'away' is unknown; known are",
        ),
        (
            rule(ALLOW, "conditions: {evidence_from: high}"),
            "line 5: rules[0].conditions.evidence_from: 'high' is unknown; known are",
        ),
        (
            rule(ALLOW, "conditions: {more_devices_than: 3}"),
            "line 5: rules[0].conditions: more_devices_than and more_often_than belong",
        ),
        (
            rule("effect: deny", "conditions: {more_devices_than: 1.5}"),
            "line 5: rules[0].conditions.more_devices_than: expected a whole number",
        ),
        (
            rule("effect: deny", "conditions: {more_often_than: {times: 3}}"),
            "line 5: rules[0].conditions.more_often_than.seconds: missing",
        ),
        (
            rule(
                "effect: deny",
                "conditions: {more_often_than: {times: 3, seconds: 3601}}",
            ),
            "line 5: rules[0].conditions.more_often_than.seconds: expected a number",
        ),
        (
            rule("effect: deny", "except: {}"),
            "line 5: rules[0].except: names nothing, so it would leave out all",
        ),
        (
            rule("effect: deny", "except: {conditions: {}}"),
            "line 5: rules[0].except.conditions: unknown",
        ),
        ("a" * (MAX_CHARACTERS + 1), "line 1: text: longer than"),
    ],
)
def test_a_mistake_is_named_by_line_field_and_remedy(
    written: str, mistake: str
) -> None:
    for loader in (yaml.SafeLoader, load_module._LOADER):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(load_module, "_LOADER", loader)
            with pytest.raises(PolicyError) as caught:
                load(written)
        assert any(str(m).startswith(mistake) for m in caught.value.mistakes), str(
            caught.value
        )


def test_all_mistakes_are_named_at_once() -> None:
    written = rule("effect: alow").replace("version: 1", "version: 3\npersons: x")
    with pytest.raises(PolicyError) as caught:
        load(written)
    assert [m.line for m in caught.value.mistakes] == [1, 2, 5]


BYTES = st.binary(max_size=100).map(lambda data: data.decode("latin1"))


@settings(deadline=None)
@given(st.text(max_size=200) | BYTES)
def test_any_text_is_refused_with_reasons(written: str) -> None:
    """No text of chance has a version, so none of them is a policy."""
    with pytest.raises(PolicyError) as caught:
        load(written)
    assert caught.value.mistakes
    assert all(m.line >= 1 and m.field and m.text for m in caught.value.mistakes)


@settings(deadline=None, max_examples=300)
@given(SEEDS, st.integers(0, 10_000), st.sampled_from(["", "x", ":", "]", "5", "\n"]))
def test_a_damaged_policy_never_half_loads(seed: int, place: int, junk: str) -> None:
    """Whatever loads after the damage has all its rules."""
    whole = text(draw_policy(Random(seed)))
    place %= len(whole)
    damaged = whole[:place] + junk + whole[place + 1 :]
    try:
        loaded = load(damaged)
    except PolicyError:
        return
    assert len(loaded.rules) == len(yaml.safe_load(damaged)["rules"])


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_loads_and_says_why_in_every_rule(name: str) -> None:
    policy = load(preset(name))
    assert policy.name == name
    assert all(rule.why for rule in policy.rules)
    assert len({rule.id for rule in policy.rules}) == len(policy.rules)


def test_every_example_of_the_page_loads() -> None:
    page = (Path(__file__).parents[2] / "docs" / "policy.md").read_text("utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(blocks) > 3
    for block in blocks:
        whole = block.startswith(("rules:", "scripts:"))
        text = f"version: 1\n{block if whole else f'rules:\n{block}'}"
        policy = load(text, WITH_RECIPES)
        assert policy.rules or policy.declared


def test_of_two_edges_the_tighter_counts() -> None:
    edges = "{min: 5, above: 10, max: 60, below: 50}"
    (found,) = load(rule("effect: allow", f"bounds: {{position: {edges}}}")).rules
    bound = found.bounds["position"]
    inside = [value for value in (5, 10, 11, 49, 50, 60) if bound.admits(value)]
    assert inside == [11, 49]
    turned = "{min: 10, above: 5, max: 50, below: 60}"
    (found,) = load(rule("effect: allow", f"bounds: {{position: {turned}}}")).rules
    bound = found.bounds["position"]
    assert [value for value in (9, 10, 50, 51) if bound.admits(value)] == [10, 50]


def test_no_rate_reaches_further_back_than_the_root_counts() -> None:
    assert REMEMBERED == tally.REMEMBERED
    load(
        rule("effect: deny", "conditions: {more_often_than: {times: 3, seconds: 3600}}")
    )


def test_there_is_no_other_preset() -> None:
    with pytest.raises(KeyError):
        preset("../presets/balanced")


def test_only_the_loader_needs_pyyaml() -> None:
    """A phone decides nothing by policy, but imports what holds and leases need."""
    code = (
        "import sys; sys.modules['yaml'] = None\n"
        "import hearthnet.core.policy.evaluate, hearthnet.core.arbitrate\n"
        "import hearthnet.core.holding, hearthnet.core.compile\n"
        "import hearthnet.core.relative, hearthnet.core.tasks, hearthnet.core.domains\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_scripts_and_scenes_exist_only_as_declared() -> None:
    policy = load(
        """
        version: 1
        scripts:
          - {entity: script.good_night, members: [light.hall, lock.front], risk: normal}
        scenes:
          - {entity: scene.hue_sunset, members: light.desk}
        """
    )
    assert policy.declared == {
        "script.good_night": Declared(
            members=frozenset({"light.hall", "lock.front"}), risk=Risk.NORMAL
        ),
        # Nothing was said of the risk, so somebody is asked.
        "scene.hue_sunset": Declared(members=frozenset({"light.desk"})),
    }


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ("{entity: script.a}", "scripts[0].members"),
        ("{members: light.a}", "scripts[0].entity"),
        ("{entity: scene.a, members: light.a}", "scripts[0].entity"),
        ("{entity: script.a, members: light.a, risk: low}", "scripts[0].risk"),
        ("{entity: script.a, members: []}", "scripts[0].members"),
    ],
)
def test_mistakes_in_a_declaration(item: str, field: str) -> None:
    with pytest.raises(PolicyError) as caught:
        load(f"version: 1\nscripts:\n  - {item}\n")
    assert [mistake.field for mistake in caught.value.mistakes] == [field]
