"""The history of runs: those that were removed and may come back, who judged each, what went wrong in it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, update

from core.base.errors import BadInput
from core.store.calls import CALLS
from core.store.database import Database, now
from core.store.records import ConversationRow, RunRow
from core.store.retry import lasting
from core.store.runs import CONVERSATIONS, KEPT, REMOVED, RUNS, SCORES, TURNS

OVERALL = "overall"
_RUN = [RUNS.c[name] for name in RunRow.model_fields]
_CONVERSATION = [CONVERSATIONS.c[name] for name in ConversationRow.model_fields]


class RemovedRun(NamedTuple):
    """A run that was removed, and when; everything in it is still there."""

    run: RunRow
    at: datetime


class HistoryTables:
    """The part of the store that looks back on runs."""

    db: Database

    @lasting
    def remove_run(self, run_id: str) -> None:
        """Take a run out of every list; nothing in it is touched. Raises BadInput while it is going on."""
        with self.db.write() as connection:
            row = connection.execute(
                select(RUNS.c.status, RUNS.c.plan).where(RUNS.c.id == run_id, KEPT).with_for_update()
            ).first()
            if row and row.status == "running":
                raise BadInput(f"The run {run_id} is still running. Stop it first, then delete it.", "run_going_on")
            if row:
                _set_plan(connection, run_id, {**row.plan, REMOVED: now().isoformat()})

    @lasting
    def restore_run(self, run_id: str) -> None:
        """Put a run that was removed back, as it was."""
        with self.db.write() as connection:
            plan = connection.execute(select(RUNS.c.plan).where(RUNS.c.id == run_id, ~KEPT).with_for_update()).scalar()
            if plan:
                _set_plan(connection, run_id, _without_mark(plan))

    @lasting
    def bots_with_runs(self) -> list[str]:
        """The ids of all bots that runs are about, sorted; also those whose folder is gone."""
        with self.db.read() as connection:
            return sorted(str(name) for name in connection.execute(select(RUNS.c.bot).where(KEPT).distinct()).scalars())

    @lasting
    def removed_runs(self, bot: str | None = None) -> list[RemovedRun]:
        """The runs that were removed, the last one first; those of one bot where it is named."""
        wanted = select(*_RUN).where(~KEPT)
        if bot is not None:
            wanted = wanted.where(RUNS.c.bot == bot)
        with self.db.read() as connection:
            found = [_removed(dict(row)) for row in connection.execute(wanted).mappings()]
        return sorted(found, key=lambda each: each.at, reverse=True)

    @lasting
    def judges_of_runs(self, bot: str | None = None) -> dict[str, dict[str, str]]:
        """Who scored each run, in the order of the first turn's verdicts: {run: {judge: its headline criterion}}.

        The headline is Overall, else the judge's first criterion (as `core.analysis.aggregate.headline`).
        """
        joined = CONVERSATIONS.join(TURNS).join(SCORES)
        mine = CONVERSATIONS.c.run_id.is_not(None)
        mine = mine if bot is None else mine & (CONVERSATIONS.c.bot == bot)
        all_of = select(CONVERSATIONS.c.run_id, SCORES.c.judge, SCORES.c.criterion).select_from(joined)
        scored = select(SCORES.c.id).where(SCORES.c.turn_id == TURNS.c.id).exists()
        first = select(CONVERSATIONS.c.run_id, func.min(TURNS.c.id)).select_from(CONVERSATIONS.join(TURNS))
        found: dict[str, dict[str, str]] = {}
        with self.db.read() as connection:
            begun = connection.execute(first.where(mine, scored).group_by(CONVERSATIONS.c.run_id)).all()
            told = all_of.where(TURNS.c.id.in_([turn for _, turn in begun])).order_by(SCORES.c.id)
            rows: list[Any] = [*connection.execute(told)]
            for run_id, _ in begun:  # run by run: together it takes three times as long
                every = all_of.where(CONVERSATIONS.c.run_id == run_id).distinct()
                rows += sorted(tuple(row) for row in connection.execute(every))
        for row in rows:
            run_id, judge, criterion = (str(part) for part in row)
            judges = found.setdefault(run_id, {})
            judges[judge] = criterion if criterion == OVERALL else judges.get(judge, criterion)
        return found

    @lasting
    def failures(self, run_id: str, limit: int) -> list[ConversationRow]:
        """The conversations of a run that failed, the last one first, at most so many."""
        failed = (CONVERSATIONS.c.run_id == run_id) & (CONVERSATIONS.c.status == "failed")
        newest = (CONVERSATIONS.c.finished_at.desc().nulls_last(), CONVERSATIONS.c.number.desc())
        wanted = select(*_CONVERSATION).where(failed).order_by(*newest).limit(limit)
        with self.db.read() as connection:
            return [ConversationRow.model_validate(dict(row)) for row in connection.execute(wanted).mappings()]

    @lasting
    def calls_within(self, run_id: str, seconds: float) -> int:
        """How many calls a run made in the last so many seconds."""
        recent = (CALLS.c.run_id == run_id) & (CALLS.c.created_at > now() - timedelta(seconds=seconds))
        with self.db.read() as connection:
            return int(connection.execute(select(func.count()).select_from(CALLS).where(recent)).scalar_one())


def _set_plan(connection: Connection, run_id: str, plan: dict[str, Any]) -> None:
    connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(plan=plan))


def _without_mark(plan: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in plan.items() if name != REMOVED}


def _removed(row: dict[str, Any]) -> RemovedRun:
    at = datetime.fromisoformat(row["plan"][REMOVED])
    return RemovedRun(RunRow.model_validate({**row, "plan": _without_mark(row["plan"])}), at)
