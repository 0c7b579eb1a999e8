"""A phone's camera as a device: what can be done with it, and the picture's frame."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

from ..devices import Device
from ..messages import Json
from ..operations import Operation, Parameter, Risk
from .recipe import device_id

DOMAIN = "phone"
TAKE_PICTURE = f"{DOMAIN}.take_picture"
KIND = "picture"
"""The kind of frame that carries one. It is in no record."""
TAKEN = "picture"
"""The control attribute: a picture was taken."""
LIMIT = 15.0
"""Seconds that the camera may take."""
CAMERAS = ("back", "front")

OPERATION = Operation(
    name=TAKE_PICTURE,
    effects=lambda _parameters, _values: ((TAKEN, True),),
    parameters={"camera": Parameter(choices=CAMERAS)},
    required=frozenset({"camera"}),
    risk=Risk.CONFIRM,
    deadline=LIMIT + 5,
    reads_state=False,
    absolute=False,
)


@dataclass(frozen=True)
class Picture:
    """A picture that was taken under a lease."""

    lease: str
    data: bytes
    """JPEG."""

    @property
    def digest(self) -> str:
        """SHA-256 in hex."""
        return sha256(self.data).hexdigest()

    def as_dict(self) -> dict[str, Json]:
        """Return the frame's fields."""
        return {"lease": self.lease, "jpeg": base64.b64encode(self.data).decode()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a frame's fields; KeyError, TypeError or ValueError when malformed."""
        return cls(str(data["lease"]), base64.b64decode(data["jpeg"], validate=True))


def camera_id(node: str) -> str:
    """Return the device id of a phone's camera."""
    return device_id(node, "camera")


def camera_of(node: str, manager: str) -> Device:
    """Return a phone's camera as the core knows it."""
    return Device(
        id=camera_id(node),
        entity_id=f"{DOMAIN}.camera",
        name=f"{node.capitalize()} camera",
        domain=DOMAIN,
        manager=manager,
        features=frozenset({TAKE_PICTURE, *OPERATION.parameters}),
    )
