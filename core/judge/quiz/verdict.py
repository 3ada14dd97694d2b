"""What the quiz judges give: the reason (or the steps) first, then the grade."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.base.types import Noun

Grade = Literal["CORRECT", "INCORRECT"]


class QuizVerdict(Noun):
    """A reason, then the grade."""

    reason: str = Field(
        description="In one or two sentences, what decides the grade, with a short quote. Written first."
    )
    grade: Grade = Field(description="CORRECT when the answer is right by the rules given, else INCORRECT.")


class SteppedVerdict(Noun):
    """The reasoning step by step, a conclusion, then the grade."""

    steps: tuple[str, ...] = Field(
        description="The reasoning, one short step an item: what is known, what is said, how they compare."
    )
    conclusion: str = Field(description="In one sentence, what the steps come to. Written before the grade.")
    grade: Grade = Field(description="CORRECT when the answer is right by the rules given, else INCORRECT.")
