"""The paper's three scenes, played as a user would, each with its properties."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from .stage import Stage

STUDY = ("study_desk", "study_shelf", "study_ceiling")
BEDROOM = ("bedroom_ceiling", "bedroom_reading")
ROUTINE = "evening_wind_down"
AHEAD = timedelta(seconds=3)
"""How far ahead of now the wind-down is scheduled."""
HOME_ZONE = ZoneInfo("Europe/Berlin")


@dataclass
class Check:
    """One property of a scene, and whether it held."""

    scene: int
    what: str
    held: bool
    seen: str = ""


@dataclass
class Run:
    """What one round of the scenes showed."""

    checks: list[Check] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    latency: float = 0.0
    """Seconds from the sentence to the last receipt, scene 1."""
    chain: str = ""
    """The intent of scene 1."""


class Round:
    """Plays the scenes once."""

    def __init__(self, stage: Stage) -> None:
        """Take the stage."""
        self.stage = stage
        self.run = Run()

    def play(self) -> Run:
        """Play all scenes and return what they showed."""
        self.working_from_home()
        self.wind_down()
        self.stale_replay()
        return self.run

    def check(self, scene: int, what: str, held: bool, seen: object = "") -> None:
        """Note a property, and say so at once."""
        self.run.checks.append(Check(scene, what, held, str(seen)))
        mark = "ok  " if held else "FAIL"
        self.stage.say(f"    {mark} {what}" + (f" ({seen})" if seen != "" else ""))

    def count(self, name: str, more: int = 1) -> None:
        """Count something for the table."""
        self.run.counts[name] = self.run.counts.get(name, 0) + more

    # Scene 1

    def working_from_home(self) -> None:
        """Turn an ambiguous sentence into leased, recorded actions."""
        stage = self.stage
        stage.say("Scene 1: an intent becomes actions")
        for lamp in STUDY:
            stage.by_hand("light.turn_on", lamp, brightness_pct=100)
        for lamp in BEDROOM:  # by no person, or it would be a person's wish
            stage.by_automation(lamp, "light.turn_on", brightness_pct=100)
            stage.until(partial(self._is_at, lamp, 100), f"{lamp} is bright")
        stage.watch_television()
        stage.by_hand("media_player.volume_set", "study_speaker", volume_level=0.6)
        asked = stage.tell("I'm working from home today")
        stage.tell("Study", asked["conversation_id"])
        self.run.latency = stage.latencies[-1]
        intent = stage.events(type="intent", limit=1)[0]["id"]
        self.run.chain = intent
        levels = [stage.brightness(lamp) for lamp in STUDY]
        lit = all(level is not None and 0 < level < 60 for level in levels)
        self.check(1, "the study's lamps are on, below 60 %", lit, levels)
        volume = stage.values("study_speaker")["volume_level"]
        self.check(1, "the speaker is at 30 % or below", volume <= 0.3, volume)
        self.check(1, "the TV is off", stage.television == "off", stage.television)
        if stage.machines is not None:
            presses = stage.machines.phone.television.presses
            once = presses == ["power"]
            self.check(1, "by one press of a button in its app", once, presses)
        receipts = stage.events(type="receipt", intent=intent)
        tasks = stage.events(type="task", intent=intent)
        done = [r for r in receipts if r["outcome"] in ("changed", "already_so")]
        self.count("tasks", len(tasks))
        self.count("completed", len(done))
        self.check(
            1,
            "every task ended in a receipt read back as done",
            len(tasks) == len(done),
            f"{len(done)}/{len(tasks)}",
        )
        self._leased(1, intent, receipts)

    def _is_at(self, lamp: str, level: int) -> bool:
        return self.stage.brightness(lamp) == level

    def _leased(self, scene: int, intent: str, receipts: list[dict[str, Any]]) -> None:
        """Every execute of an intent has one grant of its own."""
        grants = {
            event["id"] for event in self.stage.events(type="grant", intent=intent)
        }
        executes = self.stage.events(type="execute", intent=intent)
        leases = [event["lease"] for event in executes]
        held = (
            len(set(leases)) == len(leases) == len(receipts) and set(leases) <= grants
        )
        self.check(scene, "each action had a lease of its own", held, len(leases))

    # Scene 2

    def wind_down(self) -> None:
        """Let a schedule bounce off the standing intent, and pass elsewhere."""
        stage = self.stage
        stage.say("Scene 2: a scheduled wind-down meets the standing intent")
        before = [stage.brightness(lamp) for lamp in STUDY]
        newest = stage.events(limit=1)[0]["id"]
        self._schedule(datetime.now(HOME_ZONE) + AHEAD)
        stage.until(lambda: self._ended(newest), "the wind-down has run")
        since = self._since(newest)
        denials = [event for event in since if event["type"] == "denial"]
        conflicts = [event for event in since if event["type"] == "conflict"]
        self.count("conflicts", len(STUDY))
        self.count("conflicts detected", len(conflicts))
        after = [stage.brightness(lamp) for lamp in STUDY]
        self.count(
            "conflicts resolved",
            sum(a == b for a, b in zip(before, after, strict=True)),
        )
        self.check(
            2,
            "the wind-down was refused for each lamp of the study",
            len(denials) == len(STUDY),
            f"{len(denials)}/{len(STUDY)}",
        )
        self.check(2, "the study's lamps did not change", before == after, after)
        evidence = self._evidence(denials[0]["id"]) if denials else {}
        cited = evidence.get("intent") == self.run.chain
        self.check(
            2, "the refusal cites the standing intent", cited, evidence.get("text", "")
        )
        self.check(
            2,
            "and the commit that records it",
            bool(evidence.get("commit")),
            str(evidence.get("commit", ""))[:10],
        )
        passed = [stage.brightness(lamp) for lamp in BEDROOM]
        self.check(
            2, "the same routine passed in the bedroom", passed == [20, 20], passed
        )
        false = sum(level != 20 for level in passed)
        self.count("false rejections", false)

    def _schedule(self, at: datetime) -> None:
        """Make, from the shipped blueprint, an automation that is about to fire."""
        where = [self.stage.entities[lamp] for lamp in (*STUDY, *BEDROOM)]
        self.stage.automate(
            ROUTINE,
            {
                "use_blueprint": {
                    "path": "hearthnet/scheduled_routine.yaml",
                    "input": {
                        "at": f"{at:%H:%M:%S}",
                        "where": {"entity_id": where},
                        "brightness": 20,
                        "color_temperature": 2700,
                    },
                },
            },
        )

    def _since(self, event: str) -> list[dict[str, Any]]:
        """Return the events after one, newest first."""
        events = self.stage.events(limit=200)
        number = next(n for n, found in enumerate(events) if found["id"] == event)
        return events[:number]

    def _ended(self, event: str) -> bool:
        """Tell whether an intent that began after an event has ended."""
        since = self._since(event)
        intents = {found["id"] for found in since if found["type"] == "intent"}
        ends = {found["cause"] for found in since if found["type"] == "resolution"}
        return bool(intents) and intents <= ends

    def _evidence(self, event: str) -> dict[str, Any]:
        """Return what a denial or refusal rests on first."""
        self.stage.committed()
        chain = self.stage.call("explain", event=event)["events"]
        message = next(found for found in chain if found["id"] == event)["message"]
        first: dict[str, Any] = message["body"]["evidence"][0]
        return first

    # Scene 3

    def stale_replay(self) -> None:
        """Let a restarted manager replay an old command under its old lease."""
        stage = self.stage
        stage.say("Scene 3: a restarted manager replays an old command")
        lamp = "kitchen_counter"
        lease = self._lease(lamp)
        stage.say(f"  lease {lease} is granted; its command waits; the manager ends")
        stage.say(f"  it is back: {stage.restart()}")
        stage.by_hand("light.turn_on", lamp, brightness_pct=80)
        entity = stage.entities[lamp]
        stage.until(
            lambda: any(
                e["type"] == "observation"
                for e in stage.events(entity_id=entity, limit=3)
            ),
            "the change by hand is on record",
        )
        touched = stage.touched(lamp)
        stage.committed()
        step = stage.call("execute", lease=lease)["steps"][0]
        codes = [item["code"] for item in step["evidence"]]
        self.count("replays")
        self.check(
            3,
            "the replayed command was refused before the device",
            step["outcome"] == "refused" and stage.touched(lamp) == touched,
            ", ".join(codes),
        )
        stale: dict[str, Any] = next(
            (e for e in step["evidence"] if e["code"] == "stale_state"), {}
        )
        self.count("stale rejected", bool(stale))
        ended = {"not_asked", "fenced", "revoked", "expired"} & set(codes)
        self.count("dead leases rejected", bool(ended))
        self.check(
            3,
            "the refusal names the lease",
            all(e.get("lease") == lease for e in step["evidence"]),
            lease,
        )
        self.check(
            3,
            "and the commit that made it stale",
            bool(stale.get("commit")),
            str(stale.get("commit", ""))[:10],
        )
        fresh = stage.call(
            "propose",
            entity_id=entity,
            action="light.turn_on",
            data={"brightness_pct": 40},
            reason="after the resync",
        )
        outcome = fresh["steps"][0]["outcome"]
        self.check(
            3, "after the resync a new lease succeeds", outcome == "changed", outcome
        )
        self.count("false rejections", outcome != "changed")

    def _lease(self, lamp: str) -> str:
        answer = self.stage.call(
            "request_lease",
            entity_id=self.stage.entities[lamp],
            action="light.turn_on",
            data={"brightness_pct": 100},
            reason="a command before the restart",
        )
        return str(answer["lease"])


def play(stage: Stage) -> Run:
    """Play the three scenes once."""
    return Round(stage).play()
