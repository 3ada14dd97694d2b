"""How good the evidence for a message is: is its matter in the documents, and is the best section the right one?"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

from core.text.language import Script, content_words
from core.text.questions import without_courtesy

Claim = Literal["documented", "certain"]
FEATURES: dict[Claim, tuple[str, ...]] = {  # and the vector, where there are vectors
    "documented": ("breadth", "words"),
    "certain": ("breadth", "words", "sentence", "share"),
}
WITH_EXAMPLES = ("breadth", "words", "example", "heading")  # of "documented", if sections have example questions
OF_SECTION = ("score", "example", "coverage", "heading_coverage")  # and the vector, where there are vectors
COVERED = (
    0.75  # share of a message's words, by idf, that one section has if it speaks of the matter, however few there are
)
LOOK = 8  # sections that are looked at
FIRST = 3  # of them, those whose headings are
FULL = 200  # passages from which it no longer matters how many there are
SHARP: dict[Script, float] = {"ja": 1.0, "en": 0.3}  # of the strength: weights of signals in fusion.toml sum to 1 or 4


class Found(Protocol):
    """A passage or a section that was found (`Hit`, `Topic`)."""

    @property
    def score(self) -> float: ...
    @property
    def strength(self) -> float: ...
    @property
    def vector(self) -> float | None: ...
    @property
    def example(self) -> float: ...
    @property
    def coverage(self) -> float: ...
    @property
    def sentence_coverage(self) -> float: ...
    @property
    def heading_coverage(self) -> float: ...


def evidence_features(message: str, found: Sequence[Found]) -> dict[str, float]:
    """What the sections found say, best first; nothing of it depends on how many sections there are to search.

    breadth: largest share of the message's words, by idf, that a section has; sentence: that one sentence of the best has;
    words: how many there are (log); share: of the best section's strength among those found
    (softmax); vector: its cosine (0 without vectors); example: how near its nearest example
    question is; heading: largest share of the message's words in the headings of the first ones.
    """
    best, others = found[0], found[:LOOK]
    sharp = SHARP[_language(found)]
    return {
        "breadth": max(one.coverage for one in others),
        "words": math.log1p(len(content_words(without_courtesy(message)))),
        "sentence": best.sentence_coverage,
        "share": 1 / math.fsum(math.exp(sharp * (one.strength - best.strength)) for one in others),
        "vector": best.vector or 0.0,
        "example": best.example,
        "heading": max(one.heading_coverage for one in found[:FIRST]),
    }


def probability(claim: Claim, message: str, found: Sequence[Found]) -> float:
    """Probability (0 to 1) of a claim; coefficients: evidence.toml. 0 where nothing was found."""
    if not found:
        return 0.0
    fitted = _fitted(claim, found)
    values = evidence_features(message, found)
    total = fitted["intercept"] + math.fsum(fitted[name] * value for name, value in values.items() if name in fitted)
    return 1 / (1 + math.exp(-total))


def is_documented(message: str, found: Sequence[Found], searched: int = FULL) -> bool:
    """Whether the documents speak of the message's matter; `searched`: how many passages there are.

    Among few passages little is found by accident, so less is asked of it.
    """
    fitted = _fitted("documented", found)
    if not has_examples(found) and _is_covered(message, found):
        return True
    share = min(1.0, math.log1p(searched) / math.log1p(FULL))
    return probability("documented", message, found) >= share * fitted["threshold"]


def has_examples(found: Sequence[Found]) -> bool:
    """Whether sections have example questions near the message."""
    return any(one.example for one in found)


def section_features(section: Found) -> dict[str, float]:
    """What speaks for one of the sections found as the one that a message is about."""
    return {**{name: getattr(section, name) for name in OF_SECTION}, "vector": section.vector or 0.0}


def section_probability(section: Found) -> float:
    """Probability (0 to 1) that a section answers the message it was found for, if sections have example questions."""
    fitted = _stored()[f"section_{_language((section,))}_examples"]
    values = section_features(section)
    total = fitted["intercept"] + math.fsum(fitted[name] * value for name, value in values.items() if name in fitted)
    return 1 / (1 + math.exp(-total))


def _is_covered(message: str, found: Sequence[Found]) -> bool:
    """Whether one section has most of a message of two words or more."""
    named = len(content_words(without_courtesy(message))) >= 2
    return named and any(one.coverage >= COVERED for one in found[:LOOK])


def _language(found: Sequence[Found]) -> Script:
    """Whose coefficients hold: those with vectors are English."""
    return "en" if found and found[0].vector is not None else "ja"


def _fitted(claim: Claim, found: Sequence[Found]) -> Mapping[str, float]:
    with_examples = claim == "documented" and has_examples(found)
    return _stored()[f"{claim}_{_language(found)}{'_examples' if with_examples else ''}"]


@cache
def _stored() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads(Path(__file__).with_name("evidence.toml").read_text("utf-8"))
