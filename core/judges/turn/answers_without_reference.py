"""Scores for an answer without a reference: what the passages cannot prove is capped, and the reasons say so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter

from core.base.types import Language, Sample
from core.judges.rules.answer_measures import Measures
from core.judges.turn.answers import judge_answer, with_overall_mean
from core.judges.turn.rating import rating_by_sections, rival_of, score_of_rating
from core.judges.turn.reply_features import (
    PassageWords,
    QuestionWords,
    asked_of,
    cites,
    heading_similarity,
    missing_kinds,
    open_part,
    used_passages,
    words_of_passages,
)
from core.judges.turn.verdict import (
    CRITERIA,
    REASONS,
    CriterionScore,
    TurnVerdict,
    capped,
    capped_by_coherence,
    new_score,
    verdict_of,
    with_overall,
)
from core.text.citations import without_citations
from core.text.negation import opposite_word

MIN_HEADING_LEAD = 0.15  # similarity by which another heading must be nearer than the used ones to be named in a reason
MIN_FIRST_COVERAGE = 0.5  # share of the best paragraph's coverage of the question that the first one must reach
QUOTED_TRULY_FROM = 0.62  # supported share of the claims from which an answer quotes its passages truly
# Kinds that many words can give, so that only a reply with citations is checked for them
WORDY_KINDS = ("place", "reason")
Caps = Mapping[str, tuple[int, str]]  # by criterion: the highest score, and the reason


def judge_answer_without_reference(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Scores for an answer from the question and the passages alone; overall follows from the capped ones."""
    verdict = judge_answer(sample, measures, language)
    rating = rating_by_sections("answer", sample, measures) if cites(sample) else None
    expected_score = None if rating is None else score_of_rating(rating)
    caps = _caps_of_answer(sample, measures, expected_score, language)
    scores = verdict.six[:-1]
    if expected_score is not None and _quotes_truly(measures):
        used = used_passages(sample, measures, words_of_passages(sample.contexts, asked_of(sample).of))
        if expected_score >= 4:
            scores = _raised(scores, caps, expected_score, used[0].heading if used else "", language)
        return _by_sections(measures, _capped_all(scores, caps), caps, language)
    five = _capped_all(scores, caps)
    if five == scores and "overall" not in caps:
        return verdict
    lowered = with_overall_mean(measures, five, language)
    return with_overall(lowered, *caps["overall"]) if "overall" in caps else lowered


def _by_sections(measures: Measures, five: Sequence[CriterionScore], caps: Caps, language: Language) -> TurnVerdict:
    """The verdict on an answer that quotes truly: overall is the expected score, unless a rule caps it."""
    max_score, reason = caps.get("overall", (5, REASONS("overall.good", language)))
    score = capped_by_coherence(min(max_score, 4 if measures.words_to_grader else 5), five[4])
    return verdict_of((*five, CriterionScore(reason=reason if score == max_score else five[4].reason, score=score)))


def _caps_of_answer(sample: Sample, measures: Measures, expected_score: int | None, language: Language) -> Caps:
    """The highest scores of an answer by criterion, with the reasons; a criterion without objections has none.

    `expected_score`: by the probabilities of the sections, if they are known. Then a kind of value that is missing
    and an answer that comes late say no more of the overall score: readers rate such answers as well as others.
    """
    asked = asked_of(sample)
    passages = words_of_passages(sample.contexts, asked.of)
    if not passages or not asked.words:
        return {}
    used = used_passages(sample, measures, passages)
    caps: dict[str, tuple[int, str]] = {}
    if expected_score is not None and expected_score < 5:
        _lower(caps, "relevance", expected_score, _unlikely(sample, asked, passages, used, language))
        _lower(caps, "overall", expected_score, REASONS("unlikely.overall", language))
    if opposites := next((pair for one in used if (pair := opposite_word(asked.text, one.heading))), None):
        text = REASONS("opposite", language, asked=opposites[0], said=opposites[1])
        _lower(caps, "relevance", 2, text)
        _lower(caps, "overall", 2, text)
    missing = missing_kinds(asked, sample.answer)
    if missing := [kind for kind in missing if kind not in WORDY_KINDS or cites(sample)]:
        text = REASONS("kind", language, kind=REASONS(f"kinds.{missing[0]}", language))
        _lower(caps, "completeness", 2, text)
        if expected_score is None:
            _lower(caps, "overall", 3, text)
    if part := open_part(asked, sample.answer) if cites(sample) else "":
        text = REASONS("part", language, part=part)
        _lower(caps, "completeness", 3, text)
        _lower(caps, "overall", 3, text)
    if late := _late(asked, sample.answer):
        _lower(caps, "coherence", 4, REASONS("late", language, quote=late))
        if expected_score is None:
            _lower(caps, "overall", 4, REASONS("late", language, quote=late))
    return caps


def _raised(
    scores: Sequence[CriterionScore], caps: Caps, expected_score: int, heading: str, language: Language
) -> tuple[CriterionScore, ...]:
    """The scores of an answer that quotes its passages truly, raised to the expected score unless a rule caps them.

    Without this they would be low for a good answer that does not repeat the question's words. heading: of the passage
    that the answer uses.
    """
    levels = {"relevance": expected_score, "completeness": expected_score, "correctness": 4}
    return tuple(
        new_score(levels[name], f"fits.{name}", language, heading=heading)
        if name in levels and name not in caps and (one.score or 0) < levels[name]
        else one
        for name, one in zip(CRITERIA, scores, strict=False)
    )


def _quotes_truly(measures: Measures) -> bool:
    """Whether the passages support the answer, and no claim contradicts them or states a figure they lack."""
    invented = any(one.claim_span for one in measures.claims if one.state == "missing")
    return (measures.supported_share or 0.0) >= QUOTED_TRULY_FROM and not (measures.contradicted_share or invented)


def _capped_all(scores: Sequence[CriterionScore], caps: Caps) -> tuple[CriterionScore, ...]:
    """The scores in the order of CRITERIA, none above its cap; a reason replaces that of the score that it lowers."""
    return tuple(capped(one, *caps[name]) if name in caps else one for name, one in zip(CRITERIA, scores, strict=False))


def _lower(caps: dict[str, tuple[int, str]], criterion: str, max_score: int, reason: str) -> None:
    """Lower the cap of a criterion; of equal caps the first stays."""
    if criterion not in caps or max_score < caps[criterion][0]:
        caps[criterion] = (max_score, reason)


def _unlikely(
    sample: Sample,
    asked: QuestionWords,
    passages: Sequence[PassageWords],
    used: Sequence[PassageWords],
    language: Language,
) -> str:
    """Why the answer may be wrong: another section is likelier, another heading is nearer, or words of the question are
    missing in the used passages."""
    if rival := rival_of(sample):
        return REASONS("unlikely.rival", language, heading=rival.heading or rival.title)
    similarities = [(heading_similarity(one, asked.text, asked.words), one) for one in passages]
    nearest_own = max((similarity for similarity, one in similarities if one in used), default=0.0)
    others = (pair for pair in similarities if pair[1] not in used)
    similarity, nearest = max(others, key=itemgetter(0), default=(0.0, None))
    if nearest and nearest.heading and similarity >= nearest_own + MIN_HEADING_LEAD:
        return REASONS("unlikely.nearer", language, heading=nearest.heading)
    used_words = frozenset[str]().union(*(one.words for one in used))
    lacking = sorted(asked.words - used_words, key=lambda word: (-asked.weights.of(word), word))[:3]
    if lacking:
        return REASONS("unlikely.words", language, words=REASONS("join", language).join(lacking))
    return REASONS("unlikely.weak", language)


def _late(asked: QuestionWords, answer: str) -> str:
    """The first paragraph if a later one covers much more of the question; else, or for several questions, ""."""
    paragraphs = [text for text in re.split(r"\n\s*\n", without_citations(answer)) if text.strip()]
    if len(paragraphs) < 2 or len(asked.parts) > 1:
        return ""
    shares = [asked.share(asked.words_of(text)) for text in paragraphs]
    return paragraphs[0] if shares[0] < MIN_FIRST_COVERAGE * max(shares) and len(paragraphs[0]) > 40 else ""
