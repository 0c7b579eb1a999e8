"""What the root does with proposals that wait."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from hearthnet.core.intents import Origin, Result
from hearthnet.core.messages import MessageType
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.simulation import Behavior, SimulatedHouse

from .home import ANNA, Home, lamp, running


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.001)


async def test_who_waited_for_a_device_gets_nothing_for_a_task_that_is_over(
    tmp_path: Path,
) -> None:
    house = SimulatedHouse()
    device = lamp(house, "sofa").id
    house.behavior[device] = Behavior(gate=(free := asyncio.Event()))

    def dim(home: Home, level: int) -> asyncio.Task[Result]:
        return asyncio.create_task(
            home.hub.propose(
                principal=ANNA,
                origin=Origin.APP,
                targets=(device,),
                operation="light.turn_on",
                parameters={"brightness_pct": level},
                reason="Dim.",
            )
        )

    async with running(tmp_path, house) as home:
        first = dim(home, 20)
        await until(lambda: house.acts)
        second = dim(home, 40)
        await until(lambda: home.of(MessageType.REVOCATION))
        task = home.of(MessageType.TASK)[1].id
        home.hub._rupert.fault(task, Reason.FAULT, "its manager broke down")
        free.set()
        assert [s.outcome for s in (await first).steps] == [Outcome.CHANGED]
        assert [s.reason for s in (await second).steps] == [Reason.FAULT]
        await until(lambda: home.of(MessageType.DENIAL))
        assert len(home.of(MessageType.GRANT)) == 1
        assert home.of(MessageType.DENIAL)[0].body["reason"] == Reason.OUT_OF_SCOPE
        assert home.hub.status.leases == ()
    assert len(house.acts) == 1
