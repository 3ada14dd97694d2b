"""Classifies a message by section, trained on the sections' example questions, headings and texts."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.retrieval.fusion import Scores
from core.text.language import Script
from core.text.normalize import normalize

Places = NDArray[np.int64]
# letters of a run, in each of two lengths
RUN_LETTERS: dict[Script, tuple[int, ...]] = {"ja": (2, 3), "en": (3, 4), "zh": (1, 2)}
FEATURE_SMOOTHING = 0.05  # added to the weight of each feature of a class (Lidstone)
# Of the FNV hash.
_PRIME = np.uint64(1_099_511_628_211)
_NEWLINE = ord("\n")


class TrainingText(NamedTuple):
    """A text, its terms, and the number of its class."""

    text: str
    words: frozenset[str]
    label: int


class SectionClassifier:
    """Multinomial naive Bayes over words and runs of letters, weighted as tf-idf (Rennie et al. 2003, ICML).

    classes: number of classes
    """

    def __init__(self, samples: Sequence[TrainingText], classes: int, language: Script) -> None:
        self._sizes = RUN_LETTERS[language]
        rows, codes = _runs([one.text for one in samples], self._sizes)
        self._codes, runs = np.unique(codes, return_inverse=True)
        self._words = {word: place for place, word in enumerate({word: None for one in samples for word in one.words})}
        words = np.array([self._words[word] for one in samples for word in one.words], dtype=np.int64)
        word_rows = np.repeat(np.arange(len(samples)), [len(one.words) for one in samples])
        counted = (
            _counts(rows, runs, (len(samples), len(self._codes))),
            _counts(word_rows, words, (len(samples), len(self._words))),
        )
        self._idf = tuple(map(_idf, counted))
        weighted: Any = _sparse().hstack([_weighed(*one) for one in zip(counted, self._idf, strict=True)], format="csr")
        membership = _counts(np.array([one.label for one in samples]), np.arange(len(samples)), (classes, len(samples)))
        table: Any = _sparse().csr_matrix(membership @ weighted)
        totals = np.asarray(table.sum(axis=1)).ravel() + FEATURE_SMOOTHING * table.shape[1]
        self._unseen = np.log(FEATURE_SMOOTHING / totals)
        table.data = np.log1p(table.data / FEATURE_SMOOTHING)
        self._table: Any = _sparse().csc_matrix(table)

    def scores(self, query: str, words: frozenset[str]) -> Scores:
        """The log likelihood of each class, shape (classes,), divided by the square root of the query's weight, so that
        long and short queries are comparable."""
        _, codes = _runs([query], self._sizes)
        places = np.searchsorted(self._codes, codes)
        codes, places = codes[places < len(self._codes)], places[places < len(self._codes)]
        runs = places[self._codes[places] == codes]
        known = np.array([self._words[word] for word in words if word in self._words], dtype=np.int64)
        counted = (
            _counts(np.zeros_like(runs), runs, (1, len(self._codes))),
            _counts(np.zeros_like(known), known, (1, len(self._words))),
        )
        weighted: Any = _sparse().hstack([_weighed(*one) for one in zip(counted, self._idf, strict=True)], format="csc")
        total = float(weighted.sum())
        found = np.asarray((self._table @ weighted.T).todense()).ravel() + total * self._unseen
        return np.asarray(found / np.sqrt(total or 1.0), dtype=np.float32)


@cache
def _sparse() -> Any:
    """SciPy's sparse matrices, which take long to import."""
    return importlib.import_module("scipy.sparse")


def _idf(counted: Any) -> NDArray[np.float64]:
    samples, features = counted.shape
    return np.log((1 + samples) / (1 + np.bincount(counted.indices, minlength=features))) + 1


def _weighed(counted: Any, idf: NDArray[np.float64]) -> Any:
    """Counts as tf-idf, each row of length 1."""
    weighed = counted.copy()
    weighed.data = (1 + np.log(weighed.data)) * idf[weighed.indices]
    lengths = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
    return _sparse().diags(1 / np.where(lengths > 0, lengths, 1.0)) @ weighed


def _counts(rows: Places, columns: Places, shape: tuple[int, int]) -> Any:
    counted = _sparse().csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
    counted.sum_duplicates()
    return counted


def _runs(texts: Sequence[str], sizes: Sequence[int]) -> tuple[Places, NDArray[np.uint64]]:
    """The runs of letters of each text as (its place, hash of the run)."""
    lines = "".join(" ".join(normalize(text).split()) + "\n" for text in texts)
    letters = np.frombuffer(lines.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    ends = letters == _NEWLINE
    place = np.cumsum(ends) - ends
    hashes, whole = letters, ~ends
    found: list[tuple[Places, NDArray[np.uint64]]] = []
    for size in range(1, max(sizes) + 1):
        if size > 1:
            hashes = hashes[:-1] * _PRIME + letters[size - 1 :]
            whole = whole[:-1] & ~ends[size - 1 :]
        if size in sizes:
            found.append((place[: len(whole)][whole], hashes[whole]))
    return np.concatenate([rows for rows, _ in found]), np.concatenate([codes for _, codes in found])
