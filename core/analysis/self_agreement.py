"""How much scores vary: those of a case over its repeats, and those of a judge that is asked several times about one turn."""

from __future__ import annotations

import pandas as pd

from core.analysis.aggregate import conversation_scores
from core.base.frozen_model import FrozenModel
from core.base.types import OVERALL, TURN_JUDGE


class Stability(FrozenModel):
    """Scores over repeats: `deviation` is the standard deviation (0 to 1) within a scenario and persona, pooled.

    cases: scenarios with a persona that have two scored repeats or more; conversations: of all these.
    """

    deviation: float
    cases: int
    conversations: int


class SelfAgreement(FrozenModel):
    """How often one version of a judge agrees with itself about turns that it judged several times.

    turns: judged at least twice with a value; verdicts: on each of them, at most; deviation: standard deviation within a
    turn (pooled, 0 to 1; the criteria of a turn weigh the same); agreement: share of turns and criteria on which all
    verdicts have the same value; verdicts without a value count in neither.
    """

    turns: int
    verdicts: int
    deviation: float
    agreement: float


def stability(frame: pd.DataFrame, criterion: str = OVERALL, judge: str = TURN_JUDGE) -> Stability | None:
    """How much a conversation's score varies between repeats; none if nothing was repeated."""
    scores = conversation_scores(frame, criterion, judge)
    repeated = _repeated(scores, ["scenario", "persona"], "score")
    if repeated.empty:
        return None
    degrees = repeated["count"] - 1
    return Stability(
        deviation=float((repeated["var"] * degrees).sum() / degrees.sum()) ** 0.5,
        cases=len(repeated),
        conversations=int(repeated["count"].sum()),
    )


def self_agreement(repeated: pd.DataFrame, judge: str, version: str) -> SelfAgreement | None:
    """How often a judge agrees with itself; none if no turn has two verdicts with a value.

    `repeated`: `Store.scores.repeated(run)`, one row per verdict: turn_id, judge, version, criterion, repeat, value.
    """
    judge_rows = repeated[(repeated["judge"] == judge) & (repeated["version"] == version)]
    several = _repeated(judge_rows, ["turn_id", "criterion"], "value")
    if several.empty:
        return None
    return SelfAgreement(
        turns=several.index.get_level_values("turn_id").nunique(),
        verdicts=int(several["count"].max()),
        deviation=float(several["var"].mean()) ** 0.5,
        agreement=float((several["max"] - several["min"] < 1e-9).mean()),
    )


def _repeated(rows: pd.DataFrame, of: list[str], value: str) -> pd.DataFrame:
    """Count, variance, least and greatest value of each group with two values or more."""
    groups = rows.groupby(of, observed=True)
    spread = groups.agg(count=(value, "count"), var=(value, "var"), min=(value, "min"), max=(value, "max"))
    return spread[spread["count"] >= 2]
