"""Scores for an answer if no reference tells what is right: what cannot be known is capped, and the reasons say so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

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
    capped_by_coherence,
    new_score,
    verdict_of,
    with_overall,
)
from core.text.citations import without_citations
from core.text.negation import opposite_word

NEARER = 0.15  # how much nearer than its own headings another one must be to be named in a reason
MIN_FIRST_COVERAGE = 0.5  # share of what the best paragraph has of the question that the first one must have
QUOTED_TRULY = 0.62  # supported share of the claims from which an answer quotes its passages truly
WORDY = ("place", "reason")  # kinds that can be given in words of many sorts
Caps = Mapping[str, tuple[int, str]]  # criterion: the highest score, and the reason


def judge_answer_without_reference(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Scores for an answer from the question and the passages alone; overall follows from the lowered ones."""
    verdict = judge_answer(sample, measures, language)
    rating = rating_by_sections("answer", sample, measures) if cites(sample) else None
    expected = None if rating is None else score_of_rating(rating)
    caps = _caps_of_answer(sample, measures, expected, language)
    before = verdict.six[:-1]
    if expected is not None and _quotes_truly(measures):
        own = used_passages(sample, measures, words_of_passages(sample.contexts, asked_of(sample).of))
        raised = _raised(before, caps, expected, own[0].name if own else "", language) if expected >= 4 else before
        return _by_sections(measures, _capped_all(raised, caps), caps, language)
    five = _capped_all(before, caps)
    if five == before and "overall" not in caps:
        return verdict
    lowered = with_overall_mean(measures, five, language)
    return with_overall(lowered, *caps["overall"]) if "overall" in caps else lowered


def _by_sections(measures: Measures, five: Sequence[CriterionScore], caps: Caps, language: Language) -> TurnVerdict:
    """The scores of an answer that quotes truly: overall is what the fit expects, unless a rule speaks against
    it."""
    most, reason = caps.get("overall", (5, REASONS("overall.good", language)))
    score = capped_by_coherence(min(most, 4 if measures.words_to_grader else 5), five[4])
    return verdict_of((*five, CriterionScore(reason=reason if score == most else five[4].reason, score=score)))


def _caps_of_answer(sample: Sample, measures: Measures, expected: int | None, language: Language) -> Caps:
    """The highest scores of an answer by criterion, with the reasons; none for what nothing speaks against.

    `expected`: the score by the probabilities of the sections, if they are known. Then a kind of value that is missing
    and an answer that comes late say no more of the overall score: readers rate such answers as well as others.
    """
    asked = asked_of(sample)
    found = words_of_passages(sample.contexts, asked.of)
    if not found or not asked.words:
        return {}
    own = used_passages(sample, measures, found)
    caps: dict[str, tuple[int, str]] = {}
    if expected is not None and expected < 5:
        _lower(caps, "relevance", expected, _unlikely(sample, asked, found, own, language))
        _lower(caps, "overall", expected, REASONS("unlikely.overall", language))
    if turned := _opposite_heading(asked, own):
        text = REASONS("opposite", language, asked=turned[0], said=turned[1])
        _lower(caps, "relevance", 2, text)
        _lower(caps, "overall", 2, text)
    missing = missing_kinds(asked, sample.answer)
    if missing := [kind for kind in missing if kind not in WORDY or cites(sample)]:
        text = REASONS("kind", language, kind=REASONS(f"kinds.{missing[0]}", language))
        _lower(caps, "completeness", 2, text)
        if expected is None:
            _lower(caps, "overall", 3, text)
    if part := open_part(asked, sample.answer) if cites(sample) else "":
        text = REASONS("part", language, part=part)
        _lower(caps, "completeness", 3, text)
        _lower(caps, "overall", 3, text)
    if late := _late(asked, sample.answer):
        _lower(caps, "coherence", 4, REASONS("late", language, quote=late))
        if expected is None:
            _lower(caps, "overall", 4, REASONS("late", language, quote=late))
    return caps


def _raised(
    scores: Sequence[CriterionScore], caps: Caps, expected: int, heading: str, language: Language
) -> tuple[CriterionScore, ...]:
    """The scores of an answer that quotes its passages truly: none is below what the fit expects.

    They count words of the question, which a good answer need not repeat; no score is raised if a rule speaks against
    it. heading: of the passage that it rests on.
    """
    levels = {"relevance": expected, "completeness": expected, "correctness": 4}
    return tuple(
        new_score(levels[name], f"fits.{name}", language, heading=heading)
        if name in levels and name not in caps and (one.score or 0) < levels[name]
        else one
        for name, one in zip(CRITERIA, scores, strict=False)
    )


def _quotes_truly(measures: Measures) -> bool:
    """Whether the passages support what the answer says, and nothing of it contradicts them or is a figure of its
    own."""
    invented = any(one.claim_span for one in measures.claims if one.state == "missing")
    return (measures.supported_share or 0.0) >= QUOTED_TRULY and not (measures.contradicted_share or invented)


def _capped_all(scores: Sequence[CriterionScore], caps: Caps) -> tuple[CriterionScore, ...]:
    """The scores in the order of CRITERIA, none above its cap; a reason replaces that of the score that it lowers."""
    return tuple(_capped(one, caps.get(name)) for name, one in zip(CRITERIA, scores, strict=False))


def _capped(one: CriterionScore, cap: tuple[int, str] | None) -> CriterionScore:
    if cap is None or one.score is None or one.score <= cap[0]:
        return one
    return CriterionScore(reason=cap[1], score=cap[0])


def _lower(caps: dict[str, tuple[int, str]], criterion: str, most: int, reason: str) -> None:
    """The lower cap holds; of equal ones the first."""
    if criterion not in caps or most < caps[criterion][0]:
        caps[criterion] = (most, reason)


def _opposite_heading(asked: QuestionWords, own: Sequence[PassageWords]) -> tuple[str, str] | None:
    return next((pair for one in own if (pair := opposite_word(asked.text, one.name))), None)


def _unlikely(
    sample: Sample, asked: QuestionWords, found: Sequence[PassageWords], own: Sequence[PassageWords], language: Language
) -> str:
    """Why the answer may not be the right one: another section is likelier or its heading nearer, or words of the
    question are nowhere in it."""
    if rival := rival_of(sample):
        return REASONS("unlikely.rival", language, heading=rival.heading or rival.title)
    nearest_own = max((heading_similarity(one, asked.text, asked.words) for one in own), default=0.0)
    nearest = max(
        (one for one in found if one not in own),
        key=lambda one: heading_similarity(one, asked.text, asked.words),
        default=None,
    )
    if nearest and nearest.name and heading_similarity(nearest, asked.text, asked.words) >= nearest_own + NEARER:
        return REASONS("unlikely.nearer", language, heading=nearest.name)
    said = frozenset[str]().union(*(one.words for one in own))
    lacking = sorted(asked.words - said, key=lambda word: (-asked.weights.of(word), word))[:3]
    if lacking:
        return REASONS("unlikely.words", language, words=REASONS("join", language).join(lacking))
    return REASONS("unlikely.weak", language)


def _late(asked: QuestionWords, answer: str) -> str:
    """The first paragraph if a later one has much more of the question; "" otherwise, and for several questions."""
    paragraphs = [text for text in re.split(r"\n\s*\n", without_citations(answer)) if text.strip()]
    if len(paragraphs) < 2 or len(asked.parts) > 1:
        return ""
    shares = [asked.share(asked.words_of(text)) for text in paragraphs]
    return paragraphs[0] if shares[0] < MIN_FIRST_COVERAGE * max(shares) and len(paragraphs[0]) > 40 else ""
