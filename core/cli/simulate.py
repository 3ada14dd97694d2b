"""The commands around runs: simulate, resume, runs."""

from __future__ import annotations

import argparse
import json
import sys
from typing import get_args

from pydantic import ValidationError

from core.analysis.aggregate import RunSummary, summarise
from core.base.bot_folder import load_bot
from core.base.calls import Spending
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.retry import patient
from core.base.settings import settings
from core.base.types import Bot, Kind
from core.cli.json_lines import Json
from core.cli.judge_options import how_options
from core.cli.junit import Outcome
from core.cli.pass_mark import bar_verdict, check_bar, junit_of_run, run_scores
from core.cli.signals import UNTOLD, exit_code
from core.retrieval.index import Indexes
from core.runs.batch import Batches, check_asking
from core.runs.heartbeat import find_interrupted
from core.runs.plan import Plan
from core.simulation.scenarios import read_scenarios
from core.store.rows import Progress, RunRow
from core.store.score_tables import score_values
from core.store.store import Store, open_store

TICK = 1.0  # seconds between two looks at the progress


def simulate(arguments: argparse.Namespace, engine: Engine) -> int:
    """Let personas talk to a bot; exit 1 where the score is below the bar, or there is a bar and no score.

    Exit 3 where no bar was given and the run stopped before its end, as at its budget, or nothing could be scored.
    Stopped by Ctrl-C or SIGTERM it still prints the summary of what is finished, and exits with 130 or 143.
    """
    check_bar(arguments)
    bot = load_bot(arguments.bot)
    plan = _plan(arguments, bot)
    check_asking(plan, bot)
    store, indexes = open_store(), Indexes()
    indexes.get(bot)  # what cannot be searched is told before there is a run
    batches = Batches(store, indexes, engine)
    try:
        run_id = batches.start(plan)
        with patient():
            stopped = _watch(batches, store, run_id)
    finally:
        batches.close()
    return _report(arguments, store, run_id, stopped)


def resume(arguments: argparse.Namespace, engine: Engine) -> int:
    """Go on with a run where it stopped, on the engine it began with unless another is asked for; ends like simulate."""
    check_bar(arguments)
    store = open_store()
    batches = Batches(store, Indexes(), engine)
    try:
        speaker = engine if arguments.engine else _its_engine(store, arguments.run, engine)
        limits = (arguments.budget, arguments.budget_calls)
        told = batches.resume(arguments.run, speaker, arguments.retry_failed, *limits).told
        if told:
            print(told, file=sys.stderr)
        with patient():
            stopped = _watch(batches, store, arguments.run)
    finally:
        batches.close()
    return _report(arguments, store, arguments.run, stopped)


def _its_engine(store: Store, run_id: str, engine: Engine) -> Engine:
    """The engine that a run began with; raises BadInput where a model server lacks its key or model."""
    name = store.runs.snapshot(run_id).get("engine")
    if name not in ("embedded", "openai") or name == getattr(engine, "name", ""):
        return engine
    from core.llm.choose import choose_engine  # brings the openai package

    return choose_engine(settings(), store.calls, name)


def _report(arguments: argparse.Namespace, store: Store, run_id: str, stopped: int) -> int:
    """Print the summary of a run that has ended, or was stopped; gives the exit code."""
    frame = store.records.score_frame(run_id) if arguments.junit else score_values(store.tables.of_run(run_id))
    rows = store.conversations.of_run(run_id)
    summary = summarise(frame, rows)
    progress = store.runs.progress(run_id)
    told = _told(run_id, summary, progress, store.calls.spending(run_id))
    run = store.runs.get(run_id)
    if run and run.error:
        print(run.error, file=sys.stderr)
    print(json.dumps(told, ensure_ascii=False) if arguments.json else _spoken(told, progress))
    outcome = _outcome(
        arguments, run, progress, stopped, bar_verdict(arguments, summary, run_scores(frame, summary), rows)
    )
    for line in outcome.told:
        print(line, file=sys.stderr)
    if run and arguments.junit:
        junit_of_run(arguments, run, summary, frame, rows, outcome)
    return outcome.code


def _outcome(
    arguments: argparse.Namespace, run: RunRow | None, progress: Progress, stopped: int, verdict: Outcome
) -> Outcome:
    """The verdict, unless the run ended before all was held: a signal always counts, a stop where no bar was given."""
    halted = f"Stopped after {progress.finished} of {progress.total} conversations."
    if stopped:
        return Outcome(stopped, (halted,))
    if run is None or run.status == "done" or progress.finished >= progress.total:
        return verdict
    told = (*verdict.told, f"{halted} Resume it with: python -m core resume {run.id}")
    return Outcome(UNTOLD, told) if arguments.fail_under is None else verdict._replace(told=told)


def runs(arguments: argparse.Namespace, engine: Engine) -> int:
    """List the runs, newest first."""
    store = open_store()
    find_interrupted(store)
    found = store.runs.all(load_bot(arguments.bot).id if arguments.bot else None)[: arguments.limit]
    if not found and not arguments.json:
        print("There are no runs yet. Start one with: python -m core simulate --bot BOT")
    scores = store.scores.run_means()
    for run in found:
        row = _run(store, run, scores.get(run.id))
        print(json.dumps(row, ensure_ascii=False) if arguments.json else _line(row))
    return 0


def _plan(arguments: argparse.Namespace, bot: Bot) -> Plan:
    """What the options ask for; raises BadInput for a number that is too large."""
    plain = ("repeats", "seed", "max_turns", "limit", "concurrency", "judge_language", "budget", "budget_calls")
    try:
        return Plan(
            bot=bot.id,
            scenarios=_questions(arguments.questions, bot),
            personas=() if arguments.personas in ("", "all") else _names("--personas", arguments.personas),
            cross=arguments.personas == "all",
            judges=_names("--judges", arguments.judges),
            language=arguments.language or bot.language,
            cache=not arguments.no_cache,
            clarify=not arguments.no_clarify,
            **how_options(arguments),
            **{name: getattr(arguments, name) for name in plain},
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = f"--{first['loc'][0]}".replace("_", "-")
        raise BadInput(f"{option} {first['input']}: {first['msg']}. Give another number.", "bad_option") from error


def _questions(wanted: str, bot: Bot) -> tuple[str, ...]:
    """The scenarios' ids: all (none named), those of a kind, or as listed; raises BadInput for a name without any."""
    if wanted in ("", "all"):
        return ()
    names, scenarios = _names("--questions", wanted), read_scenarios(bot)
    there = {scenario.id for scenario in scenarios} | {scenario.kind for scenario in scenarios}
    for name in names:
        if name in get_args(Kind) and name not in there:
            raise BadInput(f"{bot.id} has no questions of kind {name}. Choose another kind or all.", "no_questions")
        if name not in there:
            known = ", ".join([*get_args(Kind), *(scenario.id for scenario in scenarios[:5])])
            told = f"{bot.id} has no question or kind {name!r}. Choose from all, {known} and so on."
            raise BadInput(told, "unknown_scenario", id=name)
    return tuple(scenario.id for scenario in scenarios if scenario.kind in names or scenario.id in names)


def _names(option: str, listed: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in listed.split(",") if name.strip())
    if not names:
        raise BadInput(f"{option} {listed!r} has no names. Give at least one.")
    return names


def _watch(batches: Batches, store: Store, run_id: str) -> int:
    """Wait for the run; Ctrl-C and SIGTERM stop it, and what is finished stays. Gives their exit code, 0 otherwise."""
    stopped = 0
    try:
        while not batches.wait(run_id, TICK):
            if sys.stderr.isatty():
                now = store.runs.progress(run_id)
                line = (
                    f"{now.finished} / {now.total}  {now.per_second:.1f}/s  {store.calls.spending(run_id).calls} calls"
                )
                print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt as end:
        stopped = exit_code(end)
        batches.stop(run_id)
        batches.wait(run_id)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return stopped


def _told(run_id: str, summary: RunSummary, progress: Progress, spent: Spending) -> Json:
    """The run in numbers; the cost is none where a model has no price."""
    return {
        "run": run_id,
        "score": _rounded(summary.score),
        "conversations": summary.conversations,
        "failed": summary.failed,
        "stopped": summary.stopped,
        "unfinished": {"conversations": summary.unfinished, "turns": summary.unfinished_turns},
        "unscored": summary.unscored,
        "criteria": {name: _rounded(one.mean if one else None) for name, one in summary.criteria.items()},
        "turns": progress.turns,
        "seconds": round(progress.seconds, 2),
        "calls": spent.calls,
        "tokens": spent.tokens,
        "cost": None if spent.unpriced else round(spent.cost, 6),
    }


def _spoken(told: Json, progress: Progress) -> str:
    score = "none" if told["score"] is None else f"{told['score']:.3f}"
    held = f"{progress.finished}/{progress.total} conversations"
    counts = f"{held}, {told['failed']} failed, {told['unscored']} turns not scored"
    lines = [f"run {told['run']}: score {score} ({counts})"]
    broken = told["unfinished"]
    if broken["turns"]:
        broke = f"{broken['conversations']} conversations that failed or stopped"
        lines.append(f"  of {broke}, {broken['turns']} finished turns are included in the score")
    lines += [f"  {name:<14} {'none' if mean is None else f'{mean:.3f}'}" for name, mean in told["criteria"].items()]
    lines.append(f"  {told['seconds']:.1f} s, {progress.per_second:.1f} conversations per second")
    if told["calls"]:
        money = "price unknown" if told["cost"] is None else f"cost {told['cost']:.4f}"
        lines.append(f"  {told['calls']:,} calls, {told['tokens']:,} tokens, {money}")
    return "\n".join(lines)


def _run(store: Store, run: RunRow, score: float | None) -> Json:
    now = store.runs.progress(run.id)
    return {
        "run": run.id,
        "bot": run.bot,
        "name": run.name,
        "status": run.status,
        "created_at": run.created_at.isoformat(timespec="seconds"),
        "seed": run.seed,
        "score": _rounded(score),
        "conversations": now.total,
        "finished": now.finished,
        "done": now.done,
        "failed": now.failed,
    }


def _line(row: Json) -> str:
    score = "none " if row["score"] is None else f"{row['score']:.3f}"
    held = f"{row['finished']}/{row['conversations']}"
    counts = f"{held:>9} conversations, {row['failed']} failed"
    return f"{row['run']:<24} {row['created_at'][:16]}  {row['status']:<12} {score}  {counts}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
