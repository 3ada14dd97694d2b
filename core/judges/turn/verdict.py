"""The six scores of a turn, each with its reason, and the scores that every kind of reply gets in the same way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError
from rapidfuzz import fuzz

from core.base.frozen_model import FrozenModel
from core.base.types import Language, Sample
from core.judges.reasons import ReasonTexts
from core.judges.rules.answer_measures import Measures
from core.judges.rules.claim_check import ClaimCheck
from core.text.language import join_sentences, share_no_script
from core.text.negation import opposite_clauses
from core.text.numbers import amounts

REASONS = ReasonTexts(__file__, quoting=True)
GOOD_SCORE = 4  # the score (1 to 5) from which something is good
CRITERIA = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")
Flaw = Literal["repeats", "broken", "contradicts", "language", "long", "addressed"]
COST: dict[Flaw, int] = {"repeats": 2, "broken": 3, "contradicts": 2, "language": 3, "long": 1, "addressed": 2}
_BROKEN = re.compile(r"\ufffd|(?:[ÃÂãæåç][\x80-\xbf¡-¿]){3,}|(.)\1{14,}|(?:undefined|null|NaN)(?:\s|$)|\{\{|<\|")
MAX_LENGTH = 2_500  # characters of an answer from which it is too long to read
QUESTION_MIN_LETTERS = 3  # letters of a question from which its language is known
MIN_REPEAT_SIMILARITY = 94.0  # similarity (0 to 100) of two sentences that say the same


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
    overall = capped(verdict.overall, max_score, reason)
    return verdict if overall is verdict.overall else verdict_of((*verdict.six[:-1], overall))


def capped(one: CriterionScore, max_score: int, reason: str) -> CriterionScore:
    """A score; above `max_score` it is lowered to that, with the reason."""
    return one if one.score is None or one.score <= max_score else CriterionScore(reason=reason, score=max_score)


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


def flaws(answer: str, parts: tuple[str, ...], question: str) -> tuple[tuple[Flaw, str], ...]:
    """(flaw, the words that show it) for each flaw of coherence; `parts` are the sentences of the answer.

    Without broken text, repetition or self-contradiction, the correlation on MTRAG falls by .007 to .014 each; another
    language changes nothing there.
    """
    all_flaws: list[tuple[Flaw, str]] = []
    if _BROKEN.search(answer):
        all_flaws.append(("broken", answer.strip()))
    shown = parts[:30]
    repeated = next((one for one, other in combinations(shown, 2) if _same(one, other)), "")
    if repeated:
        all_flaws.append(("repeats", repeated))
    contradicting = next((one for one, other in combinations(shown, 2) if _against(one, other)), "")
    if contradicting:
        all_flaws.append(("contradicts", contradicting))
    if share_no_script(" ".join(parts), question, other_min_letters=QUESTION_MIN_LETTERS):
        all_flaws.append(("language", parts[0]))
    if len(answer) > MAX_LENGTH:
        all_flaws.append(("long", ""))
    return tuple(all_flaws)


def _same(one: str, other: str) -> bool:
    return (
        min(len(one), len(other)) > 8
        and amounts(one) == amounts(other)
        and fuzz.ratio(one, other) >= MIN_REPEAT_SIMILARITY
        and not opposite_clauses(one, other)
    )


def _against(one: str, other: str) -> bool:
    return fuzz.ratio(one, other) >= 70 and opposite_clauses(one, other) is not None


def score_of_difference(score: int, wrong: ClaimCheck, language: Language) -> CriterionScore:
    """The score for a claim that a passage or the reference contradicts."""
    spans = {"claim_span": wrong.claim_span, "evidence": wrong.evidence_span}
    return new_score(score, "correctness.differs", language, where=source_name(wrong.passage_number, language), **spans)


def source_name(passage_number: int, language: Language) -> str:
    """The name of a passage in a reason; 0 is the reference."""
    return REASONS("where.passage" if passage_number else "where.reference", language, passage_number=passage_number)
