"""Joining what words find and what vectors find."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
VECTOR_WEIGHT = np.float32(
    0.5
)  # fitted on the English development questions of squad2 and dragonball: see benchmarks/search.py


def fuse(lexical: Scores, vector: Scores | None) -> Scores:
    """Convex combination of both scores, each scaled to 0..1 within the query (Bruch et al. 2023, TOIS 42(1)).

    lexical, vector: shape (passages,); without vectors the words decide alone. Gives shape (passages,).
    """
    words = _scaled(lexical)
    if vector is None:
        return words
    near = _scaled(np.maximum(vector, np.float32(0)))
    return np.asarray((1 - VECTOR_WEIGHT) * words + VECTOR_WEIGHT * near, dtype=np.float32)


def _scaled(scores: Scores) -> Scores:
    top = float(scores.max()) if scores.size else 0.0
    return scores / top if top > 0 else scores
