"""What the root does with proposals that wait, and with leases that do."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from hearthnet.core.devices import Principal
from hearthnet.core.intents import Origin, Result
from hearthnet.core.messages import Message, MessageType
from hearthnet.core.reasons import Outcome, Reason
from hearthnet.core.status import Cause
from hearthnet.simulation import Behavior, SimulatedHouse

from .home import ANNA, BEN, ROUTINE, Home, lamp, running


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
            home.hub.wishes.propose(
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


@pytest.mark.parametrize(
    ("principal", "origin", "cause", "kept"),
    [
        (ROUTINE, Origin.AUTOMATION, Cause.PERSON, False),
        (ROUTINE, Origin.SCHEDULE, Cause.DEVICE, False),
        (ROUTINE, Origin.AUTOMATION, Cause.DEVICE, True),
        (ROUTINE, Origin.AUTOMATION, Cause.AUTOMATION, True),
        (ANNA, Origin.APP, Cause.PERSON, True),
    ],
)
async def test_a_lease_does_not_outlive_a_stronger_hold(
    tmp_path: Path, principal: Principal, origin: Origin, cause: Cause, kept: bool
) -> None:
    """Off rests on nothing that the lamp is at, so only the hold can tell."""
    house = SimulatedHouse()
    device = lamp(house, "sofa", state="on").id
    async with running(tmp_path, house) as home:
        home.hub.observe(device, house.values[device], cause=Cause.RECONNECT)
        step = await home.hub.wishes.request_lease(
            principal=principal,
            origin=origin,
            target=device,
            operation="light.turn_off",
            parameters={},
            reason="Later.",
        )
        assert step.lease is not None
        house.change(device, brightness_pct=80)
        now = house.values[device]
        who = BEN if cause is Cause.PERSON else None
        home.hub.observe(device, now, cause=cause, principal=who)
        await until(lambda: kept or not home.hub.status.leases)
        result = await home.hub.wishes.execute(
            step.lease, principal=principal, origin=origin
        )
        assert [s.reason for s in result.steps] == [None if kept else Reason.REVOKED]
    assert len(house.acts) == kept


async def leased(home: Home, device: str) -> str:
    """Return a lease of Anna's that she has not used."""
    step = await home.hub.wishes.request_lease(
        principal=ANNA,
        origin=Origin.APP,
        target=device,
        operation="light.turn_on",
        parameters={},
        reason="Later.",
    )
    assert step.lease is not None
    return step.lease


async def test_a_proposal_is_of_the_tasks_own_manager(tmp_path: Path) -> None:
    house = SimulatedHouse()
    device = lamp(house, "sofa").id
    async with running(tmp_path, house) as home:
        await leased(home, device)
        (task,) = home.hub.issuer.tasks

        async def decided(sender: str, device: str) -> Message:
            proposal = home.hub.node.emit(
                sender=sender,
                to="rupert",
                type=MessageType.PROPOSAL,
                content="Please.",
                task=task,
                body={
                    "device": device,
                    "operation": "light.turn_on",
                    "parameters": {},
                },
            )
            return (await home.hub.issuer.decide(proposal.message)).message

        answer = await decided("darcy", device)
        assert answer.type is MessageType.DENIAL
        assert answer.body["reason"] == Reason.OUT_OF_SCOPE
        assert home.of(MessageType.REVOCATION) == []
        # Its own manager cannot name what is not exposed either.
        hidden = lamp(house, "hidden").id
        listed = [one for one in house.devices() if one.id != hidden]
        house.devices = lambda: listed  # type: ignore[method-assign]
        answer = await decided("jeeves", hidden)
        assert answer.body["reason"] == Reason.UNKNOWN_TARGET


async def test_only_who_was_asked_ends_a_lease(tmp_path: Path) -> None:
    house = SimulatedHouse()
    device = lamp(house, "sofa").id
    async with running(tmp_path, house) as home:
        lease = await leased(home, device)
        for sender, ended in (("darcy", 0), ("jeeves", 1)):
            receipt = home.hub.node.emit(
                sender=sender,
                to="rupert",
                type=MessageType.REFUSAL,
                content="It is over.",
                lease=lease,
                task=next(iter(home.hub.issuer.tasks)),
                body={"reason": Reason.EXPIRED, "over": True},
            )
            tasks, _ = home.hub.issuer.close(receipt.message)
            assert len(tasks) == ended
        assert home.hub.status.leases == ()
