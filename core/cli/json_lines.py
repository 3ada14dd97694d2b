"""JSON Lines in and out: rows are read strictly, results are written whole or not at all."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from core.base.errors import Absent, BadInput, ModelError
from core.base.files import write_bytes
from core.base.text import clean
from core.base.types import Message

Json = dict[str, Any]
R = TypeVar("R", bound=BaseModel)
_LOG = logging.getLogger(__name__)
_BOT = ("assistant", "operator", "agent", "bot")


class Row(BaseModel):
    """A row of an input file; keys that are not asked for are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    id: str | int


class Said(BaseModel):
    """A message in a row: OpenAI's `content` is taken too, and an operator counts as the assistant."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    role: Literal["user", "assistant", "operator", "agent", "bot"]
    text: str = Field(validation_alias=AliasChoices("text", "content"))

    def message(self) -> Message:
        """The same as a message of a conversation."""
        return Message(role="assistant" if self.role in _BOT else "user", text=self.text)


def read_rows(name: str, kind: type[R]) -> list[R]:
    """All rows of a JSON Lines file ("-": standard input); raises BadInput with the number of the first bad row."""
    return [_row(name, number, line, kind) for number, line in enumerate(_lines(name), 1) if line.strip()]


def write_rows(name: str, rows: Iterable[Json]) -> None:
    """Write JSON Lines ("-": standard output); a file appears only once every row is there."""
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")
    if name == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_bytes(Path(name), data)


@contextmanager
def only_results() -> Generator[None]:
    """What anything prints meanwhile, in whatever thread, goes to standard error: results alone are for standard output."""
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdout = out


def each(rows: Iterable[R], work: Callable[[R], Json], empty: Json) -> list[Json]:
    """One result per row, with its id and `error`; where `work` fails the row says so and holds what `empty` holds.

    Raises Absent where the model server is gone.
    """
    return [_result(row, work, empty) for row in rows]


def _result(row: R, work: Callable[[R], Json], empty: Json) -> Json:
    mark = {"id": getattr(row, "id", None)}
    try:
        return {**mark, **work(row), "error": ""}
    except Absent:  # nor would it be for the next row: what was answered so far is in the call log
        raise
    except (BadInput, ModelError) as error:
        return {**mark, **empty, "error": str(error)}
    except Exception as error:
        _LOG.debug("Row %s failed", mark, exc_info=True)
        return {**mark, **empty, "error": f"{type(error).__name__}: {error}"}


def _lines(name: str) -> list[str]:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8-sig").split("\n")
    except OSError as error:
        raise BadInput(f"{name} cannot be read ({error.strerror}). Give the path of a JSON Lines file.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is not UTF-8 text (byte {error.start}). Save it as UTF-8 and try again.") from error


def _row(name: str, number: int, line: str, kind: type[R]) -> R:
    where = "standard input" if name == "-" else Path(name).name
    try:
        found = clean(json.loads(line, parse_constant=lambda _: None))
    except (ValueError, RecursionError) as error:
        told = getattr(error, "msg", "nested too deeply")
        raise BadInput(f"{where}, row {number}: not a JSON object ({told}). Correct that row and try again.") from error
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the row"
        told = f"{place}: {first['msg']}"
        raise BadInput(f"{where}, row {number}: {told}. Correct that row and try again.") from error
