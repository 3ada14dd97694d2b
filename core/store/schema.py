"""The tables of the results database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

from core.store.column_types import Name, Words

METADATA = MetaData()
TABLES_VERSION = "0004"  # the newest revision in `migrations/versions`
# Alembic's own: the revision that the tables have
VERSION_TABLE = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
KEY, WORD = Name(80), Name(16)
FAILED = text("error != ''")


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, UTC; SQLite stores no zone, PostgreSQL gives its own, so UTC is put back on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _column(name: str, kind: TypeEngine[Any], null: bool = False, index: bool = False) -> Column[Any]:
    """A column; a text that a row does not name is empty."""
    return Column(name, kind, nullable=null, index=index, default="" if isinstance(kind, Words) and not null else None)


def _id() -> Column[int]:
    return Column("id", Integer(), primary_key=True)


def _parent(name: str, kind: TypeEngine[Any], of: str, null: bool = False) -> Column[Any]:
    """A reference to a row; this row goes with it."""
    return Column(name, kind, ForeignKey(of, ondelete="CASCADE"), nullable=null)


# Scenarios x personas x repeats against one bot. owner: names the lock of the process that works on it; leased_until:
# without a sign of life by then the process is taken for dead (None: no process has the run).
RUNS = Table(
    "runs",
    METADATA,
    Column("id", KEY, primary_key=True),
    _column("bot", KEY),
    _column("name", Words()),
    _column("language", Name(8)),
    _column("status", WORD, index=True),
    _column("seed", Integer()),
    _column("max_turns", Integer()),
    _column("total", Integer()),
    _column("created_at", UtcDateTime(), index=True),
    _column("finished_at", UtcDateTime(), null=True),
    _column("plan", JSON()),
    _column("snapshot", JSON()),
    _column("error", Words()),
    _column("owner", KEY),
    _column("leased_until", UtcDateTime(), null=True),
)

# A conversation of a run (`run_id`), or of a person on the chat page (`chat`).
CONVERSATIONS = Table(
    "conversations",
    METADATA,
    Column("id", KEY, primary_key=True),
    _parent("run_id", KEY, "runs.id", null=True),
    _column("bot", KEY),
    _column("chat", Boolean()),
    _column("number", Integer()),
    _column("scenario_id", Words()),
    _column("scenario", JSON(), null=True),
    _column("persona_id", Words()),
    _column("persona_name", Words()),
    _column("repeat", Integer()),
    _column("kind", WORD),
    _column("question", Words()),
    _column("status", WORD),
    _column("ending", WORD),
    _column("closing", Words()),
    _column("error", Words()),
    _column("started_at", UtcDateTime(), null=True),
    _column("finished_at", UtcDateTime(), null=True),
    _column("profile", JSON(), null=True),
    Index("ix_conversations_run_number", "run_id", "number"),
    Index("ix_conversations_run_status", "run_id", "status"),
    Index("ix_conversations_chat", "chat", "bot", "started_at"),
)

# A turn of the bot. record: the `core.base.types.Turn` as JSON, null until the bot has replied; sample: the
# `core.base.types.Sample` of an answer that came from a file, as JSON, null for a bot's own turn.
# SQLite reads what a chart needs from an index, since a row drags its record along.
TURNS = Table(
    "turns",
    METADATA,
    _id(),
    _parent("conversation_id", KEY, "conversations.id"),
    _column("number", Integer()),
    _column("user_text", Words()),
    _column("user_state", WORD),
    _column("reply_text", Words()),
    _column("decision", WORD),
    _column("rule", Integer(), null=True),
    _column("answered", Boolean(), null=True),
    _column("query", Words()),
    _column("seconds", Double()),
    _column("error", Words()),
    _column("created_at", UtcDateTime()),
    _column("record", Words(), null=True),  # the long ones last: SQLite reads a row from its beginning
    _column("sample", Words(), null=True),
    UniqueConstraint("conversation_id", "number", name="uq_turns_conversation_number"),
    Index("ix_turns_shape", "conversation_id", "number", "decision", "answered", "error").ddl_if(dialect="sqlite"),
)

# A verdict on a turn. value: null if unscored; repeat: which one, from 1, if it was judged repeatedly; reasoning: JSON.
# PostgreSQL, whose indexes hold no long names, has one on the turn alone.
SCORES = Table(
    "scores",
    METADATA,
    _id(),
    _parent("turn_id", Integer(), "turns.id"),
    _column("judge", KEY),
    _column("version", KEY),
    _column("criterion", KEY),
    _column("value", Double(), null=True),
    _column("label", Words()),
    _column("reasons", Words()),
    _column("error", Words()),
    Column("repeat", Integer(), nullable=False, default=1, server_default="1"),
    _column("reasoning", Words(), null=True),
    Index("ix_scores_values", "turn_id", "judge", "version", "criterion", "value").ddl_if(dialect="sqlite"),
    Index("ix_scores_turn_id", "turn_id").ddl_if(dialect="postgresql"),
)

# An entry of *What to fix* that a person marked as fixed. run_id: the run in which it was seen.
FIXED_ENTRIES = Table(
    "marks",
    METADATA,
    _id(),
    _column("bot", KEY),
    _column("cause", Name(32)),
    _column("document", Name(300)),
    _column("scenario_id", Name(300)),
    _column("run_id", KEY),
    _column("state", WORD),
    _column("note", Words()),
    _column("created_at", UtcDateTime()),
    UniqueConstraint("bot", "cause", "document", "scenario_id", name="uq_marks_entry"),
)

# What a person pressed under a reply.
FEEDBACK = Table(
    "feedback",
    METADATA,
    _id(),
    _parent("turn_id", Integer(), "turns.id"),
    _column("kind", Name(32)),
    _column("comment", Words()),
    _column("created_at", UtcDateTime()),
    UniqueConstraint("turn_id", "kind", name="uq_feedback_turn_kind"),
)

# What a reviewer says of a turn. verdict: yes, no, or "" for "cannot say"; grades: {criterion: 1 to 5}; corrected: the
# answer as it should be; source: page, import, thumbs or better_of_two; blind: given before a judge's verdict was seen.
LABELS = Table(
    "labels",
    METADATA,
    _id(),
    _parent("turn_id", Integer(), "turns.id"),
    _column("reviewer", KEY),
    _column("verdict", WORD),
    _column("grades", JSON()),
    _column("comment", Words()),
    _column("corrected", Words()),
    _column("source", WORD),
    _column("blind", Boolean()),
    _column("created_at", UtcDateTime()),
    UniqueConstraint("turn_id", "reviewer", name="uq_labels_turn_reviewer"),
)

# What a label was before each change, null if there was none, so that changes can be undone.
LABEL_HISTORY = Table(
    "label_history",
    METADATA,
    _id(),
    _parent("turn_id", Integer(), "turns.id"),
    _column("reviewer", KEY, index=True),
    _column("before", JSON(none_as_null=True), null=True),
    _column("created_at", UtcDateTime()),
)

# Which of two replies to the same message a person calls better. choice: left, right, both_good or both_bad.
PREFERENCES = Table(
    "preferences",
    METADATA,
    _id(),
    _parent("left_turn_id", Integer(), "turns.id"),
    Column("right_turn_id", Integer(), ForeignKey("turns.id", ondelete="CASCADE"), nullable=False, index=True),
    _column("reviewer", KEY),
    _column("choice", WORD),
    _column("created_at", UtcDateTime()),
    UniqueConstraint("left_turn_id", "right_turn_id", "reviewer", name="uq_preferences_turns_reviewer"),
)

# The order in which turns are labelled: by draw / weight (`core.agreement.sampling`). frame: the run, or a bot's chats.
LABEL_QUEUE = Table(
    "label_queue",
    METADATA,
    Column("turn_id", Integer(), ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    _column("frame", KEY, index=True),
    _column("weight", Double()),
    _column("draw", Double()),
)

# What a person said about themselves (`core.base.types.Profile`).
PEOPLE = Table("people", METADATA, Column("person", KEY, primary_key=True), _column("profile", JSON()))

# A call to a model (`core.base.calls.Call`); it outlives the run that it belongs to, because it was paid for.
# SQLite reads sums of calls from an index, since a row drags its messages along.
CALLS = Table(
    "calls",
    METADATA,
    _id(),
    _column("created_at", UtcDateTime(), index=True),
    _column("run_id", KEY, index=True),
    _column("conversation_id", KEY, index=True),
    _column("purpose", KEY),
    _column("role", WORD),
    _column("server", Words()),
    _column("model", Words()),
    _column("output_mode", WORD),
    _column("key", KEY, index=True),
    _column("repeat", Integer()),
    _column("prompt_tokens", Integer(), null=True),
    _column("cached_tokens", Integer(), null=True),
    _column("completion_tokens", Integer(), null=True),
    _column("cost", Double(), null=True),
    _column("seconds", Double()),
    _column("retries", Integer()),
    _column("error", Words()),
    _column("request", Words()),
    _column("reply", Words()),
    Index("ix_calls_failed", "id", sqlite_where=FAILED, postgresql_where=FAILED),
    Index("ix_calls_run_failed", "run_id", sqlite_where=FAILED, postgresql_where=FAILED),
    Index(
        "ix_calls_sums",
        *("run_id", "role", "purpose", "model", "server", "retries"),
        *("prompt_tokens", "cached_tokens", "completion_tokens", "cost", "seconds", "error"),
    ).ddl_if(dialect="sqlite"),
)

# What a server can do with a model (`core.base.calls.ServerFeatures`).
SERVERS = Table(
    "servers",
    METADATA,
    Column("server", Name(300), primary_key=True),
    Column("model", Name(200), primary_key=True),
    _column("found", JSON()),
)
