"""Reading turns: transcripts with their scores and feedback, and the table of all scores of a run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import pandas as pd
from sqlalchemy import Connection, RowMapping, Select, Table, distinct, func, select

from core.base.types import Sample, Turn
from core.store.database import Database
from core.store.recording import score_row
from core.store.records import FeedbackRow, JudgeVersion, ScoreRow, TurnRow
from core.store.retry import lasting
from core.store.runs import CASE, CONVERSATIONS, RUNS, SCORES, TURNS
from core.store.schema import Base
from core.store.scores import whole_frame

FEEDBACK: Table = Base.metadata.tables["feedback"]
_COLUMNS = {
    **CASE,
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


class TalkScores(NamedTuple):
    """The scores of a run's conversations by the judge's version that saw most of it, with the scenario of each;
    unscored: turns in no score."""

    version: str
    scores: tuple[float, ...]
    unscored: int
    scenarios: tuple[str, ...] = ()


class TurnTables:
    """The part of the store that reads turns."""

    db: Database

    def transcript(self, conversation_id: str) -> list[TurnRow]:
        """The turns of a conversation in order, each with its scores and feedback."""
        return transcript(self.db, conversation_id)

    @lasting
    def run_scores(self, bot: str | None = None, judge: str = "turn", criterion: str = "overall") -> dict[str, float]:
        """The score of each run that has one, by its id, as `core.analysis.aggregate` counts it but quick for a list."""
        talks = self.talk_scores(bot, judge, criterion)
        return {run_id: sum(found.scores) / len(found.scores) for run_id, found in talks.items()}

    @lasting
    def talk_scores(
        self, bot: str | None = None, judge: str = "turn", criterion: str = "overall", limit: int | None = None
    ) -> dict[str, TalkScores]:
        """The scores of each run's conversations, by the run's id; of the newest `limit` runs only.

        Runs in which the judge scored nothing are left out.
        """
        ours = select(RUNS.c.id).order_by(RUNS.c.created_at.desc()).limit(limit)
        ours = ours if bot is None else ours.where(RUNS.c.bot == bot)
        of_runs = CONVERSATIONS.c.run_id.in_(select(ours.subquery().c.id))
        mine, joined = of_runs & (SCORES.c.judge == judge), CONVERSATIONS.join(TURNS).join(SCORES)
        versions = select(CONVERSATIONS.c.run_id, SCORES.c.version).select_from(joined).where(mine).distinct()
        lengths = select(CONVERSATIONS.c.run_id, func.count()).select_from(CONVERSATIONS.join(TURNS)).where(of_runs)
        group = (CONVERSATIONS.c.run_id, SCORES.c.version, CONVERSATIONS.c.id, CONVERSATIONS.c.scenario_id)
        named = mine & (SCORES.c.criterion == criterion) & SCORES.c.value.is_not(None)
        value = func.avg(SCORES.c.value).label("value")  # of a turn's repeated verdicts
        of_turns = select(*group, value).select_from(joined).where(named).group_by(*group, TURNS.c.id).subquery()
        per_talk = (of_turns.c.run_id, of_turns.c.version, of_turns.c.id, of_turns.c.scenario_id)
        each = select(*per_talk, func.avg(of_turns.c.value), func.count()).group_by(*per_talk)
        found: dict[str, tuple[list[float], list[int], list[str]]] = {}
        with self.db.read() as connection:
            seen = [(str(run_id), str(version)) for run_id, version in connection.execute(versions)]
            widest = self._widest(seen, judge)
            for run_id, version, _, scenario, score, turns in connection.execute(each):
                if widest[run_id] == version:
                    scores, counts, scenarios = found.setdefault(run_id, ([], [], []))
                    scenarios.append(str(scenario))
                    scores.append(float(score))
                    counts.append(int(turns))
            turns = {row[0]: int(row[1]) for row in connection.execute(lengths.group_by(CONVERSATIONS.c.run_id))}
        return {
            run_id: TalkScores(widest[run_id], tuple(scores), turns[run_id] - sum(counts), tuple(scenarios))
            for run_id, (scores, counts, scenarios) in found.items()
        }

    def _widest(self, seen: Sequence[tuple[str, str]], judge: str) -> dict[str, str]:
        """For each run the version of the judge that saw the most turns; counted only where there are several."""
        runs = [run_id for run_id, _ in seen]
        several = [(run_id, version) for run_id, version in seen if runs.count(run_id) > 1]
        widths = {pair: width_of(self.db, pair[0], judge, pair[1]) for pair in several}
        return {**dict(seen), **dict(sorted(several, key=lambda pair: widths[pair]))}

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
    def verdict_texts(
        self, judge: str, criterion: str, version: str, turns: Iterable[tuple[str, int]]
    ) -> dict[tuple[str, int], ScoreRow]:
        """The verdicts on some turns (conversation's id, number), with reasons and errors; those that are there."""
        wanted = set(turns)
        of = (CONVERSATIONS.c.id.label("talk"), TURNS.c.number, *(SCORES.c[name] for name in ScoreRow.model_fields))
        same = (SCORES.c.judge == judge) & (SCORES.c.version == version) & (SCORES.c.criterion == criterion)
        rows = select(*of).select_from(CONVERSATIONS.join(TURNS).join(SCORES)).where(same)
        rows = rows.where(CONVERSATIONS.c.id.in_({talk for talk, _ in wanted})).order_by(SCORES.c.id)
        with self.db.read() as connection:
            found = connection.execute(rows).mappings().all()
        places = [(str(row["talk"]), int(row["number"])) for row in found]
        return {place: score_row(cast(Any, row)) for place, row in zip(places, found, strict=True) if place in wanted}

    @lasting
    def conversation_errors(self, conversations: Iterable[str]) -> dict[str, str]:
        """Why conversations failed, by their ids."""
        wanted = select(CONVERSATIONS.c.id, CONVERSATIONS.c.error).where(CONVERSATIONS.c.id.in_(set(conversations)))
        with self.db.read() as connection:
            return {str(mark): str(error) for mark, error in connection.execute(wanted)}

    @lasting
    def stage_seconds(self, run_id: str, turns: int = 400) -> list[dict[str, float]]:
        """How many seconds each stage took, of about so many turns spread over the whole run (a bot's own only)."""
        counted = select(func.count()).select_from(CONVERSATIONS.join(TURNS)).where(CONVERSATIONS.c.run_id == run_id)
        wanted = select(TURNS.c.record).select_from(CONVERSATIONS.join(TURNS)).where(CONVERSATIONS.c.run_id == run_id)
        with self.db.read() as connection:
            step = max(1, connection.execute(counted).scalar_one() // turns)
            rows = connection.execute(wanted.where(CONVERSATIONS.c.number % step == 0)).scalars()
            return [json.loads(record)["seconds"] for record in rows if record]

    @lasting
    def judge_versions(self, run_id: str) -> list[JudgeVersion]:
        """Which judges scored a run, each version with the number of turns that it scored, the newest first."""
        pairs = of_run(select(SCORES.c.judge, SCORES.c.version).distinct(), run_id)
        with self.db.read() as connection:
            seen = [(str(judge), str(version)) for judge, version in connection.execute(pairs)]
        return judge_versions(self.db, run_id, seen)


def of_run(wanted: Select[*tuple[Any, ...]], run_id: str) -> Select[*tuple[Any, ...]]:
    """Of scores: those of a run."""
    return wanted.select_from(CONVERSATIONS.join(TURNS).join(SCORES)).where(CONVERSATIONS.c.run_id == run_id)


@lasting
def width_of(db: Database, run_id: str, judge: str, version: str) -> tuple[int, int]:
    """How many turns of a run a judge's version saw, and the id of its last score."""
    wanted = of_run(select(func.count(distinct(SCORES.c.turn_id)), func.max(SCORES.c.id)), run_id)
    with db.read() as connection:
        turns, last = connection.execute(wanted.where(SCORES.c.judge == judge, SCORES.c.version == version)).one()
    return int(turns), int(last or 0)


def judge_versions(db: Database, run_id: str, pairs: Iterable[tuple[str, str]]) -> list[JudgeVersion]:
    """How many turns each (judge, version) saw, the newest first."""
    widths = {pair: width_of(db, run_id, *pair) for pair in pairs}
    newest = sorted(widths, key=lambda pair: -widths[pair][1])
    return [JudgeVersion(judge=pair[0], version=pair[1], turns=widths[pair][0]) for pair in newest]


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
