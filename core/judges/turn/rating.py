"""The rating that a strict reader is expected to give to a reply without a reference, by fitted models.

Two sets of coefficients: rating.toml (benchmarks/fit_turn.py), by the words of the passages; and
rating_with_sections.toml (benchmarks/fit_turn_sections.py), by the probabilities that the bot's search gives to the
sections (`Sample.sections`): is the cited or offered section the likeliest one?
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Literal

from core.base.probabilities import log_odds, logistic
from core.base.toml import bundled_toml
from core.base.types import LikelySection, Sample
from core.judges.rules.answer_measures import Measures
from core.judges.rules.claim_check import segment
from core.judges.turn.reply_features import (
    QuestionWords,
    asked_of,
    choice_fits,
    cited_passages,
    clarifying_question_features,
    most_alike,
    open_part,
    soft_coverage,
    unknown_share,
    unsaid_sentences,
)
from core.judges.turn.tone import answered_small_talk, is_sympathetic
from core.text.small_talk_patterns import wants_human_agent

ReplyKind = Literal["answer", "refusal", "question", "offer", "small_talk"]  # offer: a refusal with choices
RATINGS = ("acceptable", "good")  # ratings of a reader above "embarrassing", each with an intercept
SCORE_LIMITS = (0.6, 0.9, 1.2, 1.5)  # expected ratings from which a reply has the score 2, 3, 4 and 5
MIN_PROBABILITY = 0.003  # a probability is at least this far from 0 and 1 before its logarithm is taken
LIKELY_FROM = 0.15  # probability from which a section may well answer the message


def expected_rating(reply: ReplyKind, features: Mapping[str, float], with_sections: bool = False) -> float:
    """The expected rating (0 embarrassing, 1 acceptable, 2 good) of a reply, on one scale for all kinds of reply.

    `with_sections`: the features are those of `reply_features_by_sections`. Proportional odds (McCullagh 1980): the slopes are
    the same for both ratings, the intercepts differ.
    """
    slopes = fitted(with_sections)[reply]
    total = math.fsum(slope * features[name] for name, slope in slopes.items() if name not in RATINGS)
    return math.fsum(logistic(slopes[rating] + total) for rating in RATINGS)


def score_of_rating(rating: float) -> int:
    """The overall score (1 to 5) of an expected rating."""
    return 1 + bisect_right(SCORE_LIMITS, rating)


def fitted(with_sections: bool) -> Mapping[str, Mapping[str, float]]:
    """The coefficients by kind of reply."""
    return bundled_toml(__file__, "rating_with_sections.toml" if with_sections else "rating.toml")


def rating_by_sections(reply: ReplyKind, sample: Sample, measures: Measures) -> float | None:
    """The expected rating (0 embarrassing, 1 acceptable, 2 good) of a reply; None if its sections are unknown."""
    if not knows_sections(sample):
        return None
    return expected_rating(reply, reply_features_by_sections(reply, sample, measures), with_sections=True)


def knows_sections(sample: Sample) -> bool:
    """Whether to rate by sections: the sample has some, and neither intent nor reference, which decide better."""
    return bool(sample.sections) and not (sample.intent or sample.reference)


def reply_features_by_sections(reply: ReplyKind, sample: Sample, measures: Measures) -> dict[str, float]:
    """The features of a reply of this kind by the sections found: log odds, shares (0 to 1), similarities and flags."""
    asked = asked_of(sample)
    match reply:
        case "answer":
            own, others = _cited(sample)
            passages = cited_passages(sample)
            are_found = len(own) >= len(passages)  # else one that is cited is not among the first that were found
            weakest = min((one.probability for one in own), default=0.0) if are_found else 0.0
            return {
                # of the likeliest cited section over the likeliest other one
                "lead": log_odds(_highest(own), MIN_PROBABILITY) - log_odds(_highest(others), MIN_PROBABILITY),
                "weakest": log_odds(weakest, MIN_PROBABILITY),  # the least likely cited section
                "open": float(bool(open_part(asked, sample.answer))),  # one of several questions is left open
                # similarity of the message to a cited section's headings, and to what the answer leaves out of it
                "heading": most_alike(asked.text, [one.partition("\n")[0] for one in passages]),
                "unsaid": most_alike(asked.text, unsaid_sentences(passages, sample.answer)),
                "response": _response(sample, "answer"),
            }
        case "question":
            offered, total = (
                math.fsum(one.probability for one in some) for some in (_offered(sample)[0], sample.sections)
            )
            return {
                "fitting": clarifying_question_features(asked, sample.choices)[
                    "fitting"
                ],  # share of choices that fit the message
                "offered": offered / total if total else 0.0,  # the choices' share of all sections' probabilities
                "response": _response(sample, "ask"),
                "talk": sample.small_talk_probability or 0.0,  # probability that the message is small talk
            }
        case "offer":
            near, rest = (max((_nearness(asked, one) for one in some), default=0.0) for some in _offered(sample))
            return {
                "nearer": near - rest,  # how much nearer the message is to a choice than to any other section
                "fits": max(choice_fits(asked, sample.choices), default=0.0),  # share of the message that a choice has
                "unknown": unknown_share(asked, sample.contexts),  # share of the message that no passage has
            }
        case "refusal":
            return {
                "best": log_odds(highest_probability(sample), MIN_PROBABILITY),
                "response": _response(sample, "refuse"),
            }
        case "small_talk":
            probabilities = sorted((one.probability for one in sample.sections), reverse=True)
            return {
                "recognized": float(answered_small_talk(sample, measures) is not None),
                "sympathetic": float(is_sympathetic(sample.answer)),
                "talk": sample.small_talk_probability or 0.0,  # probability that the message is small talk
                "human_agent": float(wants_human_agent(sample.question)),
                # of the second likeliest section
                "rival": log_odds(probabilities[1] if len(probabilities) > 1 else 0.0, MIN_PROBABILITY),
                "echo": most_alike(asked.text, measures.sentences),  # similarity of message and nearest sentence
            }


def rival_of(sample: Sample) -> LikelySection | None:
    """The likeliest section that an answer does not cite, if it is likelier than all that it cites; else None."""
    own, others = _cited(sample)
    best = max(others, key=lambda one: one.probability, default=None)
    return best if best and best.probability > _highest(own) else None


def unoffered_probability(sample: Sample) -> float:
    """The probability (0 to 1) of the likeliest section that no choice names."""
    return _highest(_offered(sample)[1])


def highest_probability(sample: Sample) -> float:
    """The probability (0 to 1) of the likeliest section."""
    return _highest(sample.sections)


def _response(sample: Sample, name: str) -> float:
    """The log odds that answering, asking or refusing is the best response to the message; 0 if that is unknown."""
    return log_odds(sample.response_probabilities[name], MIN_PROBABILITY) if sample.response_probabilities else 0.0


def _cited(sample: Sample) -> tuple[list[LikelySection], list[LikelySection]]:
    """The sections that the answer cites, and the others."""
    names = {passage.partition("\n")[0] for passage in cited_passages(sample)}
    own = [one for one in sample.sections if " › ".join(filter(None, (one.title, one.heading))) in names]
    return own, [one for one in sample.sections if one not in own]


def _offered(sample: Sample) -> tuple[list[LikelySection], list[LikelySection]]:
    """The sections that the choices name, and the others."""
    own = [one for one in sample.sections if any(_names(choice, one) for choice in sample.choices)]
    return own, [one for one in sample.sections if one not in own]


def _names(choice: str, section: LikelySection) -> bool:
    """Whether a choice names a section: its heading, the last of several headings, or its document."""
    heading = section.heading
    return choice == section.title or (bool(heading) and (heading.endswith(choice) or choice.endswith(heading)))


def _highest(sections: Sequence[LikelySection]) -> float:
    return max((one.probability for one in sections), default=0.0)


def _nearness(asked: QuestionWords, section: LikelySection) -> float:
    """How near a section is to the message: the cosine of sentence vectors, or the words of its headings."""
    if section.vector is not None:
        return section.vector
    return soft_coverage(asked, asked.words, segment(f"{section.title} {section.heading}", asked.of).words)
