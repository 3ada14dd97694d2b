"""The kind of a message by what it means, for messages in words that the n-grams of the classifier do not know ("guess
who is back")."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from core.base.probabilities import softmax
from core.bot.message_kind.classifier import KINDS, MessageKind, kind_probabilities
from core.bot.message_kind.message_vector import Features, vector_language, vector_with_wording
from core.text.normalize import MAX_CLASSIFIED_CHARACTERS


@lru_cache(maxsize=4_096)
def kinds_by_meaning(text: str) -> Mapping[MessageKind, float]:
    """Probability (0 to 1) of each kind; they sum to 1.

    Multinomial logistic regression over `kind_features`; coefficients: kind_by_meaning.json, by language
    (benchmarks/fit_message_kind.py).
    """
    text = text[:MAX_CLASSIFIED_CHARACTERS]
    fitted = _fitted()[vector_language(text)]
    totals = np.asarray(fitted["weights"]) @ kind_features(text, kind_probabilities(text)) + fitted["intercepts"]
    return dict(zip(KINDS, softmax(totals.tolist()), strict=True))


def kind_features(text: str, by_wording: Mapping[MessageKind, float]) -> Features:
    """The vector of a message, then the log odds of each kind by its wording; shape (399,) in English, else (615,)."""
    return vector_with_wording(text, (by_wording[kind] for kind in KINDS))


@cache
def _fitted() -> Mapping[str, Any]:
    return json.loads(Path(__file__).with_name("kind_by_meaning.json").read_text("utf-8"))
