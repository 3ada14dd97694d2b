"""What the judges of grounding give: reasons first, then the verdict."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.base.types import FrozenModel

YesNo = Literal["Yes", "No"]


class CheckedClaim(FrozenModel):
    """One claim of the answer held against the passages."""

    claim: str = Field(description="One statement of the answer, short, in the answer's words.")
    passage: int = Field(ge=0, description="Number of the passage that decides it; 0 when no passage mentions it.")
    quote: str = Field(description="The words of that passage that support or contradict it; empty when none do.")
    state: Literal["supported", "contradicted", "absent"] = Field(
        description="supported: a passage says so; contradicted: a passage says otherwise; absent: none says it."
    )


class GroundednessVerdict(FrozenModel):
    """Every claim with its passage, then the reasons, then whether all of it rests on the passages."""

    claims: tuple[CheckedClaim, ...] = Field(description="All claims of the answer; empty when it claims nothing.")
    reasons: str = Field(
        description="Which claims lack support and why, or why all are supported; one to three sentences."
    )
    grounded: YesNo = Field(description="Yes when every claim is supported by the passages, otherwise No.")


class Decision(FrozenModel):
    """The reasons, then Yes or No."""

    reasons: str = Field(description="Why, with a short quote; one to three sentences, written before the verdict.")
    verdict: YesNo = Field(description="The answer to the judge's question: Yes or No.")
