"""What a criteria judge gives: one verdict per criterion, its reasons first."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.base.types import Noun


class CriterionVerdict(Noun):
    """The reasons, then Y or N, for one criterion."""

    id: str = Field(description="The criterion's id, copied as it was given.")
    reasons: str = Field(description="What in the answer shows it, with a short quote. Written before the verdict.")
    verdict: Literal["Y", "N"] = Field(description="Y when the criterion's description holds for the answer, else N.")


class CriteriaVerdicts(Noun):
    """Exactly one verdict for every criterion listed."""

    verdicts: tuple[CriterionVerdict, ...] = Field(description="One item per criterion, in the order listed.")


class Computed(CriteriaVerdicts):
    """What was computed without a model; the criteria in `beyond` have no honest way to be."""

    beyond: frozenset[str] = frozenset()
