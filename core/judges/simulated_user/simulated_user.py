"""`simulated_user`: is this turn of a simulated user ok, or is the conversation spoilt by it?

The turn is the sample's `question`, the conversation before it its `history`.
"""

from __future__ import annotations

from pathlib import Path

from core.base.prompt import Engine, Prompt
from core.base.types import FrozenModel, Sample, Score
from core.judges.base import How, Judge
from core.judges.prompt_data import Shown, fenced, shown
from core.judges.reasons import Told
from core.judges.simulated_user.faults import fault
from core.judges.simulated_user.verdict import MINOR, TAGS, UserVerdict
from core.judges.version import version_of_folders

NAME = "simulated_user"
SAY = Told(Path(__file__).with_name("reasons.toml"))
_LABELS = frozenset(("ok", "spoilt", *(f"spoilt:{tag}" for tag in TAGS if tag != "none")))


class ShownExample(FrozenModel):
    """A labelled turn as the prompt shows it."""

    shown: Shown
    reasons: str
    label: str


class JudgeUser(Prompt[UserVerdict]):
    """Is this turn of a simulated user fit to test a bot with?"""

    file = "simulated_user"
    role = "judge"
    sample: Sample
    shown: Shown
    examples: tuple[ShownExample, ...] = ()

    def without_model(self) -> UserVerdict:
        """The first fault that can be computed (see faults.py), else ok; how a persona talks is beyond it."""
        found = fault(self.sample)
        if found is None:
            return UserVerdict(reasons=SAY("ok", self.language), tag="none", severity="none", verdict="ok")
        reasons = SAY(found.key, self.language, **found.details)
        severity = "minor" if found.tag in MINOR else "major"
        return UserVerdict(reasons=reasons, tag=found.tag, severity=severity, verdict="spoilt")


def scores(engine: Engine, sample: Sample, how: How) -> tuple[Score, ...]:
    """One score: 1 and "ok", or 0 and "spoilt:TAG", the severity before the reasons; no model is asked about an empty turn."""
    prompt = JudgeUser(sample=sample, shown=shown(sample), examples=_examples(how), language=how.language)
    reply = engine.ask(prompt) if sample.question.strip() else prompt.without_model()
    if reply.verdict == "ok":
        return (Score(judge=NAME, criterion=NAME, value=1.0, label="ok", reasons=reply.reasons),)
    tag = "other" if reply.tag == "none" else reply.tag
    gravity = SAY("minor" if reply.severity == "minor" else "major", how.language)
    return (Score(judge=NAME, criterion=NAME, value=0.0, label=f"spoilt:{tag}", reasons=gravity + reply.reasons),)


def _examples(how: How) -> tuple[ShownExample, ...]:
    return tuple(
        ShownExample(
            shown=shown(one.sample), reasons=fenced(one.reasons) if one.reasons.strip() else "", label=one.label
        )
        for one in how.shots(NAME)
        if one.label in _LABELS
    )


JUDGE = Judge(NAME, (NAME,), (), version_of_folders("judges/simulated_user", "judges/rules", "text"), scores)
