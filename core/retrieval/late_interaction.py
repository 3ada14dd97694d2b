"""Scores Japanese sections word by word: late interaction (Khattab and Zaharia 2020, SIGIR) over word vectors.

Each word of the question is matched with the nearest word of a section, and of its heading, in a learned metric. Its
weight is its inverse document frequency times a learned weight: low for words of asking and everyday life, high for
words that name a subject. Fitted by benchmarks/fit_late_interaction.py on messages to written desks.
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
MATCHED_FROM = 0.8  # match from which a section mentions a word (1: as good as the same word)


class Metric(NamedTuple):
    """The learned metric."""

    question: Vector  # matrix of shape (300, 300) for the word vectors of questions
    section: Vector  # the same for those of sections
    attention: Vector  # shape (300,); the weight of a question's word is softplus(vector · attention + bias)
    bias: float
    unlike: float  # cosine up to which two words are unrelated
    heading: float  # weight of a match in the heading, relative to one anywhere


@cache
def fitted_metric() -> Metric:
    """The fitted metric."""
    stored = np.load(Path(__file__).with_name("late_interaction.npz"))
    question, section, attention = (stored[name].astype(np.float32) for name in ("question", "section", "attention"))
    bias, unlike, heading = (float(stored[name]) for name in ("bias", "unlike", "heading"))
    return Metric(question, section, attention, bias, unlike, heading)


class Unmatched(NamedTuple):
    """The weight of a question's words that sections do not mention."""

    weight: float  # of all words of the question
    anywhere: float  # of words that no section mentions
    sections: Scores  # of words that each section does not mention, shape (sections,)
    of_word: Scores  # the largest part of that which is due to one word, shape (sections,)


class LateInteraction:
    """Scores sections, given by the terms of their headings (with title) and texts.

    idf: inverse document frequency of a word
    metric: the fitted one by default
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
        """The weighted mean of the matches of the question's words, shape (sections,); zeros if no word has a
        vector."""
        total, found = 0.0, np.zeros(self._count, dtype=np.float32)
        for word in dict.fromkeys(terms(question, "ja")):
            weight, matched = self._matched(word)
            found += np.float32(weight) * matched
            total += weight
        return found / np.float32(total) if total else found

    def unmatched(self, question: str) -> Unmatched:
        """The weight of the words that are not mentioned: the weight of each word times what its match lacks to
        MATCHED_FROM."""
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
        """(weight of a question's word, its match with each section)."""
        vector, metric = self._vectors.vector(word), self._metric
        if vector is None:
            return 0.0, np.zeros(self._count, dtype=np.float32)
        weight = self._idf(word) * float(np.logaddexp(0.0, vector @ metric.attention + metric.bias))
        wanted = unit_vectors((vector @ metric.question)[None, :])[0]
        # not BLAS (near_words.py)
        near = np.maximum(np.einsum("ij,j->i", self._matrix, wanted) - np.float32(metric.unlike), np.float32(0))
        matched = self._wholes.highest(near) + self._heads.highest(near) * np.float32(metric.heading)
        return weight, np.asarray(matched, dtype=np.float32)
