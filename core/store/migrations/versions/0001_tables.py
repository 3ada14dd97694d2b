"""The tables of the first release; a new database gets them from `core.store.schema`"""

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing to do: no database is older."""
