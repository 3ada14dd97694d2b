"""How far the same judge, asked again about the same turn, says something else."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd

from core.base.types import Noun

Table = Any  # pandas is typed too loosely to be checked


class Wobble(Noun):
    """Verdicts of one version of a judge, given several times.

    turns: judged at least twice with a value; verdicts: on each of them, at most; deviation: standard deviation within a
    turn (pooled, 0 to 1; the criteria of a turn weigh the same); agreement: share of turns and criteria on which all
    verdicts have the same value; verdicts without a value count in neither.
    """

    turns: int
    verdicts: int
    deviation: float
    agreement: float


def wobble(repeated: pd.DataFrame, judge: str, version: str) -> Wobble | None:
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
    return Wobble(
        turns=int(turns),
        verdicts=int(several["count"].max()),
        deviation=float(several["var"].mean() ** 0.5),
        agreement=float(same.mean()),
    )
