"""Opening the results database: migrations, and the ways to use it (read, write, transact)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import FileLock
from sqlalchemy import Connection, Engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from core.base.errors import BadInput
from core.base.retry import retry
from core.base.settings import settings
from core.store import postgres
from core.store.retry import DatabaseGone, passes
from core.store.sqlite import Pulse, begin_reading, begin_writing, sqlite_engine
from core.store.text_columns import dump_escaped, dump_json, load_escaped

T = TypeVar("T")
FULL = ("readonly", "unable to open", "disk is full", "disk I/O")  # what SQLite says of a file that takes nothing
MIGRATIONS = Path(__file__).parent / "migrations"


def now() -> datetime:
    """The time to store (UTC)."""
    return datetime.now(UTC)


class Database:
    """One SQLAlchemy engine on the newest schema; safe to share between threads.

    `folder` is where files that belong to the database lie: SQLite's own folder, else the data folder.
    """

    def __init__(self, url: str) -> None:
        self.url, self.embedded = url, url.startswith("sqlite")
        file = make_url(url).database if self.embedded else None
        self.folder = Path(file).parent if file else settings().data_dir
        self._pulse = Pulse(Path(file)) if file else None
        # SQLite has one writer: queue here rather than poll the file. On PostgreSQL writers go side by side
        self._turnstile = threading.Lock() if self.embedded else nullcontext()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.engine = _engine(url)
            with FileLock(self.folder / "migrate.lock"), _given_back(self.engine):
                _upgrade(self.engine, url)
        except (OSError, DBAPIError) as error:
            raise self._unusable(error) from error
        # Several statements of a reader see one state of the data, as they do on SQLite
        self._reader = (
            self.engine if self.embedded else self.engine.execution_options(isolation_level="REPEATABLE READ")
        )

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A connection to read with."""
        with self._telling(), self._reader.connect() as connection:
            if self.embedded:
                begin_reading(connection)
            yield connection

    @contextmanager
    def write(self) -> Generator[Connection]:
        """One transaction, rolled back on an error; raises BadInput where nothing can be written."""
        with self._turnstile, self._telling(), self.engine.begin() as connection:
            if self.embedded:
                begin_writing(connection)
            yield connection

    @contextmanager
    def statement(self, writes: bool = False) -> Generator[Any]:
        """SQLite's own connection for one statement, which is a transaction of its own; raises sqlite3.Error.

        Takes a tenth of the time that SQLAlchemy does: for what every call to a model needs.
        """
        with self._turnstile if writes else nullcontext():
            connection = self.engine.raw_connection()
            try:
                yield connection.driver_connection
            finally:
                connection.close()

    def transact(self, work: Callable[[Connection], T], done: Callable[[Connection], T | None] | None = None) -> T:
        """The result of `work` in one transaction; done again where the server was lost meanwhile.

        done: finds the result of a try whose end was not heard of (it may have been stored), else none; without it
        `work` may be done twice.
        """
        first = True

        def attempt() -> T:
            nonlocal first
            again, first = not first, False
            with self.write() as connection:
                if again and done is not None and (known := done(connection)) is not None:
                    return known
                return work(connection)

        return retry(attempt, DatabaseGone)

    def pulse(self) -> object | None:
        """Something that stays the same while nothing at all is written; none where that cannot be told."""
        return self._pulse.now() if self._pulse else postgres.pulse(self.engine)

    def close(self) -> None:
        """Give the connections back."""
        if self._pulse:
            self._pulse.close()
        self.engine.dispose()

    @contextmanager
    def _telling(self) -> Generator[None]:
        """A database that can take nothing at the moment becomes a sentence."""
        try:
            yield
        except (DBAPIError, PoolExhausted) as error:
            if any(word in str(getattr(error, "orig", error)) for word in FULL) if self.embedded else passes(error):
                raise self._unusable(error) from error
            raise

    def _unusable(self, error: Exception) -> BadInput:
        if isinstance(error, (DBAPIError, PoolExhausted)) and not self.embedded:
            return postgres.unreachable(self.url, error)
        return _unusable(self.folder, error)


@contextmanager
def _given_back(engine: Engine) -> Generator[None]:
    """On an error no connection is left open: a page that is looked at again and again would use them up."""
    try:
        yield
    except Exception:
        engine.dispose()
        raise


def _engine(url: str) -> Engine:
    if url.startswith("sqlite"):
        return sqlite_engine(url, json_serializer=dump_json)
    return postgres.postgres_engine(url, json_serializer=dump_escaped, json_deserializer=load_escaped)


def _upgrade(engine: Engine, url: str) -> None:
    """Bring the schema to the newest version; nothing is done (and Alembic's environment not run) where it is."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    with engine.connect() as connection:
        if _version(connection, scripts) == scripts.get_current_head():
            return
    with engine.begin() as connection:
        if connection.dialect.name == "sqlite":
            begin_writing(connection)
        if connection.dialect.name == "postgresql":
            postgres.check_encoding(connection, url)
            postgres.alone(connection)
        if _version(connection, scripts) != scripts.get_current_head():  # nobody else has done it meanwhile
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _version(connection: Connection, scripts: ScriptDirectory) -> str | None:
    """The schema's version; raises BadInput where a newer Kiku has changed the tables."""
    version = MigrationContext.configure(connection).get_current_revision()
    if version is not None and version not in {script.revision for script in scripts.walk_revisions()}:
        told = f"The database belongs to a newer version of Kiku ({version}). Update Kiku on this machine."
        raise BadInput(told, "database_newer", version=version)
    return version


def _unusable(folder: Path, error: Exception) -> BadInput:
    detail = str(error.orig) if isinstance(error, DBAPIError) else getattr(error, "strerror", None) or str(error)
    return BadInput(
        f"The data folder {folder.name} cannot be used ({detail}). Make it writable or set KIKU_DATA_DIR to another.",
        "data_folder",
        folder=folder.name,
        detail=detail,
    )
