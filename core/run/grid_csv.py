"""CSV by any of three delimiters, as rows of cells."""

from __future__ import annotations

import csv
import io
import re

from core.run.grid import Grid, broken

LONGEST_CELL = 50_000_000  # characters; Python's own limit is 131,072
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_SAID = re.compile(r'\s*"?sep=([,;\t])"?[ \t]*(?:\r\n|\r|\n)')
csv.field_size_limit(LONGEST_CELL)


def csv_grid(name: str, text: str, suffix: str = ".csv") -> Grid:
    """All rows, empty ones too; raises BadInput (`broken_file`) where a quotation mark is not closed."""
    said = _SAID.match(text)  # the line by which Excel is told the delimiter
    delimiter = said[1] if said else _delimiter(text, suffix)
    body = text[said.end() :] if said else text
    try:
        return _read(body, delimiter, strict=True)
    except csv.Error as error:
        if "expected after" not in str(error):  # a quotation mark within a cell can be lived with
            raise broken(name, str(error), "table_cells") from error
    try:
        return _read(body, delimiter, strict=False)
    except csv.Error as error:
        raise broken(name, str(error), "table_cells") from error


def _read(text: str, delimiter: str, strict: bool) -> Grid:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict))


def _delimiter(text: str, suffix: str) -> str:
    """The commonest in the first line that has one, outside quotation marks."""
    known = "\t,;" if suffix == ".tsv" else ",;\t"
    for line in re.split(r"[\r\n]+", _QUOTED.sub("", text[:200_000])):
        found = max(known, key=line.count)
        if line.count(found):
            return found
    return known[0]
