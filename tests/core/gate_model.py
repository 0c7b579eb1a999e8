"""A gate as the design text has it, without any of the gate's code.

It keeps the total order of what the gate got to know, and answers every
question by going through all of it again. Slow, naive, and nothing shared with
`hearthnet.core`: ids are tuples, times are numbers, grants are plain dicts.
"""

from dataclasses import dataclass, field
import math
from typing import Any

ORDER = [
    *("no_lease", "bad_signature", "wrong_grantee", "not_asked", "fenced"),
    *("revoked", "expired", "consumed", "superseded", "wrong_target"),
    *("wrong_operation", "out_of_envelope", "stale_policy", "stale_state"),
]
ENDED_MEANWHILE = [
    *("not_asked", "fenced", "revoked", "expired", "superseded"),
    *("stale_policy", "stale_state"),
]
"""What is asked again in the loop step of the act."""

type Id = tuple[str, int, int]


def ident(text: str) -> Id:
    node, boot, seq = text.split(".")
    return node, int(boot), int(seq)


@dataclass
class ModelGate:
    """The facts in the order in which the gate learned them."""

    physical: dict[str, str]
    """Alias to the device that stands for the same physical thing."""
    facts: list[tuple[Any, ...]] = field(default_factory=list)

    def learn(self, *fact: Any) -> None:
        self.facts.append(fact)

    # What is known

    def since_restart(self) -> list[tuple[Any, ...]]:
        last = max(
            (i for i, f in enumerate(self.facts) if f[0] == "restarted"), default=-1
        )
        return self.facts[last + 1 :]

    def grant(self, lease: str) -> dict[str, Any] | None:
        """The grant of that id: the first genuine one, else the last forged one."""
        alive = self.since_restart()
        known = [
            f[1]
            for f in self.facts
            if f[0] == "granted"
            and f[1]["id"] == lease
            and (f[1]["journalled"] or f in alive)
        ]
        genuine = [grant for grant in known if grant["genuine"]]
        return genuine[0] if genuine else known[-1] if known else None

    def key(self, device: str) -> str:
        return self.physical.get(device, device)

    def executed(self) -> list[dict[str, Any]]:
        return [f[1] for f in self.facts if f[0] == "executed"]

    def hub_boot(self) -> int:
        boots = [f[1] for f in self.since_restart() if f[0] == "hub_boot"]
        boots += [
            ident(f[1]["id"])[1]
            for f in self.since_restart()
            if f[0] == "granted" and f[1]["genuine"]
        ]
        return max(boots, default=0)

    def newest(self, path: str) -> Id | None:
        wrote = [ident(f[2]) for f in self.facts if f[0] == "wrote" and f[1] == path]
        return max(wrote, default=None)

    def revoked(self, grant: dict[str, Any]) -> bool:
        return any(
            f[0] == "revoked"
            and f[1] == grant["id"]
            and (f[2] or f in self.since_restart())
            for f in self.facts
        ) or any(
            f[0] == "revoked_all" and grant["cause"] in f[1]
            for f in self.since_restart()
        )

    # The verdict

    def verdict(
        self,
        lease: str,
        grantee: str,
        target: list[str],
        operation: str,
        parameters: dict[str, Any],
        now: tuple[float, float],
    ) -> list[str]:
        """All codes that fail, in the order of the design."""
        grant = self.grant(lease)
        if grant is None:
            # An earlier boot's journal may tell that it was used.
            used = any(e["lease"] == lease for e in self.executed())
            return ["no_lease", "consumed"] if used else ["no_lease"]
        asked = [f for f in self.since_restart() if f[:2] == ("asked", grant["cause"])]
        mine = ident(lease)
        keys = {self.key(device) for device in grant["target"]}
        failing = {
            "bad_signature": not grant["genuine"],
            "wrong_grantee": grantee != grant["grantee"],
            "not_asked": not asked,
            "fenced": mine[1] < self.hub_boot(),
            "revoked": self.revoked(grant),
            "expired": bool(asked)
            and (
                now[0] - asked[0][2] >= grant["ttl"]
                or now[1] - asked[0][3] >= grant["ttl"]
            ),
            "consumed": any(e["lease"] == lease for e in self.executed()),
            "superseded": any(
                ident(e["lease"]) > mine
                and keys & {self.key(device) for device in e["target"]}
                for e in self.executed()
            ),
            "wrong_target": sorted(target) != sorted(grant["target"]),
            "wrong_operation": operation != grant["operation"],
            "out_of_envelope": not self.inside(grant["envelope"], parameters),
            "stale_policy": self.stale("policy.yaml", grant["policy"]),
            "stale_state": any(self.stale(p, v) for p, v in grant["reads"].items()),
        }
        return [code for code in ORDER if failing.get(code)]

    def stale(self, path: str, version: str | None) -> bool:
        """A newer version of the path is known than the one the lease rests on."""
        newest = self.newest(path)
        if newest is None:
            return False
        return version is None or newest > ident(version)

    def inside(self, envelope: dict[str, Any], given: dict[str, Any]) -> bool:
        if set(envelope) != set(given):
            return False
        return all(
            self.admitted(envelope[name], value) for name, value in given.items()
        )

    def admitted(self, bound: dict[str, Any], value: Any) -> bool:
        if type(value) is float and not math.isfinite(value):
            return False
        match bound:
            case {"exact": wanted}:
                return type(value) is not bool and value == wanted
            case {"in": choices}:
                return any(type(value) is not bool and value == c for c in choices)
            case {"range": [low, high]}:
                return type(value) in (int, float) and low <= value <= high
        raise AssertionError(bound)
