"""Darcy's node put together: bus, gate and manager in front of a phone."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import nullcontext
from functools import partial
import logging
from pathlib import Path
from typing import Any, Self

from hearthnet.core.adapter import AdapterError
from hearthnet.core.agents.base import Spawn
from hearthnet.core.agents.manager import Manager
from hearthnet.core.assignment import Order
from hearthnet.core.bus.retry import first
from hearthnet.core.clock import Clock
from hearthnet.core.companion import Companion, Identity
from hearthnet.core.devices import Reading
from hearthnet.core.gate import Gate
from hearthnet.core.keys import VerifyKey
from hearthnet.core.messages import Json
from hearthnet.core.paths import HUB, RECIPES
from hearthnet.core.phone.camera import KIND as PICTURE, Picture
from hearthnet.core.phone.capabilities import VISION
from hearthnet.core.phone.choice import KIND as QUESTION, Question
from hearthnet.core.phone.part import RecipeError
from hearthnet.core.phone.recipe import canonical, digest
from hearthnet.core.phone.report import KIND, PhoneReport
from hearthnet.core.phone.shown import tell
from hearthnet.core.reasons import Reason

from .adbkey import AdbKey
from .link import LinkError
from .node import Listeners, PhoneNode, PhoneSettings
from .sensors import PhoneState

_LOGGER = logging.getLogger(__name__)

DRAIN = 10.0
"""Seconds that a stop waits for a run on the phone."""


class PhoneManager(Manager):
    """Darcy as an agent: a manager whose devices have to be opened to be read."""

    def __init__(
        self, phone: PhoneNode, gate: Gate, companion: Companion, spawn: Spawn
    ) -> None:
        """Manage what `phone` drives, in the name of the node."""
        super().__init__(
            companion.node.name,
            companion.node,
            companion.bus,
            spawn,
            house=phone,
            gate=gate,
            clock=companion.node.clock,
        )
        self._phone = phone
        self._mqtt = companion.mqtt

    async def take(self, order: Order) -> None:
        """Take a task when it is its turn: a lease's time runs from the proposal."""
        screen = order.device != self._phone.camera.id and not order.lease_only
        async with self._phone.adapter.turn if screen else nullcontext():
            await super().take(order)

    async def choose(self, question: Question) -> Mapping[str, Json]:
        """Have the hub's model choose; see `adapter.Choose`."""
        sent = partial(self._mqtt.send_frame, HUB, QUESTION, **question.as_dict())
        answer = await self.answer_to(question.execute, sent, timeout=VISION)
        if answer.message.event.node != HUB:
            raise ConnectionError(f"{answer.message.sender} is nobody to answer this")
        return answer.message.body

    async def look(self, device_id: str, *, anew: bool) -> Reading:
        """Read an appliance; with `anew` its app is opened for it."""
        if await self._phone.adapter.reach():
            self._phone.keeper.look_soon()
        if not anew:
            return self._phone.read(device_id)
        try:
            return await self._phone.adapter.refresh(device_id)
        except AdapterError as error:
            _LOGGER.info("%s could not be read: %s", device_id, error.text)
            return Reading(available=False)


class Darcy:
    """One phone's node. It works under the name that it was paired with."""

    def __init__(
        self, companion: Companion, settings: PhoneSettings, key: AdbKey
    ) -> None:
        """Assemble; nothing is reached before `run`."""
        node = companion.node
        self.companion = companion
        self._node = node
        self._stopping = asyncio.Event()
        self._background: set[asyncio.Task[None]] = set()
        self._state = PhoneState()
        self._told: Reason | None = None
        """What the hub was told last of why the phone is not reached."""
        self.phone = PhoneNode(
            node.name,
            node.name,
            settings,
            key,
            node.clock,
            Listeners(
                state=self._sensed,
                reading=self._shown,
                problem=self._reached,
                picture=self._pictured,
            ),
        )
        self.gate = Gate(
            node=node,
            adapter=self.phone.adapter,
            root=companion.trust.hub,
            agent=node.name,
            operations=self.phone.shelf.operations,
            device=self.phone.device,
            recipe=self.phone.shelf.digest_of,
        )
        companion.guard(self.gate)
        self._manager = PhoneManager(self.phone, self.gate, companion, self._spawn)
        self.phone.adapter.on_run = self._report
        self.phone.adapter.choose = self._manager.choose
        companion.on_hub = self._met
        companion.on_learn = self._stock

    @classmethod
    def open(
        cls,
        identity: Identity,
        folder: Path,
        settings: PhoneSettings,
        *,
        version: str = "",
        clock: Clock | None = None,
        renewed: Callable[[VerifyKey], None] = lambda _key: None,
    ) -> Self:
        """Start a boot and take over what the last one left. Blocks.

        Raises:
            JournalError: the journal is damaged, in use or unwritable.
            OSError, ValueError: the phone's key cannot be read or made.
        """
        key = AdbKey.load_or_create(settings.key)
        companion = Companion.open(
            identity,
            folder,
            agents=(identity.name,),
            capabilities=("phone",),
            version=version,
            clock=clock,
            renewed=renewed,
        )
        darcy = cls(companion, settings, key)
        darcy._manager.take_over()
        return darcy

    async def run(self) -> None:
        """Work until `stop`; what runs on the phone then comes to its end.

        Raises:
            FencedError: another process runs under this name.
        """
        connected = asyncio.ensure_future(self.companion.run())
        keeping = asyncio.ensure_future(self.phone.keeper.run())
        stopping = asyncio.ensure_future(self._stopped())
        try:
            await first([connected, keeping, stopping])
        finally:
            keeping.cancel()
            stopping.cancel()
            by = self._node.hello.message.id
            for refusal in await self.gate.drain(by=by, timeout=DRAIN):
                self.companion.bus.send(refusal)
            self.companion.stop()
            await asyncio.gather(keeping, stopping, connected, return_exceptions=True)
            for task in tuple(self._background):
                task.cancel()
            await asyncio.gather(*self._background, return_exceptions=True)

    def stop(self) -> None:
        """Let `run` end in good order."""
        self._stopping.set()

    async def close(self) -> None:
        """Let go of the phone and the journal."""
        self._manager.close()
        await self.phone.close()
        await self.companion.close()

    async def _stopped(self) -> None:
        await self._stopping.wait()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # The hub

    def _met(self) -> None:
        """Tell a hub that has come what it missed."""
        self._manager.tell_again()
        self._report()

    def _stock(self) -> None:
        """Have on the shelf what the hub has put on record for this phone."""
        shelf, view = self.phone.shelf, self._node.view
        wanted: dict[str, bytes] = {}
        for path in view.paths(f"{RECIPES}/{self._node.name}/"):
            compiled = canonical(view.get(path))
            wanted[digest(compiled)] = compiled
        for target, entry in shelf:
            if wanted.pop(entry.digest, None) is None:
                shelf.remove(target)
        for compiled in wanted.values():
            try:
                shelf.put(compiled)
            except RecipeError as error:
                # The hub is newer, say; its leases for this recipe are then refused.
                _LOGGER.warning("A recipe of the hub's is no good here: %s", error)
        if wanted:
            self.phone.keeper.look_soon()

    def _report(self) -> None:
        """Tell the hub how the phone is."""
        shelf, problem = self.phone.shelf, self.phone.link.problem
        self._told = problem.reason if problem else None
        report = PhoneReport(
            values=self._state.values() if problem is None else {},
            problem=problem.reason if problem else None,
            apps={
                entry.recipe.device: self.phone.adapter.problems[target]
                for target, entry in shelf
                if target in self.phone.adapter.problems
            },
            ages={
                entry.recipe.device: self.phone.adapter.ages(target)
                for target, entry in shelf
            },
            fingerprint=self.phone.key.fingerprint,
            camera=self.phone.camera.there(),
        )
        fields = report.as_dict(self._node.clock.now())
        self.companion.mqtt.send_frame(HUB, KIND, **fields)

    # The phone

    def _sensed(self, state: PhoneState) -> None:
        self._state = state
        self._report()

    def _reached(self, problem: LinkError | None) -> None:
        """Tell the hub if it was told otherwise, by whoever met a problem or none."""
        reason = problem.reason if problem else None
        if reason == self._told:
            return
        if problem is not None:
            _LOGGER.warning("The phone: %s", problem)
        self._report()

    def _shown(self, device_id: str, reading: Reading) -> None:
        """Take what an app has shown when nobody had asked for a change."""
        if self.gate.busy(device_id) is not None:
            self._spawn(self._shown_before(device_id))
        elif (read := self.gate.resolve_unknown(device_id, reading)) is not None:
            self.companion.bus.send(read)
            self._report()
        else:
            self._record(device_id, reading)

    async def _shown_before(self, device_id: str) -> None:
        """Record what was read before an actuation that had been granted by then."""
        await self.gate.wait_idle(device_id)
        if self.gate.unknown(device_id) is None:
            self._record(device_id, self.phone.adapter.last(device_id))

    def _record(self, device_id: str, reading: Reading) -> None:
        """Put what an app shows on record if it is news."""
        device = self.phone.device(device_id)
        if device is not None and tell(self._manager, device, reading.values):
            # After it, so that the hub looks again once it has the observation.
            self._report()

    def _pictured(self, picture: Picture) -> None:
        """Bring a picture to the hub, past the record."""
        if not self.companion.mqtt.send_frame(HUB, PICTURE, **picture.as_dict()):
            _LOGGER.warning("A picture is lost: the hub is not there")
