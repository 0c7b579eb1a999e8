"""The home that traces are recorded in: the demo's, with a group and a wall switch."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from script.lib.demo.house import configuration
from script.lib.demo.stage import Say, Stage, stage

EXTRA = {"study_lights": "Study", "hall_light": "Hall"}
"""What there is beside the demo's devices, by unique id, and where."""
EVENING, NIGHT = 18, 23
"""The hours that it is in a home, whenever a trace is recorded."""
PASSWORD = "a-test-password"  # noqa: S105
_GROUP = """
wired:
light:
- platform: group
  name: Study lights
  unique_id: study_lights
  entities: [light.desk_lamp, light.shelf_lamp]
"""
_WIRED = Path(__file__).parent / "wired"


@contextmanager
def home(
    config: Path,
    say: Say,
    people: Mapping[str, str],
    *,
    night: bool = False,
    choices: Mapping[str, str] | None = None,
    env: Mapping[str, str] | None = None,
) -> Iterator[tuple[Stage, dict[str, Stage]]]:
    """Start the home; yield it as its owner and as others speak to it.

    Args:
        config: the folder for its configuration.
        say: tells what happens.
        people: name and role of those who live there beside the owner.
        night: whether it stands where it is night now, else where it is evening.
        choices: answers to fields of the config flow.
        env: more of Home Assistant's environment.
    """
    zone = _zone_at(NIGHT if night else EVENING)
    yaml = configuration().replace("Europe/Berlin", zone) + _GROUP
    components = {"wired": _WIRED}
    with stage(
        config, say, yaml=yaml, components=components, choices=choices, env=env
    ) as there:
        _furnish(there)
        users = {
            name: there.hass.add_user(name, PASSWORD, admin=role == "resident")
            for name, role in people.items()
        }
        if users:
            _give_roles(there, {users[name]: role for name, role in people.items()})
        yield there, {name: _as(there, name) for name in users}


def wall_switch(home: Stage) -> None:
    """Press the switch in the hall, and wait until HearthNet has seen it."""
    was = home.values("hall_light")["state"]
    home.hass.action("wired.press")
    _until_seen(home, "hall_light", "off" if was == "on" else "on", None)


def speak(home: Stage, text: str) -> None:
    """Say a sentence into the microphone in the kitchen: nobody knows who it is."""
    home.hass.action(
        "wired.speak",
        {"text": text, "agent": home.agent, "microphone": "kitchen microphone"},
        answer=True,
    )


def by_hand(home: Stage, action: str, name: str, level: int | None = None) -> None:
    """Turn a lamp on or off past HearthNet, and wait until it has seen it.

    `level` is the brightness in percent.
    """
    given = {} if level is None else {"brightness_pct": level}
    home.by_hand(action, name, **given)
    state = "off" if action.endswith("turn_off") else "on"
    _until_seen(home, name, state, level)


def _until_seen(home: Stage, name: str, state: str, level: int | None) -> None:
    """Wait until a change past HearthNet is on record."""
    entity = home.entities[name]

    def seen() -> bool:
        chain = home.call("explain", entity_id=entity)["events"]
        last: dict[str, Any] = chain[-1]["message"] if chain else {"type": ""}
        values = last["body"]["values"] if last["type"] == "observation" else {}
        there = values.get("state") == state
        return there and level in (None, values.get("brightness_pct"))

    home.until(seen, f"{name} is seen to be {state}")


def now(home: Stage) -> datetime:
    """Return what the home's clock shows."""
    zone = home.hass.request("GET", "/api/config")["time_zone"]
    return datetime.now(ZoneInfo(zone))


def _furnish(home: Stage) -> None:
    with home.hass.websocket() as socket:
        areas = {
            a["name"]: a["area_id"] for a in socket.call("config/area_registry/list")
        }
        entities = {
            entry["unique_id"]: entry["entity_id"]
            for entry in socket.call("config/entity_registry/list")
            if entry["unique_id"] in EXTRA
        }
        for unique_id, entity_id in entities.items():
            socket.call(
                "config/entity_registry/update",
                entity_id=entity_id,
                area_id=areas[EXTRA[unique_id]],
            )
        socket.call(
            "homeassistant/expose_entity",
            assistants=["conversation"],
            entity_ids=list(entities.values()),
            should_expose=True,
        )
    home.entities = {**home.entities, **entities}


def _give_roles(home: Stage, roles: Mapping[str, str]) -> None:
    """Say in the options who is what; it starts the hub anew."""
    flows = "/api/config/config_entries/options/flow"
    flow = home.hass.request("POST", flows, {"handler": home.entry})
    path = f"{flows}/{flow['flow_id']}"
    home.hass.request("POST", path, {"next_step_id": "roles"})
    given: dict[str, list[str]] = {}
    for user, role in roles.items():
        given.setdefault(f"{role}_users", []).append(user)
    result = home.hass.request("POST", path, given)
    if result["type"] != "create_entry":
        raise RuntimeError(f"the roles were not taken: {result}")
    home.restart()


def _as(home: Stage, name: str) -> Stage:
    token = home.hass.tokens_of(name.lower(), PASSWORD)["access_token"]
    return replace(home, socket=home.hass.websocket(token))


def _zone_at(hour: int) -> str:
    """Return a time zone in which it is that hour now."""
    ahead = (hour - datetime.now(UTC).hour + 11) % 24 - 11
    return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/GMT"
