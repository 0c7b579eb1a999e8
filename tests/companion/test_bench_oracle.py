"""The oracle of the bench, on cases that were thought out by hand."""

import ast
from pathlib import Path
from typing import Any

import pytest

from hearthnet.bench import verdicts
from hearthnet.bench.verdicts.oracle import Oracle, Use
from hearthnet.bench.verdicts.oracle_holds import Happened, Held, against, judge, replay
from hearthnet.bench.verdicts.oracle_policy import Asked, decide
from hearthnet.bench.verdicts.plain import HUB, LOCAL, Thing

ORACLE = ("plain", "facts", "oracle", "oracle_holds", "oracle_policy")
ANNA = {"kind": "user", "id": "anna", "role": "owner"}
BEN = {"kind": "user", "id": "ben", "role": "resident"}
ROUTINE = {"kind": "automation", "id": "dusk", "role": "automation"}
POLICY: dict[str, Any] = {
    "version": 1,
    "rules": [
        {"id": "all", "effect": "allow", "subjects": {"role": ["owner", "automation"]}},
        {"id": "safe", "effect": "allow", "operations": ["free"]},
        {"id": "ask", "effect": "confirm", "operations": ["lock.unlock"]},
    ],
    "persons": "newest",
    "roles": ["owner", "resident"],
    "holds": {
        "person_minutes": 30,
        "automation_minutes": 0,
        "schedule_minutes": 0,
        "cool_down_minutes": 10,
    },
}


@pytest.mark.parametrize("name", ORACLE)
def test_it_shares_no_code_with_what_it_judges(name: str) -> None:
    folder = Path(verdicts.__file__).parent
    for node in ast.walk(ast.parse((folder / f"{name}.py").read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not any("hearthnet" in alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 or node.module in ORACLE
            assert node.level == 1 or "hearthnet" not in str(node.module)


# Policy


def asked(operation: str, who: dict[str, str] = ANNA, **fields: Any) -> Asked:
    return Asked(
        **{
            "who": who,
            "origin": "app",
            "operation": operation,
            "parameters": {},
            "targets": [["lamp"]],
            "minute": 12 * 60,
            "recent": {},
            **fields,
        }
    )


def policy(*rules: dict[str, Any]) -> dict[str, Any]:
    return POLICY | {"rules": [*POLICY["rules"], *rules]}


def test_policy_opens_only_by_allow_and_the_strictest_word_wins() -> None:
    assert decide(POLICY, asked("light.turn_on")) == "allow"
    assert decide(POLICY, asked("light.turn_on", BEN)) == "deny"
    assert decide(POLICY, asked("light.turn_off", BEN)) == "allow"
    assert decide(POLICY, asked("lock.unlock")) == "confirm"
    never = {"id": "never", "effect": "deny", "targets": {"device": ["lamp"]}}
    assert decide(policy(never), asked("lock.unlock")) == "deny"
    other = asked("light.turn_on", targets=[["twin", "lamp"]])
    assert decide(policy(never), other) == "deny"
    assert decide(policy(never), asked("light.turn_on", targets=[["fan"]])) == "allow"


def test_policy_bounds_values_and_times() -> None:
    dim = {
        "id": "dim",
        "effect": "limit",
        "operations": ["light.turn_on"],
        "bounds": {"brightness_pct": {"max": 40}},
        "conditions": {"time": "22:00-07:00"},
    }
    night = 23 * 60
    for level, minute, word in (
        (40, night, "allow"),
        (50, night, "deny"),
        (50, 7 * 60, "allow"),
        (50, 7 * 60 - 1, "deny"),
    ):
        request = asked(
            "light.turn_on", parameters={"brightness_pct": level}, minute=minute
        )
        assert decide(policy(dim), request) == word
    # Told nothing, a lamp picks its level itself.
    assert decide(policy(dim), asked("light.turn_on", minute=night)) == "deny"


def test_policy_counts_grants() -> None:
    often = {
        "id": "often",
        "effect": "deny",
        "conditions": {"more_often_than": {"times": 2, "seconds": 60}},
    }
    for ages, word in (([1, 70], "allow"), ([1, 50], "deny")):
        request = asked("light.turn_on", recent={"lamp": ages})
        assert decide(policy(often), request) == word


def test_nobody_in_particular_may_do_what_is_safe() -> None:
    for operation, word in (("light.turn_off", "allow"), ("light.turn_on", "deny")):
        assert decide(POLICY, asked(operation, ANNA, origin="agent")) == word


# Holds


def got(n: int, now: float, who: dict[str, str] = ANNA, **fields: Any) -> Happened:
    return Happened(
        **{
            "n": n,
            "hub": (1, n),
            "now": now,
            "kind": "got",
            "values": {"state": "on"},
            "who": who,
            "until": now + 60,
            **fields,
        }
    )


def test_holds_come_and_go() -> None:
    first, again = got(1, 0), got(2, 10, values={"state": "off"})
    (held,) = replay([first])
    assert held.stands(59)
    assert not held.stands(60)
    old, new = replay([first, again])
    assert (old.ended, new.ended) == (again, None)
    # A weaker source ends nothing, a stronger one does.
    for source, ended in (("automation", False), ("safety", True)):
        other = got(2, 10, ROUTINE, source=source, values={"state": "off"}, until=None)
        (held,) = replay([first, other])
        assert (held.ended is other) is ended
    # What agrees ends nothing.
    (held,) = replay([first, got(2, 10, ROUTINE, source="safety", until=None)])
    assert held.ended is None


def test_a_word_in_between_does_not_shorten_what_was_meant_to_stand() -> None:
    standing = got(1, 0, until=1000, leaves="standing")
    _, new = replay([standing, got(2, 10)])
    assert new.until == 1000


def test_a_switch_ends_holds_and_keeps_the_weak_off() -> None:
    switched = got(2, 10, {"kind": "system", "id": "switch"}, kind="switched")
    old, quiet = replay([got(1, 0, values={"state": "off"}), switched])
    assert old.ended is switched
    assert quiet.quiet
    for source, answer in (("schedule", "refused"), ("automation", "free")):
        assert judge(quiet, source, ROUTINE, "newest", ()) == answer


def held(attribute: str, value: Any) -> Held:
    return Held(made=got(1, 0), attribute=attribute, value=value, until=60)


def test_what_strikes_a_hold() -> None:
    assert against({"state": "off"}, held("brightness_pct", 20))
    assert against({"state": "on"}, held("state", "off"))
    assert against({"brightness_pct": 30}, held("brightness_pct", 20))
    assert not against({"brightness_pct": 20}, held("brightness_pct", 20))
    assert not against({"state": "on"}, held("brightness_pct", 20))
    assert not against({"state": "off"}, held("state", "off"))


def test_who_yields_to_whom() -> None:
    hold = held("state", "on")
    roles = ("owner", "resident")
    assert judge(hold, "automation", ROUTINE, "newest", roles) == "refused"
    assert judge(hold, "safety", ROUTINE, "newest", roles) == "yields"
    assert judge(hold, "person", ANNA, "role", roles) == "yields"
    assert judge(hold, "person", BEN, "newest", roles) == "yields"
    assert judge(hold, "person", BEN, "role", roles) == "refused"
    hold.made.leaves = "automation"
    assert judge(hold, "automation", ROUTINE, "newest", roles) == "ask"


# Verdicts


class Story:
    """A home of one lamp with two names at a manager of its own, told step by step."""

    def __init__(self) -> None:
        lamp = Thing(id="lamp", agent="phone", key="lamp")
        twin = Thing(id="twin", agent="phone", key="lamp")
        self.oracle = Oracle(things={"lamp": lamp, "twin": twin})
        self.now = 0.0
        self.numbers = {HUB: 0, "phone": 0}
        for node, agent in ((HUB, LOCAL), ("phone", "phone")):
            self.oracle.started(node, agent, 1, self.now)
        self.put_policy(POLICY)
        self.hear("phone", self.seen("on"))

    def say(self, node: str, kind: str, **fields: Any) -> dict[str, Any]:
        self.numbers[node] += 1
        message = {"id": f"{node}.1.{self.numbers[node]}", "type": kind, **fields}
        self.oracle.said(node, message, self.now)
        return message

    def hear(self, node: str, message: dict[str, Any]) -> None:
        listener = HUB if node != HUB else "phone"
        self.oracle.heard(listener, node, message, self.now)

    def put_policy(self, rules: dict[str, Any]) -> dict[str, Any]:
        text = str(rules).replace("'", '"')
        return self.say(HUB, "policy", writes={"policy.yaml": text})

    def seen(self, state: str, **body: Any) -> dict[str, Any]:
        values = {"state": state}
        return self.say(
            "phone", "observation", body={"device": "lamp", "values": values, **body}
        )

    def propose(
        self, operation: str = "light.turn_on", who: dict[str, str] = ANNA
    ) -> dict[str, Any]:
        """Take an intent as far as its proposal."""
        origin = "automation" if who is ROUTINE else "app"
        body = {"text": "-", "principal": who, "origin": origin, "deadline": 120}
        intent = self.say(HUB, "intent", body=body)
        task = self.say(
            HUB,
            "task",
            intent=intent["id"],
            body={"device": "lamp", "operation": operation, "use": None},
        )
        return self.say(
            "phone",
            "proposal",
            **{"from": "phone", "task": task["id"], "intent": intent["id"]},
            body={"device": "lamp", "operation": operation, "parameters": {}},
        )

    def grant(self, proposal: dict[str, Any]) -> str:
        """Grant what was proposed; the grant arrives."""
        task = self.oracle.tasks[proposal["task"]]
        grant = self.say(
            HUB,
            "grant",
            cause=proposal["id"],
            task=proposal["task"],
            intent=proposal["intent"],
            body={
                "grantee": "phone",
                "target": ["lamp"],
                "operation": proposal["body"]["operation"],
                "principal": task.intent["principal"],
                "envelope": {},
                "ttl": 30.0,
            },
        )
        self.oracle.arrived["phone", grant["id"]] = True
        return str(grant["id"])

    def root(self, proposal: dict[str, Any]) -> list[str]:
        return self.oracle.at_root(proposal, self.now)

    def gate(self, lease: str, **other: Any) -> list[str]:
        operation = self.oracle.grants[lease].message["body"]["operation"]
        fields: dict[str, Any] = {
            "grantee": "phone",
            "target": ["lamp"],
            "operation": operation,
            "parameters": {},
            **other,
        }
        return self.oracle.at_gate("phone", lease, Use(**fields), self.now)


@pytest.fixture
def story() -> Story:
    return Story()


def test_a_good_lease(story: Story) -> None:
    proposal = story.propose()
    assert story.root(proposal) == []
    lease = story.grant(proposal)
    assert story.gate(lease) == []
    assert story.oracle.taken(["lamp"], story.now)
    assert story.oracle.naive(lease)
    story.say(HUB, "alert", body={})
    assert not story.oracle.naive(lease)
    assert story.gate(lease) == []


def test_what_a_request_may_be(story: Story) -> None:
    lease = story.grant(story.propose())
    assert story.gate(lease, grantee="mallory") == ["wrong_grantee"]
    assert story.gate(lease, target=["fan"]) == ["wrong_target"]
    assert story.gate(lease, operation="light.turn_off") == ["wrong_operation"]
    assert story.gate(lease, parameters={"transition": 1}) == ["out_of_envelope"]


def test_the_device_changed_before_the_hub_knew(story: Story) -> None:
    """Freshness: what the decision could not rest on, whenever it was."""
    proposal = story.propose()
    change = story.seen("off")
    lease = story.grant(proposal)
    assert story.gate(lease) == ["stale_state"]
    story.hear("phone", change)
    assert story.gate(lease) == ["stale_state"]
    again = story.propose()
    assert story.root(again) == []
    assert story.gate(story.grant(again)) == []


def test_the_plan_is_old_once_the_hub_hears_of_a_change(story: Story) -> None:
    proposal, off = story.propose(), story.propose("light.turn_off")
    change = story.seen("off")
    assert story.root(proposal) == []
    story.hear("phone", change)
    assert story.root(proposal) == ["stale_state"]
    assert story.root(off) == []


def test_a_policy_counts_once_the_gate_hears_of_it(story: Story) -> None:
    lease = story.grant(story.propose())
    edit = story.put_policy(POLICY)
    assert story.oracle.on_its_way(lease)
    assert story.gate(lease) == []
    story.hear(HUB, edit)
    assert story.gate(lease) == ["stale_policy"]


def test_time_use_and_later_leases(story: Story) -> None:
    lease = story.grant(story.propose())
    story.now = 30.0
    assert story.gate(lease) == ["expired"]
    assert story.oracle.taken(["lamp"], 31.4)
    assert not story.oracle.taken(["lamp"], 31.5)
    later = story.grant(story.propose())
    body = {"target": ["twin"], "grantee": "phone"}
    execute = story.say("phone", "execute", lease=later, body=body)
    assert story.gate(later) == ["consumed"]
    assert story.gate(lease) == ["expired", "superseded"]
    assert story.oracle.hindrances(lease) == {"reserved"}
    receipt = {"members": {"twin": "unknown"}, "values": {}}
    story.say("phone", "receipt", cause=execute["id"], lease=later, body=receipt)
    assert story.oracle.hindrances(lease) == set()


def test_boots_void_what_was_asked(story: Story) -> None:
    lease = story.grant(story.propose())
    story.oracle.fences["phone"] = 2
    assert story.gate(lease) == ["fenced"]
    story.oracle.started("phone", "phone", 2, story.now)
    assert story.gate(lease) == ["no_lease"]


def test_holds_stand_in_the_way_of_the_weaker(story: Story) -> None:
    change = story.seen("off", cause="person", principal=BEN)
    story.hear("phone", change)
    assert story.root(story.propose(who=ROUTINE)) == ["conflict"]
    assert story.root(story.propose("light.turn_off", ROUTINE)) == []
    assert story.root(story.propose()) == []
    story.now = 30 * 60.0
    assert story.root(story.propose(who=ROUTINE)) == []


def test_a_hold_that_ended_makes_the_lease_old(story: Story) -> None:
    story.hear("phone", story.seen("off", cause="person", principal=BEN))
    lease = story.grant(story.propose("light.turn_off", ROUTINE))
    hold = {"device": "lamp", "attribute": "state", "value": "off", "principal": BEN}
    end = story.say(HUB, "resolution", body={"hold": hold})
    assert story.gate(lease) == []
    story.hear(HUB, end)
    assert story.gate(lease) == ["stale_state"]


def test_an_older_wish_comes_too_late(story: Story) -> None:
    older, newer = story.propose(), story.propose()
    story.grant(newer)
    assert story.root(older) == ["superseded"]
    assert story.root(story.propose()) == []
