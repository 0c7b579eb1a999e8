"""Reading a policy: every field that there is."""

from hearthnet.core.leases import Bound
from hearthnet.core.operations import Risk
from hearthnet.core.policy.load import load
from hearthnet.core.policy.model import (
    Decision,
    Evidence,
    Exclusion,
    PersonOrder,
    RuleEffect,
    Subjects,
    Targets,
    Unrecorded,
)

WHOLE = """\
version: 1
name: mine
unclassified_switches: deny
answered_switches: [switch.lamp]
when_unrecorded: nothing
persons: role
roles: [owner, lodger]
same_as:
  - [light.hue, light.matter]
safety_automations: [automation.smoke]
switches_as_persons: light.hall
holds: {person_minutes: 45, agent_minutes: 5, cool_down_minutes: 0}
rules:
  - id: one
    effect: limit
    why: because
    subjects: {manager: jeeves, role: lodger, origin: [app, voice], principal: abc}
    targets:
      entity: media_player.tv
      device: 0a1b
      area: Living room
      floor: down
      label: [work, play]
      domain: media_player
      device_class: tv
    operations: [media_player.*, light.turn_on, free]
    bounds:
      volume_level: {min: 0.1, below: 0.5}
      source: [HDMI 1, off]
      is_volume_muted: true
    conditions:
      time: 22:00-24:00
      weekday: [mon, sun]
      presence: [Anna]
      evidence_from: mapped
      evidence_below: strong
      values: {brightness_pct: {above: 10, max: 20}}
    except:
      - subjects: {role: owner}
      - targets: {label: mine}
        operations: light.*
"""


def test_every_field_is_read() -> None:
    policy = load(WHOLE)
    assert policy.name == "mine"
    assert policy.unclassified_switches is Decision.DENY
    assert policy.answered_switches == {"switch.lamp"}
    assert policy.when_unrecorded is Unrecorded.NOTHING
    assert policy.persons is PersonOrder.ROLE
    assert policy.roles == ("owner", "lodger")
    assert policy.same_as == (frozenset({"light.hue", "light.matter"}),)
    assert policy.safety_automations == {"automation.smoke"}
    assert policy.switches_as_persons == {"light.hall"}
    assert (policy.holds.person, policy.holds.agent) == (45, 5)
    assert (policy.holds.cool_down, policy.holds.schedule) == (0, 0)
    (rule,) = policy.rules
    assert (rule.id, rule.effect, rule.why) == ("one", RuleEffect.LIMIT, "because")
    assert rule.line == 14
    assert rule.subjects == Subjects(
        managers=frozenset({"jeeves"}),
        roles=frozenset({"lodger"}),
        origins=frozenset({"app", "voice"}),
        principals=frozenset({"abc"}),
    )
    assert rule.targets == Targets(
        entities=frozenset({"media_player.tv"}),
        devices=frozenset({"0a1b"}),
        areas=frozenset({"Living room"}),
        floors=frozenset({"down"}),
        labels=frozenset({"work", "play"}),
        domains=frozenset({"media_player"}),
        device_classes=frozenset({"tv"}),
    )
    assert rule.operations.names == {"light.turn_on"}
    assert rule.operations.domains == {"media_player"}
    assert rule.operations.risks == {Risk.FREE}
    volume = rule.bounds["volume_level"]
    assert volume.admits(0.1)
    assert volume.admits(0.4999)
    assert not volume.admits(0.5)
    # YAML 1.1 would read `off` as false and 22:00 as a number.
    assert rule.bounds["source"] == Bound(choices=("HDMI 1", "off"))
    assert rule.bounds["is_volume_muted"] == Bound(exact=True)
    conditions = rule.conditions
    assert conditions.window is not None
    assert (conditions.window.start.hour, conditions.window.end) == (22, None)
    assert conditions.weekdays == {0, 6}
    assert conditions.somebody_home is None
    assert conditions.persons_home == {"Anna"}
    assert conditions.evidence_from is Evidence.MAPPED
    assert conditions.evidence_below is Evidence.STRONG
    assert not conditions.values["brightness_pct"].admits(10)
    assert conditions.values["brightness_pct"].admits(20)
    owner, light = rule.exceptions
    assert owner == Exclusion(subjects=Subjects(roles=frozenset({"owner"})))
    assert light.targets.labels == {"mine"}
    assert light.operations.domains == {"light"}
