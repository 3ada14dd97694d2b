"""How near a question is in meaning to Japanese sections: weighted means of word vectors (Arora et al. 2017, ICLR), brought
by learned projections to where questions lie beside the sections that answer them (a linear dual encoder).

The projections (meaning.npz) are fitted by benchmarks/fit_meaning.py on the example questions of the bundled bots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.retrieval.passage_scores import Scores
from core.retrieval.word_vectors import DIMENSION, Vector, WordVectors, unit_vectors
from core.text.language import terms

# The least that a word counts; the others count their inverse document frequency.
MIN_WEIGHT = 0.3
Weight = Callable[[str], float]


class Projections(NamedTuple):
    """Matrices of shape (300, dimensions) for the mean word vector of a question and of a heading or text."""

    question: Vector
    section: Vector


@cache
def projections() -> Projections:
    """The fitted projections."""
    stored = np.load(Path(__file__).with_name("meaning.npz"))
    return Projections(stored["question"].astype(np.float32), stored["section"].astype(np.float32))


class SectionMeanings:
    """The meanings of sections, given by the terms of their headings and texts; words without a vector count nothing.

    weight: how much a word counts.
    """

    def __init__(
        self,
        headings: Sequence[Iterable[str]],
        texts: Sequence[Iterable[str]],
        weight: Weight,
        vectors: WordVectors,
    ) -> None:
        self._vectors = vectors
        self._weight = weight
        self._rows = [
            project(np.array([self._mean(words) for words in each]).reshape(-1, DIMENSION), projections().section)
            for each in (headings, texts)
        ]

    def scores(self, question: str) -> Scores:
        """The mean of a question's cosines to the heading and to the text of each section, shape (sections,)."""
        wanted = project(self._mean(terms(question, "ja"))[None, :], projections().question)[0]
        # not BLAS (near_words.py)
        return np.asarray(sum(np.einsum("ij,j->i", rows, wanted) for rows in self._rows) / len(self._rows), np.float32)

    def _mean(self, words: Iterable[str]) -> Vector:
        return mean_vector(words, self._weight, self._vectors.vector)


def mean_vector(words: Iterable[str], weight: Weight, vector: Callable[[str], Vector | None]) -> Vector:
    """The unit vector of the weighted mean of the words' vectors, shape (300,); zeros if none has one."""
    total = np.zeros(DIMENSION, dtype=np.float32)
    for word in dict.fromkeys(words):
        found = vector(word)
        if found is not None:
            total += np.float32(max(weight(word), MIN_WEIGHT)) * found
    return unit_vectors(total)


def project(means: Vector, projection: Vector) -> Vector:
    """Mean vectors, shape (rows, 300), by a projection, as unit vectors of shape (rows, dimensions)."""
    return unit_vectors(np.einsum("ij,jk->ik", means, projection))
