"""The librarian: records what the agents do in a Git repository."""

import argparse
import asyncio
from pathlib import Path
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument(
        "--repository",
        type=Path,
        required=True,
        help="the bare Git repository; made if there is none",
    )
    parser.add_argument(
        "--stdio",
        action="store_true",
        required=True,
        help="take records from standard input and answer on standard output",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until the input ends; return the exit code."""
    try:
        from .core.librarian import LibrarianError  # noqa: PLC0415 - pygit2 is an extra
        from .core.librarian.service import serve_stdio  # noqa: PLC0415
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{error.name} is missing: pip install 'hearthnet[dewey]'\n")
        return 1
    try:
        asyncio.run(serve_stdio(arguments.repository))
    except LibrarianError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0
