"""The tables of the results database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from core.store.text_columns import Name, Words

KEY = Name(80)
FAILED = text("error != ''")
# What sums of calls are made of: SQLite reads them from an index, since a row drags its messages along.
SUMMED = (
    *("run_id", "role", "purpose", "model", "server", "retries"),
    *("prompt_tokens", "cached_tokens", "completion_tokens", "cost", "seconds", "error"),
)


class Moment(TypeDecorator[datetime]):
    """A point in time, UTC; SQLite keeps no zone, PostgreSQL gives its own, so UTC is put back on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The stored time with its zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """What all tables share."""

    type_annotation_map = {dict[str, Any]: JSON, datetime: Moment, str: Words}


class Run(Base):
    """Scenarios x personas x repeats against one bot.

    owner: names the lock of the process that works on it; leased_until: without a sign of life by then it is taken for
    dead (none: no process has the run).
    """

    __tablename__ = "runs"
    id: Mapped[str] = mapped_column(KEY, primary_key=True)
    bot: Mapped[str] = mapped_column(KEY)
    name: Mapped[str]
    language: Mapped[str] = mapped_column(Name(8))
    status: Mapped[str] = mapped_column(Name(16), index=True)
    seed: Mapped[int]
    max_turns: Mapped[int]
    total: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(index=True)
    finished_at: Mapped[datetime | None]
    plan: Mapped[dict[str, Any]]
    snapshot: Mapped[dict[str, Any]]
    error: Mapped[str]
    owner: Mapped[str] = mapped_column(KEY)
    leased_until: Mapped[datetime | None]


class Conversation(Base):
    """One conversation: of a run (`run_id`), or of a person on the chat page (`chat`)."""

    __tablename__ = "conversations"
    __table_args__ = (
        Index("ix_conversations_run_number", "run_id", "number"),
        Index("ix_conversations_run_status", "run_id", "status"),
        Index("ix_conversations_chat", "chat", "bot", "started_at"),
    )
    id: Mapped[str] = mapped_column(KEY, primary_key=True)
    run_id: Mapped[str | None] = mapped_column(KEY, ForeignKey("runs.id", ondelete="CASCADE"))
    bot: Mapped[str] = mapped_column(KEY)
    chat: Mapped[bool]
    number: Mapped[int]
    scenario_id: Mapped[str]
    scenario: Mapped[dict[str, Any] | None]
    persona_id: Mapped[str]
    persona_name: Mapped[str]
    repeat: Mapped[int]
    kind: Mapped[str] = mapped_column(Name(16))
    question: Mapped[str]
    status: Mapped[str] = mapped_column(Name(16))
    ending: Mapped[str] = mapped_column(Name(16))
    closing: Mapped[str]
    error: Mapped[str]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    profile: Mapped[dict[str, Any] | None]


class Turn(Base):
    """One turn of the bot; `record` is the whole `core.base.types.Turn` as JSON, null until the bot has replied.

    `sample` is the `core.base.types.Sample` of an answer that came from a file, as JSON; null for a bot's own turn.
    """

    __tablename__ = "turns"
    __table_args__ = (
        UniqueConstraint("conversation_id", "number", name="uq_turns_conversation_number"),
        Index("ix_turns_shape", "conversation_id", "number", "decision", "answered", "error").ddl_if(dialect="sqlite"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    conversation_id: Mapped[str] = mapped_column(KEY, ForeignKey("conversations.id", ondelete="CASCADE"))
    number: Mapped[int]
    user_text: Mapped[str]
    user_state: Mapped[str] = mapped_column(Name(16))
    reply_text: Mapped[str]
    decision: Mapped[str] = mapped_column(Name(16))
    row: Mapped[int | None]
    answered: Mapped[bool | None]
    query: Mapped[str]
    record: Mapped[str | None]
    sample: Mapped[str | None]
    seconds: Mapped[float]
    error: Mapped[str]
    created_at: Mapped[datetime]


class Score(Base):
    """A verdict on a turn; `value` is null when unscored. `repeat` counts from 1 where a turn was judged several times."""

    __tablename__ = "scores"
    # PostgreSQL, whose indexes hold no long names, has one on the turn alone (migration 0001)
    __table_args__ = (
        Index("ix_scores_values", "turn_id", "judge", "version", "criterion", "value").ddl_if(dialect="sqlite"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turns.id", ondelete="CASCADE"))
    judge: Mapped[str] = mapped_column(Name(80))
    version: Mapped[str] = mapped_column(Name(80))
    criterion: Mapped[str] = mapped_column(Name(80))
    value: Mapped[float | None]
    label: Mapped[str]
    reasons: Mapped[str]
    error: Mapped[str]
    repeat: Mapped[int] = mapped_column(default=1, server_default="1")


class Mark(Base):
    """A person's mark on an entry of what to fix; run_id: the run in which it was seen."""

    __tablename__ = "marks"
    __table_args__ = (UniqueConstraint("bot", "cause", "document", "scenario_id", name="uq_marks_entry"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    bot: Mapped[str] = mapped_column(KEY)
    cause: Mapped[str] = mapped_column(Name(32))
    document: Mapped[str] = mapped_column(Name(300))
    scenario_id: Mapped[str] = mapped_column(Name(300))
    run_id: Mapped[str] = mapped_column(KEY)
    state: Mapped[str] = mapped_column(Name(16))
    note: Mapped[str]
    created_at: Mapped[datetime]


class Feedback(Base):
    """What a person pressed under a reply."""

    __tablename__ = "feedback"
    __table_args__ = (UniqueConstraint("turn_id", "kind", name="uq_feedback_turn_kind"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turns.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(Name(32))
    comment: Mapped[str]
    created_at: Mapped[datetime]


class Person(Base):
    """What a person told about themselves (`core.base.types.Profile`)."""

    __tablename__ = "people"
    person: Mapped[str] = mapped_column(KEY, primary_key=True)
    profile: Mapped[dict[str, Any]]


class Call(Base):
    """One call to a model (`core.base.calls.Call`); it outlives the run that it belongs to, because it was paid for."""

    __tablename__ = "calls"
    __table_args__ = (
        Index("ix_calls_failed", "id", sqlite_where=FAILED, postgresql_where=FAILED),
        Index("ix_calls_run_failed", "run_id", sqlite_where=FAILED, postgresql_where=FAILED),
        Index("ix_calls_sums", *SUMMED).ddl_if(dialect="sqlite"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    created_at: Mapped[datetime] = mapped_column(index=True)
    run_id: Mapped[str] = mapped_column(KEY, index=True)
    conversation_id: Mapped[str] = mapped_column(KEY, index=True)
    purpose: Mapped[str] = mapped_column(KEY)
    role: Mapped[str] = mapped_column(Name(16))
    server: Mapped[str]
    model: Mapped[str]
    output_mode: Mapped[str] = mapped_column(Name(16))
    key: Mapped[str] = mapped_column(KEY, index=True)
    repeat: Mapped[int]
    prompt_tokens: Mapped[int | None]
    cached_tokens: Mapped[int | None]
    completion_tokens: Mapped[int | None]
    cost: Mapped[float | None]
    seconds: Mapped[float]
    retries: Mapped[int]
    error: Mapped[str]
    request: Mapped[str]
    reply: Mapped[str]


class Server(Base):
    """What a server can do with a model (`core.base.calls.ServerFeatures`)."""

    __tablename__ = "servers"
    server: Mapped[str] = mapped_column(Name(300), primary_key=True)
    model: Mapped[str] = mapped_column(Name(200), primary_key=True)
    found: Mapped[dict[str, Any]]
