"""Compares every verdict of the root and of the gates with the oracle's."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .oracle import Oracle, Use
from .plain import LOCAL, Message

WORDS = {"policy_denied": "policy", "rate_limited": "policy"}
"""The oracle knows one word for what the policy refuses."""
SHOWN = 20
"""How many wrong verdicts are described."""


@dataclass(kw_only=True)
class Tally:
    """What was counted."""

    decisions: int = 0
    """The root's."""
    uses: int = 0
    """A gate's first word on a lease."""
    granted: int = 0
    executed: int = 0
    acted: int = 0
    wrong_refusals: int = 0
    wrong_acceptances: int = 0
    other_reasons: int = 0
    """Rightly refused, but for another first reason than the oracle's."""
    conflicts: int = 0
    """Proposals that meet a hold which does not yield, by the oracle."""
    conflicts_found: int = 0
    naive_refusals: int = 0
    """Good uses that "base commit is head" would have refused."""
    on_their_way: int = 0
    """Good uses while the hub had newer policies or holds that the gate could not
    know of yet."""
    reasons: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """The first wrong verdicts, described."""

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "reasons": dict(self.reasons)}


@dataclass(kw_only=True)
class Judge:
    """Looks at each event in the moment in which it is made."""

    oracle: Oracle
    tally: Tally = field(default_factory=Tally)
    proposals: dict[str, Message] = field(default_factory=dict)
    using: dict[str, Use] = field(default_factory=dict)
    """What somebody comes to a gate with just now, if it is not what was granted."""

    def look(self, agent: str, message: Message, now: float) -> None:
        """Judge an event; the oracle has not been told of it yet."""
        match message["type"]:
            case "proposal":
                self.proposals[message["id"]] = message
            case "grant" | "denial" | "confirmation_request":
                self._decision(message, now)
            case "execute":
                self._used(agent, message, now)
            case "refusal" if "over" in message["body"]:
                self._refused(agent, message, now)

    # The root

    def _decision(self, answer: Message, now: float) -> None:
        tally, proposal = self.tally, self.proposals.pop(answer["cause"], None)
        if proposal is None:
            return
        found = self.oracle.at_root(proposal, now)
        tally.decisions += 1
        self._conflict(answer, found)
        target = proposal["body"]["device"]
        target = list(self.oracle.things[target].members or (target,))
        if answer["type"] == "grant":
            tally.granted += 1
            if found:
                self._wrong("acceptance", answer, found, now)
            elif self.oracle.taken(answer["body"]["target"], now):
                self._wrong("acceptance", answer, ["reserved"], now)
            return
        # Nobody was asked, for it was so already: the word is what was in the way.
        reason = answer["body"].get("reason", "confirmation_required")
        reason = WORDS.get(reason, reason)
        tally.reasons[reason] += 1
        if reason == "reserved":
            held = self.oracle.taken(target, now) or self.oracle.waits_out(target, now)
            if not held:
                self._wrong("refusal", answer, found, now)
        elif not found:
            self._wrong("refusal", answer, found, now)
        elif reason != found[0]:
            self._other(answer, found, now)

    def _conflict(self, answer: Message, found: list[str]) -> None:
        evidence = answer["body"].get("evidence", ())
        if answer["body"].get("reason") == "reserved":
            return  # it was out of time before it came to holds
        seen = any(item.get("code") == "conflict" for item in evidence)
        self.tally.conflicts += "conflict" in found
        self.tally.conflicts_found += seen and "conflict" in found

    # The gates

    def _used(self, agent: str, execute: Message, now: float) -> None:
        tally, body, lease = self.tally, execute["body"], execute["lease"]
        use = Use(
            grantee=body["grantee"],
            target=body["target"],
            operation=body["operation"],
            parameters=body["parameters"],
        )
        tally.uses += 1
        tally.executed += 1
        found = self.oracle.at_gate(agent, lease, use, now)
        found = found or sorted(self.oracle.hindrances(lease))
        if found:
            self._wrong("acceptance", execute, found, now)
        else:
            tally.naive_refusals += not self.oracle.naive(lease)
            overtaken = self.oracle.overtaken(lease, now)
            if overtaken and agent == LOCAL:
                self._wrong("acceptance", execute, ["conflict"], now)
            tally.on_their_way += overtaken or self.oracle.on_its_way(lease)

    def _refused(self, agent: str, refusal: Message, now: float) -> None:
        body, lease = refusal["body"], refusal.get("lease", "")
        reason = body["reason"]
        if "execute" in body or reason == "revoked":
            # Something came up after the first word, or nobody came with it.
            over = self.oracle.over(agent, lease, now)
            self.tally.reasons[reason] += 1
            if reason not in over:
                self._wrong("refusal", refusal, over, now)
            return
        self.tally.uses += 1
        self.tally.reasons[reason] += 1
        found = self.oracle.at_gate(agent, lease, self._use(refusal), now)
        if not found and reason == "unreachable":
            return  # the house says so itself
        found = found or sorted(self.oracle.hindrances(lease))
        if not found:
            self._wrong("refusal", refusal, found, now)
        elif reason != found[0] and not (reason in found and found[0] == "reserved"):
            self._other(refusal, found, now)

    def _use(self, refusal: Message) -> Use:
        body, lease = refusal["body"], refusal.get("lease", "")
        if lease in self.using:
            return self.using[lease]
        parameters: dict[str, Any] = {}
        if (grant := self.oracle.grants.get(lease)) is not None:
            envelope = grant.message["body"]["envelope"]
            parameters = {name: bound["exact"] for name, bound in envelope.items()}
        return Use(
            grantee=body["grantee"],
            target=body["target"],
            operation=body["operation"],
            parameters=parameters,
        )

    def acted(self, lease: str, now: float) -> None:
        """Judge an act in the moment in which the device is told."""
        self.tally.acted += 1
        grant = self.oracle.grants[lease]
        agent = grant.message["body"]["grantee"]
        if over := self.oracle.over(agent, lease, now):
            self._wrong("acceptance", grant.message, ["in the act", *over], now)

    # Wrong ones

    def _wrong(self, kind: str, message: Message, found: list[str], now: float) -> None:
        if kind == "refusal":
            self.tally.wrong_refusals += 1
        else:
            self.tally.wrong_acceptances += 1
        self._describe(f"wrong {kind}", message, found, now)

    def _other(self, message: Message, found: list[str], now: float) -> None:
        self.tally.other_reasons += 1
        self._describe("another reason", message, found, now)

    def _describe(
        self, what: str, message: Message, found: list[str], now: float
    ) -> None:
        if len(self.tally.wrong) < SHOWN:
            self.tally.wrong.append(
                f"{now:.3f} {what}: {message['id']} {message['type']} "
                f"{message.get('lease', '')} {message['content'][:160]!r}; "
                f"the oracle: {', '.join(found) or 'good'}"
            )
