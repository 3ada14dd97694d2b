"""What an answer says beyond its reference."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.types import Sample
from core.judges.correctness.assertions import said
from core.judges.correctness.features import fresh
from core.judges.correctness.long_reference import is_long
from core.judges.rules.evidence import Finding
from core.judges.turn.measures import question_of, read
from core.text.amounts import among, amounts
from core.text.dates import figures
from core.text.language import script
from core.text.refusals import is_aside
from core.text.word_forms import form
from core.text.wording import wording

FEW = 1  # further content words that an assertion may hold beside a short reference: a title, a verb
BORNE = 0.35  # share (0 to 1) of a claim from which it says in other words what is written


def addition(sample: Sample) -> str:
    """What the answer adds to the reference that it adds least to; "" for nothing."""
    found = [_added(sample, text) for text in sample.reference if text.strip()]
    return min(found, key=len, default="")


def unheld(claims: Iterable[Finding]) -> str:
    """The first claim that what it was looked up in does not hold, in whatever words; "" for none."""
    asides = (one for one in claims if not is_aside(one.claim.text))
    return next((one.claim.text for one in asides if one.state == "missing" and (one.said or one.share < BORNE)), "")


def _added(sample: Sample, reference: str) -> str:
    if is_long(reference):
        return unheld(read(sample.model_copy(update={"reference": (reference,), "contexts": ()})).claims)
    question = question_of(sample)
    parts = (part for part in said(sample.answer).parts if not is_aside(part))
    return next((part for part in parts if _adds(part, question, reference)), "")


def _adds(part: str, question: str, reference: str) -> bool:
    of = script(part)
    if of == "en":
        words = [word for word in fresh(form(part), form(question)) if word not in frozenset(form(reference).stems)]
        known = frozenset(figures(f"{reference} {question}"))
        return len(words) > FEW or any(one not in known for one in figures(part))
    more = wording(part, of) - wording(question, of) - wording(reference, of)
    told = amounts(reference) | amounts(question)
    return len(more) > FEW or any(not among(one, told) for one in amounts(part))
