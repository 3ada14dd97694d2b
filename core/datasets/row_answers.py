"""A row of a table as an answer: in words, with the sentences beside the table that limit it."""

from __future__ import annotations

import re

from core.datasets.draft import Section

MOST = 2  # sentences beside a table that belong to an answer
_POINTS = re.compile(
    r"次の|以下の|下の表|表の|とおりです|異なります|違います|\b(?:table|below|following|depends?|differs?|has its own)\b|旧ルール|までの旧|^(?:Until|Before) ",
    re.IGNORECASE,
)


def around_row(reference: str, section: Section) -> tuple[str, ...]:
    """The sentences beside the table that belong to one of its rows; () if the reference is no row."""
    table = section.table()
    if table is None or reference not in {line for _, line in table.rows}:
        return ()
    return tuple(one for one in section.sentences() if not _POINTS.search(one) and one in section.text)[:MOST]


def plain_answer(reference: str, section: Section, question: str, value: str) -> str:
    """The reference as an answer: a table row with the names of its columns, or the one cell of the value asked for."""
    table = section.table()
    row = next((cells for cells, line in table.rows if line == reference), None) if table else None
    if row is None or table is None:
        return reference
    named = list(zip(table.columns, row, strict=True))
    if not table.columns[0] and value in table.columns:
        sentence = f"{row[0]}: {row[table.columns.index(value)]} ({value})"
    else:
        asked = [(name, cell) for name, cell in named[1:] if name and name.lower() in question.lower()]
        sentence = " / ".join(f"{name}: {cell}" if name else cell for name, cell in [named[0], *(asked or named[1:])])
    return "\n".join((sentence, *around_row(reference, section)))
