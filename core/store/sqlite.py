"""SQLite: one file, one writer at a time."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event

PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=30000")


def sqlite_engine(url: str, **shared: Any) -> Engine:
    """An engine on a file; `kiku_write` among a connection's options makes it a writer."""
    engine = create_engine(url, pool_timeout=60, connect_args={"timeout": 30}, **shared)
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
