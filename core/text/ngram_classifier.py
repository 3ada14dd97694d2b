"""A text classifier: multinomial logistic regression over character n-grams, fitted by benchmarks/ngram_fit.py."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from core.base.probabilities import softmax
from core.text.normalize import normalize

LONGEST_GRAM = 4
LONGEST_TEXT = 400  # characters that are read
_REPEATED = re.compile(r"(.)\1{2,}")
_SIGNS = re.compile(r"[!?。、.,…~〜～\-_*\"'’“”「」()（）^]+")


class Classifier(NamedTuple):
    """Intercepts of the kinds, and for each n-gram its inverse document frequency and its weight for each kind.

    unknown: the inverse document frequency of any other n-gram, so that strange words make every kind less certain.
    """

    intercepts: tuple[float, ...]
    unknown: float
    grams: Mapping[str, tuple[float, tuple[float, ...]]]

    def probabilities(self, text: str) -> tuple[float, ...]:
        """Probability (0 to 1) of each kind, in the order in which they are stored; they add up to 1."""
        found = grams(text)
        known = [self.grams[gram] for gram in found if gram in self.grams]
        strange = (len(found) - len(known)) * self.unknown**2
        norm = math.sqrt(math.fsum(idf * idf for idf, _ in known) + strange) or 1.0
        totals = list(self.intercepts)
        for idf, weights in known:
            for place, weight in enumerate(weights):
                totals[place] += idf / norm * weight
        return softmax(totals)


def grams(text: str) -> frozenset[str]:
    """The character n-grams (1 to 4) of a message, without signs and drawn-out letters, its ends marked by spaces."""
    plain = _REPEATED.sub(r"\1\1", normalize(_SIGNS.sub(" ", normalize(text)[:LONGEST_TEXT])))
    padded = f" {plain} "
    found = (padded[i : i + n] for n in range(1, LONGEST_GRAM + 1) for i in range(len(padded) - n + 1))
    return frozenset({*found, f"#{min(9, int(math.log2(len(padded))))}"})


@cache
def read_classifier(path: Path) -> Classifier:
    """A classifier from its JSON file."""
    stored = json.loads(path.read_text("utf-8"))
    found = {gram: (idf, tuple(weight / 10 for weight in weights)) for gram, idf, *weights in stored["grams"]}
    return Classifier(tuple(stored["intercepts"]), stored["unknown_idf"], found)
