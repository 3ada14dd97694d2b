"""How surely the best section answers a first message: as sure as this, nothing is asked."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from core.base.probabilities import log_odds, logistic
from core.base.types import Topic
from core.bot.clarify import clarity
from core.bot.evidence import claim_probability, has_examples, section_probabilities
from core.retrieval.headings import last_heading
from core.text.language import content_words
from core.text.synonyms import words_with_synonyms

FEATURES = ("right", "unclear", "words", "named", "section", "rival")
THRESHOLDS = {"examples": 0.55, "documents": 0.45}  # choices between asking needlessly and answering wrongly
WORDS = 5  # content words from which a message is not clearer for more of them
LEAST = 1e-3  # a probability is at least this far from 0 and 1 before its logarithm is taken


def confidence_features(message: str, topics: Sequence[Topic]) -> dict[str, float]:
    """What speaks for answering at once; `topics`: the sections found, best first, at least one.

    right: log odds that the best section is the right one; unclear: that the wording needs a clarifying question; words:
    content words; named: share of the words of heading and title that the message says (0 to 2); section: log odds that
    the best section answers it; rival: that the likeliest of the others does.
    """
    best, said = topics[0], words_with_synonyms(message)
    chance, *others = section_probabilities(topics)
    return {
        "right": log_odds(claim_probability("certain", message, topics), LEAST),
        "unclear": log_odds(clarity.unclear_probability(message, topics), LEAST),
        "words": float(min(len(content_words(message)), WORDS)),
        "named": _share(last_heading(best.heading), said) + _share(best.title, said),
        "section": log_odds(chance, LEAST),
        "rival": log_odds(max(others, default=0.0), LEAST),
    }


def confidence(message: str, topics: Sequence[Topic]) -> float:
    """Probability (0 to 1) that the best section answers a message; coefficients: confidence.toml, one table for sections
    with example questions and one for those without. 0 without sections."""
    if not topics:
        return 0.0
    fitted = _fitted()[_table(topics)]
    found = confidence_features(message, topics)
    total = fitted["intercept"] + math.fsum(fitted[name] * value for name, value in found.items())
    return logistic(total)


def is_confident(message: str, topics: Sequence[Topic]) -> bool:
    """Whether to answer from the best section at once."""
    return confidence(message, topics) >= THRESHOLDS[_table(topics)]


def _table(topics: Sequence[Topic]) -> str:
    """Whose coefficients hold: those of sections with example questions, or without."""
    return "examples" if has_examples(topics) else "documents"


def _share(heading: str, said: frozenset[str]) -> float:
    words = content_words(heading)
    return sum(word in said for word in words) / len(words) if words else 0.0


@cache
def _fitted() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads(Path(__file__).with_name("confidence.toml").read_text("utf-8"))
