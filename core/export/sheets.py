"""The small sheets of a run: its summary, what to fix first, and its settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from core.analysis.failures.entries import Failures
from core.analysis.failures.sentences import fix_rows, fix_summary
from core.analysis.names import judge_and_criterion
from core.analysis.run_means import MeanScore
from core.analysis.run_totals import RunTotals
from core.analysis.snapshot_changes import flatten
from core.base.translate import text_or_default, translated_stored_error
from core.charts.titles import incomplete_title
from core.export.layout import ROWS, CellFormat, CellValue, Column, ExportRow, Layout
from core.store.export_records import ExportedConversation

SUMMARY: tuple[tuple[str, int, CellFormat], ...] = (
    ("what", 36, "text"),
    ("value", 18, "share"),
    ("of", 10, "text"),
    ("from", 12, "share"),
    ("to", 12, "share"),
)
FIX: tuple[tuple[str, int, CellFormat], ...] = (
    ("cause", 18, "text"),
    ("document", 22, "text"),
    ("question", 40, "text"),
    ("points_lost", 10, "text"),
    ("failed_turns", 10, "text"),
    ("why", 52, "text"),
    ("sure", 24, "text"),
    ("todo", 44, "text"),
    ("worst_number", 12, "text"),
    ("scenario", 14, "text"),
    ("worst_conversation", 18, "text"),
)
SETTINGS: tuple[tuple[str, int, CellFormat], ...] = (("what", 36, "text"), ("value", 80, "text"))
SMALL = {"summary": SUMMARY, "fix": FIX, "settings": SETTINGS}
SHEETS = ("conversations", "summary", "turns", "scores", "fix", "settings")  # in order


def columns_of(layout: Layout) -> dict[str, list[Column]]:
    """The sheets in order, each with its columns."""
    return {
        name: layout.columns(name) if name in ROWS else [layout.column(*column) for column in SMALL[name]]
        for name in SHEETS
    }


def rows_of(
    layout: Layout, conversations: Iterable[ExportedConversation], totals: RunTotals, failures: Failures
) -> Iterator[tuple[str, ExportRow]]:
    """Every row with the name of its sheet: first those of the conversations, then those of the small sheets."""
    for conversation in conversations:
        for name in ROWS:
            for row in layout.rows(name, conversation):
                yield name, row
    yield from (("summary", row) for row in summary(layout, totals, failures))
    yield from (("fix", row) for row in fix(layout, failures))
    yield from (("settings", row) for row in settings(layout))


def summary(layout: Layout, totals: RunTotals, failures: Failures) -> Iterator[ExportRow]:
    """Score, counts, and the means by criterion, persona and kind with their numbers and intervals."""
    t, found, part, score = layout.t, totals.summary, totals.incomplete, totals.score
    if part:
        yield _line(incomplete_title(part, score.mean if score else None, t))
        yield _line(t("incomplete.note"))
        text = text_or_default(t, f"status.{part.status}", part.status)
        yield _line(t("incomplete.over", status=text), part.ended, part.total)
    name = t("incomplete.so_far" if part else "export.score")
    yield _mean(f"{name} ({judge_and_criterion(layout.judge, layout.criterion, t)})", score)
    yield _line(t("provenance.title"), layout.provenance_text)
    if layout.pass_mark is not None:
        yield _line(t("export.pass_mark"), layout.pass_mark)
        yield _line(t("export.alert_mark"), layout.alert_mark)
    counts = {
        "conversations": found.conversations,
        "scored": found.scored_conversations,
        "failed": found.failed,
        "stopped": found.stopped,
        "unfinished": found.unfinished_turns,
        "invalid": totals.invalid,
        "turns": found.turns,
        "unscored": found.unscored,
    }
    for name, count in counts.items():
        yield _line(t(f"export.count_{name}"), count)
    yield _line(t("export.count_low"), len(failures.turns), failures.scored)
    for (judge, criterion), mean in totals.criteria.items():
        yield _mean(judge_and_criterion(judge, criterion, t), mean)
    for persona, mean in totals.personas.items():
        yield _mean(f"{t('export.persona')}{t('common.colon')}{persona}", mean)
    for kind, mean in totals.kinds.items():
        yield _mean(f"{t('export.kind')}{t('common.colon')}{layout.kind(kind)}", mean)


def _line(what: str, value: CellValue = None, of: CellValue = None) -> ExportRow:
    """A row without an interval."""
    return ExportRow((what, value, of, None, None))


def _mean(name: str, score: MeanScore | None) -> ExportRow:
    if score is None:
        return _line(name, None, 0)
    low, high = (score.interval.low, score.interval.high) if score.interval else (None, None)
    return ExportRow((name, score.mean, score.n, low, high))


def fix(layout: Layout, failures: Failures) -> Iterator[ExportRow]:
    """What to fix, the heaviest cause first; if nothing lost points or nothing is scored, a sentence says so."""
    if not failures.turns:
        text = fix_summary(failures, layout.t) or layout.t("failures.unscored")
        yield ExportRow((text, *[None] * (len(FIX) - 1)))
    for row in fix_rows(failures, layout.t):
        yield ExportRow(tuple(row))


def settings(layout: Layout) -> Iterator[ExportRow]:
    """The settings and the snapshot of the run, one row for each name."""
    run, t = layout.run, layout.t
    plain: dict[str, CellValue] = {
        "run": run.id,
        "run_name": run.name,
        "bot": run.bot,
        "language": run.language,
        "status": text_or_default(t, f"status.{run.status}", run.status),
        "began": layout.moment(run.created_at),
        "over": layout.moment(run.finished_at),
        "seed": run.seed,
        "max_turns": run.max_turns,
        "run_error": translated_stored_error(t, run.error),
    }
    for name, value in plain.items():
        yield ExportRow((t(f"export.{name}"), value))
    for name, value in flatten({"plan": run.plan, **run.snapshot}).items():
        if isinstance(value, bool) or value is None:
            yield ExportRow((name, json.dumps(value)))
        elif isinstance(value, str | int | float):
            yield ExportRow((name, value))
        else:
            yield from (
                ExportRow((f"{name}.{n}", json.dumps(one, ensure_ascii=False))) for n, one in enumerate(value, 1)
            )
