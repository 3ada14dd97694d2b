"""The tables of the first release (0001 to 0003 came before it); a new database gets them from `core.store.schema`"""

revision = "0004"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing to do: no database is older."""
