"""Marks if no reference tells what is right: what cannot be known is capped, and the reasons say so."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Language, Sample
from core.judges.reasons import quote
from core.judges.rules.answer_measures import Measures
from core.judges.turn.answered_small_talk import SmallTalk, answered_small_talk
from core.judges.turn.caps import REASONS as CAP_REASONS
from core.judges.turn.caps import Caps, cap_marks, caps_of_answer, cites, quotes_truly, raise_marks, tone_cap
from core.judges.turn.expected_rating import expected_rating, mark_of
from core.judges.turn.features import asked_of, has_headings, refusal_features, stray_choice, words_of_passages
from core.judges.turn.marks import CRITERIA, Mark, TurnVerdict
from core.judges.turn.scoring import (
    REASONS,
    coherence_of,
    finish,
    judge_answer,
    needless_refusal,
    only_refuses,
    verdict,
)
from core.judges.turn.section_rating import (
    LIKELY,
    best_chance,
    knows_sections,
    rating_by_sections,
    unoffered_chance,
)
from core.text.refusals import is_aside

FIVE = CRITERIA[:-1]
GOOD = 4  # mark from which a reply is good
EVEN = 0.5  # probability from which a section that is neither cited nor offered makes a refusal needless
MOST = 4  # mark of a refusal: that no passage was found does not prove that there is none


def judge_without_reference(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Marks for an answer, a refusal or a reply to small talk, from the question and the passages alone."""
    talk = answered_small_talk(sample, measures)
    if talk or _answers_small_talk(sample, measures):
        marks = _small_talk(sample, measures, talk, language)
    elif (
        only_refuses(measures) and (has_headings(sample) or knows_sections(sample)) and not sample.intent
    ):  # what is known to be meant decides
        marks = _refusal(sample, measures, language)
    else:
        marks = judge_answer(sample, measures, language)
        if not only_refuses(measures) and measures.main_claim:
            marks = _held_back(sample, measures, marks, caps_of_answer(sample, measures, language), language)
    return with_tone(sample, marks, language)


def with_tone(sample: Sample, marks: TurnVerdict, language: Language) -> TurnVerdict:
    """The marks, overall capped if the person is in distress or in a hurry and the reply does not see it."""
    tone = tone_cap(sample, language)
    return _with_overall(marks, *tone) if tone else marks


def _answers_small_talk(sample: Sample, measures: Measures) -> bool:
    """Whether the bot says that the message asks nothing of its documents, and the reply neither cites nor declines."""
    told = sample.asks_nothing and not sample.intent
    return told and bool(measures.parts) and not (cites(sample) or only_refuses(measures))


def _small_talk(sample: Sample, measures: Measures, talk: SmallTalk | None, language: Language) -> TurnVerdict:
    """Good marks for what small talk needs, and none for correctness: there is nothing to check."""
    rating = rating_by_sections("small_talk", sample, measures)
    score = (5 if talk else GOOD) if rating is None else mark_of(rating)
    key = talk if talk and score >= GOOD else "courtesy" if score >= GOOD else "doubt"
    mark = Mark(reason=CAP_REASONS(f"small_talk.{key}", language), score=score)
    unknown = Mark(reason=CAP_REASONS("small_talk.unchecked", language), score=None)
    coherence = coherence_of(sample, measures, language)
    overall = Mark(reason=mark.reason, score=min(score, (coherence.score or 1) + 1))
    return verdict((mark, mark, mark, unknown, coherence, overall))


def _held_back(sample: Sample, measures: Measures, marks: TurnVerdict, caps: Caps, language: Language) -> TurnVerdict:
    """The marks with their caps; overall follows from the lowered ones."""
    before = tuple(marks.mark(name) for name in FIVE)
    five = cap_marks(raise_marks(sample, measures, before, caps, language), caps)
    if knows_sections(sample) and cites(sample) and quotes_truly(measures):
        return _by_sections(measures, five, caps, language)
    if five == before and "overall" not in caps:
        return marks
    lowered = finish(sample, measures, five, language)
    return _with_overall(lowered, *caps["overall"]) if "overall" in caps else lowered


def _by_sections(measures: Measures, five: Sequence[Mark], caps: Caps, language: Language) -> TurnVerdict:
    """The marks of an answer that quotes truly: overall is the mark that the fit expects, unless a rule speaks against
    it."""
    most, reason = caps.get("overall", (5, REASONS("overall.good", language)))
    score = min(most, (five[4].score or 1) + 1, 4 if measures.addressed else 5)
    return verdict((*five, Mark(reason=reason if score == most else five[4].reason, score=score)))


def _with_overall(marks: TurnVerdict, most: int, reason: str) -> TurnVerdict:
    if marks.overall.score is None or marks.overall.score <= most:
        return marks
    return verdict((*(marks.mark(name) for name in FIVE), Mark(reason=reason, score=most)))


def _refusal(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """The marks of a refusal by how well the passages would have fitted what was asked."""
    coherence = coherence_of(sample, measures, language)
    asked = asked_of(sample)
    found = words_of_passages(sample.contexts, asked.of)
    rating = rating_by_sections("offer" if sample.choices else "refusal", sample, measures)
    told = rating is not None
    rating = expected_rating("refusal", refusal_features(asked, found)) if rating is None else rating
    score = min(mark_of(rating), MOST) if asked.words or told else MOST
    if told and unoffered_chance(sample) >= EVEN:
        score = min(score, 2)
    if score < 3 and not (told and best_chance(sample) < LIKELY):
        marks = needless_refusal(sample, measures, language, coherence)
        overall = Mark(reason=marks.overall.reason, score=score)
        return verdict((*(marks.mark(name) for name in FIVE), overall))
    headings = (one.heading for one in sample.sections) if told else (one.name for one in found)
    nearest = next(filter(None, headings), "—")
    reason = CAP_REASONS(f"refusal.{'likely' if score == 4 else 'possible'}", language, heading=quote(nearest))
    if told and sample.choices:
        reason = CAP_REASONS("refusal.offers", language, quote=quote(sample.choices[0]))
    if score <= 3 and (stray := stray_choice(asked, sample.choices)):
        reason = CAP_REASONS("refusal.topics", language, quote=quote(stray))
    full = any(is_aside(part) for part in measures.parts)
    rest = Mark(reason=REASONS(f"declined.{'full' if full else 'bare'}", language), score=score if full else score - 1)
    plain = Mark(reason=REASONS("declined.relevance", language), score=score)
    overall = Mark(reason=reason, score=min(rest.score or 1, (coherence.score or 1) + 2))
    return verdict(
        (Mark(reason=reason, score=score), plain, rest, Mark(reason=reason, score=score), coherence, overall)
    )
