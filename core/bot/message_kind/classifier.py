"""A classifier for the kind of a message: a request, or a kind of small talk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from core.text.ngram_classifier import label_probabilities

MessageKind = Literal[
    "greeting",
    "thanks",
    "farewell",
    "praise",
    "insult",
    "identity",
    "abilities",
    "person",
    "distress",
    "emergency",
    "attack",
    "chat",
    "outside",
    "jobs",
    "request",
]
KINDS: tuple[MessageKind, ...] = get_args(MessageKind)
_FILE = Path(__file__).with_name("classifier.json")


@lru_cache(maxsize=4_096)
def kind_probabilities(text: str) -> Mapping[MessageKind, float]:
    """Probability (0 to 1) of each kind; they sum to 1."""
    return label_probabilities(_FILE, KINDS, text)
