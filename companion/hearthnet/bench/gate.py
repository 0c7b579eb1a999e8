"""What a lease costs: the check at actuation, the signature at arrival, the whole.

A gate with its real node and journal, 1,000 devices, as many live leases, and
policy, hold and device among what each lease was decided on. Only the devices
are simulated: they obey at once.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
import gc
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns
from typing import Any

from hearthnet.core.adapter import Permit
from hearthnet.core.clock import SystemClock
from hearthnet.core.devices import Device, Principal, Reading
from hearthnet.core.domains import OPERATIONS
from hearthnet.core.gate import Gate
from hearthnet.core.keys import SigningKey
from hearthnet.core.leases import MAX_TTL, Bound, Lease
from hearthnet.core.messages import EventId, Json, MessageType
from hearthnet.core.node import Node, Record
from hearthnet.core.paths import HUB, device_path
from hearthnet.core.shadow import shadow
from hearthnet.core.verdict import Refusal

from .rows import Row, Scale

OPERATION = "light.turn_on"
LEVEL = {"brightness_pct": 40}
CHECK_US = 10
ADMIT_US = 300
"""The design's targets."""


class _Lamps:
    """Lamps that obey at once; implements `Adapter`."""

    def __init__(self, count: int) -> None:
        self.devices = {
            f"lamp{n}": Device(
                id=f"lamp{n}", entity_id=f"light.l{n}", name=f"Lamp {n}", domain="light"
            )
            for n in range(count)
        }
        self._values: dict[str, dict[str, Json]] = {}

    def read(self, device_id: str) -> Reading:
        values = self._values.get(device_id, {"state": "off"})
        return Reading(available=True, values=values)

    async def act(self, permit: Permit) -> None:
        for target in permit.target:
            self._values[target] = {"state": "on", **permit.parameters}

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        readings = {target: self.read(target) for target in permit.target}
        satisfied(readings)
        return readings


class _Home:
    """A hub's node, its gate, and one lease a device."""

    def __init__(self, folder: Path, count: int) -> None:
        key = SigningKey(b"\x01" * 32)
        self.lamps = _Lamps(count)
        self.node = Node(name=HUB, folder=folder, key=key, clock=SystemClock())
        self.gate = Gate(
            node=self.node,
            adapter=self.lamps,
            root=key.public,
            agent="jeeves",
            operations=OPERATIONS,
            device=self.lamps.devices.get,
        )
        self._say(MessageType.POLICY, {"policy.yaml": "rules: []"})
        self.grants = [self._grant(device) for device in self.lamps.devices.values()]

    def _say(self, type_: MessageType, writes: Mapping[str, Json]) -> Record:
        return self.node.emit(
            sender="rupert", to="jeeves", type=type_, content="Bench.", writes=writes
        )

    def _grant(self, device: Device) -> Record:
        hold, path = f"holds/{device.id}.json", device_path(device.id)
        self._say(MessageType.RESOLUTION, {hold: {"device": device.id}})
        self._say(MessageType.OBSERVATION, {path: shadow(device, {"state": "off"})})
        proposal = self._say(MessageType.PROPOSAL, {})
        self.gate.note_proposal(proposal)
        version = self.node.view.version("policy.yaml")
        lease = Lease(
            id=str(EventId(HUB, self.node.boot, self.node.position[1] + 1)),
            cause=proposal.message.id,
            intent=None,
            task=None,
            grantee="jeeves",
            principal=Principal(kind="user", id="u", name="Bench"),
            target=(device.id,),
            operation=OPERATION,
            envelope={name: Bound(exact=value) for name, value in LEVEL.items()},
            reads=self.node.view.reads([path, hold]),
            policy_version=version,
            policy_commit=None,
            base_commit=None,
            ttl=MAX_TTL,
            expires_at=self.node.clock.now() + timedelta(seconds=MAX_TTL),
            justification="A bench.",
        )
        return self.node.emit(
            sender="rupert",
            to="jeeves",
            type=MessageType.GRANT,
            content="Granted.",
            cause=lease.cause,
            expires_at=lease.expires_at,
            body=lease.body(),
        )

    def admit(self) -> list[float]:
        """Admit every lease; return the microseconds that each took."""
        times = []
        for grant in self.grants:
            start = perf_counter_ns()
            self.gate.admit(grant)
            times.append((perf_counter_ns() - start) / 1000)
        # A forged copy is refused by its signature, or nothing was measured.
        last = self.grants[-1]
        forged = replace(last, data=last.data.replace(b"Granted", b"granted"))
        if self.gate.admit(forged):
            raise RuntimeError("the gate took a forged grant")
        return times

    def check(self, count: int) -> list[float]:
        """Check leases in turn; return the microseconds that each check took."""
        times = []
        for number in range(count):
            lease = self.grants[number % len(self.grants)].message
            start = perf_counter_ns()
            check = self.gate.check(
                lease.id,
                grantee="jeeves",
                target=lease.body["target"],
                operation=OPERATION,
                parameters=LEVEL,
            )
            times.append((perf_counter_ns() - start) / 1000)
            if check.evidence:
                raise RuntimeError(f"refused: {check.evidence[0].text}")
        return times

    async def execute(self, count: int) -> list[float]:
        """Execute leases one after another, each with its sync of the journal."""
        times = []
        for grant in self.grants[:count]:
            start = perf_counter_ns()
            answer = await self.gate.execute(
                grant.message.id,
                grantee="jeeves",
                target=grant.message.body["target"],
                operation=OPERATION,
                parameters=LEVEL,
            )
            times.append((perf_counter_ns() - start) / 1000)
            if isinstance(answer, Refusal):
                text = f"refused: {answer.evidence[0].text}"
                raise RuntimeError(text)  # noqa: TRY004 - an answer, no argument
        return times


def measure(
    *, devices: int = 1000, checks: int = 100_000, executes: int = 300
) -> dict[str, Json]:
    """Measure on this machine; return microseconds at the usual percentiles.

    `check_us` is what an actuation adds, `admit_us` a grant's arrival with its
    signature, `execute_us` all from request to receipt, with one synced write.
    The leases live a minute: on a slow machine ask for fewer checks.
    """
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        return asyncio.run(_measure(Path(folder), devices, checks, executes))


async def _measure(
    folder: Path, devices: int, checks: int, executes: int
) -> dict[str, Json]:
    home = _Home(folder, devices)
    gc.collect()
    gc.freeze()
    try:
        await home.node.sync()
        admitted = home.admit()
        checked = home.check(checks)
        executed = await home.execute(executes)
    finally:
        gc.unfreeze()
        await home.node.close()
    return {
        "devices": devices,
        "checks": len(checked),
        "check_us": _percentiles(checked),
        "admit_us": _percentiles(admitted),
        "execute_us": _percentiles(executed),
    }


def rows(scale: Scale) -> list[Row]:
    """Measure, and say how it stands to the design's targets."""
    told: dict[str, Any] = measure(
        devices=scale.of(1000, 200),
        checks=scale.of(100_000, 5000),
        executes=scale.of(300, 30),
    )
    check, admit, whole = told["check_us"], told["admit_us"], told["execute_us"]
    return [
        Row(
            what="lease check at actuation, p50 / p95 / p99",
            target="p95 < 0.01 ms",
            measured=" / ".join(
                f"{check[name] / 1000:.4f}" for name in ("p50", "p95", "p99")
            )
            + " ms",
            met=check["p95"] < CHECK_US,
            numbers=told,
            note=(
                "all from request to receipt, with a synced journal, takes "
                f"{whole['p50'] / 1000:.1f} ms (p95 {whole['p95'] / 1000:.1f} ms)"
            ),
        ),
        Row(
            what="lease at its arrival with its signature, p50 / p95",
            target="< 0.3 ms",
            measured=f"{admit['p50'] / 1000:.3f} / {admit['p95'] / 1000:.3f} ms",
            met=admit["p95"] < ADMIT_US,
        ),
    ]


def _percentiles(times: list[float]) -> dict[str, Json]:
    ordered = sorted(times)
    return {
        f"p{percent:g}": round(ordered[int(len(ordered) * percent / 100)], 2)
        for percent in (50, 95, 99, 99.9)
    }
