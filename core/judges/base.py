"""The type of all judges, and `judge_all`, which scores a sample with several of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, NamedTuple, get_args

from core.base.call_context import in_context
from core.base.errors import BadInput, stored_error
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, NeedsModel, Prompt
from core.base.types import Language, Reasoning, Sample, Score
from core.judges.reasons import ReasonTexts

Need = Literal["question", "answer", "contexts", "reference", "keypoints", "evidence", "grounds", "intent"]
RIGHT_ANSWER: frozenset[Need] = frozenset({"reference", "keypoints", "evidence"})  # fields that give the right answer
_REASONS = ReasonTexts(__file__, "unscored.toml")
_LOG = logging.getLogger(__name__)
MAX_ITEMS = 1_000  # passages, references, keypoints or sentences of evidence of a sample


class Example(FrozenModel):
    """A labelled answer shown to a judge as an example (few-shot): the label that the judge would give, and the
    reasons."""

    sample: Sample
    label: str
    reasons: str = ""


class JudgeOptions(FrozenModel):
    """Options of all judges in one run."""

    language: Language = "ja"  # of the reasons, whatever the language of the data
    guidelines: str = ""  # the bot's own
    strict: bool = False  # statements beyond the reference count against an answer (quiz judges)
    together: bool = True  # criteria chosen together share a call
    examples: Mapping[str, tuple[Example, ...]] = {}  # by the judge's name
    prompts: Mapping[str, str] = {}  # the bot's own templates (`Bot.prompts`)


YesNo = Literal["Yes", "No"]
YES_NO: tuple[YesNo, ...] = get_args(YesNo)
Scorer = Callable[[Engine, Sample, JudgeOptions], tuple[Score, ...]]


@dataclass(frozen=True)
class Judge:
    """One judge: what it needs of a sample, and the function that scores it."""

    name: str
    criteria: tuple[str, ...]  # the names of its scores, in order
    needs: tuple[Need, ...]  # fields of the sample without which it cannot judge ("grounds": a reference or contexts)
    version: str  # a hash of its prompts and rules (`core.judges.version`)
    scores: Scorer = field(repr=False)
    lower_is_better: frozenset[str] = frozenset()  # criteria that are distances or shares of something bad
    needs_model: bool = False  # nothing honest can be computed without a language model
    answers_only: bool = False  # compares with the right answer, so clarifying questions are not scored
    prompts: tuple[type[Prompt[Any]], ...] = ()  # what it asks a model
    # Scores several judges of the same family in one call
    together: Callable[[tuple[Judge, ...]], Scorer] | None = field(default=None, repr=False)

    @property
    def call(self) -> str:
        """Judges of the same call can share it: those of a family of criteria; every other judge has one alone."""
        return self.name.partition(":")[0] if self.together else self.name

    @property
    def skips_clarifying_questions(self) -> bool:
        """Whether clarifying questions stay unscored: compared with the right answer, they could only be wrong.

        A bot's own Python judges (`custom:NAME`) see every reply.
        """
        return self.answers_only or not (self.name.startswith("custom:") or RIGHT_ANSWER.isdisjoint(self.needs))

    @property
    def prompt_names(self) -> tuple[str, ...]:
        """The names of the prompts that it asks a model."""
        return tuple(dict.fromkeys(prompt.prompt_name() for prompt in self.prompts))

    def unscored(self, error: str) -> tuple[Score, ...]:
        """A row for each criterion that says why there is no score."""
        return tuple(Score(judge=self.name, criterion=name, value=None, error=error) for name in self.criteria)


class ListedJudge(NamedTuple):
    """A judge in the list of a page."""

    judge: Judge
    problem: BadInput | None = None  # why it cannot be used
    file: str = ""  # of a bot's own Python judge


def lacks(judge: Judge, sample: Sample) -> tuple[Need, ...]:
    """The fields that the judge needs and the sample lacks."""
    return tuple(need for need in judge.needs if not _has(need, sample))


def could_score(judges: Sequence[Judge], sample: Sample) -> bool:
    """Whether any of the judges has what it needs to score the sample."""
    return not sample.asked_back and any(not lacks(judge, sample) for judge in judges)


def _has(need: Need, sample: Sample) -> bool:
    if need == "grounds":
        return _has("reference", sample) or _has("contexts", sample)
    value: str | tuple[str, ...] = getattr(sample, need)
    return bool(value.strip()) if isinstance(value, str) else any(text.strip() for text in value)


def judge_all(engine: Engine, judges: Sequence[Judge], sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """The scores of all judges, in order; what cannot be judged is unscored, and its error says why."""
    with in_context(prompts=options.prompts):
        groups = groups_of(judges, options)
        return tuple(score for group in groups for score in _group_scores(engine, group, sample, options))


def judge_one(engine: Engine, judge: Judge, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """The scores of one judge, in the order of its criteria; what cannot be judged is unscored, and its error says
    why."""
    return judge_all(engine, (judge,), sample, options)


def yes_or_no(judge: str, verdict: YesNo, reasons: str, reasoning: Reasoning) -> tuple[Score, ...]:
    """The one score of a judge that says Yes (1) or No (0)."""
    value = float(verdict == "Yes")
    return (Score(judge=judge, criterion=judge, value=value, label=verdict, reasons=reasons, reasoning=reasoning),)


def groups_of(judges: Iterable[Judge], options: JudgeOptions) -> list[tuple[Judge, ...]]:
    """The judges in groups, in order: neighbours that can share a call together, each other one alone."""
    if not options.together:
        return [(judge,) for judge in judges]
    return [tuple(group) for _, group in groupby(judges, key=attrgetter("call"))]


def _group_scores(engine: Engine, group: tuple[Judge, ...], sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    scores = {judge.name: judge.unscored(_why_not(judge, sample, options.language)) for judge in group}
    able = tuple(judge for judge in group if not scores[judge.name][0].error)
    new = _ask_judges(engine, able, sample, options) if able else ()
    scores |= {judge.name: tuple(score for score in new if score.judge == judge.name) for judge in able}
    return tuple(score for judge in group for score in scores[judge.name])


def _why_not(judge: Judge, sample: Sample, language: Language) -> str:
    """Why the judge cannot score the sample: too many items, a clarifying question, a missing field; else ""."""
    for field_name in ("contexts", "reference", "keypoints", "evidence"):
        if (n := len(getattr(sample, field_name))) > MAX_ITEMS:
            what = _REASONS(f"what.{field_name}", language)
            return _REASONS("too_many", language, judge=judge.name, what=what, n=n, most=MAX_ITEMS)
    if sample.asked_back and judge.skips_clarifying_questions:
        return _REASONS("clarifying_question", language, judge=judge.name)
    missing = lacks(judge, sample)
    if not missing:
        return ""
    what = _REASONS("join", language).join(_REASONS(f"what.{need}", language) for need in missing)
    is_untold = not sample.contexts_known and {"contexts", "grounds"} & {*missing}
    return _REASONS("untold" if is_untold else "lacks", language, judge=judge.name, what=what)


def _ask_judges(engine: Engine, able: tuple[Judge, ...], sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    first = able[0]
    scorer = first.together(able) if first.together and len(able) > 1 else first.scores
    try:
        return scorer(engine, sample, options)
    except NeedsModel:
        return tuple(score for one in able for score in one.unscored(needs_model(one, options.language)))
    except Exception as error:
        _LOG.warning("%s could not judge", first.name, exc_info=not hasattr(error, "key"))
        return tuple(score for one in able for score in one.unscored(stored_error(error)))


def needs_model(judge: Judge, language: Language) -> str:
    """The error of a score that only a language model could give."""
    return _REASONS("needs_model", language, judge=judge.name)
