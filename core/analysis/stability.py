"""How far the same judge, asked again about the same turn, says something else."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd

from core.analysis.aggregate import JUDGE, OVERALL, conversation_scores
from core.base.types import FrozenModel


class Stability(FrozenModel):
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


Table = Any  # pandas is typed too loosely to be checked


class SelfAgreement(FrozenModel):
    """Verdicts of one version of a judge, given several times.

    turns: judged at least twice with a value; verdicts: on each of them, at most; deviation: standard deviation within a
    turn (pooled, 0 to 1; the criteria of a turn weigh the same); agreement: share of turns and criteria on which all
    verdicts have the same value; verdicts without a value count in neither.
    """

    turns: int
    verdicts: int
    deviation: float
    agreement: float


def self_agreement(repeated: pd.DataFrame, judge: str, version: str) -> SelfAgreement | None:
    """How far a judge differs from itself; none where no turn has two verdicts with a value.

    `repeated`: `Store.repeated_scores(run)`, one row per verdict: turn_id, judge, version, criterion, repeat, value.
    """
    table = cast(Table, repeated)
    mine = table[(table["judge"] == judge) & (table["version"] == version) & table["value"].notna()]
    groups = mine.groupby(["turn_id", "criterion"])["value"]
    several = groups.agg(["count", "var", "min", "max"])
    several = several[several["count"] >= 2]
    if several.empty:
        return None
    turns = several.index.get_level_values("turn_id").nunique()
    same = (several["max"] - several["min"]) < 1e-9
    return SelfAgreement(
        turns=int(turns),
        verdicts=int(several["count"].max()),
        deviation=float(several["var"].mean() ** 0.5),
        agreement=float(same.mean()),
    )
