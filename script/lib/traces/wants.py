"""What the home is asked for in traces: by routines, schedules, models and at once."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from script.lib.demo.stage import Stage
from tests.support.hass_server import INTEGRATION
from tests.support.messages_api import Body, Reply, plan, shown

from .home import now

type Rows = Sequence[Mapping[str, Any]]
_PRESETS = INTEGRATION / "core/policy/presets"
AHEAD = timedelta(seconds=3)
"""How far ahead of now a schedule is."""


def preset(name: str) -> str:
    """Return the text of a shipped policy, without importing the integration."""
    return (_PRESETS / f"{name}.yaml").read_text("utf-8")


def last_intent(home: Stage) -> str:
    """Return the id of the newest intent."""
    return str(home.events(type="intent", limit=1)[0]["id"])


def ended(home: Stage, intent: str) -> bool:
    """Tell whether an intent is over."""
    found = home.events(intent=intent, type="resolution", limit=100)
    return any(event["cause"] == intent for event in found)


def propose(wish: Mapping[str, Any]) -> dict[str, Any]:
    """Return an automation's step that asks HearthNet for something."""
    return {"action": "hearthnet.propose", "data": dict(wish)}


def after(before: int, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a plan that waits for another, counted from 1."""
    return {**row, "after": before}


def routine(
    home: Stage, name: str, step: Mapping[str, Any], *, at: bool = False, times: int = 1
) -> None:
    """Let an automation run a step, and wait until what it asks for is over.

    With `at` a schedule sets it off, else an event. It asks `times` times.
    """
    before = {event["id"] for event in home.events(type="intent", limit=50)}
    when = f"{now(home) + AHEAD:%H:%M:%S}"
    trigger = (
        {"trigger": "time", "at": when}
        if at
        else {"trigger": "event", "event_type": name}
    )
    home.automate(
        name,
        {
            "triggers": [trigger],
            "actions": [dict(step)],
        },
    )
    if not at:
        home.hass.request("POST", f"/api/events/{name}", {})

    def over() -> bool:
        intents = {event["id"] for event in home.events(type="intent", limit=50)}
        new = intents - before
        return len(new) == times and all(ended(home, intent) for intent in new)

    home.until(over, f"{name} has run")


def while_thinking(home: Stage, text: str, change: Callable[[], None]) -> None:
    """Say a sentence that a model thinks about, and let something change meanwhile."""
    said = home.socket.start(
        "conversation/process", text=text, agent_id=home.agent, language="en"
    )
    change()
    said()


def question(home: Stage) -> str:
    """Return the id of what was asked last."""
    return str(home.events(type="confirmation_request", limit=1)[0]["id"])


def answers(plans: Mapping[str, Rows]) -> Any:
    """Return a model that plans so for sentences, by the devices' names."""

    def answer(body: Body) -> Reply:
        data = shown(body)
        rows = data["catalogue"].get("devices") or data["situation"]["candidates"]
        aliases = {name: alias for alias, name, *_ in rows}
        wanted = plans.get(data["situation"]["request"], ())
        actions = [{**row, "device": aliases[row["device"]]} for row in wanted]
        return plan(*actions, say="Done! I have turned on everything.")

    return answer
