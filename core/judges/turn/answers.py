"""Scores for an answer, by the reference if there is one, else by the passages."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

from core.base.types import Language, Sample
from core.judges.rules.answer_measures import Measures
from core.judges.turn.verdict import (
    CRITERIA,
    REASONS,
    CriterionScore,
    TurnVerdict,
    coherence_of,
    new_score,
    score_of_difference,
    verdict_of,
)

# Thresholds for the scores 2, 3, 4 and 5; set by hand on the bots hinata and harbor, tested on minato.
SUPPORT_THRESHOLDS = (0.22, 0.42, 0.62, 0.78)
RELEVANCE_THRESHOLDS = (0.14, 0.22, 0.31, 0.4)
REFERENCE_THRESHOLDS = (0.2, 0.3, 0.42, 0.55)
COVERAGE_THRESHOLDS = (0.2, 0.42, 0.68, 0.85)
QUESTION_THRESHOLDS = (0.08, 0.18, 0.31, 0.44)
REPHRASED_FROM = 0.45  # share of the reference from which an answer with all its figures rephrases it
WORST_WEIGHT = 0.65  # weight of the worst of relevance, completeness and correctness in the overall score


def judge_answer(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Scores for an answer that claims something."""
    coherence = coherence_of(sample, measures, language)
    relevance = _relevance(sample, measures, language)
    understanding = _understanding(sample, measures, relevance, language)
    completeness = _completeness(measures, relevance, language)
    correctness = _correctness(measures, relevance, language)
    return with_overall_mean(measures, (understanding, relevance, completeness, correctness, coherence), language)


def _level(value: float, thresholds: Sequence[float]) -> int:
    return 1 + bisect_right(thresholds, round(value, 6))


def _relevance(sample: Sample, measures: Measures, language: Language) -> CriterionScore:
    value = 0.5 * measures.question_coverage + 0.5 * measures.passage_fit
    score, agrees = _level(value, RELEVANCE_THRESHOLDS), 0.0
    if sample.reference:
        agrees = max(measures.expected_coverage or 0.0, measures.reference_agreement or 0.0)
        score = _level(0.25 * value + 0.75 * agrees, REFERENCE_THRESHOLDS)
    if measures.question_coverage >= 0.5:
        score = max(score, _level(0.55 * measures.question_coverage, RELEVANCE_THRESHOLDS))
    first = measures.best_claim
    if score <= 2 or first is None:
        return new_score(min(score, 3), "relevance.bad", language, quote=measures.main_claim)
    if sample.reference and agrees >= 0.3:
        return new_score(score, "relevance.reference", language, quote=first.claim.text)
    if first.share < 0.4 or not first.passage_number or first.nearest is None:
        return new_score(min(score, 4), "relevance.topic", language)
    key = "relevance.good" if score >= 4 else "relevance.partly"
    return new_score(score, key, language, passage_number=first.passage_number, quote=first.nearest.text)


def _understanding(sample: Sample, measures: Measures, relevance: CriterionScore, language: Language) -> CriterionScore:
    level = relevance.score or 1
    if sample.needs_asking and not sample.history and level < 5:
        return new_score(min(level, 2), "understanding.should_ask", language)
    score = level if level in (1, 5) else level + 1
    name = "good" if score >= 4 else "partly" if score >= 3 else "bad"
    return new_score(score, f"understanding.{name}", language, topic=measures.topic)


def _completeness(measures: Measures, relevance: CriterionScore, language: Language) -> CriterionScore:
    if measures.expected_coverage is None:
        return new_score(None, "unscored.grounds", language)
    score = _level(measures.expected_coverage, COVERAGE_THRESHOLDS if measures.has_reference else QUESTION_THRESHOLDS)
    if measures.has_reference and any(f.share < 0.4 for f in measures.points if f.weight):
        score = min(score, 4)
    if measures.keeps_figures and measures.expected_coverage >= REPHRASED_FROM:
        score = max(score, 4)
    if not measures.has_reference and relevance.score:
        if measures.figures_asked and not measures.missing_kinds and relevance.score >= 4:
            score = max(score, 4)
        score = min(score, 2 if measures.missing_kinds else 5, relevance.score)
    if measures.missing_kinds and score <= 3 and not measures.has_reference:
        slot = REASONS(f"kinds.{measures.missing_kinds[0]}", language)
        return new_score(score, "completeness.slot", language, slot=slot)
    lacking = max(
        measures.points, key=lambda f: f.weight * (1 - f.share) + (f.weight if f.state == "contradicted" else 0)
    )
    if score == 5 or (lacking.share > 0.8 and lacking.state == "supported"):
        best = max(measures.points, key=lambda f: f.share)
        return new_score(score, "completeness.good", language, quote=best.claim.text)
    name = "differs" if lacking.state == "contradicted" else "lacks"
    return new_score(score, f"completeness.{name}", language, quote=lacking.claim.text)


def _correctness(measures: Measures, relevance: CriterionScore, language: Language) -> CriterionScore:
    if measures.supported_share is None:
        return new_score(None, "unscored.grounds", language)
    if not measures.claims:
        return new_score(2, "correctness.nothing", language)
    score = _level(measures.supported_share, SUPPORT_THRESHOLDS)
    if measures.keeps_figures and (measures.expected_coverage or 0.0) >= REPHRASED_FROM:
        score = max(score, 4)
    heaviest = sorted(measures.claims, key=lambda f: -f.weight)
    if wrong := next((f for f in heaviest if f.state == "contradicted"), None):
        score = min(score, 1 if measures.contradicted_share >= 0.5 else 2)
        return score_of_difference(score, wrong, language)
    if unknown := next((f for f in heaviest if f.state == "missing" and f.claim_span), None):
        score = min(score, 3 if unknown.weight < 0.25 * measures.total_weight else 2)
        words = {"claim_span": unknown.claim_span, "quote": unknown.claim.text}
        return new_score(score, "correctness.figure", language, **words)
    best = max(measures.claims, key=lambda f: (f.state == "supported", f.weight))
    if score <= 3 or best.state != "supported":
        worst = max(measures.claims, key=lambda f: f.weight * (1 - f.share))
        return new_score(score, "correctness.missing", language, quote=worst.claim.text)
    if (relevance.score or 1) <= 2:
        return new_score(min(score, 3), "correctness.beside", language, quote=best.claim.text)
    name = "good" if best.passage_number else "reference"
    return new_score(score, f"correctness.{name}", language, quote=best.claim.text, passage_number=best.passage_number)


def with_overall_mean(measures: Measures, five: Sequence[CriterionScore], language: Language) -> TurnVerdict:
    """The five scores and the overall one: their mean, drawn towards the worst of relevance, completeness and
    correctness."""
    scores = [one.score for one in five]
    if any(score is None for score in scores):
        return verdict_of((*five, new_score(None, "overall.unscored", language)))
    _, relevance, completeness, correctness, coherence = known = [score or 1 for score in scores]
    blended = (1 - WORST_WEIGHT) * sum(known) / 5 + WORST_WEIGHT * min(relevance, completeness, correctness)
    max_score = 2 if correctness <= 2 and measures.contradicted_share else 4 if measures.words_to_grader else 5
    score = min(math.floor(blended + 0.5), coherence + 1, max_score)
    return verdict_of((*five, new_score(score, f"overall.{_overall_reason(score, known)}", language)))


def _overall_reason(score: int, known: Sequence[int]) -> str:
    """The key of the reason for the overall score; `known` are the five other scores in the order of CRITERIA."""
    _, relevance, completeness, correctness, _ = known
    if score == 5:
        return "good"
    if relevance <= 2:
        return "beside"
    if correctness <= 2:
        return "wrong"
    return "incomplete" if correctness >= 4 and completeness < 4 else "middling"


def judge_nothing_said(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """The lowest scores, for a reply that is empty or claims nothing."""
    claimless = "no_claim.addressed" if measures.words_to_grader else "no_claim.all"
    return verdict_of([new_score(1, claimless if measures.sentences else "empty.all", language)] * len(CRITERIA))


def judge_answer_beyond_documents(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """The scores of an answer to a question that the documents do not cover."""
    understanding = new_score(1, "out_of_scope.understanding", language)
    relevance = new_score(2, "relevance.bad", language, quote=measures.main_claim)
    completeness = new_score(1, "completeness.nothing", language)
    correctness = new_score(2, "correctness.beside", language, quote=measures.main_claim)
    if (measures.supported_share or 0.0) < SUPPORT_THRESHOLDS[2]:
        correctness = new_score(1, "correctness.missing", language, quote=measures.main_claim)
    overall = new_score(1, "out_of_scope.overall", language, quote=measures.main_claim)
    coherence = coherence_of(sample, measures, language)
    return verdict_of((understanding, relevance, completeness, correctness, coherence, overall))
