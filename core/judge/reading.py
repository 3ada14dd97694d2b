"""Everything measured on one sample, before any mark is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.base.language import Script, content, script
from core.base.talk import standalone
from core.base.types import Message, Sample
from core.judge.amounts import Amount, amounts
from core.judge.evidence import FIGURE, Finding, Source, Unit, Weights, is_sentence, look_up, source, sources_of, unit
from core.judge.refusal import is_aside, is_pasted, is_plea, is_refusal, spoken

LONGEST = 12_000  # characters of an answer that are read
CLAIMS = 40  # sentences of an answer that are looked up
SAME_PLACE = 0.85  # passages this near to the best one for the question belong to the matter


class Reading(NamedTuple):
    """What an answer claims, what supports it, and how it stands to the question and the reference (shares are 0 to 1).

    grounded: weight of the claims' supported part; on_topic: how much of the question the answer and its passages cover;
    covered: how much of what the question asks for is said (by the reference, else by the best passage); None where
    there is nothing to compare with. answerable: how well the best passage covers the question.
    """

    need: frozenset[str]
    claims: tuple[Finding, ...]
    expected: tuple[Finding, ...]
    refusal: bool
    pasted: bool
    plea: bool
    grounded: float | None
    direct: float
    placed: float
    covered: float | None
    agrees: float | None
    answerable: float
    best_place: int


def read(sample: Sample) -> Reading:
    """Measure an answer against its contexts, its reference and the person's need."""
    of = _script(sample)
    sources, weights = sources_of((*sample.contexts, *sample.reference), of)
    passages = sources[: len(sample.contexts)]
    need = need_of(sample, of)
    answer = sample.answer[:LONGEST]
    parts = spoken(answer)
    told = told_by(sample)
    claims = _claims(parts, sample.question, of)
    found = tuple(look_up(claim, passages, weights, need, told) for claim in claims)
    agreed = tuple(look_up(claim, sources[len(passages) :], weights, need, told) for claim in claims)
    findings = tuple(_better(one, other) for one, other in zip(found, agreed, strict=True))
    kept = tuple(f for f in findings if f.weight and not (f.state != "supported" and is_aside(f.claim.text)))
    fits = tuple(weights.share(need, one.words) for one in passages)
    best = max(fits, default=0.0)
    whole = source("\n".join(parts), of)
    expected = _expected(sample, whole, need, weights, of)
    return Reading(
        need=need,
        claims=kept,
        expected=expected,
        refusal=any(is_refusal(part) for part in parts),
        pasted=any(is_pasted(part, sample.question) for part in parts),
        plea=any(is_plea(part) for part in parts),
        grounded=_mean(kept) if sources else None,
        direct=weights.share(need, whole.words),
        placed=_placed(found, fits, best),
        covered=_mean(expected) if expected else None,
        agrees=None,
        answerable=best,
        best_place=fits.index(best) + 1 if best else 0,
    )


def _claims(parts: Sequence[str], question: str, of: Script) -> tuple[Unit, ...]:
    told = (part for part in parts if not (is_refusal(part) or is_plea(part) or is_pasted(part, question)))
    return tuple(dict.fromkeys(unit(part, of) for part in told))[:CLAIMS]


def _better(found: Finding, agreed: Finding) -> Finding:
    """The reference's word on a claim (place 0) where it has one, else the passages'."""
    if agreed.state == "supported" or (agreed.state == "contradicted" and found.state != "supported"):
        return agreed._replace(place=found.place if found.state == "supported" else 0)
    return found


def need_of(sample: Sample, of: Script) -> frozenset[str]:
    """The words of what the person wants: the question made standalone by the history, with the intent where known."""
    messages = (*sample.history, Message(role="user", text=sample.question))
    text = standalone(messages) if sample.history else sample.question
    return unit(text[:2_000], of).words | unit(sample.intent, of).words


def told_by(sample: Sample) -> frozenset[Amount]:
    """The figures that the person gave."""
    said = (message.text for message in sample.history if message.role == "user")
    return frozenset().union(*(amounts(text[:2_000]) for text in (*said, sample.question, sample.intent)))


def _script(sample: Sample) -> Script:
    evidence = " ".join((*sample.reference, *sample.contexts))[:1_500]
    return script(evidence or f"{sample.question} {sample.answer}"[:1_500])


def _expected(
    sample: Sample, whole: Source, need: frozenset[str], weights: Weights, of: Script
) -> tuple[Finding, ...]:
    """The claims of the best fitting reference, looked up in the answer."""
    if not sample.reference:
        return _asked(sample, whole, need, weights, of)
    options = [
        tuple(look_up(claim, (whole,), weights, frozenset(), frozenset()) for claim in _claims(spoken(text), "", of))
        for text in sample.reference
    ]
    return max(options, key=_mean, default=())


def _asked(
    sample: Sample, whole: Source, need: frozenset[str], weights: Weights, of: Script
) -> tuple[Finding, ...]:
    """Without a reference: what the passage that fits question and answer best says on the question."""
    passages = sources_of(sample.contexts, of)[0]
    fits = [weights.share(need, one.words) * (0.3 + weights.share(whole.words - need, one.words)) for one in passages]
    if not passages or max(fits) <= 0:
        return ()
    units = [one for one in passages[fits.index(max(fits))].units if is_sentence(one)]
    worth = [0.1 + weights.share(need, one.words) for one in units]
    chosen = [(one, value) for one, value in zip(units, worth, strict=True) if value >= 0.5 * max(worth)]
    found = ((look_up(one, (whole,), weights, frozenset(), frozenset()), value) for one, value in chosen)
    return tuple(finding._replace(weight=value) for finding, value in found)


def _mean(findings: Sequence[Finding]) -> float:
    total = sum(finding.weight for finding in findings)
    return sum(f.weight * (f.share if f.state != "contradicted" else 0.0) for f in findings) / total if total else 0.0


def _placed(findings: Sequence[Finding], fits: Sequence[float], best: float) -> float:
    """How near the passages behind the claims are to the best passage for the question, by weight of claim."""
    total = sum(finding.weight for finding in findings)
    if not total or not best:
        return 0.0
    near = (f.weight * min(f.share / 0.62, 1.0) * fits[f.place - 1] / best for f in findings if 0 < f.place <= len(fits))
    return sum(near) / total
