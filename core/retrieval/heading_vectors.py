"""How near a query is in meaning to Japanese headings: weighted means of word vectors (Arora et al. 2017, ICLR)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval.word_vectors import DIMENSION, WordVectors
from core.text.language import terms

Scores = NDArray[np.float32]
SMOOTHING = 0.002  # a of the weight a / (a + share of the word among all)
COMPONENTS = 6  # common directions that are taken out
FEW = 30  # headings from which these directions can be told


class HeadingVectors:
    """Cosine of a query to each of some headings; words unknown to the vectors count nothing."""

    def __init__(self, headings: Sequence[str], counts: Counter[str], vectors: WordVectors) -> None:
        self._vectors = vectors
        self._counts, self._total = counts, max(counts.total(), 1)
        found = np.array([self._mean(heading) for heading in headings], dtype=np.float32).reshape(-1, DIMENSION)
        self._middle = found.mean(axis=0) if len(found) else np.zeros(DIMENSION, dtype=np.float32)
        few = len(found) < FEW
        self._common = np.linalg.svd(found - self._middle, full_matrices=False)[2][: 0 if few else COMPONENTS]
        self._rows = self._without_common(found)

    def scores(self, query: str) -> Scores:
        """Cosine of the query to each heading, shape (headings,)."""
        wanted = self._without_common(self._mean(query)[None, :])[0]
        return np.asarray(np.einsum("ij,j->i", self._rows, wanted), dtype=np.float32)  # see near_words.py

    def _mean(self, text: str) -> Scores:
        total = np.zeros(DIMENSION, dtype=np.float32)
        for word in terms(text, "ja"):
            vector = self._vectors.of(word)
            if vector is not None:
                total += np.float32(SMOOTHING / (SMOOTHING + self._counts[word] / self._total)) * vector
        length = float(np.linalg.norm(total))
        return total / np.float32(length) if length else total

    def _without_common(self, rows: Scores) -> Scores:
        moved = rows - self._middle * (np.abs(rows).sum(axis=1, keepdims=True) > 0)
        moved = moved - (moved @ self._common.T) @ self._common
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        return np.asarray(moved / np.where(lengths > 0, lengths, 1), dtype=np.float32)
