"""Classifies a message by section, trained on the sections' example questions, headings and texts."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.base.stored_results import stored_result
from core.retrieval.fusion import Scores
from core.text.language import Script
from core.text.normalize import normalize
from core.text.stored_readings import state_of_readers

Places = NDArray[np.int64]
# letters of a run, in each of two lengths
RUN_LETTERS: dict[Script, tuple[int, ...]] = {"ja": (2, 3), "en": (3, 4), "zh": (1, 2)}
FEATURE_SMOOTHING = 0.05  # added to the weight of each feature of a class (Lidstone)
MIN_STORED_SAMPLES = 1_000  # number of texts from which what is learned is stored
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
        if len(samples) < MIN_STORED_SAMPLES:
            self._model = _trained(samples, classes, self._sizes)
        else:
            texts = [(one.text, one.label) for one in samples]
            key = json.dumps([state_of_readers(), Path(__file__).read_text("utf-8"), language, classes, texts])
            self._model = stored_result(key, lambda: _trained(samples, classes, self._sizes), _save, _load)

    def scores(self, query: str, words: frozenset[str]) -> Scores:
        """The log likelihood of each class, shape (classes,), divided by the square root of the query's weight, so that
        long and short queries are comparable."""
        model = self._model
        _, codes = _runs([query], self._sizes)
        places = np.searchsorted(model.codes, codes)
        codes, places = codes[places < len(model.codes)], places[places < len(model.codes)]
        runs = places[model.codes[places] == codes]
        known = np.array([model.words[word] for word in words if word in model.words], dtype=np.int64)
        features = [_weighed_features(*one) for one in zip((runs, known), model.idf, strict=True)]
        columns = np.concatenate([features[0][0], features[1][0] + len(model.codes)])
        weights = np.concatenate([values for _, values in features])
        total = float(weights.sum())
        found = _product(model.table, columns, weights) + total * model.unseen
        return np.asarray(found / np.sqrt(total or 1.0), dtype=np.float32)


class _Model(NamedTuple):
    """What the classifier learns; a feature is a run of letters or a word."""

    codes: NDArray[np.uint64]  # of the runs, ascending
    words: dict[str, int]  # the place of each word among the words
    idf: tuple[NDArray[np.float64], NDArray[np.float64]]  # of the runs, and of the words
    unseen: NDArray[np.float64]  # log likelihood of a feature that a class has never, shape (classes,)
    table: Any  # sparse: what is added to it for each feature, shape (classes, features)


def _trained(samples: Sequence[TrainingText], classes: int, sizes: Sequence[int]) -> _Model:
    rows, codes = _runs([one.text for one in samples], sizes)
    codes, runs = np.unique(codes, return_inverse=True)
    words = {word: place for place, word in enumerate({word: None for one in samples for word in one.words})}
    columns = np.array([words[word] for one in samples for word in one.words], dtype=np.int64)
    word_rows = np.repeat(np.arange(len(samples)), [len(one.words) for one in samples])
    of_runs = _counts(rows, runs, (len(samples), len(codes)))
    of_words = _counts(word_rows, columns, (len(samples), len(words)))
    idf = _idf(of_runs), _idf(of_words)
    weighted: Any = _sparse().hstack([_weighed(of_runs, idf[0]), _weighed(of_words, idf[1])], format="csr")
    membership = _counts(np.array([one.label for one in samples]), np.arange(len(samples)), (classes, len(samples)))
    table: Any = _sparse().csr_matrix(membership @ weighted)
    totals = np.asarray(table.sum(axis=1)).ravel() + FEATURE_SMOOTHING * table.shape[1]
    table.data = np.log1p(table.data / FEATURE_SMOOTHING)
    return _Model(codes, words, idf, np.log(FEATURE_SMOOTHING / totals), _sparse().csc_matrix(table))


def _save(model: _Model, folder: Path) -> None:
    words = np.array(list(model.words), dtype=np.str_)
    runs_idf, words_idf = model.idf
    np.savez(folder / "model", codes=model.codes, words=words, runs=runs_idf, of_words=words_idf, unseen=model.unseen)
    _sparse().save_npz(folder / "table", model.table, compressed=False)


def _load(folder: Path) -> _Model:
    with np.load(folder / "model.npz") as stored:
        words = {word: place for place, word in enumerate(stored["words"].tolist())}
        idf = stored["runs"], stored["of_words"]
        return _Model(stored["codes"], words, idf, stored["unseen"], _sparse().load_npz(folder / "table.npz"))


@cache
def _sparse() -> Any:
    """SciPy's sparse matrices, which take long to import."""
    return importlib.import_module("scipy.sparse")


def _idf(counted: Any) -> NDArray[np.float64]:
    samples, features = counted.shape
    return np.log((1 + samples) / (1 + np.bincount(counted.indices, minlength=features))) + 1


def _weighed_features(places: Places, idf: NDArray[np.float64]) -> tuple[Places, NDArray[np.float64]]:
    """The features of one text, each once, and their tf-idf, a vector of length 1: as `_weighed`, without the cost of sparse
    matrices, which is most of that of a short text."""
    columns, counted = np.unique(places, return_counts=True)
    values = (1 + np.log(counted)) * idf[columns]
    return columns, values / (float(np.sqrt((values**2).sum())) or 1.0)


def _product(table: Any, columns: Places, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weighted sum of some columns of a sparse table (CSC), shape (rows,)."""
    starts, lengths = table.indptr[columns], np.diff(table.indptr)[columns]
    ends = np.cumsum(lengths)
    entries = np.arange(int(lengths.sum())) + np.repeat(starts - ends + lengths, lengths)
    values = table.data[entries] * np.repeat(weights, lengths)
    return np.asarray(np.bincount(table.indices[entries], weights=values, minlength=table.shape[0]), dtype=np.float64)


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
