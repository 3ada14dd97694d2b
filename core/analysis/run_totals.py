"""The summary figures of a run for exports."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from core.analysis.run_means import (
    Incomplete,
    MeanScore,
    RunSummary,
    by_criterion,
    conversation_scores,
    incomplete_of,
    mean_of,
    means_by,
    summarise,
)
from core.analysis.simulator_health import invalid_in_run
from core.base.means import ROUNDING
from core.store.export_records import ExportedRun
from core.store.main_scores import judges_in_order
from core.store.score_tables import score_values
from core.store.store import Store

MAX_WORST = 10  # conversations shown in full


class WeakScenario(NamedTuple):
    """A scenario with a turn below the pass mark."""

    scenario: str
    question: str
    score: float  # the mean of its conversations' scores
    conversations: int  # number of them
    failures: int  # turns below the pass mark


class RunTotals(NamedTuple):
    """A run in numbers by one criterion of a judge; a mean is None if nothing is scored."""

    frame: pd.DataFrame  # `score_values` of the judge
    summary: RunSummary
    score: MeanScore | None
    incomplete: Incomplete | None  # None if the run is done
    criteria: dict[tuple[str, str], MeanScore | None]  # by judge and criterion
    personas: dict[str, MeanScore | None]  # by name
    kinds: dict[str, MeanScore | None]
    invalid: int  # invalid conversations
    lowest: list[WeakScenario]  # the worst first
    worst: dict[str, float]  # scores of the worst conversations, by id


def run_totals(store: Store, run: ExportedRun, judge: str, criterion: str, pass_mark: float | None) -> RunTotals:
    """The figures of a run by one criterion of a judge; pass_mark: 0 to 1, None if lower is better."""
    tables = store.tables.of_run(run.id)
    frame = score_values(tables, judges=[judge])
    conversations: Any = tables.conversations
    scores = conversation_scores(frame, criterion, judge)
    return RunTotals(
        frame=frame,
        summary=summarise(frame, conversations.itertuples(), judge),
        score=mean_of(criterion, scores),
        incomplete=incomplete_of(run.status, conversations["status"]),
        criteria={
            (name, each): mean
            for name in judges_in_order(tables.judges)
            for each, mean in by_criterion(score_values(tables, judges=[name]), name).items()
        },
        personas=means_by(scores, "persona_name"),
        kinds=means_by(scores, "kind"),
        invalid=len(invalid_in_run(store, run.id)),
        lowest=[] if pass_mark is None else _weak_scenarios(frame[frame["criterion"] == criterion], scores, pass_mark),
        worst=_worst_conversations(scores, pass_mark),
    )


def _weak_scenarios(frame: pd.DataFrame, scores: pd.DataFrame, pass_mark: float) -> list[WeakScenario]:
    """The scenarios with a turn below the pass mark by score, the worst first."""
    failures = frame[frame["value"] < pass_mark - ROUNDING].groupby("scenario", observed=True).size()
    groups = scores.dropna(subset=["score"]).groupby("scenario", sort=False, observed=True)
    scenarios = [
        WeakScenario(
            str(name), str(group["question"].iloc[0]), float(group["score"].mean()), len(group), int(failures[name])
        )
        for name, group in groups
        if name in failures
    ]
    return sorted(scenarios, key=lambda scenario: scenario.score)


def _worst_conversations(scores: pd.DataFrame, pass_mark: float | None) -> dict[str, float]:
    """The scores of the worst conversations below the pass mark (without one, the highest scores), by id."""
    scored = scores.dropna(subset=["score"])
    if pass_mark is not None:
        scored = scored[scored["score"] < pass_mark - ROUNDING]
    worst = scored.sort_values(["score", "number"], ascending=[pass_mark is not None, True]).head(MAX_WORST)
    return dict(zip(worst["conversation"].astype(str), worst["score"].astype(float), strict=True))
