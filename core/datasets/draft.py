"""A section of a document, and a question drafted from it."""

from __future__ import annotations

import re
from functools import lru_cache

from core.base.types import FrozenModel, Passage
from core.retrieval.headings import last_heading, short_title
from core.text.language import content_words, frame_words, sentences
from core.text.markdown_tables import is_table_line, table_cells

_BRACKETED = re.compile(r"[(（][^()（）]*[)）]")
_END = re.compile(r"(?<=。)(?![^「」（）()]*[」）)])")
_UNITS = frozenset(
    ["時間", "営業", "月間", "年間", "週間", "日間", "最大", "最長", "自動", "自動的", "通常", "以内", "以上", "営業日"]
)
_LISTED = re.compile(r"^\s*(?:[-*+・]|\d+[.)．])\s")


class Table(FrozenModel):
    """A Markdown table: its column names, and (cells, the line as it stands in the document) of each row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], str], ...]


class Draft(FrozenModel):
    """A question and the exact text of the section that answers it.

    asks: what for (when, amount, count, who, where, whether, value); condition: what the answer depends on, as
    (name, value, all values), with which the question can be asked openly.
    """

    question: str
    reference: str
    asks: str
    condition: tuple[str, str, tuple[str, ...]] | None = None
    open_question: str = ""


class Section(FrozenModel):
    """A passage with its sentences and tables."""

    document: str
    title: str
    heading: str
    text: str

    @property
    def topic(self) -> str:
        """What the section is about: its heading without parents and brackets."""
        return _BRACKETED.sub("", last_heading(self.heading)).strip()

    @property
    def subject(self) -> str:
        """What the document is about."""
        return _BRACKETED.sub("", short_title(self.title)).strip()

    def sentences(self) -> tuple[str, ...]:
        """The sentences of its paragraphs; lists and tables are left out."""
        lines = [line for line in self.text.splitlines() if not (_LISTED.match(line) or is_table_line(line))]
        return tuple(
            one.strip() for line in lines for part in sentences(line) for one in _END.split(part) if one.strip()
        )

    def table(self) -> Table | None:
        """Its first table."""
        lines = [line for line in self.text.splitlines() if is_table_line(line)]
        if len(lines) < 4:
            return None
        cells = [tuple(table_cells(line)) for line in lines]
        rows = [
            (row, line.strip()) for row, line in zip(cells[2:], lines[2:], strict=True) if len(row) == len(cells[0])
        ]
        return Table(columns=cells[0], rows=tuple(rows)) if rows else None


def section_of(passage: Passage) -> Section:
    """The section that a passage holds."""
    return Section(document=passage.document, title=passage.title, heading=passage.heading, text=passage.text)


@lru_cache(maxsize=4_096)
def without_brackets(text: str) -> str:
    """The text without what is in round brackets."""
    return _BRACKETED.sub("", text)


def telling_words(question: str) -> tuple[str, ...]:
    """The content words of a question that are neither figures, units nor words of degree."""
    found = (word for word in content_words(question) if len(word) > 1 and not re.search(r"\d|何", word))
    return tuple(word for word in found if word not in _UNITS)


def names_subject(question: str, section: Section) -> bool:
    """Whether a question names what its document is about."""
    return bool(set(content_words(section.subject)) & set(content_words(question)))


def names_topic(question: str, section: Section) -> bool:
    """Whether a question names what its section is about, beyond the words of the whole document's title."""
    own = set(content_words(section.topic)) - frame_words()
    narrower = own - set(content_words(section.subject))
    return bool((narrower or own) & set(content_words(question)))
