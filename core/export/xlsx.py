"""A run as a workbook (.xlsx), written row by row: memory does not grow with the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache, partial
from typing import Any, BinaryIO, NamedTuple

import xlsxwriter

from core.export.cells import MAX_EXCEL_LETTERS, fit_cell
from core.export.layout import ROWS, CellFormat, CellValue, Column, ExportRow, Layout, cell_format, headings
from core.export.sheets import columns_of

MOST_ROWS = 1_048_576  # in a sheet
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_TOP = {"valign": "top", "text_wrap": True}
_ALERT = {"bg_color": "#F8C9C4", "font_color": "#7A1710"}
_HEAD = {"bold": True, "bg_color": "#E3E7F3", "border": 1, "border_color": "#B8BFD6", **_TOP}
_NUMBERS = {"share": "0%", "date": "yyyy-mm-dd hh:mm"}
library: Any = xlsxwriter  # comes without types


def write_xlsx(out: BinaryIO, layout: Layout, rows: Iterable[tuple[str, ExportRow]]) -> None:
    """Conversations, summary, turns, scores, what to fix, settings; rows: `core.export.sheets.rows_of`.

    Text is always text, never a formula or a link. Raises OSError if `out` cannot be written.
    """
    book = library.Workbook(out, {**_OPTIONS, "in_memory": False})
    looks = _Looks(book.add_format(_HEAD), cache(partial(_cell_look, book)))
    sheets = {name: _Sheet(book, looks, layout, name, columns) for name, columns in columns_of(layout).items()}
    for name, row in rows:
        sheets[name].add(row)
    for sheet in sheets.values():
        sheet.finish()
    try:
        book.close()
    except library.exceptions.FileCreateError as error:  # wraps an OSError
        raise error.args[0] if error.args and isinstance(error.args[0], OSError) else OSError(str(error)) from error


class _Looks(NamedTuple):
    """The looks of headings and cells (`_cell_look`), each made once."""

    head: Any
    cell: Callable[[CellFormat, bool], Any]


def _cell_look(book: Any, shown_as: CellFormat, is_failure: bool) -> Any:
    """The look of a cell: red if the answer is low."""
    number = {"num_format": _NUMBERS[shown_as]} if shown_as in _NUMBERS else {}
    return book.add_format({**_TOP, **number, **(_ALERT if is_failure else {})})


class _Sheet:
    """One sheet; if it is full, the rows go on in a further one."""

    def __init__(self, book: Any, looks: _Looks, layout: Layout, name: str, columns: list[Column]) -> None:
        self._book, self._looks, self._t, self._name = book, looks, layout.t, name
        self.columns, self._note, self._part = columns, layout.t("export.cut"), 1
        self._begin()

    def _begin(self) -> None:
        title = self._t(f"export.sheet_{self._name}")
        title = title if self._part == 1 else f"{title} {self._part}"
        sheet = self._sheet = self._book.add_worksheet(title[:31])
        sheet.freeze_panes(1, 2 if self._name == "conversations" else 0)
        for place, column in enumerate(self.columns):
            sheet.set_column(place, place, column.width)
        for place, heading in enumerate(headings(self.columns)):
            sheet.write_string(0, place, str(heading), self._looks.head)
        self._next = 1

    def add(self, row: ExportRow) -> None:
        """Write the next row."""
        if self._next >= MOST_ROWS:
            self.finish()
            self._part += 1
            self._begin()
        for place, (value, column) in enumerate(zip(row.cells, self.columns, strict=True)):
            is_failure = place in row.failed
            if is_failure or value not in (None, ""):
                self._cell(place, value, self._looks.cell(cell_format(column, value), is_failure))
        self._next += 1

    def finish(self) -> None:
        """A filter over all columns, if there are rows."""
        if self._next > 1 and self._name in (*ROWS, "fix"):
            self._sheet.autofilter(0, 0, self._next - 1, len(self.columns) - 1)

    def _cell(self, place: int, value: CellValue, style: Any) -> None:
        if value is None or value == "":
            self._sheet.write_blank(self._next, place, None, style)
        elif isinstance(value, datetime):
            self._sheet.write_datetime(self._next, place, value, style)
        elif isinstance(value, str):
            self._sheet.write_string(self._next, place, fit_cell(value, MAX_EXCEL_LETTERS, self._note), style)
        else:
            self._sheet.write_number(self._next, place, value, style)
