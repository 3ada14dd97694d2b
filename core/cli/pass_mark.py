"""Whether a run is good enough for CI: its exit code, and its JUnit tests."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import pandas as pd

from core.analysis.confidence_intervals import mean_interval
from core.analysis.run_means import RunSummary, conversation_scores
from core.base.errors import BadInput, as_sentence
from core.base.means import ROUNDING, is_below
from core.base.settings import settings
from core.cli.exit_codes import BELOW_PASS_MARK, INCONCLUSIVE
from core.cli.junit import CommandOutcome, JUnitTest, case_name, check_report, outcome_test, write_junit
from core.cli.output import count_text
from core.cli.parser import MAX_MISSING
from core.store.rows import ConversationRow, RunRow

MAX_LISTED = 20  # conversations below the pass mark, in the test for it


def check_pass_mark(arguments: argparse.Namespace) -> None:
    """Raises BadInput, before the run starts, for options without effect and a report that cannot be written."""
    if arguments.fail_under is None and (arguments.sure or arguments.max_missing is not None):
        option = "--sure" if arguments.sure else "--max-missing"
        raise BadInput(f"{option} needs --fail-under, the score that the run must reach.")
    check_report(arguments.junit)


def pass_mark_outcome(
    arguments: argparse.Namespace, summary: RunSummary, scores: pd.DataFrame, rows: Sequence[ConversationRow]
) -> CommandOutcome:
    """0, or 1 if the pass mark is missed or too many scores are missing; without a pass mark 3 if nothing is scored."""
    pass_mark = arguments.fail_under
    if summary.score is None:
        code = INCONCLUSIVE if pass_mark is None else BELOW_PASS_MARK
        return CommandOutcome(code, ("No conversation could be scored.",), broken=True)
    if pass_mark is None:
        return CommandOutcome(0)
    scored = set(scores.loc[scores["score"].notna(), "conversation"])
    missing = sum(row.status != "done" or row.id not in scored for row in rows)
    incomplete = _incomplete(summary, missing, len(rows)) if missing else ""
    most = MAX_MISSING if arguments.max_missing is None else arguments.max_missing
    if missing / len(rows) > most + ROUNDING:
        message = f"{incomplete} That is more than --max-missing {most:.12g}."
        return CommandOutcome(BELOW_PASS_MARK, (message,), broken=True)
    below = _below(summary.score, pass_mark) or (_uncertain(scores, summary.score, pass_mark) if arguments.sure else "")
    messages = tuple(line for line in (incomplete, below) if line)
    if below:
        return CommandOutcome(BELOW_PASS_MARK, messages, _lowest(scores, rows, pass_mark))
    return CommandOutcome(0, messages)


def near(value: float, pass_mark: float) -> str:
    """The value with as many digits (three at least) as tell it from the pass mark."""
    digits = next((count for count in range(3, 12) if round(value, count) != pass_mark), 12)
    return f"{value:.{digits}f}"


def _incomplete(summary: RunSummary, missing: int, total: int) -> str:
    """The sentence for conversations that did not finish, or have no score."""
    message = (
        f"{missing} of {count_text(total, 'conversation')} failed or {'has' if missing == 1 else 'have'} no score."
    )
    if summary.unfinished_turns:
        turns = count_text(summary.unfinished_turns, "turn")
        are = "is" if summary.unfinished_turns == 1 else "are"
        message += f" {turns} that {summary.unfinished} of them had finished {are} included in the score."
    return message


def _below(score: float, pass_mark: float) -> str:
    """The sentence for a score below the pass mark, else nothing."""
    if not is_below(score, pass_mark):
        return ""
    return f"The score {near(score, pass_mark)} is below the pass mark {pass_mark:.12g}."


def _uncertain(scores: pd.DataFrame, score: float, pass_mark: float) -> str:
    """The sentence for an interval that does not reach the pass mark, else nothing."""
    scored = scores.dropna(subset=["score"])
    interval = mean_interval([float(value) for value in scored["score"]], scenarios=list(scored["scenario"]))
    reached = f"The score {score:.3f} reaches the pass mark {pass_mark:.12g}, but"
    if interval is None:
        return f"{reached} there are too few scenarios for a confidence interval."
    if not is_below(interval.low, pass_mark):
        return ""
    return f"{reached} its 95 % confidence interval starts at {near(interval.low, pass_mark)}. More scenarios make it narrower."


def _lowest(scores: pd.DataFrame, rows: Sequence[ConversationRow], pass_mark: float) -> str:
    """The conversations below the pass mark, the lowest first."""
    names = {row.id: case_name(row.scenario_id, row.persona_id, row.repeat, row.question) for row in rows}
    below = scores[scores["score"] < pass_mark - ROUNDING].sort_values("score", kind="stable")
    listed = zip(below["score"].head(MAX_LISTED).tolist(), below["conversation"], strict=False)
    lines = [f"{near(score, pass_mark)}  {names[conversation]}" for score, conversation in listed]
    return "\n".join(lines + ([f"and {len(below) - MAX_LISTED} more"] if len(below) > MAX_LISTED else []))


def write_run_tests(
    arguments: argparse.Namespace,
    run: RunRow,
    summary: RunSummary,
    frame: pd.DataFrame,
    rows: Sequence[ConversationRow],
    outcome: CommandOutcome,
) -> None:
    """Write a test for the whole run, which ends as the command does, and one for each conversation.

    A conversation is an error only if it failed and the command fails for that; a score below the pass mark is its output.
    """
    pass_mark = settings().pass_mark if arguments.fail_under is None else arguments.fail_under
    scores = conversation_scores(frame, summary.criterion, summary.judge).set_index("conversation")["score"]
    verdicts = frame[frame["judge"] == summary.judge]
    by_conversation = {str(mark): part for mark, part in verdicts.groupby("conversation", sort=False)}
    whole = outcome_test("pass_mark", run.bot, outcome, _scored(summary, pass_mark))
    tests = (_test(row, scores.get(row.id), pass_mark, by_conversation.get(row.id), outcome.broken) for row in rows)
    write_junit(arguments.junit, run.id, [whole, *tests])


def _scored(summary: RunSummary, pass_mark: float) -> str:
    if summary.score is None:
        return "no score"
    return f"score {near(summary.score, pass_mark)} of {count_text(summary.scored_conversations, 'conversation')}"


def _test(
    row: ConversationRow, score: float | None, pass_mark: float, verdicts: pd.DataFrame | None, strict: bool
) -> JUnitTest:
    started, ended = row.started_at, row.finished_at
    seconds = (ended - started).total_seconds() if started and ended else 0.0
    name = case_name(row.scenario_id, row.persona_id, row.repeat, row.question)
    test = JUnitTest(row.kind or row.bot, f"{row.bot}.{row.scenario_id}", name, "passed", seconds=seconds)
    if row.status == "failed":
        error = as_sentence(row.error)
        return test._replace(state="error" if strict else "skipped", message=error, details=error)
    if row.status != "done":
        return test._replace(state="skipped", message=f"The conversation is {row.status}.")
    if score is None or score != score:
        return test._replace(state="skipped", message="No turn could be scored.", details=_reasons(verdicts))
    if is_below(score, pass_mark):
        details = f"score {near(score, pass_mark)} < {pass_mark:.12g}\n{_reasons(verdicts)}"
        return test._replace(details=details.rstrip())
    return test


def _reasons(verdicts: pd.DataFrame | None) -> str:
    """Every verdict on a conversation: turn, criterion, label, reasons."""
    rows = [] if verdicts is None else verdicts.to_dict("records")
    return "\n".join(
        f"turn {row['turn']}, {row['criterion']}: {row['label'] or 'unscored'} {row['reasons'] or as_sentence(row['error'])}".strip()
        for row in rows
    )
