"""How good the evidence for a message is: do the documents cover what it asks; is the best section the right one?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from core.base.probabilities import coefficients, linear, logistic
from core.base.types import Hit, Topic
from core.bot.decision_settings import settings_for
from core.retrieval.passage_scores import ENOUGH_PASSAGES
from core.text.language import Script, content_words
from core.text.message_questions import without_courtesy

Found = TypeVar("Found", Hit, Topic, Hit | Topic)
# Signals of a section itself that are features of it (`section_features`).
OWN_SIGNALS = ("score", "example", "coverage", "heading_coverage", "lexical", "matched", "likelihood")
# BM25 ratio of an example question of several sections from which a message is like it.
LIKE_SHARED_EXAMPLE = 0.8
# Sections, best first, that are evidence.
EVIDENCE_SECTIONS = 8
# Sections, best first, whose headings are evidence.
HEADING_SECTIONS = 3
# Factor of the strength in a softmax: the weights of signals in fusion.toml sum to 1 or 4.
SHARPNESS: dict[Script, float] = {"ja": 1.0, "en": 0.3}


def evidence_features(message: str, found: Sequence[Topic | Hit]) -> dict[str, float]:
    """What the sections found say, best first; nothing of it depends on how many sections there are to search.

    breadth: largest share of the message's words, by idf, that a section has; sentence: that one sentence of the best
    has; words: how many there are (log); share: of the best section's strength among those found (softmax); vector: its
    cosine (0 without vectors); matched: how well its words match; example: how near its nearest example question is;
    heading: largest share of the message's words in the headings of the first ones; beside: how likely what no document
    answers is, beside the likeliest section.
    """
    best, others = found[0], found[:EVIDENCE_SECTIONS]
    sharp = SHARPNESS[fitted_language(found)]
    return {
        "breadth": max(one.coverage for one in others),
        "words": math.log1p(len(content_words(without_courtesy(message)))),
        "sentence": best.sentence_coverage,
        "share": 1 / math.fsum(math.exp(sharp * (one.strength - best.strength)) for one in others),
        "vector": best.vector or 0.0,
        "matched": best.matched,
        "example": best.example,
        "heading": max(one.heading_coverage for one in found[:HEADING_SECTIONS]),
        "beside": best.beside,
    }


def documented_probability(message: str, found: Sequence[Topic | Hit]) -> float:
    """Probability (0 to 1) that the documents cover what a message asks; 0 if nothing was found."""
    return _probability("documented", message, found)


def right_section_probability(message: str, found: Sequence[Topic | Hit]) -> float:
    """Probability (0 to 1) that the best section is the right one for a message; 0 if nothing was found."""
    return _probability("right_section", message, found)


def _probability(table: Literal["documented", "right_section"], message: str, found: Sequence[Topic | Hit]) -> float:
    return logistic(linear(_fitted(table, found), evidence_features(message, found))) if found else 0.0


def is_documented(message: str, found: Sequence[Topic | Hit], passage_count: int) -> bool:
    """Whether the documents cover what a message asks; `passage_count`: how many passages there are.

    Among few passages little is found by accident, so less is asked of it. Not if nothing was found.
    """
    if not found:
        return False
    if max(section_probabilities(found)) >= settings_for(found).documented_from:
        return True
    share = min(1.0, math.log1p(passage_count) / math.log1p(ENOUGH_PASSAGES))
    return documented_probability(message, found) >= share * _fitted("documented", found)["threshold"]


def section_features(found: Sequence[Topic | Hit]) -> list[dict[str, float]]:
    """What speaks for each of the first sections found as the one that a message is about.

    score, example, coverage, heading_coverage, lexical, vector, matched, likelihood: its own; ahead: lead of its
    strength over
    the best of the others; nearer: that of its nearest example question; likelier: that of its likelihood; together:
    share of the scores that belongs to its document.
    """
    first = found[:EVIDENCE_SECTIONS]
    total = math.fsum(one.score for one in first) or 1.0
    features: list[dict[str, float]] = []
    for place, one in enumerate(first):
        others = (*first[:place], *first[place + 1 :])
        own = {name: getattr(one, name) for name in OWN_SIGNALS}
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


def likeliest_section(found: Sequence[Found]) -> tuple[float, Found | None]:
    """(probability, section) of the first section or passage found that most likely answers; (0, None) without any."""
    return next(iter(ranked_sections(found)), (0.0, None))


def ranked_sections(found: Sequence[Found]) -> list[tuple[float, Found]]:
    """(probability, section) of each of the first sections found, the likeliest first."""
    return sorted(zip(section_probabilities(found), found, strict=False), key=lambda pair: -pair[0])


def sections_above(topics: Sequence[Found], least: float, beside: float = 0.0) -> list[Found]:
    """The sections that answer the message with at least this probability (0 to 1), the likeliest first.

    beside: and with at least this share of the likeliest one's.
    """
    ranked = ranked_sections(topics)
    return [topic for chance, topic in ranked if chance >= max(least, beside * ranked[0][0])]


def sections_of_like_question(topics: Sequence[Found]) -> list[Found]:
    """The sections of the example question that the message is most like, if it is one of several sections, the
    likeliest first; else none."""
    if not topics:
        return []
    most = max(topic.shared for topic in topics)
    if most < max(LIKE_SHARED_EXAMPLE, *(topic.example for topic in topics)):
        return []
    likeliest = sections_above(topics, 0.0)
    like = [topic for topic in topics if topic.shared == most]
    return sorted(like, key=lambda topic: likeliest.index(topic) if topic in likeliest else len(likeliest))


def fitted_language(found: Sequence[Topic | Hit]) -> Script:
    """The language whose coefficients hold: Chinese has none of its own and takes the Japanese ones."""
    return "en" if any(one.language == "en" for one in found) else "ja"


def _fitted(
    table: Literal["documented", "right_section", "section"], found: Sequence[Topic | Hit]
) -> Mapping[str, float]:
    tables, name = coefficients(__file__, "section_probability.toml"), f"{table}_{fitted_language(found)}"
    return tables.get(f"{name}_{settings_for(found).coefficients}", tables[name])
