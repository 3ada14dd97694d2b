"""A reference of whole sentences against an answer: each of its claims is found, contradicted or missing."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.base.language import script, sentences
from core.base.types import Language, Sample
from core.judge.correctness.say import say
from core.judge.correctness.verdict import Claim, CorrectnessVerdict, Status
from core.judge.text.amounts import amounts
from core.judge.text.plea import to_grader
from core.judge.text.refusal import is_aside
from core.judge.turn.evidence import SUPPORTED, Finding
from core.judge.turn.reading import Reading, read

FOUND = 0.36  # share of a claim's weight from which an answer that keeps its figures says it in other words
AGREES = 0.4  # share of the answer's own claims that the reference must then hold
ESSENTIAL = 0.5  # share of the heaviest claim's weight from which a claim is essential
_ENDS = re.compile(
    r"(?:です|ます|ません|でした|ました|ください|下さい|であ(?:る|った)|できる|される|する|した|い(?:る|た)|ない)[。．.!！]?\s*$|。\s*$"
)


class Looked(NamedTuple):
    """One claim of the reference: its text, the answer's words for it, how much it weighs and how it stands.

    wanted, said: of a contradicted claim, the two figures or clauses that disagree.
    """

    claim: str
    evidence: str
    weight: float
    status: Status
    wanted: str = ""
    said: str = ""


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
    found = read(sample.model_copy(update={"reference": (reference,), "contexts": ()}))
    looked = _looked(found)
    against = next((one for one in looked if one.status == "contradicted"), None) or _against(found)
    heaviest = max((one.weight for one in looked), default=0.0)
    lacking = [one for one in looked if one.status == "missing"]
    essential = next((one for one in lacking if one.weight >= ESSENTIAL * heaviest), None)
    yes = bool(looked) and any(one.status == "found" for one in looked) and not against and not essential
    return CorrectnessVerdict(
        claims=tuple(Claim(claim=one.claim, evidence=one.evidence, status=one.status) for one in looked),
        reason=_reason(found, looked, against, essential or next(iter(lacking), None), yes, reference, language),
        verdict="Yes" if yes else "No",
    )


def _looked(found: Reading) -> tuple[Looked, ...]:
    """The claims of the reference, heaviest first."""
    least = FOUND if (found.agrees or 0.0) >= AGREES else SUPPORTED
    looked = (_status(one, found.parts, least) for one in found.expected if one.weight)
    return tuple(sorted(looked, key=lambda one: -round(one.weight, 6)))


def _status(one: Finding, parts: tuple[str, ...], least: float) -> Looked:
    held = one.unit.text if one.unit else ""
    if one.state == "contradicted":
        told = next((part for part in parts if any(figure.text == one.found for figure in amounts(part))), held)
        return Looked(one.claim.text, told, one.weight, "contradicted", one.said, one.found)
    if one.state == "supported" or (not one.said and one.share >= least):
        return Looked(one.claim.text, held, one.weight, "found")
    return Looked(one.claim.text, "", one.weight, "missing")


def _against(found: Reading) -> Looked | None:
    """What the answer says against the reference, where no claim of the reference was seen to be contradicted."""
    wrong = [one for one in found.claims if one.state == "contradicted" and not is_aside(one.claim.text)]
    if not wrong:
        return None
    worst = max(wrong, key=lambda one: one.weight)
    said = worst.said or worst.claim.text
    return Looked(worst.found, worst.claim.text, worst.weight, "contradicted", worst.found, said)


def _reason(
    found: Reading,
    looked: tuple[Looked, ...],
    against: Looked | None,
    lacking: Looked | None,
    yes: bool,
    reference: str,
    language: Language,
) -> str:
    if yes:
        said = next(one.evidence for one in looked if one.status == "found")
        return (
            say("found.mostly", language, lacking=lacking.claim)
            if lacking
            else say("found.claims", language, said=said)
        )
    if not found.parts:
        return say("missing.empty", language, wanted=reference)
    if found.refusal and not found.claims:
        return say("missing.refused", language, wanted=reference)
    if against:
        return say("wrong.claims", language, wanted=against.wanted, said=against.said)
    if not found.claims:
        return say("missing.nothing" if any(map(to_grader, found.parts)) else "missing.silent", language)
    return say("missing.claims", language, lacking=lacking.claim if lacking else reference)
