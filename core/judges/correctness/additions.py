"""What an answer says beyond its reference."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.types import Sample
from core.judges.correctness.assertions import assertions_of
from core.judges.correctness.features import fresh
from core.judges.correctness.long_reference import is_long
from core.judges.rules.evidence import Finding
from core.judges.turn.measures import measure, question_of
from core.text.language import script
from core.text.numbers import amounts, is_among
from core.text.refusals import is_aside
from core.text.spelling import comparable, figures
from core.text.synonyms import claim_words

FEW = 1  # further content words that an assertion may hold beside a short reference: a title, a verb
BORNE = 0.35  # share (0 to 1) of a claim from which it says in other words what is written


def addition(sample: Sample) -> str:
    """What the answer adds to the reference that it adds least to; "" for nothing."""
    found = [_added(sample, text) for text in sample.reference if text.strip()]
    return min(found, key=len, default="")


def unsupported_claim(claims: Iterable[Finding]) -> str:
    """The first claim that what it was looked up in does not hold, in whatever words; "" for none."""
    asides = (one for one in claims if not is_aside(one.claim.text))
    return next((one.claim.text for one in asides if one.state == "missing" and (one.said or one.share < BORNE)), "")


def _added(sample: Sample, reference: str) -> str:
    if is_long(reference):
        return unsupported_claim(measure(sample.model_copy(update={"reference": (reference,), "contexts": ()})).claims)
    question = question_of(sample)
    parts = (part for part in assertions_of(sample.answer).parts if not is_aside(part))
    return next((part for part in parts if _adds(part, question, reference)), "")


def _adds(part: str, question: str, reference: str) -> bool:
    of = script(part)
    if of == "en":
        words = [
            word
            for word in fresh(comparable(part), comparable(question))
            if word not in frozenset(comparable(reference).stems)
        ]
        known = frozenset(figures(f"{reference} {question}"))
        return len(words) > FEW or any(one not in known for one in figures(part))
    more = claim_words(part, of) - claim_words(question, of) - claim_words(reference, of)
    told = amounts(reference) | amounts(question)
    return len(more) > FEW or any(not is_among(one, told) for one in amounts(part))
