"""Ways to people that no manager can drive: each tells what happens, and asks.

The hub's record is what is told; a channel says nothing that is not in it.
"""

from typing import Protocol

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.start import async_at_started

from ..coordinator import SIGNAL_NEWS, HearthnetConfigEntry
from ..core.account import together
from ..core.messages import MessageType
from ..core.news import AgentLost, News
from ..core.node import Record
from ..core.status import QuestionStatus
from .home import End, Home
from .kept import NOTIFY, TELEGRAM, kept_store
from .notify import async_notify
from .telegram import async_telegram

GATHER = 0.3
"""Seconds until a question is put, for those that are put as one with it."""


class Channel(Protocol):
    """A way to people."""

    @callback
    def async_note(self, record: Record) -> None:
        """Take what has just been recorded."""

    @callback
    def async_ask(self, question: QuestionStatus) -> None:
        """Put a question to whoever may answer it."""

    @callback
    def async_end(self, question: QuestionStatus, end: End) -> None:
        """Show how a question ended, all that were put as one with it too."""

    @callback
    def async_lost(self, agent: str) -> None:
        """Tell that an agent is not connected any more."""

    async def async_open(self) -> None:
        """Start: end in sight of everybody what an earlier boot has left open."""

    @callback
    def async_close(self) -> None:
        """Stop listening."""


class Channels:
    """The channels of one boot."""

    def __init__(self, home: Home, channels: tuple[Channel, ...]) -> None:
        """Take the channels; nothing is told before `async_start`."""
        self._home = home
        self._channels = channels
        self._asked: dict[str, QuestionStatus] = {}
        """What was put to people, by the id of each question in it."""
        self._asking = False

    @callback
    def async_start(self) -> None:
        """Follow the hub until the entry is unloaded."""
        home, entry = self._home, self._home.entry
        entry.async_on_unload(home.hub.node.subscribe(self._noted))
        entry.async_on_unload(
            async_dispatcher_connect(home.hass, SIGNAL_NEWS, self._news)
        )
        for channel in self._channels:
            entry.async_on_unload(channel.async_close)
        entry.async_on_unload(async_at_started(home.hass, self._async_open))

    async def _async_open(self, _hass: HomeAssistant) -> None:
        for channel in self._channels:
            await channel.async_open()

    @callback
    def _noted(self, record: Record) -> None:
        message = record.message
        for channel in self._channels:
            channel.async_note(record)
        if message.type is MessageType.CONFIRMATION_REQUEST:
            if not self._asking:
                self._asking = True
                self._home.later(GATHER, self._ask)
        elif message.type is MessageType.CONFIRMATION and message.cause is not None:
            question = self._asked.pop(message.cause, None)
            if question is not None and not self._asked.keys() & set(question.ids):
                end = End.of(message.body)
                for channel in self._channels:
                    channel.async_end(question, end)

    @callback
    def _ask(self) -> None:
        self._asking = False
        standing = self._home.hub.status.questions
        new = [one for one in standing if one.id not in self._asked]
        for question in together(new, self._home.hass.config.language):
            self._asked.update(dict.fromkeys(question.ids, question))
            for channel in self._channels:
                channel.async_ask(question)

    @callback
    def _news(self, news: News) -> None:
        if isinstance(news, AgentLost):
            for channel in self._channels:
                channel.async_lost(news.name)


async def async_setup_channels(
    hass: HomeAssistant, entry: HearthnetConfigEntry
) -> None:
    """Start the channels that the owner has set up, until the entry is unloaded."""
    home = Home(hass, entry)
    found = (await async_telegram(home), await async_notify(home))
    channels = tuple(channel for channel in found if channel is not None)
    if channels:
        Channels(home, channels).async_start()


async def async_forget_channels(hass: HomeAssistant, entry_id: str) -> None:
    """Remove what channels have kept of an entry that is removed."""
    for channel in (NOTIFY, TELEGRAM):
        await kept_store(hass, entry_id, channel).async_remove()
