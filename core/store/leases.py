"""Leases: each run under way belongs to one process, which says every few seconds that it still lives.

A process that died, or lost its run to another one, writes nothing more into it; another may take the run over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, case, func, or_, select, update

from core.store.database import Database, now
from core.store.tables import Base

RUNS: Table = Base.metadata.tables["runs"]
CONVERSATIONS: Table = Base.metadata.tables["conversations"]
TURNS: Table = Base.metadata.tables["turns"]
LEASE = 60.0  # seconds without a sign of life after which a run is up for others
OPEN = ("waiting", "running")


class LeaseLost(RuntimeError):
    """The run is over, or another process has taken it over: nothing was written."""


class LeaseTables:
    """The part of the store that says whose a run is."""

    db: Database

    def extend_leases(self, run_ids: Sequence[str], owner: str) -> None:
        """The owner still lives, and works on these runs."""
        mine = RUNS.c.id.in_(run_ids) & (RUNS.c.owner == owner) & (RUNS.c.status == "running")
        with self.db.write() as connection:
            connection.execute(update(RUNS).where(mine).values(leased_until=until()))

    def owners(self) -> set[str]:
        """Who works, or worked until it died, on runs that are not over."""
        with self.db.read() as connection:
            return set(connection.execute(select(RUNS.c.owner).where(RUNS.c.status == "running")).scalars())

    def end_leases(self, owner: str) -> None:
        """The owner is known to be no more: its runs are up for others at once."""
        with self.db.write() as connection:
            theirs = (RUNS.c.owner == owner) & (RUNS.c.status == "running")
            connection.execute(update(RUNS).where(theirs).values(leased_until=None))

    def interrupt_orphans(self) -> list[str]:
        """Mark the runs whose lease has expired as interrupted; gives their ids."""
        with self.db.read() as connection:  # most often there are none: no need to wait for the writer
            found = list(connection.execute(select(RUNS.c.id).where(_orphaned())).scalars())
        return [run_id for run_id in found if self._interrupt(run_id)]

    def take_over(self, run_id: str, owner: str, plan: Mapping[str, Any], retry_failed: bool = False) -> bool:
        """Let a run that is over, or whose process died, go on under a new owner; false where another one has it.

        What was not finished waits again; so does what failed where it shall be retried (its error stays meanwhile). The
        time since it ended is kept in its plan as `paused`, so that speed and duration do not count it.
        """
        free = or_(RUNS.c.status != "running", _orphaned())
        values: dict[str, Any] = {"status": "running", "owner": owner, "leased_until": until(), "error": ""}
        with self.db.write() as connection:
            values["plan"] = {**plan, "paused": _rested(connection, run_id)}
            taken = update(RUNS).where((RUNS.c.id == run_id) & free).values(**values, finished_at=None)
            if not connection.execute(taken).rowcount:
                return False
            close_open(connection, run_id)
            again = ("stopped", "failed") if retry_failed else ("stopped",)
            left = (CONVERSATIONS.c.run_id == run_id) & CONVERSATIONS.c.status.in_(again)
            connection.execute(update(CONVERSATIONS).where(left).values(status="waiting", finished_at=None))
        return True

    def _interrupt(self, run_id: str) -> bool:
        with self.db.write() as connection:
            values = {"status": "interrupted", "finished_at": last_sign(connection, run_id)}
            orphaned = (RUNS.c.id == run_id) & _orphaned()
            ended = bool(connection.execute(update(RUNS).where(orphaned).values(**values)).rowcount)
            if ended:
                close_open(connection, run_id)
        return ended


def last_sign(connection: Connection, run_id: str) -> Any:
    """When the last turn of a run whose process died was stored; now where there is none."""
    mine = (CONVERSATIONS.c.run_id == run_id) & (TURNS.c.conversation_id == CONVERSATIONS.c.id)
    return connection.execute(select(func.max(TURNS.c.created_at)).where(mine)).scalar() or now()


def _rested(connection: Connection, run_id: str) -> float:
    """Seconds that a run has rested so far: earlier pauses, and the time since it ended (or since its last turn)."""
    row = connection.execute(select(RUNS.c.plan, RUNS.c.finished_at).where(RUNS.c.id == run_id)).first()
    if row is None:
        return 0.0
    ended = row.finished_at or last_sign(connection, run_id)
    return float(row.plan.get("paused", 0.0)) + max(0.0, (now() - ended).total_seconds())


def until() -> Any:
    """When a lease that begins now expires."""
    return now() + timedelta(seconds=LEASE)


def run_of(conversation_id: Any) -> Any:
    """The run of a conversation, for `hold`."""
    return select(CONVERSATIONS.c.run_id).where(CONVERSATIONS.c.id == conversation_id).scalar_subquery()


def hold(connection: Connection, run_id: Any, owner: str | None) -> None:
    """Extend the lease on a run; raises LeaseLost where the run is not the owner's any more.

    owner: none where nobody's lease is asked for. In one transaction with what is then written, so that a process that
    was asleep for a while cannot write into what others have gone on with.
    """
    if owner is None:
        return
    mine = (RUNS.c.id == run_id) & (RUNS.c.owner == owner) & (RUNS.c.status == "running")
    if not connection.execute(update(RUNS).where(mine).values(leased_until=until())).rowcount:
        raise LeaseLost("another process has taken this run over")


def close_open(connection: Connection, run_id: str) -> None:
    """What a run that is over has left open is stopped; what was being retried has failed, as before."""
    still = (CONVERSATIONS.c.run_id == run_id) & CONVERSATIONS.c.status.in_(OPEN)
    connection.execute(update(CONVERSATIONS).where(still).values(status=left_as()))


def left_as() -> ColumnElement[str]:
    """The status of a conversation that was broken off: the error of a retry stays until the retry has worked."""
    return case((CONVERSATIONS.c.error != "", "failed"), else_="stopped")


def _orphaned() -> ColumnElement[bool]:
    expired = or_(RUNS.c.leased_until.is_(None), RUNS.c.leased_until < now())
    return (RUNS.c.status == "running") & expired
