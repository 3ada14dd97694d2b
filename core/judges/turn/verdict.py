"""The six scores of a turn, each with its reason, and the scores that every kind of reply gets in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from core.base.frozen_model import FrozenModel
from core.base.types import Language, Sample
from core.judges.reasons import ReasonTexts
from core.judges.rules.answer_measures import Measures
from core.judges.rules.claim_check import ClaimCheck
from core.judges.turn.coherence import COST, Flaw, flaws
from core.text.language import join_sentences

REASONS = ReasonTexts(__file__, quoting=True)
GOOD_SCORE = 4  # the score (1 to 5) from which something is good
CRITERIA = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")


class CriterionScore(FrozenModel):
    """A reason, then a score from 1 (bad) to 5 (good); no score if the criterion does not apply."""

    reason: str = Field(description="Why, in one or two sentences, with the number of the passage it rests on.")
    score: int | None = Field(ge=1, le=5, description="1 is worst, 5 is best; null if the criterion does not apply.")


class TurnVerdict(FrozenModel):
    """Steps of reasoning and a conclusion, then the six scores; the prompt says what each criterion means."""

    steps: tuple[str, ...] = Field(description="What the person wants, then each claim of the reply with its evidence.")
    conclusion: str = Field(description="What follows from the steps, in one or two sentences.")
    understanding: CriterionScore
    relevance: CriterionScore
    completeness: CriterionScore
    correctness: CriterionScore
    coherence: CriterionScore
    overall: CriterionScore

    @model_validator(mode="after")
    def _has_overall(self) -> Self:
        """If all other criteria have scores, overall has one, too."""
        others = (self.understanding, self.relevance, self.completeness, self.correctness)
        if self.overall.score is None and all(one.score is not None for one in others):
            raise PydanticCustomError("overall_null", "overall has no score")
        return self

    @property
    def six(self) -> tuple[CriterionScore, ...]:
        """The scores in the order of CRITERIA."""
        return tuple(getattr(self, name) for name in CRITERIA)


def new_score(score: int | None, key: str, language: Language, **placeholders: object) -> CriterionScore:
    """A score with the sentence of a key as its reason."""
    return CriterionScore(reason=REASONS(key, language, **placeholders), score=score)


def verdict_of(six: Sequence[CriterionScore]) -> TurnVerdict:
    """The verdict from the scores in the order of CRITERIA; the steps are the first five reasons, the conclusion the
    last."""
    steps = tuple(dict.fromkeys(one.reason for one in six[:-1]))
    return TurnVerdict(steps=steps, conclusion=six[-1].reason, **dict(zip(CRITERIA, six, strict=True)))


def with_overall(verdict: TurnVerdict, max_score: int, reason: str) -> TurnVerdict:
    """The verdict, its overall score lowered to at most `max_score`, with the reason."""
    if verdict.overall.score is None or verdict.overall.score <= max_score:
        return verdict
    return verdict_of((*verdict.six[:-1], CriterionScore(reason=reason, score=max_score)))


def capped_by_coherence(score: int, coherence: CriterionScore, above: int = 1) -> int:
    """An overall score, at most `above` higher than the score for coherence."""
    return min(score, (coherence.score or 1) + above)


def coherence_of(sample: Sample, measures: Measures, language: Language) -> CriterionScore:
    """The score for coherence: 5 minus the cost of each flaw."""
    if not measures.sentences:
        return new_score(1, "empty.all", language)
    addressed: list[tuple[Flaw, str]] = [("addressed", measures.words_to_grader)] if measures.words_to_grader else []
    shown_flaws = (*flaws(sample.answer, measures.sentences, sample.question), *addressed)
    score = max(1, 5 - sum(COST[name] for name, _ in shown_flaws))
    if not shown_flaws:
        return new_score(5, "coherence.good", language)
    reasons = (REASONS(f"coherence.{name}", language, quote=text) for name, text in shown_flaws[:2])
    return CriterionScore(reason=join_sentences(reasons, language), score=score)


def score_of_difference(score: int, wrong: ClaimCheck, language: Language) -> CriterionScore:
    """The score for a claim that a passage or the reference contradicts."""
    spans = {"claim_span": wrong.claim_span, "evidence": wrong.evidence_span}
    return new_score(score, "correctness.differs", language, where=source_name(wrong.passage_number, language), **spans)


def source_name(passage_number: int, language: Language) -> str:
    """The name of a passage in a reason; 0 is the reference."""
    return REASONS("where.passage" if passage_number else "where.reference", language, passage_number=passage_number)
