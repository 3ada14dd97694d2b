"""`five_star` and `five_point`: 1 to 5 against a reference by rubric, without and with examples; baselines for other
judges."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.base.types import Sample, Score
from core.judges.base import Judge, JudgeOptions, Scorer
from core.judges.judge_prompt import JudgePrompt
from core.judges.version import version_of, version_of_sources

LABELS = frozenset({"1", "2", "3", "4", "5"})


class Points(FrozenModel):
    """The reasons, then one to five points."""

    reasons: str = Field(description="What agrees with the reference and what does not; written before the points.")
    points: Literal[1, 2, 3, 4, 5] = Field(description="From 1 (wrong or beside the point) to 5 (all of it, right).")


class JudgeByRubric(JudgePrompt[Points]):
    """How many points does the answer deserve against the reference? `worked`: with the rubric's own examples."""

    file = "rubric"
    required = ("shown.answer", "shown.reference")
    worked: bool


def _scorer(name: str, worked: bool) -> Scorer:
    def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
        """One to five points; value = (points - 1) / 4."""
        found = engine.ask(JudgeByRubric.about(sample, options, name, LABELS if worked else (), worked=worked))
        value = (found.points - 1) / 4
        return (Score(judge=name, criterion=name, value=value, label=str(found.points), reasons=found.reasons),)

    return scores


def _judge(name: str, worked: bool) -> Judge:
    version, scores = version_of(version_of_sources("judges/baselines"), name), _scorer(name, worked)
    return Judge(name, (name,), ("answer", "reference"), version, scores, needs_model=True, prompts=(JudgeByRubric,))


JUDGES = (_judge("five_star", worked=False), _judge("five_point", worked=True))
