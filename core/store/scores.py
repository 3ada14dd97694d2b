"""The judges' scores of turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
from sqlalchemy import Connection, and_, delete, func, insert, select

from core.base.means import mean
from core.base.types import SIMULATED_USER, Score
from core.store.database import Repository, with_reconnect
from core.store.leases import ANYBODY, Writer, check_lease
from core.store.main_scores import choose_versions, main_criterion, read_versions, scores_of_run
from core.store.rows import ScoreRow
from core.store.schema import CONVERSATIONS, RUNS, SCORES, TURNS

SCORE_KEY = ["conversation", "turn", "judge", "version", "criterion"]
REPEAT_COLUMNS = ("turn_id", "judge", "version", "criterion", "repeat", "value", "label")
FAULT_COLUMNS = ("conversation", "number", "turn", "judge", "version", "criterion", "value", "label", "reasons")
_JOINED = CONVERSATIONS.join(TURNS).join(SCORES)


class ConversationScores(NamedTuple):
    """The scores of a run's conversations by one judge."""

    version: str  # of the judge, the one that counts
    scores: tuple[float, ...]
    unscored: int  # turns in no score
    scenarios: tuple[str, ...] = ()  # of each score


class NewestIds(NamedTuple):
    """The ids of the newest score and turn, as a cache key."""

    score: int
    turn: int


class ScoreRepository(Repository):
    @with_reconnect
    def add(self, turn_id: int, scores: Sequence[Score], writer: Writer = ANYBODY, repeat: int = 1) -> None:
        """Store the scores of a turn.

        Replaces an earlier score of the same judge, criterion, version and repeat, except that a value is never replaced
        by an error, nor an error by another one. writer: as in `ConversationRepository`.
        """
        with self._db.write() as connection:
            check_lease(connection, "turn", turn_id, writer)
            if scores:
                _replace(connection, turn_id, scores, repeat)

    def newest(self) -> NewestIds:
        score = select(func.max(SCORES.c.id)).scalar_subquery()
        row = self._db.rows(select(score, func.max(TURNS.c.id)))[0]
        return NewestIds(int(row[0] or 0), int(row[1] or 0))

    def unscored_judges(self, run_id: str) -> dict[str, str]:
        """The judges that scored nothing in a run, each with the first error that it stored (`stored_error`)."""
        statement = scores_of_run(select(SCORES.c.judge, SCORES.c.error), run_id)
        scored = scores_of_run(select(SCORES.c.judge), run_id).where(SCORES.c.value.is_not(None))
        statement = statement.where(SCORES.c.error != "", SCORES.c.judge.not_in(scored)).order_by(SCORES.c.id.desc())
        return {str(judge): str(error) for judge, error in self._db.rows(statement)}

    def repeated(self, run_id: str) -> pd.DataFrame:
        """The scores of turns of a run that a judge scored more than once, one row each (REPEAT_COLUMNS)."""
        several = scores_of_run(select(SCORES.c.turn_id, SCORES.c.judge, SCORES.c.version), run_id)
        several = several.where(SCORES.c.repeat > 1).distinct().subquery()
        keys = ("turn_id", "judge", "version")
        same = [SCORES.c[name] == several.c[name] for name in keys]
        statement = select(*(SCORES.c[name] for name in REPEAT_COLUMNS)).select_from(SCORES).join(several, and_(*same))
        rows = [tuple(row) for row in self._db.rows(statement.order_by(SCORES.c.id))]
        return pd.DataFrame(rows, columns=list(REPEAT_COLUMNS)).astype({"value": "float64"})

    def user_faults(self, run_id: str, version: str | None = None) -> pd.DataFrame:
        """The turns in which the judge of simulated users found a fault, one row for each (FAULT_COLUMNS).

        version: of the judge (default: the version that counts).
        """
        if version is None:
            version = choose_versions(read_versions(self._db, run_id)).get(SIMULATED_USER, "")
        by_judge = (SCORES.c.judge == SIMULATED_USER) & (SCORES.c.version == version)
        faulty = select(SCORES.c.turn_id).where(by_judge, SCORES.c.value < 1)
        names = ("judge", "version", "criterion", "value", "label", "reasons")
        columns = (CONVERSATIONS.c.id, CONVERSATIONS.c.number, TURNS.c.number, *(SCORES.c[name] for name in names))
        statement = scores_of_run(select(*columns), run_id).where(by_judge, TURNS.c.id.in_(faulty))
        statement = statement.order_by(CONVERSATIONS.c.number, TURNS.c.number, SCORES.c.id)
        rows = [tuple(row) for row in self._db.rows(statement)]
        return mean_of_repeats(pd.DataFrame(rows, columns=list(FAULT_COLUMNS)).astype({"value": "float64"}))

    def mean_scores_by_run(self, judge: str, criterion: str, bot: str | None = None) -> dict[str, float]:
        """The score of each run that has one, by its id: `core.analysis.run_means.mean_score`, fast for many runs."""
        by_run = self.conversation_scores_by_run(judge, criterion, bot)
        means = {run_id: mean(conversations.scores) for run_id, conversations in by_run.items()}
        return {run_id: value for run_id, value in means.items() if value is not None}

    @with_reconnect
    def conversation_scores_by_run(
        self, judge: str, criterion: str, bot: str | None = None, limit: int | None = None
    ) -> dict[str, ConversationScores]:
        """The scores of each run's conversations, by the run's id; of the newest `limit` runs only.

        These are `core.analysis.run_means.conversation_scores`, computed in the database because a list shows dozens of
        runs at once. Runs in which the judge scored nothing are left out.
        """
        newest_runs = select(RUNS.c.id).order_by(RUNS.c.created_at.desc()).limit(limit)
        newest_runs = newest_runs if bot is None else newest_runs.where(RUNS.c.bot == bot)
        of_runs = CONVERSATIONS.c.run_id.in_(select(newest_runs.subquery().c.id))
        by_judge = of_runs & (SCORES.c.judge == judge)
        versions = select(CONVERSATIONS.c.run_id, SCORES.c.version).select_from(_JOINED).where(by_judge).distinct()
        lengths = select(CONVERSATIONS.c.run_id, func.count()).select_from(CONVERSATIONS.join(TURNS)).where(of_runs)
        group = (CONVERSATIONS.c.run_id, SCORES.c.version, CONVERSATIONS.c.id, CONVERSATIONS.c.scenario_id)
        named = by_judge & (SCORES.c.criterion == criterion) & SCORES.c.value.is_not(None)
        value = func.avg(SCORES.c.value).label("value")  # of a turn's repeats
        of_turns = select(*group, value).select_from(_JOINED).where(named).group_by(*group, TURNS.c.id).subquery()
        columns = (of_turns.c.run_id, of_turns.c.version, of_turns.c.id, of_turns.c.scenario_id)
        by_conversation = select(*columns, func.avg(of_turns.c.value), func.count()).group_by(*columns)
        by_run: dict[str, tuple[list[float], list[int], list[str]]] = {}
        with self._db.read() as connection:
            several: dict[str, list[str]] = {}
            for run_id, version in connection.execute(versions):
                several.setdefault(str(run_id), []).append(str(version))
            chosen = {
                run_id: found[0] if len(found) == 1 else choose_versions(read_versions(self._db, run_id))[judge]
                for run_id, found in several.items()
            }
            for run_id, version, _, scenario, score, turns in connection.execute(by_conversation):
                if chosen[run_id] == version:
                    scores, counts, scenarios = by_run.setdefault(run_id, ([], [], []))
                    scenarios.append(str(scenario))
                    scores.append(float(score))
                    counts.append(int(turns))
            turns = {row[0]: int(row[1]) for row in connection.execute(lengths.group_by(CONVERSATIONS.c.run_id))}
        return {
            run_id: ConversationScores(chosen[run_id], tuple(scores), turns[run_id] - sum(counts), tuple(scenarios))
            for run_id, (scores, counts, scenarios) in by_run.items()
        }

    @with_reconnect
    def judges_by_run(self, bot: str | None = None) -> dict[str, dict[str, str]]:
        """The judges of each run, in the order of the first turn's scores: {run: {judge: its main criterion}}."""
        in_runs = CONVERSATIONS.c.run_id.is_not(None)
        in_runs = in_runs if bot is None else in_runs & (CONVERSATIONS.c.bot == bot)
        criteria_of = select(CONVERSATIONS.c.run_id, SCORES.c.judge, SCORES.c.criterion).select_from(_JOINED)
        scored = select(SCORES.c.id).where(SCORES.c.turn_id == TURNS.c.id).exists()
        first = select(CONVERSATIONS.c.run_id, func.min(TURNS.c.id)).select_from(CONVERSATIONS.join(TURNS))
        criteria: dict[str, dict[str, list[str]]] = {}
        with self._db.read() as connection:
            first_turns = connection.execute(first.where(in_runs, scored).group_by(CONVERSATIONS.c.run_id)).all()
            of_first = criteria_of.where(TURNS.c.id.in_([turn for _, turn in first_turns])).order_by(SCORES.c.id)
            rows = [tuple(row) for row in connection.execute(of_first)]
            for run_id, _ in first_turns:  # run by run: together it takes three times as long
                criteria_of_run = criteria_of.where(CONVERSATIONS.c.run_id == run_id).distinct()
                rows += sorted(tuple(row) for row in connection.execute(criteria_of_run))
        for row in rows:
            run_id, judge, criterion = map(str, row)
            criteria.setdefault(run_id, {}).setdefault(judge, []).append(criterion)
        return {
            run: {judge: main_criterion(names) for judge, names in judges.items()} for run, judges in criteria.items()
        }


def score_row(row: Mapping[Any, Any]) -> ScoreRow:
    return ScoreRow.model_validate({name: row[name] for name in ScoreRow.model_fields})


def _replace(connection: Connection, turn_id: int, scores: Sequence[Score], repeat: int) -> None:
    # Locked, so that two processes that judge one turn do not store a score twice
    connection.execute(select(TURNS.c.id).where(TURNS.c.id == turn_id).with_for_update(key_share=True))
    c = SCORES.c
    of_turn = select(c.judge, c.criterion, c.version, c.id, c.value).where(c.turn_id == turn_id, c.repeat == repeat)
    stored = {tuple(row)[:3]: row for row in connection.execute(of_turn)}
    fresh: list[dict[str, object]] = []
    for score in scores:
        old = stored.get((score.judge, score.criterion, score.version))
        if old is not None and score.value is None and (old.value is not None or score.error):
            continue
        if old is not None:
            connection.execute(delete(SCORES).where(SCORES.c.id == old.id))
        fresh.append({**_stored(score), "turn_id": turn_id, "repeat": repeat})
    if fresh:
        connection.execute(insert(SCORES), fresh)


def _stored(score: Score) -> dict[str, object]:
    """A score as the columns hold it."""
    reasoning = score.reasoning.model_dump_json(exclude_defaults=True) if score.reasoning else None
    return {**score.model_dump(exclude={"reasoning"}), "reasoning": reasoning}


def mean_of_repeats(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows with one per turn, judge, version and criterion: the mean of those that have a value.

    Label, reasons and error are those of the score nearest to the mean, the first of equals. Rows keep their order.
    Returns the same frame if nothing was judged twice.
    """
    if not scores.duplicated(SCORE_KEY).any():
        return scores
    values = scores["value"].astype(float)
    groups = scores.assign(value=values, place=range(len(scores))).groupby(SCORE_KEY, sort=False)
    means = groups["value"].transform("mean")
    distance = (values - means).abs().fillna(float("inf"))
    merged = scores.assign(value=means, distance=distance, place=groups["place"].transform("min"))
    nearest = merged.sort_values("distance", kind="stable").drop_duplicates(SCORE_KEY)
    return nearest.sort_values("place", kind="stable").drop(columns=["distance", "place"]).reset_index(drop=True)
