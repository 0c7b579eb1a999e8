"""HearthNet outside Home Assistant: a subcommand for each thing it does there."""

import argparse
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
import os
import signal
import sys

_COMMANDS = {
    "audit": "check a record offline; export one incident of it",
    "bench": "measure this machine against the targets of the design",
    "broker": "write a configuration for Mosquitto: TLS, users, topics by user",
    "darcy": "the phone's manager: serve a phone, examine it, show its screen",
    "dewey": "the librarian: records what the agents do in a Git repository",
    "record": "make a trace, out of a record or of what passes the broker",
    "replay": "play traces with the real core, also under another policy",
    "table1": "the paper's table, its numbers and ours",
    "pair": "pair this machine with a home, by the code that Home Assistant shows",
}
"""Each is a module of this package with `add_arguments` and `run`.

Only the one that is asked for is imported: Darcy has no pygit2, Dewey no ADB.
"""
_EXTRAS = {"darcy": "darcy", "dewey": "dewey"}
"""What of the package's extras a command needs, where not `dewey,replay`."""
_SIGNALED = 128
"""Exit code of what a signal ended, less the signal, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; return the exit code."""
    parser = _parser()
    if not (sys.argv[1:] if arguments is None else arguments):
        parser.print_help(sys.stderr)
        return 2
    chosen = parser.parse_args(arguments)
    end = _End()
    if arguments is None and chosen.command not in _EXTRAS:
        # What a command has started must not outlive it; services see to it themselves.
        signal.signal(signal.SIGTERM, end)
    try:
        return _answer(chosen.command, chosen.rest)
    except KeyboardInterrupt:
        return _SIGNALED + end.by
    except BrokenPipeError:
        # Whoever read, such as `head`, has enough. What is left must go somewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _SIGNALED + signal.SIGPIPE


class _End:
    """Ends a command as Ctrl-C does, which asyncio does in good order."""

    by = signal.SIGINT

    def __call__(self, number: int, _frame: object) -> None:
        self.by = signal.Signals(number)
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)


def _answer(command: str, rest: Sequence[str]) -> int:
    """Run a command and say what is missing for it; return the exit code."""
    try:
        code = _run(command, rest)
        if not sys.stdout.closed:  # the librarian's frames end with its pipe
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stderr.write(f"hearthnet {command}: {_told(error)}\n")
        return 2
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == __package__:
            raise
        extras = _EXTRAS.get(command, "dewey,replay")
        sys.stderr.write(
            f"hearthnet {command} needs {error.name}, which is not installed: "
            f"install hearthnet[{extras}]\n"
        )
        return 2
    return code


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, _COMMANDS))
    parser = argparse.ArgumentParser(
        prog="hearthnet",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"  {name:{width}}  {_COMMANDS[name]}" for name in _COMMANDS),
    )
    parser.add_argument(
        "--version", action="version", version=f"hearthnet {version('hearthnet')}"
    )
    parser.add_argument("command", choices=_COMMANDS, metavar="command")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _told(error: OSError) -> str:
    """Return what is wrong, in words, with the file if it is known."""
    file = f"{error.filename}: " if error.filename is not None else ""
    return f"{file}{error.strerror or error}"


def _run(command: str, rest: Sequence[str]) -> int:
    module = import_module(f"{__package__}.{command}")
    own = argparse.ArgumentParser(
        prog=f"hearthnet {command}", description=module.__doc__
    )
    module.add_arguments(own)
    try:
        # Options may stand anywhere, also between a command's words.
        arguments = own.parse_intermixed_args(rest)
    except TypeError:  # it has commands of its own, whose options follow them
        arguments = own.parse_args(rest)
    return int(module.run(arguments))
