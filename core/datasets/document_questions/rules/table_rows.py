"""Rows of tables as questions (what a column says for a row, with the row named and with it left out) and as answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.datasets.document_questions.rules.rule_question import RuleQuestion
from core.datasets.document_questions.section import Section

MOST_COLUMNS, MOST_ROWS = 5, 8
MOST_BESIDE = 2  # sentences beside a table that belong to an answer
_POINTS = re.compile(
    r"次の|以下の|下の表|表の|とおりです|異なります|違います|\b(?:table|below|following|depends?|differs?|has its own)\b|旧ルール|までの旧|^(?:Until|Before) ",
    re.IGNORECASE,
)


class RowAsked(NamedTuple):
    """A question without its row (opened), the name of the first column, the row's cell in it, all such cells, and the line."""

    opened: str
    key: str
    case: str
    values: tuple[str, ...]
    line: str

    def question(self, question: str) -> RuleQuestion:
        """The question with its row named, and openly."""
        return RuleQuestion(
            question=question,
            reference=self.line,
            asks="value",
            attribute=self.key,
            value=self.case,
            values=self.values,
            open_question=self.opened,
        )


def rows_asked(section: Section, opened: Callable[[str, str], str]) -> Iterator[RowAsked]:
    """The rows of columns whose cells are all asked for alike, and really differ.

    opened(column, cell): how such a cell is asked for without its row, "" if that is not sure.
    """
    table = section.table()
    if table is None or len(table.columns) > MOST_COLUMNS or not 2 <= len(table.rows) <= MOST_ROWS:
        return
    values = tuple(cells[0] for cells, _ in table.rows)
    for place, column in enumerate(table.columns[1:], 1):
        asked = {opened(column, cells[place]) for cells, _ in table.rows} - {""}
        differ = len({cells[place] for cells, _ in table.rows}) > 1 and len(set(values)) == len(values)
        if len(asked) != 1 or not differ:
            continue
        question = asked.pop()
        for cells, line in table.rows:
            if opened(column, cells[place]):
                yield RowAsked(question, table.columns[0], cells[0], values, line)


def around_row(reference: str, section: Section) -> tuple[str, ...]:
    """The sentences beside the table that belong to one of its rows; () if the reference is no row."""
    table = section.table()
    if table is None or reference not in {line for _, line in table.rows}:
        return ()
    return tuple(
        sentence for sentence in section.sentences() if not _POINTS.search(sentence) and sentence in section.text
    )[:MOST_BESIDE]


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
