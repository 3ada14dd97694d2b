"""Texts that a spreadsheet would take for a formula: written to CSV files with an apostrophe before them, read back without."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])")  # with the apostrophes of an earlier export


def escape_formula(cell: object) -> object:
    """A cell of a CSV file: text that a spreadsheet would take for a formula gets an apostrophe before it.

    So does text that begins with such an apostrophe by itself, so that `unescape_formula` gives back what there was.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """The text of a cell that `escape_formula` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
