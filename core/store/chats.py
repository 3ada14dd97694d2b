"""Users' chats with a bot: messages, feedback, and the user's profile."""

from __future__ import annotations

import secrets
from datetime import date, datetime
from typing import Any, get_args

from sqlalchemy import Connection, delete, func, insert, select, update

from core.base.clean_text import shorten
from core.base.errors import BadInput
from core.base.types import Message, Profile, Turn
from core.store.conversations import read_turns, turn_columns
from core.store.database import Repository, new_id, now
from core.store.rows import ChatRow, FeedbackKind, TurnRow, messages_of
from core.store.schema import CONVERSATIONS, FEEDBACK, PEOPLE, TURNS

MAX_TITLE = 60  # characters of a chat's title
MAX_EARLIER_CHATS = 3  # shown to the bot
USER = "you"  # all visitors of a server are one user, whose profile is stored
KINDS = get_args(FeedbackKind)
_C, _T = CONVERSATIONS.c, TURNS.c


class ChatRepository(Repository):
    """The chats of the database, and the profiles of people."""

    def create(self, bot_id: str, profile: Profile | None = None) -> str:
        """Start a chat. Returns its id."""
        chat_id = f"chat-{secrets.token_hex(6)}"
        row = {"id": chat_id, "bot": bot_id, "chat": True, "number": 0, "repeat": 0, "status": "running"}
        stored = (profile or Profile()).model_dump()
        self._db.execute(insert(CONVERSATIONS).values(**row, started_at=now(), profile=stored))
        return chat_id

    def newest(self, bot_id: str, limit: int = 20) -> list[ChatRow]:
        """The newest chats with a bot that have a message, newest first."""
        first = (_T.conversation_id == _C.id) & (_T.number == 1)
        statement = select(_C.id, _C.started_at, _C.profile, _T.user_text).select_from(CONVERSATIONS.join(TURNS, first))
        statement = statement.where(_C.chat, _C.bot == bot_id).order_by(_C.started_at.desc(), _C.id).limit(limit)
        return [_chat(bot_id, *row) for row in self._db.rows(statement)]

    def earlier(self, bot_id: str, chat_id: str = "") -> list[tuple[date, tuple[Message, ...]]]:
        """The newest chats with a bot except this one, newest first: the day, and the messages."""
        others = [chat for chat in self.newest(bot_id, MAX_EARLIER_CHATS + 1) if chat.id != chat_id][:MAX_EARLIER_CHATS]
        return [(chat.created_at.date(), messages_of(self.turns(chat.id))) for chat in others]

    def get(self, chat_id: str) -> ChatRow | None:
        """The chat, or None if there is no such id."""
        title = select(_T.user_text).where(_T.conversation_id == chat_id).order_by(_T.number).limit(1)
        columns = (_C.bot, _C.id, _C.started_at, _C.profile, title.scalar_subquery())
        rows = self._db.rows(select(*columns).where(_C.id == chat_id, _C.chat))
        return _chat(*rows[0]) if rows else None

    def turns(self, chat_id: str) -> list[TurnRow]:
        return read_turns(self._db, chat_id)

    def begin_turn(self, chat_id: str, text: str) -> int:
        """Store the user's message before the bot replies. Returns the turn's id."""
        row = {"conversation_id": chat_id, "user_text": text, "seconds": 0.0, "created_at": now()}

        def begin(connection: Connection) -> int:
            connection.execute(select(_C.id).where(_C.id == chat_id).with_for_update(key_share=True))  # one by one
            last = select(func.max(_T.number)).where(_T.conversation_id == chat_id)
            number = (connection.execute(last).scalar() or 0) + 1
            return new_id(connection.execute(insert(TURNS), {**row, "number": number}))

        def done(connection: Connection) -> int | None:
            same = (_T.conversation_id == chat_id) & (_T.created_at == row["created_at"])
            return connection.execute(select(_T.id).where(same)).scalar()

        return self._db.transact(begin, done)

    def finish_turn(self, turn_id: int, turn: Turn) -> None:
        values = {name: value for name, value in turn_columns(turn).items() if name != "user_text"}
        self._db.execute(update(TURNS).where(_T.id == turn_id).values(**values))

    def fail_turn(self, turn_id: int, error: str) -> None:
        """The bot could not reply; `error` is the sentence to show."""
        self._db.execute(update(TURNS).where(_T.id == turn_id).values(error=error))

    def has_ended(self, turn_id: int) -> bool:
        """Whether a message has its reply, or the reason why there is none."""
        ended = _T.record.is_not(None) | (_T.error != "")
        return self._db.scalar(select(_T.id).where(_T.id == turn_id, ended)) is not None

    def drop_turn(self, turn_id: int) -> None:
        """Delete a message that the bot has not replied to."""
        self._db.execute(delete(TURNS).where(_T.id == turn_id, _T.record.is_(None)))

    def add_feedback(self, turn_id: int, kind: str, comment: str = "") -> None:
        """Store feedback (a FeedbackKind); given again, its comment is replaced."""
        if kind not in KINDS:
            problem = f"There is no feedback {kind!r}. Choose one of {', '.join(KINDS)}."
            raise BadInput(problem, "no_feedback", kind=kind)
        row = {"turn_id": turn_id, "kind": kind, "comment": comment, "created_at": now()}
        self._db.upsert(FEEDBACK, row, ("turn_id", "kind"))

    def remove_feedback(self, turn_id: int, kind: str) -> None:
        self._db.execute(delete(FEEDBACK).where(FEEDBACK.c.turn_id == turn_id, FEEDBACK.c.kind == kind))

    def profile(self) -> Profile:
        """The profile of the chat page, which all visitors of a server share; empty if none is stored."""
        stored = self._db.scalar(select(PEOPLE.c.profile).where(PEOPLE.c.person == USER))
        return Profile.model_validate(stored) if stored else Profile()

    def save_profile(self, profile: Profile) -> None:
        """Store the profile that all visitors share."""
        self._db.upsert(PEOPLE, {"person": USER, "profile": profile.model_dump()}, ("person",))


def _chat(bot: str, chat_id: str, created_at: datetime, profile: Any, first: str | None) -> ChatRow:
    title, known = shorten(first or "", MAX_TITLE), Profile.model_validate(profile or {})
    return ChatRow(id=chat_id, bot=bot, title=title, created_at=created_at, profile=known)
