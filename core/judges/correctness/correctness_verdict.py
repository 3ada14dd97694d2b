"""The reply type of the correctness judge: the claims of the reference with evidence, and a reason; Yes or No
follows."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.types import Language
from core.judges.base import YesNo
from core.judges.reasons import ReasonTexts

REASONS = ReasonTexts(__file__, quoting=True)
Status = Literal["found", "contradicted", "missing"]


class Claim(FrozenModel):
    """One claim of the reference, looked up in the answer."""

    claim: str = Field(description="One fact that the reference states, in a few words.")
    essential: bool = Field(default=True, description="Whether the question is not answered without it.")
    evidence: str = Field(
        description="The words of the answer that state or contradict it, quoted; empty when missing."
    )
    status: Status = Field(description="Whether the answer states this fact, contradicts it, or leaves it out.")


class CorrectnessVerdict(FrozenModel):
    """Claims, then the reason; the verdict follows from the claims."""

    claims: tuple[Claim, ...] = Field(
        min_length=1, description="The claims of the reference that the answer fits best, essential ones first."
    )
    reason: str = Field(description="In one or two sentences, why the answer is right or not.")

    @property
    def verdict(self) -> YesNo:
        """Yes when every essential claim is found, at least one is, and none is contradicted; else No."""
        statuses = [one.status for one in self.claims]
        enough = all(one.status == "found" for one in self.claims if one.essential) and "found" in statuses
        return "Yes" if enough and "contradicted" not in statuses else "No"

    @property
    def rank(self) -> tuple[bool, float]:
        """The order of verdicts by several references, of which the highest counts: Yes, then the share of claims
        found."""
        return self.verdict == "Yes", sum(one.status == "found" for one in self.claims) / len(self.claims)


def one_claim(status: Status, key: str, reference: str, evidence: str, language: Language) -> CorrectnessVerdict:
    """The verdict by a reference taken as one claim, with the sentence of a key as its reason."""
    claim = Claim(claim=reference, evidence=evidence, status=status)
    return CorrectnessVerdict(claims=(claim,), reason=REASONS(key, language, reference=reference, evidence=evidence))
