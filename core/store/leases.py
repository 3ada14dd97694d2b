"""Leases: each running run belongs to one process, which renews its lease every few seconds.

A process that died, or lost its run to another one, can write nothing more into it; another may take the run over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, case, func, or_, select, update

from core.store.database import Repository, now, with_reconnect
from core.store.rows import PAUSED, STOPPING
from core.store.schema import CONVERSATIONS, RUNS, TURNS

Part = Literal["run", "conversation", "turn"]
LEASE_SECONDS = 60.0  # seconds without a heartbeat after which another process may take the run
OPEN = ("waiting", "running")


class LeaseLost(RuntimeError):
    """The run has ended, or another process has taken it over: nothing was written."""


class WriterReplaced(LeaseLost):
    """Another attempt at the conversation has begun, or it has ended: nothing was written."""


class Writer(NamedTuple):
    """Who writes into a run."""

    owner: str | None = None  # must own the run; None: the lease is not checked
    since: datetime | None = None  # start of this attempt at a conversation; None: there is only one attempt


ANYBODY = Writer()


class LeaseRepository(Repository):
    """Which process owns which run, and until when."""

    def extend(self, run_ids: Sequence[str], owner: str) -> None:
        self._db.execute(update(RUNS).where(RUNS.c.id.in_(run_ids), *_owned(owner)).values(leased_until=lease_end()))

    def owners(self) -> set[str]:
        """The owners of the runs that have not ended; some of them may have died."""
        return set(self._db.column(select(RUNS.c.owner).where(RUNS.c.status == "running")))

    def end(self, owner: str) -> None:
        """Release all runs of an owner that is known to have died."""
        self._db.execute(update(RUNS).where(*_owned(owner)).values(leased_until=None))

    def interrupt_orphans(self) -> list[str]:
        """Mark the runs whose lease has expired as interrupted. Returns their ids."""
        # Most often there is none: no need to wait for the writer
        return [run_id for run_id in self._db.column(select(RUNS.c.id).where(_orphaned())) if self._interrupt(run_id)]

    def take_over(self, run_id: str, owner: str, plan: Mapping[str, Any], retry_failed: bool = False) -> bool:
        """Give a run that has ended, or whose process died, to a new owner; False if another process has it.

        Unfinished conversations wait again, and so do failed ones if `retry_failed` (their errors stay meanwhile). The
        time since it ended is stored in its plan as PAUSED, so that speed and duration do not count it.
        """
        free, lease = or_(RUNS.c.status != "running", _orphaned()), lease_end()
        values: dict[str, Any] = {"status": "running", "owner": owner, "leased_until": lease, "error": ""}

        def take(connection: Connection) -> bool:
            if not lock_run(connection, (RUNS.c.id == run_id) & free):
                return False
            values["plan"] = {**plan, PAUSED: _seconds_paused(connection, run_id)}
            connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(**values, finished_at=None))
            close_open(connection, run_id)
            retried = ("stopped", "failed") if retry_failed else ("stopped",)
            to_retry = (CONVERSATIONS.c.run_id == run_id) & CONVERSATIONS.c.status.in_(retried)
            connection.execute(update(CONVERSATIONS).where(to_retry).values(status="waiting", finished_at=None))
            return True

        def done(connection: Connection) -> bool | None:
            mine = (RUNS.c.id == run_id) & (RUNS.c.owner == owner) & (RUNS.c.leased_until == lease)
            return True if connection.execute(select(RUNS.c.id).where(mine)).first() else None

        return self._db.transact(take, done)

    @with_reconnect
    def ask_to_stop(self, run_id: str, owner: str) -> None:
        """Ask all processes that work on a run for its owner to start nothing new."""
        mine = (RUNS.c.id == run_id, *_owned(owner))
        with self._db.write() as connection:
            plan = connection.execute(select(RUNS.c.plan).where(*mine).with_for_update()).scalar()
            if plan is not None:
                connection.execute(update(RUNS).where(*mine).values(plan={**plan, STOPPING: True}))

    def is_running(self, run_id: str, owner: str) -> bool:
        """Whether a run is the owner's, running, and not asked to stop."""
        going_on = select(RUNS.c.plan[STOPPING].as_string().is_(None)).where(RUNS.c.id == run_id, *_owned(owner))
        return bool(self._db.scalar(going_on))

    @with_reconnect
    def _interrupt(self, run_id: str) -> bool:
        with self._db.write() as connection:
            orphaned = lock_run(connection, (RUNS.c.id == run_id) & _orphaned())
            if orphaned:
                values = {"status": "interrupted", "finished_at": last_sign(connection, run_id)}
                connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(**values))
                close_open(connection, run_id)
        return orphaned


def _owned(owner: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return RUNS.c.owner == owner, RUNS.c.status == "running"


def _orphaned() -> ColumnElement[bool]:
    expired = or_(RUNS.c.leased_until.is_(None), RUNS.c.leased_until < now())
    return (RUNS.c.status == "running") & expired


def last_sign(connection: Connection, run_id: str) -> datetime:
    """When a run whose process died last began a conversation or stored a turn; now if it did neither."""
    mine = CONVERSATIONS.c.run_id == run_id
    turns = select(func.max(TURNS.c.created_at)).where(mine, TURNS.c.conversation_id == CONVERSATIONS.c.id)
    last_start = select(func.max(CONVERSATIONS.c.started_at)).where(mine)
    return max(
        (moment for query in (turns, last_start) if (moment := connection.execute(query).scalar())), default=now()
    )


def _seconds_paused(connection: Connection, run_id: str) -> float:
    """Seconds a run was paused: earlier pauses, and the time since it ended (or since its last turn)."""
    row = connection.execute(select(RUNS.c.plan, RUNS.c.finished_at).where(RUNS.c.id == run_id)).first()
    if row is None:
        return 0.0
    ended = row.finished_at or last_sign(connection, run_id)
    return float(row.plan.get(PAUSED, 0.0)) + max(0.0, (now() - ended).total_seconds())


def lease_end() -> datetime:
    """When a lease that begins now expires."""
    return now() + timedelta(seconds=LEASE_SECONDS)


def check_lease(connection: Connection, part: Part, of: str | int, writer: Writer) -> None:
    """Keep a run from being taken over, and a conversation from another attempt, before this transaction ends.

    part, of: the run, or a conversation or turn of it, by its id. Raises LeaseLost, WriterReplaced. Called in the
    transaction that writes, so that a process that was asleep cannot write into a run that others have resumed. On
    PostgreSQL many writers of one run hold its lease in parallel, and heartbeats extend it meanwhile; a process that
    wants to take the run over waits for them.
    """
    if part == "turn":
        conversation: Any = select(TURNS.c.conversation_id).where(TURNS.c.id == of).scalar_subquery()
    else:
        conversation = of
    c = CONVERSATIONS.c
    if writer.owner is not None:
        run: Any = of if part == "run" else select(c.run_id).where(c.id == conversation).scalar_subquery()
        leased = select(RUNS.c.id).where(RUNS.c.id == run, *_owned(writer.owner))
        if not connection.execute(leased.with_for_update(read=True, key_share=True)).first():
            raise LeaseLost("another process has taken this run over")
    if writer.since is not None:
        attempt = select(c.id).where(c.id == conversation, c.status == "running", c.started_at == writer.since)
        if not connection.execute(attempt.with_for_update(key_share=True)).first():
            raise WriterReplaced("another attempt at this conversation has begun")


def lock_run(connection: Connection, of: ColumnElement[bool]) -> bool:
    """Lock a run if it meets a condition; nobody else can write into it or lock it until this transaction ends."""
    return connection.execute(select(RUNS.c.id).where(of).with_for_update()).first() is not None


def close_open(connection: Connection, run_id: str) -> None:
    """Stop the open conversations of a run that has ended; those being retried have failed, as before."""
    still = (CONVERSATIONS.c.run_id == run_id) & CONVERSATIONS.c.status.in_(OPEN)
    connection.execute(update(CONVERSATIONS).where(still).values(status=stopped_status()))


def stopped_status() -> ColumnElement[str]:
    """The status of a stopped conversation: one with an error stays failed until its retry has worked."""
    return case((CONVERSATIONS.c.error != "", "failed"), else_="stopped")
