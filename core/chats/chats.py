"""Chats in the background: the reply is made and stored even if the page is closed meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.base.bot_folder import bot_ids, load_bot
from core.base.call_context import INTERACTIVE_PATIENCE, in_context
from core.base.errors import BadInput, stored_error
from core.base.jobs import Job, Jobs
from core.base.prompt import Engine
from core.base.types import TURN_JUDGE, Bot, Language, Message, Profile, Scenario, Turn
from core.bot.earlier_conversations import earlier_text
from core.bot.turn import TurnOptions, check_message, take_turn
from core.retrieval.index_cache import Indexes
from core.store.rows import messages_of, with_history
from core.store.store import Store

REPLIES_AT_ONCE = 8
_SLOTS = threading.BoundedSemaphore(REPLIES_AT_ONCE)


class ChatMessage(NamedTuple):
    """A user's message to a bot."""

    chat_id: str
    bot: Bot
    text: str
    history: tuple[Message, ...]
    profile: Profile
    engine: Engine  # that replies


class ChatReply(Job[Turn]):
    """A reply that is being made: read it in pieces (from the first, any number of times) or wait for the turn."""

    def __init__(self, store: Store, indexes: Indexes, message: ChatMessage, turn_id: int) -> None:
        super().__init__()
        self.text = message.text
        self._store, self._indexes, self._message, self._turn_id = store, indexes, message, turn_id
        self._pieces: list[str] = []

    def work(self) -> Turn:
        """Take the turn and store it, or store the error."""
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
        """The complete turn; raises the error that made it fail, or TimeoutError."""
        if not self.wait(timeout):
            raise TimeoutError(f"no reply within {timeout} s")
        if self.result is None:
            raise self.exception or RuntimeError("the reply was lost")
        return self.result

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._notify()


class Chats:
    """Sends users' messages to bots; a reply is finished and stored even if the page that asked is closed."""

    def __init__(self, store: Store, indexes: Indexes, engine: Engine) -> None:
        self._store, self._indexes, self._engine = store, indexes, engine
        self._replies: Jobs[str, ChatReply] = Jobs(keep=0)

    def send(
        self, chat_id: str, bot: Bot, text: str, profile: Profile | None = None, engine: Engine | None = None
    ) -> ChatReply:
        """Store a message and start the reply. Raises BadInput for an unreadable message; then nothing is stored.

        engine: for this reply, such as one with a visitor's own key. If the chat is already replying to the same text
        (a double click), that reply is returned; for another text BadInput is raised.
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
        """Raises BadInput while one of the chats is replying."""
        if any(map(self._replies.running, chat_ids)):
            busy = "The bot is still replying in this chat. Send the message again when it is done."
            raise BadInput(busy, "chat_busy")

    def reply(self, chat_id: str) -> ChatReply | None:
        """The reply that a chat is making, if there is one."""
        return self._replies.running(chat_id)


def with_earlier(store: Store, bot: Bot, profile: Profile, chat_id: str = "") -> Profile:
    """The profile with the user's earlier chats with the bot, if the user allows the bot to read them."""
    if not profile.shares_earlier or bot.external:
        return profile
    return profile.model_copy(update={"earlier": earlier_text(store.chats.earlier(bot.id, chat_id))})


def judge_chat_turns(store: Store, engine: Engine, turns: Sequence[tuple[str, str, int]], language: Language) -> None:
    """Score turns (bot, chat, turn) of chats in order, each as a run's would be, and store the scores.

    What the user wanted is known from the chat alone. Turns without a reply, and those of a bot that no longer exists,
    are left out.
    """
    from core.judges.base import judge_all  # the judges take a while to load, and chats do not need them
    from core.judges.registry import judges_of
    from core.runs.judging.judge_options import judge_options_of_bot, versions_of, with_versions
    from core.runs.judging.samples import sample_of

    bots = set(bot_ids())
    for bot_id, chat, turn_id in turns:
        if bot_id not in bots:
            continue
        bot = load_bot(bot_id)
        options, judges = judge_options_of_bot(bot, language), judges_of((TURN_JUDGE,), bot)
        for row, history in with_history(store.chats.turns(chat)):
            if row.id == turn_id and row.turn is not None:
                scenario = Scenario(id="", question=row.user_text)
                verdicts = judge_all(engine, judges, sample_of(scenario, row.turn, history), options)
                store.scores.add(turn_id, with_versions(verdicts, versions_of(judges, engine, options)))
