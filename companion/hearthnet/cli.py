"""The command `hearthnet`: one subcommand for each thing the companion does."""

import argparse
from collections.abc import Sequence
from importlib import import_module

_COMMANDS = {
    "audit": "check a record offline; export one incident of it",
    "bench": "measure this machine against the targets of the design",
    "broker": "write a configuration for Mosquitto: TLS, users, topics by user",
    "darcy": "the phone's manager: serve a phone, examine it, show its screen",
    "dewey": "the librarian: records what the agents do in a Git repository",
    "record": "cut a trace out of a record",
    "replay": "play traces with the real core, also under another policy",
    "table1": "the paper's table, its numbers and ours",
    "pair": "pair this machine with a home, by the code that Home Assistant shows",
}
"""Each is a module of this package with `add_arguments` and `run`.

Only the one that is asked for is imported: Darcy has no pygit2, Dewey no ADB.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; return the exit code."""
    parser = argparse.ArgumentParser(prog="hearthnet", description=__doc__)
    parser.add_argument("command", choices=_COMMANDS, metavar="command")
    parser.epilog = "; ".join(f"{name}: {text}" for name, text in _COMMANDS.items())
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    module = import_module(f"{__package__}.{chosen.command}")
    own = argparse.ArgumentParser(
        prog=f"hearthnet {chosen.command}", description=module.__doc__
    )
    module.add_arguments(own)
    return int(module.run(own.parse_args(chosen.rest)))
