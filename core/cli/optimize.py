"""`optimize`: try variants of one prompt on labelled rows, and keep the current one unless another is clearly better."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from core.base.clean_text import without_control_characters
from core.base.errors import BadInput
from core.base.tables import read_table
from core.base.types import Bot
from core.cli.json_lines import read_input
from core.cli.options import engine_of, load_checked_bot
from core.optimization.labelled_rows import LabelledRow, labelled_answers
from core.optimization.prompt_task import PromptTask, bot_task, judge_task
from core.optimization.results import store_result
from core.optimization.search import CostEstimate, OptimizationResult, Search, SearchOptions, check_engine, use
from core.prompts.catalog import find_prompt
from core.retrieval.index_cache import Indexes


def run(arguments: argparse.Namespace) -> int:
    """Print what is to be expected, then the result; stopped by Ctrl-C it goes on where it was when called again."""
    engine, bot = engine_of(arguments), load_checked_bot(arguments.bot)
    check_engine(engine)
    task = _task(arguments, bot)
    options = SearchOptions(
        rules=max(0, arguments.variants),
        examples=max(0, arguments.examples),
        seed=arguments.seed,
        limit=arguments.limit,
        budget=arguments.budget,
        today=arguments.today,
    )
    expected = Search(engine, bot, task, options).estimate()
    if arguments.estimate:
        print(expected.model_dump_json() if arguments.json else _expected(expected))
        return 0
    print(_expected(expected), file=sys.stderr)
    try:
        result = Search(engine, bot, task, options).run()
    except KeyboardInterrupt:
        print("Stopped. The same command goes on where it stopped; nothing is asked twice.", file=sys.stderr)
        raise
    name = store_result(result)
    if arguments.use and result.verdict == "better":
        use(bot, result)
    print(result.model_dump_json() if arguments.json else _as_text(result, name, arguments.use))
    return 0


def _task(arguments: argparse.Namespace, bot: Bot) -> PromptTask:
    """What the prompt is tried on; raises BadInput if labels are missing, or a prompt cannot be optimized."""
    name, language = find_prompt(arguments.prompt).name, arguments.language or bot.language
    if not name.startswith("judges/"):
        return bot_task(bot, None if bot.external else Indexes().get(bot), name, language, arguments.judge)
    if not arguments.labels:
        raise BadInput("A judge's prompt is optimized with people's labels. Give --labels FILE.", "no_labels")
    return judge_task(bot, name, language, arguments.judge, _read_labels(arguments.labels))


def _read_labels(name: str) -> list[LabelledRow]:
    return labelled_answers(read_table(Path(name).name, read_input(name, "a file with labels")))


def _expected(expected: CostEstimate) -> str:
    calls = expected.calls
    price = f", about {calls.cost:.2f}" if calls.cost else ""
    return f"expected: at most {calls.calls:,} calls, {calls.tokens:,} tokens{price}, {expected.seconds:,.0f} s; {expected.rows} labelled rows"


def _as_text(result: OptimizationResult, name: str, used: bool) -> str:
    """The result for a person: the verdict first, then the figures and the text."""
    lines = [_verdict(result, used)]
    for half, scores in (("development half", result.development), ("held-out half", result.held_out)):
        if scores and scores.present is not None and scores.best is not None:
            lines.append(
                f"{half}: {scores.present:.3f} now, {scores.best:.3f} with {result.origin} ({scores.rows} rows)"
            )
    if result.difference is not None and result.low is not None and result.high is not None:
        interval = f"95 % interval {result.low:+.3f} to {result.high:+.3f}"
        equal = result.low == result.high == 0
        lines.append(f"difference: {result.difference:+.3f} ({'no row changed' if equal else interval})")
    lines += [
        f"  {candidate.origin}: {candidate.score:.3f} on {candidate.rows} rows"
        for candidate in result.tried
        if candidate.score is not None
    ]
    lines.append(f"calls: {result.spent.calls:,}; stored as {name}")
    lines += ["", result.best_text.strip()] if result.verdict == "better" else []
    return without_control_characters("\n".join(lines))


def _verdict(result: OptimizationResult, used: bool) -> str:
    if result.verdict == "nothing_found":
        return "No variant was better on the development half. The current prompt stays."
    if result.verdict == "not_surely_better":
        return "The best variant is not clearly better on the held-out half. The current prompt stays."
    end = f"It is now in prompts/{result.key}.md." if used else "Use it with --use."
    return f"Better: {result.origin}. {end}"
