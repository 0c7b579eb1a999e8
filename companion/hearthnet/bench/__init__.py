"""Measure HearthNet on this machine against the targets of its design."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
import json
from pathlib import Path
import sys
from typing import Any

from hearthnet.numeric import count

BENCHES: Mapping[str, str] = {
    "gate": "what a lease costs at its arrival and at its use",
    "intent": "from an intent to its last receipt",
    "broker": "the distributed home: quickness, memory, and how soon it heals",
    "loop": "how long the event loop is held, beside a slow disk",
    "record": "durable events a second",
    "timeline": "how quickly the timeline answers, how large the record becomes",
    "planner": "prompts, their cost, and what is added to a model's time",
    "verdicts": "wrong refusals and acceptances, against an independent oracle",
    "kills": "what kill -9 loses, doubles or repeats",
    "scale": "many agents, many devices, a record of many events",
}
"""Each is a module of this package with `rows`; only what is asked for is loaded."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = "; ".join(f"{name}: {text}" for name, text in BENCHES.items())
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}; else all"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it down, too")
    parser.add_argument(
        "--quick", action="store_true", help="a rough look in less than a minute"
    )
    parser.add_argument("--commands", type=count, help="to judge (20000)")
    parser.add_argument(
        "--events", type=partial(count, least=1000), help="in the timeline (100000)"
    )
    parser.add_argument("--kills", type=count, help="to survive (40)")
    parser.add_argument("--seed", type=int, help="of what is drawn by lot (1)")


def run(arguments: argparse.Namespace) -> int:
    """Measure, one after another, and print a table; return the exit code.

    It is 1 when something that holds on any machine did not: a wrong verdict, a
    lost event. Times are judged by the reader.
    """
    try:
        # Policies and the record need packages that a phone does not have.
        from .child import STOPPED, stoppable  # noqa: PLC0415
        from .machine import machine  # noqa: PLC0415
        from .rows import Scale, table  # noqa: PLC0415

        names = arguments.names or list(BENCHES)
        if unknown := [name for name in names if name not in BENCHES]:
            known = ", ".join(BENCHES)
            sys.stderr.write(f"{unknown[0]}: no bench; there are {known}\n")
            return 2
        given = {
            name: value
            for name in ("commands", "events", "kills", "seed")
            if (value := getattr(arguments, name)) is not None
        }
        scale = replace(Scale(quick=arguments.quick), **given)
        with stoppable():
            here = machine()
            sys.stdout.write(f"{here}\n")
            found = {name: _rows(name, scale) for name in names}
    except KeyboardInterrupt:
        return STOPPED
    except ModuleNotFoundError as error:
        text = "pip install 'hearthnet[dewey,replay]'"
        sys.stderr.write(f"{error.name} is missing: {text}\n")
        return 1
    rows = [row for some in found.values() for row in some]
    sys.stdout.write("\n" + table(rows))
    if arguments.json is not None:
        told = {
            "machine": here.as_dict(),
            "scale": vars(scale),
            "rows": [
                {"bench": name, **row.as_dict()}
                for name, some in found.items()
                for row in some
            ],
        }
        text = json.dumps(told, indent=1, ensure_ascii=False)
        arguments.json.write_text(f"{text}\n", "utf-8")
    return int(any(row.exact and row.met is False for row in rows))


def _rows(name: str, scale: Any) -> list[Any]:
    sys.stderr.write(f"{name}: {BENCHES[name]} ...\n")
    return list(import_module(f"{__name__}.{name}").rows(scale))
