"""Cutting a document into passages at its headings."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.base.types import Passage
from core.retrieval.documents import Document
from core.text.language import sentences

CHUNKER = "headings-2"
# Longer sections are cut between paragraphs, then between sentences.
MAX_PASSAGE_CHARACTERS = 900
# Of a first line that stands for the title of a document without headings.
MAX_TITLE_CHARACTERS = 60
# Headings are blocks; what is inside takes the square of the time.
_MARKDOWN = MarkdownIt("commonmark").disable("inline")


def passages(document: Document) -> list[Passage]:
    """The document's passages in order; the heading keeps its parents ("Refunds › By card")."""
    found: list[Passage] = []
    for title, heading, body in _sections(document):
        for text in _pieces(body):
            found.append(_passage(document.name, title, heading, text, len(found)))
    return found


def _passage(document: str, title: str, heading: str, text: str, number: int) -> Passage:
    mark = hashlib.sha256(f"{document}\n{heading}\n{text}\n{number}".encode()).hexdigest()[:16]
    return Passage(id=mark, document=document, title=title, heading=heading, text=text)


def _sections(document: Document) -> Iterator[tuple[str, str, str]]:
    """(title, heading, body) for each heading with a body; text before any heading stands under the title."""
    lines = document.text.splitlines()
    heads = list(_headings(_MARKDOWN.parse(document.text) if document.name.lower().endswith(".md") else []))
    title = next(
        (text for _, _, level, text in heads if level == 1 and text),
        _first_line(document, heads),
    )
    above: list[tuple[int, str]] = []
    start = 0
    for first, last, level, text in [*heads, (len(lines), len(lines), 0, "")]:
        body = "\n".join(lines[start:first]).strip()
        if body:
            yield title, " › ".join(name for depth, name in above if depth > 1 and name) or title, body
        above = [(depth, name) for depth, name in above if depth < level] + [(level, text)]
        start = last


def _headings(tokens: list[Token]) -> Iterator[tuple[int, int, int, str]]:
    """(first line, line after, level, text) of each heading."""
    for opening, inline in itertools.pairwise(tokens):
        if opening.type == "heading_open" and opening.map and opening.level == 0:
            yield (
                opening.map[0],
                opening.map[1],
                int(opening.tag[1:]),
                inline.content.strip(),
            )


def _first_line(document: Document, heads: list[tuple[int, int, int, str]]) -> str:
    if named := [text for _, _, _, text in heads if text]:
        return named[0]
    if document.name.lower().endswith(".md"):
        return document.name.rsplit(".", 1)[0]
    line = next(
        (line.strip() for line in document.text.splitlines() if line.strip()),
        document.name,
    )
    return line[:MAX_TITLE_CHARACTERS]


def _pieces(body: str) -> Iterator[str]:
    """Pieces of at most about MAX_PASSAGE_CHARACTERS characters; a table row or sentence is never cut unless it alone is
    longer."""
    piece = ""
    for unit in _units(body):
        if piece and len(piece) + len(unit) > MAX_PASSAGE_CHARACTERS:
            yield piece.strip()
            piece = ""
        piece += unit
    if piece.strip():
        yield piece.strip()


def _units(body: str) -> Iterator[str]:
    if len(body) <= MAX_PASSAGE_CHARACTERS:
        yield body
        return
    for sentence in sentences(body):
        yield from (sentence[i : i + MAX_PASSAGE_CHARACTERS] for i in range(0, len(sentence), MAX_PASSAGE_CHARACTERS))
