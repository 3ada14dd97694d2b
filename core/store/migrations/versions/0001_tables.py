# pyright: basic
"""All tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

KEY, WORD, TEXT, JSON = sa.String(80), sa.String(16), sa.Text(), sa.JSON()
NUMBER, REAL, YES = sa.Integer(), sa.Double(), sa.Boolean()
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make every table with its indexes."""
    _runs()
    _conversations()
    _turns()
    _scores()
    _people()
    _calls()
    if op.get_bind().dialect.name == "sqlite":  # a long name does not fit into an index of PostgreSQL
        op.create_index("ix_turns_shape", "turns", ["conversation_id", "number", "decision", "answered", "error"])
        op.create_index("ix_scores_values", "scores", ["turn_id", "judge", "version", "criterion", "value"])
        sums = (
            "run_id role purpose model server retries prompt_tokens cached_tokens completion_tokens cost seconds error"
        )
        op.create_index("ix_calls_sums", "calls", sums.split())
    else:
        op.create_index("ix_scores_turn_id", "scores", ["turn_id"])


def _columns(kind: sa.types.TypeEngine, names: str, nullable: bool = False) -> list[sa.Column]:
    return [sa.Column(name, kind, nullable=nullable) for name in names.split()]


def _parent(name: str, kind: sa.types.TypeEngine, of: str, nullable: bool = False) -> sa.Column:
    return sa.Column(name, kind, sa.ForeignKey(of, ondelete="CASCADE"), nullable=nullable)


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", KEY, primary_key=True),
        *_columns(KEY, "bot owner"),
        *_columns(sa.String(8), "language"),
        *_columns(WORD, "status"),
        *_columns(TEXT, "name error"),
        *_columns(NUMBER, "seed max_turns total"),
        *_columns(JSON, "plan snapshot"),
        *_columns(MOMENT, "created_at"),
        *_columns(MOMENT, "finished_at leased_until", nullable=True),
    )
    op.create_index("ix_runs_status", "runs", ["status"])
    op.create_index("ix_runs_created_at", "runs", ["created_at"])


def _conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", KEY, primary_key=True),
        _parent("run_id", KEY, "runs.id", nullable=True),
        *_columns(KEY, "bot"),
        *_columns(YES, "chat"),
        *_columns(NUMBER, "number repeat"),
        *_columns(WORD, "kind status ending"),
        *_columns(TEXT, "scenario_id persona_id persona_name question closing error"),
        *_columns(JSON, "scenario profile", nullable=True),
        *_columns(MOMENT, "started_at finished_at", nullable=True),
    )
    op.create_index("ix_conversations_run_number", "conversations", ["run_id", "number"])
    op.create_index("ix_conversations_run_status", "conversations", ["run_id", "status"])
    op.create_index("ix_conversations_chat", "conversations", ["chat", "bot", "started_at"])


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("id", NUMBER, primary_key=True),
        _parent("conversation_id", KEY, "conversations.id"),
        *_columns(NUMBER, "number"),
        *_columns(WORD, "user_state decision"),
        *_columns(NUMBER, "row", nullable=True),
        *_columns(YES, "answered", nullable=True),
        *_columns(REAL, "seconds"),
        *_columns(MOMENT, "created_at"),
        *_columns(TEXT, "user_text reply_text query error"),
        *_columns(TEXT, "record sample", nullable=True),
        sa.UniqueConstraint("conversation_id", "number", name="uq_turns_conversation_number"),
    )


def _scores() -> None:
    op.create_table(
        "scores",
        sa.Column("id", NUMBER, primary_key=True),
        _parent("turn_id", NUMBER, "turns.id"),
        *_columns(KEY, "judge version criterion"),
        *_columns(REAL, "value", nullable=True),
        *_columns(TEXT, "label reasons error"),
        sa.Column("repeat", NUMBER, nullable=False, server_default="1"),
        *_columns(TEXT, "reasoning", nullable=True),
    )


def _people() -> None:
    """What people said: about themselves, under a reply, on what to fix."""
    op.create_table("people", sa.Column("person", KEY, primary_key=True), *_columns(JSON, "profile"))
    op.create_table(
        "feedback",
        sa.Column("id", NUMBER, primary_key=True),
        _parent("turn_id", NUMBER, "turns.id"),
        *_columns(sa.String(32), "kind"),
        *_columns(TEXT, "comment"),
        *_columns(MOMENT, "created_at"),
        sa.UniqueConstraint("turn_id", "kind", name="uq_feedback_turn_kind"),
    )
    op.create_table(
        "marks",
        sa.Column("id", NUMBER, primary_key=True),
        *_columns(KEY, "bot run_id"),
        *_columns(sa.String(32), "cause"),
        *_columns(sa.String(300), "document scenario_id"),
        *_columns(WORD, "state"),
        *_columns(TEXT, "note"),
        *_columns(MOMENT, "created_at"),
        sa.UniqueConstraint("bot", "cause", "document", "scenario_id", name="uq_marks_entry"),
    )


def _calls() -> None:
    op.create_table(
        "calls",
        sa.Column("id", NUMBER, primary_key=True),
        *_columns(MOMENT, "created_at"),
        *_columns(KEY, "run_id conversation_id purpose key"),
        *_columns(WORD, "role output_mode"),
        *_columns(NUMBER, "repeat retries"),
        *_columns(NUMBER, "prompt_tokens cached_tokens completion_tokens", nullable=True),
        *_columns(REAL, "cost", nullable=True),
        *_columns(REAL, "seconds"),
        *_columns(TEXT, "server model error request reply"),
    )
    for name in ("created_at", "run_id", "conversation_id", "key"):
        op.create_index(f"ix_calls_{name}", "calls", [name])
    for name, column in (("ix_calls_failed", "id"), ("ix_calls_run_failed", "run_id")):
        failed = sa.text("error != ''")
        op.create_index(name, "calls", [column], sqlite_where=failed, postgresql_where=failed)
    op.create_table(
        "servers",
        sa.Column("server", sa.String(300), primary_key=True),
        sa.Column("model", sa.String(200), primary_key=True),
        *_columns(JSON, "found"),
    )
