"""Joining what speaks for a passage: words, how many of them, letters, headings in meaning, vectors."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.text.language import Script

Scores = NDArray[np.float32]
ENOUGH = 200  # passages from which a mean says what is usual
FLAT = 1e-6  # standard deviation below which a signal tells no passage from another


def fuse(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """The weighted sum of the signals, each in standard deviations from its mean over the passages.

    signals: by name, each of shape (passages,). Gives shape (passages,): 0 for an average passage.
    """
    weighted = [(weights[name], scores) for name, scores in signals.items() if weights.get(name)]
    return np.asarray(sum(np.float32(weight) * _standard(scores) for weight, scores in weighted), dtype=np.float32)


def scale(fused: Scores) -> Scores:
    """Fused scores from 0 (average) to 1 (the best passage), shape (passages,)."""
    top = float(fused.max()) if fused.size else 0.0
    return np.maximum(fused / np.float32(top), np.float32(0)) if top > 0 else np.zeros_like(fused)


@cache
def signal_weights(of: Script, headings: bool, examples: bool = False) -> Mapping[str, float]:
    """The fitted weights (fusion.toml) for documents in a script.

    headings: whether headings have word vectors; examples: whether sections have example questions.
    """
    stored = tomllib.loads((Path(__file__).parent / "fusion.toml").read_text("utf-8"))
    name = "ja_headings" if of == "ja" and headings else of
    return stored.get(f"{name}_examples" if examples else name, stored[name])


def _standard(scores: Scores) -> Scores:
    """In standard deviations from the mean, as if passages without the signal made up for those that a few documents
    lack."""
    count = max(scores.size, ENOUGH)
    mean = float(scores.sum()) / count
    spread = math.sqrt(max(float((scores * scores).sum()) / count - mean * mean, 0.0))
    return (scores - np.float32(mean)) / np.float32(spread) if spread > FLAT else np.zeros_like(scores)
