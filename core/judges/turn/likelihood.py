"""How likely a reply is the right one where no reference says so; coefficients: likelihood.toml (benchmarks/fit_turn.py)."""

from __future__ import annotations

import math
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from core.text.language import Script

Reply = Literal["answer", "refusal", "question"]
# Probabilities from which a reply may have the mark 3, 4 and 5 (a choice, on a scale where right and wrong are as frequent)
LIMITS: Mapping[Reply, tuple[float, float, float]] = {
    "answer": (0.3, 0.4, 0.5),
    "refusal": (0.25, 0.5, math.inf),  # that no passage was found does not prove that there is none
    "question": (0.2, 0.35, 0.5),
}


def probability(reply: Reply, features: Mapping[str, float], of: Script) -> float:
    """Probability (0 to 1) that the answer, the refusal or the choices of a clarifying question are right.

    Japanese has its own coefficients, since only Japanese headings have word vectors.
    """
    fitted = _stored()[f"{reply}_{'ja' if of == 'ja' else 'en'}"]
    total = fitted["intercept"] + math.fsum(fitted[name] * features[name] for name in fitted if name != "intercept")
    return 1 / (1 + math.exp(-total))


def highest_mark(reply: Reply, chance: float) -> int:
    """The best mark (2 to 5) that a reply of this probability may have."""
    return 2 + bisect_right(LIMITS[reply], chance)


@cache
def _stored() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads(Path(__file__).with_name("likelihood.toml").read_text("utf-8"))
