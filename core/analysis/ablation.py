"""What asking back is worth: the same cases with and without it, paired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

import pandas as pd

from core.analysis.aggregate import conversation_scores, turn_scores
from core.analysis.confidence_intervals import estimate
from core.base.types import FrozenModel

Table = Any  # pandas is typed too loosely to be checked
Group = Literal["all", "needed", "clear"]
GROUPS: tuple[Group, ...] = ("all", "needed", "clear")
CASE = ["scenario", "question", "persona", "repeat"]


class Ablation(FrozenModel):
    """Scores (0 to 1) of the same cases with and without asking back, as means over pairs.

    of: all cases, those that need a question back, or those that do not; pairs: cases scored in both runs; left_out:
    cases that only one run has, or has scored; low, high: 95 % interval of the difference, over scenarios (six personas
    with the same question are one observation), none for fewer than six of them (`core.analysis.confidence_intervals.estimate`).
    """

    of: Group
    pairs: int
    left_out: int
    scenarios: int = 0
    asking: float | None = None
    without: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None


def ablations(
    asking: pd.DataFrame,
    without: pd.DataFrame,
    needed: Mapping[str, bool | None],
    criterion: str,
    judge: str,
    last: bool = False,
) -> list[Ablation]:
    """The gain over all cases, over those that need asking, and over those that do not.

    asking, without: `score_frame` of both runs; needed: by scenario; last: only each conversation's last answer counts
    instead of the mean over its turns, of which a question back is one.
    """
    one, other = (_scores(frame, criterion, judge, last) for frame in (asking, without))
    both = one.merge(other, on=CASE, how="outer", suffixes=("_asking", "_without"))
    label = both["scenario"].map(dict(needed))
    parts: dict[Group, Table] = {"all": both, "needed": both[label == True], "clear": both[label == False]}  # noqa: E712
    return [_gain(of, parts[of]) for of in GROUPS if of == "all" or len(parts[of])]


def _scores(frame: pd.DataFrame, criterion: str, judge: str, last: bool) -> Table:
    """One row per case with its score, NaN where there is none."""
    if not last:
        return cast(Table, conversation_scores(frame, criterion, judge))[[*CASE, "score"]]
    turns = cast(Table, turn_scores(frame, criterion, judge))
    final = turns.sort_values("turn", kind="stable").drop_duplicates("conversation", keep="last")
    return final.assign(score=final["score"].where(final["decision"] != "ask"))[[*CASE, "score"]]


def _gain(of: Group, cases: Table) -> Ablation:
    paired = cases.dropna(subset=["score_asking", "score_without"])
    left_out = len(cases) - len(paired)
    if paired.empty:
        return Ablation(of=of, pairs=0, left_out=left_out)
    on, off = (paired[name].to_numpy(dtype=float) for name in ("score_asking", "score_without"))
    found = estimate(list(on - off), list(paired["scenario"]))
    low, high = (found.low, found.high) if found else (None, None)
    means = {"asking": float(on.mean()), "without": float(off.mean()), "difference": float((on - off).mean())}
    return Ablation(
        of=of, pairs=len(paired), scenarios=paired["scenario"].nunique(), left_out=left_out, low=low, high=high, **means
    )
