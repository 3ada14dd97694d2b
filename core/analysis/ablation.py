"""Ablation: the same cases with and without clarifying questions, paired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pandas as pd

from core.analysis.compare import PAIRED_BY
from core.analysis.confidence_intervals import estimate
from core.analysis.run_means import JudgeScores, conversation_scores, turn_scores
from core.base.frozen_model import FrozenModel

ScenarioGroup = Literal["all", "needed", "clear"]


class Ablation(FrozenModel):
    """Scores (0 to 1) of the same cases with and without clarifying questions, as means over pairs."""

    group: ScenarioGroup  # all cases, those that need a clarifying question, or those that do not
    pairs: int  # cases scored in both runs
    left_out: int  # cases that only one run has, or has scored
    scenarios: int = 0
    asking: float | None = None
    without: float | None = None
    difference: float | None = None
    # 95 % interval over scenarios (six personas with one question are one observation), None for fewer than six
    low: float | None = None
    high: float | None = None


def ablations(
    asking: JudgeScores, without: pd.DataFrame, needed: Mapping[str, bool | None], last: bool = False
) -> list[Ablation]:
    """The difference by a judge's main criterion over all cases, those that need a clarifying question, and those that do not.

    without: `score_frame` of the other run; needed: by scenario; last: only each conversation's last answer counts
    instead of the mean over its turns, of which a clarifying question is one.
    """
    asked, other = (_scores(frame, asking.main_criterion, asking.judge, last) for frame in (asking.frame, without))
    joined = asked.merge(other, on=list(PAIRED_BY), how="outer", suffixes=("_asking", "_without"))
    label = joined["scenario"].map(dict(needed))
    groups: dict[ScenarioGroup, pd.DataFrame] = {
        "all": joined,
        "needed": joined[label.eq(True)],
        "clear": joined[label.eq(False)],
    }
    return [_ablation(group, cases) for group, cases in groups.items() if group == "all" or len(cases)]


def _scores(frame: pd.DataFrame, criterion: str, judge: str, last: bool) -> pd.DataFrame:
    """One row per case with its score, NaN if there is none."""
    if not last:
        return conversation_scores(frame, criterion, judge)[[*PAIRED_BY, "score"]]
    turns = turn_scores(frame, criterion, judge).sort_values("turn", kind="stable")
    final = turns.drop_duplicates("conversation", keep="last")
    return final.assign(score=final["score"].where(final["decision"] != "ask"))[[*PAIRED_BY, "score"]]


def _ablation(group: ScenarioGroup, cases: pd.DataFrame) -> Ablation:
    paired = cases.dropna(subset=["score_asking", "score_without"])
    asking, without = (paired[name].to_numpy(dtype=float) for name in ("score_asking", "score_without"))
    estimated = estimate(asking - without, paired["scenario"])
    return Ablation(
        group=group,
        pairs=len(paired),
        left_out=len(cases) - len(paired),
        scenarios=estimated.clusters,
        asking=float(asking.mean()) if len(paired) else None,
        without=float(without.mean()) if len(paired) else None,
        difference=estimated.difference,
        low=estimated.low,
        high=estimated.high,
    )
