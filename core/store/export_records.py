"""A run for exports, read in chunks so that a run of any size can be exported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

import pandas as pd
from sqlalchemy import Connection, RowMapping, Select, func, select

from core.base.means import mean
from core.base.types import OVERALL
from core.store.database import Database, with_reconnect
from core.store.main_scores import main_criterion
from core.store.rows import RunRow
from core.store.run_tables import CONVERSATION_COLUMNS, TableRepository, next_conversations
from core.store.runs import NOT_TRASHED, unknown_run
from core.store.schema import CONVERSATIONS, RUNS, SCORES, TURNS
from core.store.scores import mean_of_repeats

CHUNK = 200  # conversations read at a time
NOT_JUDGED = '{"key": "not_judged", "details": {}, "text": "The run ended before this turn was scored."}'
_IN_FRAME = ("judge", "criterion", "value", "label", "reasons", "error", "version")
SCORE_COLUMNS = (*CONVERSATION_COLUMNS, "turn", "decision", "answered", *_IN_FRAME)
_in_frame = attrgetter(*_IN_FRAME)


class ExportedRun(RunRow):
    """A run with its snapshot."""

    snapshot: dict[str, Any]
    longest: int = 0  # the highest number of a turn in it


@dataclass(frozen=True, slots=True)
class ExportedScore:
    """A verdict; `value` (0 to 1) is none when unscored (then `error` says why) or not applicable (label n/a).

    repeat: counts from 1; reasoning: `core.base.types.Reasoning` as JSON, None if there is none.
    """

    judge: str
    criterion: str
    value: float | None
    label: str = ""
    reasons: str = ""
    error: str = ""
    version: str = ""
    repeat: int = 1
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class ExportedTurn:
    """A message of the user and the bot's reply."""

    number: int
    user_text: str
    reply_text: str
    decision: str
    rule: int | None
    answered: bool | None
    query: str
    seconds: float | None
    error: str
    created_at: datetime
    record: str = ""  # JSON, "" if there is none or it was not requested
    sample: str = ""  # JSON, "" if there is none or it was not requested
    verdicts: tuple[ExportedScore, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportedConversation:
    """A whole conversation of a run."""

    id: str
    number: int
    scenario_id: str
    persona_id: str
    persona_name: str
    repeat: int
    kind: str
    question: str
    status: str
    ending: str
    closing: str
    error: str
    started_at: datetime | None
    finished_at: datetime | None
    scenario: dict[str, Any] = field(default_factory=dict[str, Any])
    turns: tuple[ExportedTurn, ...] = ()


def iterate_turn_scores(
    conversation: ExportedConversation, judge: str, criterion: str
) -> Iterator[tuple[ExportedTurn, float | None]]:
    """The turns of a conversation, each with the mean of a judge's verdicts on it (it may have judged repeatedly)."""
    for turn in conversation.turns:
        values = (one.value for one in turn.verdicts if (one.judge, one.criterion) == (judge, criterion))
        yield turn, mean(values)


def conversation_score(conversation: ExportedConversation, judge: str, criterion: str) -> float | None:
    """The score of a conversation: the mean over its scored turns; None if nothing is scored."""
    return mean(value for _, value in iterate_turn_scores(conversation, judge, criterion))


class RunJudge(NamedTuple):
    """A judge of a run in the version that counts."""

    version: str
    criteria: tuple[str, ...]
    going_on: bool  # the run is running, so missing scores may still come

    @property
    def main_criterion(self) -> str:
        return main_criterion(self.criteria)


_C, _T, _S = CONVERSATIONS.c, TURNS.c, SCORES.c
_RUN = [RUNS.c[name] for name in ExportedRun.model_fields if name != "longest"]
_CONVERSATION = [_C[name] for name in ExportedConversation.__dataclass_fields__ if name != "turns"]
_TURN = [_T[name] for name in ExportedTurn.__dataclass_fields__ if name not in ("verdicts", "record", "sample")]
_SCORE = [_S[name] for name in ExportedScore.__dataclass_fields__]


class RecordRepository:
    """Reads whole runs: the run, its judges, its conversations with everything said and scored."""

    def __init__(self, db: Database, tables: TableRepository) -> None:
        self._db, self._tables = db, tables

    @with_reconnect
    def run(self, run_id: str) -> ExportedRun:
        """The run with its plan and snapshot; raises BadInput if there is no such run."""
        longest = select(func.max(_T.number)).select_from(CONVERSATIONS.join(TURNS)).where(_C.run_id == run_id)
        with self._db.read() as connection:
            row = connection.execute(select(*_RUN).where(RUNS.c.id == run_id, NOT_TRASHED)).mappings().first()
            if row is None:
                raise unknown_run(run_id)
            return ExportedRun(**row, longest=connection.execute(longest).scalar() or 0)

    def judges(self, run_id: str) -> dict[str, RunJudge]:
        """The judges of a run, those of its plan first: the version of each that counts, and its criteria in order."""
        tables = self._tables.of_run(run_id)
        chosen = tables.chosen_versions()
        judges: dict[str, RunJudge] = {}
        for name in tables.judges:
            version = chosen.get(name, "")
            judges[name] = RunJudge(version, tuple(tables.criteria_of(name, version)) or (OVERALL,), tables.going_on)
        return judges

    def conversations(self, run_id: str, records: bool = False) -> Iterator[ExportedConversation]:
        """The conversations of a run by number with their turns and scores, CHUNK of them in memory at a time.

        Of each judge one version counts (`judges`); a turn that a judge of the run has not scored is unscored.
        records: with the whole record of each turn, as JSON.
        """
        judges = self.judges(run_id)
        after = (-1, "")
        while chunk := self._chunk(next_conversations(_CONVERSATION, run_id, after, CHUNK), judges, records):
            yield from chunk
            after = (chunk[-1].number, chunk[-1].id)

    def score_frame(self, run_id: str) -> pd.DataFrame:
        """One row per score of a run with its texts (SCORE_COLUMNS), by conversation, turn and criterion.

        `value` is NaN if unscored. Several scores of one version on one turn and criterion are one row, their mean.
        """
        about = attrgetter(*(column.name for column in CONVERSATION_COLUMNS.values()))
        rows = [
            (*about(conversation), turn.number, turn.decision, turn.answered, *_in_frame(score))
            for conversation in self.conversations(run_id)
            for turn in conversation.turns
            for score in turn.verdicts
        ]
        frame = pd.DataFrame(rows, columns=list(SCORE_COLUMNS))
        return mean_of_repeats(frame.astype({"value": "float64", "answered": "boolean"}))

    @with_reconnect
    def _chunk(
        self, statement: Select[*tuple[Any, ...]], judges: Mapping[str, RunJudge], records: bool
    ) -> list[ExportedConversation]:
        with self._db.read() as connection:
            rows = connection.execute(statement).mappings().all()
            turns = _turns(connection, [row["id"] for row in rows], judges, records)
        fields: list[dict[str, Any]] = [{**row, "scenario": row["scenario"] or {}} for row in rows]
        return [ExportedConversation(**row, turns=tuple(turns[row["id"]])) for row in fields]


def _turns(
    connection: Connection, conversations: Sequence[str], judges: Mapping[str, RunJudge], records: bool
) -> dict[str, list[ExportedTurn]]:
    """The turns of some conversations, in order, with the scores that count."""
    condition = _T.conversation_id.in_(conversations)
    scored = select(_S.turn_id, *_SCORE).join(TURNS).where(condition).order_by(_S.id)
    scores: dict[int, list[ExportedScore]] = defaultdict(list)
    for turn_id, *fields in connection.execute(scored):
        score = ExportedScore(*fields)
        if score.judge in judges and judges[score.judge].version == score.version:
            scores[turn_id].append(score)
    columns = [*_TURN, *([_T.record, _T["sample"]] if records else [])]
    statement = select(*columns, _T.id, _T.conversation_id).where(condition).order_by(_T.conversation_id, _T.number)
    turns_of: dict[str, list[ExportedTurn]] = defaultdict(list)
    for row in connection.execute(statement).mappings():
        turns_of[row["conversation_id"]].append(_turn(row, scores[row["id"]], judges))
    return turns_of


def _turn(row: RowMapping, scores: Sequence[ExportedScore], judges: Mapping[str, RunJudge]) -> ExportedTurn:
    fields: dict[str, Any] = {name: value for name, value in row.items() if name not in ("id", "conversation_id")}
    fields |= {name: fields[name] or "" for name in ("record", "sample") if name in fields}
    rank = {name: place for place, name in enumerate(judges)}
    scored = {score.judge for score in scores}
    missing = [
        ExportedScore(name, criterion, None, error=NOT_JUDGED)
        for name, judge_version in judges.items()
        if name not in scored and not judge_version.going_on
        for criterion in judge_version.criteria
    ]
    return ExportedTurn(**fields, verdicts=tuple(sorted([*scores, *missing], key=lambda verdict: rank[verdict.judge])))
