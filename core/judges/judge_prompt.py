"""The base of all prompts of judges: the sample and labelled examples with every text fenced, and today's date."""

from __future__ import annotations

from collections.abc import Container, Iterable
from datetime import date
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import Field

from core.base.call_context import today
from core.base.fence import fence_text
from core.base.frozen_model import FrozenModel
from core.base.prompt import Prompt
from core.base.types import Role, Sample
from core.judges.base import Example
from core.text.dates import date_text

R = TypeVar("R")


class FencedMessage(FrozenModel):
    """One message of the conversation so far and the numbered choices that it offers, both fenced."""

    role: Literal["user", "assistant"]
    text: str
    choices: str = ""


class FencedSample(FrozenModel):
    """The texts of a sample, each fenced. Empty texts have no fence, but the question and the answer always do."""

    question: str
    answer: str
    choices: str = ""
    candidates: str = ""
    history: tuple[FencedMessage, ...] = ()
    contexts: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    intent: str = ""
    facts: str = ""
    persona: str = ""


def fenced_sample(sample: Sample) -> FencedSample:
    """The sample with its texts fenced, for a prompt's template."""
    return FencedSample(
        question=fence_text(sample.question),
        answer=fence_text(sample.answer),
        choices=_numbered(sample.choices),
        candidates=_some("\n".join(f"- {' '.join(one.split())}" for one in sample.candidates)),
        history=tuple(
            FencedMessage(role=message.role, text=fence_text(message.text), choices=_numbered(message.choices))
            for message in sample.history
        ),
        contexts=tuple(fence_text(text) for text in sample.passages),
        reference=tuple(fence_text(text) for text in sample.references),
        intent=_some(sample.intent),
        facts=_some(sample.facts),
        persona=_some(sample.persona),
    )


def _some(text: str) -> str:
    return fence_text(text) if text.strip() else ""


def _numbered(choices: tuple[str, ...]) -> str:
    """Choices with their numbers, one a line, as the bot's own prompts have them."""
    return _some("\n".join(f"{number}. {' '.join(one.split())}" for number, one in enumerate(choices, 1)))


class ShownExample(FrozenModel):
    """A labelled answer as a prompt shows it."""

    shown: FencedSample
    reasons: str  # fenced
    label: str  # as the judge gives it
    id: str = ""  # the criterion that it is for
    listed: tuple[str, ...] = ()  # its keypoints, fenced


def shown_example(example: Example) -> ShownExample:
    """A labelled answer for a prompt's template."""
    return ShownExample(shown=fenced_sample(example.sample), reasons=_some(example.reasons), label=example.label)


def shown_examples(examples: Iterable[Example], labels: Container[str]) -> tuple[ShownExample, ...]:
    """The examples for a prompt's template; one whose label the judge cannot give is left out."""
    return tuple(shown_example(one) for one in examples if one.label in labels)


class JudgePrompt(Prompt[R]):
    """A prompt about one sample; its template has `shown`, the fenced texts of the sample. `language`: of the
    reasons."""

    role: ClassVar[Role] = "judge"
    sample: Sample
    examples: tuple[ShownExample, ...] = ()
    today: date = Field(default_factory=today)  # of the run, else today's: how "this year" is read

    def template_fields(self) -> dict[str, Any]:
        """Adds `shown` and the date in words."""
        fields = super().template_fields()
        return {**fields, "shown": fenced_sample(self.sample), "today": date_text(self.today, self.language)}
