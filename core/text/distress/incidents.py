"""What bad thing has happened to the writer of a message, in whatever words: a classifier fitted on
incident_examples.toml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from core.text.distress.hypothetical import asks_what_if
from core.text.language import clauses, sentences
from core.text.ngram_classifier import read_classifier
from core.text.normalize import LONGEST_MESSAGE, normalize

Incident = Literal[
    "bereavement", "harassment", "weariness", "lost_device", "intrusion", "phished", "injury", "fire", "none"
]
INCIDENTS: tuple[Incident, ...] = get_args(Incident)
WHOLE, PART = 0.45, 0.6  # probability from which a message, or one sentence or clause of it, tells of it
WEARIED = 0.2  # probability of the whole below which one tired clause is a manner of speaking
SHORTEST = 4  # characters of a clause that is read by itself
_FILE = Path(__file__).with_name("incidents.json")


@lru_cache(maxsize=4_096)
def incident(text: str) -> Incident:
    """What a message tells of, as a whole or in one of its sentences or clauses; "none" for nothing of the kind."""
    whole = text[:LONGEST_MESSAGE]
    found = _told(whole, WHOLE)
    if found != "none":
        return found
    wearied = incident_probabilities(whole)["weariness"] >= WEARIED
    for part in parts_of(whole):
        found = _told(part, PART)
        if found != "none" and (wearied or found != "weariness"):
            return found
    return "none"


def parts_of(text: str) -> list[str]:
    """The sentences of a message and their clauses, but not the message itself."""
    found: dict[str, None] = {}
    for sentence in sentences(text):
        parts = [part.strip() for part in clauses(sentence)]
        found |= dict.fromkeys(one for one in (sentence.strip(), *parts) if len(one) >= SHORTEST)
    return [one for one in found if one != text.strip()]


@lru_cache(maxsize=4_096)
def incident_probabilities(text: str) -> Mapping[Incident, float]:
    """Probability (0 to 1) of each incident; they add up to 1."""
    return dict(zip(INCIDENTS, read_classifier(_FILE).probabilities(text), strict=True))


def _told(text: str, threshold: float) -> Incident:
    """The likeliest incident if it is likely enough and has happened, else none."""
    probabilities = incident_probabilities(text)
    best = max(INCIDENTS[:-1], key=lambda one: probabilities[one])
    if probabilities[best] < max(threshold, probabilities["none"]) or asks_what_if(normalize(text)):
        return "none"
    return best
