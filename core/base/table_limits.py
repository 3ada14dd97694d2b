"""Limits for uploaded tables, checked while reading."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar
from zipfile import ZipFile

from core.base.errors import BadInput

MEGABYTE = 1_000_000
MOST_BYTES = 100 * MEGABYTE  # of a file, and of what a workbook unpacks to
MOST_COLUMNS = 1_000
MOST_CELLS = 5_000_000
C = TypeVar("C")


def check_bytes(name: str, size: int) -> None:
    """Raises BadInput (`table_bytes`) for more than MOST_BYTES."""
    if size > MOST_BYTES:
        n, most = size // MEGABYTE, MOST_BYTES // MEGABYTE
        message = f"{name} holds {n} MB; the limit is {most} MB, unpacked. Split the file."
        raise BadInput(message, "table_bytes", file=name, n=n, most=most)


def check_unpacked(name: str, data: bytes) -> None:
    """Raises BadInput (`table_bytes`) for a workbook that unpacks to more than MOST_BYTES; BadZipFile for none."""
    with ZipFile(io.BytesIO(data)) as book:
        check_bytes(name, sum(part.file_size for part in book.infolist()))


def check_columns(name: str, count: int) -> None:
    """Raises BadInput (`table_columns`) for more than MOST_COLUMNS."""
    if count > MOST_COLUMNS:
        message = f"{name} has {count:,} columns; the limit is {MOST_COLUMNS:,}. Leave out what is not needed."
        raise BadInput(message, "table_columns", file=name, n=count, most=MOST_COLUMNS)


class CellCount:
    """The cells of a file that have been read, over all its sheets."""

    def __init__(self, name: str) -> None:
        self._name, self._cells = name, 0

    def rows(self, rows: Iterable[Sequence[C]]) -> Iterator[Sequence[C]]:
        """The rows as they come; an empty one counts as a cell. Raises BadInput (`table_columns`, `table_cells_most`)."""
        for row in rows:
            check_columns(self._name, len(row))
            self._cells += max(len(row), 1)
            if self._cells > MOST_CELLS:
                message = f"{self._name} has more than {MOST_CELLS:,} cells. Split the file."
                raise BadInput(message, "table_cells_most", file=self._name, most=MOST_CELLS)
            yield row
