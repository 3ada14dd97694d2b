"""Whether a message tells of despair in veiled words ("there is a door out of all this"), by what its words mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.base.probabilities import log_odds, logistic
from core.bot.small_talk.classifier import talk_probabilities
from core.retrieval.embedders import bundled_embedder
from core.retrieval.word_vectors import DIMENSION, word_vectors
from core.text.distress.moods import mood_probabilities
from core.text.japanese import tokens
from core.text.language import script
from core.text.normalize import LONGEST_MESSAGE
from core.text.questions import asks

Features = NDArray[np.float64]
# Weight of the largest value in each dimension of the word vectors, beside that of their mean, which has length 1.
LARGEST = 0.3
# Weight of the log odds by wording, beside sentence vectors of length 1.
BY_WORDING = 0.1
# Sum of the probabilities by wording from which an English message may tell of despair: 99 in 100 of those that are heard do.
MAY_DESPAIR_FROM = 0.003
# Probability from which a message that is not documented is met with care, and the same if it asks something; of 440
# messages of daily life that nothing was fitted on 18 are met so, or by CARE_FROM.
DESPAIR_FROM = {"en": 0.5, "ja": 0.35}
DESPAIR_OF_QUESTION_FROM = {"en": 0.65, "ja": 0.5}
# Probability from which an answer or a clarifying question begins with a word of care, and a message after others is met
# with care; and the same of a message that asks something.
CARE_FROM = 0.7
CARE_OF_QUESTION_FROM = 0.85
# Probability of a danger to a life from which a crisis line is named to somebody who mourns: of those who are in danger as
# many reach it as would a word of care, of those who only suffer one in ten rather than four in ten.
DANGER_AFTER_DEATH_FROM = 0.4


@lru_cache(maxsize=4_096)
def despair_probability(text: str) -> float:
    """Probability (0 to 1) that a message tells of despair: that a life may end, or of deep suffering.

    Logistic regression; coefficients: despair.json, by language (benchmarks/fit_despair.py). 0 for an English message
    whose wording is far from it: its sentence vector takes longer, and the model may have to be loaded first.
    """
    return _probability("despair", text)


@lru_cache(maxsize=4_096)
def danger_probability(text: str) -> float:
    """Probability (0 to 1) that a message tells of a danger to a life, in veiled words: not of suffering alone."""
    return _probability("danger", text)


def _probability(told: Literal["despair", "danger"], text: str) -> float:
    text = text[:LONGEST_MESSAGE]
    language = despair_language(text)
    if language == "en" and sum(_by_wording(text)) < MAY_DESPAIR_FROM:
        return 0.0
    fitted = _fitted()[told][language]
    return logistic(float(np.dot(fitted["weights"], despair_features(text))) + fitted["intercept"])


def surely_despairs(text: str) -> bool:
    """Whether a message so likely tells of despair that an answer to it begins with a word of care."""
    return despair_probability(text) >= (CARE_OF_QUESTION_FROM if asks(text) else CARE_FROM)


def may_despair(text: str) -> bool:
    """Whether a message that is not documented likely tells of despair."""
    least = DESPAIR_OF_QUESTION_FROM if asks(text) else DESPAIR_FROM
    return despair_probability(text) >= least[despair_language(text)]


def despair_language(text: str) -> Literal["en", "ja"]:
    """Whose vectors and coefficients are taken for a text."""
    return "en" if script(text) == "en" else "ja"


def despair_features(text: str) -> Features:
    """The vectors of a message, then the log odds of what its wording tells; shape (387,) in English, else (603,)."""
    vector = bundled_embedder().encode([text])[0] if despair_language(text) == "en" else _word_features(text)
    return np.array([*vector, *(BY_WORDING * log_odds(chance) for chance in _by_wording(text))], dtype=np.float64)


def _by_wording(text: str) -> tuple[float, float, float]:
    """Probabilities of a danger, of being unwell and of distress, by the n-grams of a message."""
    moods = mood_probabilities(text)
    return moods["danger"], moods["unwell"], talk_probabilities(text)["distress"]


def _word_features(text: str) -> Features:
    """The mean of the word vectors, of length 1, and the largest value in each dimension; shape (600,)."""
    known = word_vectors()
    if known is None:
        return np.zeros(2 * DIMENSION)
    rows = (known.row_of(token.surface(), token.dictionary_form()) for token in tokens(text))
    found = known.unit_rows([row for row in rows if row is not None])
    if not len(found):
        return np.zeros(2 * DIMENSION)
    mean = found.mean(axis=0)
    return np.concatenate([mean / (np.linalg.norm(mean) or 1.0), LARGEST * found.max(axis=0)])


@cache
def _fitted() -> Mapping[str, Any]:
    return json.loads(Path(__file__).with_name("despair.json").read_text("utf-8"))
