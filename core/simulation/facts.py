"""Which facts of a scenario a question asks for."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from core.base.frozen_model import FrozenModel
from core.base.means import share
from core.base.toml import bundled_toml
from core.text.fact_sheet import Fact
from core.text.language import content_words
from core.text.normalize import normalize

NAMED_FROM = 2.5  # `match_score` of a fact whose label or family a question names
HINTED_FROM = 1.2  # of one that it hints at
_LOOSE = frozenset({"kind", "subject", "wanted"})
_HEAD = re.compile(r"の?(?:種類|種別|区分|分類|内容)$|\b(?:kind|type)(?: of)?\b", re.IGNORECASE)


class Family(FrozenModel):
    """Labels that mean the same."""

    name: str
    labels: str  # pattern of the labels
    asks: str  # pattern of questions for them
    alone: bool = False  # the value is said without its label
    ja: str = ""  # how a user says it
    en: str = ""


@cache
def families() -> tuple[Family, ...]:
    """The table of `families.toml`, in its order."""
    return tuple(Family.model_validate(row) for row in bundled_toml(__file__, "families.toml")["families"])


@lru_cache(maxsize=4096)
def family_of(label: str) -> Family | None:
    """The first family that the label belongs to."""
    plain = normalize(label)
    return next((family for family in families() if label and re.search(family.labels, plain)), None)


def asked_for(facts: tuple[Fact, ...], question: str, threshold: float = NAMED_FROM) -> tuple[Fact, ...]:
    """The facts a question asks for, at most three, in the order of the sheet; `threshold` is the minimum score.

    "Which …?" fits the kind of anything, so such facts count only if no other is named.
    """
    scores = {fact: match_score(fact, question) for fact in facts}
    good = [fact for fact in facts if scores[fact] >= threshold]
    named = [fact for fact in good if not _is_loose(fact)]
    if named:
        return tuple(named)[:3]
    best = max((scores[fact] for fact in good), default=0.0)
    return tuple(fact for fact in good if scores[fact] >= best * 0.7)[:3]


def _is_loose(fact: Fact) -> bool:
    family = family_of(fact.label)
    return family is not None and family.name in _LOOSE


def match_score(fact: Fact, question: str) -> float:
    """How well a fact answers a question, from 0; `NAMED_FROM` and more if its label or its family is named."""
    plain = normalize(question)
    score = _label_score(fact.label, plain)
    family = family_of(fact.label)
    if family and re.search(family.asks, plain) and _same_head(fact.label, plain):
        score += NAMED_FROM
    return score + share(content_words(fact.value), content_words(question))


def _label_score(label: str, plain: str) -> float:
    if label and re.search(rf"(?<![a-z]){re.escape(normalize(label))}(?![a-z])", plain):
        return 3.0
    return 2.0 * share(content_words(label), content_words(plain))


def _same_head(label: str, plain: str) -> bool:
    """Whether label and question are about the same thing: the kind of leave does not answer "which device?"."""
    if not _HEAD.search(label):
        return True
    words = content_words(_HEAD.sub("", label))
    return not words or any(word in content_words(plain) for word in words)
