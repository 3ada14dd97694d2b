"""Fuses the signals of a search into one score for each passage.

Which signals there are is in `Index.signals`: always words, coverage and letters; pairs if they are weighted (in larger
collections without example questions); with word vectors (Japanese) meaning, near and interaction, and without example
questions headings and texts, of which meaning is the mean; with sentence vectors (English) vectors; with example questions
examples and likelihoods.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core.base.toml import bundled_toml
from core.text.language import Script

# One number for each passage (or text).
Scores = NDArray[np.float32]
# Passages from which means and counts are typical; a smaller index is padded with passages that match nothing.
ENOUGH_PASSAGES = 200
MIN_DEVIATION = 1e-6  # standard deviation below which a signal does not distinguish passages
# Passages of a small index, and of a large one (fusion.toml has weights for either).
SMALL_INDEX, LARGE_INDEX = 100, 1000


def fuse(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """The weighted sum of the signals, each in standard deviations from its mean over the passages.

    Returns shape (passages,): 0 for an average passage.

    signals: by name, each of shape (passages,)
    """
    weighted = [(weights[name], scores) for name, scores in signals.items() if weights.get(name)]
    return np.asarray(sum(np.float32(weight) * standardized(scores) for weight, scores in weighted), dtype=np.float32)


def message_weights(weights: Mapping[str, float], signals: Mapping[str, Scores]) -> Mapping[str, float]:
    """The weights for a message, with the same sum: the meaning of texts counts as far as no passage has its words."""
    if not weights.get("texts"):
        return weights
    counted = {**weights, "texts": weights["texts"] * share_not_covered(signals)}
    left = sum(counted.values())
    factor = sum(weights.values()) / left if left else 0.0
    return {name: factor * weight for name, weight in counted.items()}


def share_not_covered(signals: Mapping[str, Scores]) -> float:
    """Share of the message's content words that even the passage with most of them lacks (0 to 1)."""
    return max(1.0 - float(signals["coverage"].max(initial=0.0)), 0.0)


def scale(fused: Scores) -> Scores:
    """Fused scores from 0 (average) to 1 (the best passage), shape (passages,)."""
    top = float(fused.max()) if fused.size else 0.0
    return np.maximum(fused / np.float32(top), np.float32(0)) if top > 0 else np.zeros_like(fused)


def signal_weights(language: Script, meaning: bool, examples: bool, passages: int) -> Mapping[str, float]:
    """The fitted weights (fusion.toml) for documents in a language.

    A word that few of many passages have is a large z-score and strong evidence, so words have less weight among few
    passages. Between a small and a large index the weights are interpolated by the logarithm of its size.

    meaning: whether sections have word vectors
    examples: whether sections have example questions
    passages: number of passages
    """
    stored = bundled_toml(__file__, "fusion.toml")
    name = "ja_meaning" if language == "ja" and meaning else language
    if examples and f"{name}_examples" in stored:
        return stored[f"{name}_examples"]
    small, large = stored[name], stored.get(f"{name}_large", stored[name])
    share = large_share(passages)
    return {
        signal: (1 - share) * small.get(signal, 0.0) + share * large.get(signal, 0.0) for signal in {**small, **large}
    }


def large_share(passages: int) -> float:
    """The position of an index between a small one (0) and a large one (1), by its number of passages."""
    share = math.log(max(passages, 1) / SMALL_INDEX) / math.log(LARGE_INDEX / SMALL_INDEX)
    return min(max(share, 0.0), 1.0)


def standardized(scores: Scores) -> Scores:
    """The z-score of each passage, shape (passages,); an index of fewer than ENOUGH_PASSAGES is padded with zeros."""
    count = max(scores.size, ENOUGH_PASSAGES)
    mean = float(scores.sum()) / count
    spread = math.sqrt(max(float((scores * scores).sum()) / count - mean * mean, 0.0))
    return (scores - np.float32(mean)) / np.float32(spread) if spread > MIN_DEVIATION else np.zeros_like(scores)
