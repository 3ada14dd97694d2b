"""A run as JUnit tests: the bar, and every conversation."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, cast

import pandas as pd

from core.base.errors import as_sentence
from core.base.settings import settings
from core.cli.bar import name_of, run_scores
from core.cli.junit import State, TestLine, write_junit
from core.cli.outcome import ROUNDING, Outcome, beside, counted, whole_test
from core.report.summary import RunSummary
from core.store.rows import ConversationRow, RunRow

Table = Any


def junit_of_run(
    arguments: argparse.Namespace,
    run: RunRow,
    summary: RunSummary,
    frame: pd.DataFrame,
    rows: Sequence[ConversationRow],
    outcome: Outcome,
) -> None:
    """Write a test for the run as a whole, which ends as the command does, and one for each conversation.

    A conversation is an error only where it broke off and the command fails for that; a score below the bar is told.
    """
    bar = settings().finish_line if arguments.fail_under is None else arguments.fail_under
    scores = run_scores(frame, summary).set_index("conversation")["score"]
    mine = cast(Table, frame)
    mine = mine[mine["judge"] == summary.judge]
    reasons = {str(mark): part for mark, part in mine.groupby("conversation", sort=False)}
    whole = whole_test("bar", run.bot, outcome, _scored(summary, bar))
    tests = (_test(row, scores.get(row.id), bar, reasons.get(row.id), outcome.broken) for row in rows)
    write_junit(arguments.junit, run.id, [whole, *tests])


def _scored(summary: RunSummary, bar: float) -> str:
    if summary.score is None:
        return "no score"
    return f"score {beside(summary.score, bar)} of {counted(summary.scored_conversations, 'conversation')}"


def _test(row: ConversationRow, score: float | None, bar: float, verdicts: Table | None, strict: bool) -> TestLine:
    started, ended = row.started_at, row.finished_at
    seconds = (ended - started).total_seconds() if started and ended else 0.0
    line = TestLine(row.kind or row.bot, f"{row.bot}.{row.scenario_id}", name_of(row), "passed", seconds=seconds)
    if row.status == "failed":
        state: State = "error" if strict else "skipped"
        return line._replace(state=state, told=as_sentence(row.error), details=as_sentence(row.error))
    if row.status != "done":
        return line._replace(state="skipped", told=f"The conversation is {row.status}.")
    if score is None or score != score:
        return line._replace(state="skipped", told="No turn could be scored.", details=_why(verdicts))
    if score < bar - ROUNDING:
        return line._replace(details=f"score {beside(score, bar)} < {bar:.12g}\n{_why(verdicts)}".rstrip())
    return line


def _why(verdicts: Table | None) -> str:
    """Every verdict of a conversation: turn, criterion, label, reasons."""
    if verdicts is None:
        return ""
    return "\n".join(
        f"turn {row.turn}, {row.criterion}: {row.label or 'unscored'} {row.reasons or row.error}".strip()
        for row in verdicts.itertuples()
    )
