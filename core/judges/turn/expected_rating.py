"""How good a reply is if no reference says so: the rating that a strict reader is expected to give.

Coefficients: likelihood.toml (benchmarks/fit_turn.py), and likelihood_with_sections.toml
(benchmarks/fit_turn_sections.py) for replies of which it is known how likely each section of the documents answers the
message.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from typing import Literal

from core.base.probabilities import logistic
from core.base.toml import bundled_toml

ReplyKind = Literal["answer", "refusal", "question", "offer", "small_talk"]
RATINGS = ("acceptable", "good")  # what a reader can find a reply to be at least; else it is embarrassing
LIMITS = (0.6, 0.9, 1.2, 1.5)  # expected ratings from which a reply has the score 2, 3, 4 and 5


def expected_rating(reply: ReplyKind, features: Mapping[str, float], with_sections: bool = False) -> float:
    """The expected rating (0 embarrassing, 1 acceptable, 2 good) of a reply, on one scale for all kinds of reply.

    `with_sections`: the features are those of `core.judges.turn.section_rating`, which also knows offers (refusals with
    choices) and small talk. Proportional odds (McCullagh 1980): the slopes are the same for both ratings, the intercepts
    differ.
    """
    slopes = fitted(with_sections)[reply]
    total = math.fsum(slope * features[name] for name, slope in slopes.items() if name not in RATINGS)
    return math.fsum(logistic(slopes[rating] + total) for rating in RATINGS)


def score_of_rating(rating: float) -> int:
    """The overall score (1 to 5) for an expected rating."""
    return 1 + bisect_right(LIMITS, rating)


def fitted(with_sections: bool) -> Mapping[str, Mapping[str, float]]:
    """The coefficients by kind of reply."""
    return bundled_toml(__file__, "likelihood_with_sections.toml" if with_sections else "likelihood.toml")
