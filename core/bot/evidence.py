"""How good the evidence for a message is: is its matter in the documents, and is the best section the right one?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from core.base.probabilities import coefficients, linear, logistic
from core.base.types import Hit, Topic
from core.text.language import Script, content_words
from core.text.message_questions import without_courtesy

EvidenceQuestion = Literal["documented", "certain"]
OWN = ("score", "example", "coverage", "heading_coverage", "lexical", "likelihood")
COVERED = (
    0.75  # share of a message's words, by idf, that one section has if it speaks of the matter, however few there are
)
SURE = 0.75  # probability of one section from which its matter is documented, whatever the others say
ALIKE = 0.8  # nearness of an example question of several sections from which a message is like it
LOOK = 8  # sections that are looked at
FIRST = 3  # of them, those whose headings are
FULL = 200  # passages from which it no longer matters how many there are
SHARP: dict[Script, float] = {"ja": 1.0, "en": 0.3}  # of the strength: weights of signals in fusion.toml sum to 1 or 4


def evidence_features(message: str, found: Sequence[Topic | Hit]) -> dict[str, float]:
    """What the sections found say, best first; nothing of it depends on how many sections there are to search.

    breadth: largest share of the message's words, by idf, that a section has; sentence: that one sentence of the best
    has; words: how many there are (log); share: of the best section's strength among those found (softmax); vector: its
    cosine (0 without vectors); example: how near its nearest example question is; heading: largest share of the
    message's words in the headings of the first ones; beside: how likely what no document answers is, beside the
    likeliest section.
    """
    best, others = found[0], found[:LOOK]
    sharp = SHARP[_fitted_language(found)]
    return {
        "breadth": max(one.coverage for one in others),
        "words": math.log1p(len(content_words(without_courtesy(message)))),
        "sentence": best.sentence_coverage,
        "share": 1 / math.fsum(math.exp(sharp * (one.strength - best.strength)) for one in others),
        "vector": best.vector or 0.0,
        "example": best.example,
        "heading": max(one.heading_coverage for one in found[:FIRST]),
        "beside": best.beside,
    }


def claim_probability(claim: EvidenceQuestion, message: str, found: Sequence[Topic | Hit]) -> float:
    """Probability (0 to 1) of a claim; coefficients: evidence.toml. 0 if nothing was found."""
    if not found:
        return 0.0
    return logistic(linear(_fitted(claim, found), evidence_features(message, found)))


def is_documented(message: str, found: Sequence[Topic | Hit], searched: int = FULL) -> bool:
    """Whether the documents speak of the message's matter; `searched`: how many passages there are.

    Among few passages little is found by accident, so less is asked of it. Not if nothing was found.
    """
    if not found:
        return False
    fitted = _fitted("documented", found)
    if not has_examples(found) and _is_covered(message, found):
        return True
    if has_examples(found) and max(section_probabilities(found)) >= SURE:
        return True
    share = min(1.0, math.log1p(searched) / math.log1p(FULL))
    return claim_probability("documented", message, found) >= share * fitted["threshold"]


def has_examples(found: Sequence[Topic | Hit]) -> bool:
    """Whether sections have example questions."""
    return any(one.has_examples for one in found)


def section_features(found: Sequence[Topic | Hit]) -> list[dict[str, float]]:
    """What speaks for each of the first sections found as the one that a message is about.

    score, example, coverage, heading_coverage, lexical, vector, likelihood: its own; ahead: lead of its strength over
    the best of the others; nearer: that of its nearest example question; likelier: that of its likelihood; together:
    share of the scores that belongs to its document.
    """
    first = found[:LOOK]
    total = math.fsum(one.score for one in first) or 1.0
    features: list[dict[str, float]] = []
    for place, one in enumerate(first):
        others = (*first[:place], *first[place + 1 :])
        own = {name: getattr(one, name) for name in OWN}
        lead = {
            "ahead": one.strength - max((other.strength for other in others), default=0.0),
            "nearer": one.example - max((other.example for other in others), default=0.0),
            "likelier": one.likelihood - max((other.likelihood for other in others), default=one.likelihood),
            "together": math.fsum(other.score for other in first if other.document == one.document) / total,
        }
        features.append({**own, **lead, "vector": one.vector or 0.0})
    return features


def section_probabilities(found: Sequence[Topic | Hit]) -> tuple[float, ...]:
    """Probability (0 to 1) that each of the first sections found, best first, answers the message."""
    fitted = _fitted("section", found)
    return tuple(logistic(linear(fitted, values)) for values in section_features(found))


def sections_above(topics: Sequence[Topic], least: float, beside: float = 0.0) -> list[Topic]:
    """The sections that answer the message with at least this probability (0 to 1), the likeliest first.

    beside: and with at least this share of the likeliest one's.
    """
    chances = section_probabilities(topics)
    least = max(least, beside * max(chances, default=0.0))
    likely = [(chance, topic) for chance, topic in zip(chances, topics, strict=False)]
    return [topic for chance, topic in sorted(likely, key=lambda pair: -pair[0]) if chance >= least]


def sections_of_like_question(topics: Sequence[Topic]) -> list[Topic]:
    """The sections of the example question that the message is most like, if it is one of several sections, the
    likeliest first; else none."""
    if not topics:
        return []
    most = max(topic.shared for topic in topics)
    if most < max(ALIKE, *(topic.example for topic in topics)):
        return []
    likeliest = sections_above(topics, 0.0)
    like = [topic for topic in topics if topic.shared == most]
    return sorted(like, key=lambda topic: likeliest.index(topic) if topic in likeliest else len(likeliest))


def _is_covered(message: str, found: Sequence[Topic | Hit]) -> bool:
    """Whether one section has most of a message of two words or more."""
    named = len(content_words(without_courtesy(message))) >= 2
    return named and any(one.coverage >= COVERED for one in found[:LOOK])


def _fitted_language(found: Sequence[Topic | Hit]) -> Script:
    """Whose coefficients hold: Chinese has none of its own and takes the Japanese ones."""
    return "en" if any(one.language == "en" for one in found) else "ja"


def _fitted(claim: EvidenceQuestion | Literal["section"], found: Sequence[Topic | Hit]) -> Mapping[str, float]:
    with_examples = claim != "certain" and has_examples(found)
    return coefficients(__file__, "evidence.toml")[
        f"{claim}_{_fitted_language(found)}{'_examples' if with_examples else ''}"
    ]
