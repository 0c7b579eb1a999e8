"""One chat of a Telegram bot: our messages in it, sent and edited at its pace.

A message that changes is edited, the latest text only: Telegram takes some twenty
messages a minute for a group, and nobody wants to read more.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError

from ..const import LOGGER
from .home import Home
from .kept import Kept
from .pace import Pace

BOT: Final = "telegram_bot"
PATIENCE = 3
"""How often a message is tried that Telegram or the network did not take."""
LASTING = frozenset({"BadRequest", "Forbidden", "ChatMigrated", "InvalidToken"})
"""Telegram's errors that are the same the next time."""
REMEMBERED = 1000
"""Messages that are known to be this boot's."""
RETRY = 10.0
"""Seconds between two tries, unless Telegram names a time."""

type Button = tuple[str, str]
"""A label, and what pressing it sends."""


@dataclass
class Post:
    """One message of ours."""

    text: str = ""
    head: str = ""
    """What stands above: the question that was agreed to."""
    parts: dict[str, str] = field(default_factory=dict)
    """What is told below of each intent, by its id."""
    going: set[str] = field(default_factory=set)
    """Those of them that are not over."""
    buttons: tuple[Button, ...] = ()
    reply_to: int | None = None
    thread: int | None = None
    """The topic of a forum."""
    open: bool = False
    """Something is still to come of it: the next boot would end it."""
    id: int | None = None
    """The chat's own number, once it is sent."""
    shown: tuple[str, tuple[Button, ...]] | None = None
    tries: int = 0


class Chat:
    """A chat that the owner chose."""

    def __init__(self, home: Home, kept: Kept, bot: str, number: int) -> None:
        """Take the bot's config entry and the chat's number."""
        self.bot = bot
        self.number = number
        self._home = home
        self._kept = kept
        self._pace = Pace()
        self._waiting: dict[int, Post] = {}
        """Posts whose text is not shown yet, by `id()`, in the order of their wish."""
        self._worker: asyncio.Task[None] | None = None
        self._own: deque[int] = deque(maxlen=REMEMBERED)

    def is_own(self, message: int) -> bool:
        """Tell whether a message is one of this boot's."""
        return message in self._own

    def show(self, post: Post) -> None:
        """Show a post as it is now, as soon as the chat takes it."""
        self._waiting.setdefault(id(post), post)
        if self._worker is None or self._worker.done():
            self._worker = self._home.run(self._async_work())

    def withdraw(self, post: Post) -> None:
        """Show a post as it is now if it was sent; else there is nothing to tell."""
        if post.id is None and id(post) in self._waiting:
            del self._waiting[id(post)]
        else:
            self.show(post)

    async def async_answer(self, query: str, text: str) -> None:
        """Answer whoever pressed a button."""
        try:
            await self._async_call(
                "answer_callback_query",
                callback_query_id=query,
                message=text[:200],
                show_alert=True,
            )
        except HomeAssistantError as error:
            LOGGER.debug("Telegram did not take an answer: %s", error)

    async def _async_work(self) -> None:
        loop = self._home.hass.loop
        while self._waiting:
            await asyncio.sleep(self._pace.wait(loop.time()))
            if not self._waiting:
                break  # withdrawn meanwhile
            # A question has its time; what has happened can wait.
            number = min(self._waiting, key=lambda n: not self._waiting[n].buttons)
            post = self._waiting.pop(number)
            wanted = post.text, post.buttons
            if post.shown == wanted:
                await self._async_remember(post)
                continue
            self._pace.sent(loop.time())
            try:
                await self._async_put(post)
            except HomeAssistantError as error:
                self._put_off(post, error)
                continue
            post.shown, post.tries = wanted, 0
            await self._async_remember(post)

    async def _async_put(self, post: Post) -> None:
        data: dict[str, Any] = {"message": post.text, "parse_mode": "plain_text"}
        if post.buttons:
            data["inline_keyboard"] = [[list(button) for button in post.buttons]]
        if post.id is not None:
            await self._async_call(
                "edit_message", chat_id=self.number, message_id=post.id, **data
            )
            return
        if post.reply_to is not None:
            data["reply_to_message_id"] = post.reply_to
        if post.thread is not None:
            data["message_thread_id"] = post.thread
        answer = await self._async_call(
            "send_message", chat_id=self.number, answers=True, **data
        )
        post.id = int(answer["chats"][0]["message_id"])
        self._own.append(post.id)

    def _put_off(self, post: Post, error: HomeAssistantError) -> None:
        """Try again what may work later; a newer text has come into its place then."""
        post.tries += 1
        wait = getattr(error.__cause__, "retry_after", None)
        if wait is not None:
            wait = wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
        elif post.reply_to is not None and post.id is None:
            # What it answers may have been deleted.
            post.reply_to, wait = None, 0.0
        elif type(error.__cause__).__name__ in LASTING or post.tries >= PATIENCE:
            LOGGER.warning("Telegram did not take a message: %s", error)
            return
        else:
            wait = RETRY
        self._pace.hold(self._home.hass.loop.time() + wait)
        self._waiting.setdefault(id(post), post)

    async def _async_remember(self, post: Post) -> None:
        name = f"{self.number}/{post.id}"
        if post.open:
            place = {"bot": self.bot, "chat": self.number, "id": post.id}
            await self._kept.async_keep(name, {**place, "text": post.text})
        else:
            await self._kept.async_forget(name)

    async def _async_call(
        self, action: str, *, answers: bool = False, **data: Any
    ) -> Mapping[str, Any]:
        answer = await self._home.hass.services.async_call(
            BOT,
            action,
            {"config_entry_id": self.bot, **data},
            blocking=True,
            return_response=answers,
        )
        return answer or {}
