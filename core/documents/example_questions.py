"""Example questions: how users ask for a section, stored with a bot's documents."""

from __future__ import annotations

import csv
import io
from collections import defaultdict, deque
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from core.base.clean_text import clean
from core.base.errors import BadInput
from core.base.files import check_writable, read_bytes, write_bytes
from core.base.settings import settings
from core.base.tables import Cells, columns_of, csv_grid, escape_formula, is_filled, records, unescape_formula
from core.base.types import Bot, Section
from core.documents.documents import MAX_BYTES, decode

FILE = "example_questions.csv"
COLUMNS = ("document", "heading", "question")
MAX_ROWS = 50_000  # example questions of one bot


class ExampleQuestion(NamedTuple):
    """A question as a user may ask it, and the section that answers it.

    If several sections have the same question, it does not say which of them is meant.
    """

    document: str
    heading: str  # with parents ("Refunds › By card"); "": users expect the document to answer, but no section does
    question: str

    @property
    def section(self) -> Section:
        """The section that answers it."""
        return Section(self.document, self.heading)


def read_example_questions(bot: Bot) -> list[ExampleQuestion]:
    """The rows of a bot's example_questions.csv, [] without that file; raises BadInput for an unreadable one."""
    return [one for one in map(_example, _file_rows(bot)) if one.question]


def example_questions_of(name: str, rows: Sequence[Cells]) -> list[ExampleQuestion]:
    """The rows of a table that have a question; raises BadInput if a column is missing, or for too many rows."""
    return [one for one in map(_example, _checked(name, rows)) if one.question]


def example_questions_csv(examples: Iterable[ExampleQuestion]) -> str:
    """Example questions as CSV, for a file or a download, with formulas escaped."""
    return _csv([_cells(one) for one in examples])


def change_example_questions(
    bot: Bot, removed: Iterable[ExampleQuestion] = (), added: Iterable[ExampleQuestion] = ()
) -> int:
    """Remove rows from the bot's file and add those that it lacks, in one step; returns the number of its rows.

    Rows that others wrote meanwhile stay, and so do further columns. An added row takes the place of a removed one of
    its section, else it follows the last one of its section or document. Raises BadInput, and writes nothing, if the
    file cannot be read or written or would be too large.
    """
    gone = set(removed)
    with _locked(bot):
        before = _file_rows(bot)
        present = {_example(row) for row in before} - gone
        requested = dict.fromkeys(ExampleQuestion(*(clean(text).strip() for text in one)) for one in added)
        new = [one for one in requested if one not in present]
        rows = _checked(FILE, _placed(before, gone, new))
        data = _csv(rows).encode()
        _decoded(data)
        write_bytes(bot.folder / FILE, data)
    return sum(bool(_example(row).question) for row in rows)


def copy_example_questions(bot: Bot) -> Path | None:
    """A copy of the bot's file in the data folder; None without a file. Raises BadInput."""
    file = bot.folder / FILE
    if not file.is_file():
        return None
    copy = settings().data_dir / "versions" / f"{bot.id}.{datetime.now(UTC):%Y%m%dT%H%M%S}.{FILE}"
    write_bytes(copy, read_bytes(file))
    return copy


def _file_rows(bot: Bot) -> Sequence[Cells]:
    """The rows of the bot's file with all columns."""
    path = bot.folder / FILE
    return _checked(FILE, records(FILE, csv_grid(FILE, _decoded(read_bytes(path))))) if path.is_file() else []


def _decoded(data: bytes) -> str:
    """The text of the file; raises BadInput for other than UTF-8, or too many bytes."""
    if len(data) > MAX_BYTES:
        message = f"{FILE} has {len(data):,} bytes; the limit is {MAX_BYTES:,}. Keep those that people ask most."
        raise BadInput(message, "example_bytes", file=FILE, bytes=len(data), most=MAX_BYTES)
    return decode(FILE, data)


def _checked(name: str, rows: Sequence[Cells]) -> Sequence[Cells]:
    """The rows that are not empty; raises BadInput if a column is missing, or for too many rows."""
    columns = columns_of([*rows[:1]]) if rows else list(COLUMNS)
    if not set(COLUMNS).issubset(columns):
        has, needed = ", ".join(columns), ", ".join(COLUMNS)
        message = f"{name} has the columns {has}. It needs {needed}. Add what is missing."
        raise BadInput(message, "example_columns", file=name, columns=has, needed=needed)
    if len(rows) > MAX_ROWS:
        message = f"{name} has {len(rows):,} rows; the limit is {MAX_ROWS:,}. Keep those that people ask most."
        raise BadInput(message, "example_rows", file=name, rows=len(rows), most=MAX_ROWS)
    return [row for row in rows if any(is_filled(cell) for cell in row.values())]


def _example(row: Cells) -> ExampleQuestion:
    return ExampleQuestion(*(unescape_formula(str(row[name] or "").strip()) for name in COLUMNS))


def _cells(one: ExampleQuestion) -> Cells:
    return {name: escape_formula(text) for name, text in zip(COLUMNS, one, strict=True)}


def _placed(rows: Sequence[Cells], gone: set[ExampleQuestion], added: Sequence[ExampleQuestion]) -> list[Cells]:
    """The rows that stay and the added ones.

    Of a section that has rows, the added ones take the places of those that are gone, the rest go below its last one;
    those of another section go below the last row of their document, else to the end.
    """
    last: dict[Section | str, int] = {}
    for place, row in enumerate(rows):
        one = _example(row)
        last[one.section] = last[one.document] = place
    of_section: defaultdict[Section, deque[Cells]] = defaultdict(deque)
    below: defaultdict[int, list[Cells]] = defaultdict(list)
    for one in added:
        if one.section in last:
            of_section[one.section].append(_cells(one))
        else:
            below[last.get(one.document, len(rows))].append(_cells(one))
    placed: list[Cells] = []
    for place, row in enumerate(rows):
        one = _example(row)
        waiting = of_section[one.section]
        if one not in gone:
            placed.append(row)
        elif waiting:
            placed.append(waiting.popleft())
        if place == last[one.section]:
            placed += waiting
        placed += below[place]
    return placed + below[len(rows)]


def _csv(rows: Sequence[Cells]) -> str:
    out = io.StringIO()
    names = [*COLUMNS, *(name for name in columns_of([*rows]) if name not in COLUMNS)]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    texts = ((unescape_formula(str(row.get(name) or "").strip()) for name in names) for row in rows)
    writer.writerows([escape_formula(text) for text in cells] for cells in texts)
    return out.getvalue()


@contextmanager
def _locked(bot: Bot) -> Generator[None]:
    """Locks the bot's file against changes by other threads and processes of this machine; raises BadInput."""
    file = settings().data_dir / "locks" / f"{bot.id}.{FILE}.lock"
    check_writable(file)
    with FileLock(file):
        yield
