"""Play recorded traces with the real core over a real broker: no device, no model.

Time leaps to whatever comes next.
Checks the safety properties and the recorded decisions. Exit code: 0 all as recorded,
1 something differs or does not hold, 2 a file cannot be read.
"""

import argparse
from functools import partial
import os
from pathlib import Path
import sys

OFFLINE = "offline"
"""The planner of a day on which no model answers."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument("traces", nargs="+", type=Path, metavar="TRACE")
    parser.add_argument(
        "--fast",
        action="store_true",
        help="in this process alone: no broker, and no librarian behind it",
    )
    parser.add_argument(
        "--policy",
        type=Path,
        metavar="FILE",
        help="what if this policy had been in force; a difference is no fault then",
    )
    parser.add_argument(
        "--planner",
        metavar="MODEL",
        help="what if this model of Anthropic's had planned all that people said;"
        " the key is in ANTHROPIC_API_KEY, and each sentence costs a call."
        f" {OFFLINE}: what if no model had answered",
    )
    parser.add_argument(
        "--accept",
        action="store_true",
        help="write the decisions into the traces, as those to be compared with",
    )


def run(arguments: argparse.Namespace) -> int:
    """Play one after another; return the exit code."""
    what_if = arguments.policy is not None or arguments.planner is not None
    if what_if and arguments.accept:
        sys.stderr.write("--accept is for what really was\n")
        return 2
    without = arguments.planner == OFFLINE
    model = None if without else arguments.planner
    if model is not None and "ANTHROPIC_API_KEY" not in os.environ:
        sys.stderr.write("--planner needs the key in ANTHROPIC_API_KEY\n")
        return 2
    anew = None
    try:
        from .mosquitto import MosquittoError  # noqa: PLC0415
        from .traces.compare import accept, compare  # noqa: PLC0415
        from .traces.shape import TraceError  # noqa: PLC0415

        if model is not None:
            from .traces.anew import claude, planned  # noqa: PLC0415

            anew = partial(planned, claude(model))
    except ModuleNotFoundError as error:
        text = "pip install 'hearthnet[dewey,planner,replay]'"
        sys.stderr.write(f"{error.name} is missing: {text}\n")
        return 2
    wrong = False
    try:
        for path in arguments.traces:
            if arguments.accept:
                accept(path)
            found = compare(
                path,
                arguments.policy,
                anew,
                without_model=without,
                over_broker=not arguments.fast,
            )
            sys.stdout.writelines(f"{line}\n" for line in found.told())
            sys.stdout.flush()  # the next one takes a while
            differs = bool(found.diff.lines) and not what_if
            wrong = wrong or differs or bool(found.played.broken)
    except TraceError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except MosquittoError as error:
        sys.stderr.write(f"{error}: install Debian's package mosquitto, or --fast\n")
        return 2
    return int(wrong)
