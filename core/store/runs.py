"""Runs: their beginning and end, their names, and the trash."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, delete, func, insert, select, update

from core.base.errors import BadInput
from core.store.database import Repository, now, with_reconnect
from core.store.leases import close_open, lease_end, lock_run
from core.store.rows import PAUSED, TRASHED, ConversationRow, Progress, RunRow, TrashedRun
from core.store.schema import CONVERSATIONS, RUNS, TURNS

_LOG = logging.getLogger(__name__)
MAX_NAME = 200  # characters of a run's name
NOT_TRASHED = RUNS.c.plan[TRASHED].as_string().is_(None)
_RUN = select(*(RUNS.c[name] for name in RunRow.model_fields))


def unknown_run(run_id: str) -> BadInput:
    """The error if there is no run of an id."""
    return BadInput(f"There is no run {run_id!r}. See `python -m core runs` for the ids.", "unknown_run", id=run_id)


class RunRepository(Repository):
    def create(self, run: RunRow, snapshot: Mapping[str, Any], conversations: Sequence[ConversationRow]) -> None:
        """Store a run with everything it used and all its conversations, in one transaction."""
        row = {**run.model_dump(), "leased_until": lease_end(), "snapshot": dict(snapshot)}
        rows = [{**conversation.model_dump(), "chat": False, "profile": None} for conversation in conversations]

        def create(connection: Connection) -> bool:
            connection.execute(insert(RUNS), row)
            if rows:
                connection.execute(insert(CONVERSATIONS), rows)
            return True

        same_run = (RUNS.c.id == run.id) & (RUNS.c.owner == run.owner) & (RUNS.c.created_at == run.created_at)
        self._db.transact(create, lambda connection: _exists(connection, select(RUNS.c.id).where(same_run)))

    def get(self, run_id: str) -> RunRow | None:
        """The run, or None if there is no such id (or the run is in the trash)."""
        rows = self._db.mappings(_RUN.where(RUNS.c.id == run_id, NOT_TRASHED))
        return _run_row(rows[0]) if rows else None

    def require(self, run_id: str) -> RunRow:
        """The run; raises BadInput (`unknown_run`) if there is none."""
        if run := self.get(run_id):
            return run
        raise unknown_run(run_id)

    def all(self, bot: str | None = None) -> list[RunRow]:
        """All runs outside of the trash, newest first; those of one bot if it is named. Damaged ones are left out."""
        order = (RUNS.c.created_at.desc(), RUNS.c.id)
        try:
            return [_run_row(row) for row in self._db.mappings(_of_bot(_RUN.where(NOT_TRASHED), bot).order_by(*order))]
        except Exception as error:
            _raise_unless_damaged(error)
        runs: list[RunRow] = []
        for run_id in self._db.column(_of_bot(select(RUNS.c.id), bot).order_by(*order)):
            try:
                runs += [run] if (run := self.get(run_id)) else []
            except Exception as error:
                _raise_unless_damaged(error)
                _LOG.error("The run %s is damaged and is left out. See `python -m core check`.", run_id)
        return runs

    def bots(self) -> list[str]:
        """The ids of all bots that runs are about, sorted; also those whose folder is gone."""
        return sorted(self._db.column(select(RUNS.c.bot).where(NOT_TRASHED).distinct()))

    def snapshot(self, run_id: str) -> dict[str, Any]:
        """Everything the run used (`core.runs.snapshot.Snapshot` as a dict); empty if there is no such run."""
        return self._db.scalar(select(RUNS.c.snapshot).where(RUNS.c.id == run_id)) or {}

    @with_reconnect
    def progress(self, run_id: str) -> Progress:
        """How far a run is; raises KeyError if there is no such run."""
        of_run = CONVERSATIONS.c.run_id == run_id
        counted = select(CONVERSATIONS.c.status, func.count()).where(of_run).group_by(CONVERSATIONS.c.status)
        turn_count = select(func.count()).where(TURNS.c.conversation_id.in_(select(CONVERSATIONS.c.id).where(of_run)))
        with self._db.read() as connection:
            row = connection.execute(_RUN.where(RUNS.c.id == run_id)).mappings().first()
            counts = {str(status): int(count) for status, count in connection.execute(counted)}
            turns = connection.execute(turn_count).scalar_one()
        if row is None:
            raise KeyError(run_id)
        return _progress(_run_row(row), float(row["plan"].get(PAUSED, 0.0)), counts, turns)

    @with_reconnect
    def finish(self, run_id: str, status: str, error: str = "", owner: str | None = None) -> None:
        """A run is over ("done", "stopped", "interrupted"), `error` says why; open conversations are stopped.

        A run that is over already keeps its status: two processes may come to see the end of one run.
        """
        under_way = (RUNS.c.id == run_id) & (RUNS.c.status == "running")
        if owner is not None:
            under_way &= RUNS.c.owner == owner
        values = {"status": status, "finished_at": now(), **({"error": error} if error else {})}
        with self._db.write() as connection:
            if lock_run(connection, under_way):
                connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(**values))
                close_open(connection, run_id)

    @with_reconnect
    def reopen(self, run_id: str, owner: str) -> None:
        """Take up a run that was stopped: its stopped conversations wait again, and `owner` works on it."""
        stopped = (CONVERSATIONS.c.run_id == run_id) & (CONVERSATIONS.c.status == "stopped")
        lease = {"owner": owner, "leased_until": lease_end()}
        with self._db.write() as connection:
            connection.execute(update(CONVERSATIONS).where(stopped).values(status="waiting"))
            reopened = update(RUNS).where(RUNS.c.id == run_id).values(status="running", finished_at=None, error="")
            connection.execute(reopened.values(**lease))

    def rename(self, run_id: str, name: str) -> None:
        self._db.execute(update(RUNS).where(RUNS.c.id == run_id).values(name=name.strip()[:MAX_NAME]))

    @with_reconnect
    def delete(self, run_id: str) -> None:
        """Delete a run for good, with its conversations, turns and scores; raises BadInput while it is going on."""
        with self._db.write() as connection:
            deleted = connection.execute(delete(RUNS).where(RUNS.c.id == run_id, RUNS.c.status != "running"))
            if not deleted.rowcount and _exists(connection, select(RUNS.c.id).where(RUNS.c.id == run_id)):
                raise _still_running(run_id)

    @with_reconnect
    def trash(self, run_id: str) -> None:
        """Move a run to the trash: it is in no list, nothing in it is touched. Raises BadInput while it is going on."""
        statement = select(RUNS.c.status, RUNS.c.plan).where(RUNS.c.id == run_id, NOT_TRASHED).with_for_update()
        with self._db.write() as connection:
            row = connection.execute(statement).first()
            if row and row.status == "running":
                raise _still_running(run_id)
            if row:
                _set_plan(connection, run_id, {**row.plan, TRASHED: now().isoformat()})

    @with_reconnect
    def restore(self, run_id: str) -> None:
        """Take a run out of the trash, as it was."""
        statement = select(RUNS.c.plan).where(RUNS.c.id == run_id, ~NOT_TRASHED).with_for_update()
        with self._db.write() as connection:
            if plan := connection.execute(statement).scalar():
                _set_plan(connection, run_id, {name: value for name, value in plan.items() if name != TRASHED})

    def trashed(self, bot: str | None = None) -> list[TrashedRun]:
        """The runs in the trash, the last one first; those of one bot if it is named."""
        rows = self._db.mappings(_of_bot(_RUN.where(~NOT_TRASHED), bot))
        trashed = [TrashedRun(_run_row(row), datetime.fromisoformat(row["plan"][TRASHED])) for row in rows]
        return sorted(trashed, key=lambda run: run.at, reverse=True)


def _raise_unless_damaged(error: Exception) -> None:
    """A damaged record may make anything of itself; what else a BadInput says is wrong with the whole database."""
    if isinstance(error, BadInput) and error.key != "database_damaged":
        raise error


def _run_row(row: RowMapping) -> RunRow:
    return RunRow.model_validate(dict(row))


def _of_bot(statement: Select[*tuple[Any, ...]], bot: str | None) -> Select[*tuple[Any, ...]]:
    return statement if bot is None else statement.where(RUNS.c.bot == bot)


def _exists(connection: Connection, statement: Select[*tuple[Any, ...]]) -> bool | None:
    """True if there is such a row, else None."""
    return True if connection.execute(statement).first() else None


def _set_plan(connection: Connection, run_id: str, plan: dict[str, Any]) -> None:
    connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(plan=plan))


def _still_running(run_id: str) -> BadInput:
    return BadInput(f"The run {run_id} is still running. Stop it first, then delete it.", "run_delete_running")


def _progress(run: RunRow, paused: float, counts: Mapping[str, int], turns: int) -> Progress:
    seconds = max(0.0, ((run.finished_at or now()) - run.created_at).total_seconds() - paused)
    over = counts.get("done", 0) + counts.get("failed", 0)
    speed = over / seconds if seconds > 0 else 0.0
    unfinished = counts.get("waiting", 0) + counts.get("running", 0)
    eta = unfinished / speed if speed and run.status == "running" else None
    states = {name: counts.get(name, 0) for name in ("done", "failed", "stopped", "running")}
    return Progress(
        status=run.status, total=run.total, turns=turns, seconds=seconds, per_second=speed, eta_seconds=eta, **states
    )
