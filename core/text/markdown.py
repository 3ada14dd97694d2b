"""Markdown in texts: bold words, and the rows and cells of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

_BOLD = re.compile(r"(\*\*|(?<!\w)__)(?=\S)((?:(?!\1).)+?)(?<=\S)\1(?!\w)")
_BOLD_LINE = re.compile(rf"[ \t]*{_BOLD.pattern}[ \t]*")


def without_bold(text: str) -> str:
    """The text without the marks around bold words, for where they would be shown as they are.

    >>> without_bold("Press **Save** twice, 2**3 times")
    'Press Save twice, 2**3 times'
    """
    return _BOLD.sub(r"\2", text)


def without_bold_line(line: str) -> str:
    """A line without the marks around it if all of it is bold: a title."""
    return without_bold(line) if _BOLD_LINE.fullmatch(line) else line


_BAR = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r":?-+:?")


def is_table_line(line: str) -> bool:
    """Whether a line is part of a table: it begins with a bar."""
    return line.lstrip().startswith("|")


def is_rule(line: str) -> bool:
    """Whether a line is the rule below a table's header: every cell is dashes, or empty, and not all are empty."""
    cells = table_cells(line)
    return any(cells) and all(_DASHES.fullmatch(cell) for cell in cells if cell)


def table_cells(line: str) -> list[str]:
    """The cells of a row; an escaped bar (`\\|`) is part of its cell."""
    inner = line.strip().removeprefix("|")
    inner = inner if inner.endswith("\\|") else inner.removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]


def table_rows(lines: Iterable[str]) -> list[list[str]]:
    """The cells of each row of one table, the header first, without the rule."""
    return [table_cells(line) for place, line in enumerate(lines) if place > 1 or not is_rule(line)]


def tables(text: str) -> Iterator[list[list[str]]]:
    """The tables of a text that have rows below their header, each as its rows of cells, the header first."""
    for is_table, lines in groupby(text.splitlines(), key=is_table_line):
        if is_table and len(rows := table_rows(lines)) > 1:
            yield rows
