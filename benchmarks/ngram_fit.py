"""Fit a text classifier over character n-grams and write it as JSON; used by fit_message_kind.py and fit_incidents.py."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold

from core.text.ngram_classifier import grams

SMALL = 3  # tenths: n-grams with no weight as large are left out


class Known(NamedTuple):
    """A fitted model with the n-grams that it reads, by their place among all."""

    vectors: Any
    places: Any
    logistic: Any


def fit(texts: Sequence[str], kinds: Sequence[str], own: Collection[str], strength: float = 60) -> Known:
    """n-grams that two or more of the `own` texts have, weighted among all n-grams of a text; strength: scikit-learn's C."""
    analyzer: Any = grams  # sklearn takes a function, too
    vectors: Any = TfidfVectorizer(analyzer=analyzer).fit(texts)
    values = vectors.transform(texts)
    ours = values[[place for place, text in enumerate(texts) if text in own]]
    places = np.flatnonzero(np.asarray((ours > 0).sum(axis=0)).ravel() >= 2)
    return Known(vectors, places, LogisticRegression(C=strength, max_iter=800).fit(values[:, places], kinds))


def probabilities(known: Known, texts: Sequence[str]) -> Any:
    """Probabilities, shape (texts, kinds in the model's order)."""
    return known.logistic.predict_proba(known.vectors.transform(texts)[:, known.places])


def held_out(
    texts: Sequence[str], kinds: Sequence[str], own: Collection[str], groups: Sequence[int], strength: float = 60
) -> list[str]:
    """The kind of each text by a model that has seen none of its group (five-fold)."""
    predicted = [""] * len(texts)
    for train, test in StratifiedGroupKFold(5, shuffle=True, random_state=0).split(texts, kinds, groups):
        known = fit([texts[int(place)] for place in train], [kinds[int(place)] for place in train], own, strength)
        best = probabilities(known, [texts[int(place)] for place in test]).argmax(axis=1)
        for place, kind in zip(test, best, strict=True):
            predicted[place] = str(known.logistic.classes_[kind])
    return predicted


def write(known: Known, kinds: Sequence[str], path: Path, script: str, small: int = SMALL) -> None:
    """Store the weights of the kinds, in that order, in tenths."""
    order = [list(known.logistic.classes_).index(kind) for kind in kinds]
    slopes, constants = known.logistic.coef_, known.logistic.intercept_
    if len(slopes) == 1:  # of two kinds only the second has weights
        slopes, constants = (np.concatenate([-one, one]) / 2 for one in (slopes, constants))
    weights = np.rint(10 * slopes[order]).astype(int)
    names = known.vectors.get_feature_names_out()
    rows = [
        [str(names[place]), round(float(known.vectors.idf_[place]), 2), *map(int, weights[:, column])]
        for column, place in enumerate(known.places)
        if np.abs(weights[:, column]).max() >= small
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    intercepts = json.dumps([round(float(value), 3) for value in constants[order]])
    about = f"Fitted by benchmarks/{script}; each row: n-gram, idf, tenths of its weight for each kind."
    head = f'{{"about": "{about}",\n"intercepts": {intercepts},\n"unknown_idf": {known.vectors.idf_.max():.2f},\n'
    path.write_text(f'{head}"grams": [\n{lines}\n]}}\n', "utf-8")
