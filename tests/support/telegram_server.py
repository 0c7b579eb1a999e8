"""A local Bot API server for Home Assistant's own Telegram bot, with one group chat.

It speaks what python-telegram-bot needs: long polling, messages, edits, buttons and
their answers, errors and floods as Telegram gives them. Nothing leaves the machine.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
import json
import threading
from typing import Any, Self

from aiohttp import web

TOKEN = "123456:a-test-token"
BOT = {"id": 123456, "is_bot": True, "first_name": "Hearth", "username": "hearth_bot"}
GROUP = -1001234
WAIT = 20.0
"""Seconds after which what does not come about has failed."""

_GIFTS = (
    *("unlimited_gifts", "limited_gifts", "unique_gifts"),
    *("premium_subscription", "gifts_from_channels"),
)

type Json = dict[str, Any]


@dataclass
class Sent:
    """A message of the bot as the chat shows it."""

    id: int
    chat: int
    text: str
    buttons: dict[str, str] = field(default_factory=dict)
    """Label to what pressing it sends."""
    reply_to: int | None = None
    texts: list[str] = field(default_factory=list)
    """All that it ever showed, in order."""


class TelegramServer:
    """The server; `async with` starts and stops it."""

    def __init__(self) -> None:
        """Start with an empty chat."""
        self.sent: dict[int, Sent] = {}
        """The bot's messages by id."""
        self.answers: list[Json] = []
        """What pressed buttons were answered."""
        self.calls: list[tuple[str, Json]] = []
        self.floods: list[int] = []
        """For each of the next messages or edits, seconds to wait: it is refused."""
        self.url = ""
        self._updates: list[Json] = []
        self._next_message = 100
        self._next_update = 1
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", f"/bot{TOKEN}/{{method}}", self._call)
        self._runner = web.AppRunner(
            app, handler_cancellation=True, shutdown_timeout=0.1
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner
        await self._runner.cleanup()

    # What people do

    async def say(
        self,
        user: int,
        text: str,
        *,
        chat: int = GROUP,
        ago: timedelta = timedelta(0),
        edits: int | None = None,
    ) -> int:
        """Write a message, or edit an earlier one; return its id."""
        self._next_message += 1
        message = self._message(edits or self._next_message, chat, text, user, ago)
        if text.startswith("/"):
            length = len(text.split(maxsplit=1)[0])
            command = {"type": "bot_command", "offset": 0, "length": length}
            message["entities"] = [command]
        await self._update("edited_message" if edits else "message", message)
        return int(message["message_id"])

    async def press(self, user: int, sent: Sent, label: str) -> None:
        """Press a button as it was shown; a forged one is given by its data."""
        data = sent.buttons.get(label, label)
        await self.press_data(user, sent, data)

    async def press_data(self, user: int, sent: Sent, data: str) -> None:
        """Send what a button would send."""
        query = {
            "id": str(9000 + self._next_update),
            "from": _person(user),
            "chat_instance": "1",
            "data": data,
            "message": self._message(sent.id, sent.chat, sent.text, BOT["id"]),
        }
        await self._update("callback_query", query)

    # What tests wait for

    async def until(self, holds: Callable[["TelegramServer"], object]) -> None:
        """Wait until something is so."""
        try:
            async with asyncio.timeout(WAIT), self._changed:
                await self._changed.wait_for(lambda: bool(holds(self)))
        except TimeoutError as error:
            shown = "\n---\n".join(sent.text for sent in self.sent.values())
            raise TimeoutError(f"the chat shows:\n{shown}") from error

    def find(self, text: str) -> Sent | None:
        """Return the newest message of the bot that shows a text."""
        return next((s for s in reversed(self.sent.values()) if text in s.text), None)

    async def shown(self, text: str) -> Sent:
        """Wait for a message of the bot that shows a text."""
        await self.until(lambda server: server.find(text))
        found = self.find(text)
        assert found is not None
        return found

    # The API

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        given = {**request.query, **await request.post()}
        params = {name: _value(str(value)) for name, value in given.items()}
        async with self._changed:
            self.calls.append((method, params))
            self._changed.notify_all()
        handler = getattr(self, f"_on_{method}", None)
        if handler is None:
            return web.json_response(
                {"ok": False, "error_code": 404, "description": "Not Found"}, status=404
            )
        try:
            result = await handler(params)
        except _RefusedError as refused:
            return web.json_response(refused.body, status=refused.body["error_code"])
        async with self._changed:
            self._changed.notify_all()
        return web.json_response({"ok": True, "result": result})

    async def _on_getMe(self, _params: Json) -> Json:  # noqa: N802 - Telegram's name
        return BOT

    async def _on_deleteWebhook(self, _params: Json) -> bool:  # noqa: N802
        return True

    async def _on_getChat(self, params: Json) -> Json:  # noqa: N802
        return {
            "id": int(params["chat_id"]),
            "type": "supergroup",
            "title": "Family",
            "accent_color_id": 0,
            "max_reaction_count": 1,
            "accepted_gift_types": dict.fromkeys(_GIFTS, False),
        }

    async def _on_getUpdates(self, params: Json) -> list[Json]:  # noqa: N802
        offset = int(params.get("offset", 0))
        self._updates = [u for u in self._updates if u["update_id"] >= offset]
        try:
            async with asyncio.timeout(float(params.get("timeout", 0))), self._changed:
                await self._changed.wait_for(lambda: self._updates)
        except TimeoutError:
            pass
        return list(self._updates)

    async def _on_sendMessage(self, params: Json) -> Json:  # noqa: N802
        self._flood()
        self._next_message += 1
        sent = Sent(
            id=self._next_message,
            chat=int(params["chat_id"]),
            text=str(params["text"]),
            buttons=_buttons(params),
            reply_to=_reply_to(params),
            texts=[str(params["text"])],
        )
        self.sent[sent.id] = sent
        return self._message(sent.id, sent.chat, sent.text, BOT["id"])

    async def _on_editMessageText(self, params: Json) -> Json:  # noqa: N802
        self._flood()
        sent = self.sent.get(int(params["message_id"]))
        if sent is None:
            raise _RefusedError(400, "Bad Request: message to edit not found")
        text, buttons = str(params["text"]), _buttons(params)
        if (text, buttons) == (sent.text, sent.buttons):
            raise _RefusedError(400, "Bad Request: message is not modified")
        sent.text, sent.buttons = text, buttons
        sent.texts.append(text)
        return self._message(sent.id, sent.chat, sent.text, BOT["id"])

    async def _on_answerCallbackQuery(self, params: Json) -> bool:  # noqa: N802
        self.answers.append(params)
        return True

    def _flood(self) -> None:
        if self.floods:
            seconds = self.floods.pop(0)
            raise _RefusedError(
                429,
                f"Too Many Requests: retry after {seconds}",
                parameters={"retry_after": seconds},
            )

    def _message(
        self,
        number: int,
        chat: int,
        text: str,
        user: Any,
        ago: timedelta = timedelta(0),
    ) -> Json:
        group = {"id": chat, "type": "supergroup", "title": "Family"}
        private = {"id": chat, "type": "private", "first_name": "Somebody"}
        return {
            "message_id": number,
            "date": int((datetime.now(UTC) - ago).timestamp()),
            "chat": group if chat < 0 else private,
            "from": BOT if user == BOT["id"] else _person(user),
            "text": text,
        }

    async def _update(self, kind: str, content: Json) -> None:
        async with self._changed:
            self._updates.append({"update_id": self._next_update, kind: content})
            self._next_update += 1
            self._changed.notify_all()


class TelegramThread:
    """The same server beside a test that does not run in a loop."""

    def __init__(self) -> None:
        """Start it; `with` ends it."""
        self.server = TelegramServer()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.run(self.server.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self.server.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run[T](self, doing: Coroutine[Any, Any, T]) -> T:
        """Do something in the server's loop, such as `server.say(…)`."""
        return asyncio.run_coroutine_threadsafe(doing, self._loop).result(2 * WAIT)


class _RefusedError(Exception):
    def __init__(self, code: int, description: str, **more: Any) -> None:
        super().__init__(description)
        self.body: Json = {
            "ok": False,
            "error_code": code,
            "description": description,
            **more,
        }


def _person(user: int) -> Json:
    return {"id": user, "is_bot": False, "first_name": f"Person {user}"}


def _value(text: str) -> Any:
    """Read a field of a form: everything but texts is JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _buttons(params: Json) -> dict[str, str]:
    rows = params.get("reply_markup", {}).get("inline_keyboard", [])
    return {key["text"]: key["callback_data"] for row in rows for key in row}


def _reply_to(params: Json) -> int | None:
    answered: int | None = params.get("reply_parameters", {}).get("message_id")
    return answered
