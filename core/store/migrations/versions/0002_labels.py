# pyright: basic
"""Labels of reviewers, their history, and the order in which turns are labelled"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KEY, WORD, TEXT, JSON = sa.String(80), sa.String(16), sa.Text(), sa.JSON()
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the three tables."""
    op.create_table(
        "labels",
        sa.Column("id", sa.Integer(), primary_key=True),
        _turn(),
        sa.Column("reviewer", KEY, nullable=False),
        sa.Column("verdict", WORD, nullable=False),
        sa.Column("grades", JSON, nullable=False),
        sa.Column("comment", TEXT, nullable=False),
        sa.Column("corrected", TEXT, nullable=False),
        sa.Column("source", WORD, nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("turn_id", "reviewer", name="uq_labels_turn_reviewer"),
    )
    op.create_table(
        "label_history",
        sa.Column("id", sa.Integer(), primary_key=True),
        _turn(),
        sa.Column("reviewer", KEY, nullable=False),
        sa.Column("before", JSON, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
    )
    op.create_index("ix_label_history_reviewer", "label_history", ["reviewer"])
    op.create_table(
        "label_queue",
        sa.Column(
            "turn_id",
            sa.Integer(),
            sa.ForeignKey("turns.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("frame", KEY, nullable=False),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.Column("draw", sa.Double(), nullable=False),
    )
    op.create_index("ix_label_queue_frame", "label_queue", ["frame"])


def _turn() -> sa.Column:
    return sa.Column("turn_id", sa.Integer(), sa.ForeignKey("turns.id", ondelete="CASCADE"), nullable=False)
