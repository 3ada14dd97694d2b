"""Two runs side by side, from the store: what differs between the bots, and what between their scores."""

from __future__ import annotations

from dataclasses import dataclass

from core.base.bots import load_bot
from core.base.errors import BadInput
from core.base.types import Bot
from core.judge.registry import lower_is_better
from core.report.changes import Change, changes_between, is_noise
from core.report.compare import CASE, CASE_OF_FILE, Comparison, Shared, compare, shared_versions
from core.store.rows import RunRow
from core.store.store import Store


@dataclass(frozen=True)
class Compared:
    """Run B against run A; outside: of a bot that exists already, which may have changed without a trace here."""

    a: RunRow
    b: RunRow
    comparison: Comparison
    shared: Shared
    changes: tuple[Change, ...]
    outside: bool = False

    @property
    def noise(self) -> bool:
        """Whether both are runs of the same bot under the same conditions (A/A): their difference is noise.

        Files of answers never are; runs of a bot that exists already only where another seed was asked for.
        """
        files = "file" in self.a.plan or "file" in self.b.plan
        return is_noise(self.changes) and not files and (self.seeds_differ or not self.outside)

    @property
    def seeds_differ(self) -> bool:
        """Whether an A/A comparison can show noise on an engine that always says the same."""
        return self.a.seed != self.b.seed


def compare_runs(store: Store, a: RunRow, b: RunRow) -> Compared:
    """Compare two runs by the judges that scored both in the same version."""
    shared = shared_versions(store.judge_versions(a.id), store.judge_versions(b.id))
    judges = sorted(shared.versions)
    bot = _bot(b.bot) or _bot(a.bot)
    found = compare(
        store.score_values(a.id, shared.versions, judges),
        store.score_values(b.id, shared.versions, judges),
        store.cases(a.id),
        store.cases(b.id),
        judges,
        {judge: lower_is_better(judge, bot) for judge in judges},
        CASE_OF_FILE if "file" in a.plan or "file" in b.plan else CASE,
    )
    return Compared(a, b, found, shared, changes_of(store, a, b), bool(bot and bot.outside))


def changes_of(store: Store, a: RunRow, b: RunRow) -> tuple[Change, ...]:
    """What differs between two runs beside their scores."""
    return changes_between(store.snapshot(a.id), store.snapshot(b.id), a.plan, b.plan)


def known_run(store: Store, run_id: str) -> RunRow:
    """The run; raises BadInput where there is none."""
    run = store.run(run_id)
    if run is None:
        raise BadInput(f"There is no run {run_id!r}. See the list of runs.", "unknown_run", id=run_id)
    return run


def _bot(name: str) -> Bot | None:
    """The bot for its own judges; none where it is gone or broken."""
    try:
        return load_bot(name)
    except BadInput:
        return None
