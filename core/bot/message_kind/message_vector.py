"""What a message means, as a vector: of its sentence in English, of its words in Japanese."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.base.probabilities import log_odds
from core.retrieval.embedders import bundled_embedder
from core.retrieval.word_vectors import DIMENSION, word_vectors
from core.text.japanese import words
from core.text.language import script

Features = NDArray[np.float64]
# Weight of the largest value in each dimension of the word vectors, relative to their mean, which has length 1.
MAX_POOLING_WEIGHT = 0.3
# Weight of the log odds by wording, relative to sentence vectors of length 1.
WORDING_WEIGHT = 0.1


def vector_language(text: str) -> Literal["en", "ja"]:
    """The language whose vectors are used for a text."""
    return "en" if script(text) == "en" else "ja"


def message_vector(text: str) -> Features:
    """The vector of an English message, shape (384,); or, of any other one, the mean of its word vectors, of length 1,
    and the largest value in each dimension, shape (600,); zeros if no word is known."""
    if vector_language(text) == "en":
        return np.asarray(bundled_embedder().encode([text])[0], dtype=np.float64)
    known = word_vectors()
    if known is None:
        return np.zeros(2 * DIMENSION)
    rows = (known.row_of(word.surface, word.base) for word in words(text, loanwords=True))
    found = known.unit_rows([row for row in rows if row is not None])
    if not len(found):
        return np.zeros(2 * DIMENSION)
    mean = found.mean(axis=0)
    return np.concatenate([mean / (np.linalg.norm(mean) or 1.0), MAX_POOLING_WEIGHT * found.max(axis=0)])


def vector_with_wording(text: str, by_wording: Iterable[float]) -> Features:
    """The vector of a message, then the log odds of probabilities (0 to 1) by its wording."""
    odds = (WORDING_WEIGHT * log_odds(chance) for chance in by_wording)
    return np.array([*message_vector(text), *odds], dtype=np.float64)
