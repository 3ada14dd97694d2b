"""Rows of cells, as spreadsheets have them, to rows by the names of their columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.base.errors import BadInput

Cells = dict[str, Any]
Grid = Sequence[Sequence[str]]


def records(name: str, grid: Grid) -> list[Cells]:
    """The rows below the header; raises BadInput (`broken_file`) for a row with more cells than the header."""
    start = _header(grid)
    if start is None:
        return []
    names = column_names(grid[start])
    rows: list[Cells] = []
    for number, row in enumerate(grid[start + 1 :], start + 2):
        if any(filled(cell) for cell in row[len(names) :]):
            told = f"row {number}: {len(row)} cells under {len(names)} columns"
            raise broken(name, told, "table_surplus", row=number, n=len(row), columns=len(names))
        rows.append(dict(zip(names, [*row, *[""] * len(names)], strict=False)))
    used = [column for column, head in zip(names, grid[start], strict=True) if head.strip() or _any(rows, column)]
    return [{column: row[column] for column in used} for row in rows]


def column_names(header: Sequence[str]) -> list[str]:
    """Names without blanks around them, each once: of several that are the same, the further ones are numbered."""
    taken = {head for head in header if head and head == head.strip()}
    given: set[str] = set()
    names: list[str] = []
    for place, head in enumerate(header, 1):
        name = head.strip() or f"column {place}"
        free = name not in given and (head == name or name not in taken)
        names.append(name if free else numbered(name, given | taken, " ({})"))
        given.add(names[-1])
    return names


def numbered(name: str, taken: set[str], mark: str) -> str:
    """The name with the first number from 2 that nobody has."""
    number = 2
    while name + mark.format(number) in taken:
        number += 1
    return name + mark.format(number)


def filled(cell: Any) -> bool:
    """Whether a cell holds anything but blanks."""
    return bool(str(cell).strip()) if cell is not None else False


def broken(name: str, detail: str, why: str, **where: object) -> BadInput:
    """The error for a file that cannot be read: where, and a word for why."""
    line = " ".join(detail.split())[:200]
    told = f"{name} cannot be read ({line}). Correct it and try again."
    return BadInput(told, "broken_file", file=name, detail=line, why=why, **where)


def _header(grid: Grid) -> int | None:
    """The first row with two filled cells or more, else the first with one: titles may stand above."""
    counts = [sum(filled(cell) for cell in row) for row in grid]
    return next((place for least in (2, 1) for place, count in enumerate(counts) if count >= least), None)


def _any(rows: list[Cells], column: str) -> bool:
    return any(filled(row[column]) for row in rows)
