"""Similarity of a question's meaning to Japanese sections: weighted means of word vectors (Arora et al. 2017, ICLR).

Without example questions: `SectionMeanings`, with learned projections that bring questions near the sections that
answer them (a linear dual encoder). They (section_vectors.npz) are fitted by benchmarks/fit_meaning.py on the example
questions of the bundled bots. With example questions: `HeadingVectors`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.base.stored_results import stored_result
from core.retrieval.fusion import Scores
from core.retrieval.word_vectors import DIMENSION, Vector, WordVectors, unit_vectors
from core.text.language import terms

MIN_WEIGHT = 0.3  # lowest weight of a word; other words have their inverse document frequency
Weight = Callable[[str], float]


class Projections(NamedTuple):
    """Matrices of shape (300, dimensions) for the mean word vector of a question and of a heading or text."""

    question: Vector
    section: Vector


@cache
def projections() -> Projections:
    """The fitted projections."""
    stored = np.load(Path(__file__).with_name("section_vectors.npz"))
    return Projections(stored["question"].astype(np.float32), stored["section"].astype(np.float32))


class SectionMeanings:
    """Vectors of sections, made of the terms of their headings and texts; words without a vector are ignored.

    weight: of a word
    """

    def __init__(
        self, headings: Sequence[Iterable[str]], texts: Sequence[Iterable[str]], weight: Weight, vectors: WordVectors
    ) -> None:
        self._vectors = vectors
        self._weight = weight
        self._rows = [
            project(np.array([self._mean(words) for words in each]).reshape(-1, DIMENSION), projections().section)
            for each in (headings, texts)
        ]

    def signals(self, question: str) -> dict[str, Scores]:
        """The question's cosines to `headings` and `texts` of the sections, and their mean (`meaning`), each of shape (sections,)."""
        wanted = project(self._mean(terms(question, "ja"))[None, :], projections().question)[0]
        headings, texts = (np.einsum("ij,j->i", rows, wanted) for rows in self._rows)  # not BLAS (near_words.py)
        found = {"meaning": (headings + texts) / 2, "headings": headings, "texts": texts}
        return {name: np.asarray(cosines, np.float32) for name, cosines in found.items()}

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


FREQUENCY_SMOOTHING = 0.002  # a of a word's weight a / (a + share of the word among all)
COMMON_DIRECTIONS = 6  # common directions that are removed from all vectors
MIN_HEADINGS = 30  # headings from which these directions can be computed


class HeadingVectors:
    """Cosine of a query to each of some headings, given by their terms; words without a vector are ignored."""

    def __init__(self, headings: Sequence[Sequence[str]], counts: Counter[str], vectors: WordVectors) -> None:
        self._vectors = vectors
        self._counts, self._total = counts, max(counts.total(), 1)
        if len(headings) < MIN_HEADINGS:
            self._rows, self._middle, self._common = self._prepared(headings)
        else:
            parameters = FREQUENCY_SMOOTHING, COMMON_DIRECTIONS, version("ja-ginza")
            key = json.dumps(
                ["section vectors", parameters, [list(words) for words in headings], sorted(counts.items())]
            )
            self._rows, self._middle, self._common = stored_result(key, lambda: self._prepared(headings), _save, _load)

    def _prepared(self, headings: Sequence[Sequence[str]]) -> tuple[Vector, Vector, Vector]:
        """The headings' vectors, their middle, and the directions that they have in common."""
        found = self._means(headings)
        middle = found.mean(axis=0) if len(found) else np.zeros(DIMENSION, dtype=np.float32)
        apart = found - middle
        common = _common_directions(apart) if len(found) >= MIN_HEADINGS else apart[:0]
        return _without_common(found, middle, common), middle, common

    def signals(self, query: str) -> dict[str, Scores]:
        """The query's cosine to each heading as `meaning`, shape (headings,)."""
        wanted = _without_common(self._means([terms(query, "ja")]), self._middle, self._common)[0]
        return {"meaning": np.asarray(np.einsum("ij,j->i", self._rows, wanted), dtype=np.float32)}  # see near_words.py

    def _means(self, texts: Sequence[Sequence[str]]) -> Vector:
        """The unit vectors of the texts' weighted means, shape (texts, 300); zeros for a text without a known word."""
        from scipy.sparse import csr_matrix  # imported where it is needed

        known, vectors = self._vectors.matrix(set(chain.from_iterable(texts)))
        weights = np.array([self._weight(word) for word in known], dtype=np.float32)
        pairs = [(place, known[word]) for place, words in enumerate(texts) for word in words if word in known]
        places, columns = zip(*pairs, strict=True) if pairs else ((), ())
        shape = (len(texts), len(known))
        counted: Any = csr_matrix((np.ones(len(pairs), dtype=np.float32), (places, columns)), shape=shape)
        return unit_vectors(np.asarray(counted @ (weights[:, None] * vectors), dtype=np.float32))

    def _weight(self, word: str) -> float:
        """a / (a + share of the word among all), 0 to 1."""
        return FREQUENCY_SMOOTHING / (FREQUENCY_SMOOTHING + self._counts[word] / self._total)


def _without_common(rows: Vector, middle: Vector, common: Vector) -> Vector:
    moved = rows - middle * (np.abs(rows).sum(axis=1, keepdims=True) > 0)
    moved = moved - (moved @ common.T) @ common
    return unit_vectors(moved)


def _save(prepared: tuple[Vector, Vector, Vector], folder: Path) -> None:
    rows, middle, common = prepared
    np.savez(folder / "vectors", rows=rows, middle=middle, common=common)


def _load(folder: Path) -> tuple[Vector, Vector, Vector]:
    with np.load(folder / "vectors.npz") as stored:
        return stored["rows"], stored["middle"], stored["common"]


def _common_directions(apart: Vector) -> Vector:
    """The directions in which the rows differ most, shape (COMMON_DIRECTIONS, dimension); computed without BLAS's
    threads (near_words.py)."""
    from scipy.sparse import linalg  # imported where it is needed

    shared = np.einsum("ij,ik->jk", apart, apart, dtype=np.float64)
    if not shared.any():
        return apart[:0]
    sparse: Any = linalg
    return np.asarray(sparse.eigsh(shared, k=COMMON_DIRECTIONS, v0=np.ones(len(shared)))[1].T, dtype=np.float32)
