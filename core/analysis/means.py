"""Means with all that belongs to them: of how many conversations, how sure, and how many turns could not be scored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, cast

import pandas as pd

from core.analysis.aggregate import JUDGE, conversation_scores, criteria_of, headline
from core.analysis.confidence_intervals import Interval, mean_interval

Table = Any  # pandas tells little of its types
Verdict = Literal["reached", "missed", "open"]


class Measured(NamedTuple):
    """A mean (0 to 1) over `n` conversations with its interval (none for too few); `unscored` turns are in no mean."""

    name: str
    mean: float
    n: int
    interval: Interval | None
    unscored: int = 0


def measured(name: str, scores: pd.DataFrame) -> Measured | None:
    """The mean of conversations (`conversation_scores`); none where nothing is scored."""
    table = cast(Table, scores)
    there = table.dropna(subset=["score"])
    known = [float(score) for score in there["score"]]
    if not known:
        return None
    sure = mean_interval(known, scenarios=list(there["scenario"]))
    unscored = int((table["turns"] - table["scored"]).sum())
    return Measured(name, sum(known) / len(known), len(known), sure, unscored)


def by_column(frame: pd.DataFrame, column: str, judge: str = JUDGE, less: bool = False) -> list[Measured]:
    """A judge's headline by persona, kind …, the worst first (`less`: less is better); rows without a name are left out."""
    scores = cast(Table, conversation_scores(frame, headline(frame, judge), judge))
    groups = scores[scores[column] != ""].groupby(column, sort=True, observed=True)
    found = [one for name, group in groups if (one := measured(str(name), group)) is not None]
    return sorted(found, key=lambda one: -one.mean if less else one.mean)


def by_criterion(frame: pd.DataFrame, criteria: Iterable[str], judge: str = JUDGE) -> list[Measured]:
    """Each criterion of a judge, in the order given; those without a score are left out."""
    pairs = [(name, measured(name, conversation_scores(frame, name, judge))) for name in criteria]
    return [one for _, one in pairs if one is not None]


def by_cell(
    frame: pd.DataFrame, scores: pd.DataFrame, column: str, judge: str = JUDGE
) -> dict[tuple[str, str], Measured]:
    """Each criterion of a judge for each value of a column; none where nothing is scored.

    scores: `criterion_scores` of the conversations that count. Of one scenario the conversations are independent, else
    scenarios are.
    """
    table, names = cast(Table, frame), criteria_of(frame, judge)
    missing = table[table["value"].isna() & (table["judge"] == judge)]
    counts = missing.groupby([column, "criterion"], observed=True).size().to_dict()
    found: dict[tuple[str, str], Measured] = {}
    for row, part in cast(Table, scores).groupby(column, sort=False, observed=True):
        units, each = part["scenario"].to_numpy(), part[names].to_numpy(dtype=float)
        for name, values in zip(names, each.T, strict=True):
            known = values == values
            if known.any():
                alone = None if column == "scenario" else list(units[known])
                sure = mean_interval(list(values[known]), alone, quick=True)
                gone = int(counts.get((row, name), 0))
                found[str(row), name] = Measured(str(row), float(values[known].mean()), int(known.sum()), sure, gone)
    return found


def verdict(interval: Interval | None, line: float) -> Verdict:
    """Whether a mean reaches the pass mark: only when all of its interval does; missed when none of it does."""
    if interval is None:
        return "open"
    if interval.low >= line - 1e-9:
        return "reached"
    return "missed" if interval.high < line - 1e-9 else "open"
