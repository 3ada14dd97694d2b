"""Marks if no reference tells what is right: what cannot be known is capped, and the reasons say so."""

from __future__ import annotations

from core.base.types import Language, Sample
from core.judges.reasons import quote
from core.judges.turn.caps import REASONS as CAP_REASONS
from core.judges.turn.caps import Caps, capped, caps_of_answer, lifted, tone_cap
from core.judges.turn.features import asked_of, has_headings, refusal_features, sections_of, stray_choice
from core.judges.turn.likelihood import expected_rating, mark_of
from core.judges.turn.marks import CRITERIA, Mark, TurnVerdict
from core.judges.turn.measures import Measures
from core.judges.turn.scoring import (
    REASONS,
    coherence_of,
    declined,
    finish,
    judge_answer,
    needless_refusal,
    verdict,
)
from core.judges.turn.small_talk import judge_small_talk, small_talk_of
from core.text.refusals import is_aside

FIVE = CRITERIA[:-1]
MOST = 4  # mark of a refusal: that no passage was found does not prove that there is none


def judge_without_reference(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Marks for an answer, a refusal or a reply to small talk, from the question and the passages alone."""
    if talk := small_talk_of(sample, measures):
        marks = judge_small_talk(talk, coherence_of(sample, measures, language), language)
    elif declined(measures) and has_headings(sample) and not sample.intent:  # what is known to be meant decides
        marks = _refusal(sample, measures, language)
    else:
        marks = judge_answer(sample, measures, language)
        if not declined(measures) and measures.main_claim:
            marks = _held_back(sample, measures, marks, caps_of_answer(sample, measures, language), language)
    return with_tone(sample, marks, language)


def with_tone(sample: Sample, marks: TurnVerdict, language: Language) -> TurnVerdict:
    """The marks, overall capped if the person is in distress or in a hurry and the reply does not see it."""
    tone = tone_cap(sample, language)
    return _with_overall(marks, *tone) if tone else marks


def _held_back(sample: Sample, measures: Measures, marks: TurnVerdict, caps: Caps, language: Language) -> TurnVerdict:
    """The marks with their caps; overall follows from the lowered ones."""
    before = tuple(marks.mark(name) for name in FIVE)
    five = capped(lifted(sample, measures, before, caps, language), caps)
    if five == before and "overall" not in caps:
        return marks
    lowered = finish(sample, measures, five, language)
    return _with_overall(lowered, *caps["overall"]) if "overall" in caps else lowered


def _with_overall(marks: TurnVerdict, most: int, reason: str) -> TurnVerdict:
    if marks.overall.score is None or marks.overall.score <= most:
        return marks
    return verdict((*(marks.mark(name) for name in FIVE), Mark(reason=reason, score=most)))


def _refusal(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """The marks of a refusal by how well the passages would have fitted what was asked."""
    coherence = coherence_of(sample, measures, language)
    asked = asked_of(sample)
    found = sections_of(sample.contexts, asked.of)
    rating = expected_rating("refusal", refusal_features(asked, found))
    score = min(mark_of(rating), MOST) if asked.words else MOST
    if score < 3:
        marks = needless_refusal(sample, measures, language, coherence)
        overall = Mark(reason=marks.overall.reason, score=score)
        return verdict((*(marks.mark(name) for name in FIVE), overall))
    nearest = next((one.name for one in found if one.name), "—")
    reason = CAP_REASONS(f"refusal.{'likely' if score == 4 else 'possible'}", language, heading=quote(nearest))
    if score == 3 and (stray := stray_choice(asked, sample.choices)):
        reason = CAP_REASONS("refusal.topics", language, quote=quote(stray))
    full = any(is_aside(part) for part in measures.parts)
    rest = Mark(reason=REASONS(f"declined.{'full' if full else 'bare'}", language), score=score if full else score - 1)
    plain = Mark(reason=REASONS("declined.relevance", language), score=score)
    overall = Mark(reason=reason, score=min(rest.score or 1, (coherence.score or 1) + 2))
    return verdict(
        (Mark(reason=reason, score=score), plain, rest, Mark(reason=reason, score=score), coherence, overall)
    )
