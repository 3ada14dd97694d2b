"""How much scores vary: over repeats of a case, and between several verdicts of a judge on one turn."""

from __future__ import annotations

import pandas as pd

from core.analysis.run_means import conversation_scores
from core.base.frozen_model import FrozenModel


class Stability(FrozenModel):
    """How much scores vary between repeats."""

    deviation: float  # pooled standard deviation (0 to 1) within a scenario and persona
    cases: int  # scenarios with a persona that have at least two scored repeats
    conversations: int  # of these cases


class SelfAgreement(FrozenModel):
    """How often one version of a judge agrees with itself; verdicts without a value do not count."""

    turns: int  # judged at least twice
    verdicts: int  # the most on one turn
    deviation: float  # pooled standard deviation (0 to 1) within a turn; the criteria of a turn weigh the same
    agreement: float  # share of turns and criteria on which all verdicts have the same value


def stability(frame: pd.DataFrame, criterion: str, judge: str) -> Stability | None:
    """How much a conversation's score varies between repeats; None if nothing was repeated."""
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
    """How often a judge agrees with itself; None if no turn has two verdicts with a value.

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
