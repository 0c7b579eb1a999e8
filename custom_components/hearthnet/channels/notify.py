"""People's own notifications: a phone with buttons, or any notify entity.

A phone's app answers as the user who registered it, and only what was sent to this
phone can be pressed on it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
import secrets
from typing import Any, Final

from homeassistant.components.notify import DOMAIN as NOTIFY
from homeassistant.core import (
    CALLBACK_TYPE,
    Event,
    EventOrigin,
    HomeAssistant,
    callback,
)
from homeassistant.exceptions import HomeAssistantError, UnknownUser
from homeassistant.helpers import entity_registry as er
from homeassistant.util import slugify

from ..const import CONF_NOTIFY, LOGGER
from ..core.account import account, question as question_text, together
from ..core.confirmations import APPROVERS, LIFE
from ..core.intents import Origin
from ..core.messages import MessageType
from ..core.node import Record
from ..core.status import QuestionStatus
from ..core.story import lines_of
from ..core.texts import texts_for
from .home import Answer, End, Home, answers
from .kept import NOTIFY as KEPT_NOTIFY, Kept
from .telegram import CONFLICTS, LOST

MOBILE_APP: Final = "mobile_app"
PRESSED: Final = "mobile_app_notification_action"
CLEAR: Final = "clear_notification"
BUTTON: Final = "HEARTHNET_"
"""What our buttons send begins with; a secret follows."""
GATHER = 1.0
"""Seconds until a conflict is told, so that it is told whole."""
PHONE_TOPICS: Final = (CONFLICTS, LOST)
"""What a person can be told besides the questions."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a person is reached."""

    user: str
    entity: str
    topics: frozenset[str]
    action: str | None
    """The action that sends to a phone with buttons; None: words only."""


@dataclass(frozen=True, kw_only=True)
class _Button:
    place: Place
    answer: Answer


class Notify:
    """The people whom the owner wants to be told and asked."""

    def __init__(self, home: Home, places: tuple[Place, ...], kept: Kept) -> None:
        """Take the places; nothing is sent before the hub has news."""
        self._home = home
        self._places = places
        self._kept = kept
        self._buttons: dict[str, _Button] = {}
        """By secret."""
        self._asked: dict[str, list[tuple[Place, QuestionStatus]]] = {}
        """Where each question was put, as far as it concerns whoever was asked."""
        self._told: set[str] = set()
        """Intents whose conflict is being told."""
        self._stop: CALLBACK_TYPE = home.hass.bus.async_listen(
            PRESSED, self._async_pressed
        )

    # A channel

    async def async_open(self) -> None:
        """Take away what an earlier boot has left on phones."""
        for name, left in (await self._kept.async_left()).items():
            data = {"message": CLEAR, "data": {"tag": left["tag"]}}
            if self._home.hass.services.has_service(NOTIFY, left["action"]):
                await self._async_call(left["action"], data)
            await self._kept.async_forget(name)

    @callback
    def async_close(self) -> None:
        """Stop listening."""
        self._stop()

    @callback
    def async_note(self, record: Record) -> None:
        """Notice a conflict."""
        message = record.message
        if message.type is MessageType.CONFLICT and message.intent is not None:
            intent = message.intent
            if intent not in self._told:
                self._told.add(intent)
                self._home.later(
                    GATHER, lambda: self._home.run(self._async_tell_conflict(intent))
                )

    @callback
    def async_ask(self, question: QuestionStatus) -> None:
        """Ask everybody who may answer."""
        self._asked[question.id] = []
        self._home.run(self._async_ask(question))

    @callback
    def async_end(self, question: QuestionStatus, end: End) -> None:
        """Take the buttons back; say who answered."""
        self._buttons = {
            secret: button
            for secret, button in self._buttons.items()
            if not set(button.answer.questions) & set(question.ids)
        }
        for place, asked in self._asked.pop(question.id, []):
            tag = _tag(question.id)
            self._home.run(self._async_end(place, asked, tag, end))

    @callback
    def async_lost(self, agent: str) -> None:
        """Tell that an agent is gone."""
        for place in self._places:
            if LOST in place.topics:
                self._home.run(self._async_tell_lost(place, agent))

    # Questions

    async def _async_ask(self, question: QuestionStatus) -> None:
        tag = _tag(question.id)
        for place in self._places:
            language = await self._home.async_language(place.user)
            theirs = await self._async_theirs(place, question)
            if (asked := self._asked.get(question.id)) is None:
                return  # answered meanwhile
            for one in together(theirs, language):
                asked.append((place, one))
                reader = self._home.reader(language)
                buttons = tuple(
                    (label, self._button(place, answer))
                    for label, answer in answers(one, reader).items()
                )
                if place.action is not None:
                    await self._kept.async_keep(
                        f"{place.action}/{tag}", {"action": place.action, "tag": tag}
                    )
                await self._async_send(
                    place,
                    question_text(one, reader),
                    title=texts_for(language).title,
                    tag=tag,
                    buttons=buttons,
                )

    async def _async_theirs(
        self, place: Place, question: QuestionStatus
    ) -> list[QuestionStatus]:
        """Return what a person may answer of what is put as one."""
        try:
            caller = await self._home.async_caller(place.user, Origin.APP)
        except UnknownUser:
            return []
        principal, house = caller.principal, self._home.coordinator.house
        if principal.role not in APPROVERS:
            return []
        return [
            one
            for one in question.parts
            if all(house.may_control(principal, device) for device in one.target)
        ]

    async def _async_end(
        self, place: Place, question: QuestionStatus, tag: str, end: End
    ) -> None:
        if place.action is None:
            return
        if end.who:
            language = await self._home.async_language(place.user)
            reader = self._home.reader(language)
            text = question_text(question, reader, end.told(reader))
            await self._async_send(
                place, text, title=texts_for(language).title, tag=tag
            )
        else:
            clear = {"message": CLEAR, "data": {"tag": tag}}
            await self._async_call(place.action, clear)
        await self._kept.async_forget(f"{place.action}/{tag}")

    async def _async_pressed(self, event: Event[Mapping[str, Any]]) -> None:
        """Take a press, if it comes from the app of the user who was asked."""
        secret = str(event.data.get("action") or "")
        button = self._buttons.get(secret)
        if (
            button is None
            or event.origin is not EventOrigin.remote
            or event.context.user_id != button.place.user
        ):
            return
        await self._home.async_answer(button.answer, button.place.user, Origin.APP)

    def _button(self, place: Place, answer: Answer) -> str:
        secret = f"{BUTTON}{secrets.token_urlsafe(16)}"
        self._buttons[secret] = _Button(place=place, answer=answer)
        return secret

    # News

    async def _async_tell_conflict(self, intent: str) -> None:
        self._told.discard(intent)
        hub, house = self._home.hub, self._home.coordinator.house
        events = (await hub.chronicle.chain(intent))["events"]
        devices = {d for line in lines_of(events) for d in line.devices}
        for place in self._places:
            principal = house.people.principal(place.user)
            if CONFLICTS not in place.topics or principal is None:
                continue
            entities = map(house.entity_id, devices)
            if all(e and house.people.may_read(principal, e) for e in entities):
                language = await self._home.async_language(place.user)
                await self._async_send(
                    place,
                    account(events, self._home.reader(language), boot=hub.status.boot),
                    title=texts_for(language).conflict,
                    tag=_tag(intent),
                )

    async def _async_tell_lost(self, place: Place, agent: str) -> None:
        texts = texts_for(await self._home.async_language(place.user))
        text = texts.lost.format(names=agent.capitalize())
        await self._async_send(place, text, title="HearthNet", tag=_tag(agent))

    # Sending

    async def _async_send(
        self,
        place: Place,
        message: str,
        *,
        title: str,
        tag: str,
        buttons: tuple[tuple[str, str], ...] = (),
    ) -> None:
        words: dict[str, Any] = {"message": message, "title": title}
        if place.action is None:
            await self._async_call("send_message", words | {"entity_id": place.entity})
            return
        data: dict[str, Any] = {"tag": tag, "group": "hearthnet"}
        if buttons:
            data |= {
                "actions": [
                    # Where the app can, the phone has to be unlocked first.
                    {"action": action, "title": label, "authenticationRequired": True}
                    for label, action in buttons
                ],
                # At once, and gone by itself when the question is over.
                "ttl": 0,
                "priority": "high",
                "timeout": int(LIFE),
                "push": {"interruption-level": "time-sensitive"},
            }
        await self._async_call(place.action, words | {"data": data})

    async def _async_call(self, action: str, data: Mapping[str, Any]) -> None:
        try:
            await self._home.hass.services.async_call(
                NOTIFY, action, dict(data), blocking=True
            )
        except HomeAssistantError as error:
            LOGGER.warning("notify.%s did not take a message: %s", action, error)


async def async_notify(home: Home) -> Notify | None:
    """Return the channel to the people whom the owner has named; None without any."""
    places = tuple(
        Place(
            user=row["user"],
            entity=row["entity"],
            topics=frozenset(row.get("topics", ())),
            action=phone_action(home.hass, row["entity"]),
        )
        for row in home.entry.options.get(CONF_NOTIFY, ())
    )
    if not places:
        return None
    return Notify(home, places, Kept(home.hass, home.entry.entry_id, KEPT_NOTIFY))


@callback
def phone_action(hass: HomeAssistant, entity_id: str) -> str | None:
    """Return the notify action of the phone that an entity belongs to, if it is one."""
    if (phone := phone_of(hass, entity_id)) is None:
        return None
    return f"{MOBILE_APP}_{slugify(phone['device_name'])}"


@callback
def phone_of(hass: HomeAssistant, entity_id: str) -> Mapping[str, Any] | None:
    """Return the registration of the phone that an entity belongs to, if it is one."""
    entity = er.async_get(hass).async_get(entity_id)
    if entity is None or entity.platform != MOBILE_APP or not entity.config_entry_id:
        return None
    entry = hass.config_entries.async_get_entry(entity.config_entry_id)
    return entry.data if entry is not None else None


def _tag(what: str) -> str:
    """Return the name under which a phone shows and replaces a notification."""
    return f"hearthnet-{what}"
