"""Scores for a clarifying question: was it needed, does it ask what is missing, does it offer real choices."""

from __future__ import annotations

from core.base.types import Language, Sample
from core.judges.rules.answer_measures import Measures
from core.judges.rules.claim_check import segment
from core.judges.turn.expected_rating import expected_rating, score_of_rating
from core.judges.turn.reply_features import FITS, asked_of, choice_fits, least_similar_choice, question_features
from core.judges.turn.section_rating import rating_by_sections
from core.judges.turn.verdict import (
    GOOD_SCORE,
    REASONS,
    CriterionScore,
    TurnVerdict,
    capped_by_coherence,
    coherence_of,
    new_score,
    score_of_difference,
    verdict_of,
)
from core.text.language import script
from core.text.offered_choices import listed_choices
from core.text.questions import is_question, repeats_question

MAX_VAGUE_WORDS = 3  # a request with at most so many content words may leave several passages open
MOST_FIT = 0.5  # share of fitting choices from which asking at all is the fault, not the choices
COMPETING = 0.75  # passages this close to the best one compete with it


def is_clarifying_reply(sample: Sample, measures: Measures) -> bool:
    """Whether the reply is a clarifying question: marked so, or made of questions alone."""
    if not measures.sentences:
        return False
    if sample.asked_back:
        return True
    fresh = [part for part in measures.sentences if not repeats_question(part, sample.question)]
    return bool(fresh) and is_question(fresh[-1]) and all(is_question(f.claim.text) for f in measures.claims)


def judge_clarifying_question(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Scores for a clarifying question."""
    coherence = coherence_of(sample, measures, language)
    asked = next((part for part in reversed(measures.sentences) if is_question(part)), measures.sentences[-1])
    choices, focused = _real_choices(sample, asked), _focused(sample, measures)
    rating = None if _labelled(sample) else rating_by_sections("question", sample, measures)
    most, doubt, needless_one = _choice_cap(sample, choices, rating, language)
    rated = rating is not None or (bool(choices and sample.contexts) and not _labelled(sample))
    needed, repeated = (not needless_one if rated else _needed(sample, measures)), _is_repeated(sample, asked)
    number = measures.best_passage_number
    needless = "needless" if number and measures.is_answerable else "needless_plain"
    why = "asking.again" if repeated else "asking.needed" if needed else f"asking.{needless}"
    understanding = new_score(
        2 if repeated or not needed else 5 if focused else 3, why, language, passage_number=number
    )
    relevance = new_score(
        (5 if needed else 3) if focused else 2, f"asking.{'focused' if focused else 'loose'}", language, quote=asked
    )
    completeness = _completeness(choices, needed and not repeated, focused, language)
    if (completeness.score or 1) > most:
        completeness = CriterionScore(reason=doubt, score=most)
    correctness = _correctness(sample, measures, language)
    if not (repeated or sample.contexts_known or _labelled(sample)):
        unknown = new_score(None, "asking.unknown", language)
        return verdict_of((unknown, relevance, unknown, correctness, coherence, unknown))
    worst = min(understanding.score or 1, relevance.score or 1, completeness.score or 1, correctness.score or 1)
    score = capped_by_coherence(worst, coherence)
    if rated and not repeated:
        score = capped_by_coherence(min(most, correctness.score or 1), coherence)
    name = "again" if repeated else "good" if score >= GOOD_SCORE else needless if not needed else "poor"
    overall = new_score(score, f"asking.{name}", language, passage_number=number)
    if most < GOOD_SCORE and not repeated and (rated or name == "poor"):
        overall = CriterionScore(reason=doubt, score=score)
    return verdict_of((understanding, relevance, completeness, correctness, coherence, overall))


def _completeness(choices: tuple[str, ...], needed: bool, focused: bool, language: Language) -> CriterionScore:
    if not choices:
        return new_score((4 if focused else 2) if needed else 2, "asking.no_choices", language)
    return new_score(5 if needed else 2, "asking.choices", language, quote=" / ".join(choices[:3]))


def _choice_cap(
    sample: Sample, choices: tuple[str, ...], rating: float | None, language: Language
) -> tuple[int, str, bool]:
    """(the highest score that the choices allow, why, whether asking at all is the fault).

    If the scenario says that asking was right or wrong, by whether a choice holds the intent; else by the rating
    expected: `rating` if the sections' probabilities tell it, else from how many choices fit the message and how much
    that says.
    """
    choices = choices if rating is None else sample.choices
    if rating is not None and not choices:
        return score_of_rating(rating), REASONS("choices.none", language), False
    if not choices or (rating is None and not sample.contexts):
        return 5, "", False
    asked = asked_of(sample)
    stray = least_similar_choice(asked, choices)
    beside = REASONS("choices.beside", language, quote=stray or choices[-1])
    if _labelled(sample):
        return (5 if max(choice_fits(asked, choices)) >= FITS else 3), beside, False
    features = question_features(asked, choices)
    most = score_of_rating(expected_rating("question", features) if rating is None else rating)
    needless = most < GOOD_SCORE and features["fitting"] >= MOST_FIT and bool(features["whole"] or not stray)
    return most, REASONS("asking.needless_plain", language) if needless else beside, needless


def _labelled(sample: Sample) -> bool:
    """Whether the scenario says if a clarifying question was needed."""
    return not sample.history and (sample.needs_asking is not None or sample.kind in ("vague", "consultation"))


def _needed(sample: Sample, measures: Measures) -> bool:
    if _labelled(sample):
        return sample.needs_asking is not False
    if measures.best_coverage < 0.35:
        return True
    close = sum(1 for fit in measures.passage_coverages if fit >= COMPETING * measures.best_coverage)
    return len(measures.question_words) <= 1 or (len(measures.question_words) <= MAX_VAGUE_WORDS and close >= 3)


def _is_repeated(sample: Sample, asked: str) -> bool:
    before = [message.text for message in sample.history if message.role == "assistant"]
    return any(asked.strip() in text for text in before)


def _real_choices(sample: Sample, asked: str) -> tuple[str, ...]:
    """The offered choices whose words stand in the passages (any if there are no passages)."""
    choices = sample.choices or listed_choices(sample.answer) or listed_choices(asked)
    passages = "\n".join((*sample.contexts, *sample.candidates))
    of = script(passages or sample.answer)
    words = segment(passages, of).words if passages else frozenset[str]()
    found = tuple(one for one in choices if not passages or segment(one, of).words & words)
    return found if len(found) >= 2 else ()


def _focused(sample: Sample, measures: Measures) -> bool:
    """Whether the question shares words with the request, the intent or the passages."""
    of = script("\n".join(sample.contexts) or sample.question)
    words = segment(" ".join(measures.sentences), of).words
    if not sample.contexts and len(measures.question_words) <= 2:
        return True  # nothing to hold on to: a general question is all there is to ask
    return bool(words & measures.question_words) or any(
        len(words & segment(text, of).words) >= 2 for text in sample.contexts
    )


def _correctness(sample: Sample, measures: Measures, language: Language) -> CriterionScore:
    wrong = next((f for f in measures.claims if f.state == "contradicted" and not is_question(f.claim.text)), None)
    if wrong is None:
        return new_score(5, "asking.true", language)
    return score_of_difference(2, wrong, language)
