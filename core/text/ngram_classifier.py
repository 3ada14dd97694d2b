"""A text classifier: multinomial logistic regression over character n-grams, fitted by benchmarks/ngram_fit.py."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from core.base.probabilities import softmax
from core.text.normalize import normalize

Label = TypeVar("Label", bound=str)
MAX_GRAM_CHARACTERS = 4
MAX_TEXT_CHARACTERS = 400  # of a message; the rest is not read
_REPEATED = re.compile(r"(.)\1{2,}")
_SIGNS = re.compile(r"[!?。、.,…~〜～\-_*\"'’“”「」()（）^]+")


class Classifier(NamedTuple):
    """A fitted classifier of texts, with one intercept and one weight of each n-gram for each label."""

    intercepts: tuple[float, ...]
    # Inverse document frequency of n-grams that are not in `grams`, so that unknown words make labels less certain
    unknown_idf: float
    grams: Mapping[str, Sequence[float]]  # inverse document frequency, ten times the weight for each label

    def probabilities(self, text: str) -> tuple[float, ...]:
        """Probability (0 to 1) of each label, in the order in which they are stored; they add up to 1."""
        found = grams(text)
        known = [self.grams[gram] for gram in found if gram in self.grams]
        unknown = (len(found) - len(known)) * self.unknown_idf**2
        norm = math.sqrt(math.fsum(idf * idf for idf, *_ in known) + unknown) or 1.0
        totals = list(self.intercepts)
        for idf, *tenfold in known:
            for place, weight in enumerate(tenfold):
                totals[place] += idf / norm * (weight / 10)
        return softmax(totals)


def grams(text: str) -> frozenset[str]:
    """The character n-grams (1 to 4) of a message, without signs and drawn-out letters, its ends marked by spaces."""
    plain = _REPEATED.sub(r"\1\1", normalize(_SIGNS.sub(" ", normalize(text)[:MAX_TEXT_CHARACTERS])))
    padded = f" {plain} "
    found = (padded[i : i + n] for n in range(1, MAX_GRAM_CHARACTERS + 1) for i in range(len(padded) - n + 1))
    return frozenset({*found, f"#{min(9, int(math.log2(len(padded))))}"})


@cache
def read_classifier(path: Path) -> Classifier:
    """A classifier from its JSON file."""
    stored = json.loads(path.read_text("utf-8"))
    found = {gram: numbers for gram, *numbers in stored["grams"]}  # as they are: a message needs few of them
    return Classifier(tuple(stored["intercepts"]), stored["unknown_idf"], found)


def label_probabilities(file: Path, labels: Sequence[Label], text: str) -> dict[Label, float]:
    """Probability (0 to 1) of each label by the classifier in a JSON file; they add up to 1.

    labels: in the order in which the file has them.
    """
    return dict(zip(labels, read_classifier(file).probabilities(text), strict=True))
