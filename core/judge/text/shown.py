"""A sample as a prompt shows it: every text that somebody wrote stands in a fence of its own."""

from __future__ import annotations

from typing import Literal

from core.base.types import Noun, Sample
from core.judge.text.fence import fenced


class ShownMessage(Noun):
    """One fenced utterance of the conversation so far."""

    role: Literal["user", "assistant"]
    text: str


class Shown(Noun):
    """The texts of a sample, each fenced; what is empty is empty ("" or nothing), not a fence around nothing.

    The question and the answer are always fenced, since what is judged may well be empty.
    """

    question: str
    answer: str
    history: tuple[ShownMessage, ...] = ()
    contexts: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    intent: str = ""
    facts: str = ""
    persona: str = ""


def shown(sample: Sample) -> Shown:
    """The sample with its texts fenced, for a prompt's template."""
    return Shown(
        question=fenced(sample.question),
        answer=fenced(sample.answer),
        history=tuple(
            ShownMessage(role=said.role, text=fenced(_said(said.text, said.choices))) for said in sample.history
        ),
        contexts=tuple(fenced(text) for text in sample.contexts if text.strip()),
        reference=tuple(fenced(text) for text in sample.reference if text.strip()),
        intent=_some(sample.intent),
        facts=_some(sample.facts),
        persona=_some(sample.persona),
    )


def _some(text: str) -> str:
    return fenced(text) if text.strip() else ""


def _said(text: str, choices: tuple[str, ...]) -> str:
    """The words, with the buttons that the bot showed beneath them."""
    return f"{text}\n[{' / '.join(choices)}]" if choices else text
