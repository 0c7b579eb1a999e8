"""Make a trace: what came to a home and when, and what was decided.

Cuts it out of a record, or with --live listens on a librarian's machine to what
passes the broker until Ctrl-C. Exit code: 0 written, 1 written, but something is
missing at its end, 2 there is none.
"""

import argparse
import asyncio
from contextlib import suppress
from pathlib import Path
import signal
import sys
from typing import TYPE_CHECKING

from .numeric import seconds
from .output import check, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .config import Config
    from .core.librarian.record import Event
    from .core.messages import Message
    from .traces.day import Day
    from .traces.live import Observer


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
    # Git is not on a phone.
    from .audit.history import UnreadableError  # noqa: PLC0415
    from .config import ConfigError  # noqa: PLC0415
    from .core.bus.link import LinkError  # noqa: PLC0415
    from .core.policy.spots import PolicyError  # noqa: PLC0415
    from .traces.live import LiveError  # noqa: PLC0415
    from .traces.shape import TraceError  # noqa: PLC0415

    try:
        if arguments.live:
            return _live(arguments, output)
        return _cut(arguments, repository[0], output)
    except (
        *(UnreadableError, ConfigError, LinkError),
        *(LiveError, TraceError, PolicyError),
    ) as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _cut(arguments: argparse.Namespace, repository: Path, output: Path) -> int:
    """Cut out of a record."""
    from .audit.history import events  # noqa: PLC0415
    from .traces.day import Day  # noqa: PLC0415
    from .traces.shape import TraceError  # noqa: PLC0415

    def gather(since: str | None) -> Day:
        day, last = Day(), ""
        for message in _messages(event for _, event in events(repository)):
            if message.id == since or (since is None and _starts(message)):
                day.begin()
            day.take(message)
            if (last := message.id) == arguments.until:
                break
        if day.first is None:
            found = f"{since} is not" if since else "no start of the hub is"
            until = f" up to {last}" if last == arguments.until else ""
            raise TraceError(f"{found} on record in {repository}{until}")
        if arguments.until not in (None, last):
            raise TraceError(f"{arguments.until} is not on record in {repository}")
        return day

    return _write(arguments, output, gather, arguments.since)


def _live(arguments: argparse.Namespace, output: Path) -> int:
    """Listen, then join what was heard to what is on record."""
    from .audit.history import UnreadableError, events, opened  # noqa: PLC0415
    from .config import Config, ConfigError, default_path  # noqa: PLC0415
    from .traces.day import Day  # noqa: PLC0415
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
        opened(config.repository)
    except UnreadableError as error:
        raise LiveError(
            f"{error}\nThe trace begins with what was so before, which is on record:"
            " run this on the librarian's machine, with its --config, once Dewey has"
            " started there"
        ) from error
    check(output)
    observer = asyncio.run(_listen(config, arguments.seconds))
    heard = observer.heard
    if not heard:
        raise LiveError(
            "nothing was heard, so there is no trace: nothing happened, or"
            " the hub's events do not pass this broker (docs/traces.md, Live)"
        )
    gaps: dict[str, None] = {}

    def gather(since: str | None) -> Day:
        day = Day()
        recorded = (event for _, event in events(config.repository))
        known = joined(recorded, heard, observer.keys, gaps.setdefault)
        for message in _messages(known):
            if day.first is None and (message.event in heard or message.id == since):
                day.begin()
            day.take(message)
        if day.first is None:
            raise LiveError("; ".join((*gaps, "nothing that was heard is on record")))
        return day

    _write(arguments, output, gather, None)
    for gap in gaps:
        _tell(f"{gap}: the trace ends before it")
    return int(bool(gaps))


def _messages(events: "Iterable[Event]") -> "Iterator[Message]":
    """Yield what counts."""
    for event in events:
        if event.message is not None and event.problem is None:
            yield event.message


def _starts(message: "Message") -> bool:
    from .core.paths import HUB  # noqa: PLC0415

    return message.event.node == HUB and message.event.seq == 1


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


def _write(
    arguments: argparse.Namespace,
    output: Path,
    gather: "Callable[[str | None], Day]",
    since: str | None,
) -> int:
    """Write the trace of a day, from one quiet moment to another."""
    from .traces.cut import cut  # noqa: PLC0415
    from .traces.redacted import redacted  # noqa: PLC0415
    from .traces.shape import TraceError  # noqa: PLC0415
    from .traces.trace import Trace  # noqa: PLC0415

    day = gather(since)
    assert day.first is not None
    wished = day.messages[day.first] if day.first < len(day.messages) else None
    first, end = day.span()
    tried = None
    while (lease := day.earlier(first, end)) not in (None, tried):
        # Only now it is known how far back the day has to begin.
        tried = lease
        with suppress(TraceError):  # it is not on record
            day = gather(lease)
            first, end = day.span()
    if end <= first:
        raise TraceError("nothing came to an end in that time, so there is no trace")
    begins = day.messages[first].id
    if wished is not None and begins != wished.id:
        _tell(f"it begins with {begins}: what began before goes on in it")
    if end < len(day.messages):
        _tell(f"it ends before {day.messages[end].id}, which was still under way")
    for message in day.messages[:first]:
        day.before.apply(message)
    title = arguments.title or f"{begins} to {day.messages[end - 1].id}"
    trace = cut(title, day.before, day.messages[first:end])
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
    return 0


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
