"""A section of a document: its sentences, its first table, what it is about; a question on it, and its words."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from itertools import groupby

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.types import Passage
from core.documents.heading_names import last_heading, short_title
from core.text.language import content_words, sentences
from core.text.markdown import is_rule, is_table_line, table_cells

_BRACKETED = re.compile(r"[(（][^()（）]*[)）]")
_END = re.compile(r"(?<=。)(?![^「」（）()]*[」）)])")
MIN_TELLING_WORDS = 4  # of an English question that does not name the subject of the document
_LISTED = re.compile(r"^\s*(?:[-*+・]|\d+[.)．])\s")
_MARKS = re.compile(r"^(?:[■◆●○◎▼【]|第?\d+(?:[.)．]|章|条)\s*)+|】$")
_OLD = re.compile(
    r"旧|以前|廃止|終了|[年月日]まで(?:の|[)）]|$)|\b(?:old|former|until|before) (?!you\b)|\((?:old|former)\)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？]$|(?:ます|です|ません|でしょう)か[。?？]?$|(?:ました|ません|ています|たい)(?:です|のですが)?。?$|(?<=。)$|^(?:I|My|We) (?!.*:)\w+.*$"
)


class WrittenQuestion(FrozenModel):
    """One question, as a model or the rules write it; attribute, value, values are empty if the answer depends on nothing."""

    reference: str = Field(description="The sentences or table row that answer it, copied letter by letter.")
    question: str = Field(description="What a customer would write, in the first person and in everyday words.")
    attribute: str = Field(default="", description="What the answer depends on, such as the plan; may be empty.")
    value: str = Field(default="", description="The value of that attribute that the question names; may be empty.")
    values: tuple[str, ...] = Field(default=(), description="All values that the section tells apart; may be empty.")
    open_question: str = Field(default="", description="The same question with that value left out; may be empty.")


class SectionTable(FrozenModel):
    """A Markdown table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], str], ...]  # (cells, line of the document)


class Section(FrozenModel):
    """A passage with its sentences and tables."""

    document: str
    title: str
    heading: str
    text: str

    @property
    def topic(self) -> str:
        """What the section is about: its heading without parents and brackets."""
        return _MARKS.sub("", _BRACKETED.sub("", last_heading(self.heading)).strip()).strip()

    @property
    def asked(self) -> str:
        """Its heading, if that is a question or what somebody says; else ""."""
        asked = _MARKS.sub("", last_heading(self.heading)).strip()
        is_long = len(asked.split()) > 3 if asked.isascii() else len(asked) > 5
        return asked if is_long and _QUESTION.search(asked) else ""

    @property
    def is_old(self) -> bool:
        """Whether its heading says that it no longer applies."""
        return bool(_OLD.search(last_heading(self.heading)))

    @property
    def subject(self) -> str:
        """What the document is about."""
        return _MARKS.sub("", _BRACKETED.sub("", short_title(self.title)).strip()).strip()

    def sentences(self) -> tuple[str, ...]:
        """The sentences of its paragraphs; lists and tables are left out."""
        return _sentences(line for line in self.text.splitlines() if not (_LISTED.match(line) or is_table_line(line)))

    def statements(self) -> tuple[str, ...]:
        """The sentences of its paragraphs and lists, as in the document."""
        return _sentences(_LISTED.sub("", line) for line in self.text.splitlines() if not is_table_line(line))

    def table(self) -> SectionTable | None:
        """Its first table, if that has two rows or more."""
        runs = groupby(self.text.splitlines(), key=is_table_line)
        lines = next((list(run) for is_table, run in runs if is_table), list[str]())
        if len(lines) < 4 or not is_rule(lines[1]):
            return None
        columns = table_cells(lines[0])
        rows = [((table_cells(line) + [""] * len(columns))[: len(columns)], line.strip()) for line in lines[2:]]
        return SectionTable(columns=tuple(columns), rows=tuple((tuple(cells), line) for cells, line in rows))


def _sentences(lines: Iterable[str]) -> tuple[str, ...]:
    parts = (part for line in lines for sentence in sentences(line) for part in _END.split(sentence))
    return tuple(part.strip() for part in parts if part.strip())


def section_of(passage: Passage) -> Section:
    """A passage as a section."""
    return Section(document=passage.document, title=passage.title, heading=passage.heading, text=passage.text)


def telling_words(question: str) -> tuple[str, ...]:
    """The content words of a question that are no figures."""
    return tuple(word for word in content_words(question) if len(word) > 1 and not re.search(r"\d|何", word))


def names_subject(question: str, section: Section) -> bool:
    """Whether a question names what its document is about."""
    return bool(set(content_words(section.subject)) & set(content_words(question)))


def choice(options: Sequence[str], key: str) -> str:
    """One of several ways to say something, always the same for the same key."""
    return options[zlib.crc32(key.encode()) % len(options)]
