"""What the turn judge gives: six marks, each with its reason first."""

from __future__ import annotations

from pydantic import Field

from core.base.types import FrozenModel

CRITERIA = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")


class Mark(FrozenModel):
    """A reason, then a score from 1 (bad) to 5 (good); no score where there is nothing to judge by."""

    reason: str = Field(description="Why, in one or two sentences, with the number of the passage it rests on.")
    score: int | None = Field(ge=1, le=5, description="1 is worst, 5 is best; null where nothing can be judged by.")


class TurnVerdict(FrozenModel):
    """Steps of reasoning and a conclusion, then the six marks."""

    steps: tuple[str, ...] = Field(description="What the person wants, then each claim of the reply with its evidence.")
    conclusion: str = Field(description="What follows from the steps, in one or two sentences.")
    understanding: Mark = Field(description="Has it caught the person's intent and the context?")
    relevance: Mark = Field(description="Does it answer what was asked, without drifting off?")
    completeness: Mark = Field(description="Is everything there that the person needs?")
    correctness: Mark = Field(
        description="Does it agree with the passages or the reference, and add nothing of its own?"
    )
    coherence: Mark = Field(description="Does it hang together, and use the language of the question?")
    overall: Mark = Field(description="How good the turn is for the person.")

    def mark(self, criterion: str) -> Mark:
        """The mark of one of the CRITERIA."""
        return {name: getattr(self, name) for name in CRITERIA}[criterion]
