"""Tables of users: CSV, JSON Lines or a workbook, read within limits into rows of text and lists."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from typing import Any, TypeVar, cast
from zipfile import ZipFile

from core.base.clean_text import clean
from core.base.errors import BadInput
from core.base.field_faults import broken_file
from core.base.json_data import load_json
from core.base.toml import TomlFault
from core.base.unused_name import unused_name

Cells = dict[str, Any]
Grid = Sequence[Sequence[str]]
C = TypeVar("C")
F = TypeVar("F", bound=str)
MEGABYTE = 1_000_000
MAX_BYTES = 100 * MEGABYTE  # of a file, and of what a workbook unpacks to
MAX_COLUMNS = 1_000
MAX_CELLS = 5_000_000
MAX_ROWS = 200_000
MAX_CELL_CHARACTERS = 50_000_000  # Python's own limit is 131,072
SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".xlsx")
MIME = {
    "csv": "text/csv",
    "jsonl": "application/jsonl",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_FORMULA = re.compile(r"'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])")  # with the apostrophes of an earlier export
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_SEPARATOR_LINE = re.compile(r'\s*"?sep=([,;\t])"?[ \t]*(?:\r\n|\r|\n)')
_LINE_END = re.compile(r"\r\n|\r|\n")
_UNCLOSED = "rows differ in their number of cells, or a quotation mark is not closed"
_JAPANESE = re.compile(r"[\u3041-\u30ff]|[\u3400-\u9fff]{2}")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f]")
csv.field_size_limit(MAX_CELL_CHARACTERS)


def records(name: str, grid: Grid) -> list[Cells]:
    """The rows below the header; raises BadInput (`broken_file`) for a row with more cells than the header."""
    start = header_row(grid)
    if start is None:
        return []
    names = column_names(grid[start])
    rows: list[Cells] = []
    for number, row in enumerate(grid[start + 1 :], start + 2):
        check_surplus(name, number, row, len(names))
        rows.append(dict(zip(names, [*row, *[""] * len(names)], strict=False)))
    used = [
        column
        for column, head in zip(names, grid[start], strict=True)
        if head.strip() or any(is_filled(row[column]) for row in rows)
    ]
    return rows if used == names else [{column: row[column] for column in used} for row in rows]


def column_names(header: Sequence[str]) -> list[str]:
    """Names without blanks around them, each once: of several that are the same, the further ones are numbered."""
    headings = {head for head in header if head and head == head.strip()}
    used: set[str] = set()
    names: list[str] = []
    for place, head in enumerate(header, 1):
        name = head.strip() or f"column {place}"
        free = name not in used and (head == name or name not in headings)
        names.append(name if free else unused_name(name, used | headings, " ({})"))
        used.add(names[-1])
    return names


def is_filled(cell: Any) -> bool:
    """Whether a cell is not blank."""
    return bool(str(cell).strip()) if cell is not None else False


def unreadable_file(name: str, detail: str, why: str, **where: object) -> BadInput:
    """The error for a file that cannot be read: where, and a word for why."""
    return broken_file(name, TomlFault(" ".join(detail.split())[:200], why, **where))


def check_surplus(name: str, number: int, row: Sequence[str], columns: int) -> None:
    """Raises BadInput (`broken_file`) for a row with more cells than the header has columns."""
    if any(is_filled(cell) for cell in row[columns:]):
        message = f"row {number} has {len(row)} cells, but the header has {columns}; delete lines above the table, or put values with commas in quotes"
        raise unreadable_file(name, message, "table_surplus", row=number, n=len(row), columns=columns)


def header_row(grid: Grid) -> int | None:
    """The first row with two filled cells or more, else the first with one: titles may be above it."""
    counts = [sum(is_filled(cell) for cell in row) for row in grid]
    return next((place for least in (2, 1) for place, count in enumerate(counts) if count >= least), None)


def csv_grid(name: str, text: str, suffix: str = ".csv") -> Grid:
    """All rows, with empty ones; raises BadInput (`broken_file`) if a quotation mark is not closed."""
    separator_line = _SEPARATOR_LINE.match(text)  # a line that tells Excel the delimiter
    delimiter = separator_line[1] if separator_line else _delimiter(text, suffix)
    body = text[separator_line.end() :] if separator_line else text
    try:
        return _read(name, body, delimiter, strict=True)
    except csv.Error as error:
        if "expected after" not in str(error):  # a quotation mark within a cell is accepted
            raise unreadable_file(name, _UNCLOSED, "table_cells") from error
    try:
        return _read(name, body, delimiter, strict=False)
    except csv.Error as error:
        raise unreadable_file(name, _UNCLOSED, "table_cells") from error


def _read(name: str, text: str, delimiter: str, strict: bool) -> Grid:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    return list(CellCount(name).rows(rows))


def _delimiter(text: str, suffix: str) -> str:
    """The commonest delimiter in the first line that has one, outside quotation marks."""
    separators = "\t,;" if suffix == ".tsv" else ",;\t"
    for line in re.split(r"[\r\n]+", _QUOTED.sub("", text[:200_000])):
        separator = max(separators, key=line.count)
        if line.count(separator):
            return separator
    return separators[0]


def sheets(name: str, data: bytes) -> dict[str, Grid]:
    """The rows of each sheet by its title, hidden sheets last.

    Raises BadInput (`broken_file`) for a file that is no workbook, and for formulas whose results were never stored.
    """
    try:
        with ZipFile(io.BytesIO(data)) as book:
            check_bytes(name, sum(part.file_size for part in book.infolist()))
        values = _worksheets(data, data_only=True)
        if _has_formulas(data):
            for sheet, computed in zip(_worksheets(data, data_only=False), values, strict=True):
                _check(name, sheet, computed)
        counted = CellCount(name)
        ordered = sorted(values, key=lambda sheet: sheet.sheet_state != "visible")
        return {
            sheet.title: [[_cell_text(cell) for cell in row] for row in counted.rows(sheet.iter_rows())]
            for sheet in ordered
        }
    except (BadInput, MemoryError):
        raise
    except Exception as error:  # a damaged file fails anywhere in zip, zlib, XML or openpyxl
        raise unreadable_file(name, "not an Excel workbook, or damaged", "table_workbook") from error


def _worksheets(data: bytes, data_only: bool) -> list[Any]:
    """The sheets, read row by row; their size is counted, since a file may claim any number of rows and columns."""
    import openpyxl

    books: Any = openpyxl  # without types
    worksheets: list[Any] = books.load_workbook(io.BytesIO(data), read_only=True, data_only=data_only).worksheets
    for worksheet in worksheets:
        worksheet.reset_dimensions()
    return worksheets


def _has_formulas(data: bytes) -> bool:
    with ZipFile(io.BytesIO(data)) as book:
        parts = (book.read(part) for part in book.namelist() if part.startswith("xl/worksheets/"))
        return any(b"<f>" in part or b"<f " in part for part in parts)


def _check(name: str, sheet: Any, values: Any) -> None:
    """Raises BadInput if a formula has no result in the file."""
    rows = zip(CellCount(name).rows(sheet.iter_rows()), values.iter_rows(), strict=False)
    pairs = (pair for row, computed in rows for pair in zip(row, computed, strict=False))
    empty = Counter(cell.column_letter for cell, value in pairs if cell.data_type == "f" and value.value is None)
    if empty:
        n, columns = empty.total(), ", ".join(empty)
        message = f"{n} formulas without results, sheet {sheet.title}, columns {columns}"
        raise unreadable_file(name, message, "table_formulas", n=n, columns=columns, sheet=sheet.title)


def _cell_text(cell: Any) -> str:
    """A cell as users read it: dates as ISO, whole numbers without a point, error values as ""."""
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


class Table(list[Cells]):
    """The rows of a file."""

    sheet: str = ""  # of a workbook: the sheet with these rows
    unread: tuple[str, ...] = ()  # of a workbook: the other sheets


def read_table(name: str, data: bytes) -> Table:
    """The rows of a file by its name's ending, empty ones left out, keys as in the header.

    Raises BadInput with what is wrong: the ending, the encoding, a row that is no object, no rows, too many rows.
    """
    suffix = f".{name.rpartition('.')[2].lower()}" if "." in name else ""
    if suffix not in SUFFIXES:
        message = f"{name} is not a CSV, JSON Lines or .xlsx file. Save it in one of these formats and try again."
        raise BadInput(message, "table_kind", file=name)
    check_bytes(name, len(data))
    if suffix == ".xlsx":
        table = _workbook(name, data)
    elif suffix in (".csv", ".tsv"):
        table = _table(records(name, csv_grid(name, table_text(name, data), suffix)))
    else:
        table = _table(_json(name, table_text(name, data)))
    check_columns(name, len(columns_of(table)))
    if not table:
        raise BadInput(f"{name} has no rows. It needs a header and at least one row.", "no_rows", file=name)
    if len(table) > MAX_ROWS:
        message = f"{name} has {len(table):,} rows; the limit is {MAX_ROWS:,}. Split the file."
        raise BadInput(message, "too_many_rows", file=name, n=len(table), most=MAX_ROWS)
    return table


def columns_of(rows: list[Cells]) -> list[str]:
    """The names of all columns, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def guess_columns(columns: Sequence[str], names: Mapping[F, Sequence[str]]) -> dict[F, str]:
    """The columns with one of a field's names (in lower case), each at most once; an exact match comes first."""
    unmatched = list(columns)
    guessed: dict[F, str] = {}
    for field, field_names in names.items():
        exact = (column for name in field_names for column in unmatched if column == name)
        alike = (column for name in field_names for column in unmatched if column.strip().lower() == name)
        if column := next(exact, None) or next(alike, None):
            guessed[field] = column
            unmatched.remove(column)
    return guessed


def _table(rows: list[Cells]) -> Table:
    return Table(row for row in rows if any(is_filled(cell) for cell in row.values()))


def _workbook(name: str, data: bytes) -> Table:
    """The first sheet that has rows below a header."""
    grids: dict[str, Grid] = sheets(name, data)
    for title, grid in grids.items():
        rows = _table(clean(records(name, grid)))
        if rows:
            rows.sheet, rows.unread = title, tuple(other for other in grids if other != title)
            return rows
    return Table()


def table_text(name: str, data: bytes) -> str:
    """The text of a file: UTF-8 or UTF-16, else as Excel writes it on Japanese Windows (Shift_JIS) or on Windows of
    western Europe; raises BadInput."""
    encodings = ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp932", "cp1252")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "cp932" and not _JAPANESE.search(text):
            continue  # a pound sign, or an é, read as a Japanese letter
        if _CONTROLS.search(text):
            continue  # no text, or UTF-16 that does not say so
        return text
    message = f"{name} is neither UTF-8 nor Shift_JIS text. Save it as UTF-8 and try again."
    raise BadInput(message, "table_encoding", file=name)


def _json(name: str, text: str) -> list[Cells]:
    """One object a line, one list of objects, or one object over several lines."""
    if text.lstrip().startswith("["):
        rows = _loaded(name, text, 1)
        return [_object(name, row, number) for number, row in enumerate(cast(list[Any], rows), 1)]
    lines = [(number, line) for number, line in enumerate(_LINE_END.split(text), 1) if line.strip()]
    try:
        return [_object(name, _loaded(name, line, number), number) for number, line in lines]
    except BadInput:
        with suppress(BadInput):
            return [_object(name, _loaded(name, text, 1), 1)]
        raise


def _loaded(name: str, text: str, number: int) -> Any:
    try:
        return load_json(text)
    except ValueError as error:
        raise unreadable_file(name, f"row {number}: {error}", "table_json", row=number) from error


def _object(name: str, row: Any, number: int) -> Cells:
    if not isinstance(row, dict):
        raise unreadable_file(name, f"row {number}: not a JSON object", "table_object", row=number)
    return cast(Cells, row)


def escape_formula(cell: object) -> object:
    """A cell of a CSV file, with an apostrophe before a text that a spreadsheet would take for a formula.

    A text that begins with such an apostrophe itself gets one, too, so that `unescape_formula` restores it.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """The text of a cell that `escape_formula` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def check_bytes(name: str, size: int) -> None:
    """Raises BadInput (`table_bytes`) for more than MAX_BYTES."""
    if size > MAX_BYTES:
        n, most = size // MEGABYTE, MAX_BYTES // MEGABYTE
        message = f"{name} holds {n} MB; the limit is {most} MB, unpacked. Split the file."
        raise BadInput(message, "table_bytes", file=name, n=n, most=most)


def check_columns(name: str, count: int) -> None:
    """Raises BadInput (`table_columns`) for more than MAX_COLUMNS."""
    if count > MAX_COLUMNS:
        message = f"{name} has {count:,} columns; the limit is {MAX_COLUMNS:,}. Leave out what is not needed."
        raise BadInput(message, "table_columns", file=name, n=count, most=MAX_COLUMNS)


class CellCount:
    """Counts the cells of a file that have been read, over all its sheets."""

    def __init__(self, name: str) -> None:
        self._name, self._cells = name, 0

    def rows(self, rows: Iterable[Sequence[C]]) -> Iterator[Sequence[C]]:
        """The rows as they come; an empty one counts as a cell. Raises BadInput for too many columns or cells."""
        for row in rows:
            check_columns(self._name, len(row))
            self._cells += max(len(row), 1)
            if self._cells > MAX_CELLS:
                message = f"{self._name} has more than {MAX_CELLS:,} cells. Split the file."
                raise BadInput(message, "table_cells_most", file=self._name, most=MAX_CELLS)
            yield row
