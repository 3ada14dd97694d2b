"""Editing `bot.toml`: values are changed in place, and comments stay."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import tomlkit

from core.base.bot_folder import broken_bot, parse_bot
from core.base.external_bots import ExternalBot
from core.base.files import write_text
from core.base.toml import Fault, parse_document
from core.base.types import Bot
from core.base.visitor_powers import require


def save_bot(bot: Bot, changes: dict[str, Any]) -> Bot:
    """Write `changes` by dotted name ("prompt", "clarify.max_questions") into `bot.toml`; returns the changed bot."""
    file = bot.folder / "bot.toml"
    source = with_changes(file, bot.folder, changes)
    write_text(file, source)
    return parse_bot(source.encode(), bot.folder)


def current_value(bot: Bot, name: str) -> object:
    """The bot's value for a dotted name such as "clarify.look_first"."""
    return attrgetter(name)(bot)


def with_changes(file: Path, folder: Path, changes: dict[str, Any]) -> str:
    """The text of a `bot.toml` of that folder with changes in it; raises BadInput if it could not be read then."""
    document = _document(file, folder)
    for path, value in changes.items():
        *tables, last = path.split(".")
        table = document
        for name in tables:
            table = table.setdefault(name, tomlkit.table())
        table[last] = _toml_value(value)
    source = tomlkit.dumps(document)
    parse_bot(source.encode(), folder)
    return source


def save_external(bot: Bot, values: Mapping[str, Any] | None) -> Bot:
    """Write `values` into the table `[external]` of `bot.toml` (none: remove it); raises BadInput.

    Keys that stay keep their place and comment; the others go.
    """
    source, saved = _with_external(bot, values)
    write_text(bot.folder / "bot.toml", source)
    return saved


def check_powers(before: ExternalBot | None, after: ExternalBot | None) -> None:
    """Raises BadInput (`power_off`) if visitors may not have this server call what the bot would call then."""
    if after is not None and after != before:
        require("python" if after.kind == "python" else "addresses")


def with_external(bot: Bot, values: Mapping[str, Any]) -> Bot:
    """The bot as it would be with that table, nothing written; raises BadInput."""
    return _with_external(bot, values)[1]


def _with_external(bot: Bot, values: Mapping[str, Any] | None) -> tuple[str, Bot]:
    """(the file with that table, the bot that it describes); raises BadInput."""
    document = _document(bot.folder / "bot.toml", bot.folder)
    if values is None:
        document.pop("external", None)
    else:
        table = document.setdefault("external", tomlkit.table())
        for name in [name for name in table if name not in values]:
            del table[name]
        for name, value in values.items():
            if table.get(name) != value:
                table[name] = _toml_value(value)
    source = tomlkit.dumps(document)
    changed = parse_bot(source.encode(), bot.folder)
    check_powers(bot.external, changed.external)
    return source, changed


def _toml_value(value: Any) -> Any:
    """The value as it is written: a text of several lines between triple quotes."""
    return tomlkit.string(value, multiline=True) if isinstance(value, str) and "\n" in value else value


def _document(file: Path, folder: Path) -> Any:
    """The file with its comments, to be edited; raises BadInput if it cannot be."""
    source = file.read_bytes()
    parse_bot(source, folder)
    try:
        return parse_document(source)
    except Fault as fault:
        raise broken_bot(folder, fault) from fault
