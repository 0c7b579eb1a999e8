"""What every channel needs of the home: names, languages, and the way to an answer."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from homeassistant.components.frontend.storage import async_user_store
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError, UnknownUser
from homeassistant.util import dt as dt_util

from ..const import DOMAIN
from ..coordinator import HearthnetConfigEntry
from ..core.account import Reader, ending, time_of_day
from ..core.approvals import this_evening
from ..core.clock import from_text
from ..core.intents import Origin
from ..core.paths import device_path
from ..core.status import QuestionStatus
from ..core.texts import texts_for
from ..principal import Caller, async_caller, requested_by

SOON = 1.0
"""Seconds in which whoever pressed a button wants to see that it counted."""


@dataclass(frozen=True)
class End:
    """How a question ended."""

    answer: str
    """The record's word for it."""
    who: str = ""
    until: datetime | None = None
    """How long the same was agreed to beforehand."""

    @classmethod
    def of(cls, confirmation: Mapping[str, Any]) -> Self:
        """Read the body of a `confirmation`."""
        principal = confirmation.get("principal") or {}
        until = confirmation.get("until")
        return cls(
            confirmation["answer"],
            principal.get("name", ""),
            from_text(until) if until else None,
        )

    def told(self, reader: Reader) -> str:
        """Return it in a reader's words."""
        return ending(self.answer, self.who, reader, self.until)


@dataclass(frozen=True)
class Answer:
    """An answer to a question, as a button stands for it."""

    questions: tuple[str, ...]
    """Those that were put as one."""
    approve: bool
    until: datetime | None = None
    """How long the same shall need no question."""


def answers(question: QuestionStatus, reader: Reader) -> dict[str, Answer]:
    """Return the answers that people are offered, by the labels of their buttons.

    A routine asks again and again; nobody shall be worn down until they press
    without looking.
    """
    texts = texts_for(reader.language)
    ids = question.ids
    offered = {texts.approve: Answer(ids, approve=True)}
    if question.again:
        until = this_evening(reader.now)
        label = texts.approve_until.format(time=time_of_day(until, reader))
        offered[label] = Answer(ids, approve=True, until=until)
    return offered | {texts.reject: Answer(ids, approve=False)}


class Home:
    """The hub of an entry and its people, as channels see them."""

    def __init__(self, hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
        """Take a loaded entry."""
        self.hass = hass
        self.entry = entry
        self.coordinator = entry.runtime_data
        self.hub = self.coordinator.hub

    @callback
    def run(self, doing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something beside; it ends with the entry."""
        return self.entry.async_create_background_task(
            self.hass, doing, f"{DOMAIN} channel"
        )

    @callback
    def later(self, seconds: float, doing: Callable[[], object]) -> None:
        """Do something in a while, unless the entry is unloaded before."""

        async def wait() -> None:
            await asyncio.sleep(seconds)
            doing()

        self.run(wait())

    @callback
    def reader(self, language: str) -> Reader:
        """Return somebody who reads a language here and now."""
        return Reader(language=language, now=dt_util.now(), name=self.name)

    @callback
    def name(self, device_id: str) -> str:
        """Return a device's present name, else the recorded one."""
        if (device := self.coordinator.house.device(device_id)) is not None:
            return device.name
        kept = self.hub.node.view.get(device_path(device_id))
        name = kept.get("name") if isinstance(kept, dict) else None
        return str(name or device_id)

    async def async_language(self, user_id: str | None) -> str:
        """Return the language that a user chose, else Home Assistant's."""
        if user_id is not None:
            store = await async_user_store(self.hass, user_id)
            chosen = (store.data.get("language") or {}).get("language")
            if isinstance(chosen, str):
                return chosen
        return self.hass.config.language

    async def async_caller(self, user_id: str, origin: Origin) -> Caller:
        """Return a mapped user as whoever asks or answers.

        Raises:
            UnknownUser: the user is gone or deactivated.
        """
        caller = await async_caller(self.coordinator, Context(user_id=user_id))
        return replace(caller, origin=origin)

    async def async_answer(self, answer: Answer, user_id: str, origin: Origin) -> str:
        """Take a person's answer to a question; return what to tell them soon.

        What comes of it goes on and is told where it is followed.
        """
        texts = texts_for(await self.async_language(user_id))
        try:
            caller = await self.async_caller(user_id, origin)
        except UnknownUser:
            return texts.may_not_answer
        answering = self.entry.async_create_background_task(
            self.hass,
            self._async_answer(answer, caller, user_id),
            f"{DOMAIN} answer",
        )
        done, _ = await asyncio.wait([answering], timeout=SOON)
        try:
            if done:
                answering.result()
        except LookupError:
            return texts.over
        except PermissionError:
            return texts.may_not_answer
        except HomeAssistantError as error:
            return str(error)
        word = "approved" if answer.approve else "rejected"
        end = End(word, caller.principal.name, answer.until)
        return end.told(self.reader(await self.async_language(user_id)))

    async def _async_answer(self, answer: Answer, caller: Caller, user_id: str) -> None:
        with requested_by(Context(user_id=user_id)):
            await self.hub.wishes.answer_together(
                answer.questions,
                principal=caller.principal,
                origin=caller.origin,
                approve=answer.approve,
                until=answer.until,
            )
