"""Text of people and models that any file can hold: cells of spreadsheets, JSON Lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

MAX_EXCEL_LETTERS = 32_767  # characters that a cell of Excel holds
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_LONE = re.compile("[\ud800-\udfff]")


def json_lines(rows: Iterable[Mapping[str, object]]) -> bytes:
    """Rows as JSON Lines in UTF-8; half characters replaced."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")


def strip_control(text: str) -> str:
    """The text without control characters, which a workbook cannot hold; half characters replaced."""
    if text.isprintable():  # quick, and true of most
        return text
    return _LONE.sub("\ufffd", _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def fit_cell(text: str, longest: int, note: str) -> str:
    """The text without control characters, cut to `longest` UTF-16 units (as spreadsheets count) with a note."""
    text = strip_control(text)
    if len(text) * 2 <= longest or utf16_length(text) <= longest:
        return text
    room = longest - utf16_length(note) - 1
    shortened = text.encode("utf-16-le")[: room * 2].decode("utf-16-le", "ignore")
    return f"{shortened} {note}"


def utf16_length(text: str) -> int:
    """How many characters a spreadsheet counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
