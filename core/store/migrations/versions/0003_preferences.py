# pyright: basic
"""Which of two replies beside each other people call better"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "preferences",
        sa.Column("id", sa.Integer(), primary_key=True),
        _turn("left_turn_id"),
        _turn("right_turn_id"),
        sa.Column("reviewer", sa.String(80), nullable=False),
        sa.Column("choice", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("left_turn_id", "right_turn_id", "reviewer", name="uq_preferences_turns_reviewer"),
    )
    op.create_index("ix_preferences_right_turn_id", "preferences", ["right_turn_id"])


def _turn(name: str) -> sa.Column:
    return sa.Column(name, sa.Integer(), sa.ForeignKey("turns.id", ondelete="CASCADE"), nullable=False)
