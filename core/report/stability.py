"""How stable a run's scores are when the same person asks the same thing again."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd

from core.base.types import Noun
from core.report.summary import JUDGE, OVERALL, conversation_scores


class Stability(Noun):
    """Scores over repeats: `deviation` is the standard deviation (0 to 1) within a scenario and persona, pooled.

    cases: scenarios with a persona that have two scored repeats or more; conversations: of all these.
    """

    deviation: float
    cases: int
    conversations: int


def stability(frame: pd.DataFrame, criterion: str = OVERALL, judge: str = JUDGE) -> Stability | None:
    """How far a conversation's score differs between repeats; none where nothing was repeated (`frame`: `score_frame`)."""
    scores = cast(Any, conversation_scores(frame, criterion, judge)).dropna(subset=["score"])
    groups = scores.groupby(["scenario", "persona"], observed=True)["score"].agg(["count", "var"])
    repeated = groups[groups["count"] >= 2]
    if repeated.empty:
        return None
    degrees = repeated["count"] - 1
    return Stability(
        deviation=float((repeated["var"] * degrees).sum() / degrees.sum()) ** 0.5,
        cases=len(repeated),
        conversations=int(repeated["count"].sum()),
    )
