"""The noise floor of a bot: how far two runs of it lie apart that differ in their seed alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from core.report.changes import changes_between, is_noise
from core.report.compare import CASE, Difference, Side, compare_sides, difference_by, numbered
from core.report.paired import LEAST
from core.run.compared import lower_of, shared_of, side_of
from core.store.rows import RunRow
from core.store.store import Store

NEWEST = 12  # runs of a bot that are looked at


class Floor(NamedTuple):
    """An A/A comparison by the same judge and criterion as the A/B one beside it."""

    first: RunRow
    second: RunRow
    difference: Difference

    @property
    def reach(self) -> float:
        """How far a difference may lie from zero by noise alone: the farther end of the interval."""
        one = self.difference
        return max(abs(one.low or 0.0), abs(one.high or 0.0))


def noise_floor(store: Store, bot: str, judge: str, criterion: str) -> Floor | None:
    """The A/A comparison of a bot with the most pairs among its newest runs; none where it has none."""
    rows = {run.id: run for run in store.runs(bot) if run.status != "running" and "file" not in run.plan}

    @cache
    def side(run_id: str, version: str) -> Side:
        return side_of(store, rows[run_id], {judge: version})

    @cache
    def cases(run_id: str, version: str) -> frozenset[tuple[object, ...]]:
        return _scored_cases(side(run_id, version), (judge, criterion))

    best: tuple[int, RunRow, RunRow, str] | None = None
    for a, b in _alike(store, list(rows.values())[:NEWEST]):
        if version := shared_of(store, a, b).versions.get(judge):
            both = cases(a.id, version) & cases(b.id, version)
            if len({case[0] for case in both}) >= LEAST and (best is None or len(both) > best[0]):
                best = len(both), a, b, version
    if best is None:
        return None
    _, a, b, version = best
    found = compare_sides(side(a.id, version), side(b.id, version), {judge: lower_of(judge, a, b)})
    return Floor(a, b, difference_by(found, judge, criterion))


def _alike(store: Store, runs: Sequence[RunRow]) -> Iterator[tuple[RunRow, RunRow]]:
    """The pairs of runs that differ in their seed alone."""
    kept = {run.id: store.snapshot(run.id) for run in runs}
    for b, a in combinations(runs, 2):
        if a.seed != b.seed and is_noise(changes_between(kept[a.id], kept[b.id], a.plan, b.plan)):
            yield a, b


def _scored_cases(side: Side, by: tuple[str, str]) -> frozenset[tuple[object, ...]]:
    """The cases that came to their end and have a score, equal ones numbered: what can be in a pair."""
    if by not in side.means:
        return frozenset()
    table = numbered(side.cases, CASE)
    scored = side.means[by].reindex(table["conversation"]).notna().to_numpy()
    table = table[scored & (table["status"] == "done").to_numpy()]
    return frozenset(zip(*(table[name] for name in (*CASE, "place")), strict=True))
