"""What every judge is: a name, what it needs of a sample, and scores for the criteria it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.base.prompt import Engine
from core.base.types import Language, Noun, Sample, Score

Need = Literal["question", "answer", "contexts", "reference", "keypoints", "evidence", "grounds", "intent"]
TOLD: frozenset[Need] = frozenset({"reference", "keypoints", "evidence"})  # what tells the right answer
Scale = Literal["marks", "yes_no", "share", "distance"]


class Example(Noun):
    """A labelled answer that a judge may look at first (few-shot): the verdict as a judge labels it, and why."""

    sample: Sample
    label: str
    reasons: str = ""


class How(Noun):
    """How a judge judges.

    language: of the reasons, whatever the data's; guidelines: the bot's own; strict: further statements count against
    an answer (quiz judges); together: criteria chosen together go into one call; examples: by the judge's name.
    """

    language: Language = "ja"
    guidelines: str = ""
    strict: bool = False
    together: bool = True
    examples: Mapping[str, tuple[Example, ...]] = {}

    def shots(self, judge: str) -> tuple[Example, ...]:
        """The examples for one judge."""
        return self.examples.get(judge, ())


Scorer = Callable[[Engine, Sample, How], tuple[Score, ...]]


def _alone(judges: tuple[Judge, ...]) -> Scorer:
    """Each judge after the other, for those that have no way to share a call."""
    return lambda engine, sample, how: tuple(score for one in judges for score in one.scores(engine, sample, how))


@dataclass(frozen=True)
class Judge:
    """One judge.

    criteria: the names of its scores, in order; needs: fields of the sample without which it cannot judge ("grounds":
    a reference or contexts); version: hash of its prompts and rules; scale: what labels look like; lower_is_better:
    distances and shares of what is bad; needs_model: nothing honest can be computed without a language model;
    bundle: judges with the same one can share a call, made by `scores_together`; each score keeps its own judge's name;
    answers_only: it holds a reply against what the right answer is, which a question back cannot be.
    """

    name: str
    criteria: tuple[str, ...]
    needs: tuple[Need, ...]
    version: str
    scores: Scorer = field(repr=False)
    scale: Scale = "yes_no"
    lower_is_better: frozenset[str] = frozenset()
    needs_model: bool = False
    bundle: str = ""
    answers_only: bool = False
    scores_together: Callable[[tuple[Judge, ...]], Scorer] = field(default=_alone, repr=False)


def lacks(judge: Judge, sample: Sample) -> tuple[Need, ...]:
    """What the judge needs and the sample does not have."""
    return tuple(need for need in judge.needs if not _there(need, sample))


def only_answers(judge: Judge) -> bool:
    """Whether a judge scores answers alone: held against the right answer, a question back could only be wrong.

    Judges of people's own (`own:NAME`) see every reply.
    """
    return judge.answers_only or not (judge.name.startswith("own:") or TOLD.isdisjoint(judge.needs))


def skips(judge: Judge, sample: Sample) -> bool:
    """Whether the judge is shown a question back that it does not score."""
    return bool(sample.asked_back) and only_answers(judge)


def _there(need: Need, sample: Sample) -> bool:
    if need == "grounds":
        return _there("reference", sample) or _there("contexts", sample)
    given: str | tuple[str, ...] = getattr(sample, need)
    return bool(given.strip()) if isinstance(given, str) else any(text.strip() for text in given)
