"""A reference of whole sentences against an answer: each of its claims is found, contradicted or missing."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.base.types import Language, Sample
from core.judges.correctness.correctness_verdict import REASONS, Claim, CorrectnessVerdict, Status
from core.judges.prompt_data import sways_grader
from core.judges.rules.answer_measures import Measures, measure
from core.judges.rules.evidence import SUPPORTED, Finding
from core.text.language import script, sentences
from core.text.numbers import amounts
from core.text.refusals import is_aside

FOUND = 0.36  # share of a claim's weight from which an answer that keeps its figures says it in other words
AGREES = 0.4  # share of the answer's own claims that the reference must then hold
ESSENTIAL = 0.5  # share of the heaviest claim's weight from which a claim is essential
_ENDS = re.compile(
    r"(?:です|ます|ません|でした|ました|ください|下さい|であ(?:る|った)|できる|される|する|した|い(?:る|た)|ない)[。．.!！]?\s*$|。\s*$"
)


class ReferenceClaim(NamedTuple):
    """One claim of the reference: its text, the answer's words for it, how much it weighs and how it stands.

    reference_span, answer_span: of a contradicted claim, the two figures or clauses that disagree.
    """

    claim: str
    evidence: str
    weight: float
    status: Status
    reference_span: str = ""
    answer_span: str = ""


def is_long(reference: str) -> bool:
    """Whether a reference states things in sentences, rather than naming a thing."""
    text = reference.strip()
    of = script(text)
    if of == "en":
        whole = [one for one in sentences(text) if len(one.split()) >= 4]
        return len(whole) >= 2 or (len(text.split()) >= 7 and text[:1].isupper() and text.endswith((".", "!")))
    return (len(text) >= 10 and bool(_ENDS.search(text))) or (of == "zh" and len(text) >= 20)


def judge_claims(sample: Sample, reference: str, language: Language) -> CorrectnessVerdict:
    """The verdict by one reference: Yes when all essential claims are found and none is contradicted."""
    found = measure(sample.model_copy(update={"reference": (reference,), "contexts": ()}))
    claims = _reference_claims(found)
    against = next((one for one in claims if one.status == "contradicted"), None) or _against(found)
    heaviest = max((one.weight for one in claims), default=0.0)
    missing = [one for one in claims if one.status == "missing"]
    essential = next((one for one in missing if one.weight >= ESSENTIAL * heaviest), None)
    yes = bool(claims) and any(one.status == "found" for one in claims) and not against and not essential
    listed = [*claims, *([against] if against and against not in claims else ())]
    nothing = ReferenceClaim(reference, "", 0.0, "missing")
    return CorrectnessVerdict(
        claims=tuple(
            Claim(
                claim=one.claim,
                essential=one.weight >= ESSENTIAL * heaviest,
                evidence=one.evidence,
                status=one.status,
            )
            for one in listed or [nothing]
        ),
        reason=_reason(found, claims, against, essential or next(iter(missing), None), yes, reference, language),
    )


def _reference_claims(found: Measures) -> tuple[ReferenceClaim, ...]:
    """The claims of the reference, heaviest first."""
    least = FOUND if (found.agrees or 0.0) >= AGREES else SUPPORTED
    claims = (_status(one, found.parts, least) for one in found.expected if one.weight)
    return tuple(sorted(claims, key=lambda one: -round(one.weight, 6)))


def _status(one: Finding, parts: tuple[str, ...], least: float) -> ReferenceClaim:
    evidence = one.unit.text if one.unit else ""
    if one.state == "contradicted":
        contradicting = next(
            (part for part in parts if any(figure.text == one.evidence_span for figure in amounts(part))), evidence
        )
        return ReferenceClaim(
            one.claim.text, contradicting, one.weight, "contradicted", one.claim_span, one.evidence_span
        )
    if one.state == "supported" or (not one.claim_span and one.share >= least):
        return ReferenceClaim(one.claim.text, evidence, one.weight, "found")
    return ReferenceClaim(one.claim.text, "", one.weight, "missing")


def _against(found: Measures) -> ReferenceClaim | None:
    """What the answer says against the reference, if no claim of the reference was seen to be contradicted."""
    wrong = [one for one in found.claims if one.state == "contradicted" and not is_aside(one.claim.text)]
    if not wrong:
        return None
    worst = max(wrong, key=lambda one: one.weight)
    claim_span = worst.claim_span or worst.claim.text
    return ReferenceClaim(
        worst.evidence_span, worst.claim.text, worst.weight, "contradicted", worst.evidence_span, claim_span
    )


def _reason(
    found: Measures,
    claims: tuple[ReferenceClaim, ...],
    against: ReferenceClaim | None,
    missing: ReferenceClaim | None,
    yes: bool,
    reference: str,
    language: Language,
) -> str:
    if yes:
        evidence = next(one.evidence for one in claims if one.status == "found")
        return (
            REASONS("found.mostly", language, missing=missing.claim)
            if missing
            else REASONS("found.claims", language, evidence=evidence)
        )
    if not found.parts:
        return REASONS("missing.empty", language, reference=reference)
    if found.refusal and not found.claims:
        return REASONS("missing.refused", language, reference=reference)
    if against:
        return REASONS("wrong.claims", language, reference=against.reference_span, evidence=against.answer_span)
    if not found.claims:
        return REASONS("missing.nothing" if any(map(sways_grader, found.parts)) else "missing.silent", language)
    return REASONS("missing.claims", language, missing=missing.claim if missing else reference)
