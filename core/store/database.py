"""Opening the results database: migrations, and the ways to use it (read, write, transact)."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import wraps
from json import JSONDecodeError
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, TypeVarTuple

from filelock import FileLock
from sqlalchemy import Connection, Engine, Row, RowMapping, Select, Table, UpdateBase, inspect, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from core.base.errors import BadInput
from core.base.retry import retry_connection
from core.base.settings import settings
from core.store import postgres
from core.store.column_types import dump_escaped, dump_json, load_escaped
from core.store.postgres import DatabaseUnavailable
from core.store.schema import TABLES_VERSION, VERSION_TABLE
from core.store.sqlite import ChangeCounter, begin_reading, begin_writing, sqlite_engine

P = ParamSpec("P")
T = TypeVar("T")
Columns = TypeVarTuple("Columns")
FULL = ("readonly", "unable to open", "disk is full", "disk I/O")  # what SQLite says of a file that takes nothing
DAMAGED = (
    *("malformed", "not a database", "no such table", "no such column", "disk image", "corrupt"),
    "already exists",  # a table, although the version of the tables is not there
)
LOCKED = ("database is locked", "database table is locked")
AT_ONCE = 5_000  # values or rows in one statement; SQLite takes 32,766 parameters, PostgreSQL 65,535


def now() -> datetime:
    """The time to store (UTC)."""
    return datetime.now(UTC)


def with_reconnect(method: Callable[P, T]) -> Callable[P, T]:
    """A method of one transaction that may be done twice: done again, after a while, if the connection was lost."""

    @wraps(method)
    def retried(*args: P.args, **kwargs: P.kwargs) -> T:
        return retry_connection(lambda: method(*args, **kwargs), DatabaseUnavailable)

    return retried


def new_id(done: Any) -> int:
    """The number that the database gave to the row just inserted."""
    return int(done.inserted_primary_key[0])


class Database:
    """One SQLAlchemy engine on the newest schema; safe to share between threads.

    `folder` is where files that belong to the database lie: SQLite's own folder, else the data folder.
    """

    def __init__(self, url: str) -> None:
        self.url, self.embedded = url, url.startswith("sqlite")
        file = make_url(url).database if self.embedded else None
        self.folder = Path(file).parent if file else settings().data_dir
        if file and (path := Path(file)).exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "no regular file"
            message = f"{path.name} in the data folder is {kind}, not a database. Move it away and start again."
            raise BadInput(message, "database_not_file", file=path.name)
        self._changes = ChangeCounter(Path(file)) if file else None
        # SQLite has one writer: queue here rather than poll the file. On PostgreSQL writers go side by side
        self._turnstile = threading.Lock() if self.embedded else nullcontext()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.engine = _engine(url)
            try:
                with FileLock(self.folder / "migrate.lock"):
                    _upgrade(self.engine, url)
            except Exception:  # a page that is looked at again and again would use the connections up
                self.engine.dispose()
                raise
        except (OSError, DBAPIError) as error:
            raise self._unusable(error) from error
        # Several statements of a reader see one state of the data, as they do on SQLite
        self._reader = (
            self.engine if self.embedded else self.engine.execution_options(isolation_level="REPEATABLE READ")
        )

    @contextmanager
    def read(self) -> Generator[Connection]:
        with self._readable_errors(), self._reader.connect() as connection:
            if self.embedded:
                begin_reading(connection)
            yield connection

    @contextmanager
    def write(self) -> Generator[Connection]:
        """One transaction, rolled back on an error; raises BadInput if nothing can be written."""
        with self._turnstile, self._readable_errors(), self.engine.begin() as connection:
            if self.embedded:
                begin_writing(connection)
            yield connection

    @with_reconnect
    def rows(self, statement: Select[*Columns]) -> Sequence[Row[*Columns]]:
        with self.read() as connection:
            return connection.execute(statement).fetchall()

    @with_reconnect
    def mappings(self, statement: Select[*tuple[Any, ...]]) -> Sequence[RowMapping]:
        """All rows of a query, by the names of its columns."""
        with self.read() as connection:
            return connection.execute(statement).mappings().fetchall()

    def column(self, statement: Select[*tuple[Any, ...]]) -> list[Any]:
        """The first column of all rows of a query."""
        return [row[0] for row in self.rows(statement)]

    def scalar(self, statement: Select[*tuple[Any, ...]]) -> Any:
        """The first column of a query's first row, None if there is none."""
        return next(iter(self.column(statement)), None)

    @with_reconnect
    def execute(self, statement: UpdateBase) -> int:
        """Change rows in a transaction that may be done twice. Returns how many."""
        with self.write() as connection:
            return connection.execute(statement).rowcount

    @with_reconnect
    def upsert(self, table: Table, row: Mapping[str, Any], unique: Sequence[str]) -> None:
        """Insert a row, or let it replace the one that has the same values in `unique` (a constraint of the table)."""
        with self.write() as connection:
            self.upsert_within(connection, table, row, unique)

    def upsert_within(
        self, connection: Connection, table: Table, row: Mapping[str, Any], unique: Sequence[str]
    ) -> None:
        """The same within a transaction."""
        changed = {name: value for name, value in row.items() if name not in unique}
        insert = self.insert(table).values(dict(row))
        connection.execute(insert.on_conflict_do_update(index_elements=unique, set_=changed))

    def insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An insert that can say what to do if the row is there."""
        return sqlite.insert(table) if self.embedded else postgresql.insert(table)

    def transact(self, work: Callable[[Connection], T], done: Callable[[Connection], T | None]) -> T:
        """The result of `work` in one transaction, done again if the server was lost; it must not be done twice.

        done: finds the result of a try whose end is unknown (it may have been stored), else none.
        """
        is_retry = False

        def attempt() -> T:
            nonlocal is_retry
            with self.write() as connection:
                if is_retry and (earlier := done(connection)) is not None:
                    return earlier
                is_retry = True
                return work(connection)

        return retry_connection(attempt, DatabaseUnavailable)

    def change_marker(self) -> object | None:
        """Something that stays the same while nothing at all is written; None if the server cannot say."""
        return self._changes.now() if self._changes else postgres.change_marker(self.engine)

    def close(self) -> None:
        if self._changes:
            self._changes.close()
        self.engine.dispose()

    @contextmanager
    def _readable_errors(self) -> Generator[None]:
        """A database that can take nothing at the moment becomes a sentence."""
        try:
            yield
        except (DBAPIError, PoolExhausted) as error:
            if _says(error, (*LOCKED, *DAMAGED, *FULL)) if self.embedded else postgres.is_transient(error):
                raise self._unusable(error) from error
            raise
        except JSONDecodeError as error:  # a column's JSON; who asks is not within
            raise damaged(error) from error

    def _unusable(self, error: Exception) -> BadInput:
        if isinstance(error, (DBAPIError, PoolExhausted)) and not self.embedded:
            return postgres.unreachable(self.url, error)
        if _says(error, LOCKED):
            return _busy(error)
        if isinstance(error, DBAPIError) and _says(error, DAMAGED):
            return damaged(error)
        detail = str(error.orig) if isinstance(error, DBAPIError) else getattr(error, "strerror", None) or str(error)
        folder = self.folder.name
        key, message = "data_folder", f"The data folder {folder} cannot be used ({detail})."
        message += " Make it writable or set KIKU_DATA_DIR to another."
        if "disk is full" in detail or getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
            key, message = "data_folder_full", f"The disk that holds the data folder {folder} is full."
            message += " Free some space and try again."
        return BadInput(message, key, folder=folder, detail=detail)


class Repository:
    """One family of the database's tables: a subclass has a method for each way in which it is read and written."""

    def __init__(self, db: Database) -> None:
        self._db = db


def _engine(url: str) -> Engine:
    if url.startswith("sqlite"):
        return sqlite_engine(url, json_serializer=dump_json)
    return postgres.postgres_engine(url, json_serializer=dump_escaped, json_deserializer=load_escaped)


def _upgrade(engine: Engine, url: str) -> None:
    """Make or change the tables if they are not those of this version."""
    if _is_newest(engine):
        return
    from alembic.util import CommandError

    from core.store.upgrade import upgrade  # brings Alembic, which takes a quarter of a second

    try:
        upgrade(engine, url)
    except CommandError as error:  # the version of the tables makes no sense
        raise damaged(error) from error


def _is_newest(engine: Engine) -> bool:
    """Whether the tables are those of this version of Kiku."""
    with engine.connect() as connection:
        if not inspect(connection).has_table(VERSION_TABLE.name):
            return False
        return list(connection.scalars(select(VERSION_TABLE.c.version_num))) == [TABLES_VERSION]


def _says(error: Exception, words: Sequence[str]) -> bool:
    return any(word in str(getattr(error, "orig", error)) for word in words)


def damaged(error: Exception) -> BadInput:
    """The error for something stored that cannot be read."""
    detail = str(getattr(error, "orig", error))
    message = f"The database is damaged ({detail}). `python -m core check` says what can still be read, and what to do."
    return BadInput(message, "database_damaged", detail=detail)


def _busy(error: Exception) -> DatabaseUnavailable:
    """Another process holds the lock of SQLite's file for longer than anybody waits."""
    detail = str(getattr(error, "orig", error))
    message = f"Another process keeps the database locked ({detail}). Try again when it is done."
    return DatabaseUnavailable(message, "database_busy", detail=detail)
