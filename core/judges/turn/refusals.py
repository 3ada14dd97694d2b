"""Scores for a refusal: was there really nothing to answer from?"""

from __future__ import annotations

from core.base.types import BEYOND_DOCUMENTS, Language, Sample
from core.judges.rules.answer_measures import Measures
from core.judges.turn.rating import (
    LIKELY_FROM,
    expected_rating,
    highest_probability,
    rating_by_sections,
    score_of_rating,
    unoffered_probability,
)
from core.judges.turn.reply_features import asked_of, least_similar_choice, refusal_features, words_of_passages
from core.judges.turn.verdict import (
    REASONS,
    CriterionScore,
    TurnVerdict,
    capped_by_coherence,
    coherence_of,
    new_score,
    source_name,
    verdict_of,
)
from core.text.refusals import is_boilerplate

NEEDLESS_REFUSAL_FROM = 0.5  # probability of a section that is not offered from which a refusal is needless
MAX_REFUSAL_SCORE = 4  # without a reference: that no passage was found does not prove that there is none


def judge_refusal(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Scores for a refusal by the reference, the kind of question or the passages."""
    coherence = coherence_of(sample, measures, language)
    if sample.kind not in BEYOND_DOCUMENTS and not (sample.contexts or sample.reference):
        unknown = new_score(None, "unscored.grounds", language)
        overall = new_score(None, "overall.unscored", language)
        return verdict_of((unknown, unknown, unknown, unknown, coherence, overall))
    is_unanswerable = measures.reference_declines or not (sample.reference or measures.is_answerable)
    if sample.kind in BEYOND_DOCUMENTS or is_unanswerable:
        return _proper_refusal(measures, language, coherence)
    return _needless_refusal(measures, language, coherence)


def judge_refusal_without_reference(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Scores for a refusal by how well a section or passage would have answered the question."""
    coherence = coherence_of(sample, measures, language)
    asked = asked_of(sample)
    passages = words_of_passages(sample.contexts, asked.of)
    rating = rating_by_sections("offer" if sample.choices else "refusal", sample, measures)
    by_sections = rating is not None
    if rating is None:
        rating = expected_rating("refusal", refusal_features(asked, passages))
    score = min(score_of_rating(rating), MAX_REFUSAL_SCORE) if asked.words or by_sections else MAX_REFUSAL_SCORE
    if by_sections and unoffered_probability(sample) >= NEEDLESS_REFUSAL_FROM:
        score = min(score, 2)
    if score < 3 and not (by_sections and highest_probability(sample) < LIKELY_FROM):
        *five, overall = _needless_refusal(measures, language, coherence).six
        return verdict_of((*five, CriterionScore(reason=overall.reason, score=score)))
    headings = (one.heading for one in sample.sections) if by_sections else (one.heading for one in passages)
    nearest = next(filter(None, headings), "—")
    reason = REASONS(f"refusal.{'likely' if score == 4 else 'possible'}", language, heading=nearest)
    if by_sections and sample.choices:
        reason = REASONS("refusal.offers", language, quote=sample.choices[0])
    if score <= 3 and (stray := least_similar_choice(asked, sample.choices)):
        reason = REASONS("refusal.topics", language, quote=stray)
    completeness = _completeness(score, measures, language)
    relevance = new_score(score, "declined.relevance", language)
    by_rating = CriterionScore(reason=reason, score=score)
    overall = CriterionScore(reason=reason, score=capped_by_coherence(completeness.score or 1, coherence, above=2))
    return verdict_of((by_rating, relevance, completeness, by_rating, coherence, overall))


def _proper_refusal(measures: Measures, language: Language, coherence: CriterionScore) -> TurnVerdict:
    """Scores for a refusal that is right."""
    understanding, relevance, correctness = (
        new_score(5, f"declined.{name}", language) for name in ("understanding", "relevance", "correctness")
    )
    completeness = _completeness(5, measures, language)
    score = capped_by_coherence(completeness.score or 1, coherence, above=2)
    overall = new_score(score, "declined.overall", language)
    return verdict_of((understanding, relevance, completeness, correctness, coherence, overall))


def _completeness(score: int, measures: Measures, language: Language) -> CriterionScore:
    """The score of a refusal that also names related topics or a contact, else one less."""
    if any(is_boilerplate(part) for part in measures.sentences):
        return new_score(score, "declined.full", language)
    return new_score(max(1, score - 1), "declined.bare", language)


def _needless_refusal(measures: Measures, language: Language, coherence: CriterionScore) -> TurnVerdict:
    """Scores for a refusal although the reference or the passages answer the question."""
    number = measures.best_passage_number if measures.is_answerable else 0
    expected = measures.expected[0].claim.text if measures.expected else measures.best_sentence
    against = source_name(0 if measures.has_reference else number, language)
    name = "refused_reference" if measures.has_reference else "refused"
    gone = REASONS(f"completeness.{name}", language, passage_number=number, quote=expected)
    seen = REASONS("understanding.refused", language, passage_number=number, topic=measures.topic) if number else None
    return verdict_of(
        (
            CriterionScore(reason=seen or REASONS("understanding.partly", language, topic=measures.topic), score=2),
            new_score(2, "relevance.refused", language),
            CriterionScore(reason=gone, score=1),
            new_score(2, "correctness.refused", language, where=against, quote=expected),
            coherence,
            new_score(1, "overall.refused", language),
        )
    )
