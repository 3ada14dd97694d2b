"""How surely the best section answers a first message: as sure as this, nothing is asked."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from core.base.types import Topic
from core.bot.clarify import clarity
from core.bot.evidence import probability
from core.retrieval.headings import last_heading
from core.text.language import content_words, script, terms
from core.text.synonyms import load_synonyms

FEATURES = ("right", "unclear", "words", "named", "together", "ahead", "example")
LOOK = 8  # sections that are looked at
WORDS = 5  # content words from which a message is not clearer for more of them
AHEAD = 0.15  # lead of the best cosine from which a longer one says no more
LEAST = 1e-3  # a probability is at least this far from 0 and 1 before its logarithm is taken


def confidence_features(message: str, topics: Sequence[Topic]) -> dict[str, float]:
    """What speaks for answering at once; `topics`: the sections found, best first, at least one.

    right: log odds that the best section is the right one; unclear: that the wording needs a clarifying question; words:
    content words; named: share of the words of heading and title that the message says (0 to 2); together: share of the
    scores that belongs to the best section's document; ahead: lead of its cosine (0 without vectors); example: lead of its nearest
    example question (0 without any).
    """
    best, others = topics[0], topics[:LOOK]
    of_document = math.fsum(topic.score for topic in others if topic.document == best.document)
    said = _said(message)
    return {
        "right": _log_odds(probability("certain", message, topics)),
        "unclear": _log_odds(clarity.probability(message, topics)),
        "words": float(min(len(content_words(message)), WORDS)),
        "named": _share(last_heading(best.heading), said) + _share(best.title, said),
        "together": of_document / (math.fsum(topic.score for topic in others) or 1.0),
        "ahead": min(_lead(others), AHEAD),
        "example": best.example - max((one.example for one in others[1:]), default=0.0),
    }


def confidence(message: str, topics: Sequence[Topic]) -> float:
    """Probability (0 to 1) that the best section answers a message; coefficients: confidence.toml. 0 without sections."""
    if not topics:
        return 0.0
    fitted = _fitted()
    found = confidence_features(message, topics)
    total = fitted["intercept"] + math.fsum(fitted[name] * value for name, value in found.items())
    return 1 / (1 + math.exp(-total))


def is_confident(message: str, topics: Sequence[Topic]) -> bool:
    """Whether to answer from the best section at once."""
    return confidence(message, topics) >= _fitted()["threshold"]


def _said(message: str) -> frozenset[str]:
    """The words of a message, and those that stand for them."""
    others = load_synonyms(script(message)).of(terms(message)).values()
    meant = (word for phrases in others for phrase in phrases for word in phrase)
    return frozenset(content_words(message)).union(meant)


def _share(heading: str, said: frozenset[str]) -> float:
    words = content_words(heading)
    return sum(word in said for word in words) / len(words) if words else 0.0


def _lead(topics: Sequence[Topic]) -> float:
    best, *others = [topic.vector or 0.0 for topic in topics]
    return best - max(others, default=0.0)


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, LEAST), 1 - LEAST)
    return math.log(bounded / (1 - bounded))


@cache
def _fitted() -> Mapping[str, float]:
    return tomllib.loads(Path(__file__).with_name("confidence.toml").read_text("utf-8"))
