"""Whether the passages that were found hold an answer: a fitted logistic model."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.base.language import content
from core.base.types import Hit

WORDS = ("coverage", "breadth", "lexical", "words")
NAMES = {"lexical": WORDS, "hybrid": (*WORDS, "vector")}


def features(question: str, hits: Sequence[Hit]) -> dict[str, float]:
    """What the best passages say: coverage of the question's words (best of three, mean of four), BM25, cosine."""
    return {
        "coverage": max(hit.coverage for hit in hits[:3]),
        "breadth": sum(hit.coverage for hit in hits[:4]) / len(hits[:4]),
        "lexical": max(hit.lexical for hit in hits) / 10,
        "words": math.log1p(len(content(question))),
        "vector": max(hit.vector or 0.0 for hit in hits),
    }


def probability(question: str, hits: Sequence[Hit]) -> float:
    """Probability (0 to 1) that the passages answer the question; coefficients: answerable.toml."""
    if not hits:
        return 0.0
    weights = _model()["lexical" if hits[0].vector is None else "hybrid"]
    found = features(question, hits)
    total = weights["intercept"] + sum(weights[name] * value for name, value in found.items() if name in weights)
    return 1 / (1 + math.exp(-total))


def answers(question: str, hits: Sequence[Hit]) -> bool:
    """Whether to answer rather than refuse; a needless refusal costs a person more than an answer with its source."""
    weights = _model()["lexical" if not hits or hits[0].vector is None else "hybrid"]
    return probability(question, hits) >= weights["threshold"]


@cache
def _model() -> dict[str, dict[str, float]]:
    stored = tomllib.loads((Path(__file__).parent / "answerable.toml").read_text("utf-8"))
    return {name: stored[name] for name in NAMES}
