"""Cutting a document into passages at its headings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from textwrap import dedent

from core.base.types import Passage
from core.documents.documents import Document
from core.documents.find_headings import document_headings
from core.documents.paragraph_names import named_paragraphs
from core.documents.plain_headings import Head, is_title_like
from core.documents.plain_tables import with_markdown_tables
from core.text.language import sentences
from core.text.markdown import is_rule, is_table_line

CHUNKER = "headings-7"
MAX_PASSAGE_CHARACTERS = 900  # longer sections are cut between paragraphs, else between sentences


def passages(document: Document) -> list[Passage]:
    """The document's passages in order; the heading keeps its parents ("Refunds › By card")."""
    found: list[Passage] = []
    for title, heading, body in _sections(document):
        paragraphs = named_paragraphs(body) if len(body) > MAX_PASSAGE_CHARACTERS else []
        for name, part in paragraphs or [("", body)]:
            inner = f"{heading} › {name}" if name and heading != title else name or heading
            for text in _pieces(part):
                key = hashlib.sha256(f"{document.name}\n{inner}\n{text}\n{len(found)}".encode()).hexdigest()[:16]
                found.append(Passage(id=key, document=document.name, title=title, heading=inner, text=text))
    return found


def _sections(document: Document) -> Iterator[tuple[str, str, str]]:
    """(title, heading, body) for each heading with a body; text before any heading is under the title."""
    lines = with_markdown_tables(document.text.splitlines())
    title, heads, start = document_headings(document.name, lines, "\n".join(lines))
    above: list[tuple[int, str]] = []
    rest_of_line = ""
    for head in [*heads, Head(len(lines), len(lines), 0, "")]:
        below = dedent("\n".join(lines[start : head.first]))
        body = "\n".join([*([rest_of_line] if rest_of_line else []), below]).strip()
        if body:
            yield title, " › ".join(name for depth, name in above if depth > 1 and name) or title, body
        above = [(depth, name) for depth, name in above if depth < head.level] + [(head.level, head.text)]
        start, rest_of_line = head.after, head.rest_of_line


def _pieces(body: str) -> Iterator[str]:
    """Pieces of at most about MAX_PASSAGE_CHARACTERS characters; a table row or sentence is only cut if it is longer
    itself, and each piece of a table has the columns' names."""
    if len(body) <= MAX_PASSAGE_CHARACTERS:
        yield body
        return
    piece: list[str] = []
    header: list[str] = []
    size = 0
    for unit in _units(body):
        in_table = is_table_line(unit)
        if piece and size + len(unit) > MAX_PASSAGE_CHARACTERS:
            end = _place_of_cut(piece)
            yield "".join(piece[:end]).strip()
            piece = piece[end:]
            if in_table and not piece and len(header) == 2 and sum(map(len, header)) < MAX_PASSAGE_CHARACTERS // 3:
                piece = list(header)
            size = sum(map(len, piece))
        header = _table_header(header, unit) if in_table else []
        piece.append(unit)
        size += len(unit)
    if "".join(piece).strip():
        yield "".join(piece).strip()


def _units(body: str) -> Iterator[str]:
    """Sentences and table rows, with their white space."""
    for line in body.splitlines(keepends=True):
        for unit in [line] if is_table_line(line) else sentences(line):
            yield from (unit[i : i + MAX_PASSAGE_CHARACTERS] for i in range(0, len(unit), MAX_PASSAGE_CHARACTERS))


def _place_of_cut(piece: Sequence[str]) -> int:
    """The index at which a full piece ends: after a paragraph of its second half if there is one, and not between a
    line that introduces something ("You need:", "Returns") and what follows."""
    end = len(piece)
    size, half = 0, MAX_PASSAGE_CHARACTERS // 2
    for place, unit in enumerate(piece):
        size += len(unit)
        if size > half and not unit.strip() and place:
            end = place + 1
    last = next((place for place in range(end - 1, 0, -1) if piece[place].strip()), 0)
    return last if last and _leads(piece[last]) else end


def _leads(unit: str) -> bool:
    """Whether a line only introduces the next: it ends with a colon, or may be a title."""
    return unit.rstrip().endswith((":", "：")) or (unit.endswith("\n") and is_title_like(unit))


def _table_header(header: list[str], line: str) -> list[str]:
    """The first two lines of the table that a line belongs to; empty lines if the second is no rule."""
    if len(header) == 1:
        return [*header, line] if is_rule(line) else [*header, "", ""]
    return header or [line]
