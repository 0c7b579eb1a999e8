"""What the phone's sensors say: battery, light, movement, screen, app in front.

Light and movement come from Termux where Darcy runs on the phone. Elsewhere
only `dumpsys` is left: it has what some app has lately asked for, so light is
usual while the screen is on and the gyroscope is rare. Nothing old is told.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
import json
import logging
import math
import re

from hearthnet.core.messages import Json

from . import termux
from .facts import GLANCE, MARK, Glance, glance
from .link import Link
from .shell import Line, sequence
from .termux import TermuxError

_LOGGER = logging.getLogger(__name__)

MAX_AGE = 120.0
"""Seconds after which an event that dumpsys remembers says nothing of now."""
TERMUX_LIMIT = 5.0

_SENSORS = sequence(
    Line("dumpsys battery"),
    Line(f"echo {MARK}"),
    Line("dumpsys sensorservice"),
    Line(f"echo {MARK}"),
    Line("date +%H:%M:%S"),
)
_BATTERY = re.compile(
    r"^\s+(level|scale|status|temperature): (-?\d{1,9})$", re.MULTILINE
)
_PLUGGED = re.compile(r"^\s+(?:AC|USB|Wireless|Dock) powered: true$", re.MULTILINE)
_LISTED = re.compile(
    r"^0x[0-9a-f]+\) (.+?)\s*\|.*\btype: android\.sensor\.(\w+)\(", re.MULTILINE
)
_EVENTS = re.compile(r"^(.+): last \d+ events?$")
_EVENT = re.compile(
    r"^\s+\d+ \(ts=[\d.]+, wall=(\d\d):(\d\d):(\d\d)\.\d+\) ([-\d., e]+)"
)
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)")
_DAY = 86_400
_FULL, _CHARGING = 5, 2

type Vector = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class PhoneState:
    """The phone at one moment; None for what is not known."""

    battery: int | None = None
    """Percent."""
    charging: bool | None = None
    temperature: float | None = None
    """Of the battery, degrees Celsius."""
    light: float | None = None
    """Lux."""
    gyroscope: Vector | None = None
    """Radians a second about the phone's axes."""
    accelerometer: Vector | None = None
    """Meters a second squared along the phone's axes, gravity included."""
    screen: bool | None = None
    locked: bool | None = None
    app: str | None = None
    """Package of the app in front; None while the screen is off."""
    quiet: float | None = field(default=None, compare=False)
    """Seconds since the last touch."""

    def values(self) -> dict[str, Json]:
        """Return what is known, by name, as messages carry it."""
        known: dict[str, Json] = {}
        for name in _TOLD:
            value = getattr(self, name)
            if value is not None:
                known[name] = list(value) if isinstance(value, tuple) else value
        return known


_TOLD = (
    *("battery", "charging", "temperature", "light", "gyroscope", "accelerometer"),
    *("screen", "locked", "app"),
)


class Sensors:
    """Reads the sensors of one phone."""

    def __init__(self, link: Link, timeout: float = 8.0) -> None:
        """Ask over `link`; each command has `timeout` seconds."""
        self._link = link
        self._timeout = timeout

    async def read(self) -> PhoneState:
        """Return the state now.

        Raises:
            LinkError: the phone did not answer.
        """
        reply = await self._link.run(GLANCE, self._timeout)
        state = of_screen(glance(reply.text))
        reply = await self._link.run(_SENSORS, self._timeout)
        battery, sensors, clock = [*reply.text.split(MARK), "", ""][:3]
        state = with_battery(state, battery)
        events = recent_events(sensors, clock)
        if termux.has("termux-sensor"):
            events |= await _from_termux()
        return with_events(state, events)


def of_screen(seen: Glance) -> PhoneState:
    """Return what a glance tells."""
    app = seen.package if seen.awake and not seen.locked else None
    return PhoneState(screen=seen.awake, locked=seen.locked, app=app, quiet=seen.quiet)


def with_battery(state: PhoneState, text: str) -> PhoneState:
    """Add what `dumpsys battery` tells."""
    found = {name: int(number) for name, number in _BATTERY.findall(text)}
    if not found:
        return state
    level, scale = found.get("level"), found.get("scale") or 100
    temperature = found.get("temperature")
    plugged = _PLUGGED.search(text) is not None
    return replace(
        state,
        battery=None if level is None else round(100 * level / scale),
        charging=plugged and found.get("status") in {_CHARGING, _FULL},
        temperature=None if temperature is None else temperature / 10,
    )


def recent_events(text: str, clock: str) -> dict[str, tuple[float, ...]]:
    """Return the newest event by type of sensor from `dumpsys sensorservice`.

    `clock` is the phone's time of day; events older than `MAX_AGE` are left out.
    """
    now = _CLOCK.search(clock)
    types = dict(_LISTED.findall(text))
    events: dict[str, tuple[float, ...]] = {}
    kind = None
    for row in text.splitlines():
        if head := _EVENTS.match(row):
            kind = types.get(head[1].strip())
        elif kind and now and (event := _EVENT.match(row)):
            age = (_seconds(now) - _seconds(event)) % _DAY
            if age <= MAX_AGE:
                events[kind] = _numbers(event[4])
    return events


def from_termux(text: bytes) -> dict[str, tuple[float, ...]]:
    """Return events by type of sensor from the JSON of `termux-sensor`."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    events: dict[str, tuple[float, ...]] = {}
    for name, reading in data.items() if isinstance(data, dict) else ():
        values = _floats(reading.get("values") if isinstance(reading, dict) else None)
        kinds = (kind for kind in _KINDS if kind[:5] in name.lower())
        if values and (kind := next(kinds, None)):
            events[kind] = values
    return events


def with_events(
    state: PhoneState, events: Mapping[str, tuple[float, ...]]
) -> PhoneState:
    """Add the sensors' newest events."""
    light = events.get("light")
    return replace(
        state,
        light=light[0] if light else None,
        gyroscope=_vector(events.get("gyroscope")),
        accelerometer=_vector(events.get("accelerometer")),
    )


_KINDS = ("light", "gyroscope", "accelerometer")


async def _from_termux() -> dict[str, tuple[float, ...]]:
    names = ",".join(_KINDS)
    try:
        out = await termux.run(
            "termux-sensor", "-s", names, "-n", "1", timeout=TERMUX_LIMIT
        )
    except TermuxError as error:
        _LOGGER.info("%s", error)
        return {}
    finally:
        await _release()
    return from_termux(out)


async def _release() -> None:
    """Let go of the sensors: they cost battery until somebody does."""
    try:
        await termux.run("termux-sensor", "-c", timeout=TERMUX_LIMIT)
    except TermuxError as error:
        _LOGGER.debug("%s", error)


def _seconds(match: re.Match[str]) -> int:
    return int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return _finite(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        return ()


def _vector(values: tuple[float, ...] | None) -> Vector | None:
    if values is None or len(values) < 3:
        return None
    return values[0], values[1], values[2]


def _floats(values: object) -> tuple[float, ...]:
    if not isinstance(values, list):
        return ()
    numbers = [value for value in values if type(value) in {int, float}]
    try:
        return _finite(map(float, numbers)) if len(numbers) == len(values) else ()
    except OverflowError:
        return ()


def _finite(values: Iterable[float]) -> tuple[float, ...]:
    """Return values, or none if a sensor says what no message can carry."""
    found = tuple(values)
    return found if all(map(math.isfinite, found)) else ()
