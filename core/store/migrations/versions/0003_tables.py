"""The tables of the first release (0001 and 0002 came before it); a new database gets them from `core.store.schema`"""

revision = "0003"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing to do: no database is older."""
