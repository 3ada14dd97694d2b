"""Whether later runs agree that a marked entry is fixed: worked out from their scores, never stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from core.report.causes import Cause
from core.report.fix_list import LOW, Findings
from core.retrieve.index import Index
from core.run.fixing import find_low
from core.store.marks import MarkRow
from core.store.rows import RunRow
from core.store.store import Store

State = Literal["holds", "back", "other", "unscored"]
RUNS = 8  # later runs that are looked at, the newest


class Later(NamedTuple):
    """What one later run says of a mark. holds: no low turn; back: low for the same cause; other: low for another one
    (`cause`); unscored: it was there, but nothing was scored."""

    run: RunRow
    state: State
    cause: Cause | None = None


class Marked(NamedTuple):
    """A mark and the later runs with its scenario, newest first; none of them: not seen since."""

    mark: MarkRow
    later: tuple[Later, ...]

    @property
    def state(self) -> Literal["holds", "back", "other", "unscored", "unseen"]:
        """What the newest run says that could tell."""
        for one in self.later:
            if one.state != "unscored":
                return one.state
        return "unscored" if self.later else "unseen"


def marks_with_runs(store: Store, bot: str, line: float = LOW, index: Index | None = None) -> list[Marked]:
    """Every mark of a bot with what the runs begun after it say."""
    marks = store.marks(bot)
    if not marks:
        return []
    first = min(mark.created_at for mark in marks)
    runs = [run for run in store.runs(bot) if run.created_at > first and run.status != "running"][:RUNS]
    names = sorted({mark.scenario_id for mark in marks})
    found = {run.id: find_low(store, run.id, line, index, names) for run in runs}
    there = {run.id: store.scored_scenarios(run.id, names) for run in runs}
    return [Marked(mark, tuple(_later(mark, runs, found, there))) for mark in marks]


def _later(
    mark: MarkRow, runs: Sequence[RunRow], found: dict[str, Findings], there: dict[str, dict[str, bool]]
) -> list[Later]:
    told: list[Later] = []
    for run in runs:
        if run.created_at <= mark.created_at or mark.scenario_id not in there[run.id]:
            continue
        low = [turn for turn in found[run.id].turns if turn.scenario == mark.scenario_id]
        if any(turn.named.cause == mark.cause for turn in low):
            told.append(Later(run, "back"))
        elif low:
            worst = min(low, key=lambda turn: turn.score)
            told.append(Later(run, "other", worst.named.cause))
        else:
            told.append(Later(run, "holds" if there[run.id][mark.scenario_id] else "unscored"))
    return told
