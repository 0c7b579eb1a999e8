"""Play recorded traces with the real core: no device, no model, no waiting.

Checks the safety properties and the recorded decisions. Exit code: 0 all as recorded,
1 something differs or does not hold, 2 a file cannot be read.
"""

import argparse
from pathlib import Path
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument("traces", nargs="+", type=Path, metavar="TRACE")
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--policy",
        type=Path,
        metavar="FILE",
        help="what if this policy had been in force; a difference is no fault then",
    )
    other.add_argument(
        "--accept",
        action="store_true",
        help="write the decisions into the traces, as those to be compared with",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play one after another; return the exit code."""
    try:
        from .core.policy.spots import PolicyError  # noqa: PLC0415
        from .traces.compare import accept, compare  # noqa: PLC0415
        from .traces.trace import TraceError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        text = "pip install 'hearthnet[dewey,replay]'"
        sys.stderr.write(f"{error.name} is missing: {text}\n")
        return 2
    wrong = False
    try:
        for path in arguments.traces:
            if arguments.accept:
                accept(path)
            found = compare(path, arguments.policy)
            sys.stdout.writelines(f"{line}\n" for line in found.told())
            differs = bool(found.diff) and arguments.policy is None
            wrong = wrong or differs or bool(found.played.broken)
    except (OSError, TraceError, PolicyError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return int(wrong)
