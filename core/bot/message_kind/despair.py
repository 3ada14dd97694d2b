"""Detects despair in veiled words ("there is a door out of all this") by their meaning."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from core.base.probabilities import logistic
from core.bot.message_kind.classifier import kind_probabilities
from core.bot.message_kind.message_vector import Features, vector_language, vector_with_wording
from core.text.distress.classifiers import mood_probabilities
from core.text.normalize import MAX_CLASSIFIED_CHARACTERS
from core.text.questions import asks

# Sum of the probabilities by wording from which an English message may express despair: 99 in 100 messages that count as
# despair reach it.
MAY_DESPAIR_FROM = 0.003
# Probability from which an undocumented message counts as despair, and the same if it asks something. Of 440 everyday
# messages that nothing was fitted on, 22 reach these or CARE_FROM.
DESPAIR_FROM = {"en": 0.4, "ja": 0.35}
DESPAIR_OF_QUESTION_FROM = {"en": 0.55, "ja": 0.45}
# Probability from which an answer or a clarifying question begins with a caring sentence, and a later message counts as
# despair; and the same if it asks something.
CARE_FROM = 0.7
CARE_OF_QUESTION_FROM = 0.85
# Probability of a danger to life from which a bereaved user is told of a crisis line: it finds as many users in danger as
# CARE_FROM does, but one in ten of those who only suffer, rather than four in ten.
DANGER_AFTER_DEATH_FROM = 0.4


@lru_cache(maxsize=4_096)
def despair_probability(text: str) -> float:
    """Probability (0 to 1) that a message expresses despair: danger to life, or deep suffering.

    Logistic regression; coefficients: despair.json, by language (benchmarks/fit_despair.py). 0 for a message
    without letters, and for an English one whose wording is far from it, since its sentence vector is slow and the model
    may have to be loaded first.
    """
    return _probability("despair", text)


@lru_cache(maxsize=4_096)
def danger_probability(text: str) -> float:
    """Probability (0 to 1) that a message expresses a danger to life in veiled words, not suffering alone."""
    return _probability("danger", text)


def _probability(target: Literal["despair", "danger"], text: str) -> float:
    text = text[:MAX_CLASSIFIED_CHARACTERS]
    if not any(map(str.isalpha, text)):
        return 0.0
    language = vector_language(text)
    if language == "en" and sum(_by_wording(text)) < MAY_DESPAIR_FROM:
        return 0.0
    fitted = _fitted()[target][language]
    return logistic(float(np.dot(fitted["weights"], despair_features(text))) + fitted["intercept"])


def surely_despairs(text: str) -> bool:
    """Whether despair is so likely that an answer begins with a caring sentence."""
    return despair_probability(text) >= (CARE_OF_QUESTION_FROM if asks(text) else CARE_FROM)


def may_despair(text: str) -> bool:
    """Whether an undocumented message probably expresses despair."""
    least = DESPAIR_OF_QUESTION_FROM if asks(text) else DESPAIR_FROM
    return despair_probability(text) >= least[vector_language(text)]


def despair_features(text: str) -> Features:
    """The vectors of a message, then the log odds by its wording; shape (387,) in English, else (603,)."""
    return vector_with_wording(text, _by_wording(text))


def _by_wording(text: str) -> tuple[float, float, float]:
    """Probabilities of a danger, of being unwell and of distress, by the n-grams of a message."""
    moods = mood_probabilities(text)
    return moods["danger"], moods["unwell"], kind_probabilities(text)["distress"]


@cache
def _fitted() -> Mapping[str, Any]:
    return json.loads(Path(__file__).with_name("despair.json").read_text("utf-8"))
