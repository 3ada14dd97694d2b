"""Questions that the sentences of a section answer, and a choice between several ways to ask."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

from core.datasets.document_questions.rules.whole_answers import with_conditions
from core.datasets.document_questions.section import Section, WrittenQuestion


def questions_by_sentence(section: Section, ask: Callable[[str], str]) -> list[WrittenQuestion]:
    """The questions that the section's sentences answer, in order of the text; at most one for each sentence.

    ask: the question for a sentence, or "".
    """
    asked = [(sentence, ask(sentence)) for sentence in section.statements()] if not section.is_old else []
    return [
        WrittenQuestion(question=question, reference=with_conditions(sentence, section.text))
        for sentence, question in asked
        if question
    ]


def choice(options: Sequence[str], key: str) -> str:
    """One of several ways to say something, always the same for the same key."""
    return options[zlib.crc32(key.encode()) % len(options)]
