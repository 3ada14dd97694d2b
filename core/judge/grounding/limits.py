"""What a claim adds to or turns in its passage: a bound, a period, "only", a deadline, a Chinese no."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from core.base.language import normalise
from core.judge.turn.evidence import Unit

FILE = Path(__file__).with_name("limits.toml")
ABOUT = 0.5  # share of a claim's words from which a sentence of a passage is about the same thing


class Added(NamedTuple):
    """The word of the claim, and what a sentence of the passages says instead ("" when nothing)."""

    said: str
    instead: str = ""


def added(claim: Unit, near: Sequence[Unit], asked: str) -> Added | None:
    """What the claim says that its passages do not, else none; `near`: their sentences about the same thing; `asked`: the question."""
    if not near:
        return None
    same = next((one for one in near if normalise(claim.text).rstrip("。.") in normalise(one.text)), None)
    if same is not None:
        return None
    return _kinds(claim, near, asked) or _refused(claim, near)


def about(claim: Unit, units: Sequence[Unit]) -> list[Unit]:
    """The sentences that hold at least half of the most words of a claim that one of them holds."""
    shared = [len(claim.words & one.words) for one in units]
    most = max(shared, default=0)
    return [one for one, count in zip(units, shared, strict=True) if most and count >= ABOUT * most + 0.5]


def _kinds(claim: Unit, near: Sequence[Unit], asked: str) -> Added | None:
    """A bound or a period where the passages have another one; "only" and deadlines where they have none."""
    for first, second in _rules()["against"]:
        said = first.search(claim.text)
        if not said or second.search(claim.text) or any(first.search(one.text) for one in near):
            continue
        rivals = [one for one in near if second.search(one.text) and _comparable(claim, one)]
        if rivals and not first.search(asked):
            return Added(said[0], rivals[0].text)
    for pattern, other in _rules()["alone"]:
        said = pattern.search(claim.text)
        if said and not pattern.search(asked) and not any(other.search(one.text) for one in near):
            return Added(said[0])
    return None


def _comparable(claim: Unit, other: Unit) -> bool:
    """Whether both speak of a common figure, or neither has any."""
    return bool({one.figure for one in claim.figures} & {one.figure for one in other.figures}) or not claim.figures


def _refused(claim: Unit, near: Sequence[Unit]) -> Added | None:
    """A Chinese yes for a no, or something counted in that the passages except."""
    if claim.of != "zh":
        return None
    best = max(near, key=lambda one: len(_pairs(claim.text) & _pairs(one.text)))
    no = _rules()["no_zh"]
    alike = len(_pairs(claim.text) & _pairs(best.text)) >= ABOUT * len(_pairs(claim.text))
    if alike and bool(no.search(claim.text)) != bool(no.search(best.text)):
        return Added(claim.text, best.text)
    for one in near:
        for match in _rules()["except_zh"].finditer(one.text):
            thing = match[1] or match[2]
            if thing in claim.text and not _rules()["except_zh"].search(claim.text) and not no.search(claim.text):
                return Added(thing, one.text)
    return None


@lru_cache(maxsize=4_096)
def _pairs(text: str) -> frozenset[str]:
    plain = re.sub(r"\W", "", _rules()["no_zh"].sub("", text))
    return frozenset(plain[at : at + 2] for at in range(len(plain) - 1))


@cache
def _rules() -> dict[str, Any]:
    stored = tomllib.loads(FILE.read_text("utf-8"))
    pairs = [tuple(re.compile(text, re.IGNORECASE) for text in pair) for pair in stored["against"]]
    return {
        "against": [pair for one, other in pairs for pair in ((one, other), (other, one))],
        "alone": [tuple(re.compile(text, re.IGNORECASE) for text in pair) for pair in stored["alone"]],
        "no_zh": re.compile(stored["no_zh"]),
        "except_zh": re.compile(stored["except_zh"]),
    }
