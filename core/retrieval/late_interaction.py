"""How well Japanese sections match a question word by word: late interaction (Khattab and Zaharia 2020, SIGIR) over word
vectors.

Each word of the question looks for the word of a section, and of its heading, that is nearest in a learned metric, and
counts its inverse document frequency times a learned weight: what asks or tells of everyday life counts little, what
names a matter much. Fitted by benchmarks/fit_late_interaction.py on messages to written desks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.base.cached_method import cached_method
from core.retrieval.fusion import Scores
from core.retrieval.near_words import NearestOfSets
from core.retrieval.word_vectors import Vector, WordVectors, unit_vectors
from core.text.language import terms

Weight = Callable[[str], float]
# How well a word must be matched to be one that a section speaks of (1: as well as by the same word).
MATCHED_FROM = 0.8


class Metric(NamedTuple):
    """The learned metric.

    question, section: matrices of shape (300, 300) for the word vectors of either side; attention: shape (300,), and
    bias: how much a word of a question counts is softplus(vector · attention + bias); unlike: the cosine up to which two
    words have nothing to do with each other; heading: what a match in the heading counts beside one anywhere.
    """

    question: Vector
    section: Vector
    attention: Vector
    bias: float
    unlike: float
    heading: float


@cache
def fitted_metric() -> Metric:
    """The fitted metric."""
    stored = np.load(Path(__file__).with_name("late_interaction.npz"))
    question, section, attention = (stored[name].astype(np.float32) for name in ("question", "section", "attention"))
    bias, unlike, heading = (float(stored[name]) for name in ("bias", "unlike", "heading"))
    return Metric(question, section, attention, bias, unlike, heading)


class Unmatched(NamedTuple):
    """What of a question is not spoken of, as weight of its words.

    weight: of all words; anywhere: of what no section speaks of; sections: of what each section does not speak of, shape
    (sections,); of_word: the largest part of that which is due to one word, shape (sections,).
    """

    weight: float
    anywhere: float
    sections: Scores
    of_word: Scores


class LateInteraction:
    """Scores sections, given by the terms of their headings (with title) and texts.

    idf: how telling a word is; metric: the fitted one by default.
    """

    def __init__(
        self,
        headings: Sequence[Iterable[str]],
        texts: Sequence[Iterable[str]],
        idf: Weight,
        vectors: WordVectors,
        metric: Metric | None = None,
    ) -> None:
        self._vectors, self._idf, self._metric = vectors, idf, metric or fitted_metric()
        heads = [frozenset(words) for words in headings]
        wholes = [words.union(text) for words, text in zip(heads, texts, strict=True)]
        places, matrix = vectors.matrix(set[str]().union(*wholes))
        self._matrix = unit_vectors(matrix @ self._metric.section)
        self._heads, self._wholes = NearestOfSets(heads, places), NearestOfSets(wholes, places)
        self._count = len(heads)

    def scores(self, question: str) -> Scores:
        """The weighted mean of how well the question's words are matched, shape (sections,); zeros if no word has a
        vector."""
        total, found = 0.0, np.zeros(self._count, dtype=np.float32)
        for word in dict.fromkeys(terms(question, "ja")):
            weight, matched = self._matched(word)
            found += np.float32(weight) * matched
            total += weight
        return found / np.float32(total) if total else found

    def unmatched(self, question: str) -> Unmatched:
        """What of a question is not spoken of: each word counts its weight times by how much its match falls short."""
        sections, of_word = (np.zeros(self._count, dtype=np.float32) for _ in range(2))
        total = anywhere = 0.0
        for word in dict.fromkeys(terms(question, "ja")):
            weight, matched = self._matched(word)
            lacking = np.float32(weight) * np.maximum(np.float32(MATCHED_FROM) - matched, np.float32(0))
            total += weight
            anywhere += float(lacking.min()) if self._count else 0.0
            sections += lacking
            of_word = np.maximum(of_word, lacking)
        return Unmatched(total, anywhere, sections, of_word)

    @cached_method(512)
    def _matched(self, word: str) -> tuple[float, Scores]:
        """(how much a word of a question counts, how well each section matches it)."""
        vector, metric = self._vectors.vector(word), self._metric
        if vector is None:
            return 0.0, np.zeros(self._count, dtype=np.float32)
        weight = self._idf(word) * float(np.logaddexp(0.0, vector @ metric.attention + metric.bias))
        wanted = unit_vectors((vector @ metric.question)[None, :])[0]
        # not BLAS (near_words.py)
        near = np.maximum(np.einsum("ij,j->i", self._matrix, wanted) - np.float32(metric.unlike), np.float32(0))
        matched = self._wholes.highest(near) + self._heads.highest(near) * np.float32(metric.heading)
        return weight, np.asarray(matched, dtype=np.float32)
