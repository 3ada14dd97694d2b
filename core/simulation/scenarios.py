"""The scenarios of a bot: `questions.csv` in its folder."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from core.base.errors import BadInput
from core.base.files import read_bytes, write_text
from core.base.tables import check_bytes, csv_grid, escape_formula, is_filled, table_text, unescape_formula
from core.base.types import Bot, Scenario, ScenarioKind
from core.base.unused_name import first_duplicate, unused_name
from core.text.normalize import normalize

FILE = "questions.csv"
COLUMNS = ("id", "question", "intent", "facts", "reference", "kind", "needs_asking", "persona")
OPTIONAL = ("keypoints", "evidence", "known")  # the first two have one item a line
_KINDS: tuple[str, ...] = get_args(ScenarioKind)
_YES = frozenset({"yes", "true", "y", "1", "はい", "要"})
_NO = frozenset({"no", "false", "n", "0", "いいえ", "不要"})


def read_scenarios(bot: Bot) -> list[Scenario]:
    """The scenarios in the bot's folder, in order ([] without a file); raises BadInput as `parse_scenarios` does."""
    file, name = bot.folder / FILE, _name_of(bot)
    return parse_scenarios(decode_csv(read_bytes(file), name), name) if file.is_file() else []


def decode_csv(data: bytes, name: str = FILE) -> str:
    """The text of a CSV file; raises BadInput for one that is too large, or in an unknown encoding."""
    check_bytes(name, len(data))
    return table_text(name, data)


def parse_scenarios(text: str, name: str = FILE) -> list[Scenario]:
    """The scenarios of a CSV text; only the column `question` is required, other columns are ignored.

    An empty id becomes q001, q002, …; the sign ' before a would-be formula is removed. name: of the file, for
    errors. Raises BadInput: `no_question_column`, `broken_questions` with the row as a spreadsheet counts it (the
    header is row 1), `broken_file` for a quotation mark that is not closed, `duplicate_question_id`.
    """
    columns, rows = _table(text, name)
    if "question" not in columns:
        found = ", ".join(filter(None, columns))
        raise BadInput(
            f"{name} has no column 'question': the first row has {found or 'nothing'}. "
            "Add it to the first row and try again.",
            "no_question_column",
            file=name,
            columns=found or "–",
        )
    scenarios = [_scenario(name, number, dict(zip(columns, cells, strict=False))) for number, cells in rows]
    _check_ids(name, [scenario.id for scenario in scenarios])
    return _named(scenarios)


def _name_of(bot: Bot) -> str:
    """The bot's file as errors name it."""
    return f"{bot.folder.name}/{FILE}"


def scenarios_csv(
    scenarios: Iterable[Scenario], others: Sequence[str] = (), stored: Mapping[str, Mapping[str, str]] = {}
) -> str:
    """The scenarios as CSV with all eight columns; `parse_scenarios` reads it.

    The optional columns follow if any scenario has something in them. A cell that a spreadsheet would take for a
    formula begins with ', so that it stays text there. others: further columns of the file; stored: its cells in them
    by id.
    """
    rows = list(scenarios)
    optional = [name for name in OPTIONAL if name not in others and any(getattr(row, name) for row in rows)]
    columns = [*COLUMNS, *others, *optional]
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for scenario in rows:
        asking = {True: "yes", False: "no", None: ""}[scenario.needs_asking]
        fields = {**scenario.model_dump(), "needs_asking": asking}
        texts = {name: re.sub(r"\r\n?", "\n", str(fields[name])) for name in COLUMNS + OPTIONAL if name in columns}
        as_stored = {name: cell for name, cell in stored.get(scenario.id, {}).items() if name != "known"}
        writer.writerow({**{name: escape_formula(text) for name, text in texts.items()}, **as_stored})
    return out.getvalue()


def write_scenarios(bot: Bot, scenarios: Sequence[Scenario]) -> None:
    """Replace the bot's `questions.csv`; empty ids are filled in. Columns of another name stay with their id.

    Raises BadInput (`broken_questions`, `duplicate_question_id`) before anything is written.
    """
    for number, scenario in enumerate(scenarios, start=2):
        if not scenario.question.strip():
            raise _row_error(_name_of(bot), number, "the question is empty", "no_question")
    _check_ids(_name_of(bot), [scenario.id for scenario in scenarios])
    named = _named(list(scenarios))
    file = bot.folder / FILE
    old = decode_csv(read_bytes(file), _name_of(bot)) if file.is_file() else ""
    write_text(file, scenarios_csv(named, *_other_columns(old, _name_of(bot))))


def save_scenario(bot: Bot, scenario: Scenario, replace: bool = False) -> Scenario:
    """Add a scenario to the bot's `questions.csv`. Returns it with its id.

    Raises BadInput: `no_question_to_save`; `same_scenario` if one has the same question, intent and facts, unless
    `replace` is true: then it replaces that one under the same id.
    """
    if not scenario.question.strip():
        raise BadInput("The question is empty. Enter the first message.", "no_question_to_save")
    rows = read_scenarios(bot)
    same = same_as(rows, scenario)
    if same is not None and not replace:
        raise BadInput(
            f"The scenario {same.id!r} has the same question, intent and facts. Change this one or replace it.",
            "same_scenario",
            id=same.id,
        )
    saved = scenario.model_copy(update={"id": same.id if same else _free_id(rows, scenario.id.strip())})
    write_scenarios(bot, [saved if same and row.id == same.id else row for row in rows] + ([] if same else [saved]))
    return saved


def same_as(rows: Sequence[Scenario], scenario: Scenario) -> Scenario | None:
    """The scenario that asks the same with the same intent and facts, or None."""
    return next((row for row in rows if _content(row) == _content(scenario)), None)


def _table(text: str, name: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """(column names, (row number, cells) of each row that is not empty)."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    grid = enumerate(csv_grid(name, text), start=1)
    rows = [(number, [cell.strip() for cell in cells]) for number, cells in grid if any(map(is_filled, cells))]
    columns = [head.lower() for head in rows[0][1]] if rows else []
    for row, cells in rows[1:]:
        if any(cells[len(columns) :]):
            message = f"{len(cells)} cells, but the header has {len(columns)}; put values with commas in quotes"
            raise _row_error(name, row, message, "cells", n=len(cells), of=len(columns))
    return columns, rows[1:]


def _scenario(name: str, number: int, cells: dict[str, str]) -> Scenario:
    if not cells.get("question"):
        raise _row_error(name, number, "the question is empty", "no_question")
    kind = cells.get("kind", "").lower() or "faq"
    if kind not in _KINDS:
        known = ", ".join(_KINDS)
        message = f"there is no kind {cells['kind']!r}; the kinds are {known}"
        raise _row_error(name, number, message, "no_kind", kind=cells["kind"], known=known)
    fields = {column: unescape_formula(cells.get(column, "")) for column in COLUMNS + OPTIONAL}
    return Scenario.model_validate(
        {**fields, "kind": kind, "needs_asking": _needs_asking(name, number, fields["needs_asking"])}
    )


def _needs_asking(name: str, number: int, cell: str) -> bool | None:
    plain = cell.lower()
    if not plain:
        return None
    if plain not in _YES | _NO:
        message = f"needs_asking is {cell!r}; write yes, no or nothing"
        raise _row_error(name, number, message, "needs_asking", cell=cell, known="yes, no")
    return plain in _YES


def _named(scenarios: list[Scenario]) -> list[Scenario]:
    """The scenarios with q001, q002, … (by place) for empty ids; used ids are skipped."""
    used_ids = {scenario.id for scenario in scenarios}
    named: list[Scenario] = []
    for number, scenario in enumerate(scenarios, start=1):
        while not scenario.id and f"q{number:03}" in used_ids:
            number += 1
        name = scenario.id or f"q{number:03}"
        used_ids.add(name)
        named.append(scenario if scenario.id else scenario.model_copy(update={"id": name}))
    return named


def _check_ids(name: str, ids: Sequence[str]) -> None:
    if duplicate := first_duplicate(filter(None, ids)):
        raise BadInput(
            f"{name} has more than one question of the id {duplicate!r}. "
            "Give each question its own id, or leave the cell empty.",
            "duplicate_question_id",
            file=name,
            id=duplicate,
        )


def _other_columns(text: str, name: str) -> tuple[list[str], dict[str, dict[str, str]]]:
    """(names of the columns that are not a scenario's, or are optional; their cells by id)."""
    columns, rows = _table(text, name)
    others = [head for head in columns if head and head not in COLUMNS]
    cells = [dict(zip(columns, [*row, *[""] * len(columns)], strict=False)) for _, row in rows]
    return others, {row["id"]: {head: row[head] for head in others} for row in cells if "id" in row}


def _row_error(name: str, number: int, detail: str, why: str, **details: object) -> BadInput:
    return BadInput(
        f"Row {number} of {name} cannot be read: {detail}. Correct that row and try again.",
        "broken_questions",
        file=name,
        row=number,
        detail=detail,
        why=why,
        **details,
    )


def _free_id(rows: Sequence[Scenario], wanted: str) -> str:
    """The wanted id (default: "saved"), with a number after it if a scenario has that id."""
    used_ids = {row.id for row in rows}
    base = re.sub(r"-\d+$", "", wanted) if wanted in used_ids else wanted
    return unused_name(base or "saved", used_ids, "-{}")


def _content(scenario: Scenario) -> tuple[str, str, str]:
    return normalize(scenario.question), normalize(scenario.intent), normalize(scenario.facts)
