"""Compares an answer with a reference of whole sentences: each claim of it is found, contradicted or missing."""

from __future__ import annotations

import re

from core.base.types import Language, Sample
from core.judges.correctness.assertions import sways_grader
from core.judges.correctness.correctness_verdict import REASONS, Claim, CorrectnessVerdict
from core.judges.rules.answer_measures import Measures, measure
from core.judges.rules.claim_check import SUPPORTED_FROM, ClaimCheck, quoted_at, segment_text
from core.judges.rules.figures import is_listed_row
from core.text.language import content_words, script, sentences
from core.text.numbers import amounts
from core.text.refusals import answer_sentences, is_boilerplate

REPHRASED_CLAIM_FROM = 0.36  # share of a claim's weight from which an answer with all its figures rephrases it
REFERENCE_AGREEMENT_FROM = 0.4  # share of the answer's claims that the reference must support for that
MIN_QUOTED_WORDS = 3  # content words of a sentence of the reference that an answer may quote
ESSENTIAL_FROM = 0.5  # share of the heaviest claim's weight from which a claim is essential
_ENDS = re.compile(
    r"(?:です|ます|ません|でした|ました|ください|下さい|であ(?:る|った)|できる|される|する|した|い(?:る|た)|ない)[。．.!！]?\s*$|。\s*$"
)


def is_long(reference: str) -> bool:
    """Whether a reference is whole sentences rather than a name, a figure or a phrase."""
    text = reference.strip()
    of = script(text)
    if of == "en":
        whole = [one for one in sentences(text) if len(one.split()) >= 4]
        return len(whole) >= 2 or (len(text.split()) >= 7 and text[:1].isupper() and text.endswith((".", "!")))
    return (len(text) >= 10 and bool(_ENDS.search(text))) or (of == "zh" and len(text) >= 20)


def quotes_reference(answer: str, reference: str) -> bool:
    """Whether an answer has the sentences of a reference word for word, those of three words or more: a sentence of the
    answer about something else is then no contradiction, unless it has another figure."""
    said, of = segment_text(answer, script(answer)), script(reference)
    parts = [part for part in answer_sentences(reference) if len(content_words(part, of)) >= MIN_QUOTED_WORDS]
    return bool(parts) and all(quoted_at(part, said) for part in parts)


def judge_claims(sample: Sample, reference: str, language: Language) -> CorrectnessVerdict:
    """The verdict by one reference: Yes if all essential claims are found and none is contradicted."""
    measures = measure(sample.model_copy(update={"reference": (reference,), "contexts": ()}))
    expected = sorted((one for one in measures.expected if one.weight), key=lambda one: -round(one.weight, 6))
    essential = ESSENTIAL_FROM * max((one.weight for one in expected), default=0.0)
    claims = [_claim(one, measures, one.weight >= essential) for one in expected]
    against = next(((one.claim_span, one.evidence_span) for one in expected if one.state == "contradicted"), None)
    is_quoted = quotes_reference(sample.answer, reference)
    if not against and (worst := _worst(measures)) and not (is_quoted and not amounts(worst.claim_span)):
        against = worst.evidence_span, worst.claim_span or worst.claim.text
        is_essential = worst.weight >= essential
        claims.append(_contradicted(worst.evidence_span, worst.claim.text, is_essential))
    claims = claims or [Claim(claim=reference, evidence="", status="missing")]
    verdict = CorrectnessVerdict(claims=tuple(claims), reason="")
    key, words = _reason(measures, verdict, against)
    reason = REASONS(key, language, **{"reference": reference, "missing": reference, **words})
    return verdict.model_copy(update={"reason": reason})


def _claim(one: ClaimCheck, measures: Measures, essential: bool) -> Claim:
    """The status of a claim of the reference, with the sentence of the answer that decides it."""
    text, evidence = one.claim.text, one.nearest.text if one.nearest else ""
    if one.state == "contradicted":
        stated = ((part, {figure.text for figure in amounts(part)}) for part in measures.sentences)
        saying = next((part for part, figures in stated if one.evidence_span in figures), evidence)
        return _contradicted(text, saying, essential)
    agrees = (measures.reference_agreement or 0.0) >= REFERENCE_AGREEMENT_FROM
    min_share = REPHRASED_CLAIM_FROM if agrees else SUPPORTED_FROM
    if one.state == "supported" or (not one.claim_span and one.share >= min_share):
        return Claim(claim=text, essential=essential, evidence=evidence, status="found")
    return Claim(claim=text, essential=essential, evidence="", status="missing")


def _contradicted(claim: str, evidence: str, essential: bool) -> Claim:
    return Claim(claim=claim, essential=essential, evidence=evidence, status="contradicted")


def _worst(measures: Measures) -> ClaimCheck | None:
    """The weightiest claim of the answer that the reference contradicts; rows of a table whose other rows say what the
    reference says are about other cases."""
    wrong = (one for one in measures.claims if one.state == "contradicted" and not is_boilerplate(one.claim.text))
    says_all = all(one.state == "supported" for one in measures.expected if one.weight)
    wrong = (one for one in wrong if not (says_all and is_listed_row(one.claim.text)))
    return max(wrong, key=lambda one: one.weight, default=None)


def _reason(
    measures: Measures, verdict: CorrectnessVerdict, against: tuple[str, str] | None
) -> tuple[str, dict[str, str]]:
    """(the key of the reason, what fills its placeholders)."""
    missing = sorted((one for one in verdict.claims if one.status == "missing"), key=lambda one: not one.essential)
    if verdict.verdict == "Yes":
        evidence = next(one.evidence for one in verdict.claims if one.status == "found")
        return ("found.mostly", {"missing": missing[0].claim}) if missing else ("found.claims", {"evidence": evidence})
    if not measures.sentences:
        return "missing.empty", {}
    if measures.has_refusal and not measures.claims:
        return "missing.refused", {}
    if against:
        return "wrong.claims", {"reference": against[0], "evidence": against[1]}
    if not measures.claims:
        return "missing.nothing" if any(map(sways_grader, measures.sentences)) else "missing.silent", {}
    return "missing.claims", {"missing": missing[0].claim} if missing else {}
