"""Chats in the background: the reply is made and stored whether or not a page is still looking."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

from core.base.call_context import INTERACTIVE_PATIENCE, in_context
from core.base.errors import BadInput, ModelError, sentence
from core.base.prompt import Engine
from core.base.types import Bot, Message, Profile, Turn
from core.bot.turn import check_message, take_turn
from core.retrieval.index import Indexes
from core.runs.thread_pool import Pool
from core.store.rows import TurnRow
from core.store.store import Store

THREADS = 8


class Reply:
    """A reply under way: read it in pieces (from its beginning, as often as wanted) or wait for the whole turn."""

    def __init__(self, turn_id: int, text: str) -> None:
        self.turn_id = turn_id
        self.text = text
        self._pieces: list[str] = []
        self._turn: Turn | None = None
        self._error: BaseException | None = None
        self._over = False
        self._news = threading.Condition()

    @property
    def done(self) -> bool:
        """Whether the turn is over, well or not."""
        return self._over

    def pieces(self) -> Iterator[str]:
        """The reply's pieces as they come, from the first; ends with the turn, also where it failed."""
        seen, over = 0, False
        while not over:
            with self._news:
                while not self._over and len(self._pieces) == seen:
                    self._news.wait()
                fresh, over = self._pieces[seen:], self._over
            yield from fresh
            seen += len(fresh)

    def turn(self, timeout: float | None = None) -> Turn:
        """The whole turn; raises what made it fail, or TimeoutError."""
        with self._news:
            if not self._news.wait_for(lambda: self._over, timeout):
                raise TimeoutError(f"no reply within {timeout} s")
        if self._turn is None:
            raise self._error or RuntimeError("the reply was lost")
        return self._turn

    def add(self, piece: str) -> None:
        """One more piece has come."""
        with self._news:
            self._pieces.append(piece)
            self._news.notify_all()

    def finish(self, turn: Turn | None, error: BaseException | None = None) -> None:
        """The turn is over."""
        with self._news:
            self._turn, self._error, self._over = turn, error, True
            self._news.notify_all()


class Chats:
    """Sends people's messages to bots; a reply goes on, and is stored, when the page that asked is gone."""

    def __init__(self, store: Store, indexes: Indexes, engine: Engine) -> None:
        self._store, self._indexes, self._engine = store, indexes, engine
        self._pool = Pool(THREADS, "chat")
        self._replies: dict[str, Reply] = {}
        self._lock = threading.Lock()

    def send(
        self, chat_id: str, bot: Bot, text: str, profile: Profile | None = None, engine: Engine | None = None
    ) -> Reply:
        """Store a message and begin the reply. Raises BadInput for one that cannot be read; then nothing is stored.

        `engine`: for this reply, such as that of a visitor's own key.
        While a reply to the same text is under way in the chat, that one is given back (a double click); another text
        has to wait for it, which is a BadInput too.
        """
        text = check_message(text)
        with self._lock:
            under_way = self._replies.get(chat_id)
            if under_way and under_way.text == text:
                return under_way
            if under_way:
                told = "The bot is still replying in this chat. Send the message again when it is done."
                raise BadInput(told, "chat_busy")
            before = messages_of(self._store.chats.turns(chat_id))
            reply = Reply(self._store.chats.begin_turn(chat_id, text), text)
            self._replies[chat_id] = reply
        known = profile or Profile()
        self._pool.submit(self._answer, engine or self._engine, chat_id, bot, before, reply, known)
        return reply

    def reply(self, chat_id: str) -> Reply | None:
        """The reply under way in a chat, if there is one."""
        return self._replies.get(chat_id)

    def close(self) -> None:
        """Take no more messages; replies under way come to their end."""
        self._pool.close()

    def _answer(
        self, engine: Engine, chat_id: str, bot: Bot, before: tuple[Message, ...], reply: Reply, profile: Profile
    ) -> None:
        turn, error = None, None
        try:
            index = self._indexes.get(bot)
            with in_context(conversation_id=chat_id, connect_patience=INTERACTIVE_PATIENCE):
                turn = take_turn(engine, bot, index, before, reply.text, profile, reply.add)
            self._store.chats.finish_turn(reply.turn_id, turn)
        except Exception as problem:
            turn, error = None, problem
            self._store.chats.fail_turn(reply.turn_id, told_later(problem))
        finally:
            del self._replies[chat_id]
            reply.finish(turn, error)


def told_later(error: BaseException) -> str:
    """An error as it is stored: what a person can put right as JSON (key, details, text), for any language."""
    if not isinstance(error, BadInput | ModelError):
        return sentence(error)
    details = {name: value if isinstance(value, (int, float)) else str(value) for name, value in error.details.items()}
    return json.dumps({"key": error.key, "details": details, "text": sentence(error)}, ensure_ascii=False)


def messages_of(rows: list[TurnRow]) -> tuple[Message, ...]:
    """The conversation so far, for the next turn; messages that the bot never answered are left out."""
    return tuple(message for row in rows if row.turn for message in row.turn.as_messages())
