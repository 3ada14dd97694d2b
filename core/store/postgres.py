"""PostgreSQL: a server for several machines; writers go side by side."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from core.base.addresses import display_address
from core.base.errors import BadInput

MAX_CONNECTIONS = 16  # connections of one process; a transaction takes milliseconds, so many threads share them
CONNECT_SECONDS = 5  # seconds to wait for a connection
# A process that was put to sleep within a transaction must not keep its locks; neither must a machine that is gone.
SESSION = ("idle_in_transaction_session_timeout = '30s'", "tcp_keepalives_idle = 30", "tcp_keepalives_interval = 10")
MIGRATION_LOCK = 0x6B696B75  # the advisory lock of whoever changes the tables
SNAPSHOT = "SELECT pg_current_snapshot()"
# SQLSTATEs that pass: the server shuts down or starts up, has no connection left, or broke a deadlock
TRANSIENT = ("57P01", "57P02", "57P03", "53300", "40P01", "40001", "25P03", "08")
# What the server says (in English, in Japanese) of an address that will not do however long one waits
REFUSED = ("password authentication failed", "no password supplied", "pg_hba.conf", "パスワード認証に失敗", "role ")
MISSING = ('database "', 'データベース"')
RIGHTS = ("permission denied", "権限がありません")


class DatabaseUnavailable(BadInput):
    """The database server was lost, or is not there; nothing is known of the transaction."""


def postgres_engine(url: str, **shared: Any) -> Engine:
    """An engine on a server; raises BadInput if the driver is not installed."""
    try:
        engine = create_engine(
            url,
            pool_size=MAX_CONNECTIONS // 2,
            max_overflow=MAX_CONNECTIONS - MAX_CONNECTIONS // 2,
            pool_timeout=60,
            pool_pre_ping=True,
            connect_args={"connect_timeout": CONNECT_SECONDS, "application_name": "kiku"},
            **shared,
        )
    except ModuleNotFoundError as error:
        problem = "The driver for PostgreSQL is not installed. Run: pip install -r requirements-scale.txt"
        raise BadInput(problem, "no_driver") from error
    event.listen(engine, "connect", _connected)
    return engine


def alone(connection: Connection) -> None:
    """Wait until nobody else changes the tables, on this machine or another; held to the end of the transaction."""
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")


def change_marker(engine: Engine) -> str | None:
    """What a reader sees now, by the transactions that are over; None if the server cannot say (before 13)."""
    with suppress(SQLAlchemyError), engine.connect() as connection:
        return str(connection.exec_driver_sql(SNAPSHOT).scalar())
    return None


def check_encoding(connection: Connection, url: str) -> None:
    """Raises BadInput if the database cannot hold every language."""
    encoding = str(connection.exec_driver_sql("SHOW server_encoding").scalar())
    if encoding != "UTF8":
        address, to_do = display_address(url), "Create one with UTF8: createdb -E UTF8 -T template0"
        problem = f"The database {address} has the encoding {encoding}. {to_do}"
        raise BadInput(problem, "database_encoding", address=address, encoding=encoding)


def unreachable(url: str, error: Exception) -> BadInput:
    """What is wrong with a server that cannot be used, without the password."""
    address, detail = display_address(url), _detail(error)
    sentences = (
        ("database_refused", REFUSED, "refuses this user or password", "Correct KIKU_DATABASE_URL"),
        ("database_rights", RIGHTS, "does not let this user create tables", "Make the user the owner of the database"),
        ("database_missing", MISSING, "does not exist", "Create it with createdb, or correct KIKU_DATABASE_URL"),
    )
    for key, words, what, to_do in sentences:
        if any(word in detail for word in words):
            return BadInput(f"The database {address} {what} ({detail}). {to_do}.", key, address=address, detail=detail)
    problem = f"The database {address} cannot be reached ({detail}). Start PostgreSQL or correct KIKU_DATABASE_URL."
    return DatabaseUnavailable(problem, "database_gone", address=address, detail=detail)


def is_transient(error: BaseException) -> bool:
    """Whether a transaction failed for a reason that does not lie in it."""
    if isinstance(error, PoolExhausted):
        return True
    if not isinstance(error, DBAPIError):
        return False
    if state := getattr(error.orig, "sqlstate", None):
        return str(state).startswith(TRANSIENT)
    if not isinstance(error, OperationalError):
        return False
    return not any(words in str(error.orig) for words in (*REFUSED, *MISSING))  # no connection was made, or it broke


def _detail(error: Exception) -> str:
    """The line that says why; a host with several addresses has one for each."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    why = next((line for line in lines if "FATAL:" in line or "failed: " in line), lines[0] if lines else "")
    return why.rpartition("FATAL:")[2].strip().rpartition("failed: ")[2] or type(cause).__name__


def _connected(connection: Any, record: object) -> None:
    with connection.cursor() as cursor:
        for setting in SESSION:
            cursor.execute(f"SET {setting}")
    connection.commit()
