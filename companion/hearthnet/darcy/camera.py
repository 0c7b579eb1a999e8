"""A still picture from the phone's camera: only where Darcy runs in Termux.

It needs a lease as every actuation does, because a picture of a room is worse
to get wrong than a lamp. The picture itself never enters the record: the
receipt names its digest.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
import tempfile

from hearthnet.core.adapter import AdapterError, Permit
from hearthnet.core.devices import Device, Reading
from hearthnet.core.intents import Evidence
from hearthnet.core.messages import Json
from hearthnet.core.phone.camera import (
    CAMERAS,
    LIMIT,
    TAKEN,
    Picture,
    camera_id,
    camera_of,
)
from hearthnet.core.reasons import Outcome, Reason

from . import termux
from .termux import TermuxError

MIN_BYTES = 2_000
"""Android gives apps in the background an empty or black picture, which is smaller."""

_NUMBERS = dict(zip(CAMERAS, ("0", "1"), strict=True))


class Camera:
    """The camera as a device behind the gate; `PhoneAdapter` sends it what is its."""

    def __init__(self, node: str, deliver: Callable[[Picture], None]) -> None:
        """Hand pictures to `deliver`, which brings them to whoever asked."""
        self.id = camera_id(node)
        self._node = node
        self._deliver = deliver
        self._one = asyncio.Lock()
        self._seen: dict[str, Json] = {}

    @staticmethod
    def there() -> bool:
        """Tell whether this machine is a phone whose camera can be asked."""
        return termux.has("termux-camera-photo")

    def as_device(self, manager: str) -> Device:
        """Return the camera as the core knows it."""
        return camera_of(self._node, manager)

    async def take(self, permit: Permit) -> Mapping[str, Reading]:
        """Take a picture and deliver it.

        Raises:
            AdapterError: the camera gave none.
            Refused: the lease is over.
        """
        self._seen = {}
        camera = _NUMBERS[str(permit.parameters["camera"])]
        async with self._one:
            permit.recheck()
            data = await self._shoot(camera)
        picture = Picture(permit.lease, data)
        self._seen = {TAKEN: True, "sha256": picture.digest}
        self._deliver(picture)
        return {self.id: Reading(available=True)}

    def read(self) -> Reading:
        """Return the digest of the last picture, if the last attempt gave one."""
        return Reading(available=self.there(), values=self._seen)

    async def _shoot(self, camera: str) -> bytes:
        with tempfile.TemporaryDirectory(prefix="hearthnet-") as folder:
            path = Path(folder) / "picture.jpg"
            try:
                await termux.run(
                    "termux-camera-photo", "-c", camera, str(path), timeout=LIMIT
                )
                data = await asyncio.to_thread(path.read_bytes)
            except (TermuxError, OSError) as error:
                raise _unavailable(str(error)) from error
        if len(data) < MIN_BYTES or not data.startswith(b"\xff\xd8"):
            raise _unavailable("the picture is empty: the app is in the background")
        return data


def _unavailable(text: str) -> AdapterError:
    evidence = Evidence(text=text, code=Reason.SENSOR_UNAVAILABLE)
    return AdapterError(Outcome.FAILED, text, (evidence,))
