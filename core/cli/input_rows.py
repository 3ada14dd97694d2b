"""The rows of the files that commands read."""

from __future__ import annotations

import re
from typing import Any, Literal, Self, cast

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator

from core.base.errors import BadInput
from core.base.tables import guess_columns
from core.base.types import Message, Sample, ScenarioKind
from core.bot.turn import check_message
from core.judges.base import Example
from core.runs.judging.answer_files import NAMES, answer_of_row
from core.text.citations import without_citations
from core.text.language import sentences
from core.text.questions import asks
from core.text.refusals import says_unanswered

_CHOOSE = re.compile(r"選び|選んで|選択|\b(?:choose|pick|select)\b", re.IGNORECASE)
_BOT = ("assistant", "operator", "agent", "bot")


class RowWithId(BaseModel):
    """A row with an id; other keys than those asked for are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    id: str | int


class MessageRow(BaseModel):
    """A message: OpenAI's `content` is taken too, and an operator counts as the assistant."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    role: Literal["user", "assistant", "operator", "agent", "bot"]
    text: str = Field(validation_alias=AliasChoices("text", "content", "reply"))
    asks: bool | None = None
    choices: tuple[str, ...] = ()

    def message(self) -> Message:
        """The same as a message of a conversation.

        If nothing says whether a bot's message asks, it does if it has choices, asks or tells to choose one, cites
        nothing and does not say that no answer was found.
        """
        if self.role not in _BOT:
            return Message(role="user", text=self.text)
        asks = bool(self.choices) and _is_clarifying(self.text) if self.asks is None else self.asks
        return Message(role="assistant", text=self.text, asks=asks, choices=self.choices)


def _is_clarifying(reply: str) -> bool:
    cites = without_citations(reply) != reply
    is_left_open = asks(reply) or _CHOOSE.search(reply)
    return not cites and bool(is_left_open) and not any(map(says_unanswered, sentences(reply)))


class MessagesRow(RowWithId):
    """A conversation that ends with a message of the user."""

    messages: tuple[MessageRow, ...]

    def conversation(self) -> tuple[Message, ...]:
        """The messages; raises BadInput unless the last one is the user's and can be read."""
        messages = tuple(row.message() for row in self.messages)
        if not messages or messages[-1].role != "user":
            raise BadInput("The last message of the conversation is not from the user. Add one.", "no_user_message")
        check_message(messages[-1].text)
        return messages


class TextOrMessagesRow(RowWithId):
    """A message, or a conversation that ends with one; profile: what is known of the person, by name."""

    text: str | None = None
    messages: tuple[MessageRow, ...] | None = None
    profile: dict[str, str] = {}

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.text is None) == (self.messages is None):
            raise ValueError("give either text or messages")
        return self

    def conversation(self) -> tuple[Message, ...]:
        """The messages; raises BadInput unless the last one is the user's and can be read."""
        if self.text is not None:
            return (Message(role="user", text=check_message(self.text)),)
        return MessagesRow(id=self.id, messages=self.messages or ()).conversation()


class DocumentRow(RowWithId):
    """A document of a corpus."""

    text: str
    title: str = ""


class QueryRow(RowWithId):
    """A row of a file of search queries."""

    query: str


class AnswerRow(BaseModel):
    """An answer to judge, and whatever is known about it under the column names that tables may use too."""

    model_config = ConfigDict(frozen=True, extra="allow")
    id: str | int | None = None
    asked_back: bool | None = None
    kind: ScenarioKind | None = None
    needs_asking: bool | None = None
    persona: str | None = None

    @field_validator("kind", mode="before")
    @classmethod
    def _no_kind(cls, kind: Any) -> Any:
        return kind or None

    def sample(self) -> Sample:
        cells = {**(self.model_extra or {}), "kind": self.kind}
        asked_back, persona = self.asked_back or False, self.persona or ""
        known = {"asked_back": asked_back, "needs_asking": self.needs_asking, "persona": persona}
        return answer_of_row(cells, guess_columns(list(cells), NAMES), 0).sample.model_copy(update=known)


class ScoredRow(RowWithId):
    """A judge's verdict, as `judge` writes it or another tool does: a value, or a label that stands for one."""

    model_config = ConfigDict(frozen=True, extra="allow")
    value: float | None = None
    label: str | int | float | bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _has_either(cls, row: Any) -> Any:
        if isinstance(row, dict) and not {"value", "label"} & {*cast(dict[str, Any], row)}:
            raise ValueError("give a value from 0 to 1, or a label")
        return cast(Any, row)


class LabelRow(RowWithId):
    """What a reviewer said of an item: yes or no, 1 to 5, or nothing for "cannot say"."""

    model_config = ConfigDict(frozen=True, extra="allow")
    reviewer: str
    label: str | int | float | bool | None

    @field_validator("reviewer", mode="before")
    @classmethod
    def _named(cls, reviewer: Any) -> Any:
        name = str(reviewer).strip() if isinstance(reviewer, str | int) else ""
        if not name:
            raise ValueError("name the reviewer")
        return name

    @field_validator("label")
    @classmethod
    def _text(cls, label: Any) -> str:
        return "" if label is None else str(label)


class ExampleRow(RowWithId):
    """A labelled answer: for which judge, the verdict in that judge's own words, and why."""

    id: str | int = ""
    judge: str
    label: str
    question: str = ""
    answer: str = ""
    reference: str = ""
    contexts: tuple[str, ...] = ()
    reasons: str = ""

    def example(self) -> Example:
        reference = (self.reference,) if self.reference else ()
        sample = Sample(question=self.question, answer=self.answer, reference=reference, contexts=self.contexts)
        return Example(sample=sample, label=self.label, reasons=self.reasons)
