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
LOOKED = (*TEXT, "coverage", "documents", "sections", "heading", "fit")


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
        "specific": float(bool(cues.SPECIFIC.search(text) or cues.AFTER_EVENT.search(text))),
        "frame": float(bool(cues.FRAME_ONLY.search(text))),
        "condition": float(cues.has_condition(text)),
        "advice": float(advice),
        "advice_words": advice * max(0.0, words - math.log1p(4)),
        "advice_bare": float(advice and bool(cues.CHOICE.search(text)) and not cues.has_condition(text)),
        "wish_only": float(cues.is_question(text) > 1),
        "coverage": max((topic.coverage for topic in topics), default=0.0),
        "documents": math.log1p(len({topic.document for topic in rivals})),
        "sections": math.log1p(len(rivals)),
        "heading": max((topic.heading_coverage for topic in topics), default=0.0),
        "fit": max((fit(text, topic.heading) for topic in topics), default=0.0) if count > 1 else 0.0,
    }


def fit(text: str, heading: str) -> float:
    """How nearly a heading says just what a message says: F1 of their content words (0 to 1)."""
    asked, named = set(content(text)), set(content(heading.split(" › ")[-1]))
    shared = len(asked & named)
    return 2 * shared / (len(asked) + len(named)) if shared else 0.0


def competing(topics: Sequence[Topic]) -> list[Topic]:
    """The sections that cover a message nearly as well as the best one does, best first."""
    top = max((topic.coverage for topic in topics), default=0.0)
    return [topic for topic in topics if topic.coverage >= COMPETES * top]
