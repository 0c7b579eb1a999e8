"""Traces: what came to a home and when, and what was decided. See `docs/traces.md`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
import json
from pathlib import Path
from typing import Any, Self

from hearthnet.core.devices import Device, Principal
from hearthnet.core.intents import Action
from hearthnet.core.messages import Json

from .shape import FORMAT, TraceError, loaded

JEEVES = "jeeves"
SHIPPED = Path(__file__).parent / "shipped"
"""Traces of a real Home Assistant that come with the package."""
_LISTS = ("labels", "aliases", "members", "moves")
_TEXTS = ("device_class", "area", "floor", "physical", "risk")


@dataclass(frozen=True, kw_only=True)
class Step:
    """Something that comes to the home."""

    at: float
    """Seconds after the start."""
    do: str
    """What: a name of `play.Player`'s."""
    name: str = ""
    """By which later steps refer to it."""
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form."""
        named = {"name": self.name} if self.name else {}
        return {"at": round(self.at, 3), "do": self.do, **named, **self.data}


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A home, what comes to it, and what was decided."""

    title: str
    start: datetime
    """Aware; its zone is the home's."""
    policy: str
    devices: tuple[Device, ...]
    values: Mapping[str, Mapping[str, Json]]
    """By device: what it is at in the beginning."""
    away: frozenset[str] = frozenset()
    """Devices that are unavailable in the beginning."""
    answers: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """By device: how it answered each command, in order."""
    state: Mapping[str, Json] = field(default_factory=dict)
    """What the record holds of the hub's in the beginning: holds and the like."""
    recipes: Mapping[str, Sequence[Json]] = field(default_factory=dict)
    """By phone's node: the compiled recipes of its appliances."""
    home: frozenset[str] | None = None
    steps: tuple[Step, ...] = ()
    decisions: tuple[str, ...] = ()
    """The chains of decisions, one line each; see `chains`."""
    left_out: int = 0
    """Events of other nodes that are not in the trace."""

    def encode(self) -> str:
        """Return the JSON text."""
        data: dict[str, Any] = {
            "format": FORMAT,
            "title": self.title,
            "start": self.start.isoformat(timespec="milliseconds"),
            "home": None if self.home is None else sorted(self.home),
            "left_out": self.left_out,
            "policy": self.policy.splitlines(),
            "devices": [
                {
                    **_device(device),
                    "values": dict(self.values.get(device.id, {})),
                    **({"away": True} if device.id in self.away else {}),
                    **(
                        {"answers": [dict(a) for a in self.answers[device.id]]}
                        if self.answers.get(device.id)
                        else {}
                    ),
                }
                for device in self.devices
            ],
            "state": dict(self.state),
            **({"recipes": _plain(self.recipes)} if self.recipes else {}),
            "steps": [step.as_dict() for step in self.steps],
            "decisions": list(self.decisions),
        }
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def decode(cls, text: str) -> Self:
        """Read the JSON text.

        Raises:
            TraceError: naming what is wrong.
        """
        data = loaded(text)
        home = data["home"]
        return cls(
            title=data["title"],
            start=datetime.fromisoformat(data["start"]),
            policy="\n".join(data["policy"]) + "\n",
            devices=tuple(map(_read, data["devices"])),
            values={item["id"]: item["values"] for item in data["devices"]},
            away=frozenset(d["id"] for d in data["devices"] if d.get("away")),
            answers={d["id"]: d.get("answers", ()) for d in data["devices"]},
            state=data["state"],
            recipes=_plain(data.get("recipes", {})),
            home=None if home is None else frozenset(home),
            steps=tuple(map(_step, data["steps"])),
            decisions=tuple(data["decisions"]),
            left_out=int(data["left_out"]),
        )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file; OSError or TraceError, which name it, when it is none."""
        try:
            return cls.decode(path.read_text("utf-8"))
        except UnicodeDecodeError:
            raise TraceError(f"{path}: not UTF-8") from None
        except TraceError as error:
            raise TraceError(f"{path}: {error}") from None

    def with_policy(self, policy: str) -> Self:
        """Return the same day under another policy, all day long."""
        steps = tuple(step for step in self.steps if step.do != "policy")
        return replace(self, policy=policy, steps=steps)


def action_of(data: Mapping[str, Any]) -> Action:
    """Read an action of a step."""
    return Action(
        targets=tuple(data["targets"]),
        operation=data["operation"],
        parameters=data.get("parameters", {}),
        relative=data.get("relative", {}),
        ranges={k: (v[0], v[1]) for k, v in data.get("ranges", {}).items()},
        after=data.get("after"),
        why=data.get("why", ""),
    )


def principal_of(data: Mapping[str, Any] | None) -> Principal | None:
    """Read who does something."""
    return None if data is None else Principal.from_dict(data)


def _plain(recipes: Mapping[str, Sequence[Json]]) -> dict[str, list[Json]]:
    return {node: list(of_node) for node, of_node in recipes.items()}


def _step(data: Mapping[str, Any]) -> Step:
    rest = {k: v for k, v in data.items() if k not in ("at", "do", "name")}
    return Step(
        at=float(data["at"]), do=data["do"], name=data.get("name", ""), data=rest
    )


def _device(device: Device) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": device.id,
        "entity_id": device.entity_id,
        "name": device.name,
    }
    data.update((n, v) for n in _TEXTS if (v := getattr(device, n)) is not None)
    data.update((n, sorted(v)) for n in _LISTS if (v := getattr(device, n)))
    if device.manager != JEEVES:
        data["manager"] = device.manager
    if device.features is not None:
        data["features"] = sorted(device.features)
    if device.assumed_state:
        data["assumed_state"] = True
    return data


def _read(data: Mapping[str, Any]) -> Device:
    features = data.get("features")
    return Device(
        id=data["id"],
        entity_id=data["entity_id"],
        name=data["name"],
        domain=data["entity_id"].partition(".")[0],
        device_class=data.get("device_class"),
        area=data.get("area"),
        floor=data.get("floor"),
        labels=frozenset(data.get("labels", ())),
        aliases=tuple(data.get("aliases", ())),
        members=tuple(data.get("members", ())),
        moves=tuple(data.get("moves", ())),
        risk=data.get("risk"),
        manager=data.get("manager", JEEVES),
        physical=data.get("physical"),
        assumed_state=bool(data.get("assumed_state")),
        features=None if features is None else frozenset(features),
    )
