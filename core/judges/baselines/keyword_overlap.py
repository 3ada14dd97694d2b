"""The baseline `keyword_overlap`: the words that answer and reference share, in every language alike. No model call."""

from __future__ import annotations

from core.base.prompt import Engine
from core.base.types import Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.baselines.distances import REASONS, rules
from core.judges.baselines.similarity import overlap
from core.judges.version import version_of

NAME = "keyword_overlap"


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """F measure (0 to 1) of the words of the answer and of the nearest reference (token F1; Rajpurkar et al. 2016)."""
    value = max(overlap(sample.answer, text) for text in sample.reference if text.strip())
    reasons = REASONS("terms", options.language)
    return (Score(judge=NAME, criterion=NAME, value=value, label=f"{value:.3f}", reasons=reasons),)


JUDGE = Judge(
    NAME,
    (NAME,),
    ("answer", "reference"),
    version_of(rules("keyword_overlap.py", "similarity.py", "distances.toml")),
    scores,
    scale="share",
)
