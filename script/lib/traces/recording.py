"""One trace, from an empty Home Assistant to a file."""

from contextlib import ExitStack
import json
from pathlib import Path
import subprocess
from typing import Any

from script.lib.demo.machines import machines
from script.lib.demo.model import CHOICES
from script.lib.demo.stage import Say, Stage, stage
from tests.support.provider import provider

from .cases import SHOWN, missing
from .home import home
from .themes import THEMES
from .wants import answers

LATENCY = 2.0
"""Seconds that the model thinks: time enough to change something meanwhile."""
ROOT = Path(__file__).parents[3]


def record(name: str, folder: Path, file: Path, say: Say) -> None:
    """Play a theme in a home of its own and cut a trace out of what it recorded.

    Raises:
        subprocess.CalledProcessError: it cannot be cut, or is played otherwise.
        ValueError: it does not show its cases.
    """
    theme = THEMES[name]
    with ExitStack() as stack:
        more: dict[str, Any] = {}
        if theme.plans:
            model = stack.enter_context(provider(answers(theme.plans), latency=LATENCY))
            more = {"choices": CHOICES, "env": {"ANTHROPIC_BASE_URL": model.url}}
        people: dict[str, Stage] = {}
        if theme.demo:
            beside = folder.with_name("machines")
            others = stack.enter_context(machines(beside)) if theme.beside else None
            there = stack.enter_context(stage(folder, say, beside=others))
        else:
            there, people = stack.enter_context(
                home(folder, say, theme.people, night=theme.night, **more)
            )
        boot = str(there.events(limit=1)[0]["id"]).split(".")[1]
        theme.play(there, people)
        there.committed()
        title = ", ".join(sorted(SHOWN.get(name, ()), key=_order))
        title = f"Acceptance {title}: {theme.title}" if title else theme.title
        hearthnet = ROOT / ".venv-core/bin/hearthnet"
        subprocess.run(
            [
                *(hearthnet, "record", there.repository, file),
                *("--title", title, "--since", f"hub.{boot}.1"),
            ],
            check=True,
        )
    subprocess.run([hearthnet, "replay", "--fast", file], check=True)
    decisions = json.loads(file.read_text("utf-8"))["decisions"]
    if name in SHOWN and (cases := missing(name, decisions)):
        raise ValueError(f"{file} does not show {', '.join(cases)}")


def _order(case: str) -> tuple[str, int]:
    return case[0], int(case[1:])
