"""The command that judges answers from a file."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

from core.base.bots import load_bot
from core.base.errors import BadInput
from core.base.language import language_of
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Kind, Language, Sample, Score
from core.cli.lines import Json, Row, Said, read_rows, write_rows
from core.cli.shots import how_options
from core.cli.signals import exit_code
from core.judge.judge import How
from core.judge.panel import judge_all
from core.judge.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.report.summary import summarise
from core.run.pool import Pool
from core.run.rejudge import Judging, Judgings
from core.store.store import open_store


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
    """Score the answers of a file: one row per answer and criterion."""
    bot = load_bot(arguments.bot) if arguments.bot else None
    judges, guidelines = judges_of(arguments.judges, bot), bot.guidelines if bot else ""
    rows, options = read_rows(arguments.input, Judged), how_options(arguments)

    def scores(row: Judged) -> tuple[Score, ...]:
        language: Language = arguments.language or language_of(row.question, "ja")
        return judge_all(engine, judges, row.sample(), How(language=language, guidelines=guidelines, **options))

    pool = Pool(1 if isinstance(engine, EmbeddedEngine) else settings().concurrency, "judge")
    try:
        given = [(row, pool.submit(scores, row)) for row in rows]
        write_rows(arguments.output, [_told(row, score) for row, found in given for score in found.result()])
    finally:
        pool.close()
    return 0


def _told(row: Judged, score: Score) -> Json:
    return {"id": row.id, **score.model_dump(exclude={"version"})}


def judge_run(arguments: argparse.Namespace, engine: Engine) -> int:
    """Let judges score an old run; what they scored before in the same version stays. Ctrl-C keeps what is finished."""
    store = open_store()
    judgings = Judgings(store, engine)
    try:
        job = judgings.again(arguments.run, arguments.judges, how_options(arguments), budget=arguments.budget)
        stopped = _wait(job)
    finally:
        judgings.close()
    found = summarise(store.score_frame(job.run_id), store.conversations(job.run_id), arguments.judges[0])
    told = {
        "run": job.run_id,
        "judged": job.done,
        "of": job.total,
        "criteria": {name: mean.value for name, mean in found.criteria.items()},
        "scored": {name: mean.n for name, mean in found.criteria.items()},
    }
    print(json.dumps(told, ensure_ascii=False) if arguments.json else _spoken(told))
    if job.error:
        raise BadInput(job.error)
    return stopped


def _wait(job: Judging) -> int:
    try:
        while not job.over.wait(1):
            if sys.stderr.isatty():
                print(f"\r{job.done} / {job.total}\x1b[K", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt as end:
        job.stopped.set()
        job.over.wait()
        return exit_code(end)
    return 0


def _spoken(told: Json) -> str:
    lines = [f"{told['run']}: {told['judged']} of {told['of']} answers judged"]
    for name, value in told["criteria"].items():
        lines.append(f"  {name:32} {'-' if value is None else f'{value:.3f}'}  (n = {told['scored'][name]})")
    return "\n".join(lines)
