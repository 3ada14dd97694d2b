"""Is run B better than run A: the same cases of both, side by side. Pure functions over two tables of scores.

A pair is a conversation of A and one of B about the same question of the same scenario, with the same persona, in the
same repeat. Its turns are averaged first. Pairs of one scenario are not independent of each other (the same documents,
the same wording), so intervals draw whole scenarios; if each scenario was run once, that means each conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.analysis.confidence_intervals import ComparisonVerdict, estimate, verdict_of
from core.analysis.run_means import conversation_means
from core.base.frozen_model import FrozenModel
from core.base.means import ROUNDING
from core.base.types import OVERALL, SIMULATED_USER, TURN_JUDGE
from core.store.rows import JudgeVersion

PAIRED_BY = ("scenario", "question", "persona", "repeat")
FILE_PAIRED_BY = ("scenario", "question", "repeat")  # a file of answers has the system's name in place of a persona


class SharedVersions(NamedTuple):
    """Which judges scored both runs in the same version."""

    versions: dict[str, str]  # the version of each judge that both runs have
    differing: tuple[str, ...]  # judges that scored both runs, but in different versions
    one_sided: tuple[str, ...]  # judges that scored one run only


class ScoredRun(NamedTuple):
    """A run with its scores by the judges that are compared."""

    cases: pd.DataFrame  # its conversations, columns of `Store.tables.cases`
    means: pd.DataFrame  # conversation by (judge, criterion): the mean of the scored turns, NaN if there is none
    scored: pd.Series[int]  # number of turns with a score, by conversation


class Difference(FrozenModel):
    """B minus A by one criterion of one judge."""

    judge: str
    criterion: str
    lower_is_better: bool
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    low: float | None  # of the 95 % interval, None for fewer than six scenarios
    high: float | None
    detectable: float | None  # the smallest difference that these pairs could have shown (80 % power), see `Estimate`
    pairs: int  # with a score on both sides
    clusters: int  # scenarios of these pairs
    unscored: int  # pairs left out because a side has no score
    verdict: ComparisonVerdict

    @property
    def clustered(self) -> bool:
        """Whether some scenarios have several pairs."""
        return self.clusters < self.pairs


@dataclass(frozen=True)
class Comparison:
    """Two runs side by side."""

    # One row per case that both runs finished: `conversation_a`, `conversation_b`, scenario, persona …
    pairs: pd.DataFrame
    unfinished: pd.DataFrame  # cases of both runs that failed or were stopped in one of them
    only_a: pd.DataFrame  # cases of A alone
    only_b: pd.DataFrame  # cases of B alone
    values: pd.DataFrame  # pair by (judge, criterion, side): the mean of the scored turns, NaN if there is none
    lower_criteria: Mapping[str, frozenset[str]]  # lower-is-better criteria by judge
    unfinished_turns: int = 0  # scored turns in unfinished cases

    @property
    def criteria(self) -> list[tuple[str, str]]:
        """The (judge, criterion) pairs that scored both runs; the judge of the simulated user comes last."""
        names = list(dict.fromkeys((judge, name) for judge, name, _ in self.values.columns))
        in_both = [pair for pair in names if all((*pair, side) in self.values.columns for side in "ab")]
        return sorted(in_both, key=lambda pair: (pair[0] == SIMULATED_USER, pair[0] != TURN_JUDGE))

    def main_criterion(self, judge: str = "", criterion: str = "") -> tuple[str, str] | None:
        """The criterion of the verdict: Overall of the turn judge, else the first; None if there is none."""
        pairs = [pair for pair in self.criteria if judge in ("", pair[0]) and criterion in ("", pair[1])]
        return next((pair for pair in pairs if pair[1] == OVERALL), pairs[0] if pairs else None)

    def failed(self, side: str) -> int:
        """Number of common cases that failed on this side."""
        return int((self.unfinished[f"status_{side}"] == "failed").sum())

    @property
    def common(self) -> int:
        """Number of common cases, finished or not."""
        return len(self.pairs) + len(self.unfinished)

    @property
    def more_failed(self) -> int:
        """How many more of the common cases failed in B than in A; negative if more failed in A."""
        return self.failed("b") - self.failed("a")

    def count_cases(self, side: str) -> int:
        """Number of conversations of this side, paired or not."""
        return self.common + len(self.only_a if side == "a" else self.only_b)


def shared_versions(a: Sequence[JudgeVersion], b: Sequence[JudgeVersion]) -> SharedVersions:
    """For each judge the version that saw the most turns of the run in which it saw fewer; versions are never mixed."""
    seen = [{(version.judge, version.version): version.turns for version in side} for side in (a, b)]
    judges = [{judge for judge, _ in side} for side in seen]
    in_both = sorted((key for key in seen[0] if key in seen[1]), key=lambda key: min(seen[0][key], seen[1][key]))
    versions = dict(in_both)
    differing = tuple(sorted((judges[0] & judges[1]) - versions.keys()))
    return SharedVersions(versions, differing, tuple(sorted(judges[0] ^ judges[1])))


def scored_run(cases: pd.DataFrame, frame: pd.DataFrame) -> ScoredRun:
    """A run from its conversations (columns of `Store.tables.cases`) and the scores to compare (`score_values`)."""
    means = conversation_means(frame)
    turns = frame.loc[frame["value"].notna(), ["conversation", "turn"]].drop_duplicates()
    scored = turns.groupby("conversation", observed=True).size()
    return ScoredRun(cases, means.set_axis(means.index.astype(str)), scored.set_axis(scored.index.astype(str)))


def compare(
    a: ScoredRun,
    b: ScoredRun,
    lower_criteria: Mapping[str, frozenset[str]] | None = None,
    paired_by: Sequence[str] = PAIRED_BY,
) -> Comparison:
    """Pair the conversations of two runs; lower_criteria: lower-is-better criteria by judge."""
    both, only_a, only_b = _paired(a.cases, b.cases, paired_by)
    done = (both["status_a"] == "done") & (both["status_b"] == "done")
    pairs, unfinished = both[done].reset_index(drop=True), both[~done].reset_index(drop=True)
    columns: dict[tuple[str, str, str], pd.Series[float]] = {}
    unfinished_turns = 0
    for name, side in (("a", a), ("b", b)):
        means = side.means.reindex(pairs[f"conversation_{name}"]).set_axis(pairs.index)
        columns |= {(judge, criterion, name): means[judge, criterion] for judge, criterion in means.columns}
        unfinished_turns += int(side.scored.reindex(unfinished[f"conversation_{name}"]).sum())
    values = pd.DataFrame(columns, index=pairs.index)
    return Comparison(pairs, unfinished, only_a, only_b, values, lower_criteria or {}, unfinished_turns)


def difference_by(
    comparison: Comparison, judge: str, criterion: str, margin: float = 0.0, only: pd.Series[bool] | None = None
) -> Difference:
    """B minus A by one criterion; only: the pairs to use, as a column of booleans (default: all)."""
    table = scored_pairs(comparison, judge, criterion)
    table = table if only is None else table[only]
    paired = table.dropna(subset=["difference"])
    estimated = estimate(paired["difference"].to_numpy(), paired["scenario"])
    lower_is_better = criterion in comparison.lower_criteria.get(judge, ())
    return Difference(
        judge=judge,
        criterion=criterion,
        lower_is_better=lower_is_better,
        mean_a=float(paired["a"].mean()) if len(paired) else None,
        mean_b=float(paired["b"].mean()) if len(paired) else None,
        difference=estimated.difference,
        low=estimated.low,
        high=estimated.high,
        detectable=estimated.detectable,
        pairs=len(paired),
        clusters=estimated.clusters,
        unscored=len(table) - len(paired),
        verdict=verdict_of(estimated, lower_is_better, margin),
    )


def differences(comparison: Comparison, margin: float = 0.0) -> list[Difference]:
    """One difference per judge and criterion that scored both runs in the same version."""
    return [difference_by(comparison, judge, criterion, margin) for judge, criterion in comparison.criteria]


def differences_within(comparison: Comparison, judge: str, criterion: str, column: str) -> dict[str, Difference]:
    """The difference for each value of a column of the pairs (kind, persona_name), the largest loss first."""
    values = [value for value in comparison.pairs[column].drop_duplicates() if value]
    parts = {
        str(value): difference_by(comparison, judge, criterion, only=comparison.pairs[column] == value)
        for value in values
    }
    return dict(sorted(parts.items(), key=lambda item: _loss_first(item[1])))


def scored_pairs(comparison: Comparison, judge: str, criterion: str) -> pd.DataFrame:
    """The pairs with `a`, `b` and `difference` (B minus A) by one criterion, NaN if a side has no score."""
    a, b = (comparison.values.get((judge, criterion, side), np.nan) for side in "ab")
    table = comparison.pairs.assign(a=a, b=b)
    return table.assign(difference=table["b"] - table["a"])


def changed_pairs(comparison: Comparison, judge: str, criterion: str, worse: bool = True) -> pd.DataFrame:
    """The pairs that got worse (or better), the largest change first."""
    table = scored_pairs(comparison, judge, criterion)
    sign = -1.0 if criterion in comparison.lower_criteria.get(judge, ()) else 1.0
    change: pd.Series[float] = table["difference"] * sign
    changed = table.assign(change=change)[change.lt(-ROUNDING) if worse else change.gt(ROUNDING)]
    return changed.sort_values(["change", "number_a"], ascending=[worse, True], kind="stable").reset_index(drop=True)


def _loss_first(difference: Difference) -> float:
    """A sort key: the largest loss first, unscored ones last."""
    if difference.difference is None:
        return float("inf")
    return -difference.difference if difference.lower_is_better else difference.difference


def number_repeats(cases: pd.DataFrame, paired_by: Sequence[str]) -> pd.DataFrame:
    """The conversations with the `place` of each among those of the same case."""
    return cases.assign(place=cases.groupby(list(paired_by)).cumcount())


def _paired(
    a: pd.DataFrame, b: pd.DataFrame, paired_by: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """(cases of both, cases of A alone, cases of B alone); equal cases of one side are paired in their order."""
    keys = [*paired_by, "place"]
    left, right = number_repeats(a, paired_by), number_repeats(b, paired_by)
    own = ["conversation", "number", "status", "error"]
    joined = left.merge(right[[*keys, *own]], on=keys, how="inner", suffixes=("_a", "_b"))
    cases = [pd.MultiIndex.from_frame(side[keys]) for side in (left, right)]
    only_a, only_b = left[~cases[0].isin(cases[1])], right[~cases[1].isin(cases[0])]
    both, alone_a, alone_b = (table.drop(columns="place").reset_index(drop=True) for table in (joined, only_a, only_b))
    return both, alone_a, alone_b
