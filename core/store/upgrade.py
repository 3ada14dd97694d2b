"""Brings the tables of the results database to the newest version, with Alembic."""

from __future__ import annotations

import threading
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from core.base.errors import BadInput
from core.store import postgres
from core.store.schema import METADATA
from core.store.sqlite import back_up, begin_writing

MIGRATIONS = Path(__file__).parent / "migrations"
_ALEMBIC = threading.Lock()  # its context is one for the whole process, whichever database a thread opens


def upgrade(engine: Engine, url: str) -> None:
    """Bring the tables to the newest version: a new database gets them at once, an older one migration by migration.

    Raises BadInput if they are those of another version, and Alembic's CommandError if their version makes no sense.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    with engine.connect() as connection:
        older = _version(connection, scripts)
        if older == scripts.get_current_head():
            return
    if older is not None and engine.url.database and engine.dialect.name == "sqlite":
        back_up(Path(engine.url.database), older)
    with engine.begin() as connection:
        if connection.dialect.name == "sqlite":
            begin_writing(connection)
        if connection.dialect.name == "postgresql":
            postgres.check_encoding(connection, url)
            postgres.alone(connection)
        version = _version(connection, scripts)
        if version is None:
            METADATA.create_all(connection, checkfirst=False)
            MigrationContext.configure(connection).stamp(scripts, "head")
        elif version != scripts.get_current_head():  # nobody else has done it meanwhile
            config.attributes["connection"] = connection
            with _ALEMBIC:
                command.upgrade(config, "head")


def _version(connection: Connection, scripts: ScriptDirectory) -> str | None:
    """The schema's version; raises BadInput if it is one that this Kiku does not know."""
    version = MigrationContext.configure(connection).get_current_revision()
    if version is not None and version not in {script.revision for script in scripts.walk_revisions()}:
        problem = (
            f"The database belongs to another version of Kiku ({version}). Use that version, or another data folder."
        )
        raise BadInput(problem, "database_version", version=version)
    return version
