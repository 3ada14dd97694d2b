"""The few criteria that can be judged without a language model, each by a judge of that very question.

Coherence: the flaws that the turn judge sees. Relevance: the relevance judge. Correctness, by a reference or passages: the
quiz judges. The other eleven have no honest form: how deep, helpful or harmful a text is does not show in its words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from core.base.prompt import NeedsModel
from core.base.types import Language, Sample
from core.judge.grounding.relevance import JudgeRelevance
from core.judge.quiz.compute import by_contexts, by_reference
from core.judge.text.shown import shown
from core.judge.turn.marks import coherence_of
from core.judge.turn.reading import read

FOLDERS = ("grounding", "quiz", "correctness", "turn", "text")  # whose rules decide
GOOD = 4  # the mark of the turn judge (1 to 5) from which an answer is coherent


class Found(NamedTuple):
    """A verdict with its reasons."""

    verdict: Literal["Y", "N"]
    reasons: str


def computable(name: str, labeled: bool) -> bool:
    """Whether a criterion can be judged without a model, at least for some samples."""
    return (name, labeled) in _WAYS


def compute(name: str, labeled: bool, sample: Sample, language: Language) -> Found | None:
    """The verdict on a criterion; none where nothing honest can be computed."""
    way = _WAYS.get((name, labeled))
    try:
        return way(sample, language) if way else None
    except NeedsModel:
        return None


def _coherence(sample: Sample, language: Language) -> Found:
    """Flaws that can be seen: repetition, broken text, contradiction within, the wrong language."""
    mark = coherence_of(sample, read(sample), language)
    return Found("Y" if (mark.score or 1) >= GOOD else "N", mark.reason)


def _relevance(sample: Sample, language: Language) -> Found:
    found = JudgeRelevance(sample=sample, shown=shown(sample), language=language).without_model()
    return Found("Y" if found.verdict == "Yes" else "N", found.reasons)


def _correctness(sample: Sample, language: Language) -> Found:
    """By the reference where there is one, else by the passages."""
    by = by_reference if any(text.strip() for text in sample.reference) else by_contexts
    graded = by(sample, False, language)
    return Found("Y" if graded.grade == "CORRECT" else "N", graded.reason)


_WAYS: dict[tuple[str, bool], Callable[[Sample, Language], Found | None]] = {
    ("coherence", False): _coherence,
    ("coherence", True): _coherence,
    ("relevance", False): _relevance,
    ("relevance", True): _relevance,
    ("correctness", True): _correctness,
}
