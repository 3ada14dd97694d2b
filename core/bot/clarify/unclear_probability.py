"""The probability that a message needs a clarifying question, from its wording and the sections that compete."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.probabilities import linear, logistic
from core.base.toml import bundled_toml
from core.base.types import AnyHit
from core.documents.heading_names import last_heading
from core.text.intent_patterns import (
    CHOICE,
    FRAME_ONLY,
    asks_something_specific,
    consultation_score,
    has_condition,
    question_score,
)
from core.text.language import content_words

# Share of what the best section covers from which another one competes.
COMPETING_SHARE = 0.85
# Minimum probability of being unclear for a request for advice that says nothing of the circumstances.
MIN_BARE_ADVICE_PROBABILITY = 0.6
# Content words beyond which more of them count separately ("words_beyond_4").
MANY_WORDS = 4
# Upper ends of the probability for clarity 1, 2, 3, 4.
CLARITY_STEPS = (0.5, 0.65, 0.8, 0.92)


def clarity_features(text: str, sections: Sequence[AnyHit]) -> dict[str, float]:
    """Every feature by name; those that need sections are 0 without sections."""
    count = len(content_words(text))
    words = math.log1p(count)
    advice = consultation_score(text) <= 2
    rivals = competing_sections(sections)
    return {
        "words": words,
        "words_beyond_4": max(0.0, words - math.log1p(MANY_WORDS)),
        "at_most_one_word": float(count <= 1),
        "specific": float(asks_something_specific(text)),
        "frame_only": float(bool(FRAME_ONLY.search(text))),
        "condition": float(has_condition(text)),
        "advice": float(advice),
        "advice_words": advice * max(0.0, words - math.log1p(MANY_WORDS)),
        "advice_bare": float(advice and bool(CHOICE.search(text)) and not has_condition(text)),
        "wish_only": float(question_score(text) > 1),
        "coverage": max((hit.coverage for hit in sections), default=0.0),
        "documents": math.log1p(len({hit.document for hit in rivals})),
        "sections": math.log1p(len(rivals)),
        "heading": max((hit.heading_coverage for hit in sections), default=0.0),
        "heading_f1": max((heading_match(text, hit.heading) for hit in sections), default=0.0) if count > 1 else 0.0,
    }


def heading_match(text: str, heading: str) -> float:
    """F1 of the content words of a message and a heading (0 to 1)."""
    asked, named = set(content_words(text)), set(content_words(last_heading(heading)))
    shared = len(asked & named)
    return 2 * shared / (len(asked) + len(named)) if shared else 0.0


def competing_sections(sections: Sequence[AnyHit]) -> list[AnyHit]:
    """The sections that cover a message nearly as well as the best one, best first."""
    top = max((hit.coverage for hit in sections), default=0.0)
    return [hit for hit in sections if hit.coverage >= COMPETING_SHARE * top]


def unclear_probability(text: str, sections: Sequence[AnyHit]) -> float:
    """Probability (0 to 1) that a colleague would ask a clarifying question before searching; coefficients:
    unclear_probability.toml."""
    found = clarity_features(text, sections)
    fitted = bundled_toml(__file__, "unclear_probability.toml")["with_sections" if sections else "without_sections"]
    chance = logistic(linear(fitted, found))
    return max(chance, MIN_BARE_ADVICE_PROBABILITY) if found["advice_bare"] else chance


def clarity_score(chance: float) -> int:
    """1 (clear) to 5 (says next to nothing) from the probability of being unclear."""
    return 1 + sum(chance > step for step in CLARITY_STEPS)
