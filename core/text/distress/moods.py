"""In what mood a message is written (in danger, badly treated by the desk, angry, worried, unwell), in whatever words: a
classifier fitted on mood_examples.toml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from core.text.distress.incidents import parts_of
from core.text.ngram_classifier import read_classifier
from core.text.normalize import LONGEST_MESSAGE

Mood = Literal["danger", "figure_of_speech", "complaint", "anger", "worry", "unwell", "none"]
MOODS: tuple[Mood, ...] = get_args(Mood)
WHOLE, PART = 0.3, 0.45  # probability from which a message, or one sentence or clause of it, is in a mood
IN_DANGER = 0.7  # the same for a danger in either
OUT_OF_CONTEXT = 0.05  # probability of a mood for the whole, below which one clause in it is taken out of its context
SURE_FIGURE_OF_SPEECH, MAX_DANGER = (
    0.5,
    0.3,
)  # probability that a figure of speech must reach, and a danger must not pass
_FILE = Path(__file__).with_name("moods.json")


@lru_cache(maxsize=4_096)
def moods(text: str) -> frozenset[Mood]:
    """The moods of a message, as a whole and of each of its sentences and clauses; empty for most."""
    whole = text[:LONGEST_MESSAGE]
    found: set[Mood] = {_likeliest(part, PART) for part in parts_of(whole)}
    told = mood_probabilities(whole)
    found = {mood for mood in found if told[mood] >= OUT_OF_CONTEXT}
    found.add(_likeliest(whole, WHOLE))
    found.discard("none")
    return frozenset(found)


@lru_cache(maxsize=4_096)
def is_figure_of_speech(text: str) -> bool:
    """Whether what sounds like a danger is surely a figure of speech: "my boss will kill me if ...", 死ぬほど忙しい."""
    probabilities = mood_probabilities(text[:LONGEST_MESSAGE])
    return probabilities["figure_of_speech"] >= SURE_FIGURE_OF_SPEECH and probabilities["danger"] <= MAX_DANGER


@lru_cache(maxsize=4_096)
def mood_probabilities(text: str) -> Mapping[Mood, float]:
    """Probability (0 to 1) of each mood; they add up to 1."""
    return dict(zip(MOODS, read_classifier(_FILE).probabilities(text), strict=True))


def _likeliest(text: str, threshold: float) -> Mood:
    probabilities = mood_probabilities(text)
    best: Mood = max(MOODS[:-1], key=lambda one: probabilities[one])
    return best if probabilities[best] >= (IN_DANGER if best == "danger" else threshold) else "none"
