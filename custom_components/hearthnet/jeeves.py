"""Jeeves' adapter: from a permit to Home Assistant's actions, and the read-back.

Nothing is judged here: the gate did. One call an entity, because Home Assistant
hides which of several failed; or one call to a group whose members are exactly
the targets and which moves them together.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
import logging
from typing import Any

from aiohttp import ClientError
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import (
    Context,
    Event,
    EventStateChangedData,
    HomeAssistant,
    callback,
)
from homeassistant.helpers.event import async_track_state_change_event

from .core.adapter import AdapterError, Permit
from .core.devices import Device, Reading
from .core.domains import routines
from .core.messages import Json
from .core.reasons import Outcome
from .groups import is_native
from .house import HassHouse
from .routines import Tell, Watch, allowed_to

_LOGGER = logging.getLogger(__name__)

CALL_TIMEOUT = 10.0
"""Seconds until an action that has not returned is left to the read-back."""
MAX_TEXT = 200
UNREACHABLE = (ConnectionError, TimeoutError, ClientError)

REQUESTER: ContextVar[Context | None] = ContextVar("hearthnet_requester", default=None)
"""The context of who asked. Set around `Hub.ask`, it leads traces back there."""


class JeevesAdapter:
    """Implements `core.adapter.Adapter` on Home Assistant's actions."""

    def __init__(
        self,
        hass: HomeAssistant,
        house: HassHouse,
        own_user_id: str,
        undeclared: Tell = lambda _permit, _name, _entities: None,
    ) -> None:
        """Act as `own_user_id`, so that logbook and observer know whose act it was.

        `undeclared` is told what a script moved that the policy does not declare.
        """
        self._hass = hass
        self._house = house
        self._own_user_id = own_user_id
        self._undeclared = undeclared

    async def act(self, permit: Permit) -> None:
        """Call the permit's operation on its targets.

        Raises:
            AdapterError: naming each target that was not told; `partial` if
                others were.
        """
        devices = [self._resolve(device_id) for device_id in permit.target]
        domain = permit.operation.partition(".")[0]
        if domain in routines.DOMAINS:
            # What it is declared to move is told by itself, not by us.
            devices = [device for device in devices if device.domain == domain]
        elif (group := self._group(permit)) is not None:
            devices = [group]
        context = self._context()
        tasks = [
            self._hass.async_create_background_task(
                self._call(device, permit, context),
                f"hearthnet {permit.operation} {device.entity_id}",
            )
            for device in devices
        ]
        if problems := await _problems(tasks):
            raise _one_of(problems, partial=len(problems) < len(tasks))

    async def settle(
        self,
        permit: Permit,
        satisfied: Callable[[Mapping[str, Reading]], bool],
        deadline: float,
    ) -> Mapping[str, Reading]:
        """Wait until the readings satisfy, at most `deadline` seconds."""
        done = self._hass.loop.create_future()

        @callback
        def look(_event: Event[EventStateChangedData] | None = None) -> None:
            if not done.done() and satisfied(self._readings(permit.target)):
                done.set_result(None)

        entities = [self._house.entity_id(device_id) for device_id in permit.target]
        stop = async_track_state_change_event(self._hass, filter(None, entities), look)
        try:
            look()
            await asyncio.wait([done], timeout=deadline)
        finally:
            stop()
            done.cancel()
        return self._readings(permit.target)

    @callback
    def read(self, device_id: str) -> Reading:
        """Return the live values of a device."""
        return self._house.read(device_id)

    def _readings(self, device_ids: Iterable[str]) -> dict[str, Reading]:
        return {device_id: self._house.read(device_id) for device_id in device_ids}

    def _resolve(self, device_id: str) -> Device:
        """Return the device as it is called now; its name may be a new one."""
        if (device := self._house.device(device_id)) is None:
            raise AdapterError(Outcome.FAILED, f"{device_id} is no longer there")
        return device

    def _group(self, permit: Permit) -> Device | None:
        """Return a group that moves exactly the targets in one go, if there is one."""
        if len(permit.target) < 2:
            return None
        wanted = frozenset(permit.target)
        domain = permit.operation.partition(".")[0]
        for device in self._house.devices():
            if (
                frozenset(device.members) == wanted
                and device.entity_id.startswith(f"{domain}.")
                and device.supports(permit.operation)
                and is_native(self._hass, device.entity_id)
                and self._house.read(device.id).available
            ):
                return device
        return None

    def _context(self) -> Context:
        requester = REQUESTER.get()
        return Context(
            user_id=self._own_user_id, parent_id=requester.id if requester else None
        )

    async def _call(self, device: Device, permit: Permit, context: Context) -> None:
        """Call one action on one entity, and map whatever goes wrong."""
        if not self._house.read(device.id).available:
            # Home Assistant drops it from the call without an error.
            raise AdapterError(Outcome.UNREACHABLE, f"{device.name}: unavailable")
        if permit.operation.partition(".")[0] in routines.DOMAINS:
            await self._run(device, permit, context)
            return
        data: dict[str, Json] = {
            name: value
            for name, value in permit.parameters.items()
            # The white lamp of a colored group takes what it understands.
            if device.supports(name)
        }
        data[ATTR_ENTITY_ID] = device.entity_id
        await self._send(device, permit.operation, data, context)

    async def _run(self, device: Device, permit: Permit, context: Context) -> None:
        """Run a script or a scene, and tell what it moved that nobody declared."""
        operation, data = permit.operation, {ATTR_ENTITY_ID: device.entity_id}
        if device.domain == "script":
            # `script.turn_on` returns before the script has ended.
            operation, data = device.entity_id, {}
        watch = Watch(self._hass, context, allowed_to(self._hass, self._house, device))
        try:
            with watch:
                await self._send(device, operation, data, context)
        finally:
            if watch.undeclared:
                self._undeclared(permit, device.name, tuple(sorted(watch.undeclared)))

    async def _send(
        self, device: Device, operation: str, data: dict[str, Any], context: Context
    ) -> None:
        domain, _, action = operation.partition(".")
        try:
            await self._hass.services.async_call(
                domain, action, data, blocking=True, context=context
            )
        except Exception as error:
            # Integrations raise anything; here it becomes an outcome.
            raise self._problem(device, error) from error

    def _problem(self, device: Device, error: Exception) -> AdapterError:
        unreachable = (
            isinstance(error, UNREACHABLE)
            or isinstance(error.__cause__, UNREACHABLE)
            or not self._house.read(device.id).available
        )
        outcome = Outcome.UNREACHABLE if unreachable else Outcome.FAILED
        text = " ".join(str(error).split()) or type(error).__name__
        return AdapterError(outcome, f"{device.name}: {text[:MAX_TEXT]}")


async def _problems(tasks: Iterable[asyncio.Task[None]]) -> list[AdapterError]:
    """Return what went wrong in the calls; a slow one goes on by itself."""
    tasks = list(tasks)
    _, slow = await asyncio.wait(tasks, timeout=CALL_TIMEOUT)
    for task in slow:
        task.add_done_callback(_retrieve)
    found = []
    for task in tasks:
        if task in slow:
            continue
        if task.cancelled():
            found.append(AdapterError(Outcome.FAILED, "cut off by a stop"))
        elif isinstance(error := task.exception(), AdapterError):
            found.append(error)
    return found


def _retrieve(task: asyncio.Task[None]) -> None:
    """Take note of how a call ended that nobody waited for."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOGGER.debug("%s failed late: %s", task.get_name(), error)


def _one_of(problems: list[AdapterError], *, partial: bool) -> AdapterError:
    """Return several targets' problems as one; unreachable only if all are."""
    outcomes = {problem.outcome for problem in problems}
    outcome = outcomes.pop() if len(outcomes) == 1 else Outcome.FAILED
    if partial:
        outcome = Outcome.PARTIAL
    return AdapterError(outcome, "; ".join(problem.text for problem in problems))
