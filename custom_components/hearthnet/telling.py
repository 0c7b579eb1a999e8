"""What is said while a sentence is worked on, and after: by code, from templates.

Whoever waits for a model or a slow device hears within a second that something is
being done. The answer itself comes from receipts, hence only at the end.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from homeassistant.components.conversation import (
    AssistantContentDeltaDict,
    ToolResultContentDeltaDict,
)
from homeassistant.helpers import llm

from .const import DOMAIN
from .coordinator import HearthnetCoordinator
from .core.intents import Plan, PlanKind, Request, Result
from .core.render import acknowledge
from .speech import speech

ACKNOWLEDGE_AFTER = 0.8
"""Seconds of silence that nobody minds: most sentences are done by then."""

type Delta = AssistantContentDeltaDict | ToolResultContentDeltaDict


class Telling:
    """One sentence on its way through the hub."""

    result: Result
    spoken: str
    """The answer, without what was said before it."""

    def __init__(self, coordinator: HearthnetCoordinator, request: Request) -> None:
        """Take the sentence; nothing is asked before the deltas are wanted."""
        self._coordinator = coordinator
        self._request = request
        self._planned = asyncio.Event()
        self._devices: int | None = None
        """On how many devices a command is being carried out, once it is known."""

    async def deltas(self) -> AsyncGenerator[Delta]:
        """Ask the hub and tell how it goes, as a chat log takes it."""
        request = self._request
        asking = self._coordinator.hass.async_create_task(
            self._coordinator.hub.wishes.ask(request, self._note_plan), f"{DOMAIN} ask"
        )
        try:
            if await self._lasts(asking):
                # Speech starts early only where a tool is called after a text; the
                # hub is one as far as a chat log is concerned.
                call = llm.ToolInput(
                    tool_name=f"{DOMAIN}__Ask",
                    tool_args={"text": request.text},
                    external=True,
                )
                known = self._planned.is_set()
                yield {"role": "assistant", "content": self._acknowledgement}
                yield {"tool_calls": [call]}
                if not known and await self._lasts_on(asking):
                    yield {"content": f" {self._acknowledgement}"}
                result = await asking
                yield {
                    "role": "tool_result",
                    "tool_call_id": call.id,
                    "tool_name": call.tool_name,
                    "result": llm.ToolResult(
                        data={"intent": result.intent, "complete": result.complete}
                    ),
                }
            self.result = await asking
        finally:
            asking.cancel()
        self.spoken = speech(self._coordinator, self.result, request.language)
        yield {"role": "assistant", "content": self.spoken}

    def _note_plan(self, plan: Plan) -> None:
        if plan.kind is PlanKind.COMMAND:
            self._devices = sum(len(action.targets) for action in plan.actions) or None
        self._planned.set()

    @property
    def _acknowledgement(self) -> str:
        return acknowledge(self._request.language, self._devices)

    async def _lasts(self, asking: asyncio.Future[Result]) -> bool:
        """Tell whether it lasts longer than anybody waits in silence."""
        done, _ = await asyncio.wait([asking], timeout=ACKNOWLEDGE_AFTER)
        return not done

    async def _lasts_on(self, asking: asyncio.Future[Result]) -> bool:
        """Tell whether there is more to say: a plan whose devices take their time."""
        planned = asyncio.ensure_future(self._planned.wait())
        either: tuple[asyncio.Future[Any], ...] = (asking, planned)
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            planned.cancel()
        return self._devices is not None and await self._lasts(asking)
