"""Names in a policy that nothing goes by (C13)."""

from hearthnet.core.policy.load import load, preset
from hearthnet.core.policy.renamed import renamed
from hearthnet.core.policy.strays import Names, strays

NOBODY = Names(
    entities=frozenset(),
    devices=frozenset(),
    areas=frozenset(),
    floors=frozenset(),
    labels=frozenset(),
)
TEXT = """version: 1
rules:
  - {id: everybody, effect: allow}
  - id: night
    effect: deny
    targets: {entity: [light.bed, light.gone], area: Attic, floor: Top, label: Loud}
    except:
      - {targets: {entity: light.exempt}}
same_as: [[light.bed, light.twin]]
safety_automations: [automation.smoke]
switches_as_persons: [light.bed]
scripts:
  - {entity: script.party, members: [light.disco]}
"""


def test_each_name_is_told_with_its_place() -> None:
    known = Names(
        entities=frozenset({"light.bed"}),
        devices=frozenset(),
        areas=frozenset({"Attic"}),
        floors=frozenset(),
        labels=frozenset({"loud"}),
    )
    assert tuple(map(str, strays(load(TEXT), known))) == (
        "line 4, night, entity: light.gone",
        "line 4, night, floor: Top",
        "line 4, night, label: Loud",
        "line 4, night, entity: light.exempt",
        "same_as: light.twin",
        "safety_automations: automation.smoke",
        "scripts, scenes: script.party",
        "script.party: light.disco",
    )


def test_what_ships_names_nothing_of_a_home() -> None:
    for name in ("cautious", "balanced", "relaxed"):
        assert strays(load(preset(name)), NOBODY) == ()


OWNERS = """# Ours.
version: 1
name: Attic
rules:
  - id: attic  # the whole of it
    why: Attic is for Ben
    effect: deny
    targets: {area: [Attic, 'Cellar'], label: Attic}
    except:
      - {targets: {entity: "light.attic"}}
  - {id: two, effect: allow, targets: {area: Attic}}
same_as: [[light.attic, light.other]]
scripts:
  - {entity: script.party, members: [light.attic]}
"""


def test_a_name_is_put_for_another_and_all_else_stays() -> None:
    there = renamed(OWNERS, "area", "Attic", 'Ben\'s "den"')
    assert there == OWNERS.replace("[Attic,", '["Ben\'s \\"den\\"",').replace(
        "targets: {area: Attic}", 'targets: {area: "Ben\'s \\"den\\""}'
    )
    policy = load(there)
    assert policy.rules[0].targets.areas == {'Ben\'s "den"', "Cellar"}
    assert policy.rules[0].targets.labels == {"Attic"}
    lamps = renamed(OWNERS, "entity", "light.attic", "light.den")
    assert lamps.count('"light.den"') == 3
    assert "light.attic" not in lamps
    assert (
        load(lamps).same_as == load(OWNERS.replace("light.attic", "light.den")).same_as
    )
    assert renamed(OWNERS, "floor", "Attic", "Top") == OWNERS
