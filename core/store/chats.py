"""Chats of a person with a bot: messages, feedback, and who the person is."""

from __future__ import annotations

import secrets
from typing import Any, get_args

from sqlalchemy import Connection, Table, delete, func, insert, select, update

from core.base.errors import BadInput
from core.base.types import Profile, Turn
from core.store.database import Database, now
from core.store.put import put
from core.store.recording import new_id, turn_columns
from core.store.records import ChatRow, FeedbackKind, TurnRow
from core.store.retry import lasting
from core.store.runs import CONVERSATIONS, TURNS
from core.store.schema import Base
from core.store.turns import FEEDBACK, transcript

PEOPLE: Table = Base.metadata.tables["people"]
TITLE = 60  # characters of a chat's title
KINDS = get_args(FeedbackKind)


class ChatTables:
    """The part of the store that keeps chats."""

    db: Database

    @lasting
    def new_chat(self, bot_id: str, profile: Profile | None = None) -> str:
        """Begin a chat; gives its id."""
        chat_id = f"chat-{secrets.token_hex(6)}"
        with self.db.write() as connection:
            connection.execute(insert(CONVERSATIONS), _empty_chat(chat_id, bot_id, profile or Profile()))
        return chat_id

    @lasting
    def chats(self, bot_id: str, limit: int = 20) -> list[ChatRow]:
        """The newest chats with a bot in which something was said, newest first."""
        first = (TURNS.c.conversation_id == CONVERSATIONS.c.id) & (TURNS.c.number == 1)
        wanted = (
            select(CONVERSATIONS.c.id, CONVERSATIONS.c.started_at, CONVERSATIONS.c.profile, TURNS.c.user_text)
            .select_from(CONVERSATIONS.join(TURNS, first))
            .where(CONVERSATIONS.c.chat, CONVERSATIONS.c.bot == bot_id)
            .order_by(CONVERSATIONS.c.started_at.desc(), CONVERSATIONS.c.id)
            .limit(limit)
        )
        with self.db.read() as connection:
            return [_chat(bot_id, *row) for row in connection.execute(wanted)]

    @lasting
    def chat(self, chat_id: str) -> ChatRow | None:
        """The chat, or none where there is no such id."""
        c = CONVERSATIONS.c
        title = select(TURNS.c.user_text).where(TURNS.c.conversation_id == chat_id).order_by(TURNS.c.number).limit(1)
        wanted = select(c.bot, c.id, c.started_at, c.profile).where(c.id == chat_id, c.chat)
        with self.db.read() as connection:
            row = connection.execute(wanted).first()
            return _chat(row[0], row[1], row[2], row[3], connection.execute(title).scalar() or "") if row else None

    def chat_messages(self, chat_id: str) -> list[TurnRow]:
        """What was said in a chat, in order."""
        return transcript(self.db, chat_id)

    def begin_chat_turn(self, chat_id: str, text: str) -> int:
        """Store the person's message before the bot thinks about it; gives the turn's id."""
        row = _unanswered(chat_id, text)

        def begin(connection: Connection) -> int:
            chat = select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.id == chat_id)
            connection.execute(chat.with_for_update(key_share=True))  # one message after the other
            last = select(func.max(TURNS.c.number)).where(TURNS.c.conversation_id == chat_id)
            number = (connection.execute(last).scalar() or 0) + 1
            return new_id(connection.execute(insert(TURNS), {**row, "number": number}))

        def begun(connection: Connection) -> int | None:
            same = (TURNS.c.conversation_id == chat_id) & (TURNS.c.created_at == row["created_at"])
            return connection.execute(select(TURNS.c.id).where(same)).scalar()

        return self.db.transact(begin, begun)

    def finish_chat_turn(self, turn_id: int, turn: Turn) -> None:
        """Store the bot's reply to a message."""
        values = {name: value for name, value in turn_columns(turn).items() if name != "user_text"}
        self._set_turn(turn_id, values)

    def fail_chat_turn(self, turn_id: int, error: str) -> None:
        """The bot could not reply; `error` is the sentence to show."""
        self._set_turn(turn_id, {"error": error})

    @lasting
    def drop_chat_turn(self, turn_id: int) -> None:
        """Take back a message that the bot has not replied to."""
        with self.db.write() as connection:
            connection.execute(delete(TURNS).where(TURNS.c.id == turn_id, TURNS.c.record.is_(None)))

    @lasting
    def delete_chat(self, chat_id: str) -> None:
        """Remove a chat with all that was said."""
        with self.db.write() as connection:
            connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.id == chat_id, CONVERSATIONS.c.chat))

    @lasting
    def add_feedback(self, turn_id: int, kind: str, comment: str = "") -> None:
        """Store what a person pressed (a FeedbackKind); pressed again, the comment is replaced."""
        if kind not in KINDS:
            told = f"There is no feedback {kind!r}. Choose one of {', '.join(KINDS)}."
            raise BadInput(told, "no_feedback", kind=kind)
        with self.db.write() as connection:
            values = {"turn_id": turn_id, "kind": kind, "comment": comment, "created_at": now()}
            put(connection, FEEDBACK, values, ("turn_id", "kind"))

    @lasting
    def remove_feedback(self, turn_id: int, kind: str) -> None:
        """Take feedback back."""
        with self.db.write() as connection:
            connection.execute(delete(FEEDBACK).where(FEEDBACK.c.turn_id == turn_id, FEEDBACK.c.kind == kind))

    @lasting
    def profile(self, person: str = "you") -> Profile:
        """What a person told about themselves; an empty profile where nothing is stored."""
        with self.db.read() as connection:
            stored = connection.execute(select(PEOPLE.c.profile).where(PEOPLE.c.person == person)).scalar()
        return Profile.model_validate(stored) if stored else Profile()

    @lasting
    def save_profile(self, profile: Profile, person: str = "you") -> None:
        """Store what a person told about themselves."""
        with self.db.write() as connection:
            put(connection, PEOPLE, {"person": person, "profile": profile.model_dump()}, ("person",))

    @lasting
    def _set_turn(self, turn_id: int, values: dict[str, Any]) -> None:
        with self.db.write() as connection:
            connection.execute(update(TURNS).where(TURNS.c.id == turn_id).values(**values))


def _chat(bot: str, chat_id: str, created_at: Any, profile: Any, first: str) -> ChatRow:
    line = " ".join(first.split())
    title = line if len(line) <= TITLE else f"{line[:TITLE]}…"
    known = Profile.model_validate(profile or {})
    return ChatRow(id=chat_id, bot=bot, title=title, created_at=created_at, profile=known)


def _unanswered(chat_id: str, text: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(("user_state", "reply_text", "decision", "query", "error"), "")
    row |= dict.fromkeys(("row", "answered", "record"), None)
    return row | {"conversation_id": chat_id, "user_text": text, "seconds": 0.0, "created_at": now()}


def _empty_chat(chat_id: str, bot_id: str, profile: Profile) -> dict[str, Any]:
    texts = ("scenario_id", "persona_id", "persona_name", "kind", "question", "ending", "closing", "error")
    return {
        **dict.fromkeys(texts, ""),
        "id": chat_id,
        "run_id": None,
        "bot": bot_id,
        "chat": True,
        "number": 0,
        "repeat": 0,
        "scenario": None,
        "status": "running",
        "started_at": now(),
        "finished_at": None,
        "profile": profile.model_dump(),
    }
