"""A phone's half of a Darcy node: everything between the gate and the phone.

Whoever assembles the node (bus, journal, gate, manager) takes `adapter` as the
gate's adapter, `shelf.operations` and `shelf.digest_of` for the gate, and
runs `keeper`. See `docs/phone.md`, “How it is put together”.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hearthnet.core.clock import Clock
from hearthnet.core.devices import Device, Principal, Reading
from hearthnet.core.operations import Operation
from hearthnet.core.phone.camera import OPERATION, TAKE_PICTURE, Picture
from hearthnet.core.phone.part import Part

from .adapter import PhoneAdapter
from .adbkey import AdbKey
from .camera import Camera
from .keeper import Keeper
from .link import Link, LinkError
from .phone import Pace, Phone
from .sensors import PhoneState, Sensors
from .shelf import Shelf

WIRELESS = "wireless"
"""In place of a port's number."""


@dataclass(frozen=True, kw_only=True)
class PhoneSettings:
    """What the owner has set for one phone."""

    host: str = "127.0.0.1"
    port: int | None = 5555
    """None: that of wireless debugging, which is another one each time."""
    key: Path
    """Darcy's ADB key; it is made if it is not there."""
    every: float = 60.0
    """Seconds between two looks at the sensors."""
    pace: Pace = field(default_factory=Pace)

    @classmethod
    def read(cls, data: object, folder: Path) -> "PhoneSettings":
        """Read a table of a settings file; a relative key lies in `folder`.

        Raises:
            RecipeError: naming the field that is wrong.
        """
        fields = Part(data).fields(
            optional=(
                *("host", "port", "key", "every"),
                *("dump_seconds", "quiet_seconds"),
            )
        )
        pace = Pace()
        if "dump_seconds" in fields:
            pace = replace(pace, dump=fields["dump_seconds"].number(1, 30))
        if "quiet_seconds" in fields:
            pace = replace(pace, quiet=fields["quiet_seconds"].number(0, 600))
        return cls(
            host=fields["host"].text() if "host" in fields else cls.host,
            port=_port(fields["port"]) if "port" in fields else cls.port,
            key=folder / (fields["key"].text() if "key" in fields else "adbkey"),
            every=fields["every"].number(5, 3600) if "every" in fields else cls.every,
            pace=pace,
        )


def _port(field: Part) -> int | None:
    return None if field.data == WIRELESS else field.integer(1, 65535)


@dataclass(frozen=True, kw_only=True)
class Listeners:
    """Who is told what; each is called in the event loop."""

    state: Callable[[PhoneState], None]
    reading: Callable[[str, Reading], None]
    problem: Callable[[LinkError | None], None]
    picture: Callable[[Picture], None]


class PhoneNode:
    """The parts, made to fit. Implements `House` for the node's manager."""

    def __init__(
        self,
        node: str,
        agent: str,
        settings: PhoneSettings,
        key: AdbKey,
        clock: Clock,
        listeners: Listeners,
    ) -> None:
        """Build the phone of the node called `node`, driven by the agent `agent`."""
        self.key = key
        self.link = Link(settings.host, settings.port, key.signer, key.tls)
        self.shelf = Shelf(node)
        self.camera = Camera(node, listeners.picture)
        phone = Phone(self.link, settings.pace)
        self.adapter = PhoneAdapter(phone, self.shelf, clock, self.camera)
        self.keeper = Keeper(
            self.link,
            Sensors(self.link, settings.pace.command),
            self.adapter,
            self.shelf,
            clock,
            on_state=listeners.state,
            on_reading=listeners.reading,
            on_problem=listeners.problem,
            every=settings.every,
        )
        self._node = node
        self._agent = agent
        if self.camera.there():
            self.shelf.operations[TAKE_PICTURE] = OPERATION

    def device(self, device_id: str) -> Device | None:
        """Return an appliance or the camera, for the gate."""
        if device_id == self.camera.id and self.camera.there():
            return self.camera.as_device(self._agent)
        entry = self.shelf.entry(device_id)
        if entry is None:
            return None
        return entry.recipe.as_device(self._node, self._agent, None)

    @property
    def operations(self) -> Mapping[str, Operation]:
        """What the recipes on the shelf, and the camera, can do."""
        return self.shelf.operations

    def devices(self) -> Iterable[Device]:
        """Return all appliances, and the camera."""
        ids = (self.camera.id, *(target for target, _ in self.shelf))
        return tuple(device for one in ids if (device := self.device(one)) is not None)

    def read(self, device_id: str) -> Reading:
        """Return what was seen in the last seconds."""
        return self.adapter.read(device_id)

    def may_control(self, principal: Principal, device_id: str) -> bool:
        """Let everybody: who may do what is the hub's to say."""
        return True

    async def close(self) -> None:
        """Let go of the phone."""
        await self.link.close()
