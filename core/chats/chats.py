"""Chats in the background: the reply is made and stored whether or not a page is still looking."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

from core.base.call_context import INTERACTIVE_PATIENCE, in_context
from core.base.errors import BadInput, stored_error
from core.base.jobs import Job, Jobs
from core.base.prompt import Engine
from core.base.types import Bot, Message, Profile, Turn
from core.bot.earlier_conversations import earlier_text
from core.bot.turn import TurnOptions, check_message, take_turn
from core.retrieval.index_cache import Indexes
from core.store.rows import messages_of
from core.store.store import Store

REPLIES_AT_ONCE = 8
_SLOTS = threading.BoundedSemaphore(REPLIES_AT_ONCE)


class ChatMessage(NamedTuple):
    """A person's message: in which chat, to which bot, after which messages, and what answers it."""

    chat_id: str
    bot: Bot
    text: str
    history: tuple[Message, ...]
    profile: Profile
    engine: Engine


class ChatReply(Job[Turn]):
    """A reply under way: read it in pieces (from the first, as often as wanted) or wait for the complete turn."""

    def __init__(self, store: Store, indexes: Indexes, message: ChatMessage, turn_id: int) -> None:
        super().__init__()
        self.text = message.text
        self._store, self._indexes, self._message, self._turn_id = store, indexes, message, turn_id
        self._pieces: list[str] = []

    def work(self) -> Turn:
        """Take the turn and store it, or why there is none."""
        chat_id, bot, text, history, profile, engine = self._message
        try:
            with _SLOTS, in_context(conversation_id=chat_id, connect_patience=INTERACTIVE_PATIENCE):
                turn = take_turn(engine, bot, self._indexes.get(bot), history, text, TurnOptions(profile, self._add))
            self._store.chats.finish_turn(self._turn_id, turn)
        except Exception as error:
            self._store.chats.fail_turn(self._turn_id, stored_error(error))
            raise
        return turn

    def pieces(self) -> Iterator[str]:
        """The reply's pieces as they come, from the first; ends with the turn, also if it failed."""
        seen, running = 0, True
        while running:
            running = self._wait_for(lambda seen=seen: len(self._pieces) > seen)
            new = self._pieces[seen:]
            yield from new
            seen += len(new)

    def turn(self, timeout: float | None = None) -> Turn:
        """The complete turn; raises what made it fail, or TimeoutError."""
        if not self.wait(timeout):
            raise TimeoutError(f"no reply within {timeout} s")
        if self.result is None:
            raise self.exception or RuntimeError("the reply was lost")
        return self.result

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._notify()


class Chats:
    """Sends people's messages to bots; a reply goes on, and is stored, when the page that asked is gone."""

    def __init__(self, store: Store, indexes: Indexes, engine: Engine) -> None:
        self._store, self._indexes, self._engine = store, indexes, engine
        self._replies: Jobs[str, ChatReply] = Jobs(keep=0)

    def send(
        self, chat_id: str, bot: Bot, text: str, profile: Profile | None = None, engine: Engine | None = None
    ) -> ChatReply:
        """Store a message and begin the reply. Raises BadInput for one that cannot be read; then nothing is stored.

        `engine`: for this reply, such as that of a visitor's own key. While a reply to the same text is under way in
        the chat, that one is returned (a double click); another text has to wait for it, which is a BadInput too.
        """
        text = check_message(text)
        with self._replies.lock:
            if running := self._replies.running(chat_id):
                if running.text == text:
                    return running
                self.check_free(chat_id)
            history = messages_of(self._store.chats.turns(chat_id))
            turn_id = self._store.chats.begin_turn(chat_id, text)
            person = with_earlier(self._store, bot, profile or Profile(), chat_id)
            message = ChatMessage(chat_id, bot, text, history, person, engine or self._engine)
            return self._replies.start(chat_id, ChatReply(self._store, self._indexes, message, turn_id))

    def check_free(self, *chat_ids: str) -> None:
        """Raises BadInput while a reply is under way in one of the chats."""
        if any(map(self._replies.running, chat_ids)):
            busy = "The bot is still replying in this chat. Send the message again when it is done."
            raise BadInput(busy, "chat_busy")

    def reply(self, chat_id: str) -> ChatReply | None:
        """The reply under way in a chat, if there is one."""
        return self._replies.running(chat_id)


def with_earlier(store: Store, bot: Bot, profile: Profile, chat_id: str = "") -> Profile:
    """The profile with the person's earlier chats with the bot, if they allow it to read them."""
    if not profile.shares_earlier or bot.external:
        return profile
    return profile.model_copy(update={"earlier": earlier_text(store.chats.earlier(bot.id, chat_id))})
