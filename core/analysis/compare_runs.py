"""Two runs side by side, from the store: what differs between the bots, and what between their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from core.analysis.compare import (
    FILE_PAIRED_BY,
    PAIRED_BY,
    Comparison,
    Difference,
    ScoredRun,
    SharedVersions,
    compare,
    difference_by,
    number_repeats,
    scored_run,
    shared_versions,
)
from core.analysis.confidence_intervals import MIN_UNITS
from core.analysis.snapshot_changes import Change, changes_between, is_noise
from core.base.bot_folder import find_bot
from core.base.types import Bot
from core.judges.registry import lower_is_better
from core.store.rows import RunRow
from core.store.score_tables import score_values
from core.store.store import Store

NOISE_RUNS = 12  # the newest runs of a bot, among which its noise floor is looked for


@dataclass(frozen=True)
class RunComparison:
    """Run B against run A."""

    a: RunRow
    b: RunRow
    scores: Comparison
    shared: SharedVersions
    changes: tuple[Change, ...]
    is_external: bool = False  # an external bot may have changed without a trace here

    @property
    def is_noise(self) -> bool:
        """Whether both are runs of the same bot under the same conditions (A/A), so that their difference is noise.

        Never for files of answers; for an external bot only if the seeds differ.
        """
        files = self.a.is_answer_file or self.b.is_answer_file
        return is_noise(self.changes) and not files and (self.seeds_differ or not self.is_external)

    @property
    def seeds_differ(self) -> bool:
        """Whether an A/A comparison can show noise on a deterministic engine."""
        return self.a.seed != self.b.seed


def compare_runs(store: Store, a: RunRow, b: RunRow) -> RunComparison:
    """Compare two runs by the judges that scored both in the same version."""
    shared = shared_of(store, a, b)
    bot = _known_bot(a, b)
    comparison = compare(
        load_scored_run(store, a, shared.versions),
        load_scored_run(store, b, shared.versions),
        {judge: lower_is_better(judge, bot) for judge in shared.versions},
        FILE_PAIRED_BY if a.is_answer_file or b.is_answer_file else PAIRED_BY,
    )
    return RunComparison(a, b, comparison, shared, changes_of(store, a, b), bool(bot and bot.external))


def shared_of(store: Store, a: RunRow, b: RunRow) -> SharedVersions:
    """Which judges scored both runs in the same version."""
    return shared_versions(store.tables.of_run(a.id).versions, store.tables.of_run(b.id).versions)


def load_scored_run(store: Store, run: RunRow, versions: Mapping[str, str]) -> ScoredRun:
    """A run by these judges in these versions."""
    return scored_run(store.tables.cases(run.id), score_values(store.tables.of_run(run.id), versions, versions))


def changes_of(store: Store, a: RunRow, b: RunRow) -> tuple[Change, ...]:
    """The differences between the snapshots and plans of two runs."""
    return changes_between(store.runs.snapshot(a.id), store.runs.snapshot(b.id), a.plan, b.plan)


def _known_bot(a: RunRow, b: RunRow) -> Bot | None:
    return find_bot(b.bot) or find_bot(a.bot)


def noise_floor(store: Store, bot: str, judge: str, criterion: str) -> Difference | None:
    """The A/A comparison with the most pairs among a bot's newest runs; None if there is none."""
    rows = {run.id: run for run in store.runs.all(bot) if run.status != "running" and not run.is_answer_file}

    @cache
    def side(run_id: str, version: str) -> ScoredRun:
        return load_scored_run(store, rows[run_id], {judge: version})

    @cache
    def cases(run_id: str, version: str) -> frozenset[tuple[object, ...]]:
        return _scored_cases(side(run_id, version), (judge, criterion))

    best: tuple[int, RunRow, RunRow, str] | None = None
    for a, b in _noise_pairs(store, list(rows.values())[:NOISE_RUNS]):
        if version := shared_of(store, a, b).versions.get(judge):
            both = cases(a.id, version) & cases(b.id, version)
            if len({case[0] for case in both}) >= MIN_UNITS and (best is None or len(both) > best[0]):
                best = len(both), a, b, version
    if best is None:
        return None
    _, a, b, version = best
    lower_criteria = {judge: lower_is_better(judge, _known_bot(a, b))}
    comparison = compare(side(a.id, version), side(b.id, version), lower_criteria)
    return difference_by(comparison, judge, criterion)


def _noise_pairs(store: Store, runs: Sequence[RunRow]) -> Iterator[tuple[RunRow, RunRow]]:
    """The pairs of runs that differ in their seed alone."""
    snapshots = {run.id: store.runs.snapshot(run.id) for run in runs}
    for b, a in combinations(runs, 2):
        if a.seed != b.seed and is_noise(changes_between(snapshots[a.id], snapshots[b.id], a.plan, b.plan)):
            yield a, b


def _scored_cases(run: ScoredRun, criterion: tuple[str, str]) -> frozenset[tuple[object, ...]]:
    """The finished cases with a score by this (judge, criterion), equal ones numbered: those that can be in a pair."""
    if criterion not in run.means:
        return frozenset()
    table = number_repeats(run.cases, PAIRED_BY)
    scored = run.means[criterion].reindex(table["conversation"]).notna().to_numpy()
    table = table[scored & (table["status"] == "done").to_numpy()]
    return frozenset(zip(*(table[name] for name in (*PAIRED_BY, "place")), strict=True))
