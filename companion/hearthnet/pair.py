"""Pair this machine with a home: run it with the code that Home Assistant shows."""

import argparse
import asyncio
from contextlib import suppress
import os
from pathlib import Path
import random
import sys

from .config import Config, ConfigError, default_data, default_path
from .core.bus.broker import Topics
from .core.bus.link import LinkError, connect
from .core.bus.retry import Backoff, first
from .core.clock import SystemClock
from .core.companion import Identity
from .core.keys import SigningKey
from .core.pairing import LIFE, Code, PairingError, StrangerError, accepted, hello

REPEAT_SECONDS = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument("code", help="the code that Home Assistant shows, in one word")
    parser.add_argument("--config", type=Path, help="where to write the configuration")
    parser.add_argument("--data", type=Path, help="folder for the journal")
    parser.add_argument("--host", help="another name or address of the broker")
    parser.add_argument("--force", action="store_true", help="replace an older pairing")


def run(arguments: argparse.Namespace) -> int:
    """Pair; return the exit code."""
    try:
        code = Code.parse(arguments.code)
        path = arguments.config or default_path(code.role)
        if path.exists() and not arguments.force:
            raise ConfigError(f"{path} exists: --force replaces it")
        seed = os.urandom(32)
        config = Config(
            path=path,
            seed=seed,
            identity=_identity(code, seed, arguments.host),
            data=arguments.data or default_data(code.name),
            settings={},
        )
        taken = asyncio.run(answer(code, config.identity))
    except TimeoutError:
        sys.stderr.write("nobody confirmed within ten minutes: make a new code\n")
        return 1
    except (PairingError, ConfigError, LinkError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if not taken:
        sys.stderr.write("Home Assistant did not take this companion in\n")
        return 1
    config.write()
    sys.stdout.write(f"Paired. Start it with: hearthnet {code.role}\n")
    return 0


def _identity(code: Code, seed: bytes, host: str | None) -> Identity:
    broker = code.broker
    if host is not None:
        broker = type(broker).from_dict({**broker.as_dict(), "host": host})
    return Identity(
        name=code.name,
        role=code.role,
        key=SigningKey(seed),
        hub=code.hub,
        broker=broker,
    )


async def answer(code: Code, identity: Identity) -> bool:
    """Say hello under the code until the hub has answered, also over a lost broker.

    Returns:
        Whether the hub took this companion in.

    Raises:
        PairingError: what came is not the hub's answer to us.
        LinkError: the broker cannot be reached, or refuses.
        TimeoutError: nobody has confirmed while the code was good.
    """
    sys.stdout.write(
        f"This is {code.name}, fingerprint {identity.key.public.fingerprint}\n"
        "Confirm it in Home Assistant if it shows the same.\n"
    )
    sys.stdout.flush()
    reached = asyncio.Event()
    backoff = Backoff(SystemClock(), random.random)
    async with asyncio.timeout(LIFE):
        while True:
            backoff.begin()
            try:
                return await _ask(code, identity, reached)
            except LinkError:
                if not reached.is_set():  # more likely a wrong address
                    raise
            await backoff.pause(asyncio.Event())


async def _ask(code: Code, identity: Identity, reached: asyncio.Event) -> bool:
    """Say hello over one connection; `reached` is set once there is one."""
    topics = Topics(identity.broker.prefix)
    async with connect(identity.broker, f"pair/{code.topic}") as link:
        await link.subscribe(topics.pair(code.topic, "hub"))
        reached.set()

        async def repeat() -> None:
            while True:
                payload = hello(code, identity.key)
                await link.publish(topics.pair(code.topic, code.name), payload)
                await asyncio.sleep(REPEAT_SECONDS)

        async def listen() -> bool:
            async for delivery in link.deliveries():
                link.ack(delivery)
                with suppress(StrangerError):
                    return accepted(code, identity.key, delivery.payload)
            raise LinkError("the connection is lost")

        saying = asyncio.ensure_future(repeat())
        listening = asyncio.ensure_future(listen())
        try:
            await first([saying, listening])
            return listening.result()
        finally:
            for task in (saying, listening):
                task.cancel()
            await asyncio.gather(saying, listening, return_exceptions=True)
