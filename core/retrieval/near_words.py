"""Similarity of the words of passages to a word, by the cosine of Japanese word vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from core.base.cached_method import cached_method
from core.retrieval.fusion import Scores
from core.retrieval.word_vectors import WordVectors

UNLIKE_COSINE = 0.45  # cosine up to which two words are unrelated


class NearestOfSets:
    """For each of some sets of words the nearest one to a given word; sets without a word that has a vector match
    nothing.

    places: of the words that have a vector (`WordVectors.matrix`)
    """

    def __init__(self, sets: Sequence[Iterable[str]], places: dict[str, int]) -> None:
        members = [sorted({places[word] for word in words if word in places}) for words in sets]
        self._filled = np.array([row for row, each in enumerate(members) if each], dtype=np.int64)
        self._places = np.array([place for each in members for place in each], dtype=np.int64)
        lengths = [len(each) for each in members if each]
        self._starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64) if lengths else self._filled
        self._count = len(members)

    def highest(self, values: Scores) -> Scores:
        """The highest of the values of each set's words, shape (sets,)."""
        found = np.zeros(self._count, dtype=np.float32)
        if len(self._filled):
            found[self._filled] = np.maximum.reduceat(values[self._places], self._starts)
        return found


class NearWords:
    """For each passage the similarity of its nearest word to a given word: 0 (unrelated) to 1 (the same vector).

    A soft form of exact matching (Kusner et al. 2015, ICML, match words similarly).

    sets: the words of each passage
    """

    def __init__(self, sets: Sequence[frozenset[str]], vectors: WordVectors) -> None:
        self._vectors = vectors
        places, self._matrix = vectors.matrix(frozenset[str]().union(*sets))
        self._nearest, self._count = NearestOfSets(sets, places), len(sets)

    @cached_method(512)
    def nearness(self, word: str) -> Scores:
        """The nearness of each passage's nearest word, shape (passages,); zeros for a word without a vector."""
        vector = self._vectors.vector(word)
        if vector is None:
            return np.zeros(self._count, dtype=np.float32)
        # not BLAS, whose threads wait for each other: forty times as slow if the machine is busy
        nearest = self._nearest.highest(np.einsum("ij,j->i", self._matrix, vector))
        return np.clip((nearest - UNLIKE_COSINE) / (1 - UNLIKE_COSINE), 0, 1)
