"""Reading turns: transcripts with their scores and feedback, and the table of all scores of a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, cast

import pandas as pd
from sqlalchemy import Connection, RowMapping, Table, func, select

from core.base.types import Turn
from core.store.database import Database
from core.store.rows import FeedbackRow, ScoreRow, TurnRow
from core.store.runs import CONVERSATIONS, RUNS, SCORES, TURNS, score_row
from core.store.tables import Base

Row = tuple[Any, ...]
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
}
SCORE_COLUMNS = tuple(_COLUMNS)
_JUDGE, _CRITERION = SCORE_COLUMNS.index("judge"), SCORE_COLUMNS.index("criterion")
LOST = "The run broke off before this turn was judged."


class TurnTables:
    """The part of the store that reads turns."""

    db: Database

    def transcript(self, conversation_id: str) -> list[TurnRow]:
        """The turns of a conversation in order, each with its scores and feedback."""
        return transcript(self.db, conversation_id)

    def run_scores(self, bot: str | None = None, judge: str = "turn", criterion: str = "overall") -> dict[str, float]:
        """The score of each run that has one, by its id, as `core.report.summary` counts it but quick for a list."""
        scored = (SCORES.c.judge == judge) & (SCORES.c.criterion == criterion) & SCORES.c.value.is_not(None)
        each = (
            select(CONVERSATIONS.c.run_id, func.avg(SCORES.c.value).label("score"))
            .select_from(CONVERSATIONS.join(TURNS).join(SCORES))
            .where(CONVERSATIONS.c.run_id.is_not(None), scored)
            .group_by(CONVERSATIONS.c.run_id, CONVERSATIONS.c.id)
        )
        if bot is not None:
            each = each.where(CONVERSATIONS.c.bot == bot)
        table = each.subquery()
        wanted = select(table.c.run_id, func.avg(table.c.score)).group_by(table.c.run_id)
        with self.db.read() as connection:
            return {str(run_id): float(score) for run_id, score in connection.execute(wanted)}

    def score_frame(self, run_id: str) -> pd.DataFrame:
        """One row per score of a run, by conversation, turn and criterion; `value` is NaN when unscored.

        A turn that a run with judges left behind without any score (a crash came first) is there as unscored, too.
        """
        wanted = (
            select(*(column.label(name) for name, column in _COLUMNS.items()))
            .select_from(CONVERSATIONS.join(TURNS).outerjoin(SCORES))
            .where(CONVERSATIONS.c.run_id == run_id)
            .order_by(CONVERSATIONS.c.number, TURNS.c.number, SCORES.c.id)
        )
        with self.db.read() as connection:
            run = connection.execute(select(RUNS.c.status, RUNS.c.plan).where(RUNS.c.id == run_id)).first()
            rows = [tuple(row) for row in connection.execute(wanted)]
        judges = run.plan.get("judges", ()) if run and run.status != "running" else ()
        frame = pd.DataFrame(_with_lost(rows, judges), columns=list(SCORE_COLUMNS))
        return cast(pd.DataFrame, cast(Any, frame).astype({"value": "float64", "answered": "boolean"}))


def _with_lost(rows: list[Row], judges: Sequence[str]) -> list[Row]:
    """The rows of scores; a turn without one gets unscored ones from each of the judges that should have seen it."""
    given = dict.fromkeys((row[_JUDGE], row[_CRITERION]) for row in rows if row[_JUDGE] is not None)
    missing = [
        pair for judge in judges for pair in ([pair for pair in given if pair[0] == judge] or [(judge, "overall")])
    ]
    whole: list[Row] = []
    for row in rows:
        lost = [(*row[:_JUDGE], *pair, None, "", "", LOST) for pair in missing]
        whole += lost if row[_JUDGE] is None else [row]
    return whole


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
    fields = {key: value for key, value in row.items() if key != "record"}
    turn = Turn.model_validate_json(row["record"]) if row["record"] else None
    return TurnRow.model_validate({**fields, "turn": turn, "scores": tuple(scores), "feedback": tuple(pressed)})
