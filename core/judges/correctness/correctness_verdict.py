"""What the correctness judge gives: the reference's claims with their evidence, a reason, and what follows: Yes or No."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.judges.reasons import ReasonTexts

REASONS = ReasonTexts(Path(__file__).with_name("reasons.toml"), quoting=True)
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
    def verdict(self) -> Literal["Yes", "No"]:
        """Yes when every essential claim is found, at least one is, and none is contradicted; else No."""
        statuses = [one.status for one in self.claims]
        enough = all(one.status == "found" for one in self.claims if one.essential) and "found" in statuses
        return "Yes" if enough and "contradicted" not in statuses else "No"
