"""A bot's own criteria: `judges/criteria.toml` in its folder; deleted ones are in the data folder."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import TypeAdapter, ValidationError

from core.base.errors import BadInput
from core.base.field_faults import broken_file, field_fault, shown_value
from core.base.files import write_text
from core.base.frozen_model import FrozenModel
from core.base.settings import settings
from core.base.toml import TomlFault, multiline, parse_document, parse_toml
from core.base.types import Bot
from core.judges.criteria.criteria import Criterion, built_in_criteria

LONGEST_WORDING = 2_000  # characters of a wording
MAX_DELETED = 50  # deleted criteria of a bot that can be restored
_NAME = re.compile(r"[^\W_][\w-]{0,39}")
_FIELDS = ("wording", "ja", "en", "bad", "labeled")


class DeletedCriterion(FrozenModel):
    """A criterion and when it was deleted (UTC)."""

    at: datetime
    criterion: Criterion


_DELETED = TypeAdapter(tuple[DeletedCriterion, ...])


def custom_criteria_file(bot: Bot) -> Path:
    """The file of the bot's own criteria."""
    return bot.folder / "judges" / "criteria.toml"


def read_custom_criteria(bot: Bot) -> tuple[Criterion, ...]:
    """The bot's own criteria in the order of the file; a missing file has none.

    Raises BadInput (`broken_file`, `criterion_name`, `criterion_built_in`, `criterion_wording`) for what cannot be
    used.
    """
    found: list[Criterion] = []
    for _, one in custom_criteria_or_problems(bot):
        if isinstance(one, BadInput):
            raise one
        found.append(one)
    return tuple(found)


def custom_criteria_or_problems(bot: Bot) -> list[tuple[str, Criterion | BadInput]]:
    """(name, criterion or its problem) for each criterion; a file that cannot be read is one row."""
    file = custom_criteria_file(bot)
    try:
        rows = parse_toml(file.read_bytes() if file.is_file() else b"")
    except TomlFault as fault:
        return [(file.name, _broken(file, fault))]
    except OSError as error:
        return [(file.name, _broken(file, TomlFault(str(error.strerror), "")))]
    return [(name, _criterion_or_problem(file, name, row)) for name, row in rows.items()]


def custom_criteria(bot: Bot) -> dict[str, Criterion]:
    """The bot's own criteria that can be used, by name."""
    return {name: one for name, one in custom_criteria_or_problems(bot) if isinstance(one, Criterion)}


def may_be_criterion(bot: Bot, name: str) -> BadInput | None:
    """The problem of that criterion, or of an unreadable file that may contain it; None without one."""
    file, by_name = custom_criteria_file(bot), dict(custom_criteria_or_problems(bot))
    found = by_name.get(name)
    if isinstance(found, BadInput):
        return found
    whole = by_name.get(file.name)
    if not isinstance(whole, BadInput):
        return None
    try:
        return whole if name.encode("utf-8", "replace") in file.read_bytes() else None
    except OSError:
        return whole


def _criterion_or_problem(file: Path, name: str, row: Any) -> Criterion | BadInput:
    try:
        criterion = _criterion(name, row)
        _check(criterion)
        return criterion
    except TomlFault as fault:
        return _broken(file, fault)
    except BadInput as wrong:
        return wrong


def save_custom_criterion(bot: Bot, criterion: Criterion) -> Criterion:
    """Add a criterion or change the one of that name, keeping comments and other criteria. Returns it as written.

    Raises BadInput: a name of letters, digits, - and _ that no built-in criterion has, and a wording, are needed.
    """
    tidy = _tidy(criterion)
    _check(tidy)
    document, file = _document(bot), custom_criteria_file(bot)
    if tidy.name not in document:
        document[tidy.name] = tomlkit.table()
    elif isinstance(document[tidy.name], str):
        document[tidy.name] = tomlkit.inline_table()
    _fill(document[tidy.name], tidy.model_dump())
    write_text(file, tomlkit.dumps(document))
    return tidy


def delete_custom_criterion(bot: Bot, criterion: Criterion) -> None:
    """Delete a criterion so that it can be restored; raises BadInput (`no_criterion`) if the bot does not have it."""
    document, name = _document(bot), criterion.name
    if name not in document:
        known = ", ".join(document) or "none"
        message = f"There is no criterion {name!r} in {bot.id}/judges/criteria.toml. Choose one of {known}."
        raise BadInput(message, "no_criterion", name=name, known=known)
    before = deleted_criteria(bot)
    _write_deleted(bot, (DeletedCriterion(at=datetime.now(UTC), criterion=criterion), *before))
    del document[name]
    try:
        write_text(custom_criteria_file(bot), tomlkit.dumps(document))
    except BadInput:
        _write_deleted(bot, before)
        raise


def restore_criterion(bot: Bot, deleted: DeletedCriterion) -> None:
    """Restore a criterion; a newer one of the same name becomes a deleted one."""
    present = custom_criteria(bot).get(deleted.criterion.name)
    save_custom_criterion(bot, deleted.criterion)
    left = tuple(row for row in deleted_criteria(bot) if row != deleted)
    _write_deleted(bot, (DeletedCriterion(at=datetime.now(UTC), criterion=present), *left) if present else left)


def deleted_criteria(bot: Bot) -> tuple[DeletedCriterion, ...]:
    """The deleted criteria, the latest first; empty if the file cannot be read."""
    try:
        return _DELETED.validate_json(_deleted_file(bot).read_bytes())
    except (OSError, ValidationError):
        return ()


def _write_deleted(bot: Bot, rows: tuple[DeletedCriterion, ...]) -> None:
    write_text(_deleted_file(bot), _DELETED.dump_json(rows[:MAX_DELETED], indent=1).decode("utf-8"))


def _deleted_file(bot: Bot) -> Path:
    return settings().data_dir / "removed_criteria" / f"{bot.id}.json"


def check_name(name: str) -> None:
    """Raises BadInput (`criterion_name`) for a name that no judge of a bot's own may have."""
    if not _NAME.fullmatch(name):
        rule = "Use up to 40 letters, digits, - and _, and start with a letter or digit."
        raise BadInput(f"{name!r} is not a valid name. {rule}", "criterion_name", name=name)


def _tidy(criterion: Criterion) -> Criterion:
    texts = {field: getattr(criterion, field).strip() for field in ("wording", "ja", "en")}
    return criterion.model_copy(update={"name": unicodedata.normalize("NFKC", criterion.name).strip(), **texts})


def _check(criterion: Criterion) -> None:
    check_name(criterion.name)
    if criterion.name.lower() in built_in_criteria():
        message = f"{criterion.name!r} is a built-in criterion. Choose another name."
        raise BadInput(message, "criterion_built_in", name=criterion.name)
    longest = max(len(text) for text in (criterion.wording, criterion.ja, criterion.en))
    if not criterion.worded("ja") or longest > LONGEST_WORDING:
        message = f"The wording of {criterion.name!r} has {longest} characters. Use 1 to {LONGEST_WORDING}."
        raise BadInput(message, "criterion_wording", name=criterion.name, length=longest, most=LONGEST_WORDING)


def _criterion(name: str, row: Any) -> Criterion:
    if isinstance(row, str):  # name = "wording", the shortest way to write one
        return Criterion(name=name, wording=row)
    if not isinstance(row, dict):
        value = shown_value(row)
        raise TomlFault(f"{name} must be text in quotes or a table, not {value}", "text", field=name, value=value)
    try:
        return Criterion.model_validate({**row, "name": name}, strict=True)
    except ValidationError as error:
        raise field_fault(error, f"[{name}] ") from error


def _fill(table: Any, values: dict[str, Any]) -> None:
    """Write the fields that have a value, and remove the others."""
    for field in _FIELDS:
        if values[field]:
            table[field] = multiline(values[field])
        elif field in table:
            del table[field]


def _document(bot: Bot) -> Any:
    """The file with its comments, to be edited; every criterion in it a table of its own."""
    file = custom_criteria_file(bot)
    read_custom_criteria(bot)
    try:
        return parse_document(file.read_bytes() if file.is_file() else b"")
    except TomlFault as fault:
        raise _broken(file, fault) from fault


def _broken(file: Path, fault: TomlFault) -> BadInput:
    return broken_file(f"{file.parent.parent.name}/judges/{file.name}", fault)
