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
FEATURES = ("strength", "lead", "coverage", "breadth", "lexical", "words")
DOMINANT = 0.5  # probability of "certain" from which even a message of two words is answered at once
COVERED = (
    0.75  # share of a message's words, by idf, that one section has if it speaks of the matter, however few there are
)
LOOK = 6  # sections that are looked at


class Found(Protocol):
    """A passage or a section that was found (`Hit`, `Topic`)."""

    @property
    def strength(self) -> float: ...
    @property
    def lexical(self) -> float: ...
    @property
    def vector(self) -> float | None: ...
    @property
    def coverage(self) -> float: ...


def evidence_features(message: str, found: Sequence[Found]) -> dict[str, float]:
    """What the sections found say, best first.

    How far the best stands out, and leads the next; share of the message's words, by idf, that it and the best of all
    have; BM25; how many words there are; cosine of its vector (0 without vectors).
    """
    best, others = found[0], found[1:LOOK]
    return {
        "strength": best.strength,
        "lead": best.strength - max((one.strength for one in others), default=0.0),
        "coverage": best.coverage,
        "breadth": max(one.coverage for one in found[:LOOK]),
        "lexical": math.log1p(best.lexical),
        "words": math.log1p(len(content_words(without_courtesy(message)))),
        "vector": best.vector or 0.0,
    }


def probability(claim: Claim, message: str, found: Sequence[Found]) -> float:
    """Probability (0 to 1) of a claim; coefficients: evidence.toml. 0 where nothing was found."""
    if not found:
        return 0.0
    fitted = _fitted(claim, "en" if found[0].vector is not None else "ja")
    values = evidence_features(message, found)
    total = fitted["intercept"] + math.fsum(fitted[name] * value for name, value in values.items() if name in fitted)
    return 1 / (1 + math.exp(-total))


def is_documented(message: str, found: Sequence[Found]) -> bool:
    """Whether the documents speak of the message's matter."""
    named = len(content_words(without_courtesy(message))) >= 2 and any(one.coverage >= COVERED for one in found[:LOOK])
    return named or probability("documented", message, found) >= _threshold("documented", found)


def is_certain(message: str, found: Sequence[Found]) -> bool:
    """Whether the best section is likely enough the right one to answer from it at once."""
    covered = bool(found) and found[0].coverage >= COVERED
    return covered or probability("certain", message, found) >= _threshold("certain", found)


def is_dominant(message: str, found: Sequence[Found]) -> bool:
    """Whether the best section is so likely the right one that nothing needs to be asked."""
    return probability("certain", message, found) >= DOMINANT


def _threshold(claim: Claim, found: Sequence[Found]) -> float:
    return _fitted(claim, "en" if found and found[0].vector is not None else "ja")["threshold"]


def _fitted(claim: Claim, of: Script) -> Mapping[str, float]:
    return _stored()[f"{claim}_{of}"]


@cache
def _stored() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads(Path(__file__).with_name("evidence.toml").read_text("utf-8"))
