"""A process with a whole hub, made to be killed; one boot a request.

    python -m hearthnet.bench.kill_child

reads one request a line: folder, levels of the lamps, number of the round, and at
which kill points the hub and the librarian shall die (0: not at all). For each it
forks, so that nothing is imported twice, lets the fork run one boot, and answers
with one line: how it ended, what it wrote to the lamps, how often the librarian was
killed, how many points it passed.

The devices are outside: a write goes down a pipe before it has an effect.
"""

import asyncio
from collections.abc import Callable, Mapping
import json
import os
from pathlib import Path
import sys
import traceback
from typing import Any

from hearthnet.core import killpoint
from hearthnet.core.adapter import Permit
from hearthnet.core.devices import Device, Reading
from hearthnet.core.hub import Hub
from hearthnet.core.intents import Origin
from hearthnet.core.messages import Json
from hearthnet.core.status import Cause
from hearthnet.simulation import SimulatedHouse

from .home import ANNA, running

COUNTING = 10**9
"""A point that is never reached: the points are counted and nobody dies."""
DEADLY = 1.0
"""Seconds in which a librarian that starts gets its kill point."""
PLAN: tuple[tuple[tuple[str, ...], int], ...] = (
    (("a",), 30),
    (("a", "b", "c"), 40),
    (("b",), 40),
    (("c", "d"), 50),
    (("a", "b", "c", "d", "e"), 60),
)
"""What a boot does: lamps, and the level they are set to. One is so already."""


def house_of(levels: Mapping[str, int]) -> SimulatedHouse:
    """Return lamps as they are outside."""
    house = SimulatedHouse()
    for name, level in levels.items():
        device = Device(
            id=name, entity_id=f"light.{name}", name=f"Lamp {name}", domain="light"
        )
        house.add(device, state="on", brightness_pct=level)
    return house


class Piped:
    """Tells the devices outside; implements `Adapter`."""

    def __init__(self, house: SimulatedHouse, pipe: int) -> None:
        """Write to `pipe`; a pipe takes a short line whole or not at all."""
        self._house = house
        self._pipe = pipe

    def read(self, device_id: str) -> Reading:
        """Return what a device was seen to be."""
        return self._house.read(device_id)

    async def act(self, permit: Permit) -> None:
        """Tell each target; the effect is there when the pipe has it."""
        level = permit.parameters["brightness_pct"]
        for target in permit.target:
            os.write(self._pipe, f"{permit.lease} {target} {level}\n".encode())
            killpoint.killpoint()
            self._house.change(target, brightness_pct=level)

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        """Return the readings; the lamps obey at once."""
        return {target: self.read(target) for target in permit.target}


async def boot(request: dict[str, Any], pipe: int) -> int:
    """Run one boot of the hub: start, a few intents, stop.

    Returns how often the librarian was killed meanwhile.
    """
    house = house_of(request["levels"])
    killpoint.KILL_AT = request["kill_hub"]
    environment = {"HEARTHNET_KILL_AT": str(request["kill_librarian"])}
    # Whoever is started later than this lives: the record must get on in the end.
    asyncio.get_running_loop().call_later(DEADLY, environment.clear)
    async with running(
        Path(request["folder"]), house, Piped(house, pipe), environment=environment
    ) as home:
        for device in house.known.values():
            # Home Assistant reports every device after its start.
            home.hub.gate.resolve_unknown(device.id, house.read(device.id))
            home.hub.observe(device.id, house.values[device.id], cause=Cause.RECONNECT)
        await work(home.hub, request["round"])
    return home.dewey.killed


async def work(hub: Hub, number: int) -> None:
    """Carry out the plan, at other levels each time, then twice at once."""
    for targets, level in PLAN:
        await _set(hub, targets, {"brightness_pct": level + number % 30})
    await asyncio.gather(
        _set(hub, ("d",), {"brightness_pct": 5}),
        _set(hub, ("d", "e"), {"brightness_pct": 95}),
    )


async def _set(hub: Hub, targets: tuple[str, ...], parameters: dict[str, Json]) -> None:
    await hub.wishes.propose(
        principal=ANNA,
        origin=Origin.APP,
        targets=targets,
        operation="light.turn_on",
        parameters=parameters,
        reason="A bench.",
    )


def fork(request: dict[str, Any]) -> dict[str, Any]:
    """Let a fork run one boot, and see what came of it."""
    writes, pipe = os.pipe()
    told, out = os.pipe()
    if not (pid := os.fork()):
        code = 1
        try:
            killed = asyncio.run(boot(request, pipe))
            os.write(out, f"{killed} {next(killpoint.passed) - 1}".encode())
            code = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(code)
    os.close(pipe)
    os.close(out)
    with os.fdopen(writes) as written, os.fdopen(told) as text:
        lines, numbers = written.read().splitlines(), text.read().split()
    _, status = os.waitpid(pid, 0)
    killed, points = map(int, numbers or ("0", "0"))
    return {
        "ended": os.waitstatus_to_exitcode(status),
        "writes": lines,
        "killed": killed,
        "points": points,
    }


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(fork(json.loads(line))) + "\n")
        sys.stdout.flush()
