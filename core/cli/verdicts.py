"""The command that judges answers from a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

from core.base.bots import load_bot
from core.base.errors import BadInput
from core.base.language import language_of
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Kind, Language, Sample, Score
from core.cli.kept import keep
from core.cli.lines import Json, Row, Said, read_rows, write_rows
from core.cli.shots import how_options
from core.judge.judge import How
from core.judge.panel import judge_all
from core.judge.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.run.mapping import answers_of, guess_mapping
from core.run.pool import Pool
from core.run.table import columns_of, read_table

TABLES = (".csv", ".tsv", ".xlsx", ".json")


class Context(BaseModel):
    """A passage that was in front of the bot."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    text: str


class Judged(Row):
    """An answer to judge, with whatever is known around it."""

    question: str = ""
    answer: str = ""
    reference: tuple[str, ...] = ()
    contexts: tuple[str | Context, ...] = ()
    keypoints: tuple[str, ...] = ()
    evidence: tuple[str, ...] = Field(default=(), validation_alias=AliasChoices("evidence", "references"))
    history: tuple[Said, ...] = ()
    asked_back: bool = False
    kind: Kind | None = None
    needs_asking: bool | None = None
    intent: str = ""
    facts: str = ""
    persona: str = ""

    @field_validator("reference", mode="before")
    @classmethod
    def _as_list(cls, given: Any) -> Any:
        return () if given in (None, "") else (given,) if isinstance(given, str) else given

    @field_validator("contexts", "history", "keypoints", "evidence", mode="before")
    @classmethod
    def _none_is_empty(cls, given: Any) -> Any:
        return () if given is None else given

    @field_validator("kind", mode="before")
    @classmethod
    def _no_kind(cls, given: Any) -> Any:
        return given or None

    def sample(self) -> Sample:
        """The same as a judge takes it."""
        return Sample(
            question=self.question,
            answer=self.answer,
            history=tuple(said.message() for said in self.history),
            contexts=tuple(one if isinstance(one, str) else one.text for one in self.contexts),
            reference=self.reference,
            keypoints=self.keypoints,
            evidence=self.evidence,
            asked_back=self.asked_back,
            kind=self.kind,
            needs_asking=self.needs_asking,
            intent=self.intent,
            facts=self.facts,
            persona=self.persona,
        )


def judge(arguments: argparse.Namespace, engine: Engine) -> int:
    """Score the answers of a file: one row per answer and criterion; with `--keep` as a run, of which it prints the means."""
    bot = load_bot(arguments.bot) if arguments.bot else None
    judges, options = judges_of(arguments.judges, bot), how_options(arguments)
    answers = _answers(arguments.input)
    if arguments.keep:
        return keep(arguments, engine, bot, answers)
    guidelines = bot.guidelines if bot else ""

    def scores(sample: Sample) -> tuple[Score, ...]:
        language: Language = arguments.language or language_of(sample.question, "ja")
        return judge_all(engine, judges, sample, How(language=language, guidelines=guidelines, **options))

    pool = Pool(1 if isinstance(engine, EmbeddedEngine) else settings().concurrency, "judge")
    try:
        given = [(name, pool.submit(scores, sample)) for name, sample in answers]
        write_rows(arguments.output, [_told(name, score) for name, found in given for score in found.result()])
    finally:
        pool.close()
    return 0


def _answers(name: str) -> list[tuple[str | int, Sample]]:
    """The answers of a file with their ids: JSON Lines as they are, tables by the names of their columns."""
    if Path(name).suffix.lower() not in TABLES:
        return [(row.id, row.sample()) for row in read_rows(name, Judged)]
    try:
        rows = read_table(Path(name).name, Path(name).read_bytes())
    except OSError as error:
        raise BadInput(f"{name} cannot be read ({error.strerror}). Give the path of a file with answers.") from error
    return [(row.id, row.sample) for row in answers_of(rows, guess_mapping(columns_of(rows)))]


def _told(name: str | int, score: Score) -> Json:
    return {"id": name, **score.model_dump(exclude={"version"})}
