"""The small sheets of a run: what it came to, what to fix first, and everything it was made with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from core.analysis.failures.sentences import CompactFindings, fix_rows, fix_summary
from core.analysis.names import criterion_name, judge_name
from core.analysis.streaming import RunTally, RunTotals, SummaryRow, run_totals
from core.base.translate import text_or_default, translated_stored_error
from core.charts.titles import incomplete_title
from core.export.layout import ROWS, Column, Layout, Row, Value
from core.store.export_records import ExportedConversation

SUMMARY = ("what", "value", "of", "from", "to")
FIX = (
    "cause",
    "document",
    "question",
    "lost",
    "low_turns",
    "why",
    "sure",
    "todo",
    "number",
    "scenario",
    "conversation",
)
SETTINGS = ("what", "value")
_WIDTHS = {
    "what": 36,
    "value": 18,
    "of": 10,
    "from": 12,
    "to": 12,
    "cause": 18,
    "document": 22,
    "question": 40,
    "lost": 10,
    "low_turns": 10,
    "why": 52,
    "sure": 24,
    "todo": 44,
    "number": 12,
    "scenario": 14,
    "conversation": 18,
}
_SHARES = ("from", "to")
_OF_FIX = {"number": "worst_number", "conversation": "worst_conversation"}


def columns(layout: Layout, sheet: str) -> list[Column]:
    """The columns of a small sheet."""
    names = {"summary": SUMMARY, "fix": FIX, "settings": SETTINGS}[sheet]
    widths = _WIDTHS | ({"value": 80} if sheet == "settings" else {})
    return [
        Column(layout.t(f"export.{_OF_FIX.get(name, name)}"), widths[name], "share" if name in _SHARES else "text")
        for name in names
    ]


def summary(layout: Layout, totals: RunTotals, findings: CompactFindings) -> Iterator[Row]:
    """Score, counts (with the turns that lost points, of how many), and means by criterion, persona and kind, each of how many and how sure."""
    t, found, part = layout.t, totals.summary, totals.part(layout.run.status)
    if part:
        yield Row((incomplete_title(part, totals.score.value, t), *[None] * 4))
        yield Row((t("incomplete.note"), *[None] * 4))
        text = text_or_default(t, f"status.{part.status}", part.status)
        yield Row((t("incomplete.over", status=text), part.over, part.total, None, None))
    yield _text(layout, "incomplete.so_far" if part else "export.score", totals.score, judge_name(found.judge, t))
    yield Row((t("provenance.title"), layout.provenance, None, None, None))
    if layout.pass_mark is not None:
        yield Row((t("export.pass_mark"), layout.pass_mark, None, None, None))
        yield Row((t("export.alert_mark"), layout.alert_mark, None, None, None))
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
        yield Row((t(f"export.count_{name}"), count, None, None, None))
    yield Row((t("export.count_low"), len(findings.turns), findings.scored, None, None))
    for judge, line in totals.criteria:
        yield _mean(f"{judge_name(judge, t)}{t('export.colon')}{criterion_name(line.name, t)}", line)
    for line in totals.personas:
        yield _mean(f"{t('export.persona')}{t('export.colon')}{line.name}", line)
    for line in totals.kinds:
        yield _mean(f"{t('export.kind')}{t('export.colon')}{text_or_default(t, f'kinds.{line.name}', line.name)}", line)


def _text(layout: Layout, name: str, line: SummaryRow, judge: str) -> Row:
    return _mean(
        f"{layout.t(name)} ({judge}{layout.t('export.colon')}{criterion_name(line.name, layout.t)})",
        line,
    )


def _mean(name: str, line: SummaryRow) -> Row:
    low, high = (line.interval.low, line.interval.high) if line.interval else (None, None)
    return Row((name, line.value, line.n, low, high))


def fix(layout: Layout, found: CompactFindings) -> Iterator[Row]:
    """What to fix, the heaviest cause first; if nothing lost points or nothing is scored, a sentence says so."""
    if not found.turns:
        text = fix_summary(found, layout.t) or layout.t("failures.unscored")
        yield Row((text, *[None] * (len(FIX) - 1)))
    for one in fix_rows(found, layout.t):
        yield Row(tuple(one))


def settings(layout: Layout) -> Iterator[Row]:
    """Everything the run was made with, name by name."""
    run, t = layout.run, layout.t
    plain: dict[str, Value] = {
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
        yield Row((t(f"export.{name}"), value))
    for name, value in _flat({"plan": run.plan, **run.snapshot}):
        yield Row((name, value))


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Value]]:
    """Nested settings as names with points; lists as JSON."""
    for name, value in table.items():
        place = f"{before}{name}"
        if isinstance(value, Mapping):
            yield from _flat(cast("Mapping[str, Any]", value), f"{place}.")
        elif isinstance(value, bool) or value is None:
            yield place, json.dumps(value)
        elif isinstance(value, str | int | float):
            yield place, value
        else:
            yield from ((f"{place}.{n}", json.dumps(one, ensure_ascii=False)) for n, one in enumerate(value, 1))


SHEETS = ("conversations", "summary", "turns", "scores", "fix", "settings")  # in order


def columns_of(layout: Layout) -> dict[str, list[Column]]:
    """The sheets in order, each with its columns."""
    return {name: layout.columns(name) if name in ROWS else columns(layout, name) for name in SHEETS}


def rows_of(
    layout: Layout, conversations: Iterable[ExportedConversation], findings: CompactFindings
) -> Iterator[tuple[str, Row]]:
    """Every row with the name of its sheet: first those of the conversations as they come, then those of the small sheets.

    `conversations` is gone through once.
    """
    tally = RunTally(layout.judge, layout.criterion, layout.pass_mark, worst=0)
    for conversation in tally.counted(conversations):
        for name in ROWS:
            for row in layout.rows(name, conversation):
                yield name, row
    found = run_totals(tally, tally.frame(tally.judge))
    small = {
        "summary": summary(layout, found, findings),
        "fix": fix(layout, findings),
        "settings": settings(layout),
    }
    for name, rows in small.items():
        for row in rows:
            yield name, row
