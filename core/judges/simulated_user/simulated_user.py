"""`simulated_user`: is this turn of a simulated user ok, or does it make the conversation invalid?

The turn is the sample's `question`, the conversation before it its `history`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.base.types import Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.judge_prompt import JudgePrompt
from core.judges.reasons import ReasonTexts
from core.judges.simulated_user.faults import MINOR_FAULTS, TAGS, Tag, fault
from core.judges.version import version_of_sources

NAME = "simulated_user"
REASONS = ReasonTexts(__file__)
_LABELS = frozenset(("ok", "invalid", *(f"invalid:{tag}" for tag in TAGS if tag != "none")))
Severity = Literal["none", "minor", "major"]


class UserVerdict(FrozenModel):
    """The reasons, then the gravest fault of the user's turn and its severity; the verdict follows from the fault."""

    reasons: str = Field(description="What was checked and found, with a short quote. Written before the rest.")
    tag: Tag = Field(description="The gravest fault; none when the turn is ok.")
    severity: Severity = Field(description="major: the conversation can no longer test the bot; minor: it still can.")

    @property
    def verdict(self) -> Literal["ok", "invalid"]:
        """invalid when there is a fault, else ok."""
        return "ok" if self.tag == "none" else "invalid"


class JudgeUser(JudgePrompt[UserVerdict]):
    """Is this turn of a simulated user fit to test a bot with?"""

    file = "simulated_user"
    required = ("shown.question",)

    def without_model(self) -> UserVerdict:
        """The first fault that can be computed (see faults.py), else ok; the persona's manner is not checked."""
        found = fault(self.sample)
        if found is None:
            return UserVerdict(reasons=REASONS("ok", self.language), tag="none", severity="none")
        reasons = REASONS(found.key, self.language, **found.details)
        severity = "minor" if found.tag in MINOR_FAULTS else "major"
        return UserVerdict(reasons=reasons, tag=found.tag, severity=severity)


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """One score: 1 and "ok", or 0 and "invalid:TAG", the severity before the reasons; an empty turn needs no model."""
    prompt = JudgeUser.about(sample, options, NAME, _LABELS)
    reply = engine.ask(prompt) if sample.question.strip() else prompt.without_model()
    if reply.verdict == "ok":
        return (Score(judge=NAME, criterion=NAME, value=1.0, label="ok", reasons=reply.reasons),)
    gravity = REASONS("minor" if reply.severity == "minor" else "major", options.language)
    return (
        Score(judge=NAME, criterion=NAME, value=0.0, label=f"invalid:{reply.tag}", reasons=gravity + reply.reasons),
    )


JUDGE = Judge(NAME, (NAME,), (), version_of_sources("judges/simulated_user", "text"), scores, prompts=(JudgeUser,))
