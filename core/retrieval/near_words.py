"""How near the words of passages are to a word in meaning, by the cosine of Japanese word vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.cached_method import cached_method
from core.retrieval.passage_scores import Scores
from core.retrieval.word_vectors import DIMENSION, WordVectors

# Cosine up to which two words have nothing to do with each other.
UNLIKE_COSINE = 0.45


class NearWords:
    """For each passage, how near its nearest word is to a word asked for: 0 (unlike) to 1 (the same vector).

    sets: the words of each passage. A soft form of exact matching (Kusner et al. 2015, ICML, match words alike).
    """

    def __init__(self, sets: Sequence[frozenset[str]], vectors: WordVectors) -> None:
        self._vectors = vectors
        places: dict[int, int] = {}  # row of a vector among all → among those in use
        of_word: dict[str, int | None] = {}
        members: list[list[int]] = []
        for words in sets:
            for word in words:
                if word not in of_word:
                    row = vectors.row(word)
                    of_word[word] = None if row is None else places.setdefault(row, len(places))
            members.append(sorted({place for word in words if (place := of_word[word]) is not None}))
        self._matrix = vectors.unit_rows(list(places))
        self._filled = np.array([row for row, each in enumerate(members) if each], dtype=np.int64)
        self._places = np.array([place for each in members for place in each], dtype=np.int64)
        lengths = [len(each) for each in members if each]
        self._starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64) if lengths else self._filled
        self._count = len(members)

    @cached_method(512)
    def nearness(self, word: str) -> Scores:
        """The nearness of each passage's nearest word, shape (passages,); zeros for a word without a vector."""
        found = np.zeros(self._count, dtype=np.float32)
        vector = self._vectors.vector(word)
        if vector is None or not len(self._filled):
            return found
        # not BLAS, whose threads wait for each other: forty times as slow if the machine is busy
        cosines = np.einsum("ij,j->i", self._matrix.reshape(-1, DIMENSION), vector)
        nearest = np.maximum.reduceat(cosines[self._places], self._starts)
        found[self._filled] = np.clip((nearest - UNLIKE_COSINE) / (1 - UNLIKE_COSINE), 0, 1)
        return found
