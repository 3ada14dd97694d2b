"""The command that judges answers from a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.tables import columns_of, read_table
from core.base.types import Kind, Language, Sample, Score
from core.cli.json_lines import Json, only_results, read_rows, write_rows
from core.cli.judge_options import how_options
from core.cli.judge_run import keep
from core.judges.base import How, judge_all
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.runs.answer_files import answered, answers_of, apart, guess_mapping
from core.runs.thread_pool import Pool
from core.text.language import language_of

TABLES = (".csv", ".tsv", ".xlsx", ".json")


class Judged(BaseModel):
    """An answer to judge, with whatever is known around it, by the names that tables may use too."""

    model_config = ConfigDict(frozen=True, extra="allow")
    id: str | int | None = None
    asked_back: bool | None = None
    kind: Kind | None = None
    needs_asking: bool | None = None
    persona: str | None = None

    @field_validator("kind", mode="before")
    @classmethod
    def _no_kind(cls, given: Any) -> Any:
        return given or None

    def sample(self) -> Sample:
        """The same as a judge takes it."""
        cells = {**(self.model_extra or {}), "kind": self.kind}
        found = answered(cells, guess_mapping(list(cells)), 0).sample
        more = {
            "asked_back": self.asked_back or False,
            "needs_asking": self.needs_asking,
            "persona": self.persona or "",
        }
        return found.model_copy(update=more)


def judge(arguments: argparse.Namespace, engine: Engine) -> int:
    """Score the answers of a file: one row per answer and criterion; with `--keep` as a run, of which it prints the means."""
    bot = load_bot(arguments.bot) if arguments.bot else None
    with only_results():  # loading a judge of one's own runs its file
        judges, options = judges_of(arguments.judges, bot), how_options(arguments)
    answers = _answers(arguments.input)
    if arguments.keep:
        return keep(arguments, engine, bot, answers)
    guidelines = bot.guidelines if bot else ""

    def scores(sample: Sample) -> tuple[Score, ...]:
        language: Language = arguments.language or language_of(sample.question, "ja")
        return judge_all(engine, judges, sample, How(language=language, guidelines=guidelines, **options))

    with only_results():
        rows = _judged(arguments.output, scores, answers, 1 if isinstance(engine, EmbeddedEngine) else 0)
    write_rows(arguments.output, rows)
    return 0


def _judged(
    output: str,
    scores: Callable[[Sample], tuple[Score, ...]],
    answers: Iterable[tuple[str | int, Sample]],
    threads: int,
) -> list[Json]:
    """The verdicts on all answers, in order; where Ctrl-C comes, those that are finished go to a file of their own."""
    pool = Pool(threads or settings().concurrency, "judge")
    given = [(name, pool.submit(scores, sample)) for name, sample in answers]
    try:
        return [_told(name, score) for name, found in given for score in found.result()]
    except KeyboardInterrupt:
        _keep_finished(output, given)
        raise
    finally:
        for _, found in given:
            found.cancel()
        pool.close()


def _keep_finished(output: str, given: Iterable[tuple[str | int, Future[tuple[Score, ...]]]]) -> None:
    """Write what is finished beside the file that would have held all; for standard output there is none."""
    done = [(name, found.result()) for name, found in given if found.done() and not found.exception()]
    if output == "-" or not done:
        return
    partial = f"{output}.partial"
    write_rows(partial, [_told(name, score) for name, scores in done for score in scores])
    print(f"Stopped. The scores of {len(done)} finished answers are in {partial}.", file=sys.stderr)


def _answers(name: str) -> list[tuple[str | int, Sample]]:
    """The answers of a file with their ids: JSON Lines as they are, tables by the names of their columns."""
    if Path(name).suffix.lower() not in TABLES:
        found = read_rows(name, Judged)
        ids = [number if row.id in (None, "") else row.id for number, row in enumerate(found, 1)]
        once = apart([str(one) for one in ids])
        names = [one if str(one) == free else free for one, free in zip(ids, once, strict=True)]
        return [(one, row.sample()) for one, row in zip(names, found, strict=True)]
    try:
        rows = read_table(Path(name).name, Path(name).read_bytes())
    except OSError as error:
        raise BadInput(f"{name} cannot be read ({error.strerror}). Give the path of a file with answers.") from error
    if rows.unread:
        print(f"Read the sheet {rows.sheet}, not {', '.join(rows.unread)}.", file=sys.stderr)
    return [(row.id, row.sample) for row in answers_of(rows, guess_mapping(columns_of(rows)))]


def _told(name: str | int, score: Score) -> Json:
    return {"id": name, **score.model_dump(exclude={"version"})}
