"""Make a trace: what came to a home and when, and what was decided.

Cuts it out of a record, or with --live listens on a librarian's machine to what
passes the broker until Ctrl-C. Exit code: 0 written, 1 written, but something is
missing at its end, 2 there is none.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
import re
import signal
import sys
from typing import TYPE_CHECKING

from .numeric import seconds
from .output import check, write

if TYPE_CHECKING:
    from .config import Config
    from .core.messages import Message
    from .traces.live import Observer

HUB_START = re.compile(r"hub\.[0-9]+\.1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.usage = (
        "hearthnet record REPOSITORY OUTPUT [options]\n"
        "       hearthnet record --live OUTPUT [options]"
    )
    parser.add_argument(
        "words",
        nargs="+",
        type=Path,
        metavar="REPOSITORY OUTPUT",
        help=argparse.SUPPRESS,
    )
    parser.add_argument("--title", default="", help="one line for people")
    parser.add_argument(
        "--redact", action="store_true", help="put marks for names and words"
    )
    cut = parser.add_argument_group("of REPOSITORY, the record or a copy of it")
    cut.add_argument(
        "--since", metavar="EVENT", help="first event; else the hub's newest start"
    )
    cut.add_argument("--until", metavar="EVENT", help="last event; else the newest")
    live = parser.add_argument_group("live, on a librarian's machine")
    live.add_argument(
        "--live", action="store_true", help="listen until Ctrl-C, then write"
    )
    live.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="the librarian's, as `hearthnet pair` has written it",
    )
    live.add_argument(
        "--seconds", type=seconds, metavar="N", help="listen only for so long"
    )


@dataclass(frozen=True, kw_only=True)
class _Day:
    """What a trace is made of."""

    messages: Sequence["Message"]
    first: int
    end: int
    """The place after the last one."""
    gaps: Sequence[str] = ()


def run(arguments: argparse.Namespace) -> int:
    """Make the trace; return the exit code."""
    *repository, output = arguments.words
    cutting = arguments.since or arguments.until
    listening = arguments.config or arguments.seconds is not None
    if len(repository) != (not arguments.live) or (
        cutting if arguments.live else listening
    ):
        sys.stderr.write(
            "either REPOSITORY OUTPUT, maybe with --since and --until, or --live"
            " OUTPUT, maybe with --config and --seconds\n"
        )
        return 2
    try:
        # Git is not on a phone.
        from .audit.history import UnreadableError  # noqa: PLC0415
        from .config import ConfigError  # noqa: PLC0415
        from .core.bus.link import LinkError  # noqa: PLC0415
        from .core.policy.spots import PolicyError  # noqa: PLC0415
        from .traces.live import LiveError  # noqa: PLC0415
        from .traces.shape import TraceError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        text = "pip install 'hearthnet[dewey,replay]'"
        sys.stderr.write(f"{error.name} is missing: {text}\n")
        return 2
    try:
        if arguments.live:
            day = _live(arguments, output)
        else:
            day = _cut(repository[0], arguments.since, arguments.until)
        return _write(day, output, arguments)
    except (
        *(UnreadableError, ConfigError, LinkError),
        *(LiveError, TraceError, PolicyError),
    ) as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _cut(repository: Path, since: str | None, until: str | None) -> _Day:
    from .audit.history import events  # noqa: PLC0415
    from .traces.shape import TraceError  # noqa: PLC0415

    messages = [
        event.message
        for _, event in events(repository)
        if event.message is not None and event.problem is None
    ]
    places = {message.id: place for place, message in enumerate(messages)}
    for name in (since, until):
        if name is not None and name not in places:
            raise TraceError(f"{name} is not on record in {repository}")
    starts = [place for name, place in places.items() if HUB_START.fullmatch(name)]
    if not starts:
        raise TraceError(f"no start of the hub is on record in {repository}")
    first = places[since] if since else max(starts)
    last = places[until] if until else len(messages) - 1
    return _Day(messages=messages, first=first, end=last + 1)


def _live(arguments: argparse.Namespace, output: Path) -> _Day:
    """Listen, then join what was heard to what is on record."""
    from .audit.history import UnreadableError, events  # noqa: PLC0415
    from .config import Config, ConfigError, default_path  # noqa: PLC0415
    from .traces.live import LiveError, joined  # noqa: PLC0415

    path = arguments.config or default_path("dewey")
    config = Config.read(path)
    if config.identity.role != "dewey":
        raise ConfigError(
            f"{path} is of a {config.identity.role}: only a librarian may read the"
            " journals"
        )
    # What fails now would fail after hours of listening.
    try:
        next(events(config.repository), None)
    except UnreadableError as error:
        raise LiveError(
            f"{error}\nThe trace begins with what was so before, which is on record:"
            " run this on the librarian's machine, with its --config, once Dewey has"
            " started there"
        ) from error
    check(output)
    observer = asyncio.run(_listen(config, arguments.seconds))
    if not observer.heard:
        raise LiveError(
            "nothing was heard, so there is no trace: nothing happened, or"
            " the hub's events do not pass this broker (docs/traces.md, Live)"
        )
    recorded = [event for _, event in events(config.repository)]
    known, gaps = joined(recorded, observer.heard, observer.keys)
    messages = [e.message for e in known if e.message is not None and not e.problem]
    names = {str(event) for event in observer.heard}
    first = next((n for n, m in enumerate(messages) if m.id in names), None)
    if first is None:
        raise LiveError("; ".join((*gaps, "nothing that was heard is on record")))
    return _Day(messages=messages, first=first, end=len(messages), gaps=gaps)


async def _listen(config: "Config", seconds: float | None) -> "Observer":
    """Listen until a signal comes, or for so many seconds."""
    from .core.bus.link import LinkError  # noqa: PLC0415
    from .core.clock import SystemClock  # noqa: PLC0415
    from .traces.live import LiveError, Observer  # noqa: PLC0415

    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if seconds is not None:
        loop.call_later(seconds, stop.set)
    observer = Observer(config.identity, SystemClock(), _tell)
    try:
        await observer.listen(stop)
    except (LinkError, OSError) as error:
        broker = config.identity.broker
        user = f" as {broker.username}" if broker.username else ""
        place = f"{broker.host}:{broker.port}"
        raise LiveError(f"the broker {place} is not reached{user}: {error}") from error
    return observer


def _write(made: _Day, output: Path, arguments: argparse.Namespace) -> int:
    """Write the trace of a day, from one quiet moment to another."""
    from .traces.cut import cut  # noqa: PLC0415
    from .traces.quiet import span  # noqa: PLC0415
    from .traces.redacted import redacted  # noqa: PLC0415
    from .traces.shape import TraceError  # noqa: PLC0415
    from .traces.trace import Trace  # noqa: PLC0415

    messages = made.messages
    first, end = span(messages, made.first, made.end)
    if end <= first:
        raise TraceError("nothing came to an end in that time, so there is no trace")
    if first < made.first:
        _tell(f"it begins with {messages[first].id}: what began before goes on in it")
    if end < made.end:
        _tell(f"it ends before {messages[end].id}, which was still under way")
    title = arguments.title or f"{messages[first].id} to {messages[end - 1].id}"
    trace = cut(title, messages[:first], messages[first:end])
    if arguments.redact:
        trace = redacted(trace)
    text = trace.encode()
    Trace.decode(text)  # a record that is none of HearthNet's makes no trace
    write(output, text)
    _tell(
        f"{output}: {len(trace.steps)} steps, {len(trace.devices)} devices,"
        f" {len(trace.decisions)} lines of decisions; {trace.left_out} events of other"
        " nodes are not in it"
    )
    for gap in made.gaps:
        _tell(f"{gap}: the trace ends before it")
    return int(bool(made.gaps))


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
