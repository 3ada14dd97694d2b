# pyright: basic
"""An index on scores that holds all a chart needs, so that reasons stay on the disk"""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

COLUMNS = ["turn_id", "judge", "version", "criterion", "value"]


def upgrade() -> None:
    """Put it in the place of the one on turns alone; only for SQLite, where a long name fits into an index."""
    if op.get_bind().dialect.name != "sqlite":
        return
    op.create_index("ix_scores_values", "scores", COLUMNS)
    op.drop_index("ix_scores_turn_id", "scores")


def downgrade() -> None:
    """The narrow one again."""
    if op.get_bind().dialect.name != "sqlite":
        return
    op.create_index("ix_scores_turn_id", "scores", ["turn_id"])
    op.drop_index("ix_scores_values", "scores")
