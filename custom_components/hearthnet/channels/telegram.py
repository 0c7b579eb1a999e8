"""Telegram, through Home Assistant's own bot: a chat in which the home is asked.

The bot says who wrote; the owner's mapping says whose account that is. Nothing in
a text changes either.
"""

from collections import defaultdict, deque
from collections.abc import Mapping
from datetime import timedelta
import secrets
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, Context, Event, callback
from homeassistant.exceptions import HomeAssistantError, UnknownUser
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util

from ..const import CONF_TELEGRAM, LOGGER
from ..core.account import Reader, question as question_text
from ..core.intents import Origin, Request
from ..core.messages import Message, MessageType
from ..core.node import Record
from ..core.status import QuestionStatus
from ..core.texts import texts_for
from ..principal import requested_by
from ..speech import speech
from .chat import BOT, Chat, Post
from .home import Answer, End, Home, answers
from .inbox import is_old, words
from .kept import TELEGRAM, Kept
from .threads import Thread, Threads

TEXT: Final = "telegram_text"
COMMAND: Final = "telegram_command"
CALLBACK: Final = "telegram_callback"
BUTTON: Final = "hearthnet:"
"""What our buttons send begins with; a secret follows."""
REMEMBERED = 200
"""Messages of a chat that are known to be taken: an edit is no new request."""
TURNS = 8
TALK = 300.0
"""Seconds after which a dialogue is over, as in Assist."""
REFUSE_AGAIN = 3600.0
"""Seconds in which a stranger is told once that nothing was done."""
FLUSH = 1.0
"""Seconds in which old messages are gathered, to be told of once."""
CONFLICTS: Final = "conflicts"
LOST: Final = "lost_agents"
INTENTS: Final = "intents"
CHAT_TOPICS: Final = (CONFLICTS, LOST, INTENTS)
"""What a chat can be told besides its own intents and the questions."""


class Telegram:
    """The chats that the owner chose."""

    def __init__(
        self,
        home: Home,
        chats: Mapping[tuple[str, int], Chat],
        users: Mapping[int, str],
        topics: frozenset[str],
        kept: Kept,
    ) -> None:
        """Take chats by bot and number, and Home Assistant's users by Telegram's."""
        self._home = home
        self._chats = chats
        self._users = users
        self._topics = topics
        self._kept = kept
        self._threads = Threads(home)
        self._given: dict[str, Thread] = {}
        """Requests on their way to the hub, by their reference."""
        self._asked: dict[str, list[tuple[Chat, Post]]] = {}
        """Where each question was put."""
        self._buttons: dict[str, tuple[Chat, Answer]] = {}
        """By secret: the chat, and what pressing it there answers."""
        self._taken: dict[int, deque[int]] = defaultdict(
            lambda: deque(maxlen=REMEMBERED)
        )
        self._turns: dict[tuple[int, int], deque[tuple[float, str, str]]] = defaultdict(
            lambda: deque(maxlen=TURNS)
        )
        self._refused: dict[int, float] = {}
        self._missed: dict[Chat, int] = {}
        self._since: float | None = None
        """Since when messages are taken, by the loop's clock."""
        listen = home.hass.bus.async_listen
        self._ends: list[CALLBACK_TYPE] = [
            listen(TEXT, self._async_wrote),
            listen(COMMAND, self._async_wrote),
            listen(CALLBACK, self._async_pressed),
            home.coordinator.async_add_listener(self._threads.recorded),
        ]

    # A channel

    async def async_open(self) -> None:
        """Take messages from now on; end what an earlier boot has left open."""
        self._since = self._home.hass.loop.time()
        restarted = End("restarted").told(self._reader)
        for place in (await self._kept.async_left()).values():
            if (chat := self._chats.get((place["bot"], place["chat"]))) is not None:
                text = f"{place['text']}\n{restarted}"
                chat.show(Post(text=text, id=place["id"]))
        if self._missed:
            self._home.later(FLUSH, self._tell_missed)

    @callback
    def async_close(self) -> None:
        """Stop listening."""
        while self._ends:
            self._ends.pop()()

    @callback
    def async_note(self, record: Record) -> None:
        """Follow what was given here, and whatever else the owner wants to read."""
        message = record.message
        if message.type is MessageType.INTENT:
            self._note_intent(message)
        elif (
            message.type is MessageType.CONFLICT
            and CONFLICTS in self._topics
            and message.intent is not None
            and not self._threads.of(message.intent)
        ):
            self._follow_elsewhere(message.intent)
        self._threads.changed(message.intent)

    @callback
    def async_ask(self, question: QuestionStatus) -> None:
        """Ask with two buttons, good for this chat and question only."""
        reader = self._reader
        above = {t.chat: t.post.id for t in self._threads.of(question.intent)}
        for chat in self._chats.values():
            post = Post(
                text=question_text(question, reader),
                buttons=tuple(
                    (label, self._button(chat, answer))
                    for label, answer in answers(question, reader).items()
                ),
                reply_to=above.get(chat),
                open=True,
            )
            for one in question.ids:
                self._asked.setdefault(one, []).append((chat, post))
            chat.show(post)

    @callback
    def async_end(self, question: QuestionStatus, end: End) -> None:
        """Take the buttons away and say how it ended."""
        told = end.told(self._reader)
        for chat, post in self._asked.get(question.id, ()):
            post.head = post.text = question_text(question, self._reader, told)
            post.buttons = ()
            # What was approved goes on in the same message.
            post.open = end.answer == "approved"
            if post.open:
                chat.show(post)
            else:
                chat.withdraw(post)
        self._buttons = {
            secret: button
            for secret, button in self._buttons.items()
            if button[1].questions != question.ids
        }
        if end.answer != "approved":
            for one in question.ids:
                self._asked.pop(one, None)

    @callback
    def async_lost(self, agent: str) -> None:
        """Tell that an agent is gone."""
        if LOST in self._topics:
            texts = texts_for(self._home.hass.config.language)
            self._say(texts.lost.format(names=agent.capitalize()))

    # Intents

    def _note_intent(self, message: Message) -> None:
        given = self._given.pop(str(message.body.get("reference")), None)
        if given is not None:
            self._threads.follow(message.id, given)
        elif (asked := self._asked.pop(message.cause or "", None)) is not None:
            language = self._home.hass.config.language
            self._threads.follow(
                message.id,
                *(Thread(chat, post, language) for chat, post in asked),
            )
        elif before := self._threads.of(message.cause):
            # A plan for later, whose time has come.
            self._threads.follow(
                message.id,
                *(
                    Thread(t.chat, Post(reply_to=t.post.id), t.language, quoted=True)
                    for t in before
                ),
            )
        elif INTENTS in self._topics:
            self._follow_elsewhere(message.id)

    def _follow_elsewhere(self, intent: str) -> None:
        language = self._home.hass.config.language
        chats = self._chats.values()
        self._threads.follow(
            intent, *(Thread(chat, Post(), language, quoted=True) for chat in chats)
        )

    # What people write

    async def _async_wrote(self, event: Event[Mapping[str, Any]]) -> None:
        data = event.data
        if (chat := self._chat(data)) is None or (text := words(data)) is None:
            return
        taken = self._taken[chat.number]
        if data["id"] in taken:
            return
        taken.append(data["id"])
        if is_old(data["date"], self._listening, dt_util.utcnow()):
            self._miss(chat)
            return
        await self._async_take(chat, text, data)

    async def _async_take(self, chat: Chat, text: str, data: Mapping[str, Any]) -> None:
        post = Post(reply_to=data["id"], thread=data.get("message_thread_id"))
        person = data.get("user_id")
        user_id = self._users.get(person or 0)
        try:
            if user_id is None:
                raise UnknownUser
            caller = await self._home.async_caller(user_id, Origin.CHAT)
        except UnknownUser:
            self._refuse(chat, post, person)
            return
        language = await self._home.async_language(user_id)
        if not text.strip():
            self._put(chat, post, texts_for(language).only_text)
            return
        turns = self._turns[chat.number, person or 0]
        now = self._home.hass.loop.time()
        request = Request(
            text=text,
            principal=caller.principal,
            origin=caller.origin,
            language=language,
            turns=tuple((who, said) for at, who, said in turns if now - at < TALK),
            reference=f"telegram:{chat.number}/{data['id']}",
        )
        thread = Thread(chat, post, language)
        await self._async_ask_hub(request, thread, user_id)
        turns.append((now, "user", text))
        # What the chat shows of it comes later, and is more than what was answered.
        if thread.result is not None:
            told = speech(self._home.coordinator, thread.result, language)
            turns.append((now, "assistant", told))

    async def _async_ask_hub(
        self, request: Request, thread: Thread, user_id: str
    ) -> None:
        assert request.reference is not None
        self._given[request.reference] = thread
        try:
            with requested_by(Context(user_id=user_id)):
                thread.result = await self._home.hub.wishes.ask(request)
        except HomeAssistantError as error:
            self._put(thread.chat, thread.post, str(error))
            return
        finally:
            self._given.pop(request.reference, None)
        self._threads.changed(thread.result.intent)

    def _refuse(self, chat: Chat, post: Post, person: int | None) -> None:
        """Tell a stranger who is known, once in a while."""
        now = self._home.hass.loop.time()
        if person is None or now < self._refused.get(person, 0.0):
            return
        self._refused[person] = now + REFUSE_AGAIN
        LOGGER.info("Telegram user %s is nobody's account", person)
        self._put(chat, post, self._stranger(person))

    def _stranger(self, person: int | None) -> str:
        texts = texts_for(self._home.hass.config.language)
        return texts.stranger.format(id=person)

    def _miss(self, chat: Chat) -> None:
        if self._since is not None and not self._missed:
            self._home.later(FLUSH, self._tell_missed)
        self._missed[chat] = self._missed.get(chat, 0) + 1

    @callback
    def _tell_missed(self) -> None:
        missed, self._missed = self._missed, {}
        sentences = texts_for(self._home.hass.config.language).missed
        for chat, count in missed.items():
            text = sentences[0 if count == 1 else 1].format(count=count)
            self._put(chat, Post(), text)

    # What people press

    async def _async_pressed(self, event: Event[Mapping[str, Any]]) -> None:
        data = event.data
        secret = str(data.get("data") or "")
        if not secret.startswith(BUTTON) or (chat := self._chat(data)) is None:
            return
        person = data.get("user_id")
        user_id = self._users.get(person or 0)
        button = self._buttons.get(secret)
        if user_id is None:
            told = self._stranger(person)
        elif button is None or button[0] is not chat:
            told = texts_for(await self._home.async_language(user_id)).over
            self._end_old(chat, data["message"])
        else:
            told = await self._home.async_answer(button[1], user_id, Origin.CHAT)
        await chat.async_answer(data["id"], told)

    def _end_old(self, chat: Chat, message: Mapping[str, Any]) -> None:
        """Take the buttons from a message of an earlier boot that went unnoticed."""
        number = message["message_id"]
        if not chat.is_own(number):
            text = f"{message.get('text', '')}\n{End('restarted').told(self._reader)}"
            chat.show(Post(text=text, id=number))

    def _button(self, chat: Chat, answer: Answer) -> str:
        secret = f"{BUTTON}{secrets.token_urlsafe(16)}"
        self._buttons[secret] = chat, answer
        return secret

    # Chats

    @property
    def _reader(self) -> Reader:
        """Everybody there."""
        return self._home.reader(self._home.hass.config.language)

    @property
    def _listening(self) -> timedelta | None:
        if self._since is None:
            return None
        return timedelta(seconds=self._home.hass.loop.time() - self._since)

    def _chat(self, data: Mapping[str, Any]) -> Chat | None:
        return self._chats.get((data["bot"]["config_entry_id"], data["chat_id"]))

    def _say(self, text: str) -> None:
        for chat in self._chats.values():
            self._put(chat, Post(), text)

    @staticmethod
    def _put(chat: Chat, post: Post, text: str) -> None:
        post.text = text
        chat.show(post)


async def async_telegram(home: Home) -> Telegram | None:
    """Return the Telegram channel that the owner has set up; None without one."""
    options: Mapping[str, Any] = home.entry.options.get(CONF_TELEGRAM, {})
    kept = Kept(home.hass, home.entry.entry_id, TELEGRAM)
    chats: dict[tuple[str, int], Chat] = {}
    for entity_id in options.get("chats", ()):
        if (place := chat_of(home, entity_id)) is not None:
            chats[place] = Chat(home, kept, *place)
        else:
            LOGGER.warning("%s is no chat of a Telegram bot any more", entity_id)
    if not chats:
        return None
    users = {int(row["telegram"]): row["user"] for row in options.get("users", ())}
    return Telegram(home, chats, users, frozenset(options.get("topics", ())), kept)


@callback
def chat_of(home: Home, entity_id: str) -> tuple[str, int] | None:
    """Return the bot's config entry and the chat's number of a notify entity."""
    entity = er.async_get(home.hass).async_get(entity_id)
    if entity is None or entity.platform != BOT or entity.config_entry_id is None:
        return None
    bot = home.hass.config_entries.async_get_entry(entity.config_entry_id)
    chat = bot and bot.subentries.get(entity.config_subentry_id or "")
    return (bot.entry_id, int(chat.data["chat_id"])) if bot and chat else None
