"""Keeps a phone reachable and what is known of it up to date."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
import logging

from hearthnet.core.adapter import AdapterError
from hearthnet.core.clock import Clock
from hearthnet.core.devices import Reading

from .adapter import PhoneAdapter
from .link import Link, LinkError
from .sensors import PhoneState, Sensors
from .shelf import Shelf

_LOGGER = logging.getLogger(__name__)

ALLOW = 60.0
"""Seconds that the owner has to answer the phone's dialog, each time it comes up."""
AWAY = 10.0
"""Seconds between two looks at most while the phone is not reached."""
UNUSED = 120.0
"""Seconds without a touch after which an app may be opened only to read it."""


class Keeper:
    """Looks at a phone every now and then, and reconnects when it is gone."""

    def __init__(
        self,
        link: Link,
        sensors: Sensors,
        adapter: PhoneAdapter,
        shelf: Shelf,
        clock: Clock,
        *,
        on_state: Callable[[PhoneState], None],
        on_reading: Callable[[str, Reading], None],
        on_problem: Callable[[LinkError | None], None],
        every: float = 60.0,
    ) -> None:
        """Tell what changes.

        Args:
            link: the phone.
            sensors: what is read each time.
            adapter: reads the apps whose recipes ask for it.
            shelf: these recipes.
            clock: when the next read of an app is due.
            on_state: gets each state of the sensors that differs from the last.
            on_reading: gets what an app has shown, by device id.
            on_problem: gets at each look why the phone cannot be reached, None when
                it can. Others may have met a problem between two looks.
            every: seconds between two looks.
        """
        self._link = link
        self._sensors = sensors
        self._adapter = adapter
        self._shelf = shelf
        self._clock = clock
        self._on_state = on_state
        self._on_reading = on_reading
        self._on_problem = on_problem
        self._every = every
        self._state: PhoneState | None = None
        self._problem: LinkError | None = None
        self._due: dict[str, float] = {}
        self._soon = asyncio.Event()

    async def run(self) -> None:
        """Look at the phone until canceled."""
        while True:
            self._soon.clear()
            try:
                await self.look()
            except Exception:
                # What one answer of the phone breaks must not end all the others.
                _LOGGER.exception("A look at the phone failed")
            pause = self._every if self._problem is None else min(self._every, AWAY)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._soon.wait()

    def look_soon(self) -> None:
        """Look without waiting: there is a new recipe to read an app by."""
        self._soon.set()

    async def look(self) -> None:
        """Look at the phone once."""
        try:
            await self._link.connect(ALLOW)
            state = await self._sensors.read()
        except LinkError as error:
            self._tell(error)
            return
        self._tell(None)
        if state != self._state:
            self._state = state
            self._on_state(state)
        await self._read_apps(state)

    def _tell(self, problem: LinkError | None) -> None:
        self._problem = problem
        self._on_problem(problem)

    async def _read_apps(self, state: PhoneState) -> None:
        """Open the apps that are due, unless somebody may be at the phone."""
        if state.screen and (state.quiet is None or state.quiet < UNUSED):
            return
        for target, entry in self._shelf:
            look, now = entry.recipe.look, self._clock.boottime()
            if look is None or look.every is None or now < self._due.get(target, 0.0):
                continue
            self._due[target] = now + look.every
            try:
                async with self._adapter.turn:
                    reading = await self._adapter.refresh(target)
            except AdapterError as error:
                _LOGGER.info("%s could not be read: %s", target, error)
            else:
                self._on_reading(target, reading)
