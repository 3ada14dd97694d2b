"""A run on the command line: its progress while it is running, and its summary once it has ended."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence

from core.analysis.provenance import provenance, provenance_text
from core.analysis.run_means import RunSummary, conversation_scores, summarise
from core.base.calls import Spending
from core.base.errors import as_sentence
from core.base.retry import long_retries
from core.base.translate import translator
from core.cli.exit_codes import INCONCLUSIVE, interrupted_code
from core.cli.json_lines import Json
from core.cli.junit import CommandOutcome
from core.cli.output import count_text, print_result, show_progress
from core.cli.pass_mark import pass_mark_outcome, write_run_tests
from core.cli.report_judging import print_unscored
from core.runs.runner import Runner
from core.store.rows import ConversationRow, Progress, RunRow
from core.store.score_tables import score_values
from core.store.store import Store

MAX_REASONS = 3  # of failed conversations that are printed
POLL_SECONDS = 1.0  # between two looks at the progress


def follow_run(runner: Runner, store: Store, run_id: str) -> int:
    """Wait for a run; Ctrl-C and SIGTERM stop it; finished turns stay. Returns the exit code of the signal, else 0."""
    code = 0
    with long_retries():
        try:
            while not runner.wait(run_id, POLL_SECONDS):
                if sys.stderr.isatty():
                    now = store.runs.progress(run_id)
                    calls = store.calls.spending(run_id).calls
                    line = f"{now.finished} / {now.total}  {now.per_second:.1f}/s  {calls} calls"
                    show_progress(line)
        except KeyboardInterrupt as interrupt:
            code = interrupted_code(interrupt)
            runner.stop(run_id)
            runner.wait(run_id)
    show_progress("")
    return code


def report_run(arguments: argparse.Namespace, store: Store, run_id: str, interrupted: int) -> int:
    """Print the summary of a run that has ended (`interrupted`: by a signal, its exit code). Returns the exit code."""
    frame = store.records.score_frame(run_id) if arguments.junit else score_values(store.tables.of_run(run_id))
    rows = store.conversations.of_run(run_id)
    summary = summarise(frame, rows)
    scores = conversation_scores(frame, summary.criterion, summary.judge)
    progress, run = store.runs.progress(run_id), store.runs.get(run_id)
    report = _as_json(run_id, summary, progress, store.calls.spending(run_id))
    if run and run.error:
        print(as_sentence(run.error), file=sys.stderr)
    print_result(json.dumps(report, ensure_ascii=False) if arguments.json else _as_text(report, progress))
    if run and not arguments.json:
        print_result(provenance_text(translator("en"), provenance(store, run, summary.judge)))
    for line in _why_failed(rows):
        print(line, file=sys.stderr)
    print_unscored(store, run_id)
    outcome = pass_mark_outcome(arguments, summary, scores, rows)
    outcome = _outcome(arguments, run, progress, interrupted, outcome)
    for line in outcome.messages:
        print(line, file=sys.stderr)
    if run and arguments.junit:
        write_run_tests(arguments, run, summary, frame, rows, outcome)
    return outcome.code


def _why_failed(rows: Sequence[ConversationRow]) -> list[str]:
    """How many conversations failed for each of the commonest reasons."""
    reasons = Counter(as_sentence(row.error) for row in rows if row.status == "failed")
    return [f"{count_text(n, 'conversation')} failed: {reason}" for reason, n in reasons.most_common(MAX_REASONS)]


def _outcome(
    arguments: argparse.Namespace, run: RunRow | None, progress: Progress, interrupted: int, outcome: CommandOutcome
) -> CommandOutcome:
    """The pass mark's outcome, unless the run ended early: a signal always counts, a stop only without --fail-under."""
    stopped = f"Stopped after {progress.finished} of {progress.total} conversations."
    if interrupted:
        return CommandOutcome(interrupted, (stopped,))
    if run is None or run.status == "done" or progress.finished >= progress.total:
        return outcome
    messages = (*outcome.messages, f"{stopped} Resume it with: python -m core resume {run.id}")
    if arguments.fail_under is None:
        return CommandOutcome(INCONCLUSIVE, messages)
    return outcome._replace(messages=messages)


def _as_json(run_id: str, summary: RunSummary, progress: Progress, spent: Spending) -> Json:
    """The run in numbers; the cost is None if a model has no price."""
    return {
        "run": run_id,
        "score": _rounded(summary.score),
        "conversations": summary.conversations,
        "failed": summary.failed,
        "stopped": summary.stopped,
        "unfinished": {"conversations": summary.unfinished, "turns": summary.unfinished_turns},
        "unscored": summary.unscored,
        "criteria": {name: _rounded(score.mean if score else None) for name, score in summary.criteria.items()},
        "turns": progress.turns,
        "seconds": round(progress.seconds, 2),
        "calls": spent.calls,
        "tokens": spent.tokens,
        "cost": None if spent.unpriced else round(spent.cost, 6),
    }


def _as_text(report: Json, progress: Progress) -> str:
    score = "none" if report["score"] is None else f"{report['score']:.3f}"
    finished = f"{progress.finished}/{progress.total} conversations"
    counts = f"{finished}, {report['failed']} failed, {report['unscored']} turns not scored"
    lines = [f"run {report['run']}: score {score} ({counts})"]
    unfinished = report["unfinished"]
    if unfinished["turns"]:
        of = f"{unfinished['conversations']} conversations that failed or stopped"
        lines.append(f"  of {of}, {unfinished['turns']} finished turns are included in the score")
    lines += [f"  {name:<14} {'none' if mean is None else f'{mean:.3f}'}" for name, mean in report["criteria"].items()]
    lines.append(f"  {report['seconds']:.1f} s, {progress.per_second:.1f} conversations per second")
    if report["calls"]:
        money = "price unknown" if report["cost"] is None else f"cost {report['cost']:.4f}"
        lines.append(f"  {report['calls']:,} calls, {report['tokens']:,} tokens, {money}")
    return "\n".join(lines)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
