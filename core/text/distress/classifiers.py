"""Two fitted classifiers of a message: which incident it reports, and in which mood it is written.

Incidents (something bad that has happened to the writer) are fitted on incident_examples.toml, moods on mood_examples.toml.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from core.text.distress.exclusions import asks_what_if, without_unchanged
from core.text.language import clauses, sentences
from core.text.ngram_classifier import label_probabilities
from core.text.normalize import MAX_CLASSIFIED_CHARACTERS, normalize

Incident = Literal[
    "bereavement", "harassment", "weariness", "lost_device", "intrusion", "phished", "injury", "fire", "none"
]
INCIDENTS: tuple[Incident, ...] = get_args(Incident)
# Probability from which a message, or one sentence or clause of it, reports an incident.
INCIDENT_FROM, INCIDENT_IN_PART_FROM = 0.45, 0.6
# Probability that the whole message reports weariness, below which one tired clause is a manner of speaking.
WEARINESS_FROM = 0.2
# Characters of a clause that is classified by itself.
MIN_PART_CHARACTERS = 4
_INCIDENTS_FILE = Path(__file__).with_name("incidents.json")

Mood = Literal["danger", "figure_of_speech", "complaint", "anger", "worry", "unwell", "none"]
MOODS: tuple[Mood, ...] = get_args(Mood)
# Probability from which a message, or one sentence or clause of it, is in a mood.
MOOD_FROM, MOOD_IN_PART_FROM = 0.3, 0.45
# The same for the mood "danger", in a message or a part of it.
DANGER_FROM = 0.7
# Probability of a mood for the whole message, below which a clause in that mood is taken out of its context.
IN_CONTEXT_FROM = 0.05
# A figure of speech is at least this probable, and a danger at most so.
FIGURE_OF_SPEECH_FROM, MAX_DANGER_OF_FIGURE = 0.5, 0.3
_MOODS_FILE = Path(__file__).with_name("moods.json")


@lru_cache(maxsize=4_096)
def incident(text: str) -> Incident:
    """The incident that a message reports, as a whole or in one of its sentences or clauses; "none" for most."""
    whole = without_unchanged(text[:MAX_CLASSIFIED_CHARACTERS])
    found = _likeliest_incident(whole, INCIDENT_FROM)
    if found != "none":
        return found
    is_weary = incident_probabilities(whole)["weariness"] >= WEARINESS_FROM
    for part in parts_of(whole):
        found = _likeliest_incident(part, INCIDENT_IN_PART_FROM)
        if found != "none" and (is_weary or found != "weariness"):
            return found
    return "none"


def parts_of(text: str) -> list[str]:
    """The sentences of a message and their clauses, but not the message itself."""
    found: dict[str, None] = {}
    for sentence in sentences(text):
        parts = (part.strip() for part in (sentence, *clauses(sentence)))
        found |= dict.fromkeys(part for part in parts if len(part) >= MIN_PART_CHARACTERS)
    return [part for part in found if part != text.strip()]


@lru_cache(maxsize=4_096)
def incident_probabilities(text: str) -> Mapping[Incident, float]:
    """Probability (0 to 1) of each incident; they add up to 1."""
    return label_probabilities(_INCIDENTS_FILE, INCIDENTS, text)


def _likeliest_incident(text: str, threshold: float) -> Incident:
    """The likeliest incident if it is likely enough and has happened, else "none"."""
    probabilities = incident_probabilities(text)
    best = max(INCIDENTS[:-1], key=lambda label: probabilities[label])
    if probabilities[best] < max(threshold, probabilities["none"]) or asks_what_if(normalize(text)):
        return "none"
    return best


@lru_cache(maxsize=4_096)
def moods(text: str) -> frozenset[Mood]:
    """The moods of a message as a whole and of each of its sentences and clauses; empty for most."""
    whole = text[:MAX_CLASSIFIED_CHARACTERS]
    probabilities = mood_probabilities(whole)
    of_parts: set[Mood] = {_likeliest_mood(part, MOOD_IN_PART_FROM) for part in parts_of(whole)}
    found: set[Mood] = {mood for mood in of_parts if probabilities[mood] >= IN_CONTEXT_FROM}
    found.add(_likeliest_mood(whole, MOOD_FROM))
    found.discard("none")
    return frozenset(found)


@lru_cache(maxsize=4_096)
def is_figure_of_speech(text: str) -> bool:
    """Whether what sounds like a danger is surely a figure of speech: "my boss will kill me if ...", 死ぬほど忙しい."""
    probabilities = mood_probabilities(text[:MAX_CLASSIFIED_CHARACTERS])
    return (
        probabilities["figure_of_speech"] >= FIGURE_OF_SPEECH_FROM and probabilities["danger"] <= MAX_DANGER_OF_FIGURE
    )


@lru_cache(maxsize=4_096)
def mood_probabilities(text: str) -> Mapping[Mood, float]:
    """Probability (0 to 1) of each mood; they add up to 1."""
    return label_probabilities(_MOODS_FILE, MOODS, text)


def _likeliest_mood(text: str, threshold: float) -> Mood:
    probabilities = mood_probabilities(text)
    best = max(MOODS[:-1], key=lambda mood: probabilities[mood])
    return best if probabilities[best] >= (DANGER_FROM if best == "danger" else threshold) else "none"
