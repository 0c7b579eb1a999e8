"""The other machines of the demo: broker, librarian and phone, each a process.

They are paired as a person does it: Home Assistant shows a code, the command
takes it, both show a fingerprint, and the person compares.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
import os
from pathlib import Path
import re
import shutil
import subprocess
from typing import Any

from tests.support.hass_server import HassServer, HttpError
from tests.support.mosquitto import Mosquitto
from tests.support.process import ServerProcess, wait_until

from .phone import Phone, phone

ROOT = Path(__file__).parents[3]
HEARTHNET = ROOT / ".venv-core/bin/hearthnet"
"""The companion's command, on a Python without Home Assistant."""
RECIPE = ROOT / "custom_components/hearthnet/recipes/living_room_tv.yaml"
PLAYBOOK = ROOT / "custom_components/hearthnet/playbooks/working_from_home.yaml"
LIBRARIAN, MANAGER = "dewey", "darcy"
PAIR_SECONDS = 30.0
START_SECONDS = 60.0

type Say = Callable[[str], None]


class PairingError(Exception):
    """The two sides did not show the same."""


@dataclass
class Companion:
    """A paired companion and its process."""

    name: str
    config: Path
    process: ServerProcess
    environment: dict[str, str]

    def start(self, ready: Callable[[], bool]) -> None:
        """Start it and wait until it is ready."""
        self.process.start(
            [HEARTHNET, self.name, "--config", self.config],
            env=self.environment,
            ready=ready,
            timeout=START_SECONDS,
        )


class Machines:
    """What runs beside Home Assistant."""

    def __init__(self, folder: Path, broker: Mosquitto, handset: Phone) -> None:
        """Take the broker and the phone, which run already."""
        self.broker = broker
        self.phone = handset
        self.repository = folder / LIBRARIAN / "repository.git"
        self._folder = folder
        self.companions: dict[str, Companion] = {}

    @property
    def choices(self) -> dict[str, Any]:
        """Answers in HearthNet's config flow."""
        return {
            "transport": "other",
            "host": "127.0.0.1",
            "port": self.broker.port,
            "tls": False,
        }

    @property
    def real(self) -> dict[str, str]:
        """What each part was, in words."""
        return {
            "broker": "Mosquitto, a process",
            "Dewey": "a process on Python 3.12, paired, over the broker",
            "Darcy": "a process on Python 3.12, paired, over the broker",
            "phone": f"{self.phone.adbd}; its apps are simulated",
        }

    def join(self, hass: HassServer, entry: str, embedded: Path, say: Say) -> None:
        """Pair the machines and start them, as the documentation says."""
        self._furnish(hass.config)
        first = embedded / "refs/heads/main"
        wait_until(first.exists, START_SECONDS, hass.process.tail)
        subprocess.run(
            ["git", "clone", "--quiet", "--mirror", embedded, self.repository],
            check=True,
        )
        say(f"Dewey is paired, both sides show {self._pair(hass, entry, LIBRARIAN)}")
        boot = _boot(hass)
        # The hub names Dewey once he shows its record, and starts anew with him.
        self.companions[LIBRARIAN].start(lambda: _boot(hass) > boot)
        say(f"Darcy is paired, both sides show {self._pair(hass, entry, MANAGER)}")
        self.companions[MANAGER].start(self._reached)
        say(f"Dewey keeps the record, Darcy reaches the phone: {self.phone.adbd}")

    def _furnish(self, config: Path) -> None:
        """Lay out the phone's recipe, and a routine that uses it."""
        recipes = config / "hearthnet/recipes" / MANAGER
        recipes.mkdir(parents=True)
        shutil.copy(RECIPE, recipes)
        playbooks = config / "hearthnet/playbooks"
        playbooks.mkdir(parents=True)
        text = PLAYBOOK.read_text()
        before = (
            "  - do: media_player.turn_off\n    devices: {area: here, device_class: tv}"
        )
        assert before in text
        (playbooks / PLAYBOOK.name).write_text(
            text.replace(before, "  - do: tv.power_off")
        )

    def _reached(self) -> bool:
        """Tell whether Darcy has read the phone."""
        return bool(self.phone.world.log)

    def _pair(self, hass: HassServer, entry: str, role: str) -> str:
        """Pair a companion and wait for the hub to know it; return the fingerprint."""
        boot = _boot(hass)
        flows = "/api/config/config_entries/subentries/flow"
        form = hass.request("POST", flows, {"handler": [entry, "companion"]})
        path = f"{flows}/{form['flow_id']}"
        given = {"role": role, "name": role, "host": "127.0.0.1"}
        form = hass.request("POST", path, given)
        code = form["description_placeholders"]["command"].split()[2]
        folder = self._folder / role
        folder.mkdir(exist_ok=True)
        companion = Companion(
            name=role,
            config=folder / f"{role}.toml",
            process=ServerProcess(folder / "output"),
            environment={**os.environ, "HOME": str(folder)},
        )
        into = ("--config", companion.config, "--data", folder)
        command = subprocess.Popen(
            [HEARTHNET, "pair", code, *into],
            env=companion.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert command.stdout
        shown = re.search(r"fingerprint (\S+)", command.stdout.readline())
        form = hass.request("POST", path, {})
        seen = form["description_placeholders"]["fingerprint"]
        same = shown is not None and shown[1] == seen
        result = hass.request("POST", path, {"same": same})
        if not same or result["type"] != "create_entry":
            raise PairingError(f"{shown} and {seen}: {result}")
        if command.wait(PAIR_SECONDS) != 0:
            raise PairingError(f"hearthnet pair ended with {command.returncode}")
        if role == MANAGER:
            with companion.config.open("a") as file:
                file.write(f"\n[phone]\nport = {self.phone.port}\n")
        self.companions[role] = companion
        wait_until(lambda: _boot(hass) > boot, START_SECONDS, hass.process.tail)
        return str(seen)


def _boot(hass: HassServer) -> int:
    """Return the hub's boot, 0 while it starts anew."""
    try:
        answer = hass.action("hearthnet.timeline", {"limit": 50}, answer=True)
    except HttpError:
        return 0
    places = (event["id"].split(".") for event in answer["events"])
    return max((int(boot) for node, boot, _ in places if node == "hub"), default=0)


@contextmanager
def machines(folder: Path) -> Iterator[Machines]:
    """Start the broker and the phone; the companions are started by `join`."""
    with ExitStack() as stack:
        (folder / "broker").mkdir(parents=True)
        config = "allow_anonymous true\nset_tcp_nodelay true\n"
        broker = stack.enter_context(Mosquitto(folder / "broker", config))
        handset = stack.enter_context(phone())
        made = Machines(folder, broker, handset)
        try:
            yield made
        finally:
            for companion in made.companions.values():
                if companion.process.running:
                    companion.process.stop()
