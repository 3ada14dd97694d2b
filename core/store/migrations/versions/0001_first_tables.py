# pyright: basic
"""First tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

KEY = sa.String(80)
WORD = sa.String(16)
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make runs, conversations, turns, scores, feedback and people."""
    _runs()
    _conversations()
    _turns()
    _scores()
    _feedback()
    op.create_table("people", sa.Column("person", KEY, primary_key=True), _column("profile", sa.JSON()))


def downgrade() -> None:
    """Remove every table."""
    for name in ("people", "feedback", "scores", "turns", "conversations", "runs"):
        op.drop_table(name)


def _column(name: str, kind: sa.types.TypeEngine, nullable: bool = False) -> sa.Column:
    return sa.Column(name, kind, nullable=nullable)


def _within(name: str, kind: sa.types.TypeEngine, parent: str, nullable: bool = False) -> sa.Column:
    return sa.Column(name, kind, sa.ForeignKey(parent, ondelete="CASCADE"), nullable=nullable)


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", KEY, primary_key=True),
        _column("bot", KEY),
        _column("name", sa.Text()),
        _column("language", sa.String(8)),
        _column("status", WORD),
        _column("seed", sa.Integer()),
        _column("max_turns", sa.Integer()),
        _column("total", sa.Integer()),
        _column("created_at", MOMENT),
        _column("finished_at", MOMENT, nullable=True),
        _column("plan", sa.JSON()),
        _column("snapshot", sa.JSON()),
        _column("error", sa.Text()),
        _column("owner", KEY),
    )
    op.create_index("ix_runs_status", "runs", ["status"])
    op.create_index("ix_runs_created_at", "runs", ["created_at"])


def _conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", KEY, primary_key=True),
        _within("run_id", KEY, "runs.id", nullable=True),
        _column("bot", KEY),
        _column("chat", sa.Boolean()),
        _column("number", sa.Integer()),
        _column("scenario_id", sa.Text()),
        _column("scenario", sa.JSON(), nullable=True),
        _column("persona_id", sa.Text()),
        _column("persona_name", sa.Text()),
        _column("repeat", sa.Integer()),
        _column("kind", WORD),
        _column("question", sa.Text()),
        _column("status", WORD),
        _column("ending", WORD),
        _column("closing", sa.Text()),
        _column("error", sa.Text()),
        _column("started_at", MOMENT, nullable=True),
        _column("finished_at", MOMENT, nullable=True),
        _column("profile", sa.JSON(), nullable=True),
    )
    op.create_index("ix_conversations_run_number", "conversations", ["run_id", "number"])
    op.create_index("ix_conversations_run_status", "conversations", ["run_id", "status"])
    op.create_index("ix_conversations_chat", "conversations", ["chat", "bot", "started_at"])


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("id", sa.Integer(), primary_key=True),
        _within("conversation_id", KEY, "conversations.id"),
        _column("number", sa.Integer()),
        _column("user_text", sa.Text()),
        _column("user_state", WORD),
        _column("reply_text", sa.Text()),
        _column("decision", WORD),
        _column("row", sa.Integer(), nullable=True),
        _column("answered", sa.Boolean(), nullable=True),
        _column("query", sa.Text()),
        _column("record", sa.Text(), nullable=True),
        _column("seconds", sa.Double()),
        _column("error", sa.Text()),
        _column("created_at", MOMENT),
        sa.UniqueConstraint("conversation_id", "number", name="uq_turns_conversation_number"),
    )


def _scores() -> None:
    op.create_table(
        "scores",
        sa.Column("id", sa.Integer(), primary_key=True),
        _within("turn_id", sa.Integer(), "turns.id"),
        _column("judge", KEY),
        _column("version", KEY),
        _column("criterion", KEY),
        _column("value", sa.Double(), nullable=True),
        _column("label", sa.Text()),
        _column("reasons", sa.Text()),
        _column("error", sa.Text()),
    )
    op.create_index("ix_scores_turn_id", "scores", ["turn_id"])


def _feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("id", sa.Integer(), primary_key=True),
        _within("turn_id", sa.Integer(), "turns.id"),
        _column("kind", sa.String(32)),
        _column("comment", sa.Text()),
        _column("created_at", MOMENT),
        sa.UniqueConstraint("turn_id", "kind", name="uq_feedback_turn_kind"),
    )
