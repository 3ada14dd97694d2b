"""The base of all prompts of judges: the sample and labelled examples with every text fenced, and today's date."""

from __future__ import annotations

from collections.abc import Container, Iterable
from datetime import date
from typing import Any, ClassVar, Self, TypeVar

from pydantic import Field

from core.base.call_context import today
from core.base.fence import fence_text
from core.base.prompt import Prompt
from core.base.types import Role, Sample
from core.judges.base import Example, JudgeOptions
from core.text.dates import date_text

R = TypeVar("R")


def fenced_sample(sample: Sample) -> dict[str, Any]:
    """The texts of a sample for a prompt's template, each fenced.

    Empty texts have no fence, but the question and the answer always do.
    """
    return {
        "question": fence_text(sample.question),
        "answer": fence_text(sample.answer),
        "choices": _numbered(sample.choices),
        "candidates": _some("\n".join(f"- {' '.join(one.split())}" for one in sample.candidates)),
        "history": [
            {"role": message.role, "text": fence_text(message.text), "choices": _numbered(message.choices)}
            for message in sample.history
        ],
        "contexts": [fence_text(text) for text in sample.passages],
        "reference": [fence_text(text) for text in sample.references],
        "intent": _some(sample.intent),
        "facts": _some(sample.facts),
        "persona": _some(sample.persona),
    }


def _some(text: str) -> str:
    return fence_text(text) if text.strip() else ""


def _numbered(choices: tuple[str, ...]) -> str:
    """Choices with their numbers, one a line, as the bot's own prompts have them."""
    return _some("\n".join(f"{number}. {' '.join(one.split())}" for number, one in enumerate(choices, 1)))


def shown_example(example: Example) -> dict[str, Any]:
    """A labelled answer for a prompt's template, its texts fenced.

    `id` (of a criterion) and `listed` (key points) are empty but for the judges that fill them, so that every judge's
    template may read them.
    """
    reasons = _some(example.reasons)
    return {"shown": fenced_sample(example.sample), "reasons": reasons, "label": example.label, "id": "", "listed": ()}


def shown_examples(examples: Iterable[Example], labels: Container[str]) -> tuple[dict[str, Any], ...]:
    """The examples for a prompt's template; one whose label the judge cannot give is left out."""
    return tuple(shown_example(one) for one in examples if one.label in labels)


class JudgePrompt(Prompt[R]):
    """A prompt about one sample; its template has `shown`, the fenced texts of the sample. `language`: of the
    reasons."""

    role: ClassVar[Role] = "judge"
    sample: Sample
    examples: tuple[dict[str, Any], ...] = ()  # from `shown_example`
    today: date = Field(default_factory=today)  # of the run, else today's: how "this year" is read

    @classmethod
    def about(cls, sample: Sample, options: JudgeOptions, judge: str, labels: Container[str], **fields: Any) -> Self:
        """The prompt about a sample, with the judge's examples; labels: those that it can give."""
        examples = shown_examples(options.examples.get(judge, ()), labels)
        return cls.model_validate({"sample": sample, "examples": examples, "language": options.language, **fields})

    def template_fields(self) -> dict[str, Any]:
        """Adds `shown` and the date in words."""
        fields = super().template_fields()
        return {**fields, "shown": fenced_sample(self.sample), "today": date_text(self.today, self.language)}
