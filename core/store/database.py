"""Opening the results database: pragmas, migrations, and the two ways to use it (read, write)."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import FileLock
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from core.base.errors import BadInput
from core.base.settings import settings

MIGRATIONS = Path(__file__).parent / "migrations"
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=30000")


def now() -> datetime:
    """The time to store (UTC)."""
    return datetime.now(UTC)


class Database:
    """One SQLAlchemy engine on the newest schema; safe to share between threads.

    `folder` is where files that belong to the database lie: SQLite's own folder, else the data folder.
    """

    def __init__(self, url: str) -> None:
        file = make_url(url).database if url.startswith("sqlite") else None
        self.folder = Path(file).parent if file else settings().data_dir
        self._turnstile = threading.Lock()  # SQLite has one writer: queue here rather than poll the file
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.engine = _engine(url)
            with FileLock(self.folder / "migrate.lock"):
                _upgrade(self.engine)
        except (OSError, DBAPIError) as error:
            raise _unusable(self.folder, error) from error
        self._writer = self.engine.execution_options(kiku_write=True)

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A connection to read with."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Generator[Connection]:
        """One transaction, rolled back on an error; raises BadInput where nothing can be written."""
        with self._turnstile:
            try:
                with self._writer.begin() as connection:
                    yield connection
            except DBAPIError as error:
                if any(word in str(error.orig) for word in ("readonly", "unable to open", "disk is full", "disk I/O")):
                    raise _unusable(self.folder, error) from error
                raise

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


def _engine(url: str) -> Engine:
    dump = partial(json.dumps, ensure_ascii=False)
    if not url.startswith("sqlite"):
        return create_engine(url, json_serializer=dump, pool_pre_ping=True)
    engine = create_engine(url, json_serializer=dump, pool_timeout=60, connect_args={"timeout": 30})
    event.listen(engine, "connect", _connected)
    event.listen(engine, "begin", _begun)
    return engine


def _connected(connection: Any, record: object) -> None:
    connection.isolation_level = None  # sqlite3 must not begin transactions on its own: `_begun` does
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begun(connection: Connection) -> None:
    """A writer takes the lock at once, so that two of them wait for each other and do not fail."""
    writing = connection.get_execution_options().get("kiku_write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _upgrade(engine: Engine) -> None:
    """Bring the schema to the newest version; nothing is done (and Alembic's environment not run) where it is."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    head = ScriptDirectory.from_config(config).get_current_head()
    with engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() == head:
            return
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _unusable(folder: Path, error: Exception) -> BadInput:
    detail = str(error.orig) if isinstance(error, DBAPIError) else getattr(error, "strerror", None) or str(error)
    return BadInput(
        f"The data folder {folder.name} cannot be used ({detail}). Make it writable or set KIKU_DATA_DIR to another.",
        "data_folder",
        folder=folder.name,
        detail=detail,
    )
