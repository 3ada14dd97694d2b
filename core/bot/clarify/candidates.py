"""The sections that compete for an unclear message, as a prompt lists them."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.clean_text import truncate
from core.base.frozen_model import FrozenModel
from core.base.types import Topic
from core.text.language import script

# Share of the message's words below which a section is not shown.
MIN_COVERAGE = 0.15
# Share of what the best section covers below which a section is not shown.
MIN_COVERAGE_SHARE = 1 / 3
# Characters of a section's text from which its excerpt is made.
READ_CHARACTERS = 2_000
# Characters of it that decide its script.
SCRIPT_CHARACTERS = 300
# Characters of an excerpt: English needs more.
EXCERPT_CHARACTERS = {"ja": 90, "zh": 90, "en": 220}


class Candidate(FrozenModel):
    """A section as a prompt shows it."""

    title: str
    heading: str
    excerpt: str  # the beginning of its text
    percent: int  # share of the message's words in it


def shown_candidates(topics: Sequence[Topic]) -> tuple[Candidate, ...]:
    """The sections worth showing, in the order found; one that hardly shares a word with the message is not."""
    least = max(MIN_COVERAGE, MIN_COVERAGE_SHARE * max((topic.coverage for topic in topics), default=0.0))
    return tuple(
        Candidate(
            title=topic.title, heading=topic.heading, excerpt=_excerpt(topic.text), percent=round(topic.coverage * 100)
        )
        for topic in topics
        if topic.coverage >= least
    )


def _excerpt(text: str) -> str:
    plain = " ".join(text[:READ_CHARACTERS].split())
    return truncate(plain, EXCERPT_CHARACTERS[script(plain[:SCRIPT_CHARACTERS])])
