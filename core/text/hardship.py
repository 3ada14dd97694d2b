"""What bad thing has happened to the writer of a message, in whatever words: a classifier fitted on
hardship_examples.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from core.text.language import clauses, sentences
from core.text.ngram_classifier import read_classifier
from core.text.normalize import normalize

Hardship = Literal[
    "bereavement", "harassment", "weariness", "lost_device", "intrusion", "phished", "injury", "fire", "none"
]
HARDSHIPS: tuple[Hardship, ...] = get_args(Hardship)
WHOLE, PART = 0.45, 0.6  # probability from which a message, or one sentence or clause of it, tells of it
LONGEST_MESSAGE = 1_000  # characters of a message that are read
WEARIED = 0.2  # probability of the whole below which one tired clause is a manner of speaking
SHORTEST = 4  # characters of a clause that is read by itself
_FILE = Path(__file__).with_name("hardship.json")
_MAY_BE = re.compile(  # what has not happened: a case, a rule, a precaution
    r"場合|(?:た|の)(?:とき|際)(?:は|の|に|、|$)|(?:た|て(?:しまっ)?た)ら|(?:ない|する)(?:よう|ため)|防(?:ぐ|止)|対策|備え|とは[?？]?$"
    r"|\b(?:if|whether|suppose|supposing|in case|whenever|in the event|when (?:an?|some\w+|people|users?|the \w+)|what (?:happens|should|do|to|counts)|prevent|protect|avoid|how (?:do|can|would|will|should) (?:i|we|you) (?:know|tell|see|find out|stop|report))\b"
)


@lru_cache(maxsize=4_096)
def hardship(text: str) -> Hardship:
    """What a message tells of, as a whole or in one of its sentences or clauses; "none" for nothing of the kind."""
    whole = text[:LONGEST_MESSAGE]
    found = _told(whole, WHOLE)
    if found != "none":
        return found
    wearied = hardship_chances(whole)["weariness"] >= WEARIED
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
def hardship_chances(text: str) -> Mapping[Hardship, float]:
    """Probability (0 to 1) of each hardship; they add up to 1."""
    return dict(zip(HARDSHIPS, read_classifier(_FILE).chances(text), strict=True))


def _told(text: str, threshold: float) -> Hardship:
    """The likeliest hardship if it is likely enough and has happened, else none."""
    chances = hardship_chances(text)
    best = max(HARDSHIPS[:-1], key=lambda one: chances[one])
    if chances[best] < threshold or _MAY_BE.search(normalize(text)):
        return "none"
    return best
