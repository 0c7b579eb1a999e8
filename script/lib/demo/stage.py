"""The demo's stage: one running home, and what the scenes do with it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
import shutil
import subprocess
import time
from typing import Any

from tests.support.hass_server import INTEGRATION, HassServer
from tests.support.hass_websocket import HassWebsocket
from tests.support.process import wait_until

from .house import configuration, furnish
from .machines import Machines

ROOT = Path(__file__).parents[3]
BLUEPRINT = "blueprints/automation/hearthnet/scheduled_routine.yaml"
SHIPPED = ROOT / "custom_components/hearthnet" / BLUEPRINT
SETTLE = 30.0
"""Seconds that something in the home may take to show."""

type Say = Callable[[str], None]


@dataclass
class Stage:
    """A running home with HearthNet set up in it."""

    hass: HassServer
    entities: Mapping[str, str]
    """The house's own names to entity ids."""
    socket: HassWebsocket
    agent: str
    """The conversation entity."""
    entry: str
    repository: Path
    say: Say
    machines: Machines | None = None
    """Those beside Home Assistant; None where all is in it."""
    latencies: list[float] = field(default_factory=list)

    def tell(
        self,
        text: str,
        conversation: str | None = None,
        device: str | None = None,
        language: str = "en",
    ) -> dict[str, Any]:
        """Say a sentence to Assist, as the owner's app does; return the answer.

        `conversation` goes on with an earlier one, `device` is what it is said to.
        """
        began = time.perf_counter()
        answer: dict[str, Any] = self.socket.call(
            "conversation/process",
            text=text,
            agent_id=self.agent,
            language=language,
            conversation_id=conversation,
            device_id=device,
        )
        self.latencies.append(time.perf_counter() - began)
        speech = answer["response"]["speech"]["plain"]["speech"]
        self.say(f"  Owner: {text}")
        self.say(f"  HearthNet: {speech}")
        return answer

    def call(self, name: str, /, **data: Any) -> dict[str, Any]:
        """Call one of HearthNet's actions and return its response."""
        answer: dict[str, Any] = self.hass.action(
            f"hearthnet.{name}", data, answer=True
        )
        return answer

    def values(self, name: str) -> dict[str, Any]:
        """Return state and attributes of a device."""
        state = self.hass.state(self.entities[name])
        return {"state": state["state"], **state["attributes"]}

    def brightness(self, name: str) -> int | None:
        """Return a lamp's brightness in percent, None when it is off."""
        level = self.values(name).get("brightness")
        return None if level is None else round(level / 255 * 100)

    def touched(self, name: str) -> str:
        """Return when a device last reported a change."""
        return str(self.hass.state(self.entities[name])["last_updated"])

    def by_hand(self, action: str, name: str, **data: Any) -> None:
        """Do something in the home past HearthNet, as a person's app would."""
        self.hass.action(action, {"entity_id": self.entities[name], **data})

    def by_automation(self, name: str, action: str, **data: Any) -> None:
        """Do something past HearthNet that no person asked for."""
        event = f"demo_{name}"
        self.automate(
            event,
            {
                "triggers": [{"trigger": "event", "event_type": event}],
                "actions": [
                    {
                        "action": action,
                        "target": {"entity_id": self.entities[name]},
                        "data": data,
                    }
                ],
            },
        )
        self.hass.request("POST", f"/api/events/{event}", {})

    def automate(self, name: str, config: Mapping[str, Any]) -> None:
        """Make or change an automation, and wait until it is there."""
        path = f"/api/config/automation/config/{name}"
        self.hass.request("POST", path, {"alias": name, **config})
        self.until(lambda: self._exists(f"automation.{name}"), f"{name} is there")

    def _exists(self, entity_id: str) -> bool:
        return any(s["entity_id"] == entity_id for s in self.socket.call("get_states"))

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until something is so in the home."""
        wait_until(condition, SETTLE, lambda: f"not so: {what}")

    def watch_television(self) -> None:
        """Switch the television on by hand."""
        if self.machines is None:
            self.by_hand("media_player.turn_on", "study_tv")
        else:
            television = self.machines.phone.television
            television.power = True
            television.presses.clear()

    @property
    def television(self) -> str:
        """Whether the television itself is on."""
        if self.machines is None:
            return "off" if self.values("study_tv")["state"] == "off" else "on"
        return "on" if self.machines.phone.television.power else "off"

    def restart(self) -> str:
        """End the managers at home and start them anew; return how it was done."""
        if self.machines is None:
            path = f"/api/config/config_entries/entry/{self.entry}/reload"
            self.hass.request("POST", path)
            self.socket.close()
            how = "reloaded inside Home Assistant"
        else:
            self.hass.kill()
            self.hass.start()
            how = "kill -9 of Home Assistant, with Rupert and Jeeves in it"
        self.reconnect()
        return how

    def reconnect(self) -> None:
        """Go on after a start of Home Assistant."""
        self.socket = self.hass.websocket()
        self.until(self._ready, "HearthNet is back")

    def _ready(self) -> bool:
        entries = self.hass.request("GET", "/api/config/config_entries/entry")
        mine = next(e for e in entries if e["entry_id"] == self.entry)
        return bool(mine["state"] == "loaded")

    def events(self, **filters: Any) -> list[dict[str, Any]]:
        """Return the record's events, newest first."""
        found: list[dict[str, Any]] = self.call("timeline", **filters)["events"]
        return found

    def committed(self) -> None:
        """Wait until Git has every event of the timeline."""

        def quiet() -> bool:
            return all(event["commit"] for event in self.events(limit=100))

        self.until(quiet, "all events are committed")

    def git(self, *arguments: str) -> str:
        """Ask the git command line about the record."""
        return subprocess.run(
            ["git", "-C", str(self.repository), *arguments],
            check=True,
            capture_output=True,
            text=True,
        ).stdout


@contextmanager
def stage(
    config: Path,
    say: Say,
    *,
    choices: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    beside: Machines | None = None,
    yaml: str | None = None,
    components: Mapping[str, Path] | None = None,
) -> Iterator[Stage]:
    """Start a home and set HearthNet up in it, through the real config flow.

    `choices` are answers to fields that shall not get what the flow suggests;
    `beside` are the machines that take part; `yaml` is a configuration of its
    own, `components` are more custom integrations.
    """
    (config / "automations.yaml").write_text("[]\n")
    target = config / BLUEPRINT
    target.parent.mkdir(parents=True)
    shutil.copy(SHIPPED, target)
    choices = {**(choices or {}), **(beside.choices if beside else {})}
    yaml = yaml or configuration(television=beside is None)
    components = {"hearthnet": INTEGRATION, **(components or {})}
    with HassServer(config, yaml=yaml, components=components, env=env) as hass:
        say(f"Home Assistant runs at {hass.url}")
        entities = furnish(hass)
        say(f"A home of {len(entities)} devices: some slow, one broken, one unplugged")
        entry = set_up(hass, choices)
        planner = choices.get("planner", "none")
        say(f"HearthNet is set up, planner: {planner}")
        repository = config / "hearthnet" / entry / "repository.git"
        if beside is not None:
            # What was just set up is on Home Assistant's disk only after a while.
            hass.restart()
            beside.join(hass, entry, repository, say)
            repository = beside.repository
        socket = hass.websocket()
        agent = next(
            item["entity_id"]
            for item in socket.call("config/entity_registry/list")
            if item["platform"] == "hearthnet"
            and item["entity_id"].startswith("conversation.")
        )
        yield Stage(
            hass=hass,
            entities=entities,
            socket=socket,
            agent=agent,
            entry=entry,
            repository=repository,
            say=say,
            machines=beside,
        )


def set_up(hass: HassServer, choices: Mapping[str, Any] | None = None) -> str:
    """Walk the config flow with choices, else what it suggests.

    Returns:
        The entry's id.
    """
    result = hass.configure("hearthnet")
    while result["type"] == "form":
        given = {
            item["name"]: item["description"]["suggested_value"]
            for item in result["data_schema"]
            if "suggested_value" in (item.get("description") or {})
        }
        fields = {item["name"] for item in result["data_schema"]}
        given |= {n: value for n, value in (choices or {}).items() if n in fields}
        path = f"/api/config/config_entries/flow/{result['flow_id']}"
        result = hass.request("POST", path, given)
        if result.get("errors"):
            raise RuntimeError(f"the config flow answered {result['errors']}")
    if result["type"] != "create_entry":
        raise RuntimeError(f"the config flow ended with {result}")
    return str(result["result"]["entry_id"])
