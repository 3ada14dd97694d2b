"""Whether a run is good enough for CI: its exit code, and its conversations as JUnit tests."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, cast

import pandas as pd

from core.base.errors import BadInput, as_sentence
from core.base.settings import settings
from core.cli.junit import TestLine, check_report, write_junit
from core.report.intervals import mean_interval
from core.report.summary import RunSummary, conversation_scores
from core.store.rows import ConversationRow, RunRow

MISSING = 0.1  # share of conversations that may have no score before a bar counts as missed
_ROUNDING = 1e-9  # the mean of 0.6 and 0.8 is 0.7
Table = Any


def bar_options(command: argparse.ArgumentParser, share: Any) -> None:
    """The options that make a run pass or fail."""
    command.add_argument("--fail-under", type=share, metavar="SCORE", help="exit 1 below this score (0 to 1)")
    sure = "with --fail-under: exit 1 unless the lower bound of the 95 %% interval reaches it"
    command.add_argument("--sure", action="store_true", help=sure)
    missing = f"with --fail-under: exit 1 where more than this share failed or is unscored (default {MISSING:g})"
    command.add_argument("--max-missing", type=share, metavar="SHARE", help=missing)
    command.add_argument("--junit", metavar="FILE", help="also write every conversation as a JUnit test")


def check_bar(arguments: argparse.Namespace) -> None:
    """Raises BadInput, before anything is held, for options that would do nothing and a report that cannot be written."""
    if arguments.fail_under is None and (arguments.sure or arguments.max_missing is not None):
        option = "--sure" if arguments.sure else "--max-missing"
        raise BadInput(f"{option} does nothing without --fail-under. Give the score that the run has to reach.")
    check_report(arguments.junit)


def bar_verdict(arguments: argparse.Namespace, summary: RunSummary, scores: Table, rows: Sequence[Any]) -> int:
    """0, or 1 where nothing was scored, the score is below the bar, or too much is missing from it."""
    if summary.score is None:
        return _no("Nothing could be scored.")
    bar = arguments.fail_under
    if bar is None:
        return 0
    missing = _missing(scores, rows)
    if missing:
        told = f"{missing} of {len(rows)} conversations failed or have no score."
        if summary.unfinished_turns:
            told += (
                f" {summary.unfinished_turns} turns that {summary.unfinished} of them had finished are in the score."
            )
        most = MISSING if arguments.max_missing is None else arguments.max_missing
        if missing / len(rows) > most + _ROUNDING:
            return _no(f"{told} That is more than --max-missing {most:g}.")
        print(told, file=sys.stderr)
    if summary.score < bar - _ROUNDING:
        return _no(f"The score {summary.score:.3f} is below the bar {bar:g}.")
    return _surely(scores, summary.score, bar) if arguments.sure else 0


def _surely(scores: Table, score: float, bar: float) -> int:
    there = scores.dropna(subset=["score"])
    found = mean_interval([float(value) for value in there["score"]], scenarios=list(there["scenario"]))
    if found is None:
        return _no(f"The score {score:.3f} reaches the bar {bar:g}, but there are too few scenarios to be sure.")
    if found.low < bar - _ROUNDING:
        told = f"The score {score:.3f} reaches the bar {bar:g}, but its 95 % interval begins at {found.low:.3f}."
        return _no(f"{told} More scenarios make it narrower.")
    return 0


def _missing(scores: Table, rows: Sequence[ConversationRow]) -> int:
    """Conversations that did not come to their end, or have no score."""
    known = set(scores.loc[scores["score"].notna(), "conversation"])
    return sum(row.status != "done" or row.id not in known for row in rows)


def _no(told: str) -> int:
    print(told, file=sys.stderr)
    return 1


def run_scores(frame: pd.DataFrame, summary: RunSummary) -> Table:
    """The score of each conversation by the judge that the summary is about."""
    return conversation_scores(frame, summary.criterion, summary.judge)


def junit_of_run(
    arguments: argparse.Namespace,
    run: RunRow,
    summary: RunSummary,
    frame: pd.DataFrame,
    rows: Sequence[ConversationRow],
) -> None:
    """Write the run's conversations as tests: below the bar failed, broken off an error, without a score skipped."""
    bar = settings().finish_line if arguments.fail_under is None else arguments.fail_under
    scores = run_scores(frame, summary).set_index("conversation")["score"]
    mine = cast(Table, frame)
    mine = mine[mine["judge"] == summary.judge]
    reasons = {str(mark): part for mark, part in mine.groupby("conversation", sort=False)}
    lines = [_test(row, scores.get(row.id), bar, reasons.get(row.id)) for row in rows]
    write_junit(arguments.junit, run.id, lines)


def _test(row: ConversationRow, score: float | None, bar: float, verdicts: Table | None) -> TestLine:
    started, ended = row.started_at, row.finished_at
    seconds = (ended - started).total_seconds() if started and ended else 0.0
    name = f"{row.scenario_id} {row.persona_id} #{row.repeat}: {' '.join(row.question.split())}"
    line = TestLine(row.kind or row.bot, f"{row.bot}.{row.scenario_id}", name, "passed", seconds=seconds)
    if row.status == "failed":
        return line._replace(state="error", told=as_sentence(row.error), details=as_sentence(row.error))
    if row.status != "done":
        return line._replace(state="skipped", told=f"The conversation is {row.status}.")
    if score is None or score != score:
        return line._replace(state="skipped", told="No turn could be scored.", details=_why(verdicts))
    if score < bar - _ROUNDING:
        return line._replace(state="failed", told=f"score {score:.3f} < {bar:g}", details=_why(verdicts))
    return line


def _why(verdicts: Table | None) -> str:
    """Every verdict of a conversation: turn, criterion, label, reasons."""
    if verdicts is None:
        return ""
    return "\n".join(
        f"turn {row.turn}, {row.criterion}: {row.label or 'unscored'} {row.reasons or row.error}".strip()
        for row in verdicts.itertuples()
    )
