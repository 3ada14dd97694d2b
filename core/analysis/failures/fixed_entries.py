"""Whether later runs confirm that an entry marked as fixed is fixed: computed from their scores, never stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from core.analysis.failures.causes import Cause
from core.analysis.failures.entries import FAILURE_THRESHOLD, Failures
from core.analysis.failures.find import find_failures
from core.analysis.failures.judged_turns import scored_scenarios
from core.retrieval.index import Index
from core.store.fixed_entries import FixedEntry
from core.store.rows import RunRow
from core.store.store import Store

FixState = Literal["fixed", "recurred", "other_cause", "unscored"]
MAX_LATER_RUNS = 8  # the newest later runs with the entry's scenario that are read


class LaterRun(NamedTuple):
    """The result of an entry's scenario in a later run."""

    run: RunRow
    # fixed: no failure; recurred: failed for the same cause; other_cause: for another one; unscored: nothing was scored
    state: FixState
    cause: Cause | None = None  # if the state is other_cause


class FixHistory(NamedTuple):
    """An entry marked as fixed, and the later runs of its scenario, newest first."""

    entry: FixedEntry
    later: tuple[LaterRun, ...]

    @property
    def state(self) -> Literal["fixed", "recurred", "other_cause", "unscored", "not_run"]:
        """The state in the newest run that was scored."""
        for run in self.later:
            if run.state != "unscored":
                return run.state
        return "unscored" if self.later else "not_run"


def fix_histories(
    store: Store, bot: str, threshold: float = FAILURE_THRESHOLD, index: Index | None = None
) -> list[FixHistory]:
    """Each entry marked as fixed, with the later runs that repeated its scenario."""
    entries = store.fixed_entries.of_bot(bot)
    later: dict[tuple[str, str, str], list[LaterRun]] = {entry.key: [] for entry in entries}
    for run in store.runs.all(bot) if entries else ():
        open_entries = [
            entry for entry in entries if entry.created_at < run.created_at and len(later[entry.key]) < MAX_LATER_RUNS
        ]
        if not open_entries:
            break  # the runs that follow are older still
        if run.status == "running":
            continue
        scored = scored_scenarios(store, run.id, sorted({entry.scenario_id for entry in open_entries}))
        if scored:
            failures = find_failures(store, run.id, threshold, index, sorted(scored))
            for entry in open_entries:
                if entry.scenario_id in scored:
                    later[entry.key].append(_later_run(entry, run, failures, scored))
    return [FixHistory(entry, tuple(later[entry.key])) for entry in entries]


def _later_run(entry: FixedEntry, run: RunRow, failures: Failures, scored: Mapping[str, bool]) -> LaterRun:
    """The result of an entry's scenario in a run that has it."""
    failed = [turn for turn in failures.turns if turn.scenario == entry.scenario_id]
    if any(turn.diagnosis.cause == entry.cause for turn in failed):
        return LaterRun(run, "recurred")
    if failed:
        worst = min(failed, key=lambda turn: turn.score)
        return LaterRun(run, "other_cause", worst.diagnosis.cause)
    return LaterRun(run, "fixed" if scored[entry.scenario_id] else "unscored")
