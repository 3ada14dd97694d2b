"""Compares an answer with a short reference (a name, a date, a figure, a phrase) by a fitted model, and says why."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from core.base.means import share
from core.base.probabilities import logistic
from core.base.toml import bundled_toml
from core.base.types import Language
from core.judges.correctness.assertions import Assertions, assertions_of, reason_for_none
from core.judges.correctness.correctness_verdict import REASONS, Claim, CorrectnessVerdict, Status
from core.judges.correctness.reference_features import (
    ITEM_MATCHED_FROM,
    Features,
    best_of,
    content,
    is_contained,
    items,
)
from core.text.comparable import comparable
from core.text.dates import dates

RIGHT_FROM = 0.5  # probability from which an answer counts as right
Tree = Callable[[Mapping[str, float]], float]
_TOKEN = re.compile(r"[()?:]|<=|[a-z_]+|-?\d+(?:\.\d+)?(?:e-?\d+)?")


def right_probability(measured: Mapping[str, float]) -> float:
    """The probability (0 to 1) that people call the answer right; raises KeyError if a feature is missing."""
    bias, trees = _forest()
    return logistic(bias + math.fsum(tree(measured) for tree in trees))


def tree_of(text: str) -> Tree:
    """A tree from its text: `in_answer <= 0.5 ? (date <= 0.2 ? -0.3 : 0.1) : 0.4`."""
    return _grown(_TOKEN.findall(text)[::-1])


def _grown(rest: list[str]) -> Tree:
    """The tree at the top of a stack of tokens, which are popped."""
    token = rest.pop()
    if token == "(":
        tree = _grown(rest)
        rest.pop()  # )
        return tree
    if not token[0].isalpha():
        value = float(token)
        return lambda measured: value
    rest.pop()  # <=
    threshold = float(rest.pop())
    rest.pop()  # ?
    below = _grown(rest)
    rest.pop()  # :
    above = _grown(rest)
    return lambda measured: (below if measured[token] <= threshold else above)(measured)


@cache
def _forest() -> tuple[float, tuple[Tree, ...]]:
    stored = bundled_toml(__file__, "correctness.toml")
    return float(stored["bias"]), tuple(map(tree_of, stored["trees"]))


def judge_short(question: str, answer: str, references: Sequence[str], language: Language) -> CorrectnessVerdict:
    """The verdict by the reference that the answer fits best."""
    asserted = assertions_of(answer)
    best, measured = best_of(question, answer, references)
    yes = is_right(measured, right_probability(measured))
    key = _found(measured) if yes else _failed(measured, asserted, best, bool(answer.strip()))
    missing = next((item for item in items(best) if not _holds(asserted, item)), best)
    words = {"reference": best, "evidence": nearest_part(asserted, best), "missing": missing}
    return CorrectnessVerdict(claims=_claims(asserted, best, yes, key), reason=REASONS(key, language, **words))


def is_right(measured: Features, likely: float) -> bool:
    """Whether an answer counts as right: by the model's probability, but always for the same words and never for a
    denial, a row of candidates or an empty answer."""
    if measured["empty"] or measured["denied"] or (measured["scattered"] and not measured["exact"]):
        return False
    return measured["exact"] == 1.0 or likely >= RIGHT_FROM


def nearest_part(asserted: Assertions, wanted: str) -> str:
    """The first assertion that shares most words with a reference; "" without assertions."""
    stems = content(comparable(wanted))
    return max(asserted.parts, key=lambda part: share(stems, frozenset(comparable(part).stems)), default="")


def _found(measured: Features) -> str:
    if measured["exact"] or measured["same_set"]:
        return "found.same"
    if measured["in_answer"]:
        return "found.contained"
    if measured["date"] > 0 or (measured["span"] > 0 and not measured["figures_matched"]):
        return "found.date"
    return "found.figure" if measured["figures_wanted"] and measured["figures_matched"] >= 1 else "found.near"


def _failed(measured: Features, asserted: Assertions, wanted: str, written: bool) -> str:
    if not asserted.parts:
        return reason_for_none(asserted, written)
    if measured["denied"]:
        return "wrong.denied"
    if measured["scattered"]:
        return "wrong.several"
    if measured["date"] < 0 or (measured["span"] < 0 and dates(wanted)):
        return "wrong.date"
    if measured["figures_other"]:
        return "wrong.figure"
    if asserted.opens and measured["coverage_new"] < ITEM_MATCHED_FROM:
        return "missing.refused"
    if measured["in_answer"] or measured["coverage_new"] >= 1:
        return "wrong.doubtful"
    return "missing.partly" if 0 < measured["items_matched"] < 1 and len(items(wanted)) > 1 else "wrong.other"


def _claims(asserted: Assertions, wanted: str, yes: bool, key: str) -> tuple[Claim, ...]:
    """One claim for each item of the reference; in a right answer all of them count as found."""
    missed: Status = "missing" if key.startswith("missing") else "contradicted"
    verdicts = [yes or (_holds(asserted, item) and key != "wrong.denied") for item in items(wanted)]
    all_wrong = not yes and all(verdicts)  # the words are there, but not as the answer: one of several, say
    statuses: list[Status] = ["found" if is_held and not all_wrong else missed for is_held in verdicts]
    return tuple(
        Claim(claim=item, evidence="" if status == "missing" else nearest_part(asserted, item), status=status)
        for item, status in zip(items(wanted), statuses, strict=True)
    )


def _holds(asserted: Assertions, item: str) -> bool:
    want, whole = comparable(item), comparable(asserted.text)
    return is_contained(want, whole) or share(content(want), frozenset(whole.stems)) >= ITEM_MATCHED_FROM
