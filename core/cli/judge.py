"""`judge`: score answers from a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from core.base.call_context import in_context
from core.base.clean_text import shorten
from core.base.errors import BadInput, as_sentence
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.tables import columns_of, guess_columns, read_table
from core.base.thread_pool import side_by_side
from core.base.types import Bot, Sample, Score
from core.cli.input_rows import AnswerRow
from core.cli.json_lines import read_input, read_rows, stdout_for_results, write_rows
from core.cli.options import engine_of, interactive_calls, judging_options, load_checked_bot
from core.cli.report_judging import follow_judging, none_scored
from core.judges.base import Judge, JudgeOptions, could_score, judge_all
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.runs.judging.answer_files import NAMES, FileAnswer, answers_of, unique_ids
from core.runs.judging.jobs import JudgingJobs, JudgingRequest
from core.store.store import open_store
from core.text.language import language_of

TABLES = (".csv", ".tsv", ".xlsx", ".json")


def run(arguments: argparse.Namespace) -> int:
    """Write a row per answer and criterion; with `--keep` print the means of the run that the answers become."""
    engine = engine_of(arguments)
    bot = load_checked_bot(arguments.bot) if arguments.bot else None
    with stdout_for_results():  # loading a judge of one's own runs its file
        judges, options = judges_of(arguments.judges, bot), judging_options(arguments)
    answers = _read_answers(arguments.input)
    if arguments.keep:
        return _keep(arguments, engine, bot, answers, options)
    options |= {"guidelines": bot.guidelines, "prompts": bot.prompts} if bot else {"guidelines": ""}
    score = partial(_score, engine, judges, arguments.language, options)
    today = arguments.today or (bot.today if bot else None)
    with stdout_for_results(), interactive_calls(arguments), in_context(today=today):
        rows = _score_all(score, answers, arguments.output, 1 if isinstance(engine, EmbeddedEngine) else 0)
    write_rows(arguments.output, rows)
    _check_any_scored(rows, judges, [sample for _, sample in answers])
    return 0


def _check_any_scored(rows: Sequence[dict[str, Any]], judges: Sequence[Judge], samples: Sequence[Sample]) -> None:
    """Raises BadInput if no row has a score although the judges had what they need."""
    if all(row["value"] is None for row in rows) and any(could_score(judges, sample) for sample in samples):
        raise none_scored(next((row["error"] for row in rows if row["error"]), "no reason is known"))


def _score(
    engine: Engine, judges: tuple[Judge, ...], language: str | None, options: dict[str, Any], sample: Sample
) -> tuple[Score, ...]:
    judge_options = JudgeOptions.model_validate({**options, "language": language or language_of(sample.question, "ja")})
    return judge_all(engine, judges, sample, judge_options)


def _score_all(
    score: Callable[[Sample], tuple[Score, ...]], answers: Sequence[tuple[str | int, Sample]], output: str, threads: int
) -> list[dict[str, Any]]:
    """The verdicts on all answers, in order; on Ctrl-C those that are finished go to a file of their own."""
    ids, samples = [answer for answer, _ in answers], [sample for _, sample in answers]
    with side_by_side(score, samples, threads or settings().concurrency, "judge") as scores:
        work = list(zip(ids, scores, strict=True))
        try:
            return [_as_json(answer, verdict) for answer, verdicts in work for verdict in verdicts.result()]
        except KeyboardInterrupt:
            _write_finished(f"{output}.partial", work if output != "-" else [])
            raise


def _write_finished(file: str, work: Sequence[tuple[str | int, Future[tuple[Score, ...]]]]) -> None:
    """Write what is finished beside the file that would have held everything."""
    done = [(answer, scores.result()) for answer, scores in work if scores.done() and not scores.exception()]
    if done:
        write_rows(file, [_as_json(answer, score) for answer, scores in done for score in scores])
        print(f"Stopped. The scores of {len(done)} finished answers are in {file}.", file=sys.stderr)


def _read_answers(name: str) -> list[tuple[str | int, Sample]]:
    """The answers of a file with their ids: JSON Lines as they are, tables by the names of their columns."""
    if Path(name).suffix.lower() not in TABLES:
        rows = read_rows(name, AnswerRow)
        _check_names(name, [key for row in rows for key in row.model_dump(exclude_unset=True)])
        ids = [number if row.id in (None, "") else row.id for number, row in enumerate(rows, 1)]
        unique = unique_ids([str(row_id) for row_id in ids])
        answer_ids = [row_id if str(row_id) == free else free for row_id, free in zip(ids, unique, strict=True)]
        return [(answer_id, row.sample()) for answer_id, row in zip(answer_ids, rows, strict=True)]
    table = read_table(Path(name).name, read_input(name, "a file with answers"))
    if table.unread:
        print(f"Read the sheet {table.sheet}, not {', '.join(table.unread)}.", file=sys.stderr)
    _check_names(name, columns_of(table))
    return [(row.id, row.sample) for row in answers_of(table, guess_columns(columns_of(table), NAMES))]


def _check_names(name: str, names: Iterable[str]) -> None:
    """Raises BadInput if nothing of a file with rows is called a question, or nothing an answer; unknown names are left alone."""
    unique = list(dict.fromkeys(names))
    known = guess_columns(unique, NAMES)
    for field in ("question", "answer"):
        if unique and field not in known:
            place, found = "standard input" if name == "-" else Path(name).name, shorten(", ".join(unique), 200)
            message = f"{place} has no {field}: its names are {found}. Call one of them {field} and try again."
            raise BadInput(message, f"no_{field}_column_chosen")


def _keep(
    arguments: argparse.Namespace,
    engine: Engine,
    bot: Bot | None,
    answers: Sequence[tuple[str | int, Sample]],
    options: dict[str, Any],
) -> int:
    """Store the answers as a run of the bot, and judge them there; raises BadInput if no bot is named."""
    if bot is None:
        raise BadInput("--keep needs --bot, the bot whose run it becomes.")
    judge_options = options | ({"language": arguments.language} if arguments.language else {})
    rows = [FileAnswer(id=str(answer), sample=sample) for answer, sample in answers]
    name = "standard input" if arguments.input == "-" else Path(arguments.input).name
    store = open_store()
    with in_context(cache=not arguments.no_cache, today=arguments.today), JudgingJobs(store, engine) as judgings:
        job = judgings.judge_file(bot, name, rows, JudgingRequest(arguments.judges, judge_options))
        return follow_judging(store, job, arguments.judges[0], arguments.json)


def _as_json(answer: str | int, score: Score) -> dict[str, Any]:
    reasoning = {"reasoning": score.reasoning.model_dump(exclude_defaults=True)} if score.reasoning else {}
    plain = score.model_dump(exclude={"version", "reasoning"})
    return {"id": answer, **plain, "error": as_sentence(score.error), **reasoning}
