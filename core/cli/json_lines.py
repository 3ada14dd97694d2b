"""JSON Lines in and out: rows are read strictly, results are written whole or not at all."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from core.base.errors import BadInput, ConnectionFailed, sentence
from core.base.field_faults import field_fault
from core.base.files import write_bytes
from core.base.json_data import Json, load_json
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.tables import MAX_ROWS
from core.base.thread_pool import side_by_side
from core.export.cells import json_lines
from core.llm.roles import ModelEngine

R = TypeVar("R", bound=BaseModel)
_LOG = logging.getLogger(__name__)


def read_rows(name: str, kind: type[R]) -> list[R]:
    """All rows of a JSON Lines file ("-": standard input); raises BadInput with the number of the first bad row.

    And for more rows than a table may have.
    """
    lines = [(number, line) for number, line in enumerate(_lines(name), 1) if line.strip()]
    if len(lines) > MAX_ROWS:
        place = "standard input" if name == "-" else Path(name).name
        raise BadInput(f"{place} has {len(lines):,} rows; the limit is {MAX_ROWS:,}. Split the file.")
    return [_row(name, number, line, kind) for number, line in lines]


def write_rows(name: str, rows: Iterable[Json]) -> None:
    """Write JSON Lines ("-": standard output); a file appears only once every row is there."""
    data = json_lines(rows)
    if name == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_bytes(Path(name), data)


@contextmanager
def stdout_for_results() -> Generator[None]:
    """What anything prints meanwhile, in whatever thread, goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdout = out


def map_rows(rows: Iterable[R], work: Callable[[R], Json], empty: Json, engine: Engine | None = None) -> list[Json]:
    """One result per row, in order, with its id and `error`; if `work` fails, the result is `empty` and the error.

    If `engine` asks a model, so many rows are worked on at once as `KIKU_CONCURRENCY` says; else one after the other.
    Raises ConnectionFailed if the model server is gone.
    """
    if not isinstance(engine, ModelEngine):
        return [_result(row, work, empty) for row in rows]
    result = partial(_result, work=work, empty=empty)
    with side_by_side(result, rows, settings().concurrency, "rows") as results:
        return [one.result() for one in results]


def _result(row: R, work: Callable[[R], Json], empty: Json) -> Json:
    row_id = {"id": getattr(row, "id", None)}
    try:
        return {**row_id, **work(row), "error": ""}
    except ConnectionFailed:  # nor would it be there for the next row; what was answered so far is in the call log
        raise
    except Exception as error:
        _LOG.debug("Row %s failed", row_id, exc_info=True)
        return {**row_id, **empty, "error": sentence(error)}


def read_input(name: str, expected: str) -> bytes:
    """What is in a file ("-": standard input); raises BadInput, which says what is `expected`."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise BadInput(f"{name} cannot be read ({error.strerror}). Give the path of {expected}.", "no_file") from error


def _lines(name: str) -> list[str]:
    try:
        return read_input(name, "a JSON Lines file").decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is not UTF-8 text (byte {error.start}). Save it as UTF-8 and try again.") from error


def _row(name: str, number: int, line: str, kind: type[R]) -> R:
    place = f"{'standard input' if name == '-' else Path(name).name}, row {number}"
    try:
        row = load_json(line)
    except ValueError as error:
        raise BadInput(f"{place}: not a JSON object ({error}). Correct that row and try again.") from error
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        fault = field_fault(error, whole="the row")
        raise BadInput(f"{place}: {fault}. Correct that row and try again.") from error
