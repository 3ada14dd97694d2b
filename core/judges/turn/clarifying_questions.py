"""Scores for a clarifying question: was it needed, does it ask what is missing, does it offer real choices?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.base.types import Language, Sample
from core.judges.rules.answer_measures import Measures
from core.judges.rules.claim_check import segment, segment_texts
from core.judges.turn.rating import expected_rating, rating_by_sections, score_of_rating
from core.judges.turn.reply_features import (
    CHOICE_FITS_FROM,
    asked_of,
    choice_fits,
    clarifying_question_features,
    least_similar_choice,
)
from core.judges.turn.verdict import (
    GOOD_SCORE,
    REASONS,
    CriterionScore,
    TurnVerdict,
    capped,
    capped_by_coherence,
    coherence_of,
    new_score,
    score_of_difference,
    verdict_of,
)
from core.text.language import script
from core.text.offered_choices import listed_choices
from core.text.questions import is_question, repeats_question

MAX_VAGUE_WORDS = 3  # content words up to which a request may leave several passages open
CLEAR_PASSAGE_FROM = 0.35  # share of the question that the best passage covers from which nothing has to be asked
NEEDLESS_FROM = 0.5  # share of fitting choices from which asking at all is the fault, not the choices
REFERENCE_OFFERED_FROM = 0.5  # share of the reference's words that the sections behind a choice must have
COMPETING_FACTOR = 0.75  # passages whose coverage is at least this part of the best one's compete with it


class AskedQuestion(NamedTuple):
    """What the scores of a clarifying question depend on."""

    text: str
    choices: tuple[str, ...]  # the real ones: their words are in the passages
    is_focused: bool  # shares words with the request, the intent or the passages
    is_needed: bool
    is_repeated: bool  # asked before in the conversation
    is_rated: bool  # by the expected rating of the choices, since no scenario says whether asking was right


class ChoiceCap(NamedTuple):
    """The highest score that the choices allow, and why."""

    score: int
    reason: str
    is_needless: bool  # asking at all is the fault


def is_clarifying_reply(sample: Sample, measures: Measures) -> bool:
    """Whether the reply is a clarifying question: marked as one, or made of questions alone."""
    if not measures.sentences:
        return False
    if sample.asked_back:
        return True
    fresh = [part for part in measures.sentences if not repeats_question(part, sample.question)]
    return bool(fresh) and is_question(fresh[-1]) and all(is_question(f.claim.text) for f in measures.claims)


def judge_clarifying_question(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Scores for a clarifying question."""
    coherence = coherence_of(sample, measures, language)
    text = next((part for part in reversed(measures.sentences) if is_question(part)), measures.sentences[-1])
    choices = _real_choices(sample, text)
    rating = None if _labelled(sample) else rating_by_sections("question", sample, measures)
    cap = _choice_cap(sample, choices, rating, language)
    is_rated = rating is not None or (bool(choices and sample.contexts) and not _labelled(sample))
    asked = AskedQuestion(
        text=text,
        choices=choices,
        is_focused=_focused(sample, measures),
        is_needed=not cap.is_needless if is_rated else _needed(sample, measures),
        is_repeated=_is_repeated(sample, text),
        is_rated=is_rated,
    )
    understanding = _understanding(asked, measures, language)
    relevance = _relevance(asked, language)
    completeness = capped(_completeness(asked, language), cap.score, cap.reason)
    correctness = _correctness(measures, language)
    if not (asked.is_repeated or sample.contexts_known or _labelled(sample)):
        unknown = new_score(None, "asking.unknown", language)
        return verdict_of((unknown, relevance, unknown, correctness, coherence, unknown))
    four = (understanding, relevance, completeness, correctness)
    overall = _overall(asked, four, coherence, cap, measures, language)
    return verdict_of((*four, coherence, overall))


def _understanding(asked: AskedQuestion, measures: Measures, language: Language) -> CriterionScore:
    number = measures.best_passage_number
    if asked.is_repeated:
        return new_score(2, "asking.again", language, passage_number=number)
    if not asked.is_needed:
        return new_score(2, f"asking.{_needless(measures)}", language, passage_number=number)
    return new_score(5 if asked.is_focused else 3, "asking.needed", language, passage_number=number)


def _needless(measures: Measures) -> str:
    """The key of the reason for a needless question: with the passage that answers, if there is one."""
    return "needless" if measures.best_passage_number and measures.is_answerable else "needless_plain"


def _relevance(asked: AskedQuestion, language: Language) -> CriterionScore:
    if not asked.is_focused:
        return new_score(2, "asking.loose", language, quote=asked.text)
    return new_score(5 if asked.is_needed else 3, "asking.focused", language, quote=asked.text)


def _completeness(asked: AskedQuestion, language: Language) -> CriterionScore:
    needed = asked.is_needed and not asked.is_repeated
    if not asked.choices:
        return new_score(4 if needed and asked.is_focused else 2, "asking.no_choices", language)
    return new_score(5 if needed else 2, "asking.choices", language, quote=" / ".join(asked.choices[:3]))


def _correctness(measures: Measures, language: Language) -> CriterionScore:
    wrong = next((f for f in measures.claims if f.state == "contradicted" and not is_question(f.claim.text)), None)
    return score_of_difference(2, wrong, language) if wrong else new_score(5, "asking.true", language)


def _overall(
    asked: AskedQuestion,
    four: tuple[CriterionScore, CriterionScore, CriterionScore, CriterionScore],
    coherence: CriterionScore,
    cap: ChoiceCap,
    measures: Measures,
    language: Language,
) -> CriterionScore:
    """The worst of the four scores, or the expected rating if there is one and correctness allows it."""
    by_rating = asked.is_rated and not asked.is_repeated
    lowest = min(cap.score, four[3].score or 1) if by_rating else min(one.score or 1 for one in four)
    score = capped_by_coherence(lowest, coherence)
    name = "good" if score >= GOOD_SCORE else "poor" if asked.is_needed else _needless(measures)
    name = "again" if asked.is_repeated else name
    if cap.score < GOOD_SCORE and not asked.is_repeated and (asked.is_rated or name == "poor"):
        return CriterionScore(reason=cap.reason, score=score)
    return new_score(score, f"asking.{name}", language, passage_number=measures.best_passage_number)


def _choice_cap(sample: Sample, choices: tuple[str, ...], rating: float | None, language: Language) -> ChoiceCap:
    """The highest score that the choices allow.

    If the scenario says that asking was right or wrong, it depends on whether a choice leads to the reference, or else
    has the words of the intent. Otherwise it is the expected rating: `rating` by the sections' probabilities if they are
    known, else by how many choices fit the message.
    """
    choices = choices if rating is None else sample.choices
    if rating is not None and not choices:
        return ChoiceCap(score_of_rating(rating), REASONS("choices.none", language), False)
    if not choices or (rating is None and not sample.contexts):
        return ChoiceCap(5, "", False)
    asked = asked_of(sample)
    stray = least_similar_choice(asked, choices)
    unrelated = REASONS("choices.beside", language, quote=stray or choices[-1])
    if _labelled(sample):
        fits = _offers_reference(sample, choices) or max(choice_fits(asked, choices)) >= CHOICE_FITS_FROM
        return ChoiceCap(5 if fits else 3, unrelated, False)
    features = clarifying_question_features(asked, choices)
    score = score_of_rating(expected_rating("question", features) if rating is None else rating)
    is_needless = score < GOOD_SCORE and features["fitting"] >= NEEDLESS_FROM and bool(features["whole"] or not stray)
    return ChoiceCap(score, REASONS("asking.needless_plain", language) if is_needless else unrelated, is_needless)


def _offers_reference(sample: Sample, choices: Sequence[str]) -> bool:
    """Whether the sections that one of the choices names have the words of a reference."""
    of = script("\n".join((*sample.reference, *sample.contexts))[:1_500])
    sections, weights = segment_texts((*sample.contexts, *sample.reference), of)
    named = [
        [one.words for text, one in zip(sample.contexts, sections, strict=False) if choice in text.partition("\n")[0]]
        for choice in choices
    ]
    return any(
        weights.share(segment(reference, of).words, frozenset[str]().union(*words)) >= REFERENCE_OFFERED_FROM
        for reference in sample.reference
        for words in named
    )


def _labelled(sample: Sample) -> bool:
    """Whether the scenario says if a clarifying question was needed."""
    return not sample.history and (sample.needs_asking is not None or sample.kind in ("vague", "consultation"))


def _needed(sample: Sample, measures: Measures) -> bool:
    """Whether asking was needed: the scenario says so, or no passage answers, or several could for a vague request."""
    if _labelled(sample):
        return sample.needs_asking is not False
    if measures.best_coverage < CLEAR_PASSAGE_FROM:
        return True
    competing = sum(1 for one in measures.passage_coverages if one >= COMPETING_FACTOR * measures.best_coverage)
    words = len(measures.question_words)
    return words <= 1 or (words <= MAX_VAGUE_WORDS and competing >= 3)


def _is_repeated(sample: Sample, asked: str) -> bool:
    return any(asked.strip() in message.text for message in sample.history if message.role == "assistant")


def _real_choices(sample: Sample, asked: str) -> tuple[str, ...]:
    """The offered choices that share words with the passages (all, without passages); fewer than two count as none."""
    choices = sample.choices or listed_choices(sample.answer) or listed_choices(asked)
    passages = "\n".join((*sample.contexts, *sample.candidates))
    of = script(passages or sample.answer)
    words = segment(passages, of).words if passages else frozenset[str]()
    real = tuple(one for one in choices if not passages or segment(one, of).words & words)
    return real if len(real) >= 2 else ()


def _focused(sample: Sample, measures: Measures) -> bool:
    """Whether the question shares words with the request, the intent or the passages."""
    of = script("\n".join(sample.contexts) or sample.question)
    words = segment(" ".join(measures.sentences), of).words
    if not sample.contexts and len(measures.question_words) <= 2:
        return True  # so short a request only leaves a general question to ask
    by_passages = (len(words & segment(text, of).words) >= 2 for text in sample.contexts)
    return bool(words & measures.question_words) or any(by_passages)
