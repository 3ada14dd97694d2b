"""How likely a message is too unclear to search: a fitted logistic model over counted features."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.base.types import Topic
from core.clarify import cues
from core.clarify.features import features

BARE_ADVICE = 0.6  # advice asked with no word on the circumstances: the published method draws the trouble out first
FEW, COVERED = math.log1p(1), 0.6  # a figure asked of two or more words that a section covers needs no question back
SAME_HEADING, LIKE_HEADING = 0.75, 0.6  # how near a heading must be to a how-to question, or to what has happened
STEPS = (0.5, 0.65, 0.8, 0.92)  # upper ends of the probability for clarity 1, 2, 3, 4


def probability(text: str, topics: Sequence[Topic]) -> float:
    """Probability (0 to 1) that a colleague would ask back before searching; coefficients: clarity.toml."""
    weights = _weights()["looked" if topics else "blind"]
    found = features(text, topics)
    total = weights["intercept"] + sum(weight * found[name] for name, weight in weights.items() if name in found)
    chance = 1 / (1 + math.exp(-total))
    says_how = cues.HOW_TO.search(text) and found["fit"] >= SAME_HEADING
    has_happened = cues.AFTER_EVENT.search(text) and found["fit"] >= LIKE_HEADING
    wants_a_figure = cues.QUANTITY.search(text) and found["words"] > FEW and found["coverage"] >= COVERED
    if says_how or has_happened or wants_a_figure:
        return min(chance, STEPS[0])
    return max(chance, BARE_ADVICE) if found["advice_bare"] else chance


def clarity(chance: float) -> int:
    """1 (clear) to 5 (says next to nothing) from the probability of being unclear."""
    return 1 + sum(chance > step for step in STEPS)


@cache
def _weights() -> dict[str, dict[str, float]]:
    stored = tomllib.loads((Path(__file__).parent / "clarity.toml").read_text("utf-8"))
    return {name: stored[name] for name in ("blind", "looked")}
