"""The command that judges answers from a file."""

from __future__ import annotations

import argparse
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator

from core.base.bots import load_bot
from core.base.language import language_of
from core.base.prompt import Engine
from core.base.types import Kind, Language, Sample, Score
from core.cli.lines import Json, Row, Said, read_rows, write_rows
from core.judge.judge import How
from core.judge.panel import judge_all
from core.judge.registry import judges_of


class Context(BaseModel):
    """A passage that was in front of the bot."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    text: str


class Judged(Row):
    """An answer to judge, with whatever is known around it."""

    question: str
    answer: str
    reference: tuple[str, ...] = ()
    contexts: tuple[str | Context, ...] = ()
    history: tuple[Said, ...] = ()
    asked_back: bool = False
    kind: Kind | None = None
    needs_asking: bool | None = None
    intent: str = ""

    @field_validator("reference", mode="before")
    @classmethod
    def _as_list(cls, given: Any) -> Any:
        return () if given in (None, "") else (given,) if isinstance(given, str) else given

    @field_validator("contexts", "history", mode="before")
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
            asked_back=self.asked_back,
            kind=self.kind,
            needs_asking=self.needs_asking,
            intent=self.intent,
        )


def judge(arguments: argparse.Namespace, engine: Engine) -> int:
    """Score the answers of a file: one row per answer and criterion."""
    judges = judges_of(arguments.judges)
    guidelines = load_bot(arguments.bot).guidelines if arguments.bot else ""
    rows = read_rows(arguments.input, Judged)

    def scores(row: Judged) -> tuple[Score, ...]:
        language: Language = arguments.language or language_of(row.question, "ja")
        return judge_all(engine, judges, row.sample(), How(language=language, guidelines=guidelines))

    write_rows(arguments.output, [_told(row, score) for row in rows for score in scores(row)])
    return 0


def _told(row: Judged, score: Score) -> Json:
    return {"id": row.id, **score.model_dump()}
