"""What the turn judge gives: six marks, each with its reason first."""

from __future__ import annotations

from pydantic import Field

from core.base.types import Noun

CRITERIA = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")


class Mark(Noun):
    """A reason, then a score from 1 (bad) to 5 (good); no score where there is nothing to judge by."""

    reason: str
    score: int | None = Field(ge=1, le=5)


class TurnVerdict(Noun):
    """Steps of reasoning and a conclusion, then the six marks."""

    steps: tuple[str, ...]
    conclusion: str
    understanding: Mark
    relevance: Mark
    completeness: Mark
    correctness: Mark
    coherence: Mark
    overall: Mark

    def mark(self, criterion: str) -> Mark:
        """The mark of one of the CRITERIA."""
        return {name: getattr(self, name) for name in CRITERIA}[criterion]
