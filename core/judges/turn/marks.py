"""The six marks of a turn, each with its reason."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from core.base.frozen_model import FrozenModel

CRITERIA = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")


class Mark(FrozenModel):
    """A reason, then a score from 1 (bad) to 5 (good); no score if the criterion does not apply."""

    reason: str = Field(description="Why, in one or two sentences, with the number of the passage it rests on.")
    score: int | None = Field(ge=1, le=5, description="1 is worst, 5 is best; null if the criterion does not apply.")


class TurnVerdict(FrozenModel):
    """Steps of reasoning and a conclusion, then the six marks; the prompt says what each criterion means."""

    steps: tuple[str, ...] = Field(description="What the person wants, then each claim of the reply with its evidence.")
    conclusion: str = Field(description="What follows from the steps, in one or two sentences.")
    understanding: Mark
    relevance: Mark
    completeness: Mark
    correctness: Mark
    coherence: Mark
    overall: Mark

    @model_validator(mode="after")
    def _has_overall(self) -> Self:
        """A reply that could be scored has an overall score, too."""
        others = (self.understanding, self.relevance, self.completeness, self.correctness)
        if self.overall.score is None and all(mark.score is not None for mark in others):
            raise PydanticCustomError("overall_null", "overall has no score")
        return self

    def mark(self, criterion: str) -> Mark:
        """The mark of one of the CRITERIA."""
        return {name: getattr(self, name) for name in CRITERIA}[criterion]
