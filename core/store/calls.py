"""The call log in the database: every call to a model, and what each server can do."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from datetime import timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Table, bindparam, delete, func, insert, literal_column, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.elements import Label

from core.base.calls import Call, ServerFeatures, Spending
from core.store.database import Database, now
from core.store.put import put
from core.store.recording import new_id
from core.store.retry import lasting
from core.store.schema import Base

CALLS: Table = Base.metadata.tables["calls"]
SERVERS: Table = Base.metadata.tables["servers"]
_NEW = insert(CALLS)
_USABLE = (
    select(CALLS).where(CALLS.c.key == bindparam("wanted"), CALLS.c.error == "").order_by(CALLS.c.id.desc()).limit(1)
)
_COLUMNS = tuple(column.name for column in CALLS.columns if column.name != "id")
# The same two on SQLite's own connection: they are what each call to a model waits for
_QUICK_NEW = str(insert(CALLS).compile(dialect=sqlite.dialect(), column_keys=_COLUMNS))
_QUICK_KNOWN = "SELECT 1 FROM calls WHERE key = ? AND error = '' LIMIT 1"
Grouping = Literal["role", "purpose", "model", "server", "run_id"]


class CallTables:
    """The part of the store that keeps calls to models (a `core.base.calls.CallLog`)."""

    db: Database

    def add_call(self, call: Call) -> int:
        """Keep a call; gives its id."""
        if self.db.embedded:
            with suppress(sqlite3.Error):  # nothing is stored then: the other way does it, or says what is wrong
                return self._added(call)
        row = call.model_dump(exclude={"id"})

        def kept(connection: Connection) -> int | None:
            same = (CALLS.c[name] == row[name] for name in ("key", "created_at", "conversation_id", "repeat"))
            return connection.execute(select(CALLS.c.id).where(*same)).scalar()

        return self.db.transact(lambda connection: new_id(connection.execute(_NEW, row)), kept)

    def _added(self, call: Call) -> int:
        """Keep a call on SQLite; raises sqlite3.Error."""
        at = call.created_at.replace(tzinfo=None).isoformat(" ", "microseconds")
        row = [at if name == "created_at" else getattr(call, name) for name in _COLUMNS]
        with self.db.statement(writes=True) as connection:
            return int(connection.execute(_QUICK_NEW, row).lastrowid)

    def usable_call(self, key: str) -> Call | None:
        """The newest call with this key whose reply could be used."""
        if self.db.embedded:
            with suppress(sqlite3.Error), self.db.statement() as connection:
                if not connection.execute(_QUICK_KNOWN, (key,)).fetchall():
                    return None
        return self._usable_call(key)

    @lasting
    def _usable_call(self, key: str) -> Call | None:
        with self.db.read() as connection:
            row = connection.execute(_USABLE, {"wanted": key}).mappings().first()
        return Call.model_validate(dict(row)) if row else None

    @lasting
    def call(self, call_id: int) -> Call | None:
        """One call with its exact messages, or none where there is no such id."""
        with self.db.read() as connection:
            row = connection.execute(select(CALLS).where(CALLS.c.id == call_id)).mappings().first()
        return Call.model_validate(dict(row)) if row else None

    @lasting
    def calls(
        self,
        run_id: str | None = None,
        conversation_id: str | None = None,
        role: str | None = None,
        failed: bool = False,
        limit: int = 100,
        before: int | None = None,
    ) -> list[Call]:
        """The newest calls first, those with ids below `before` where it is given; `failed`: only the unusable ones."""
        newest = CALLS.c.id.desc()
        ids = select(CALLS.c.id).where(*_chosen(run_id, conversation_id, role)).order_by(newest).limit(limit)
        if failed:
            ids = ids.where(CALLS.c.error != literal_column("''"))  # in the words of the index on failed calls
        if before is not None:
            ids = ids.where(CALLS.c.id < before)
        wanted = select(CALLS).where(CALLS.c.id.in_(ids)).order_by(newest)
        with self.db.read() as connection:
            return [Call.model_validate(dict(row)) for row in connection.execute(wanted).mappings()]

    @lasting
    def spending(self, run_id: str | None = None, conversation_id: str | None = None) -> Spending:
        """All calls summed; those of one run or conversation where it is named."""
        wanted = select(*_sums()).where(*_chosen(run_id, conversation_id))
        with self.db.read() as connection:
            return Spending.model_validate(dict(connection.execute(wanted).mappings().one()))

    @lasting
    def spending_by(
        self, column: Grouping, run_id: str | None = None, conversation_id: str | None = None
    ) -> dict[str, Spending]:
        """Calls summed by role, purpose, model, server or run; the most calls first."""
        group = CALLS.c[column]
        wanted = select(group.label("of"), *_sums()).where(*_chosen(run_id, conversation_id)).group_by(group)
        with self.db.read() as connection:
            rows = [dict(row) for row in connection.execute(wanted.order_by(func.count().desc())).mappings()]
        return {str(row.pop("of")): Spending.model_validate(row) for row in rows}

    @lasting
    def runs_called(self) -> set[str]:
        """The ids of the runs that calls belong to; "" for calls outside of any run."""
        with self.db.read() as connection:
            return {str(run_id) for run_id in connection.execute(select(CALLS.c.run_id).distinct()).scalars()}

    @lasting
    def forget_calls(self, days: float) -> int:
        """Delete the calls that are older than so many days; gives how many. Their runs keep all results."""
        with self.db.write() as connection:
            old = connection.execute(delete(CALLS).where(CALLS.c.created_at < now() - timedelta(days=days)))
            return int(old.rowcount)

    @lasting
    def server_features(self, server: str, model: str) -> ServerFeatures | None:
        """What is remembered of a server and model."""
        wanted = select(SERVERS.c.found).where(SERVERS.c.server == server, SERVERS.c.model == model)
        with self.db.read() as connection:
            found = connection.execute(wanted).scalar()
        return ServerFeatures.model_validate(found) if found else None

    @lasting
    def all_server_features(self) -> list[ServerFeatures]:
        """What is remembered of every server and model."""
        with self.db.read() as connection:
            found = connection.execute(select(SERVERS.c.found).order_by(SERVERS.c.server, SERVERS.c.model)).scalars()
            return [ServerFeatures.model_validate(one) for one in found]

    @lasting
    def save_server_features(self, found: ServerFeatures) -> None:
        """Remember what a server can do with a model."""
        row = {"server": found.server, "model": found.model, "found": found.model_dump(mode="json")}
        with self.db.write() as connection:
            put(connection, SERVERS, row, ("server", "model"))

    @lasting
    def forget_server_features(self, server: str, model: str) -> None:
        """Forget a server's model, so that the next call finds out anew."""
        probes = (CALLS.c.purpose == "Probe", CALLS.c.server == server, CALLS.c.model == model)
        with self.db.write() as connection:
            connection.execute(update(CALLS).where(*probes).values(key=""))  # kept, but found no more
            connection.execute(delete(SERVERS).where(SERVERS.c.server == server, SERVERS.c.model == model))


def _chosen(run_id: str | None, conversation_id: str | None, role: str | None = None) -> list[ColumnElement[bool]]:
    given = {"run_id": run_id, "conversation_id": conversation_id, "role": role}
    return [CALLS.c[name] == value for name, value in given.items() if value is not None]


def _sums() -> list[Label[Any]]:
    plain = ("retries", "prompt_tokens", "cached_tokens", "completion_tokens", "cost", "seconds")
    return [
        func.count().label("calls"),
        func.count().filter(CALLS.c.error != "").label("failed"),
        func.count().filter(CALLS.c.cost.is_(None)).label("unpriced"),
        *(func.coalesce(func.sum(CALLS.c[name]), 0).label(name) for name in plain),
    ]
