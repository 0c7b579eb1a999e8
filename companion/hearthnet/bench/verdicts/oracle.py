"""What every verdict had to be, found by replaying the total order of what happened.

Naive on purpose, and independent: no state is folded, and nothing of HearthNet is
imported, so that an error there is not repeated here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .facts import Facts
from .oracle_holds import CLASSES, against, judge
from .oracle_policy import FREE, Asked, decide
from .plain import (
    HUB,
    LOCAL,
    NOON,
    SOURCES,
    Grant,
    Message,
    Place,
    Task,
    effects,
    place,
)

MINUTE, HOUR = 60.0, 3600.0
DRIFT = 1.05
"""A target is kept so much longer than its lease lives."""
BLIND = FREE
"""Operations that may be done whatever the device is at."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """What somebody wants to do under a lease."""

    grantee: str
    target: Sequence[str]
    operation: str
    parameters: Mapping[str, Any]


@dataclass(kw_only=True)
class Oracle(Facts):
    """Answers from the facts."""

    forbidden: frozenset[tuple[str, str]] = frozenset()
    """(principal, device) pairs that the home's owner does not allow."""

    # The root

    def at_root(self, proposal: Message, now: float) -> list[str]:
        """Return all that speaks against a proposal, the decisive first."""
        task = self.tasks.get(proposal["task"])
        if task is None or not task.open:
            return ["out_of_scope"]
        body = proposal["body"]
        target = self._leaves(body["device"])
        if self._later_wish(task, target):
            return ["superseded"]
        who, policy = task.intent["principal"], self._policy_says(task, body, now)
        failing = {
            "deadline": now - task.started >= task.intent["deadline"],
            "out_of_scope": body["operation"] != task.message["body"]["operation"]
            or not set(target) <= set(self._leaves(task.message["body"]["device"])),
            "not_permitted": any((who["id"], t) in self.forbidden for t in target),
            "unverifiable_state": any(
                self._unknown(name, hub=True) for t in target for name in self._same(t)
            ),
            "stale_policy": self.policies[-1][0] > task.since,
            "stale_state": body["operation"] not in BLIND
            and any(self._learned_since(t, task.since) for t in target),
            "policy": policy == "deny",
            "conflict": self._conflict(task, body, target, now),
            "confirmation_required": policy == "confirm",
        }
        return [code for code, fails in failing.items() if fails]

    def taken(self, target: Sequence[str], now: float) -> bool:
        """Tell whether the root has to keep a target for a lease it gave out."""
        return any(
            not grant.freed and now < grant.now + grant.message["body"]["ttl"] * DRIFT
            for key in self.keys(target)
            for grant in self._lately(key, now)
        )

    def waits_out(self, target: Sequence[str], now: float) -> bool:
        """Tell whether a hub that started anew waits for what it may have granted."""
        agent = self.things[target[0]].agent
        return agent != LOCAL and now < self.began[LOCAL] + MINUTE * DRIFT

    def _later_wish(self, task: Task, target: Sequence[str]) -> bool:
        """Tell whether a later wish, no weaker, was granted for a target before."""
        mine = task.message["intent"]
        source = CLASSES.index(SOURCES.get(task.intent["origin"], "person"))
        return any(
            place(intent) > place(mine)
            and CLASSES.index(SOURCES.get(origin, "person")) >= source
            for key in self.keys(target)
            for grant in self.granted.get(("", key), ())
            if self._of_this_boot(grant)
            for intent in (grant.message["intent"],)
            for origin in (self.intents[intent][2]["body"]["origin"],)
        )

    def _policy_says(self, task: Task, body: Message, now: float) -> str:
        intent = task.intent
        leaves = self._leaves(body["device"])
        recent = {
            target: [
                now - grant.now
                for grant in self.granted.get(
                    (intent["principal"]["id"], self.things[target].key), ()
                )
                if self._of_this_boot(grant) and now - grant.now <= HOUR
            ]
            for target in leaves
        }
        asked = Asked(
            who=intent["principal"],
            origin=intent["origin"],
            operation=body["operation"],
            parameters=body["parameters"],
            targets=[self._names(target) for target in leaves],
            minute=int((now + NOON) // 60 % 1440),
            recent=recent,
        )
        return decide(self.policies[-1][2], asked)

    def _conflict(
        self, task: Task, body: Message, target: Sequence[str], now: float
    ) -> bool:
        intent, policy = task.intent, self.policies[-1][2]
        wanted = effects(body["operation"], body["parameters"])
        source = SOURCES.get(intent["origin"], "person")
        answers = {
            judge(
                hold,
                source,
                intent["principal"],
                policy["persons"],
                tuple(policy["roles"]),
            )
            for key in self.keys(target)
            for hold in self.standing_on(key, now)
            if against(wanted, hold)
        }
        return bool(answers & {"ask", "refused"})

    # The gate

    def at_gate(self, agent: str, lease: str, use: Use, now: float) -> list[str]:
        """Return all that speaks against using a lease, the decisive first."""
        genuine = self.arrived.get((agent, lease))
        if genuine is None:
            return ["no_lease", *(["consumed"] if lease in self.executes else [])]
        if not genuine:
            return ["bad_signature"]
        grant = self.grants[lease]
        body = grant.message["body"]
        exact = {name: bound["exact"] for name, bound in body["envelope"].items()}
        over = self.over(agent, lease, now)
        failing = {
            "wrong_grantee": use.grantee != body["grantee"],
            **{code: code in over for code in ("not_asked", "fenced", "revoked")},
            "expired": "expired" in over,
            "consumed": lease in self.executes,
            "superseded": "superseded" in over,
            "wrong_target": sorted(use.target) != sorted(body["target"]),
            "wrong_operation": use.operation != body["operation"],
            "out_of_envelope": dict(use.parameters) != exact,
            "stale_policy": "stale_policy" in over,
            "stale_state": "stale_state" in over,
        }
        return [code for code, fails in failing.items() if fails]

    def over(self, agent: str, lease: str, now: float) -> list[str]:
        """Return what ends a genuine lease, whoever comes with it."""
        grant = self.grants[lease]
        body, target = grant.message["body"], grant.message["body"]["target"]
        sent = self.asked.get((agent, grant.message["cause"]))
        failing = {
            "not_asked": sent is None,
            "fenced": grant.place[0] < self.fences[agent],
            "revoked": (agent, lease) in self.revoked,
            "expired": sent is not None and now - sent >= body["ttl"],
            "superseded": any(
                place(other["lease"]) > grant.place
                for key in self.keys(target)
                for other in self.ran.get(key, ())
            ),
            "stale_policy": any(
                at > grant.place and self._has_heard(agent, at)
                for _, at, _ in self.policies
            ),
            "stale_state": (
                body["operation"] not in BLIND
                and any(self._changed_since(t, grant.knew) for t in target)
            )
            or self._hold_ended(agent, grant),
        }
        return [code for code, fails in failing.items() if fails]

    def hindrances(self, lease: str) -> set[str]:
        """Return what keeps a good lease from being used now, reachability apart."""
        target = self.grants[lease].message["body"]["target"]
        found = set()
        if any(key in self.running for key in self.keys(target)):
            found.add("reserved")
        if any(self._unknown(t, hub=False) for t in target):
            found.add("unverifiable_state")
        return found

    def overtaken(self, lease: str, now: float) -> bool:
        """Tell whether somebody stronger has come to hold what a lease changes."""
        body = self.grants[lease].message["body"]
        task = self.tasks[self.grants[lease].message["task"]]
        given = {name: bound["exact"] for name, bound in body["envelope"].items()}
        wish = {"operation": body["operation"], "parameters": given}
        return self._conflict(task, wish, body["target"], now)

    def naive(self, lease: str) -> bool:
        """Tell whether nothing at all was said since the grant, its own chain apart.

        That is what "the base commit is still the head" asks for.
        """
        grant = self.grants[lease]
        own = self.own[grant.message["intent"]] - grant.own
        return self.total - grant.total == own

    def on_its_way(self, lease: str) -> bool:
        """Tell whether a newer policy was made that no gate could know of yet."""
        return self.policies[-1][1] > self.grants[lease].place

    # Looking things up

    def _leaves(self, device: str) -> list[str]:
        found: dict[str, str] = {}
        for one in self.things[device].members or (device,):
            found.setdefault(self.things[one].key, one)
        return list(found.values())

    def _names(self, target: str) -> list[str]:
        """Return a target, then all other names of the same physical thing."""
        return [target, *(t for t in self._same(target) if t != target)]

    def _same(self, target: str) -> list[str]:
        """Return all names of the physical thing that a target is."""
        return self.names[self.things[target].key]

    def _lately(self, key: str, now: float) -> Iterator[Grant]:
        """Go through this boot's grants of the last minutes."""
        for grant in reversed(self.granted.get(("", key), ())):
            if now - grant.now > 2 * MINUTE or not self._of_this_boot(grant):
                return
            yield grant

    def _of_this_boot(self, grant: Grant) -> bool:
        return grant.place[0] == self.ends[HUB][0]

    def _unknown(self, target: str, *, hub: bool) -> bool:
        """Tell whether nobody knows what a target is at, or so the hub believes."""
        changes = [
            change
            for change in self.changes.get(target, ())
            if not hub or change.learned is not None
        ]
        return bool(changes) and changes[-1].values is None

    def _learned_since(self, target: str, since: int) -> bool:
        return any(
            change.learned is not None and change.learned > since
            for name in self._same(target)
            for change in self.changes.get(name, ())
        )

    def _changed_since(self, target: str, knew: Place) -> bool:
        return any(
            change.place > knew
            for name in self._same(target)
            for change in self.changes.get(name, ())
        )

    def _has_heard(self, agent: str, at: Place) -> bool:
        return agent == LOCAL or self.heard_of.get((agent, HUB), (0, 0)) >= at

    def _hold_ended(self, agent: str, grant: Grant) -> bool:
        """Tell whether the agent knows that a hold met by the decision is over."""
        return any(
            hold.ended is not None and self._has_heard(agent, hold.ended.hub)
            for key in self.keys(grant.message["body"]["target"])
            for hold in self.all_on(key)
            if (key, hold.made.n, hold.attribute) in grant.held
        )
