"""A section of a document: its sentences, its first table, and what it is about."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from markdown_it import MarkdownIt

from core.base.frozen_model import FrozenModel
from core.base.types import Passage
from core.retrieval.headings import last_heading, short_title
from core.text.language import content_words, sentences
from core.text.markdown_tables import is_table_line

_MARKDOWN = MarkdownIt("commonmark").enable("table").disable("inline")  # blocks are enough
_BRACKETED = re.compile(r"[(（][^()（）]*[)）]")
_END = re.compile(r"(?<=。)(?![^「」（）()]*[」）)])")
_UNITS = frozenset(
    ["時間", "営業", "月間", "年間", "週間", "日間", "最大", "最長", "自動", "自動的", "通常", "以内", "以上", "営業日"]
)
ENOUGH_WORDS = 4  # telling words of an English question that need not name the document's subject
_LISTED = re.compile(r"^\s*(?:[-*+・]|\d+[.)．])\s")


class Table(FrozenModel):
    """A Markdown table: its column names, and (cells, the line as it stands in the document) of each row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], str], ...]


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
            sentence.strip()
            for line in lines
            for part in sentences(line)
            for sentence in _END.split(part)
            if sentence.strip()
        )

    def table(self) -> Table | None:
        """Its first table, if that has two rows or more."""
        return _first_table(self.text) if "|" in self.text else None


@lru_cache(maxsize=512)
def _first_table(text: str) -> Table | None:
    tokens = iter(_MARKDOWN.parse(text))
    lines = text.splitlines()
    rows: list[tuple[tuple[str, ...], str]] = []  # the header among them
    for row in takewhile(lambda token: token.type != "table_close", tokens):
        if row.type == "tr_open" and row.map and "|" in (line := lines[row.map[0]]):
            cells = takewhile(lambda token: token.type != "tr_close", tokens)
            rows.append((tuple(cell.content.strip() for cell in cells if cell.type == "inline"), line.strip()))
    return Table(columns=rows[0][0], rows=tuple(rows[1:])) if len(rows) > 2 else None


def section_of(passage: Passage) -> Section:
    """The section that a passage holds."""
    return Section(document=passage.document, title=passage.title, heading=passage.heading, text=passage.text)


def telling_words(question: str) -> tuple[str, ...]:
    """The content words of a question that are neither figures, units nor words of degree."""
    found = (word for word in content_words(question) if len(word) > 1 and not re.search(r"\d|何", word))
    return tuple(word for word in found if word not in _UNITS)


def names_subject(question: str, section: Section) -> bool:
    """Whether a question names what its document is about."""
    return bool(set(content_words(section.subject)) & set(content_words(question)))
