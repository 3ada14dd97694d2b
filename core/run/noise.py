"""The noise floor of a bot: how far two runs of it lie apart that differ in their seed alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from core.report.changes import changes_between, is_noise
from core.report.compare import Difference, difference_by
from core.run.compared import compare_runs
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
    found = [floor for floor in _floors(store, bot, judge, criterion) if floor.difference.low is not None]
    return max(found, key=lambda floor: floor.difference.pairs, default=None)


def _floors(store: Store, bot: str, judge: str, criterion: str) -> Iterator[Floor]:
    runs = [run for run in store.runs(bot) if run.status != "running" and "file" not in run.plan][:NEWEST]
    kept = {run.id: store.snapshot(run.id) for run in runs}
    for b, a in combinations(runs, 2):
        if a.seed != b.seed and is_noise(changes_between(kept[a.id], kept[b.id], a.plan, b.plan)):
            yield Floor(a, b, difference_by(compare_runs(store, a, b).comparison, judge, criterion))
