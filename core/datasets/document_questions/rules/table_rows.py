"""Questions and answers from rows of tables: what a column says for a row, with the row named or left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.datasets.document_questions.section import Section, WrittenQuestion
from core.text.language import content_words

MAX_COLUMNS, MAX_ROWS = 7, 16
MAX_SENTENCES = 2  # around a table that belong to an answer
_POINTS = re.compile(
    r"次の|以下の|下の表|表の|とおりです|異なります|違います|\b(?:table|below|following|depends?|differs?|has its own)\b|旧ルール|までの旧|^(?:Until|Before) ",
    re.IGNORECASE,
)
_NOTE = re.compile(r"備考|注意|条件|補足|\b(?:notes?|remarks?|conditions?)\b", re.IGNORECASE)
_NOTHING = re.compile(r"\s*+(?:(?:[-–—－ー―]+|n/?a|same|同上)\s*+)?", re.IGNORECASE)


class CellAsked(NamedTuple):
    """A cell of a table that a question can ask for."""

    key: str  # name of the first column
    case: str  # the row's cell in the first column
    values: tuple[str, ...]  # all cells of the first column
    column: str  # name of the cell's column
    cell: str
    others: tuple[str, ...]  # all cells of its column
    line: str  # its row, as in the document

    def question(self, question: str, opened: str = "") -> WrittenQuestion:
        """The question, which names its row; opened: the question without the row, "" if that makes no sense."""
        written = WrittenQuestion(question=question, reference=self.line)
        depends = {"attribute": self.key, "value": self.case, "values": self.values, "open_question": opened}
        return written.model_copy(update=depends) if opened else written


def cells_asked(section: Section) -> Iterator[CellAsked]:
    """For each row of the first table its cells with content, without notes; rows begin with different columns."""
    table = section.table()
    if table is None or section.is_old or len(table.columns) > MAX_COLUMNS or not 2 <= len(table.rows) <= MAX_ROWS:
        return
    values = tuple(cells[0] for cells, _ in table.rows)
    if len(set(values)) < len(values):
        return
    places = [place for place, column in enumerate(table.columns) if place and column and not _NOTE.search(column)]
    for number, (cells, line) in enumerate(table.rows):
        first = number % max(1, len(places))
        for place in places[first:] + places[:first]:
            if cells[0] and not _NOTHING.fullmatch(cells[place]):
                others = tuple(row[place] for row, _ in table.rows)
                yield CellAsked(table.columns[0], cells[0], values, table.columns[place], cells[place], others, line)


def around_row(reference: str, section: Section) -> tuple[str, ...]:
    """The sentences around the table that belong to one of its rows; () if the reference is no row."""
    table = section.table()
    if table is None or reference not in {line for _, line in table.rows}:
        return ()
    around = [sentence for sentence in section.sentences() if not _POINTS.search(sentence) and sentence in section.text]
    if len(around) > MAX_SENTENCES:
        named = set(content_words(" ".join((reference, *table.columns))))
        around = [sentence for sentence in around if named & set(content_words(sentence))]
    return tuple(around[:MAX_SENTENCES])


def plain_answer(reference: str, section: Section, question: str, value: str) -> str:
    """The reference as an answer: a table row with the names of its columns, or the one cell of the value asked for."""
    table = section.table()
    row = next((cells for cells, line in table.rows if line == reference), ()) if table else ()
    if not table or not row:
        return reference
    named = list(zip(table.columns, row, strict=True))
    if not table.columns[0] and value and value in table.columns:
        sentence = f"{row[0]}: {row[table.columns.index(value)]} ({value})"
    else:
        filled = [(name, cell) for name, cell in named[1:] if name and not _NOTHING.fullmatch(cell)]
        asked = [(name, cell) for name, cell in filled if name.lower() in question.lower() or _NOTE.search(name)]
        if all(_NOTE.search(name) for name, _ in asked):
            asked = [pair for pair in named[1:] if pair[1]]
        sentence = " / ".join(f"{name}: {cell}" if name else cell for name, cell in [named[0], *(asked or named[1:])])
    return "\n".join((sentence, *around_row(reference, section)))
