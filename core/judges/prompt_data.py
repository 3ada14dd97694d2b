"""A sample as a prompt shows it: every text that somebody wrote stands in a fence of its own."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import Literal

from core.base.fence import fence_text
from core.base.frozen_model import FrozenModel
from core.base.types import Sample
from core.judges.base import Example
from core.text.refusals import addresses_grader


class ShownMessage(FrozenModel):
    """One utterance of the conversation so far, and the choices that it offers, numbered: each fenced."""

    role: Literal["user", "assistant"]
    text: str
    choices: str = ""


class Shown(FrozenModel):
    """The texts of a sample, each fenced; what is empty is empty ("" or nothing), not a fence around nothing.

    The question and the answer are always fenced, since what is judged may well be empty.
    """

    question: str
    answer: str
    choices: str = ""
    candidates: str = ""
    history: tuple[ShownMessage, ...] = ()
    contexts: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    intent: str = ""
    facts: str = ""
    persona: str = ""


def fenced_sample(sample: Sample) -> Shown:
    """The sample with its texts fenced, for a prompt's template."""
    return Shown(
        question=fence_text(sample.question),
        answer=fence_text(sample.answer),
        choices=_numbered(sample.choices),
        candidates=_some("\n".join(f"- {' '.join(one.split())}" for one in sample.candidates)),
        history=tuple(
            ShownMessage(role=message.role, text=fence_text(message.text), choices=_numbered(message.choices))
            for message in sample.history
        ),
        contexts=tuple(fence_text(text) for text in sample.contexts if text.strip()),
        reference=tuple(fence_text(text) for text in sample.reference if text.strip()),
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
    """A labelled answer as a prompt shows it: its texts and its reasons fenced, and the label as the judge gives it."""

    shown: Shown
    reasons: str
    label: str


def shown_example(example: Example) -> ShownExample:
    """A labelled answer for a prompt's template."""
    return ShownExample(shown=fenced_sample(example.sample), reasons=_some(example.reasons), label=example.label)


def shown_examples(examples: Iterable[Example], labels: Container[str]) -> tuple[ShownExample, ...]:
    """The examples for a prompt's template; one whose label is no verdict of the judge is left out."""
    return tuple(shown_example(one) for one in examples if one.label in labels)


_GRADE = re.compile(
    r"\b(?:IN)?CORRECT\b|\b(?i:verdict|grader|grading)\b|\b(?i:mark|grade|judge|count|treat|accept) (?i:this|it|my answer|the answer) (?i:as )?(?i:correct|right|true)"
    r"|\b(?i:answer|reply|say|output|respond|return) (?i:with )?[\"“'‘「]?(?:Yes|YES|TRUE|PASS)\b|(?:正解|正しい|合格|Yes|CORRECT)[」』\"”]?(?:と|に)(?:判定|採点|評価|して|みな)|判定(?:は|結果|[:：])"
    r"|^\W{0,40}(?:</?[\w/]{1,40}>|#{1,6})\s{0,20}(?:判定|採点|verdict)"
)


def sways_grader(sentence: str) -> bool:
    """Whether a sentence talks to the judge, or asks for a grade."""
    return addresses_grader(sentence) or bool(_GRADE.search(sentence))
