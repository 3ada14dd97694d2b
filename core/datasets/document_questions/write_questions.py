"""The prompts that write questions about a section and check out-of-scope ones, with what replaces a model."""

from __future__ import annotations

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Prompt
from core.datasets.document_questions.open_questions import Attributes
from core.datasets.document_questions.rules.questions_by_rules import questions_by_rules
from core.datasets.document_questions.section import Section, WrittenQuestion
from core.text.language import script


class WrittenQuestions(FrozenModel):
    """The questions on one section."""

    questions: tuple[WrittenQuestion, ...]


class WriteQuestions(Prompt[WrittenQuestions]):
    """Questions that people would ask about one section."""

    file = "write_questions"
    role = "user"
    title: str
    heading: str
    text: str
    attributes: Attributes = ()  # (name, values) of what the bot knows about its users
    avoid: tuple[str, ...] = ()  # unusable questions of an earlier reply, each with the reason

    def without_model(self) -> WrittenQuestions:
        """Questions by rules, the surest first."""
        section = Section(document="", title=self.title, heading=self.heading, text=self.text)
        language = "en" if script(self.text) == "en" else "ja"
        return WrittenQuestions(questions=tuple(questions_by_rules(section, language, self.attributes)))


class OutOfScopeQuestion(FrozenModel):
    """One question that the documents do not answer."""

    topic: str = Field(description="The topic of the list that it is near.")
    question: str = Field(description="The question, in the first person and in everyday words.")


class OutOfScopeQuestions(FrozenModel):
    """Questions that the documents do not answer."""

    questions: tuple[OutOfScopeQuestion, ...]


class WriteOutOfScope(Prompt[OutOfScopeQuestions]):
    """Questions near the topics of documents that the documents do not answer."""

    file = "write_out_of_scope"
    role = "user"
    description: str
    topics: tuple[tuple[str, tuple[str, ...]], ...]  # (topic, headings of its document)
    count: int

    def without_model(self) -> OutOfScopeQuestions:
        """No questions: without a model they come from `out_of_scope.py`, which checks them against all sections."""
        return OutOfScopeQuestions(questions=())


class AbsentVerdict(FrozenModel):
    """Whether passages answer a question."""

    reasons: str = Field(description="What in the passages comes nearest, in one sentence; written before the verdict.")
    answered: bool = Field(description="true if the passages answer the question, even in part.")


class CheckAbsent(Prompt[AbsentVerdict]):
    """Whether the passages that are nearest to a question answer it."""

    file = "check_absent"
    role = "user"
    question: str
    passages: tuple[str, ...]

    def without_model(self) -> AbsentVerdict:
        """The lexical check was made before; nothing more is known without a model."""
        return AbsentVerdict(reasons="", answered=False)
