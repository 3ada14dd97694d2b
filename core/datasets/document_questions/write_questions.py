"""The prompts that write questions about a section and check out-of-scope ones, with the rules that replace a model."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Prompt
from core.base.types import Language
from core.datasets.document_questions.open_questions import Attributes, with_open_variant
from core.datasets.document_questions.rules.heading_questions_en import heading_questions_en
from core.datasets.document_questions.rules.heading_questions_ja import heading_questions_ja
from core.datasets.document_questions.rules.question import choice
from core.datasets.document_questions.rules.sentence_questions_en import sentence_questions_en
from core.datasets.document_questions.rules.sentence_questions_ja import sentence_questions_ja
from core.datasets.document_questions.rules.table_questions_en import table_questions_en
from core.datasets.document_questions.rules.table_questions_ja import table_questions_ja
from core.datasets.document_questions.rules.whole_answers import to_end_of_block
from core.datasets.document_questions.section import Section, WrittenQuestion
from core.text.language import script

_BY_RULES = {  # by its heading, its table and its sentences
    "ja": (heading_questions_ja, table_questions_ja, sentence_questions_ja),
    "en": (heading_questions_en, table_questions_en, sentence_questions_en),
}
_OPEN = re.compile(
    r"いくら|いつ|何|どこ|どの|どう|どんな|教えて|(?:^|[.:] )(?!(?:is|are|do|does|can|may|must)\b)\w[^.:]*\?$",
    re.IGNORECASE,
)
MAX_SENTENCES = 6  # of a section that one question on its whole heading can be answered by


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


def questions_by_rules(section: Section, language: Language, attributes: Attributes = ()) -> list[WrittenQuestion]:
    """The questions that a section answers, by rules: the surest first, each with the exact text that answers it.

    attributes: (name, values) of what is known of people, such as their office; a heading about one value gives a
    question that can be asked openly.
    """
    by_heading, by_table, by_sentence = _BY_RULES[language]
    asked = sorted(by_sentence(section), key=lambda question: not _OPEN.search(question.question))
    columns = (by_table(section), asked)
    pairs = zip_longest(*(columns if choice(("table", "sentence"), section.heading) == "table" else columns[::-1]))
    questions = [
        *_by_heading(section, by_heading),
        *(question for pair in pairs for question in pair if question),
    ]
    return [with_open_variant(question, section, attributes) for question in questions]


def _by_heading(section: Section, rule: Callable[[Section], list[WrittenQuestion]]) -> list[WrittenQuestion]:
    """The heading as it is, if it is a question, else the question that a rule makes of it; with what stands below it."""
    statements = section.statements()
    if section.is_old or not statements:
        return []
    if section.asked:
        return [WrittenQuestion(question=section.asked, reference=to_end_of_block(statements[0], section.text))]
    return rule(section) if len(statements) <= MAX_SENTENCES else []
