"""A scene with a model: code checks what it plans, and what worked becomes a routine.

The model is scripted. Everything around it is real: the provider's protocol over
HTTP, its SDK, and all that happens to a plan.
"""

from collections.abc import Mapping
from typing import Any

from tests.support.messages_api import (
    KEY,
    MODEL,
    Body,
    MessagesApi,
    Reply,
    act,
    plan,
    shown,
)

from .scenes import Round, Run
from .stage import Stage

REAL = "scripted, behind a server that speaks the Messages API; the SDK is real"
CHOICES: Mapping[str, Any] = {"planner": "anthropic", "api_key": KEY, "model": MODEL}
LATENCY = 0.6
"""Seconds until an answer begins."""
RATE = 120.0
"""Tokens a second from then on."""
WISH = "I can hardly see my book"
ROUTINE = "Time to read"
CLAIM = "Done! I have unlocked the front door as well."


def answer(body: Body) -> Reply:
    """Plan the wish: a lamp, a door that nobody spoke of, and a claim."""
    data = shown(body)
    rows = data["catalogue"].get("devices") or data["situation"]["candidates"]
    aliases = {name: alias for alias, name, *_ in rows}
    if data["situation"]["request"] != WISH:
        return plan(kind="unclear", say="This model knows one wish only.")
    lamp = act(aliases["Reading lamp"], "light.turn_on", brightness_pct="80")
    door = act(aliases["Front door"], "lock.unlock")
    return plan(lamp, door, say=CLAIM)


def play(stage: Stage, model: MessagesApi) -> Run:
    """Play the scene once."""
    played = Round(stage)
    stage.say("Scene 4: a model plans, and its plan becomes a routine")
    lamp = "bedroom_reading"
    stage.by_hand("light.turn_off", lamp)
    speech = stage.tell(WISH)["response"]["speech"]["plain"]["speech"]
    level, door = stage.brightness(lamp), stage.values("front_door")["state"]
    played.check(4, "what was planned was done and read back", level == 80, level)
    played.check(4, "a door that nobody named stayed locked", door == "locked", door)
    told = CLAIM not in speech and "Front door was left alone" in speech
    played.check(4, "and that was told, not what the model claimed", told)

    intent = stage.events(type="intent", limit=1)[0]["id"]
    stage.committed()
    routine = {"intent": intent, "name": ROUTINE, "sentence": ROUTINE}
    text = stage.call("save_playbook", **routine, dry_run=True)["text"]
    step = next((line for line in text.splitlines() if "with:" in line), "").strip()
    shown_first = "80" in step and "lock" not in text
    played.check(4, "what was done is shown before it is kept", shown_first, step)
    stage.call("save_playbook", **routine)
    stage.by_hand("light.turn_on", lamp, brightness_pct=10)
    before = len(model.requests)
    stage.tell(ROUTINE)
    level = stage.brightness(lamp)
    played.check(4, "the routine does it again", level == 80, level)
    played.check(4, "without the model", len(model.requests) == before)
    return played.run
