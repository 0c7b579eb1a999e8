"""The librarian: records what the agents do in a Git repository."""

import argparse
import asyncio
from functools import partial
import logging
from pathlib import Path
import re
import sys

DEFAULT_API = "127.0.0.1:8760"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument(
        "--repository",
        type=Path,
        help="the bare Git repository; made if there is none",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--stdio",
        action="store_true",
        help="take records from standard input and answer on standard output",
    )
    how.add_argument(
        "--config",
        type=Path,
        help="serve over the broker, as `hearthnet pair` has set it up (the default)",
    )
    parser.add_argument(
        "--api",
        metavar="HOST:PORT",
        help=f"where to answer questions over HTTP, such as {DEFAULT_API}",
    )
    parser.add_argument(
        "--mirror", metavar="URL", help="a Git repository to push the record to"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until told to stop; return the exit code."""
    try:
        import pygit2  # noqa: F401, PLC0415 - an extra, and its absence is no bug

        from .core.librarian import LibrarianError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{error.name} is missing: pip install 'hearthnet[dewey]'\n")
        return 1
    from .config import ConfigError  # noqa: PLC0415
    from .core.companion import FencedError  # noqa: PLC0415
    from .core.journal import JournalError  # noqa: PLC0415

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        if arguments.stdio:
            from .core.librarian.service import serve_stdio  # noqa: PLC0415

            if arguments.repository is None:
                raise ConfigError("--stdio needs --repository")
            asyncio.run(serve_stdio(arguments.repository))
        else:
            asyncio.run(_serve(arguments))
    except (LibrarianError, ConfigError, JournalError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except FencedError as error:
        # systemd must not start it again: a person has to choose between the two.
        sys.stderr.write(f"{error}\n")
        return 3
    return 0


async def _serve(arguments: argparse.Namespace) -> None:
    from importlib.metadata import version  # noqa: PLC0415

    from .config import Config, ConfigError, default_path  # noqa: PLC0415
    from .core.librarian.dewey import Dewey, Options  # noqa: PLC0415
    from .service import serve  # noqa: PLC0415

    path = arguments.config or default_path("dewey")
    config = await asyncio.to_thread(Config.read, path)
    if config.identity.role != "dewey":
        raise ConfigError(f"{path} is of a {config.identity.role}")
    told = config.settings.get("dewey", {})
    api = arguments.api or told.get("api")
    if api is not None and not re.fullmatch(r".+:[0-9]{1,5}", str(api)):
        raise ConfigError(f"api: {api!r} is no HOST:PORT, such as {DEFAULT_API}")
    options = Options(
        repository=arguments.repository or config.repository,
        api=api,
        mirror=arguments.mirror or told.get("mirror"),
        version=version("hearthnet"),
    )
    dewey = await asyncio.to_thread(
        partial(
            Dewey.open,
            config.identity,
            config.data / "journal",
            options,
            renewed=config.trust,
        )
    )
    await serve(dewey)
