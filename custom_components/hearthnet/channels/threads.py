"""Intents that a chat follows: one message each, edited as the intent goes on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from homeassistant.core import callback

from ..core.account import account, cut
from ..core.intents import Result
from ..core.messages import MessageType
from ..core.planner.clean import clean
from ..core.render import acknowledge
from .chat import Chat, Post
from .home import Home

GATHER = 0.3
"""Seconds in which what happens to an intent is gathered into one text."""
MOST = 100
"""Intents that are followed at once; the oldest gives way."""
LONGEST = 300
"""Characters of a request that are quoted."""


@dataclass
class Thread:
    """An intent in a chat."""

    chat: Chat
    post: Post
    language: str
    quoted: bool = False
    """The request came another way, so that the chat has not seen it."""
    result: Result | None = None
    """What became of it, if it was given here."""


class Threads:
    """The intents that are followed, by id."""

    def __init__(self, home: Home) -> None:
        """Follow nothing yet."""
        self._home = home
        self._threads: dict[str, list[Thread]] = {}
        self._changed: set[str] = set()
        self._planned = False

    @callback
    def follow(self, intent: str, *threads: Thread) -> None:
        """Tell of an intent from now on."""
        self._threads.setdefault(intent, []).extend(threads)
        while len(self._threads) > MOST:
            del self._threads[next(iter(self._threads))]
        self.changed(intent)

    @callback
    def of(self, intent: str | None) -> list[Thread]:
        """Return the messages that tell of an intent."""
        return self._threads.get(intent or "", [])

    @callback
    def changed(self, intent: str | None) -> None:
        """Look at an intent again, soon."""
        if intent is None or intent not in self._threads:
            return
        self._changed.add(intent)
        if not self._planned:
            self._planned = True
            self._home.later(GATHER, lambda: self._home.run(self._async_refresh()))

    @callback
    def recorded(self) -> None:
        """Look again at all that waits for nothing but a commit."""
        for intent in self._threads:
            self.changed(intent)

    async def _async_refresh(self) -> None:
        self._planned = False
        changed, self._changed = self._changed, set()
        for intent in changed:
            if threads := self.of(intent):
                await self._async_tell(intent, threads)

    async def _async_tell(self, intent: str, threads: list[Thread]) -> None:
        events = (await self._home.hub.chronicle.chain(intent))["events"]
        over = any(
            event["type"] == MessageType.RESOLUTION
            and event["cause"] == intent
            and event["task"] is None
            for event in events
        )
        for thread in threads:
            post = thread.post
            post.parts[intent] = self._text(events, thread)
            post.text = cut([post.head, *post.parts.values()])
            (post.going.discard if over else post.going.add)(intent)
            post.open = bool(post.going)
            thread.chat.show(post)
        later = any(t.result is not None and t.result.due for t in threads)
        if over and not later and all(event["commit"] for event in events):
            self._threads.pop(intent, None)

    def _text(self, events: list[Mapping[str, Any]], thread: Thread) -> str:
        status = self._home.hub.status
        told = account(
            events,
            self._home.reader(thread.language),
            boot=status.boot,
            plans={plan.id for plan in status.deferred},
            result=thread.result,
        )
        lines: list[str] = []
        if thread.quoted:
            lines += [_quote(e) for e in events if e["type"] == MessageType.INTENT]
        if told or not thread.post.head:
            lines.append(told or acknowledge(thread.language, None))
        return "\n".join(lines)


def _quote(intent: Mapping[str, Any]) -> str:
    body = intent["message"]["body"]
    who = clean(body["principal"]["name"], LONGEST)
    return f"{who}: {clean(body['text'], LONGEST)}"
