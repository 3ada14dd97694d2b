"""What can be counted about a message and the sections that compete for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.language import content
from core.base.types import Topic
from core.clarify import cues

COMPETES = 0.85  # a section competes when it covers this share of what the best one covers

TEXT = (
    "words",
    "words2",
    "few",
    "specific",
    "frame",
    "condition",
    "advice",
    "advice_words",
    "advice_bare",
    "wish_only",
)
LOOKED = (*TEXT, "coverage", "documents", "sections", "heading")


def features(text: str, topics: Sequence[Topic]) -> dict[str, float]:
    """Every feature by name; those of LOOKED are 0 without topics."""
    count = len(content(text))
    words = math.log1p(count)
    advice = cues.is_consultation(text) <= 2
    rivals = competing(topics)
    return {
        "words": words,
        "words2": max(0.0, words - math.log1p(4)),
        "few": float(count <= 1),
        "specific": float(bool(cues.SPECIFIC.search(text))),
        "frame": float(bool(cues.FRAME_ONLY.search(text))),
        "condition": float(cues.has_condition(text)),
        "advice": float(advice),
        "advice_words": advice * max(0.0, words - math.log1p(4)),
        "advice_bare": float(advice and not cues.has_condition(text)),
        "wish_only": float(cues.is_question(text) > 1),
        "coverage": max((topic.coverage for topic in topics), default=0.0),
        "documents": math.log1p(len({topic.document for topic in rivals})),
        "sections": math.log1p(len(rivals)),
        "heading": max((topic.heading_coverage for topic in topics), default=0.0),
    }


def competing(topics: Sequence[Topic]) -> list[Topic]:
    """The sections that cover a message nearly as well as the best one does, best first."""
    top = max((topic.coverage for topic in topics), default=0.0)
    return [topic for topic in topics if topic.coverage >= COMPETES * top]
