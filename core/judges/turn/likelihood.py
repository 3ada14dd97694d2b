"""How good a reply is if no reference says so: the rating that a strict reader is expected to give.

Coefficients: likelihood.toml (benchmarks/fit_turn.py).
"""

from __future__ import annotations

import math
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

Reply = Literal["answer", "refusal", "question"]
GRADES = ("acceptable", "good")  # what a reader can find a reply to be at least; else it is embarrassing
LIMITS = (0.45, 0.8, 1.15, 1.5)  # expected ratings from which a reply has the mark 2, 3, 4 and 5


def expected_rating(reply: Reply, features: Mapping[str, float]) -> float:
    """The expected rating (0 embarrassing, 1 acceptable, 2 good) of a reply, on one scale for all kinds of reply.

    Proportional odds (McCullagh 1980): the slopes are the same for both grades, the intercepts differ.
    """
    fitted = _stored()[reply]
    total = math.fsum(slope * features[name] for name, slope in fitted.items() if name not in GRADES)
    return math.fsum(1 / (1 + math.exp(-fitted[grade] - total)) for grade in GRADES)


def mark_of(rating: float) -> int:
    """The overall mark (1 to 5) for an expected rating."""
    return 1 + bisect_right(LIMITS, rating)


@cache
def _stored() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads(Path(__file__).with_name("likelihood.toml").read_text("utf-8"))
