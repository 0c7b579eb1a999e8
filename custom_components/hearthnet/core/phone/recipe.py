"""A recipe: one app on a phone that controls one appliance."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
import json
import re
from types import MappingProxyType

from ..devices import Device
from ..domains import OPERATIONS
from ..messages import Json
from ..operations import Operation
from .capabilities import Capability, Look
from .part import Part, RecipeError
from .reader import Reader
from .selectors import Interrupt, Screen, read_package
from .values import Shown

SCHEMA = "hearthnet.recipe/1"
MAX_BYTES = 200_000
"""Longest compiled recipe: it travels in one message."""

_DEVICE = re.compile(r"[a-z][a-z0-9_]{0,59}")
_ACTIVITY = re.compile(r"\.?[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*", re.ASCII)
_ENTITY = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TAKEN = frozenset({"phone", *(row.domain for row in OPERATIONS.values())})
_MAX_VERSION = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class App:
    """Which app is driven, and how it is known to be that one."""

    package: str
    activity: str | None
    """None: the phone is asked which activity its launcher starts."""
    version_code: tuple[int, int]
    """The versions that somebody has checked; others are read, never tapped."""
    signer_sha256: str | None
    """Digest of the certificate that must have signed it; None: not checked."""
    fresh: bool
    """True: it starts at its first screen. False: wherever it was left."""

    @classmethod
    def read(cls, part: Part) -> "App":
        """Read the app; RecipeError when it is wrong or denied in code."""
        fields = part.fields(
            required=("package", "version_code"),
            optional=("activity", "signer_sha256", "start"),
        )
        low, high = (
            item.integer(0, _MAX_VERSION) for item in fields["version_code"].items(2, 2)
        )
        if low > high:
            raise fields["version_code"].error("the first is the lowest")
        activity = signer = None
        if "activity" in fields:
            activity = fields["activity"].text(_ACTIVITY, "an activity's class")
        if "signer_sha256" in fields:
            signer = fields["signer_sha256"].text(_SHA256, "64 small hex digits")
        start = fields["start"].choice("fresh", "resume") if "start" in fields else ""
        return cls(
            package=read_package(fields["package"]),
            activity=activity,
            version_code=(low, high),
            signer_sha256=signer,
            fresh=start == "fresh",
        )

    def data(self) -> Json:
        """Return the JSON form."""
        data: dict[str, Json] = {
            "package": self.package,
            "version_code": list(self.version_code),
            "start": "fresh" if self.fresh else "resume",
        }
        if self.activity is not None:
            data["activity"] = self.activity
        if self.signer_sha256 is not None:
            data["signer_sha256"] = self.signer_sha256
        return data


@dataclass(frozen=True, kw_only=True)
class Require:
    """What state the phone may be brought into."""

    wake: bool = True
    unlock: bool = False
    """True: a lock without secret may be swept away. There is never a PIN."""

    @classmethod
    def read(cls, part: Part) -> "Require":
        """Read the requirements; RecipeError when they are wrong."""
        fields = part.fields(optional=("wake", "unlock"))
        return cls(
            wake="wake" not in fields or fields["wake"].flag(),
            unlock="unlock" in fields
            and fields["unlock"].choice("none", "swipe") == "swipe",
        )

    def data(self) -> Json:
        """Return the JSON form."""
        return {"wake": self.wake, "unlock": "swipe" if self.unlock else "none"}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A checked recipe."""

    device: str
    """The appliance, as a name of small letters; part of its device id."""
    name: str
    aliases: tuple[str, ...]
    same_as: str | None
    """The Home Assistant entity of the same appliance, if there is one."""
    app: App
    require: Require
    screens: Mapping[str, Screen]
    interrupts: tuple[Interrupt, ...]
    values: Mapping[str, Shown]
    capabilities: Mapping[str, Capability]
    look: Look | None

    @classmethod
    def read(cls, data: object) -> "Recipe":
        """Check plain data, as YAML or JSON gives it.

        Raises:
            RecipeError: naming the first place that is wrong.
        """
        fields = Part(data).fields(
            required=("schema", "device", "name", "app", "screens", "capabilities"),
            optional=("aliases", "same_as", "require", "interrupts", "values", "read"),
        )
        fields["schema"].choice(SCHEMA)
        app = App.read(fields["app"])
        screens = {
            name: Screen.read(item, app.package)
            for name, item in fields["screens"].entries(30).items()
        }
        values = {
            name: Shown.read(name, item)
            for name, item in _optional(fields, "values").entries(30).items()
        }
        _distinct(fields.get("values"), values)
        reader = Reader(screens, values)
        capabilities = {
            name: reader.capability(name, item)
            for name, item in fields["capabilities"].entries(30).items()
        }
        _one_domain(fields["capabilities"], capabilities)
        return cls(
            device=fields["device"].text(_DEVICE, "a name of small letters"),
            name=fields["name"].text(),
            aliases=tuple(i.text() for i in _optional(fields, "aliases", []).items()),
            same_as=fields["same_as"].text(_ENTITY, "an entity id")
            if "same_as" in fields
            else None,
            app=app,
            require=Require.read(_optional(fields, "require")),
            screens=MappingProxyType(screens),
            interrupts=tuple(
                Interrupt.read(item, app.package)
                for item in _optional(fields, "interrupts", []).items(most=20)
            ),
            values=MappingProxyType(values),
            capabilities=MappingProxyType(capabilities),
            look=reader.look(fields["read"]) if "read" in fields else None,
        )

    @classmethod
    def load(cls, compiled: bytes) -> "Recipe":
        """Read a compiled recipe.

        Raises:
            RecipeError: it is no recipe.
        """
        if len(compiled) > MAX_BYTES:
            raise RecipeError((), f"longer than {MAX_BYTES} bytes")
        try:
            data = json.loads(compiled)
        except (ValueError, RecursionError) as error:
            raise RecipeError((), f"not JSON: {error}") from None
        return cls.read(data)

    def compiled(self) -> bytes:
        """Return the recipe as canonical JSON: sorted keys, UTF-8, no blanks."""
        return canonical(self.data())

    def data(self) -> Json:
        """Return the JSON form, with every default written out."""
        data: dict[str, Json] = {
            "schema": SCHEMA,
            "device": self.device,
            "name": self.name,
            "aliases": list(self.aliases),
            "app": self.app.data(),
            "require": self.require.data(),
            "screens": {name: screen.data() for name, screen in self.screens.items()},
            "interrupts": [interrupt.data() for interrupt in self.interrupts],
            "values": {name: value.data() for name, value in self.values.items()},
            "capabilities": {
                name: capability.data()
                for name, capability in self.capabilities.items()
            },
        }
        if self.same_as is not None:
            data["same_as"] = self.same_as
        if self.look is not None:
            data["read"] = self.look.data()
        return data

    @property
    def domain(self) -> str:
        """The domain of all its operations."""
        return next(iter(self.capabilities)).partition(".")[0]

    def operations(self) -> dict[str, Operation]:
        """Return the rows that its capabilities add to the operations table."""
        return {
            name: capability.operation(self.values)
            for name, capability in self.capabilities.items()
        }

    def as_device(self, node: str, manager: str, physical: str | None) -> Device:
        """Return the appliance as the core knows it.

        `node` is the phone's node; `physical` is the id of the device behind
        `same_as`, which the hub looks up.
        """
        return Device(
            id=device_id(node, self.device),
            entity_id=f"{self.domain}.{self.device}",
            name=self.name,
            domain=self.domain,
            aliases=self.aliases,
            manager=manager,
            physical=physical,
            assumed_state=all(c.blind for c in self.capabilities.values()),
            partial=True,
            features=frozenset(self.capabilities).union(
                *(capability.parameters for capability in self.capabilities.values())
            ),
        )


def canonical(data: Json) -> bytes:
    """Return data as canonical JSON: sorted keys, UTF-8, no blanks."""
    return json.dumps(
        data,
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
        allow_nan=False,
    ).encode()


def digest(compiled: bytes) -> str:
    """Return what a lease names a compiled recipe by: SHA-256 in hex."""
    return sha256(compiled).hexdigest()


def device_id(node: str, device: str) -> str:
    """Return the id of an appliance that a phone's node drives."""
    return f"{node}.{device}"


def _optional(fields: Mapping[str, Part], name: str, default: object = None) -> Part:
    return fields.get(name) or Part({} if default is None else default, (name,))


def _distinct(part: Part | None, values: Mapping[str, Shown]) -> None:
    """Check that no two values claim to be one control attribute."""
    seen: dict[str, str] = {}
    for name, value in values.items():
        if (other := seen.setdefault(value.means, name)) != name:
            assert part is not None
            text = f"{name} and {other} both are {value.means}"
            raise part.error(text)


def _one_domain(part: Part, capabilities: Mapping[str, Capability]) -> None:
    """Check that the operations have one domain, which is not Home Assistant's."""
    domains = {name.partition(".")[0] for name in capabilities}
    if len(domains) != 1:
        raise part.error("needs capabilities, all of one domain")
    if taken := domains & _TAKEN:
        raise part.error(f"{taken.pop()} is taken; choose another domain")
