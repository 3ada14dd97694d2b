"""What every prompt of a judge has: the sample and labelled examples with every text fenced, and today's date."""

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
    """One utterance of the conversation so far, and the choices that it offers, numbered: each fenced."""

    role: Literal["user", "assistant"]
    text: str
    choices: str = ""


class FencedSample(FrozenModel):
    """The texts of a sample, each fenced; what is empty is empty ("" or nothing), not a fence around nothing.

    The question and the answer are always fenced, since what is judged may well be empty.
    """

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
    """A labelled answer as a prompt shows it: its texts and its reasons fenced, and the label as the judge gives it.

    id: the criterion that it is for; listed: its keypoints, fenced.
    """

    shown: FencedSample
    reasons: str
    label: str
    id: str = ""
    listed: tuple[str, ...] = ()


def shown_example(example: Example) -> ShownExample:
    """A labelled answer for a prompt's template."""
    return ShownExample(shown=fenced_sample(example.sample), reasons=_some(example.reasons), label=example.label)


def shown_examples(examples: Iterable[Example], labels: Container[str]) -> tuple[ShownExample, ...]:
    """The examples for a prompt's template; one whose label is no verdict of the judge is left out."""
    return tuple(shown_example(one) for one in examples if one.label in labels)


class JudgePrompt(Prompt[R]):
    """A prompt about one sample; its template shows `shown`, the sample's texts, each in a fence.

    today: the date that guidelines, documents and answers are read by (default: that of the run, else today's);
    `language` is that of the reasons.
    """

    role: ClassVar[Role] = "judge"
    sample: Sample
    examples: tuple[ShownExample, ...] = ()
    today: date = Field(default_factory=today)

    def template_fields(self) -> dict[str, Any]:
        """Adds `shown` and the date in words."""
        fields = super().template_fields()
        return {**fields, "shown": fenced_sample(self.sample), "today": date_text(self.today, self.language)}
