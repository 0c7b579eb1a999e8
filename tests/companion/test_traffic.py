"""A clock that leaps waits for threads and for a real broker."""

import asyncio
from pathlib import Path
from threading import Event

import pytest

from hearthnet.core.bus.broker import Broker
from hearthnet.core.bus.link import Connection, LinkError
from hearthnet.mosquitto import mosquitto
from hearthnet.traces.traffic import Traffic
from hearthnet.virtual import Underway, VirtualClock, run

FAR = 3600.0
"""Seconds of the clock in which everything has long come, if it waits."""


def test_no_time_passes_for_a_thread() -> None:
    clock, told = VirtualClock(), Event()

    async def main() -> float:
        asyncio.get_running_loop().call_later(FAR, told.set)
        working = asyncio.ensure_future(asyncio.to_thread(told.wait, 0.2))
        await working
        return clock.seconds

    assert run(main(), clock) == 0.0
    assert not told.is_set()


def test_who_waits_for_nothing_is_told() -> None:
    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="nothing will ever happen"):
        run(main(), VirtualClock())


def test_what_hangs_outside_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hearthnet.virtual.PATIENCE", 0.1)
    underway = Underway()

    async def main() -> None:
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        underway.wait_for(never)
        try:
            await never
        finally:
            never.cancel()

    with pytest.raises(RuntimeError, match="nothing has come from outside"):
        run(main(), VirtualClock(), underway)


def test_no_time_passes_for_what_a_broker_delivers(tmp_path: Path) -> None:
    """A message goes to and fro a thousand times before the next timer is due."""
    clock, traffic = VirtualClock(), Traffic()

    async def echo(link: Connection, to: str) -> None:
        async for delivery in link.deliveries():
            link.ack(delivery)
            number = int(delivery.payload) + 1
            link.publish(to, str(number).encode())
            if number >= 1000:
                return

    async def main(port: int) -> float:
        broker = Broker(host="127.0.0.1", port=port, prefix="test")
        async with (
            traffic.connect(broker, "one") as one,
            traffic.connect(broker, "two") as two,
        ):
            await one.subscribe("test/one")
            await two.subscribe("test/two")
            echoes = asyncio.gather(echo(one, "test/two"), echo(two, "test/one"))
            two.publish("test/one", b"0")
            async with asyncio.timeout(1):
                await echoes
            return clock.seconds

    with mosquitto(tmp_path) as port:
        assert run(main(port), clock, traffic) == 0.0


def test_a_broker_that_is_not_there(tmp_path: Path) -> None:
    clock, traffic = VirtualClock(), Traffic()

    async def main(port: int) -> None:
        broker = Broker(host="127.0.0.1", port=port, prefix="test")
        async with traffic.connect(broker, "one"):
            pass

    with mosquitto(tmp_path) as port:
        pass
    with pytest.raises(LinkError):
        run(main(port), clock, traffic)
