"""One question of a test set: the right answer, the sentences that hold it, and what a run needs."""

from __future__ import annotations

from typing import get_args

from pydantic import Field

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.types import Scenario, ScenarioKind, TestSetKind

KINDS: tuple[TestSetKind, ...] = get_args(TestSetKind)


class SourceSentence(FrozenModel):
    """A sentence, row or passage of a document that holds the answer, copied letter by letter."""

    document: str
    text: str


class Keypoint(FrozenModel):
    """One thing that a whole answer says; traced to the field of the schema that it tells, and to the sentence."""

    text: str
    field: str = ""
    sentence: str = ""


class Item(FrozenModel):
    """A question and its answer.

    evidence: the sentences that hold the answer; fields: of the schema that it asks for; heading: of the section, for
    questions straight from documents; choices: what an open question can mean, of which `facts` hold the right one;
    inputs: hash of what it was made from.
    """

    id: str
    kind: ScenarioKind
    question: str
    answer: str = ""
    evidence: tuple[SourceSentence, ...] = ()
    documents: tuple[str, ...] = ()
    heading: str = ""
    fields: tuple[str, ...] = ()
    intent: str = ""
    facts: str = ""
    needs_asking: bool | None = None
    choices: tuple[str, ...] = ()
    keypoints: tuple[Keypoint, ...] = ()
    inputs: str = Field(default="", exclude_if=lambda value: not value)

    def scenario(self) -> Scenario:
        """The row of a bot's `questions.csv`."""
        return Scenario(
            id=self.id,
            question=self.question,
            intent=self.intent,
            facts=self.facts,
            reference=self.answer,
            kind=self.kind,
            needs_asking=self.needs_asking,
            keypoints="\n".join(one_line(point.text) for point in self.keypoints),
            evidence="\n".join(one_line(source.text) for source in self.evidence),
        )


class DroppedQuestion(FrozenModel):
    """A question that failed a check, and which one: not_in_document, not_absent, copies_heading, duplicate, empty."""

    question: str
    why: str
    document: str = ""
    heading: str = ""


def checked_words(item: Item, question: str, answer: str) -> Item:
    """The item in other words; raises BadInput for an empty question or answer."""
    if not question.strip() or not answer.strip():
        raise BadInput("The question or the answer is empty. Write both.", "item_empty")
    return item.model_copy(update={"question": question.strip(), "answer": answer.strip()})


def one_line(text: str) -> str:
    """A text on one line, since scenarios hold one keypoint or sentence a line."""
    return " ".join(text.split())
