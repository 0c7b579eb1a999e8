"""The prompt: a pure function of request and situation, down to its bytes.

Ordered by how seldom it changes, so that a provider's cache serves its beginning:
rules and schema, catalogue, policy, and last what is new each time. All that
devices and people wrote is JSON data, cut to length.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
import json
import math

from ..devices import Device, House
from ..domains import OPERATIONS, operations_of
from ..effects import STATE
from ..intents import Request
from ..messages import Json
from . import Situation
from .candidates import MOST, Candidates, candidates_for
from .clean import clean
from .policy_lines import policy_lines
from .schema import ANSWER, RULES, TOOL, row_of
from .words.questions import is_question

NAME, AREA, VALUE, TURN, REQUEST = 60, 40, 40, 300, 600
"""How many characters are taken of each."""
MOST_TURNS, MOST_ALIASES, MOST_VALUES, MOST_MEMBERS, MOST_AREAS = 6, 3, 8, 20, 60
_DAYS = (
    *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
    "Sunday",
)


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a model is told, in the order in which it is told."""

    catalogue: str
    """Changes when a device is added or renamed."""
    policy: str
    situation: str
    """Different each time: time, states, dialogue, request."""
    candidates: Candidates

    def encode(self) -> bytes:
        """Return the bytes that the record's digest is made of."""
        parts = [RULES, TOOL, ANSWER, self.catalogue, self.policy, self.situation]
        return _dump(parts).encode()

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes, in hex: with the record it proves what was asked."""
        return sha256(self.encode()).hexdigest()


def build_prompt(request: Request, situation: Situation, most: int = MOST) -> Prompt:
    """Return the prompt for a request; `most` is how many devices it may show."""
    house = situation.house
    devices = tuple(house.devices())
    shown = candidates_for(request, devices, most)
    rows = list[Json](_row(alias, d, shown.aliases) for alias, d in _in_order(shown))
    catalogue: dict[str, Json] = {"devices": rows}
    if shown.cut:
        catalogue = {"areas": _areas(devices)}
    apps = _of_apps(house, shown.devices)
    if apps and not shown.cut:
        catalogue["operations"] = list[Json](apps)
    now = situation.now
    new: dict[str, Json] = {
        "now": f"{_DAYS[now.weekday()]} {now.isoformat(timespec='minutes')}",
    }
    if shown.cut:
        new["listed"] = (
            f"{len(shown.devices)} of {shown.total} devices: those that the request "
            "may be about. The others are left out."
        )
        new["candidates"] = rows
        if apps:
            new["operations"] = list[Json](apps)
    new["states"] = {a: _state(house, d) for a, d in _in_order(shown)}
    if request.area:
        new["area"] = clean(request.area, AREA)
    new["language"] = clean(request.language, 12)
    if request.turns:
        new["dialogue"] = [
            [speaker, clean(text, TURN)]
            for speaker, text in request.turns[-MOST_TURNS:]
        ]
    if is_question(request.text):
        new["form"] = "question"
    new["request"] = clean(request.text, REQUEST)
    policy = policy_lines(situation.policy, request) if situation.policy else []
    return Prompt(
        catalogue=_block({"catalogue": catalogue}),
        policy=_block({"policy": list[Json](policy)}),
        situation=_block({"situation": new}),
        candidates=shown,
    )


def _in_order(shown: Candidates) -> list[tuple[str, Device]]:
    """Return short names and devices, room by room as a person would list them."""
    return sorted(
        shown.aliases.items(),
        key=lambda item: (item[1].floor or "", item[1].area or "", item[1].id),
    )


def _row(alias: str, device: Device, shown: Mapping[str, Device]) -> Json:
    """Return a device's row: short name, name, area, and what else is to be known."""
    more: dict[str, Json] = {}
    if device.floor:
        more["floor"] = clean(device.floor, AREA)
    if device.device_class:
        more["class"] = clean(device.device_class, AREA)
    if device.aliases:
        aliases = [clean(name, AREA) for name in sorted(device.aliases)]
        more["also"] = list[Json](aliases[:MOST_ALIASES])
    if device.labels:
        labels = [clean(label, AREA) for label in sorted(device.labels)]
        more["labels"] = list[Json](labels[:MOST_ALIASES])
    if missing := _missing(device):
        more["cannot"] = list[Json](missing)
    if device.members:
        inside = set(device.members)
        members = [name for name, other in shown.items() if other.id in inside]
        more["members"] = list[Json](members[:MOST_MEMBERS])
    row: list[Json] = [
        alias,
        clean(device.name, NAME),
        clean(device.area or "", AREA),
    ]
    return [*row, more] if more else row


def _of_apps(house: House, devices: Iterable[Device]) -> list[str]:
    """Return the operations of devices that no domain of Home Assistant has."""
    domains = {device.domain for device in devices}
    return sorted(
        row_of(row)
        for name, row in house.operations.items()
        if name not in OPERATIONS and row.domain in domains
    )


def _missing(device: Device) -> list[str]:
    """Return the operations and parameters of its domain that a device lacks."""
    if not device.features:
        return []
    known = [
        name
        for operation in operations_of(device.domain)
        for name in (operation.name, *operation.parameters)
    ]
    return [name for name in dict.fromkeys(known) if name not in device.features]


def _state(house: House, device: Device) -> Json:
    """Return the state, with the other values that a command could set."""
    reading = house.read(device.id)
    if not reading.available:
        return "unavailable"
    values = {
        clean(name, VALUE): _value(value)
        for name, value in sorted(reading.values.items())
        if value is not None
    }
    state = values.pop(STATE, None)
    rest = dict(list(values.items())[:MOST_VALUES])
    return [state, rest] if rest else state


def _value(value: Json) -> Json:
    """Return a value as the prompt shows it: finite, short, not nested."""
    if isinstance(value, str):
        return clean(value, VALUE)
    if isinstance(value, list):
        return [_value(item) for item in value[:MOST_VALUES] if _is_plain(item)]
    return value if _is_plain(value) else None


def _is_plain(value: Json) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, bool | int | str)


def _areas(devices: Iterable[Device]) -> Json:
    """Return how many devices each area has, for homes too large to be listed."""
    count = Counter(clean(device.area or "", AREA) for device in devices)
    return {area: count[area] for area in sorted(count)[:MOST_AREAS]}


def _block(data: Mapping[str, Json]) -> str:
    """Write JSON without a `<`: nothing in it looks like markup."""
    return _dump(data).replace("<", "\\u003c").replace(">", "\\u003e")


def _dump(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
