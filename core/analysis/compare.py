"""Is run B better than run A: the same cases of both, side by side. Pure functions over two tables of scores.

A pair is a conversation of A and one of B about the same question of the same scenario, with the same persona, in the
same repeat. Its turns are averaged first. Pairs of one scenario are not independent of each other (the same documents,
the same wording), so intervals draw whole scenarios; if every scenario was held once, that is every conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.analysis.aggregate import conversation_means
from core.analysis.confidence_intervals import ComparisonVerdict, estimate, verdict_of
from core.base.frozen_model import FrozenModel
from core.base.types import OVERALL, SIMULATED_USER, TURN_JUDGE
from core.store.rows import JudgeVersion

PAIRED_BY = ("scenario", "question", "persona", "repeat")
FILE_PAIRED_BY = ("scenario", "question", "repeat")  # what answered stands where the persona does


class SharedVersions(NamedTuple):
    """Which version of each judge both runs have; judges that scored both in different versions; those on one side."""

    versions: dict[str, str]
    differing: tuple[str, ...]
    one_sided: tuple[str, ...]


class ScoredRun(NamedTuple):
    """A run by the judges that count.

    cases: its conversations, columns of `Store.tables.cases`; means: of each conversation (its index) and (judge,
    criterion) the mean of the scored turns, NaN if there is none; scored: how many turns of each conversation have a score.
    """

    cases: pd.DataFrame
    means: pd.DataFrame
    scored: pd.Series[int]


class Difference(FrozenModel):
    """B minus A by one criterion of one judge, over `pairs` that both sides have a score for.

    low, high: 95 % interval, none for fewer than six scenarios; detectable: the smallest difference that these pairs
    could have shown (80 % power), none if it is not known (`Estimate`); unscored: pairs left out since a side has no
    score; lower: lower is better.
    """

    judge: str
    criterion: str
    lower: bool
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    detectable: float | None
    pairs: int
    clusters: int
    unscored: int
    verdict: ComparisonVerdict

    @property
    def clustered(self) -> bool:
        """Whether some scenarios hold several pairs."""
        return self.clusters < self.pairs


@dataclass(frozen=True)
class Comparison:
    """Two runs side by side.

    pairs: one row per case that both held to its end, with `conversation_a`, `conversation_b` and about whom and what;
    broken: cases of both that failed or were stopped on a side; broken_turns: turns scored in those; only_a, only_b:
    cases of one side; values: for each pair and (judge, criterion, side) the mean of its scored turns, NaN if none.
    """

    pairs: pd.DataFrame
    broken: pd.DataFrame
    only_a: pd.DataFrame
    only_b: pd.DataFrame
    values: pd.DataFrame
    lower: Mapping[str, frozenset[str]]
    broken_turns: int = 0

    @property
    def criteria(self) -> list[tuple[str, str]]:
        """(judge, criterion) of all that both sides were scored by, judges of the user last."""
        names = list(dict.fromkeys((judge, name) for judge, name, _ in self.values.columns))
        in_both = [pair for pair in names if all((*pair, side) in self.values.columns for side in "ab")]
        return sorted(in_both, key=lambda pair: (pair[0] == SIMULATED_USER, pair[0] != TURN_JUDGE))

    def main_criterion(self, judge: str = "", criterion: str = "") -> tuple[str, str] | None:
        """The criterion that the verdict is about: Overall of the turn judge, else the first; none without any."""
        pairs = [pair for pair in self.criteria if judge in ("", pair[0]) and criterion in ("", pair[1])]
        return next((pair for pair in pairs if pair[1] == OVERALL), pairs[0] if pairs else None)

    def failed(self, side: str) -> int:
        """Cases of both that failed on the side."""
        return int((self.broken[f"status_{side}"] == "failed").sum())

    @property
    def common(self) -> int:
        """Cases of both, whether or not they came to their end."""
        return len(self.pairs) + len(self.broken)

    @property
    def more_failed(self) -> int:
        """In how many more of the common cases B failed than A did; negative if A failed in more."""
        return self.failed("b") - self.failed("a")

    def count_cases(self, side: str) -> int:
        """All conversations of the side, paired or not."""
        return self.common + len(self.only_a if side == "a" else self.only_b)


def shared_versions(a: Sequence[JudgeVersion], b: Sequence[JudgeVersion]) -> SharedVersions:
    """For each judge the version that saw the most turns of the run in which it saw fewer; versions are never mixed."""
    seen = [{(version.judge, version.version): version.turns for version in side} for side in (a, b)]
    judges = [{judge for judge, _ in side} for side in seen]
    in_both = sorted(seen[0].keys() & seen[1].keys(), key=lambda key: min(seen[0][key], seen[1][key]))
    versions = dict(in_both)
    differing = tuple(sorted((judges[0] & judges[1]) - versions.keys()))
    return SharedVersions(versions, differing, tuple(sorted(judges[0] ^ judges[1])))


def scored_run(cases: pd.DataFrame, frame: pd.DataFrame) -> ScoredRun:
    """A run from its conversations (columns of `Store.tables.cases`) and its scores (`score_values`) by the judges that count."""
    means = conversation_means(frame)
    turns = frame.loc[frame["value"].notna(), ["conversation", "turn"]].drop_duplicates()
    scored = turns.groupby("conversation", observed=True).size()
    return ScoredRun(cases, means.set_axis(means.index.astype(str)), scored.set_axis(scored.index.astype(str)))


def compare(
    a: ScoredRun, b: ScoredRun, lower: Mapping[str, frozenset[str]] | None = None, by: Sequence[str] = PAIRED_BY
) -> Comparison:
    """Pair the conversations of two runs; lower: by judge the criteria of which lower is better."""
    both, only_a, only_b = _paired(a.cases, b.cases, by)
    done = (both["status_a"] == "done") & (both["status_b"] == "done")
    pairs, broken = both[done].reset_index(drop=True), both[~done].reset_index(drop=True)
    columns: dict[tuple[str, str, str], pd.Series[float]] = {}
    broken_turns = 0
    for name, side in (("a", a), ("b", b)):
        means = side.means.reindex(pairs[f"conversation_{name}"]).set_axis(pairs.index)
        columns |= {(judge, criterion, name): means[judge, criterion] for judge, criterion in means.columns}
        broken_turns += int(side.scored.reindex(broken[f"conversation_{name}"]).sum())
    values = pd.DataFrame(columns, index=pairs.index)
    return Comparison(pairs, broken, only_a, only_b, values, lower or {}, broken_turns)


def difference_by(
    comparison: Comparison, judge: str, criterion: str, margin: float = 0.0, of: pd.Series[bool] | None = None
) -> Difference:
    """B minus A by one criterion; `of`: only the pairs for which it is true (a column of truths)."""
    table = scored_pairs(comparison, judge, criterion)
    asked = len(table) if of is None else int(of.sum())
    table = table if of is None else table[of]
    paired = table.dropna(subset=["difference"])
    guess = estimate(paired["difference"].to_numpy(), paired["scenario"])
    less = criterion in comparison.lower.get(judge, ())
    return Difference(
        judge=judge,
        criterion=criterion,
        lower=less,
        mean_a=float(paired["a"].mean()) if len(paired) else None,
        mean_b=float(paired["b"].mean()) if len(paired) else None,
        difference=guess.difference if guess else None,
        low=guess.low if guess else None,
        high=guess.high if guess else None,
        detectable=guess.detectable if guess else None,
        pairs=len(paired),
        clusters=guess.clusters if guess else 0,
        unscored=asked - len(paired),
        verdict=verdict_of(guess, less, margin),
    )


def differences(comparison: Comparison, margin: float = 0.0) -> list[Difference]:
    """One difference per judge and criterion that scored both runs in the same version."""
    return [difference_by(comparison, judge, criterion, margin) for judge, criterion in comparison.criteria]


def differences_within(comparison: Comparison, judge: str, criterion: str, column: str) -> dict[str, Difference]:
    """The difference for each value of a column of the pairs (kind, persona_name), the largest loss first."""
    values = [value for value in comparison.pairs[column].drop_duplicates() if value]
    parts = {
        str(value): difference_by(comparison, judge, criterion, of=comparison.pairs[column] == value)
        for value in values
    }
    return dict(sorted(parts.items(), key=lambda item: _change(item[1])))


def scored_pairs(comparison: Comparison, judge: str, criterion: str) -> pd.DataFrame:
    """The pairs with `a`, `b` and `difference` (B minus A) by one criterion, NaN if a side has no score."""
    a, b = (comparison.values.get((judge, criterion, side), np.nan) for side in "ab")
    table = comparison.pairs.assign(a=a, b=b)
    return table.assign(difference=table["b"] - table["a"])


def changed_pairs(comparison: Comparison, judge: str, criterion: str, worse: bool = True) -> pd.DataFrame:
    """The pairs that got worse (or better), the largest change first."""
    table = scored_pairs(comparison, judge, criterion)
    sign = -1.0 if criterion in comparison.lower.get(judge, ()) else 1.0
    change: pd.Series[float] = table["difference"] * sign
    moved = table.assign(change=change)[change.lt(-1e-9) if worse else change.gt(1e-9)]
    return moved.sort_values(["change", "number_a"], ascending=[worse, True], kind="stable").reset_index(drop=True)


def _change(difference: Difference) -> float:
    if difference.difference is None:
        return float("inf")
    return -difference.difference if difference.lower else difference.difference


def number_repeats(cases: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """The conversations with the `place` of each among those of the same case."""
    return cases.assign(place=cases.groupby(list(by)).cumcount())


def _paired(a: pd.DataFrame, b: pd.DataFrame, by: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """(cases of both, cases of A alone, cases of B alone); equal cases of one side are paired in their order."""
    keys = [*by, "place"]
    left, right = number_repeats(a, by), number_repeats(b, by)
    own = ["conversation", "number", "status", "error"]
    joined = left.merge(right[[*keys, *own]], on=keys, how="inner", suffixes=("_a", "_b"))
    cases = [pd.MultiIndex.from_frame(side[keys]) for side in (left, right)]
    only_a, only_b = left[~cases[0].isin(cases[1])], right[~cases[1].isin(cases[0])]
    both, alone_a, alone_b = (table.drop(columns="place").reset_index(drop=True) for table in (joined, only_a, only_b))
    return both, alone_a, alone_b
