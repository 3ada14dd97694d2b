"""One question of a test set: the right answer, the sentences that have it, and what a run needs."""

from __future__ import annotations

from typing import get_args

from pydantic import Field

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.types import Scenario, ScenarioKind, TestSetKind

KINDS: tuple[TestSetKind, ...] = get_args(TestSetKind)


class SourceSentence(FrozenModel):
    """A sentence, row or passage of a document that has the answer, copied letter by letter."""

    document: str
    text: str


class Keypoint(FrozenModel):
    """A statement of a complete answer, with the schema's field and the sentence that it comes from."""

    text: str
    field: str = ""
    sentence: str = ""


class Item(FrozenModel):
    """A question and its answer."""

    id: str
    kind: ScenarioKind
    question: str
    answer: str = ""
    evidence: tuple[SourceSentence, ...] = ()  # the sentences that have the answer
    documents: tuple[str, ...] = ()
    heading: str = ""  # of the section, for questions straight from documents
    fields: tuple[str, ...] = ()  # of the schema that it asks for
    intent: str = ""
    facts: str = ""
    needs_asking: bool | None = None
    choices: tuple[str, ...] = ()  # what an open question can mean; the right one is in `facts`
    keypoints: tuple[Keypoint, ...] = ()
    inputs: str = Field(default="", exclude_if=lambda value: not value)  # hash of what it was generated from

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
            keypoints="\n".join(" ".join(point.text.split()) for point in self.keypoints),  # one a line
            evidence="\n".join(" ".join(source.text.split()) for source in self.evidence),
        )


class DroppedQuestion(FrozenModel):
    """A question that failed a check."""

    question: str
    why: str  # not_in_document, not_absent, copies_heading, copies_sentence, duplicate, empty, no_reply
    document: str = ""
    heading: str = ""


def checked_words(item: Item, question: str, answer: str) -> Item:
    """The item in other words; raises BadInput for an empty question or answer."""
    if not question.strip() or not answer.strip():
        raise BadInput("The question or the answer is empty. Write both.", "item_empty")
    return item.model_copy(update={"question": question.strip(), "answer": answer.strip()})
