"""A manager on a machine of its own: `python -m hearthnet.bench.manager FOLDER PORT`.

Its lamps obey at once. It is made to be measured, and to be killed.
"""

import asyncio
from pathlib import Path
import signal
import sys

from hearthnet.background import Background
from hearthnet.core.bus.broker import Broker
from hearthnet.core.companion import Companion, Identity
from hearthnet.core.enrolled import DARCY
from hearthnet.core.keys import SigningKey
from hearthnet.simulation import manage

from .home import KEY, lamps

NAME = "manager"
SECRET = SigningKey(bytes(range(1, 33)))
PREFIX = "hearthnet/bench"
DEVICES = 1000


def broker(port: int) -> Broker:
    """Return how to reach the broker of a bench."""
    return Broker(host="127.0.0.1", port=port, prefix=PREFIX)


async def serve(folder: Path, port: int) -> None:
    """Manage until told to stop."""
    stop, tasks = asyncio.Event(), Background()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)

    identity = Identity(
        name=NAME, role=DARCY, key=SECRET, hub=KEY.public, broker=broker(port)
    )
    companion = Companion.open(identity, folder, agents=(NAME,))
    manager = manage(companion, NAME, lamps(DEVICES, NAME), tasks.spawn)
    running = asyncio.ensure_future(companion.run())
    await stop.wait()
    companion.stop()
    await running
    manager.close()
    await tasks.end()
    await companion.close()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2])))
