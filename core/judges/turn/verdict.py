"""The six marks of a turn, each with its reason, and what is the same for every kind of reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from core.base.frozen_model import FrozenModel
from core.base.types import Language, Sample
from core.judges.reasons import ReasonTexts
from core.judges.rules.answer_measures import Measures
from core.judges.rules.coherence import COST, Flaw, flaws
from core.judges.rules.evidence import Finding
from core.text.language import join_sentences

REASONS = ReasonTexts(__file__, quoting=True)
GOOD_MARK = 4  # the mark (1 to 5) from which something is good
CRITERIA = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")


class Mark(FrozenModel):
    """A reason, then a score from 1 (bad) to 5 (good); no score if the criterion does not apply."""

    reason: str = Field(description="Why, in one or two sentences, with the number of the passage it rests on.")
    score: int | None = Field(ge=1, le=5, description="1 is worst, 5 is best; null if the criterion does not apply.")


class TurnVerdict(FrozenModel):
    """Steps of reasoning and a conclusion, then the six marks; the prompt says what each criterion means."""

    steps: tuple[str, ...] = Field(description="What the person wants, then each claim of the reply with its evidence.")
    conclusion: str = Field(description="What follows from the steps, in one or two sentences.")
    understanding: Mark
    relevance: Mark
    completeness: Mark
    correctness: Mark
    coherence: Mark
    overall: Mark

    @model_validator(mode="after")
    def _has_overall(self) -> Self:
        """A reply that could be scored has an overall score, too."""
        others = (self.understanding, self.relevance, self.completeness, self.correctness)
        if self.overall.score is None and all(mark.score is not None for mark in others):
            raise PydanticCustomError("overall_null", "overall has no score")
        return self

    def mark(self, criterion: str) -> Mark:
        """The mark of one of the CRITERIA."""
        return {name: getattr(self, name) for name in CRITERIA}[criterion]


def new_mark(score: int | None, key: str, language: Language, **placeholders: object) -> Mark:
    """A mark with the sentence of a key as its reason."""
    return Mark(reason=REASONS(key, language, **placeholders), score=score)


def verdict(six: Sequence[Mark]) -> TurnVerdict:
    """The verdict from the marks in the order of CRITERIA; the steps are the first five reasons, the conclusion the
    last."""
    steps = tuple(dict.fromkeys(mark.reason for mark in six[:-1]))
    return TurnVerdict(steps=steps, conclusion=six[-1].reason, **dict(zip(CRITERIA, six, strict=True)))


def with_overall(marks: TurnVerdict, most: int, reason: str) -> TurnVerdict:
    """The verdict, its overall mark lowered to `most` for a reason."""
    if marks.overall.score is None or marks.overall.score <= most:
        return marks
    return verdict((*(marks.mark(name) for name in CRITERIA[:-1]), Mark(reason=reason, score=most)))


def capped_by_coherence(score: int, coherence: Mark, above: int = 1) -> int:
    """An overall mark that is at most so far above the one for coherence."""
    return min(score, (coherence.score or 1) + above)


def coherence_of(sample: Sample, measures: Measures, language: Language) -> Mark:
    """The mark for coherence: 5 less what its flaws cost."""
    if not measures.parts:
        return new_mark(1, "empty.all", language)
    addressed: list[tuple[Flaw, str]] = [("addressed", measures.addressed)] if measures.addressed else []
    found = (*flaws(sample.answer, measures.parts, sample.question), *addressed)
    score = max(1, 5 - sum(COST[name] for name, _ in found))
    if not found:
        return new_mark(5, "coherence.good", language)
    reasons = (REASONS(f"coherence.{name}", language, quote=text) for name, text in found[:2])
    return Mark(reason=join_sentences(reasons, language), score=score)


def mark_of_difference(score: int, wrong: Finding, language: Language) -> Mark:
    """The mark for a claim that a passage or the reference contradicts."""
    spans = {"claim_span": wrong.claim_span, "evidence": wrong.evidence_span}
    return new_mark(score, "correctness.differs", language, where=source_name(wrong.passage_number, language), **spans)


def source_name(passage_number: int, language: Language) -> str:
    """The passage of a number, or the reference for 0."""
    return REASONS("where.passage" if passage_number else "where.reference", language, passage_number=passage_number)
