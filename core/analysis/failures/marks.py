"""Whether later runs agree that a marked entry is fixed: worked out from their scores, never stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from core.analysis.failures.causes import Cause
from core.analysis.failures.entries import FAILURE_THRESHOLD, Failures
from core.analysis.failures.find import find_failures
from core.analysis.failures.judged_turns import scored_scenarios
from core.retrieval.index import Index
from core.store.failure_marks import FailureMark
from core.store.rows import RunRow
from core.store.store import Store

MarkState = Literal["holds", "back", "other", "unscored"]
RUNS = 8  # later runs with a mark's scenario that are looked at, the newest


class LaterRun(NamedTuple):
    """What one later run says of a mark. holds: no failure; back: failed for the same cause; other: for another one
    (`cause`); unscored: it was there, but nothing was scored."""

    run: RunRow
    state: MarkState
    cause: Cause | None = None


class MarkHistory(NamedTuple):
    """A mark and the later runs with its scenario, newest first; none of them: not seen since."""

    mark: FailureMark
    later: tuple[LaterRun, ...]

    @property
    def state(self) -> Literal["holds", "back", "other", "unscored", "unseen"]:
        """What the newest run says that could tell."""
        for run in self.later:
            if run.state != "unscored":
                return run.state
        return "unscored" if self.later else "unseen"


def mark_histories(
    store: Store, bot: str, threshold: float = FAILURE_THRESHOLD, index: Index | None = None
) -> list[MarkHistory]:
    """Every mark of a bot with what the newest runs say that were begun after it and have its scenario."""
    marks = store.failure_marks.of_bot(bot)
    later: dict[tuple[str, str, str], list[LaterRun]] = {mark.key: [] for mark in marks}
    for run in store.runs.all(bot) if marks else ():
        open_ones = [mark for mark in marks if mark.created_at < run.created_at and len(later[mark.key]) < RUNS]
        if not open_ones:
            break  # what follows is older still
        if run.status == "running":
            continue
        scored = scored_scenarios(store, run.id, sorted({mark.scenario_id for mark in open_ones}))
        if scored:
            failures = find_failures(store, run.id, threshold, index, sorted(scored))
            for mark in open_ones:
                if mark.scenario_id in scored:
                    later[mark.key].append(_later(mark, run, failures, scored))
    return [MarkHistory(mark, tuple(later[mark.key])) for mark in marks]


def _later(mark: FailureMark, run: RunRow, failures: Failures, scored: Mapping[str, bool]) -> LaterRun:
    """What a run with the scenario of a mark says of it."""
    failed = [turn for turn in failures.turns if turn.scenario == mark.scenario_id]
    if any(turn.diagnosis.cause == mark.cause for turn in failed):
        return LaterRun(run, "back")
    if failed:
        worst = min(failed, key=lambda turn: turn.score)
        return LaterRun(run, "other", worst.diagnosis.cause)
    return LaterRun(run, "holds" if scored[mark.scenario_id] else "unscored")
