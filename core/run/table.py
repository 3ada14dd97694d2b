"""Tables that people bring: CSV, JSON Lines or a workbook, read into rows of text and lists."""

from __future__ import annotations

import io
import json
from typing import Any, cast
from zipfile import BadZipFile

import pandas as pd

from core.base.errors import BadInput

Cells = dict[str, Any]
SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".xlsx")
MOST_ROWS = 200_000
frames: Any = pd  # typed too loosely to be checked


def read_table(name: str, data: bytes) -> list[Cells]:
    """The rows of a file by its name's ending, empty ones left out, keys as in the header.

    Raises BadInput with what is wrong: the ending, the encoding, a row that is no object, no rows, too many rows.
    """
    suffix = f".{name.rpartition('.')[2].lower()}" if "." in name else ""
    if suffix not in SUFFIXES:
        told = f"{name} is no CSV, JSON Lines or .xlsx file. Save the answers as one of these and try again."
        raise BadInput(told, "table_kind", file=name)
    if suffix == ".xlsx":
        rows = _workbook(name, data)
    elif suffix in (".csv", ".tsv"):
        rows = _csv(name, _text(name, data))
    else:
        rows = _json(name, _text(name, data))
    kept = [row for row in rows if any(_filled(cell) for cell in row.values())]
    if not kept:
        raise BadInput(f"{name} holds no rows. Give a file with a header and at least one row.", "no_rows", file=name)
    if len(kept) > MOST_ROWS:
        told = f"{name} has {len(kept):,} rows; at most {MOST_ROWS:,} are judged at once. Part the file."
        raise BadInput(told, "too_many_rows", file=name, n=len(kept), most=MOST_ROWS)
    return kept


def columns_of(rows: list[Cells]) -> list[str]:
    """The names of all columns, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _filled(cell: Any) -> bool:
    return bool(str(cell).strip()) if cell is not None else False


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


def _csv(name: str, text: str) -> list[Cells]:
    header = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    try:
        frame = frames.read_csv(io.StringIO(text), sep=delimiter, dtype=str, keep_default_na=False, engine="python")
    except pd.errors.EmptyDataError:
        return []
    except (ValueError, pd.errors.ParserError) as error:
        raise _broken(name, str(error), "table_cells") from error
    return _records(frame)


def _workbook(name: str, data: bytes) -> list[Cells]:
    try:
        frame = frames.read_excel(io.BytesIO(data), dtype=str, keep_default_na=False, engine="openpyxl")
    except (ValueError, KeyError, OSError, BadZipFile) as error:
        raise _broken(name, str(error), "table_workbook") from error
    return _records(frame)


def _records(frame: Any) -> list[Cells]:
    filled = frame.fillna("")
    filled.columns = [str(column).strip() for column in filled.columns]
    return cast(list[Cells], filled.to_dict("records"))


def _json(name: str, text: str) -> list[Cells]:
    """One object a line, or one list of objects."""
    if text.lstrip().startswith("["):
        rows = _loaded(name, text, 1)
        return [_object(name, row, number) for number, row in enumerate(cast(list[Any], rows), 1)]
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return [_object(name, _loaded(name, line, number), number) for number, line in lines]


def _loaded(name: str, text: str, number: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        told = getattr(error, "msg", "nested too deeply")
        raise _broken(name, f"row {number}: {told}", "table_json", row=number) from error


def _object(name: str, row: Any, number: int) -> Cells:
    if not isinstance(row, dict):
        raise _broken(name, f"row {number}: not a JSON object", "table_object", row=number)
    return cast(Cells, row)


def _broken(name: str, detail: str, why: str, **where: object) -> BadInput:
    line = " ".join(detail.split())[:200]
    told = f"{name} cannot be read ({line}). Correct it and try again."
    return BadInput(told, "broken_file", file=name, detail=line, why=why, **where)
