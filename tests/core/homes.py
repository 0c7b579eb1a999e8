"""A small home for the tests of decisions, and strategies that draw from it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st

from hearthnet.core.devices import Device, Principal, Reading, Values
from hearthnet.core.domains import OPERATIONS, operations_of
from hearthnet.core.messages import Json
from hearthnet.core.operations import Operation
from hearthnet.core.policy.model import Evidence, Request, Target, Usage

ROLES = ("owner", "resident", "guest", "child")
ORIGINS = ("app", "voice", "automation")


def device(id_: str, domain: str, **fields: object) -> Device:
    """Return a device whose entity id follows from its id."""
    return Device(
        id=id_,
        entity_id=f"{domain}.{id_}",
        name=id_.replace("_", " "),
        domain=domain,
        **fields,  # type: ignore[arg-type]
    )


DESK = device("desk", "light", area="study", floor="up", labels=frozenset({"work"}))
SOFA = device("sofa", "light", area="living", floor="down")
ALL_LIGHTS = device("all_lights", "light", area="hall", members=("desk", "sofa"))
PLUG = device("plug", "switch", area="study", device_class="outlet")
FREEZER = device("freezer", "switch", area="cellar", labels=frozenset({"keep"}))
RADIO = device("radio", "media_player", area="living", floor="down")
DOOR = device("door", "lock", area="hall", floor="down", labels=frozenset({"keep"}))
HEATING = device("heating", "climate", area="living", floor="down")
BLIND = device("blind", "cover", area="study", floor="up", device_class="blind")
GARAGE = device("garage", "cover", area="hall", device_class="garage")
DEVICES = (
    *(DESK, SOFA, ALL_LIGHTS, PLUG, FREEZER, RADIO, DOOR, HEATING, BLIND, GARAGE),
)


@dataclass
class TestHouse:
    """A house of given devices and values."""

    __test__ = False

    known: dict[str, Device] = field(
        default_factory=lambda: {one.id: one for one in DEVICES}
    )
    values: dict[str, Values] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    """Ids that are not exposed."""

    @property
    def operations(self) -> Mapping[str, Operation]:
        return OPERATIONS

    def device(self, device_id: str) -> Device | None:
        return self.known.get(device_id)

    def devices(self) -> Iterable[Device]:
        return [one for one in self.known.values() if one.id not in self.hidden]

    def read(self, device_id: str) -> Reading:
        return Reading(available=True, values=self.values.get(device_id, {}))

    def may_control(self, principal: Principal, device_id: str) -> bool:
        return True


def person(name: str = "anna", role: str = "resident") -> Principal:
    return Principal(kind="user", id=name, name=name.title(), role=role)


def request(
    operation: str,
    *devices: Device,
    role: str = "resident",
    origin: str = "app",
    evidence: Evidence = Evidence.STRONG,
    home: frozenset[str] | None = frozenset({"Anna"}),
    group: Device | None = None,
    aliases: tuple[Device, ...] = (),
    **parameters: Json,
) -> Request:
    return Request(
        principal=person(role=role),
        manager="jeeves",
        origin=origin,
        evidence=evidence,
        operation=OPERATIONS[operation],
        parameters=parameters,
        targets=tuple(
            Target(device=one, group=group, aliases=aliases) for one in devices
        ),
        home=home,
    )


VALUES: dict[str, tuple[Json, ...]] = {
    "brightness_pct": (1, 20, 40, 60, 100),
    "volume_level": (0, 0.1, 0.3, 0.5, 1),
    "temperature": (5, 18, 21, 24, 30),
    "target_temp_low": (5, 18, 21),
    "target_temp_high": (21, 24, 30),
    "position": (0, 50, 100),
    "tilt_position": (0, 50, 100),
    "color_temp_kelvin": (2700, 4000),
    "transition": (0, 5),
    "effect": ("candle", "off"),
    "is_volume_muted": (True, False),
    "source": ("HDMI 1", "HDMI 2"),
    "hvac_mode": ("off", "heat", "cool"),
    "preset_mode": ("eco", "away"),
    "fan_mode": ("low",),
    "rgb_color": ([255, 0, 0], [0, 0, 255]),
}
"""A few acceptable values of each parameter."""


SEEDS = st.integers(0, 2**63)
"""Policies are large: drawn by a seeded generator they come ten times as fast."""


def draw_parameters(rng: Random, operation: Operation) -> dict[str, Json]:
    """Draw parameters that `check_parameters` accepts."""
    names = set(operation.required)
    if operation.alternatives:
        names |= rng.choice(operation.alternatives)
    barred = frozenset().union(*operation.alternatives) | operation.required
    for name in sorted(operation.parameters.keys() - barred):
        rivals = frozenset().union(*(r for r in operation.exclusive if name in r))
        if not rivals & names and rng.random() < 0.5:
            names.add(name)
    return {name: rng.choice(VALUES[name]) for name in sorted(names)}


def draw_request(rng: Random) -> Request:
    """Draw a request on one device, two, or a group."""
    first = rng.choice([one for one in DEVICES if one is not ALL_LIGHTS])
    operation = rng.choice(operations_of(first.domain))
    group: Device | None = None
    targets: tuple[Device, ...] = (first,)
    if first.domain == "light":
        ways = [((first,), None), ((DESK, SOFA), None), ((DESK, SOFA), ALL_LIGHTS)]
        targets, group = rng.choice(ways)
    aliases = rng.choice([(), (FREEZER,)]) if first is PLUG else ()
    homes = [None, frozenset[str](), frozenset({"Anna"}), frozenset({"Anna", "Bo"})]
    return Request(
        principal=person(role=rng.choice(ROLES)),
        manager="jeeves",
        origin=rng.choice(ORIGINS),
        evidence=rng.choice(list(Evidence)),
        operation=operation,
        parameters=draw_parameters(rng, operation),
        targets=tuple(Target(device=t, group=group, aliases=aliases) for t in targets),
        home=rng.choice(homes),
    )


def draw_usage(rng: Random) -> Usage:
    """Draw what was granted before."""
    ages = [1.0, 30.0, 61.0, 900.0]
    keys = rng.sample([one.id for one in DEVICES], rng.randint(0, 4))
    return Usage(
        devices=rng.randint(0, 4),
        ages={key: tuple(rng.choices(ages, k=rng.randint(0, 5))) for key in keys},
    )


def requests() -> st.SearchStrategy[Request]:
    return SEEDS.map(lambda seed: draw_request(Random(seed)))


def usages() -> st.SearchStrategy[Usage]:
    return SEEDS.map(lambda seed: draw_usage(Random(seed)))
