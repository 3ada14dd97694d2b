"""SQLite: one file, one writer at a time."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event

MAX_CONNECTIONS = 16  # connections that stay open: to open one takes longer than most statements
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=60000")


def sqlite_engine(url: str, **shared: Any) -> Engine:
    """An engine on a file; each transaction has to be opened with `begin_reading` or `begin_writing`.

    No listener of the engine does it: SQLAlchemy then builds its listeners again for every connection.
    """
    engine = create_engine(url, pool_size=MAX_CONNECTIONS, pool_timeout=60, connect_args={"timeout": 60}, **shared)
    event.listen(engine, "connect", _connected)
    return engine


def _connected(connection: Any, record: object) -> None:
    connection.isolation_level = None  # sqlite3 must not begin transactions on its own
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def begin_reading(connection: Connection) -> None:
    """All that is read on this connection is of one state of the data."""
    dbapi: Any = connection.connection.driver_connection
    dbapi.execute("BEGIN")


def begin_writing(connection: Connection) -> None:
    """A writer takes the lock at once, so that two of them wait for each other and do not fail."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def back_up(file: Path, name: str) -> Path:
    """A copy of SQLite's file beside it, whoever writes to it meanwhile (sqlite.org/backup.html). Returns its place."""
    copy = file.with_name(f"{file.stem}-{name}.backup{file.suffix}")
    with closing(sqlite3.connect(file, timeout=60)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


class ChangeCounter:
    """Tells at once whether anything was written to the file since; safe to share between threads.

    SQLite's data_version, on a connection that never writes: it changes whenever another one has committed
    (sqlite.org/pragma.html#pragma_data_version).
    """

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def now(self) -> int | None:
        """A number that stays while nothing is written; None if the file cannot be read."""
        with self._lock, suppress(sqlite3.Error):
            if self._connection is None:
                self._connection = sqlite3.connect(self._file, check_same_thread=False, timeout=30)
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        return None

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
