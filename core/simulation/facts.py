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

ASKED = 2.5
HINTED = 1.2
_LOOSE = frozenset({"kind", "subject", "wanted"})
_HEAD = re.compile(r"の?(?:種類|種別|区分|分類|内容)$|\b(?:kind|type)(?: of)?\b", re.IGNORECASE)


class Family(FrozenModel):
    """Labels that mean the same, how they are asked for, and how a person says them."""

    name: str
    labels: str
    asks: str
    alone: bool = False
    ja: str = ""
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


def asked_for(facts: tuple[Fact, ...], question: str, threshold: float = ASKED) -> tuple[Fact, ...]:
    """The facts a question asks for, at most three, in the order of the sheet; `threshold` is the weakest match taken.

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
    """How well a fact answers a question, from 0; `ASKED` and more when its label or its family is named."""
    plain = normalize(question)
    score = _label_score(fact.label, plain)
    family = family_of(fact.label)
    if family and re.search(family.asks, plain) and _same_head(fact.label, plain):
        score += ASKED
    return score + share(content_words(fact.value), content_words(question))


def _label_score(label: str, plain: str) -> float:
    if label and re.search(rf"(?<![a-z]){re.escape(normalize(label))}(?![a-z])", plain):
        return 3.0
    return 2.0 * share(content_words(label), content_words(plain))


def _same_head(label: str, plain: str) -> bool:
    """The kind of leave is not told to somebody who asks which device."""
    if not _HEAD.search(label):
        return True
    words = content_words(_HEAD.sub("", label))
    return not words or any(word in content_words(plain) for word in words)
