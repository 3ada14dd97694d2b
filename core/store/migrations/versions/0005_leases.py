# pyright: basic
"""Leases: until when the process that works on a run may be taken to live"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Give runs a place for their lease."""
    op.add_column("runs", sa.Column("leased_until", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Take it away again."""
    op.drop_column("runs", "leased_until")
