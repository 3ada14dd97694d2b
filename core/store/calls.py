"""The call log in the database: every call to a model, and what each server can do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, literal_column, select, update
from sqlalchemy.sql.elements import Label

from core.base.calls import Call, ServerFeatures, Spending
from core.store.database import Repository, new_id, now, with_reconnect
from core.store.schema import CALLS, SERVERS

_NEWEST = CALLS.c.id.desc()
Grouping = Literal["role", "purpose", "model", "server", "run_id"]


class CallRepository(Repository):
    """The calls to models, and the features of servers (a `core.base.calls.CallLog`)."""

    def add(self, call: Call) -> int:
        """Store a call. Returns its id."""
        row = call.model_dump(exclude={"id"})

        def stored(connection: Connection) -> int | None:
            same = (CALLS.c[name] == row[name] for name in ("key", "created_at", "conversation_id", "repeat"))
            return connection.execute(select(CALLS.c.id).where(*same)).scalar()

        return self._db.transact(lambda connection: new_id(connection.execute(insert(CALLS), row)), stored)

    def usable(self, key: str) -> Call | None:
        """The newest call with this key whose reply could be used."""
        usable = select(CALLS).where(CALLS.c.key == key, CALLS.c.error == "")
        return next(iter(self._calls(usable.order_by(_NEWEST).limit(1))), None)

    def get(self, call_id: int) -> Call | None:
        """One call with its exact messages, or None if there is no such id."""
        return next(iter(self._calls(select(CALLS).where(CALLS.c.id == call_id))), None)

    def newest(
        self,
        run_id: str | None = None,
        conversation_id: str | None = None,
        role: str | None = None,
        failed: bool = False,
        limit: int = 100,
        before: int | None = None,
    ) -> list[Call]:
        """The newest calls first, those with ids below `before` if it is given; `failed`: only the unusable ones."""
        ids = select(CALLS.c.id).where(*_chosen(run_id, conversation_id, role)).order_by(_NEWEST).limit(limit)
        if failed:
            ids = ids.where(CALLS.c.error != literal_column("''"))  # in the words of the index on failed calls
        if before is not None:
            ids = ids.where(CALLS.c.id < before)
        return self._calls(select(CALLS).where(CALLS.c.id.in_(ids)).order_by(_NEWEST))

    def count_recent(self, run_id: str, seconds: float) -> int:
        """How many calls a run made in the last so many seconds."""
        recent = (CALLS.c.run_id == run_id) & (CALLS.c.created_at > now() - timedelta(seconds=seconds))
        return int(self._db.scalar(select(func.count()).select_from(CALLS).where(recent)))

    def spending(self, run_id: str | None = None, conversation_id: str | None = None) -> Spending:
        """All calls summed; those of one run or conversation if it is named."""
        rows = self._db.mappings(select(*_sums()).where(*_chosen(run_id, conversation_id)))
        return Spending.model_validate(dict(rows[0]))

    def spending_by(
        self, column: Grouping, run_id: str | None = None, conversation_id: str | None = None
    ) -> dict[str, Spending]:
        """Calls summed by role, purpose, model, server or run; the most calls first."""
        group = CALLS.c[column]
        statement = select(group.label("of"), *_sums()).where(*_chosen(run_id, conversation_id)).group_by(group)
        rows = [dict(row) for row in self._db.mappings(statement.order_by(func.count().desc()))]
        return {str(row.pop("of")): Spending.model_validate(row) for row in rows}

    def models(self, run_id: str, role: str | None = None) -> list[str]:
        """The models that a run's calls went to, in one role or all, sorted."""
        models = select(CALLS.c.model).where(*_chosen(run_id, None, role)).distinct()
        return self._db.column(models.order_by(CALLS.c.model))

    def run_ids(self) -> set[str]:
        """The ids of the runs that calls belong to; "" for calls outside of any run."""
        return set(self._db.column(select(CALLS.c.run_id).distinct()))

    def delete_older(self, days: float) -> int:
        """Delete the calls that are older than so many days. Returns how many. Their runs keep all results."""
        return self._db.execute(delete(CALLS).where(CALLS.c.created_at < now() - timedelta(days=days)))

    def server_features(self, server: str, model: str) -> ServerFeatures | None:
        features = self._db.scalar(select(SERVERS.c.found).where(SERVERS.c.server == server, SERVERS.c.model == model))
        return ServerFeatures.model_validate(features) if features else None

    def all_server_features(self) -> list[ServerFeatures]:
        features = self._db.column(select(SERVERS.c.found).order_by(SERVERS.c.server, SERVERS.c.model))
        return [ServerFeatures.model_validate(found) for found in features]

    def save_server_features(self, features: ServerFeatures) -> None:
        row = {"server": features.server, "model": features.model, "found": features.model_dump(mode="json")}
        self._db.upsert(SERVERS, row, ("server", "model"))

    @with_reconnect
    def forget_server_features(self, server: str, model: str) -> None:
        """Forget a server's model, so that the next call finds out again."""
        probes = (CALLS.c.purpose == "Probe", CALLS.c.server == server, CALLS.c.model == model)
        with self._db.write() as connection:
            connection.execute(update(CALLS).where(*probes).values(key=""))  # stays in the log, but is found no more
            connection.execute(delete(SERVERS).where(SERVERS.c.server == server, SERVERS.c.model == model))

    def _calls(self, statement: Select[*tuple[Any, ...]]) -> list[Call]:
        return [Call.model_validate(dict(row)) for row in self._db.mappings(statement)]


def _chosen(run_id: str | None, conversation_id: str | None, role: str | None = None) -> list[ColumnElement[bool]]:
    filters = {"run_id": run_id, "conversation_id": conversation_id, "role": role}
    return [CALLS.c[name] == value for name, value in filters.items() if value is not None]


def _sums() -> list[Label[Any]]:
    plain = ("retries", "prompt_tokens", "cached_tokens", "completion_tokens", "cost", "seconds")
    return [
        func.count().label("calls"),
        func.count().filter(CALLS.c.error != "").label("failed"),
        func.count().filter(CALLS.c.cost.is_(None)).label("unpriced"),
        *(func.coalesce(func.sum(CALLS.c[name]), 0).label(name) for name in plain),
    ]
