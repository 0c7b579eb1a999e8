"""Days to play, and the records and traces that they make."""

from collections.abc import Mapping
from pathlib import Path

from hearthnet.cli import main
from hearthnet.traces.play import Played, play
from hearthnet.traces.trace import SHIPPED, Step, Trace
from hearthnet.traces.written import write

ANNA = {"kind": "user", "id": "anna", "name": "Anna", "role": "owner"}
LOCKED = {"device": "d", "values": {"state": "locked"}, "cause": "device"}
TRACES = sorted(SHIPPED.glob("*.json"))
SCENES = SHIPPED / "scenes.json"
PHONE = SHIPPED / "phone.json"


def wish(at: float, number: int, plan: Mapping[str, object]) -> Step:
    """Return that somebody says something and what it is taken for."""
    data = {"text": f"Number {number}", "principal": ANNA, "origin": "app"}
    return Step(at=at, do="ask", name=f"hub.1.{number}", data={**data, "plan": plan})


def recorded(trace: Path, folder: Path) -> Path:
    """Play a trace and put it into a repository."""
    write(play(Trace.load(trace)).records, folder)
    return folder


def again_of(played: Played, folder: Path) -> Trace:
    """Cut a played day out of the record that it makes."""
    write(played.records, folder / "record")
    file = folder / "again.json"
    arguments = [str(folder / "record"), str(file), "--since", "hub.1.1"]
    assert main(["record", *arguments]) == 0
    return Trace.load(file)
