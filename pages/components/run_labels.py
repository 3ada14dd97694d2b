"""A run in words that no other run in a list has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from core.store.rows import RunRow
from pages.components.appearance import local_time
from pages.components.bot_picker import bot_names
from pages.components.plain_text import line
from pages.components.services import services
from pages.i18n.translate import t


def run_label(run: RunRow) -> str:
    """A run in words: its name if it has one of its own, when, how large, whether it ended and how many failed."""
    return run_labels([run])[run.id]


def run_labels(runs: Iterable[RunRow], bots: Mapping[str, str] | None = None) -> dict[str, str]:
    """Runs of a list in words, by id: those that would read alike also have the second, else their ID.

    bots: the names of all bots, if they are known already (it takes a while to read them).
    """
    rows, names = list(runs), bot_names() if bots is None else bots
    failed = services().store.conversations.count_failed(row.id for row in rows)
    labels = {row.id: _label(row, names, failed.get(row.id, 0), local_time(row.created_at)) for row in rows}
    for exact in ("{second}", "{second} ({id})"):
        seen = Counter(labels.values())
        for row in rows:
            if seen[labels[row.id]] > 1:
                moment = exact.format(second=local_time(row.created_at, seconds=True), id=line(row.id))
                labels[row.id] = _label(row, names, failed.get(row.id, 0), moment)
    return labels


def _label(run: RunRow, bots: Mapping[str, str], failed: int, moment: str) -> str:
    """What tells runs apart comes first, since a telephone shows only the beginning."""
    named = run.name not in ("", bots.get(run.bot))
    first = t("runs.named", when=moment, name=run.name) if named else moment
    if not run.plan.get("clarify", True):
        first = t("clarification.without_label", label=first)
    return t("runs.label", run=first, n=run.total, status=_ended(run, failed))


def _ended(run: RunRow, failed: int) -> str:
    """A run's state with the conversations that failed."""
    if not failed:
        return t(f"status.{run.status}")
    return t(
        "runs.status_all_failed" if failed >= run.total else "runs.status_failed",
        n=f"{failed:,}",
        status=t(f"status.{run.status}"),
    )
