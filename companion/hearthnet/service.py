"""Running a companion's node as a program."""

import asyncio
import signal
from typing import Protocol


class Service(Protocol):
    """A node that works until it is told to stop."""

    async def run(self) -> None:
        """Work until `stop`."""

    def stop(self) -> None:
        """Let `run` end in good order."""

    async def close(self) -> None:
        """Let go of what was opened."""


async def serve(service: Service) -> None:
    """Run a node to its end; a signal of the terminal or of systemd stops it."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, service.stop)
    try:
        await service.run()
    finally:
        await service.close()
