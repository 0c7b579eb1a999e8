"""Pair this machine with a home: run it with the code that Home Assistant shows."""

import argparse
import asyncio
import os
from pathlib import Path
import sys

from .config import Config, ConfigError, default_data, default_path
from .core.bus.broker import Topics
from .core.bus.link import LinkError, connect
from .core.companion import Identity
from .core.keys import SigningKey
from .core.pairing import LIFE, Code, PairingError, accepted, hello

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
        taken = asyncio.run(_pair(code, config.identity))
    except (PairingError, ConfigError, LinkError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except TimeoutError:
        sys.stderr.write("nobody confirmed within ten minutes: make a new code\n")
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


async def _pair(code: Code, identity: Identity) -> bool:
    """Say hello under the code until the hub has answered."""
    topics = Topics(identity.broker.prefix)
    sys.stdout.write(
        f"This is {code.name}, fingerprint {identity.key.public.fingerprint}\n"
        "Confirm it in Home Assistant if it shows the same.\n"
    )
    sys.stdout.flush()
    async with asyncio.timeout(LIFE):
        async with connect(identity.broker, f"pair/{code.topic}") as link:
            await link.subscribe(topics.pair(code.topic, "hub"))

            async def repeat() -> None:
                while True:
                    payload = hello(code, identity.key)
                    await link.publish(topics.pair(code.topic, code.name), payload)
                    await asyncio.sleep(REPEAT_SECONDS)

            saying = asyncio.ensure_future(repeat())
            try:
                async for delivery in link.deliveries():
                    link.ack(delivery)
                    return accepted(code, identity.key, delivery.payload)
            finally:
                saying.cancel()
                await asyncio.gather(saying, return_exceptions=True)
    return False
