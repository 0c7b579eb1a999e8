"""Cut a trace out of a record: what came to a home and when, and what was decided."""

import argparse
from pathlib import Path
import re
import sys

HUB_START = re.compile(r"hub\.[0-9]+\.1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument("repository", type=Path, help="the record, or a copy of it")
    parser.add_argument("output", type=Path, help="the trace's file")
    parser.add_argument("--title", default="", help="one line for people")
    parser.add_argument(
        "--since", metavar="EVENT", help="first event; else the hub's newest start"
    )
    parser.add_argument("--until", metavar="EVENT", help="last event; else the newest")
    parser.add_argument(
        "--redact", action="store_true", help="put marks for names and words"
    )


def run(arguments: argparse.Namespace) -> int:
    """Cut; return the exit code."""
    try:
        # Git is not on a phone.
        from .audit.history import UnreadableError, events  # noqa: PLC0415
        from .traces.cut import cut  # noqa: PLC0415
        from .traces.redacted import redacted  # noqa: PLC0415
        from .traces.trace import TraceError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        text = "pip install 'hearthnet[dewey,replay]'"
        sys.stderr.write(f"{error.name} is missing: {text}\n")
        return 2
    try:
        messages = [
            event.message
            for _, event in events(arguments.repository)
            if event.message is not None and event.problem is None
        ]
        ids = [message.id for message in messages]
        starts = [n for n, name in enumerate(ids) if HUB_START.fullmatch(name)]
        first = ids.index(arguments.since) if arguments.since else max(starts)
        last = ids.index(arguments.until) if arguments.until else len(ids) - 1
        trace = cut(
            arguments.title or f"{ids[first]} to {ids[last]}",
            messages[:first],
            messages[first : last + 1],
        )
    except (UnreadableError, TraceError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if arguments.redact:
        trace = redacted(trace)
    arguments.output.write_text(trace.encode(), "utf-8")
    sys.stdout.write(
        f"{arguments.output}: {len(trace.steps)} steps, {len(trace.devices)} devices,"
        f" {len(trace.decisions)} lines of decisions; {trace.left_out} events of other"
        " nodes are not in it\n"
    )
    return 0
