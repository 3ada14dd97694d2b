"""Whether to answer from the passages that were found, or to refuse."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Hit
from core.bot.answer.relevance import focus_words
from core.bot.evidence import FULL, is_documented
from core.text.language import content_words
from core.text.message_questions import without_courtesy

SHORT, HALF = 3, 0.52  # a question of few content words has to find more than half of them in one passage


def is_answerable(question: str, hits: Sequence[Hit], searched: int = FULL) -> bool:
    """Whether to answer rather than refuse, out of `searched` passages.

    A needless refusal costs a person more than an answer with its source.
    """
    return is_documented(question, hits, searched) and not _scattered(question, hits)


def _scattered(question: str, hits: Sequence[Hit]) -> bool:
    """Whether a short question for a figure finds its words only apart: the president here, an income there."""
    asked = without_courtesy(question)
    return (
        len(content_words(asked)) <= SHORT
        and bool(focus_words(asked))
        and max(hit.coverage for hit in hits[:3]) <= HALF
    )
