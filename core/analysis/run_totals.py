"""What a run comes to by one judge: the figures of an export's summary, as the pages show them."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from core.analysis.aggregate import (
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
from core.store.export_records import ExportedRun
from core.store.main_scores import judges_in_order
from core.store.score_tables import score_values
from core.store.store import Store

WORST = 10  # conversations shown in full


class WeakScenario(NamedTuple):
    """A scenario with the mean of its conversations' scores, of how many, and how many of its turns are low."""

    scenario: str
    question: str
    score: float
    conversations: int
    failures: int


class RunTotals(NamedTuple):
    """A run in numbers. frame: `score_values` of the judge whose criterion it goes by; score: of that criterion.

    incomplete: how far the run came, if it is not done; criteria: by judge and criterion; personas, kinds: by name;
    invalid: conversations; lowest: scenarios with a turn below the pass mark, the worst first; worst: the scores of the
    conversations that went worst, by id. A mean is none if nothing is scored.
    """

    frame: pd.DataFrame
    summary: RunSummary
    score: MeanScore | None
    incomplete: Incomplete | None
    criteria: dict[tuple[str, str], MeanScore | None]
    personas: dict[str, MeanScore | None]
    kinds: dict[str, MeanScore | None]
    invalid: int
    lowest: list[WeakScenario]
    worst: dict[str, float]


def run_totals(store: Store, run: ExportedRun, judge: str, criterion: str, pass_mark: float | None) -> RunTotals:
    """What a run comes to by a criterion of a judge; pass_mark: 0 to 1, none if lower is better."""
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
    failures = frame[frame["value"] < pass_mark - 1e-9].groupby("scenario", observed=True).size()
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
    """The scores of the conversations below the pass mark that went worst (without one, of the highest), by id."""
    scored = scores.dropna(subset=["score"])
    if pass_mark is not None:
        scored = scored[scored["score"] < pass_mark - 1e-9]
    worst = scored.sort_values(["score", "number"], ascending=[pass_mark is not None, True]).head(WORST)
    return dict(zip(worst["conversation"].astype(str), worst["score"].astype(float), strict=True))
