# pyright: basic
"""How a judge came to its scores"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; scores that are there have none."""
    op.add_column("scores", sa.Column("reasoning", sa.Text(), nullable=True))


def downgrade() -> None:
    """Remove the column."""
    op.drop_column("scores", "reasoning")
