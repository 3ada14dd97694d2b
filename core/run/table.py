"""Tables that people bring: CSV, JSON Lines or a workbook, read into rows of text and lists."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from core.base.errors import BadInput
from core.base.text import clean
from core.run.grid import Cells, Grid, broken, filled, records
from core.run.grid_csv import csv_grid
from core.run.grid_xlsx import sheets

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".xlsx")
MOST_ROWS = 200_000
_LINE_END = re.compile(r"\r\n|\r|\n")


class Table(list[Cells]):
    """The rows of a file; of a workbook with several sheets, the sheet they stand in and those that were not read."""

    sheet: str = ""
    unread: tuple[str, ...] = ()


def read_table(name: str, data: bytes) -> Table:
    """The rows of a file by its name's ending, empty ones left out, keys as in the header.

    Raises BadInput with what is wrong: the ending, the encoding, a row that is no object, no rows, too many rows.
    """
    suffix = f".{name.rpartition('.')[2].lower()}" if "." in name else ""
    if suffix not in SUFFIXES:
        told = f"{name} is no CSV, JSON Lines or .xlsx file. Save the answers as one of these and try again."
        raise BadInput(told, "table_kind", file=name)
    if suffix == ".xlsx":
        kept = _workbook(name, data)
    elif suffix in (".csv", ".tsv"):
        kept = _table(records(name, csv_grid(name, _text(name, data), suffix)))
    else:
        kept = _table(_json(name, _text(name, data)))
    if not kept:
        raise BadInput(f"{name} holds no rows. Give a file with a header and at least one row.", "no_rows", file=name)
    if len(kept) > MOST_ROWS:
        told = f"{name} has {len(kept):,} rows; at most {MOST_ROWS:,} are judged at once. Part the file."
        raise BadInput(told, "too_many_rows", file=name, n=len(kept), most=MOST_ROWS)
    return kept


def columns_of(rows: list[Cells]) -> list[str]:
    """The names of all columns, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _table(rows: list[Cells]) -> Table:
    return Table(row for row in rows if any(filled(cell) for cell in row.values()))


def _workbook(name: str, data: bytes) -> Table:
    """The first sheet that has rows below a header."""
    grids: dict[str, Grid] = sheets(name, data)
    for title, grid in grids.items():
        found = _table(clean(records(name, grid)))
        if found:
            found.sheet, found.unread = title, tuple(other for other in grids if other != title)
            return found
    return Table()


def _text(name: str, data: bytes) -> str:
    """UTF-8 or UTF-16 by its mark, else what Japanese Windows writes."""
    encodings = ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp932")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    told = f"{name} is neither UTF-8 nor Shift_JIS text. Save it as UTF-8 and try again."
    raise BadInput(told, "table_encoding", file=name)


def _json(name: str, text: str) -> list[Cells]:
    """One object a line, one list of objects, or one object over several lines."""
    if text.lstrip().startswith("["):
        rows = _loaded(name, text, 1)
        return [_object(name, row, number) for number, row in enumerate(cast(list[Any], rows), 1)]
    lines = [(number, line) for number, line in enumerate(_LINE_END.split(text), 1) if line.strip()]
    try:
        return [_object(name, _loaded(name, line, number), number) for number, line in lines]
    except BadInput:
        try:
            return [_object(name, _loaded(name, text, 1), 1)]
        except BadInput:
            pass
        raise


def _loaded(name: str, text: str, number: int) -> Any:
    """JSON without half characters; NaN and infinities, which are no JSON, are nothing."""
    try:
        return clean(json.loads(text, parse_constant=lambda _: None))
    except (ValueError, RecursionError) as error:
        told = getattr(error, "msg", "nested too deeply")
        raise broken(name, f"row {number}: {told}", "table_json", row=number) from error


def _object(name: str, row: Any, number: int) -> Cells:
    if not isinstance(row, dict):
        raise broken(name, f"row {number}: not a JSON object", "table_object", row=number)
    return cast(Cells, row)
