"""Reading turns: transcripts with their scores and feedback, and the table of all scores of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, cast

import pandas as pd
from sqlalchemy import Connection, RowMapping, Table, distinct, func, select

from core.base.types import Sample, Turn
from core.store.database import Database
from core.store.frame import whole_frame
from core.store.lasting import lasting
from core.store.rows import FeedbackRow, JudgeVersion, ScoreRow, TurnRow
from core.store.runs import CONVERSATIONS, RUNS, SCORES, TURNS, score_row
from core.store.tables import Base

FEEDBACK: Table = Base.metadata.tables["feedback"]
_COLUMNS = {
    "conversation": CONVERSATIONS.c.id,
    "number": CONVERSATIONS.c.number,
    "scenario": CONVERSATIONS.c.scenario_id,
    "question": CONVERSATIONS.c.question,
    "kind": CONVERSATIONS.c.kind,
    "persona": CONVERSATIONS.c.persona_id,
    "persona_name": CONVERSATIONS.c.persona_name,
    "repeat": CONVERSATIONS.c.repeat,
    "turn": TURNS.c.number,
    "decision": TURNS.c.decision,
    "answered": TURNS.c.answered,
    "judge": SCORES.c.judge,
    "criterion": SCORES.c.criterion,
    "value": SCORES.c.value,
    "label": SCORES.c.label,
    "reasons": SCORES.c.reasons,
    "error": SCORES.c.error,
    "version": SCORES.c.version,
}
SCORE_COLUMNS = tuple(_COLUMNS)


class TurnTables:
    """The part of the store that reads turns."""

    db: Database

    def transcript(self, conversation_id: str) -> list[TurnRow]:
        """The turns of a conversation in order, each with its scores and feedback."""
        return transcript(self.db, conversation_id)

    @lasting
    def run_scores(self, bot: str | None = None, judge: str = "turn", criterion: str = "overall") -> dict[str, float]:
        """The score of each run that has one, by its id, as `core.report.summary` counts it but quick for a list."""
        mine = (SCORES.c.judge == judge) & CONVERSATIONS.c.run_id.is_not(None)
        mine = mine if bot is None else mine & (CONVERSATIONS.c.bot == bot)
        joined = CONVERSATIONS.join(TURNS).join(SCORES)
        group = (CONVERSATIONS.c.run_id, SCORES.c.version)
        widths = select(*group, func.count(distinct(SCORES.c.turn_id)), func.max(SCORES.c.id))
        turns = (
            select(*group, CONVERSATIONS.c.id, func.avg(SCORES.c.value).label("score"))  # over repeated verdicts
            .select_from(joined)
            .where(mine, SCORES.c.criterion == criterion, SCORES.c.value.is_not(None))
            .group_by(*group, CONVERSATIONS.c.id, TURNS.c.id)
        ).subquery()
        t = turns.c
        each = select(t.run_id, t.version, func.avg(t.score).label("score")).group_by(t.run_id, t.version, t.id)
        each = each.subquery()
        means = select(each.c.run_id, each.c.version, func.avg(each.c.score)).group_by(each.c.run_id, each.c.version)
        with self.db.read() as connection:
            seen = connection.execute(widths.select_from(joined).where(mine).group_by(*group)).all()
            found = {(run_id, version): float(score) for run_id, version, score in connection.execute(means)}
        widest = {run_id: version for run_id, version, _, _ in sorted(seen, key=lambda row: (row[2], row[3]))}
        return {str(run_id): found[run_id, version] for run_id, version in widest.items() if (run_id, version) in found}

    @lasting
    def score_frame(self, run_id: str, versions: Mapping[str, str] | None = None) -> pd.DataFrame:
        """One row per score of a run, by conversation, turn and criterion; `value` is NaN when unscored.

        Of each judge only one version counts: the one named in `versions`, else the newest of those that saw the
        most turns. A turn that a judge of the
        run has not scored (a crash or a stop came first) is there as unscored, too.
        """
        wanted = (
            select(*(column.label(name) for name, column in _COLUMNS.items()), SCORES.c.id.label("score_id"))
            .select_from(CONVERSATIONS.join(TURNS).outerjoin(SCORES))
            .where(CONVERSATIONS.c.run_id == run_id)
            .order_by(CONVERSATIONS.c.number, TURNS.c.number, SCORES.c.id)
        )
        with self.db.read() as connection:
            run = connection.execute(select(RUNS.c.status, RUNS.c.plan).where(RUNS.c.id == run_id)).first()
            rows = [tuple(row) for row in connection.execute(wanted)]
        planned = run.plan.get("judges", ()) if run else ()
        return whole_frame(rows, SCORE_COLUMNS, planned, versions or {}, bool(run and run.status == "running"))

    @lasting
    def judge_versions(self, run_id: str) -> list[JudgeVersion]:
        """Which judges scored a run, each version with the number of turns that it scored, the newest first."""
        wanted = (
            select(
                SCORES.c.judge,
                SCORES.c.version,
                func.count(distinct(SCORES.c.turn_id)).label("turns"),
                func.max(SCORES.c.id).label("last"),
                func.max(SCORES.c.repeat).label("repeats"),
            )
            .select_from(CONVERSATIONS.join(TURNS).join(SCORES))
            .where(CONVERSATIONS.c.run_id == run_id)
            .group_by(SCORES.c.judge, SCORES.c.version)
            .order_by(func.max(SCORES.c.id).desc())
        )
        with self.db.read() as connection:
            rows = connection.execute(wanted).all()
        return [
            JudgeVersion(judge=row.judge, version=row.version, turns=row.turns, repeats=row.repeats) for row in rows
        ]


@lasting
def transcript(db: Database, conversation_id: str) -> list[TurnRow]:
    """The turns of a conversation or chat in order, each with its scores and feedback."""
    wanted = select(TURNS).where(TURNS.c.conversation_id == conversation_id).order_by(TURNS.c.number)
    with db.read() as connection:
        return _turns(connection, connection.execute(wanted).mappings().all())


def _turns(connection: Connection, rows: Iterable[RowMapping]) -> list[TurnRow]:
    rows = list(rows)
    ids = [int(row["id"]) for row in rows]
    scores: dict[int, list[ScoreRow]] = defaultdict(list)
    pressed: dict[int, list[FeedbackRow]] = defaultdict(list)
    for row in connection.execute(select(SCORES).where(SCORES.c.turn_id.in_(ids)).order_by(SCORES.c.id)).mappings():
        scores[row["turn_id"]].append(score_row(cast(Any, row)))
    given = select(FEEDBACK).where(FEEDBACK.c.turn_id.in_(ids)).order_by(FEEDBACK.c.id)
    for row in connection.execute(given).mappings():
        one = FeedbackRow(kind=row["kind"], comment=row["comment"], created_at=row["created_at"])
        pressed[row["turn_id"]].append(one)
    return [_turn(row, scores[row["id"]], pressed[row["id"]]) for row in rows]


def _turn(row: RowMapping, scores: list[ScoreRow], pressed: list[FeedbackRow]) -> TurnRow:
    fields = {key: value for key, value in row.items() if key not in ("record", "sample")}
    turn = Turn.model_validate_json(row["record"]) if row["record"] else None
    sample = Sample.model_validate_json(row["sample"]) if row["sample"] else None
    newest = {score.judge: score.version for score in scores}
    kept = [score for score in scores if score.version == newest[score.judge]]
    kept.sort(key=lambda score: (score.judge, score.repeat))  # side by side, judges come in any order
    first = {score.id for score in {(s.judge, s.criterion): s for s in reversed(kept)}.values()}
    scored = {"scores": [s for s in kept if s.id in first], "again": [s for s in kept if s.id not in first]}
    return TurnRow.model_validate({**fields, "turn": turn, "sample": sample, **scored, "feedback": tuple(pressed)})
