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
FEATURES = ("coverage", "breadth", "words", "lead")
DOMINANT, FAR = 0.5, 0.4  # probability of "certain", and lead of the best score, of a section that needs no asking
COVERED = (
    0.75  # share of a message's words, by idf, that one section has if it speaks of the matter, however few there are
)
RIVAL = 0.85  # share of what the best section covers from which another one is a rival
LOOK = 6  # sections that are looked at
FULL = 200  # passages from which it no longer matters how many there are


class Found(Protocol):
    """A passage or a section that was found (`Hit`, `Topic`)."""

    @property
    def score(self) -> float: ...
    @property
    def vector(self) -> float | None: ...
    @property
    def coverage(self) -> float: ...


def evidence_features(message: str, found: Sequence[Found]) -> dict[str, float]:
    """What the sections found say, best first; nothing of it depends on how many sections there are to search.

    Share of the message's words, by idf, that the best and the best of all have; how many words there are; how far the
    score of the best leads the next (0 to 1); cosine of its vector (0 without vectors).
    """
    best, others = found[0], found[1:LOOK]
    return {
        "coverage": best.coverage,
        "breadth": max(one.coverage for one in found[:LOOK]),
        "words": math.log1p(len(content_words(without_courtesy(message)))),
        "lead": best.score - max((one.score for one in others), default=0.0),
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


def is_documented(message: str, found: Sequence[Found], searched: int = FULL) -> bool:
    """Whether the documents speak of the message's matter; `searched`: how many passages there are.

    Among few passages little is found by accident, so less is asked of it.
    """
    named = len(content_words(without_courtesy(message))) >= 2 and any(one.coverage >= COVERED for one in found[:LOOK])
    share = min(1.0, math.log1p(searched) / math.log1p(FULL))
    return named or probability("documented", message, found) >= share * _threshold("documented", found)


def is_certain(message: str, found: Sequence[Found]) -> bool:
    """Whether the best section is likely enough the right one to answer from it at once."""
    covered = bool(found) and found[0].coverage >= COVERED
    likely = probability("certain", message, found) >= _threshold("certain", found)
    return covered or (likely and is_documented(message, found))


def is_dominant(message: str, found: Sequence[Found]) -> bool:
    """Whether the best section is so likely the right one, and so far before the next, that nothing needs to be asked."""
    if not found or any(one.coverage >= RIVAL * found[0].coverage for one in found[1:LOOK]):
        return False
    return probability("certain", message, found) >= DOMINANT and evidence_features(message, found)["lead"] >= FAR


def _threshold(claim: Claim, found: Sequence[Found]) -> float:
    return _fitted(claim, "en" if found and found[0].vector is not None else "ja")["threshold"]


def _fitted(claim: Claim, of: Script) -> Mapping[str, float]:
    return _stored()[f"{claim}_{of}"]


@cache
def _stored() -> Mapping[str, Mapping[str, float]]:
    return tomllib.loads(Path(__file__).with_name("evidence.toml").read_text("utf-8"))
