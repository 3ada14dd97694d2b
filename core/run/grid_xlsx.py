"""The sheets of a workbook as rows of texts."""

from __future__ import annotations

import io
from collections import Counter
from datetime import date, datetime, time
from typing import Any
from zipfile import ZipFile

import openpyxl
from openpyxl.utils import get_column_letter

from core.base.errors import BadInput
from core.run.grid import Grid, broken

_books: Any = openpyxl  # without types
_letter: Any = get_column_letter


def sheets(name: str, data: bytes) -> dict[str, Grid]:
    """The rows of each sheet by its title, hidden sheets last.

    Raises BadInput (`broken_file`) for what is no workbook, and for formulas whose results were never stored.
    """
    try:
        values = _books.load_workbook(io.BytesIO(data), data_only=True).worksheets
        formulas = _books.load_workbook(io.BytesIO(data)).worksheets if _has_formulas(data) else ()
        for sheet in formulas:
            _check(name, sheet, next(one for one in values if one.title == sheet.title))
        ordered = sorted(values, key=lambda sheet: sheet.sheet_state != "visible")
        return {sheet.title: [[_told(cell) for cell in row] for row in sheet.iter_rows()] for sheet in ordered}
    except (BadInput, MemoryError):
        raise
    except Exception as error:  # a damaged file fails anywhere in zip, zlib, XML or openpyxl
        raise broken(name, f"{type(error).__name__}: {error}", "table_workbook") from error


def _has_formulas(data: bytes) -> bool:
    with ZipFile(io.BytesIO(data)) as book:
        parts = (book.read(part) for part in book.namelist() if part.startswith("xl/worksheets/"))
        return any(b"<f>" in part or b"<f " in part for part in parts)


def _check(name: str, sheet: Any, values: Any) -> None:
    """Raises BadInput where a formula has no result in the file."""
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    empty = Counter(_letter(cell.column) for cell in cells if values.cell(cell.row, cell.column).value is None)
    if empty:
        n, columns = empty.total(), ", ".join(empty)
        told = f"{n} formulas without results, sheet {sheet.title}, columns {columns}"
        raise broken(name, told, "table_formulas", n=n, columns=columns, sheet=sheet.title)


def _told(cell: Any) -> str:
    """A cell as people read it: dates as ISO, whole numbers without a point, error marks as nothing."""
    value = cell.value
    if value is None or cell.data_type == "e":
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
