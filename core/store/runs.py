"""Runs in the database: their beginning and end, and what pages read of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, Table, case, delete, func, insert, literal, select, update

from core.base.errors import BadInput
from core.base.heap import building
from core.base.types import Scenario
from core.store.database import Database, now
from core.store.leases import OPEN, close_open, hold, hold_claim, left_as, seized, until
from core.store.quick import Whose, begin, finish
from core.store.records import ConversationRow, Progress, RunRow
from core.store.retry import lasting
from core.store.schema import Base
from core.store.text_columns import bare

RUNS: Table = Base.metadata.tables["runs"]
CONVERSATIONS: Table = Base.metadata.tables["conversations"]
TURNS: Table = Base.metadata.tables["turns"]
SCORES: Table = Base.metadata.tables["scores"]
CASE = {  # what tells one conversation of a run from another, by the names that frames have
    "conversation": CONVERSATIONS.c.id,
    "number": CONVERSATIONS.c.number,
    "scenario": CONVERSATIONS.c.scenario_id,
    "question": CONVERSATIONS.c.question,
    "kind": CONVERSATIONS.c.kind,
    "persona": CONVERSATIONS.c.persona_id,
    "persona_name": CONVERSATIONS.c.persona_name,
    "repeat": CONVERSATIONS.c.repeat,
}
_RUN = [column for column in RUNS.c if column.name != "snapshot"]
_CONVERSATION = [CONVERSATIONS.c[name] for name in ConversationRow.model_fields]
_CONVERSATIONS = TypeAdapter(list[ConversationRow])
REMOVED = "removed_at"  # in the plan of a run that was removed and may come back
KEPT = RUNS.c.plan[REMOVED].as_string().is_(None)


class RunTables:
    """The part of the store that keeps runs."""

    db: Database

    def create_run(self, run: RunRow, snapshot: Mapping[str, Any], conversations: Sequence[ConversationRow]) -> None:
        """Store a run with everything it used and all its conversations, in one transaction."""
        nothing = {"chat": False, "profile": None}

        def create(connection: Connection) -> bool:
            connection.execute(insert(RUNS), {**run.model_dump(), "leased_until": until(), "snapshot": dict(snapshot)})
            if conversations:
                rows = [{**row.model_dump(), **nothing} for row in conversations]
                connection.execute(insert(CONVERSATIONS), rows)
            return True

        ours = (RUNS.c.id == run.id) & (RUNS.c.owner == run.owner) & (RUNS.c.created_at == run.created_at)
        self.db.transact(create, lambda connection: _true(connection, RUNS, ours))

    def start_conversation(self, conversation_id: str, owner: str | None = None, claim: datetime | None = None) -> bool:
        """Claim a waiting conversation; false where it does not wait any more.

        `owner`, here and in all that writes into a run: whose the run has to be; raises LeaseLost where it is not. `claim`, likewise: the
        moment of this attempt, where several may be made at one conversation. It is then also taken from an earlier
        attempt, which can write nothing more: raises ClaimLost.
        """
        this, moment = CONVERSATIONS.c.id == conversation_id, claim or now()
        if begin(self.db, Whose(conversation_id, owner, claim), moment):
            return True
        free = CONVERSATIONS.c.status.in_(OPEN if claim else ("waiting",))

        def take(connection: Connection) -> bool:
            hold(connection, "conversation", conversation_id, owner)
            taken = update(CONVERSATIONS).where(this & free).values(status="running", started_at=moment)
            return bool(connection.execute(taken).rowcount)

        ours = this & (CONVERSATIONS.c.status == "running") & (CONVERSATIONS.c.started_at == moment)
        return self.db.transact(take, lambda connection: _true(connection, CONVERSATIONS, ours))

    @lasting
    def finish_conversation(
        self,
        conversation_id: str,
        ending: str,
        closing: str = "",
        owner: str | None = None,
        claim: datetime | None = None,
    ) -> None:
        """A conversation came to its end; `closing` is the user's last word. The error of an earlier try is gone."""
        if finish(self.db, Whose(conversation_id, owner, claim), ending, closing, now()):
            return
        done = {"status": "done", "ending": ending, "closing": closing, "error": ""}
        self._set(conversation_id, owner, claim, **done, finished_at=now())

    @lasting
    def finish_waiting(self, conversation_id: str) -> None:
        """An answer of a file is judged; a conversation of a simulation keeps the status it has."""
        waiting = (CONVERSATIONS.c.id == conversation_id) & (CONVERSATIONS.c.status == "waiting")
        with self.db.write() as connection:
            connection.execute(update(CONVERSATIONS).where(waiting).values(status="done", finished_at=now()))

    @lasting
    def fail_conversation(
        self, conversation_id: str, error: str, owner: str | None = None, claim: datetime | None = None
    ) -> None:
        """A conversation broke off; its turns so far stay, and so does the error of an earlier try."""
        self._set(conversation_id, owner, claim, status="failed", error=_first_error(error), finished_at=now())

    @lasting
    def stop_conversation(self, conversation_id: str, owner: str | None = None, claim: datetime | None = None) -> None:
        """A conversation was stopped; its turns so far stay."""
        self._set(conversation_id, owner, claim, status=left_as(), finished_at=now())

    @lasting
    def fail_waiting(self, run_id: str, error: str, owner: str | None = None) -> None:
        """Nothing of a run could begin: every waiting conversation failed for the same reason."""
        waiting = (CONVERSATIONS.c.run_id == run_id) & (CONVERSATIONS.c.status == "waiting")
        with self.db.write() as connection:
            hold(connection, "run", run_id, owner)
            values = {"status": "failed", "error": _first_error(error), "finished_at": now()}
            connection.execute(update(CONVERSATIONS).where(waiting).values(**values))
            connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(error=error))

    @lasting
    def finish_run(self, run_id: str, status: str, error: str = "", owner: str | None = None) -> None:
        """A run is over ("done", "stopped", "interrupted"), `error` says why; open conversations are stopped.

        What is over already keeps its status: two processes may come to see the end of one run.
        """
        going_on = (RUNS.c.id == run_id) & (RUNS.c.status == "running")
        if owner is not None:
            going_on &= RUNS.c.owner == owner
        values = {"status": status, "finished_at": now(), **({"error": error} if error else {})}
        with self.db.write() as connection:
            if seized(connection, going_on):
                connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(**values))
                close_open(connection, run_id)

    @lasting
    def reopen_run(self, run_id: str, owner: str) -> None:
        """Take up a run that was stopped: its stopped conversations wait again, and `owner` works on it."""
        stopped = (CONVERSATIONS.c.run_id == run_id) & (CONVERSATIONS.c.status == "stopped")
        with self.db.write() as connection:
            connection.execute(update(CONVERSATIONS).where(stopped).values(status="waiting"))
            changes = {"status": "running", "finished_at": None, "error": "", "owner": owner, "leased_until": until()}
            connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(**changes))

    @lasting
    def rename_run(self, run_id: str, name: str) -> None:
        """Give a run another name."""
        with self.db.write() as connection:
            connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(name=name.strip()[:200]))

    @lasting
    def delete_run(self, run_id: str) -> None:
        """Remove a run with its conversations, turns and scores; raises BadInput while it is going on."""
        with self.db.write() as connection:
            gone = connection.execute(delete(RUNS).where(RUNS.c.id == run_id, RUNS.c.status != "running"))
            if not gone.rowcount and connection.execute(select(RUNS.c.id).where(RUNS.c.id == run_id)).first():
                raise BadInput(f"The run {run_id} is still running. Stop it first, then delete it.", "run_going_on")

    @lasting
    def runs(self, bot: str | None = None) -> list[RunRow]:
        """All runs that were not removed, newest first; those of one bot where it is named."""
        wanted = select(*_RUN).where(KEPT).order_by(RUNS.c.created_at.desc(), RUNS.c.id)
        if bot is not None:
            wanted = wanted.where(RUNS.c.bot == bot)
        with self.db.read() as connection:
            return [RunRow.model_validate(dict(row)) for row in connection.execute(wanted).mappings()]

    @lasting
    def run(self, run_id: str) -> RunRow | None:
        """The run, or none where there is no such id (or the run was removed)."""
        with self.db.read() as connection:
            row = connection.execute(select(*_RUN).where(RUNS.c.id == run_id, KEPT)).mappings().first()
        return RunRow.model_validate(dict(row)) if row else None

    @lasting
    def snapshot(self, run_id: str) -> dict[str, Any]:
        """Everything the run used (`core.runs.snapshot.Snapshot` as a dict); empty where there is no such run."""
        with self.db.read() as connection:
            return connection.execute(select(RUNS.c.snapshot).where(RUNS.c.id == run_id)).scalar() or {}

    @lasting
    def conversations(self, run_id: str, status: str | None = None) -> list[ConversationRow]:
        """The conversations of a run by number; only those of one status where it is named."""
        columns = [bare(column, self.db.engine.dialect.name) for column in _CONVERSATION]
        wanted = select(*columns).where(CONVERSATIONS.c.run_id == run_id).order_by(CONVERSATIONS.c.number)
        if status is not None:
            wanted = wanted.where(CONVERSATIONS.c.status == status)
        with self.db.read() as connection, building():
            found = connection.execute(wanted).all()
            rows = [dict(zip(ConversationRow.model_fields, row, strict=True)) for row in found]
            scenario = cache(Scenario.model_validate_json)  # each is asked by several people, and takes time to read
            for row in rows:
                if isinstance(row["scenario"], str):
                    row["scenario"] = scenario(row["scenario"])
            return _CONVERSATIONS.validate_python(rows)

    @lasting
    def conversation(self, conversation_id: str) -> ConversationRow | None:
        """The conversation of a run, or none where there is no such id."""
        c = CONVERSATIONS.c
        wanted = select(*_CONVERSATION).where(c.id == conversation_id, c.run_id.is_not(None))
        with self.db.read() as connection:
            row = connection.execute(wanted).mappings().first()
        return ConversationRow.model_validate(dict(row)) if row else None

    @lasting
    def failed_in(self, run_ids: Iterable[str]) -> dict[str, int]:
        """How many conversations failed, of each run that has some."""
        c = CONVERSATIONS.c
        wanted = select(c.run_id, func.count()).where(c.run_id.in_(list(run_ids)), c.status == "failed")
        with self.db.read() as connection:
            return {str(run): int(count) for run, count in connection.execute(wanted.group_by(c.run_id))}

    @lasting
    def progress(self, run_id: str) -> Progress:
        """How far a run is; raises KeyError where there is no such run."""
        counted = select(CONVERSATIONS.c.status, func.count()).where(CONVERSATIONS.c.run_id == run_id)
        ours = select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.run_id == run_id)
        with self.db.read() as connection:
            run = connection.execute(select(*_RUN).where(RUNS.c.id == run_id)).mappings().first()
            found = connection.execute(counted.group_by(CONVERSATIONS.c.status)).all()
            turns = connection.execute(select(func.count()).where(TURNS.c.conversation_id.in_(ours))).scalar_one()
        if run is None:
            raise KeyError(run_id)
        return _progress(RunRow.model_validate(dict(run)), {status: int(count) for status, count in found}, turns)

    def _set(self, conversation_id: str, owner: str | None, claim: datetime | None, **values: Any) -> None:
        with self.db.write() as connection:
            hold(connection, "conversation", conversation_id, owner)
            hold_claim(connection, "conversation", conversation_id, claim)
            connection.execute(update(CONVERSATIONS).where(CONVERSATIONS.c.id == conversation_id).values(**values))


def _true(connection: Connection, table: Table, such: ColumnElement[bool]) -> bool | None:
    """True where there is such a row, else none."""
    return True if connection.execute(select(table.c.id).where(such)).first() else None


def _first_error(error: str) -> Any:
    """The error of a conversation: that of an earlier try where there is one."""
    return case((CONVERSATIONS.c.error != "", CONVERSATIONS.c.error), else_=literal(error, CONVERSATIONS.c.error.type))


def _progress(run: RunRow, counts: Mapping[str, int], turns: int) -> Progress:
    paused = float(run.plan.get("paused", 0.0))
    seconds = max(0.0, ((run.finished_at or now()) - run.created_at).total_seconds() - paused)
    over = counts.get("done", 0) + counts.get("failed", 0)
    speed = over / seconds if seconds > 0 else 0.0
    left = counts.get("waiting", 0) + counts.get("running", 0)
    eta = left / speed if speed and run.status == "running" else None
    states = {name: counts.get(name, 0) for name in ("done", "failed", "stopped", "running", "waiting")}
    return Progress(
        status=run.status, total=run.total, turns=turns, seconds=seconds, per_second=speed, eta_seconds=eta, **states
    )
