# pyright: basic
"""Sums of calls and lists of failed ones, without a look at their messages"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

SUMMED = "run_id role purpose model server retries prompt_tokens cached_tokens completion_tokens cost seconds error"
FAILED = (("ix_calls_failed", "id"), ("ix_calls_run_failed", "run_id"))


def upgrade() -> None:
    """Make the indexes; the wide one only for SQLite, where a long error fits into an index."""
    failed = sa.text("error != ''")
    for name, column in FAILED:
        op.create_index(name, "calls", [column], sqlite_where=failed, postgresql_where=failed)
    if op.get_bind().dialect.name == "sqlite":
        op.create_index("ix_calls_sums", "calls", SUMMED.split())


def downgrade() -> None:
    """Remove them."""
    for name, _ in FAILED:
        op.drop_index(name, "calls")
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index("ix_calls_sums", "calls")
