"""From the measures to six marks with reasons, for an answer or a refusal."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

from core.base.types import BEYOND_DOCUMENTS, Language, Sample
from core.judges.reasons import ReasonTexts, quote
from core.judges.rules.answer_measures import Measures
from core.judges.rules.coherence import COST, Flaw, flaws
from core.judges.rules.evidence import Finding
from core.judges.turn.marks import CRITERIA, Mark, TurnVerdict
from core.text.language import join_sentences
from core.text.refusals import is_aside

REASONS = ReasonTexts(Path(__file__).with_name("reasons.toml"))


# Bounds for the marks 2, 3, 4 and 5; set by hand on the bots hinata and harbor, minato kept aside.
GROUNDED = (0.22, 0.42, 0.62, 0.78)
RELEVANT = (0.14, 0.22, 0.31, 0.4)
AGREES = (0.2, 0.3, 0.42, 0.55)
COVERED = (0.2, 0.42, 0.68, 0.85)
ASKED = (0.08, 0.18, 0.31, 0.44)
REPHRASED = 0.45  # share of the reference from which an answer that keeps its figures says it in other words
ANSWERABLE = 0.22  # share of the question that the best passage must hold for the passages to cover it
WORST = 0.65  # weight of the worst of relevance, completeness and correctness in the overall mark


def judge_answer(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Marks for an answer that says something, right or wrong."""
    coherence = coherence_of(sample, measures, language)
    if not measures.parts:
        return _same_mark_for_all("empty.all", language, Mark(reason=REASONS("empty.all", language), score=1))
    if only_refuses(measures) and sample.kind not in BEYOND_DOCUMENTS and not (sample.contexts or sample.reference):
        unknown = Mark(reason=REASONS("correctness.unscored", language), score=None)
        return finish(sample, measures, (unknown, unknown, unknown, unknown, coherence), language)
    if only_refuses(measures):
        return (_proper_refusal if may_decline(sample, measures) else needless_refusal)(
            sample, measures, language, coherence
        )
    if not measures.main_claim:
        return _same_mark_for_all("no_claim.addressed" if measures.addressed else "no_claim.all", language, coherence)
    if sample.kind in BEYOND_DOCUMENTS:
        return _answer_out_of_scope(measures, language, coherence)
    relevance = _relevance(sample, measures, language)
    understanding = _understanding(sample, measures, relevance, language)
    completeness = _completeness(measures, relevance, language)
    correctness = _correctness(sample, measures, relevance, language)
    return finish(sample, measures, (understanding, relevance, completeness, correctness, coherence), language)


def only_refuses(measures: Measures) -> bool:
    """Whether the answer is a refusal and nothing else (asides such as near topics and contacts may follow)."""
    supported = sum(f.weight for f in measures.claims if f.state == "supported" and not is_aside(f.claim.text))
    return measures.refusal and (not supported or (measures.opens_with_refusal and supported * 2 < measures.weight))


def may_decline(sample: Sample, measures: Measures) -> bool:
    if sample.kind in BEYOND_DOCUMENTS or measures.reference_declines:
        return True
    return not sample.reference and measures.answerable < ANSWERABLE


def _level(value: float, thresholds: Sequence[float]) -> int:
    return 1 + bisect_right(thresholds, round(value, 6))


def _relevance(sample: Sample, measures: Measures, language: Language) -> Mark:
    value = 0.5 * measures.direct + 0.5 * measures.placed
    score = _level(value, RELEVANT)
    agrees = max(measures.covered or 0.0, measures.agrees or 0.0) if sample.reference else 0.0
    if sample.reference:
        score = _level(0.25 * value + 0.75 * agrees, AGREES)
    score = max(score, _level(0.55 * measures.direct, RELEVANT) if measures.direct >= 0.5 else 1)
    first = measures.best_claim
    if score <= 2 or first is None:
        return Mark(reason=REASONS("relevance.bad", language, quote=quote(measures.main_claim)), score=min(score, 3))
    if sample.reference and agrees >= 0.3:
        return Mark(reason=REASONS("relevance.reference", language, quote=quote(first.claim.text)), score=score)
    if first.share < 0.4 or not first.passage_number or first.unit is None:
        return Mark(reason=REASONS("relevance.topic", language), score=min(score, 4))
    name = "good" if score >= 4 else "partly"
    return Mark(
        reason=REASONS(
            f"relevance.{name}", language, passage_number=first.passage_number, quote=quote(first.unit.text)
        ),
        score=score,
    )


def _understanding(sample: Sample, measures: Measures, relevance: Mark, language: Language) -> Mark:
    level = relevance.score or 1
    if sample.needs_asking and not sample.history and level < 5:
        return Mark(reason=REASONS("understanding.should_ask", language), score=min(level, 2))
    score = level if level in (1, 5) else level + 1
    name = "good" if score >= 4 else "partly" if score >= 3 else "bad"
    return Mark(reason=REASONS(f"understanding.{name}", language, topic=measures.topic), score=score)


def _completeness(measures: Measures, relevance: Mark, language: Language) -> Mark:
    if measures.covered is None:
        return Mark(reason=REASONS("correctness.unscored", language), score=None)
    score = _level(measures.covered, COVERED if measures.has_reference else ASKED)
    if measures.has_reference and any(f.share < 0.4 for f in measures.expected if f.weight):
        score = min(score, 4)
    if measures.keeps_figures and measures.covered >= REPHRASED:
        score = max(score, 4)
    if not measures.has_reference and relevance.score:
        score = 4 if score < 4 and measures.slots and not measures.empty_slots and relevance.score >= 4 else score
        score = min(score, 2 if measures.empty_slots else 5, relevance.score)
    if measures.empty_slots and score <= 3 and not measures.has_reference:
        slot = REASONS(f"slot.{measures.empty_slots[0]}", language)
        return Mark(reason=REASONS("completeness.slot", language, slot=slot), score=score)
    lacking = max(
        measures.expected, key=lambda f: f.weight * (1 - f.share) + (f.weight if f.state == "contradicted" else 0)
    )
    if score == 5 or (lacking.share > 0.8 and lacking.state == "supported"):
        best = max(measures.expected, key=lambda f: f.share)
        return Mark(reason=REASONS("completeness.good", language, quote=quote(best.claim.text)), score=score)
    name = "differs" if lacking.state == "contradicted" else "lacks"
    return Mark(reason=REASONS(f"completeness.{name}", language, quote=quote(lacking.claim.text)), score=score)


def _correctness(sample: Sample, measures: Measures, relevance: Mark, language: Language) -> Mark:
    if measures.grounded is None:
        return Mark(reason=REASONS("correctness.unscored", language), score=None)
    if not measures.claims:
        return Mark(reason=REASONS("correctness.nothing", language), score=2)
    score = _level(measures.grounded, GROUNDED)
    if measures.keeps_figures and (measures.covered or 0.0) >= REPHRASED:
        score = max(score, 4)
    wrong = max((f for f in measures.claims if f.state == "contradicted"), key=_weight, default=None)
    unknown = max((f for f in measures.claims if f.state == "missing" and f.claim_span), key=_weight, default=None)
    if wrong:
        score = min(score, 1 if measures.wrong >= 0.5 else 2)
        against = _source_name(wrong.passage_number, language)
        holes = {"claim_span": quote(wrong.claim_span), "evidence": quote(wrong.evidence_span), "where": against}
        return Mark(reason=REASONS("correctness.differs", language, **holes), score=score)
    if unknown:
        score = min(score, 3 if unknown.weight < 0.25 * measures.weight else 2)
        text = REASONS("correctness.figure", language, claim_span=unknown.claim_span, quote=quote(unknown.claim.text))
        return Mark(reason=text, score=score)
    best = max(measures.claims, key=lambda f: (f.state == "supported", f.weight))
    if score <= 3 or best.state != "supported":
        worst = max(measures.claims, key=lambda f: f.weight * (1 - f.share))
        return Mark(reason=REASONS("correctness.missing", language, quote=quote(worst.claim.text)), score=score)
    if (relevance.score or 1) <= 2:
        return Mark(reason=REASONS("correctness.beside", language, quote=quote(best.claim.text)), score=min(score, 3))
    name = "good" if best.passage_number else "reference"
    return Mark(
        reason=REASONS(
            f"correctness.{name}", language, quote=quote(best.claim.text), passage_number=best.passage_number
        ),
        score=score,
    )


def _source_name(passage_number: int, language: Language) -> str:
    """The passage of a number, or the reference for 0."""
    return (
        REASONS("where.passage", language, passage_number=passage_number)
        if passage_number
        else REASONS("where.reference", language)
    )


def _weight(finding: Finding) -> float:
    return finding.weight


def coherence_of(sample: Sample, measures: Measures, language: Language) -> Mark:
    if not measures.parts:
        return Mark(reason=REASONS("empty.all", language), score=1)
    addressed: list[tuple[Flaw, str]] = [("addressed", measures.addressed)] if measures.addressed else []
    found = (*flaws(sample.answer, measures.parts, sample.question), *addressed)
    score = max(1, 5 - sum(COST[name] for name, _ in found))
    if not found:
        return Mark(reason=REASONS("coherence.good", language), score=5)
    reasons = (REASONS(f"coherence.{name}", language, quote=quote(text)) for name, text in found[:2])
    return Mark(reason=join_sentences(reasons, language), score=score)


def finish(sample: Sample, measures: Measures, five: Sequence[Mark], language: Language) -> TurnVerdict:
    """The overall mark: the mean of the five, drawn towards the worst of relevance, completeness and correctness."""
    scores = [mark.score for mark in five]
    if any(score is None for score in scores):
        return verdict((*five, Mark(reason=REASONS("overall.unscored", language), score=None)))
    _, relevance, completeness, correctness, coherence = known = [score or 1 for score in scores]
    blended = (1 - WORST) * sum(known) / 5 + WORST * min(relevance, completeness, correctness)
    most = 2 if correctness <= 2 and measures.wrong else 4 if measures.addressed else 5
    score = min(math.floor(blended + 0.5), coherence + 1, most)
    return verdict((*five, Mark(reason=REASONS(f"overall.{_overall_reason(score, known)}", language), score=score)))


def _overall_reason(score: int, known: Sequence[int]) -> str:
    """The key of the reason for the overall mark; `known` are the five other marks in the order of CRITERIA."""
    _, relevance, completeness, correctness, _ = known
    if score == 5:
        return "good"
    if relevance <= 2:
        return "beside"
    if correctness <= 2:
        return "wrong"
    return "incomplete" if correctness >= 4 and completeness < 4 else "middling"


def verdict(six: Sequence[Mark]) -> TurnVerdict:
    """The verdict from the marks in the order of CRITERIA; the steps are the first five reasons, the conclusion the
    last."""
    steps = tuple(dict.fromkeys(mark.reason for mark in six[:-1]))
    return TurnVerdict(steps=steps, conclusion=six[-1].reason, **dict(zip(CRITERIA, six, strict=True)))


def _same_mark_for_all(key: str, language: Language, coherence: Mark) -> TurnVerdict:
    """Mark 1 for every criterion, with the reason of `key`."""
    mark = Mark(reason=REASONS(key, language), score=1)
    return verdict((mark, mark, mark, mark, coherence if key == "empty.all" else mark, mark))


def _proper_refusal(sample: Sample, measures: Measures, language: Language, coherence: Mark) -> TurnVerdict:
    """The marks of an answer that rightly declines: best if it also names near topics or a contact."""
    full = any(is_aside(part) for part in measures.parts)
    marks = {
        name: Mark(reason=REASONS(f"declined.{name}", language), score=5)
        for name in ("understanding", "relevance", "correctness")
    }
    rest = Mark(reason=REASONS(f"declined.{'full' if full else 'bare'}", language), score=5 if full else 4)
    score = min(5 if full else 4, (coherence.score or 1) + 2)
    overall = Mark(reason=REASONS("declined.overall", language), score=score)
    return verdict((marks["understanding"], marks["relevance"], rest, marks["correctness"], coherence, overall))


def needless_refusal(sample: Sample, measures: Measures, language: Language, coherence: Mark) -> TurnVerdict:
    """The marks of an answer that declines what the reference or the passages answer."""
    number = measures.best_passage_number if measures.answerable >= ANSWERABLE else 0
    expected = measures.expected[0].claim.text if measures.expected else measures.best_text
    against = _source_name(0 if measures.has_reference else number, language)
    name = "refused_reference" if measures.has_reference else "refused"
    gone = REASONS(f"completeness.{name}", language, passage_number=number, quote=quote(expected))
    seen = REASONS("understanding.refused", language, passage_number=number, topic=measures.topic) if number else None
    return verdict(
        (
            Mark(reason=seen or REASONS("understanding.partly", language, topic=measures.topic), score=2),
            Mark(reason=REASONS("relevance.refused", language), score=2),
            Mark(reason=gone, score=1),
            Mark(reason=REASONS("correctness.refused", language, where=against, quote=quote(expected)), score=2),
            coherence,
            Mark(reason=REASONS("overall.refused", language), score=1),
        )
    )


def _answer_out_of_scope(measures: Measures, language: Language, coherence: Mark) -> TurnVerdict:
    """The marks of an answer to a question that the documents do not cover."""
    beside = Mark(reason=REASONS("relevance.bad", language, quote=quote(measures.main_claim)), score=2)
    stray = Mark(reason=REASONS("out_of_scope.understanding", language), score=1)
    nothing = Mark(reason=REASONS("completeness.nothing", language), score=1)
    wrong = Mark(reason=REASONS("correctness.beside", language, quote=quote(measures.main_claim)), score=2)
    if (measures.grounded or 0.0) < 0.62:
        wrong = Mark(reason=REASONS("correctness.missing", language, quote=quote(measures.main_claim)), score=1)
    overall = Mark(reason=REASONS("out_of_scope.overall", language, quote=quote(measures.main_claim)), score=1)
    return verdict((stray, beside, nothing, wrong, coherence, overall))
