"""What the keypoints judge gives: one verdict per keypoint, its reasons first."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.base.types import FrozenModel

State = Literal["covered", "contradicted", "neither"]


class KeypointVerdict(FrozenModel):
    """The reasons, then what became of one keypoint."""

    id: int = Field(description="The keypoint's number, copied as it was given.")
    reasons: str = Field(description="What in the answer decides it, with a short quote; written before the verdict.")
    verdict: State = Field(
        description="covered: the answer says it; contradicted: it says otherwise, or that the source lacks it; neither."
    )


class KeypointsVerdict(FrozenModel):
    """Exactly one verdict for every keypoint listed."""

    verdicts: tuple[KeypointVerdict, ...] = Field(description="One item per keypoint, in the order listed.")
