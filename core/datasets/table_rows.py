"""Tables as questions: what a column says for each row, with the row named and with it left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.datasets.draft import Section

MOST_ROWS = 8


class RowAsked(NamedTuple):
    """A question without its row (opened), the name of the first column, the row's cell in it, all such cells, and the line."""

    opened: str
    key: str
    case: str
    values: tuple[str, ...]
    line: str


def rows_asked(
    section: Section,
    most_columns: int,
    opened: Callable[[str, str], str],
    is_key: Callable[[str], bool],
    is_case: Callable[[str], bool],
) -> Iterator[RowAsked]:
    """The rows of columns whose cells are all asked for alike, and really differ.

    opened(column, cell): how such a cell is asked for without its row, "" if that is not sure; is_key, is_case: whether
    the first column's name, and a cell of it, can stand in a question.
    """
    table = section.table()
    if table is None or len(table.columns) > most_columns or not 2 <= len(table.rows) <= MOST_ROWS:
        return
    key, values = table.columns[0], tuple(cells[0] for cells, _ in table.rows)
    if not is_key(key) or len(set(values)) < len(values):
        return
    for place, column in enumerate(table.columns[1:], 1):
        asked = {opened(column, cells[place]) for cells, _ in table.rows} - {""}
        if len(asked) != 1 or len({cells[place] for cells, _ in table.rows}) < 2:
            continue
        question = asked.pop()
        for cells, line in table.rows:
            if opened(column, cells[place]) and is_case(cells[0]):
                yield RowAsked(question, key, cells[0], values, line)
