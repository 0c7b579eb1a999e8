"""What a phone's app is to Home Assistant: a place that pushes go to, and a webhook."""

import asyncio
from collections.abc import Callable
from typing import Any, Self

from aiohttp import web

WAIT = 20.0
"""Seconds after which what does not come about has failed."""

type Push = dict[str, Any]


class PushServer:
    """Takes notifications as the push service of the app does."""

    def __init__(self) -> None:
        """Start with none."""
        self.pushes: list[Push] = []
        self.url = ""
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/push", self._take)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/push"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner
        await self._runner.cleanup()

    def registration(self, device: str) -> dict[str, Any]:
        """Return what the app on a device registers with."""
        return {
            "app_data": {"push_url": self.url, "push_token": device},
            "app_id": "io.test",
            "app_name": "Test",
            "app_version": "1.0",
            "device_id": f"id of {device}",
            "device_name": device,
            "manufacturer": "Test",
            "model": "Phone",
            "os_name": "Android",
            "os_version": "16",
            "supports_encryption": False,
        }

    def of(self, device: str) -> list[Push]:
        """Return what was pushed to a device."""
        return [push for push in self.pushes if push["push_token"] == device]

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(WAIT), self._changed:
            await self._changed.wait_for(lambda: bool(holds()))

    async def pushed(self, device: str, text: str) -> Push:
        """Wait for a push with a text to a device; return the newest."""

        def found() -> list[Push]:
            return [push for push in self.of(device) if text in push["message"]]

        await self.until(found)
        return found()[-1]

    async def _take(self, request: web.Request) -> web.Response:
        push: Push = await request.json()
        async with self._changed:
            self.pushes.append(push)
            self._changed.notify_all()
        return web.json_response({}, status=201)


def buttons(push: Push) -> dict[str, str]:
    """Return a notification's buttons: label to what pressing it sends."""
    return {a["title"]: a["action"] for a in push["data"].get("actions", ())}


def press(action: str) -> dict[str, Any]:
    """Return what the app sends to its webhook when a button is pressed."""
    data = {"event_type": "mobile_app_notification_action", "event_data": {}}
    data["event_data"] = {"action": action, "tag": "whatever"}
    return {"type": "fire_event", "data": data}
