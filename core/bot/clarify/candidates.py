"""The sections that compete for an unclear message, as a prompt lists them."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen_model import FrozenModel
from core.base.text import truncate
from core.base.types import Topic
from core.text.language import script

WEAK = 0.15  # share of the message's words below which a section is not shown
FAR_BELOW = 1 / 3  # of the share that the best section holds: what holds less is beside the point
START = 2_000  # characters of its text that are looked at
EXCERPT = {"ja": 90, "zh": 90, "en": 220}  # characters of its text: English takes more for as much


class Candidate(FrozenModel):
    """A section: where it stands, how its text begins, and the share of the message's words that it holds (percent)."""

    title: str
    heading: str
    excerpt: str
    percent: int


def shown_candidates(topics: Sequence[Topic]) -> tuple[Candidate, ...]:
    """The sections worth showing, in the order found; one that hardly shares a word with the message is not."""
    least = max(WEAK, FAR_BELOW * max((topic.coverage for topic in topics), default=0.0))
    return tuple(
        Candidate(
            title=topic.title, heading=topic.heading, excerpt=_excerpt(topic.text), percent=round(topic.coverage * 100)
        )
        for topic in topics
        if topic.coverage >= least
    )


def _excerpt(text: str) -> str:
    plain = " ".join(text[:START].split())
    return truncate(plain, EXCERPT[script(plain[:300])])
