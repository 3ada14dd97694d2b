"""Whether a run is good enough for CI."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, cast

import pandas as pd

from core.analysis.aggregate import RunSummary, conversation_scores
from core.analysis.confidence_intervals import mean_interval
from core.base.errors import BadInput, as_sentence
from core.base.settings import settings
from core.cli.junit import ROUNDING, Outcome, State, TestLine, beside, check_report, counted, whole_test, write_junit
from core.cli.signals import UNTOLD
from core.store.rows import ConversationRow, RunRow

MISSING = 0.1  # share of conversations that may have no score before a bar counts as missed
LISTED = 20  # conversations below the bar, in the test for it
Table = Any


def bar_options(command: argparse.ArgumentParser, share: Any) -> None:
    """The options that make a run pass or fail."""
    command.add_argument(
        "--fail-under", type=share, metavar="SCORE", help="pass mark: exit 1 below this score (0 to 1)"
    )
    sure = "with --fail-under: exit 1 unless the lower end of the 95 %% confidence interval reaches it"
    command.add_argument("--sure", action="store_true", help=sure)
    missing = f"with --fail-under: exit 1 if more than this share failed or is not scored (default {MISSING:g})"
    command.add_argument("--max-missing", type=share, metavar="SHARE", help=missing)
    command.add_argument("--junit", metavar="FILE", help="also write the result and every conversation as JUnit tests")


def check_bar(arguments: argparse.Namespace) -> None:
    """Raises BadInput, before anything is held, for options that would do nothing and a report that cannot be written."""
    if arguments.fail_under is None and (arguments.sure or arguments.max_missing is not None):
        option = "--sure" if arguments.sure else "--max-missing"
        raise BadInput(f"{option} needs --fail-under, the score that the run must reach.")
    check_report(arguments.junit)


def bar_verdict(
    arguments: argparse.Namespace, summary: RunSummary, scores: Table, rows: Sequence[ConversationRow]
) -> Outcome:
    """0, or 1 where the bar is not reached, or too much is missing from the score; without a bar 3 for no score at all."""
    bar = arguments.fail_under
    if summary.score is None:
        return Outcome(UNTOLD if bar is None else 1, ("No conversation could be scored.",), broken=True)
    if bar is None:
        return Outcome(0)
    told, most = _left_out(summary, scores, rows), MISSING if arguments.max_missing is None else arguments.max_missing
    if _missing(scores, rows) / len(rows) > most + ROUNDING:
        return Outcome(1, (f"{told} That is more than --max-missing {most:.12g}.",), broken=True)
    missed = _missed(summary.score, bar) or (_unsure(scores, summary.score, bar) if arguments.sure else "")
    lines = tuple(line for line in (told, missed) if line)
    return Outcome(1 if missed else 0, lines, _lowest(scores, rows, bar) if missed else "")


def _left_out(summary: RunSummary, scores: Table, rows: Sequence[ConversationRow]) -> str:
    """What is missing from the score; empty where nothing is."""
    missing = _missing(scores, rows)
    if not missing:
        return ""
    told = f"{missing} of {counted(len(rows), 'conversation')} failed or {'has' if missing == 1 else 'have'} no score."
    if summary.unfinished_turns:
        turns = counted(summary.unfinished_turns, "turn")
        are = "is" if summary.unfinished_turns == 1 else "are"
        told += f" {turns} that {summary.unfinished} of them had finished {are} included in the score."
    return told


def _missed(score: float, bar: float) -> str:
    """The sentence where the score is below the bar; empty where it is not."""
    if score >= bar - ROUNDING:
        return ""
    return f"The score {beside(score, bar)} is below the pass mark {bar:.12g}."


def _unsure(scores: Table, score: float, bar: float) -> str:
    """The sentence where the interval does not reach the bar; empty where it does."""
    there = scores.dropna(subset=["score"])
    found = mean_interval([float(value) for value in there["score"]], scenarios=list(there["scenario"]))
    reached = f"The score {score:.3f} reaches the pass mark {bar:.12g}, but"
    if found is None:
        return f"{reached} there are too few scenarios for a confidence interval."
    if found.low >= bar - ROUNDING:
        return ""
    return (
        f"{reached} its 95 % confidence interval starts at {beside(found.low, bar)}. More scenarios make it narrower."
    )


def _lowest(scores: Table, rows: Sequence[ConversationRow], bar: float) -> str:
    """The conversations below the bar, the lowest first."""
    names = {row.id: name_of(row) for row in rows}
    low = scores[scores["score"] < bar - ROUNDING].sort_values("score", kind="stable")
    lines = [f"{beside(row.score, bar)}  {names[row.conversation]}" for row in low.head(LISTED).itertuples()]
    return "\n".join(lines + ([f"and {len(low) - LISTED} more"] if len(low) > LISTED else []))


def _missing(scores: Table, rows: Sequence[ConversationRow]) -> int:
    """Conversations that did not come to their end, or have no score."""
    known = set(scores.loc[scores["score"].notna(), "conversation"])
    return sum(row.status != "done" or row.id not in known for row in rows)


def run_scores(frame: pd.DataFrame, summary: RunSummary) -> Table:
    """The score of each conversation by the judge that the summary is about."""
    return conversation_scores(frame, summary.criterion, summary.judge)


def name_of(row: ConversationRow) -> str:
    """A conversation as a test is named: scenario, persona, repeat, question."""
    return f"{row.scenario_id} {row.persona_id} #{row.repeat}: {' '.join(row.question.split())}"


RunTestsTable = Any


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
    bar = settings().pass_mark if arguments.fail_under is None else arguments.fail_under
    scores = run_scores(frame, summary).set_index("conversation")["score"]
    mine = cast(RunTestsTable, frame)
    mine = mine[mine["judge"] == summary.judge]
    reasons = {str(mark): part for mark, part in mine.groupby("conversation", sort=False)}
    whole = whole_test("bar", run.bot, outcome, _scored(summary, bar))
    tests = (_test(row, scores.get(row.id), bar, reasons.get(row.id), outcome.broken) for row in rows)
    write_junit(arguments.junit, run.id, [whole, *tests])


def _scored(summary: RunSummary, bar: float) -> str:
    if summary.score is None:
        return "no score"
    return f"score {beside(summary.score, bar)} of {counted(summary.scored_conversations, 'conversation')}"


def _test(
    row: ConversationRow, score: float | None, bar: float, verdicts: RunTestsTable | None, strict: bool
) -> TestLine:
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


def _why(verdicts: RunTestsTable | None) -> str:
    """Every verdict of a conversation: turn, criterion, label, reasons."""
    if verdicts is None:
        return ""
    return "\n".join(
        f"turn {row.turn}, {row.criterion}: {row.label or 'unscored'} {row.reasons or row.error}".strip()
        for row in verdicts.itertuples()
    )
