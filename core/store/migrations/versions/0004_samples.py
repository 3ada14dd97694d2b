# pyright: basic
"""Answers that came from a file: what a judge saw of them"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Give turns a place for their sample."""
    op.add_column("turns", sa.Column("sample", sa.Text(), nullable=True))


def downgrade() -> None:
    """Take it away again."""
    op.drop_column("turns", "sample")
