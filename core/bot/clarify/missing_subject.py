"""First messages that name no subject of their own ("I can't get in", いつまで？), and the subjects that they may mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from core.base.probabilities import linear, log_odds, logistic
from core.base.toml import bundled_toml
from core.base.types import SectionHit
from core.bot.embedded_settings import settings_for
from core.bot.section_probability import section_probabilities
from core.retrieval.index import Index
from core.text.answer_kinds import Kind, asked_kinds
from core.text.intent_patterns import WISH
from core.text.language import content_words, predicates
from core.text.message_questions import own_things, tells_failure, without_courtesy
from core.text.question_subject import subject
from core.text.questions import asks

Act = Kind | Literal["trouble", "wish", ""]
# Probability from which a message counts as one without a subject.
SUBJECTLESS_FROM = 0.4
# Weight of a verb, relative to a noun (1).
PREDICATE_WEIGHT = 0.5
# Sections among which the best of each document is.
SEARCHED_SECTIONS = 48
# Documents that there must be to choose between.
MIN_DOCUMENTS = 3
# Score, relative to the best (1), from which a section is an alternative beyond these.
ALTERNATIVE_SCORE_FROM = 0.4


def missing_subject_features(message: str, index: Index, sections: Sequence[SectionHit]) -> dict[str, float]:
    """Features of whether a message names a subject of its own; `sections`: the sections found, best first."""
    plain = without_courtesy(message)
    words, verbs, things = content_words(plain), predicates(plain), own_things(plain)
    weights = (index.lexical.idf(word) * (PREDICATE_WEIGHT if word in verbs else 1.0) for word in words)
    chances = section_probabilities(sections)
    return {
        # Inverse document frequencies of the content words (log of the sum)
        "weight": math.log1p(math.fsum(weights)),
        "words": math.log1p(len(words)),
        # The things named, by how few documents have each (log of the sum), and the one that the fewest titles have
        "own": math.log1p(math.fsum(_rarity(index.vocabulary.documents_with[word], index) for word in things)),
        "title": max((_rarity(index.vocabulary.titles_with[word], index, 0.0) for word in things), default=0.0),
        # Things named that no document has (log)
        "unknown": math.log1p(sum(word not in verbs and not index.vocabulary.documents_with[word] for word in words)),
        # Entropy of the documents, by the probabilities of their sections (nats)
        "entropy": _entropy(chances, sections),
        "top": log_odds(max(chances, default=0.0)),
    }


def missing_subject_probability(message: str, index: Index, sections: Sequence[SectionHit]) -> float:
    """Probability (0 to 1) that a first message names no subject; coefficients: missing_subject.toml, one table for
    sections with example questions and one for those without."""
    fitted = bundled_toml(__file__, "missing_subject.toml")[settings_for(sections).coefficients]
    return logistic(linear(fitted, missing_subject_features(message, index, sections)))


def alternatives(message: str, index: Index, sections: Sequence[SectionHit]) -> tuple[SectionHit, ...]:
    """The best section of each document that a message without a subject may mean, the likeliest first.

    Empty if the message names a subject, or if there are too few documents to choose between. `sections`: the sections
    found for it, best first.
    """
    if missing_subject_probability(message, index, sections) < SUBJECTLESS_FROM:
        return ()
    best: dict[str, SectionHit] = {}
    for hit in index.sections(message, SEARCHED_SECTIONS):
        best.setdefault(hit.document, hit)
    found = [
        hit for place, hit in enumerate(best.values()) if place < MIN_DOCUMENTS or hit.score >= ALTERNATIVE_SCORE_FROM
    ]
    return tuple(found) if len(found) >= MIN_DOCUMENTS else ()


def act_of(message: str) -> Act:
    """What a message is after: a kind of answer, help with a problem, something done; empty if it does not say."""
    kinds = asked_kinds(message)
    if kinds:
        return kinds[0]
    is_asked = asks(message)
    if tells_failure(message) or tells_failure(subject(message)):
        return "trouble"
    return "wish" if WISH.search(message) and not is_asked else ""


def _rarity(count: int, index: Index, unknown: float = 1.0) -> float:
    """1 for a word of one document or title, 0 for one of all; `unknown` for one of none."""
    if not count:
        return unknown
    return 1.0 - math.log(count) / math.log(max(index.vocabulary.document_count, 2))


def _entropy(chances: Sequence[float], sections: Sequence[SectionHit]) -> float:
    of_document: dict[str, float] = {}
    for chance, hit in zip(chances, sections, strict=False):
        of_document[hit.document] = of_document.get(hit.document, 0.0) + chance
    total = math.fsum(of_document.values())
    return -math.fsum(each / total * math.log(each / total) for each in of_document.values()) if total else 0.0
