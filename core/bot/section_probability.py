"""Probabilities that a section answers, that the documents cover a message, that the best section is the right one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from core.base.probabilities import linear, logistic
from core.base.toml import bundled_toml
from core.base.types import AnyHit, Hit, SectionHit
from core.bot.embedded_settings import settings_for
from core.retrieval.fusion import ENOUGH_PASSAGES
from core.text.language import Script, content_words
from core.text.message_questions import without_courtesy

Found = TypeVar("Found", Hit, SectionHit, AnyHit)
# Signals of a section that are features of it (`section_features`).
OWN_SIGNALS = ("score", "example", "coverage", "heading_coverage", "lexical", "matched", "likelihood")
# BM25 ratio of an example question of several sections from which a message is like it.
LIKE_SHARED_EXAMPLE_FROM = 0.8
# Sections, best first, that are evidence.
EVIDENCE_SECTIONS = 8
# Sections, best first, whose headings are evidence.
HEADING_SECTIONS = 3
# Probability of a section from which a message or question needs nothing that was said before.
OWN_SECTION_FROM = 0.5
# Factor of the strength in a softmax: the weights of signals in fusion.toml sum to 1 or 4.
SHARPNESS: dict[Script, float] = {"ja": 1.0, "en": 0.3}


def evidence_features(message: str, found: Sequence[AnyHit]) -> dict[str, float]:
    """Features of the sections found (best first) that say whether the documents cover a message.

    None of them depends on how many sections there are to search.
    """
    best, others = found[0], found[:EVIDENCE_SECTIONS]
    sharp = SHARPNESS[fitted_language(found)]
    return {
        # Largest share of the message's words, by idf, in a section
        "breadth": max(one.coverage for one in others),
        "words": math.log1p(len(content_words(without_courtesy(message)))),
        # Share of the message's words in one sentence of the best section
        "sentence": best.sentence_coverage,
        # The best section's share of the strength of those found (softmax)
        "share": 1 / math.fsum(math.exp(sharp * (one.strength - best.strength)) for one in others),
        "vector": best.vector or 0.0,
        "matched": best.matched,
        "example": best.example,
        # Largest share of the message's words in the headings of the first sections
        "heading": max(one.heading_coverage for one in found[:HEADING_SECTIONS]),
        "unanswered_log_ratio": best.unanswered_log_ratio,
    }


def documented_probability(message: str, found: Sequence[AnyHit]) -> float:
    """Probability (0 to 1) that the documents cover what a message asks; 0 if nothing was found."""
    return _probability("documented", message, found)


def right_section_probability(message: str, found: Sequence[AnyHit]) -> float:
    """Probability (0 to 1) that the best section is the right one for a message; 0 if nothing was found."""
    return _probability("right_section", message, found)


def _probability(table: Literal["documented", "right_section"], message: str, found: Sequence[AnyHit]) -> float:
    return logistic(linear(_fitted(table, found), evidence_features(message, found))) if found else 0.0


def is_documented(message: str, found: Sequence[AnyHit], passage_count: int) -> bool:
    """Whether the documents cover what a message asks; false if nothing was found.

    `passage_count`: of all passages; the fewer there are, the lower the threshold (`collection_size_factor`).
    """
    if not found:
        return False
    if max(section_probabilities(found)) >= settings_for(found).documented_from:
        return True
    threshold = collection_size_factor(passage_count) * _fitted("documented", found)["threshold"]
    return documented_probability(message, found) >= threshold


def collection_size_factor(passage_count: int) -> float:
    """How much the number of passages counts (0 to 1): among few passages little is found by accident."""
    return min(1.0, math.log1p(passage_count) / math.log1p(ENOUGH_PASSAGES))


def section_features(found: Sequence[AnyHit]) -> list[dict[str, float]]:
    """Features of each of the first sections found, for the probability that it answers: its own signals, and its lead."""
    first = found[:EVIDENCE_SECTIONS]
    total = math.fsum(one.score for one in first) or 1.0
    features: list[dict[str, float]] = []
    for place, one in enumerate(first):
        others = (*first[:place], *first[place + 1 :])
        own = {name: getattr(one, name) for name in OWN_SIGNALS}
        lead = {  # over the best of the other sections
            "ahead": one.strength - max((other.strength for other in others), default=0.0),
            "nearer": one.example - max((other.example for other in others), default=0.0),
            "likelier": one.likelihood - max((other.likelihood for other in others), default=one.likelihood),
            # Share of the scores that belongs to its document
            "together": math.fsum(other.score for other in first if other.document == one.document) / total,
        }
        features.append({**own, **lead, "vector": one.vector or 0.0})
    return features


def scored_in_conversation(found: Sequence[AnyHit]) -> bool:
    """Whether the sections found have probabilities in the conversation (messages/sections_in_conversation.py); they have none
    after a first message, a new subject, a choice that was picked, and some others."""
    return bool(found) and found[0].in_conversation is not None


def section_probabilities(found: Sequence[AnyHit]) -> tuple[float, ...]:
    """Probability (0 to 1) that each of the first sections found, best first, answers the message."""
    first = found[:EVIDENCE_SECTIONS]
    if scored_in_conversation(first):
        return tuple(one.in_conversation or 0.0 for one in first)
    fitted = _fitted("section", found)
    return tuple(logistic(linear(fitted, values)) for values in section_features(found))


def likeliest_section(found: Sequence[Found]) -> tuple[float, Found | None]:
    """(probability, section) of the first section or passage found that most likely answers; (0, None) without any."""
    return next(iter(ranked_sections(found)), (0.0, None))


def ranked_sections(found: Sequence[Found]) -> list[tuple[float, Found]]:
    """(probability, section) of each of the first sections found, the likeliest first."""
    return sorted(zip(section_probabilities(found), found, strict=False), key=lambda pair: -pair[0])


def sections_above(sections: Sequence[Found], least: float, min_share: float = 0.0) -> list[Found]:
    """The sections that answer the message with at least the probability `least` (0 to 1), the likeliest first.

    min_share: they also need this share of the likeliest section's probability.
    """
    ranked = ranked_sections(sections)
    return [hit for chance, hit in ranked if chance >= max(least, min_share * ranked[0][0])]


def sections_of_like_question(sections: Sequence[Found]) -> list[Found]:
    """The sections of the example question that the message is most like, if several sections have it, the likeliest
    first; else empty."""
    if not sections:
        return []
    most = max(hit.shared for hit in sections)
    if most < max(LIKE_SHARED_EXAMPLE_FROM, *(hit.example for hit in sections)):
        return []
    likeliest = sections_above(sections, 0.0)
    like = [hit for hit in sections if hit.shared == most]
    return sorted(like, key=lambda hit: likeliest.index(hit) if hit in likeliest else len(likeliest))


def fitted_language(found: Sequence[AnyHit]) -> Script:
    """The language whose coefficients apply: Chinese uses the Japanese ones."""
    return "en" if any(one.language == "en" for one in found) else "ja"


def _fitted(table: Literal["documented", "right_section", "section"], found: Sequence[AnyHit]) -> Mapping[str, float]:
    tables, name = bundled_toml(__file__, "section_probability.toml"), f"{table}_{fitted_language(found)}"
    return tables.get(f"{name}_{settings_for(found).coefficients}", tables[name])
