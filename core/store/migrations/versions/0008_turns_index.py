# pyright: basic
"""An index on turns that holds all a chart needs of them, so that their records stay on the disk"""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """About 65 bytes a turn; only for SQLite, where a long name fits into an index."""
    if op.get_bind().dialect.name == "sqlite":
        op.create_index("ix_turns_shape", "turns", ["conversation_id", "number", "decision", "answered", "error"])


def downgrade() -> None:
    """Without it."""
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index("ix_turns_shape", "turns")
