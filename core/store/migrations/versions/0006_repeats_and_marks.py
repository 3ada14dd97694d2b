# pyright: basic
"""Verdicts given several times, and marks on what to fix"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Number the verdicts of one judge on one turn; make the table of marks."""
    op.add_column("scores", sa.Column("repeat", sa.Integer(), nullable=False, server_default="1"))
    op.create_table(
        "marks",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("bot", sa.String(80), nullable=False),
        sa.Column("cause", sa.String(32), nullable=False),
        sa.Column("document", sa.String(300), nullable=False),
        sa.Column("scenario_id", sa.String(300), nullable=False),
        sa.Column("run_id", sa.String(80), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("bot", "cause", "document", "scenario_id", name="uq_marks_entry"),
    )


def downgrade() -> None:
    """Take both away again."""
    op.drop_table("marks")
    op.drop_column("scores", "repeat")
