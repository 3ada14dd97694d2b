# pyright: basic
"""Calls to models, and what servers can do"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KEY = sa.String(80)
WORD = sa.String(16)
INDEXED = ("created_at", "run_id", "conversation_id", "key")


def upgrade() -> None:
    """Make calls and servers."""
    op.create_table(
        "calls",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("created_at", sa.DateTime(timezone=True)),
        *(_column(name, KEY) for name in ("run_id", "conversation_id", "purpose", "key")),
        *(_column(name, WORD) for name in ("role", "output_mode")),
        *(_column(name, sa.Text()) for name in ("server", "model", "error", "request", "reply")),
        *(_column(name, sa.Integer()) for name in ("repeat", "retries")),
        *(_column(f"{name}_tokens", sa.Integer(), nullable=True) for name in ("prompt", "cached", "completion")),
        _column("cost", sa.Double(), nullable=True),
        _column("seconds", sa.Double()),
    )
    for name in INDEXED:
        op.create_index(f"ix_calls_{name}", "calls", [name])
    op.create_table(
        "servers",
        sa.Column("server", sa.String(300), primary_key=True),
        sa.Column("model", sa.String(200), primary_key=True),
        _column("found", sa.JSON()),
    )


def downgrade() -> None:
    """Remove both tables."""
    op.drop_table("servers")
    op.drop_table("calls")


def _column(name: str, kind: sa.types.TypeEngine, nullable: bool = False) -> sa.Column:
    return sa.Column(name, kind, nullable=nullable)
