"""Leases: each run under way belongs to one process, which says every few seconds that it still lives.

A process that died, or lost its run to another one, writes nothing more into it; another may take the run over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, case, func, or_, select, update

from core.store.database import Database, now
from core.store.records import STOPPING
from core.store.retry import lasting
from core.store.schema import Base

RUNS: Table = Base.metadata.tables["runs"]
CONVERSATIONS: Table = Base.metadata.tables["conversations"]
TURNS: Table = Base.metadata.tables["turns"]
Part = Literal["run", "conversation", "turn"]
LEASE = 60.0  # seconds without a sign of life after which a run is up for others
OPEN = ("waiting", "running")


class LeaseLost(RuntimeError):
    """The run is over, or another process has taken it over: nothing was written."""


class ClaimLost(LeaseLost):
    """Another attempt at the conversation has begun, or it is over: nothing was written."""


class LeaseTables:
    """The part of the store that says whose a run is."""

    db: Database

    @lasting
    def extend_leases(self, run_ids: Sequence[str], owner: str) -> None:
        """The owner still lives, and works on these runs."""
        mine = RUNS.c.id.in_(run_ids) & (RUNS.c.owner == owner) & (RUNS.c.status == "running")
        with self.db.write() as connection:
            connection.execute(update(RUNS).where(mine).values(leased_until=until()))

    @lasting
    def owners(self) -> set[str]:
        """Who works, or worked until it died, on runs that are not over."""
        with self.db.read() as connection:
            return set(connection.execute(select(RUNS.c.owner).where(RUNS.c.status == "running")).scalars())

    @lasting
    def end_leases(self, owner: str) -> None:
        """The owner is known to be no more: its runs are up for others at once."""
        with self.db.write() as connection:
            theirs = (RUNS.c.owner == owner) & (RUNS.c.status == "running")
            connection.execute(update(RUNS).where(theirs).values(leased_until=None))

    @lasting
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
        lease = until()
        values: dict[str, Any] = {"status": "running", "owner": owner, "leased_until": lease, "error": ""}

        def take(connection: Connection) -> bool:
            if not seized(connection, (RUNS.c.id == run_id) & free):
                return False
            values["plan"] = {**plan, "paused": _rested(connection, run_id)}
            connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(**values, finished_at=None))
            close_open(connection, run_id)
            again = ("stopped", "failed") if retry_failed else ("stopped",)
            left = (CONVERSATIONS.c.run_id == run_id) & CONVERSATIONS.c.status.in_(again)
            connection.execute(update(CONVERSATIONS).where(left).values(status="waiting", finished_at=None))
            return True

        def taken(connection: Connection) -> bool | None:
            mine = (RUNS.c.id == run_id) & (RUNS.c.owner == owner) & (RUNS.c.leased_until == lease)
            return True if connection.execute(select(RUNS.c.id).where(mine)).first() else None

        return self.db.transact(take, taken)

    @lasting
    def ask_to_stop(self, run_id: str, owner: str) -> None:
        """Whoever works for the owner on a run, in whatever process, shall begin nothing new in it."""
        mine = (RUNS.c.id == run_id) & (RUNS.c.owner == owner) & (RUNS.c.status == "running")
        with self.db.write() as connection:
            plan = connection.execute(select(RUNS.c.plan).where(mine).with_for_update()).scalar()
            if plan is not None:
                connection.execute(update(RUNS).where(mine).values(plan={**plan, STOPPING: True}))

    @lasting
    def goes_on(self, run_id: str, owner: str) -> bool:
        """Whether a run is the owner's, under way, and not asked to stop."""
        mine = (RUNS.c.id == run_id) & (RUNS.c.owner == owner) & (RUNS.c.status == "running")
        with self.db.read() as connection:
            found = connection.execute(select(RUNS.c.plan[STOPPING].as_string().is_(None)).where(mine)).scalar()
        return bool(found)

    def _interrupt(self, run_id: str) -> bool:
        with self.db.write() as connection:
            ended = seized(connection, (RUNS.c.id == run_id) & _orphaned())
            if ended:
                values = {"status": "interrupted", "finished_at": last_sign(connection, run_id)}
                connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(**values))
                close_open(connection, run_id)
        return ended


def last_sign(connection: Connection, run_id: str) -> Any:
    """When a run whose process died last began a conversation or stored a turn; now where it did neither."""
    mine = CONVERSATIONS.c.run_id == run_id
    turns = select(func.max(TURNS.c.created_at)).where(mine, TURNS.c.conversation_id == CONVERSATIONS.c.id)
    begun = select(func.max(CONVERSATIONS.c.started_at)).where(mine)
    known = [moment for one in (turns, begun) if (moment := connection.execute(one).scalar())]
    return max(known, default=now())


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


def _held(run_id: Any) -> Select[Any]:
    """Finds a run that is the owner's (`owner`), and locks it."""
    mine = (RUNS.c.id == run_id) & (RUNS.c.owner == bindparam("owner")) & (RUNS.c.status == "running")
    return select(RUNS.c.id).where(mine).with_for_update(read=True, key_share=True)


_OF_TURN = select(TURNS.c.conversation_id).where(TURNS.c.id == bindparam("of")).scalar_subquery()
_CLAIM = (CONVERSATIONS.c.status == "running") & (CONVERSATIONS.c.started_at == bindparam("claim"))
_CLAIMED = select(CONVERSATIONS.c.id).where(_CLAIM).with_for_update(key_share=True)
_RUN_OF = select(CONVERSATIONS.c.run_id)
# Made once: each writer of a run needs them for every row
_HELD: dict[Part, Select[Any]] = {
    "run": _held(bindparam("of")),
    "conversation": _held(_RUN_OF.where(CONVERSATIONS.c.id == bindparam("of")).scalar_subquery()),
    "turn": _held(_RUN_OF.where(CONVERSATIONS.c.id == _OF_TURN).scalar_subquery()),
}
_CLAIMS: dict[Part, Select[Any]] = {
    "conversation": _CLAIMED.where(CONVERSATIONS.c.id == bindparam("of")),
    "turn": _CLAIMED.where(CONVERSATIONS.c.id == _OF_TURN),
}


def hold(connection: Connection, part: Part, of: str | int, owner: str | None) -> None:
    """Keep a run from being taken over before this transaction ends; raises LeaseLost where it is not the owner's any more.

    part, of: the run, or a conversation or turn of it, by its id; owner: none where nobody's lease is asked for. In one
    transaction with what is then written, so that a process that was asleep for a while cannot write into what others
    have gone on with. On PostgreSQL many writers of one run may `hold` it side by side, and heartbeats extend its lease
    meanwhile; whoever wants to seize it waits for them.
    """
    if owner is not None and not connection.execute(_HELD[part], {"of": of, "owner": owner}).first():
        raise LeaseLost("another process has taken this run over")


def hold_claim(connection: Connection, part: Part, of: str | int, claim: datetime | None) -> None:
    """Keep a conversation from another attempt before this transaction ends; raises ClaimLost where it has gone to one.

    part, of: the conversation, or a turn of it; claim: the moment by which `start_conversation` knows the attempt, none
    where there is only one.
    """
    if claim is not None and not connection.execute(_CLAIMS[part], {"of": of, "claim": claim}).first():
        raise ClaimLost("another attempt at this conversation has begun")


def seized(connection: Connection, of: ColumnElement[bool]) -> bool:
    """Whether a run is as asked; if so nobody else can `hold` or seize it until this transaction ends."""
    return connection.execute(select(RUNS.c.id).where(of).with_for_update()).first() is not None


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
