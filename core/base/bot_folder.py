"""A bot is a folder: reading and editing `bot.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import ValidationError

from core.base.errors import BadInput
from core.base.external_bots import ExternalBot
from core.base.files import read_bytes, write_bytes, write_text
from core.base.prompt_files import read_prompts
from core.base.settings import settings
from core.base.toml import Fault, field_fault, parse_document, parse_toml
from core.base.types import Bot
from core.base.visitor_powers import require

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def bot_ids(knowledge: Path | None = None) -> list[str]:
    """The names of the bot folders, sorted."""
    folder = knowledge or settings().knowledge_dir
    return sorted(path.parent.name for path in folder.glob("*/bot.toml") if _NAME.fullmatch(path.parent.name))


def find_bot(bot: str) -> Bot | None:
    """The bot in folder `bot`; None if it is gone or its `bot.toml` cannot be used."""
    try:
        return load_bot(bot)
    except BadInput:
        return None


def load_bot(bot: str, knowledge: Path | None = None) -> Bot:
    """The bot in folder `bot`; raises BadInput if the folder or its `bot.toml` cannot be used."""
    root = knowledge or settings().knowledge_dir
    file = root / bot / "bot.toml"
    if not _NAME.fullmatch(bot) or not file.is_file():
        known = ", ".join(bot_ids(root)) or "none"
        raise BadInput(
            f"There is no bot {bot!r} in {root.name}/: the bots are {known}. Choose one of them.",
            "no_bot",
            bot=bot,
            known=known,
        )
    return parse_bot(read_bytes(file), file.parent)


def parse_bot(source: bytes, folder: Path, prompts: Mapping[str, str] | None = None) -> Bot:
    """The bot that a `bot.toml` describes; raises BadInput with the line or field that is wrong.

    prompts: its own prompts (none: those in its folder now).
    """
    own = read_prompts(folder) if prompts is None else dict(prompts)
    try:
        return Bot.model_validate({**parse_toml(source), "id": folder.name, "folder": folder, "prompts": own})
    except Fault as fault:
        raise _broken(folder, fault) from fault
    except ValidationError as error:
        raise _broken(folder, field_fault(error)) from error


def _broken(folder: Path, fault: Fault) -> BadInput:
    return BadInput(
        f"{folder.name}/bot.toml cannot be read ({fault}). Correct that line and try again.",
        "broken_bot",
        bot=folder.name,
        **fault.details,
    )


def save_bot(bot: Bot, changes: dict[str, Any]) -> Bot:
    """Write `changes` ("prompt", "guidelines", "clarify.max_questions", …) into `bot.toml`, comments kept; gives the new bot."""
    file = bot.folder / "bot.toml"
    source = with_changes(file, bot.folder, changes)
    write_text(file, source)
    return parse_bot(source.encode(), bot.folder)


def current_value(bot: Bot, name: str) -> object:
    """The bot's value for "prompt", "clarify.look_first" and the like."""
    table, _, field = name.rpartition(".")
    return getattr(bot.clarify if table else bot, field)


def with_changes(file: Path, folder: Path, changes: dict[str, Any]) -> str:
    """The text of a `bot.toml` of that folder with changes in it; raises BadInput if it could not be read then."""
    document = _document(file, folder)
    for path, value in changes.items():
        *tables, last = path.split(".")
        table = document
        for name in tables:
            table = table.setdefault(name, tomlkit.table())
        table[last] = tomlkit.string(value, multiline=True) if _is_long(value) else value
    source = tomlkit.dumps(document)
    parse_bot(source.encode(), folder)
    return source


def save_external(bot: Bot, values: Mapping[str, Any] | None) -> Bot:
    """Make `values` the table `[external]` of `bot.toml` (none: take it away), comments kept; raises BadInput.

    Keys that stay keep their place and comment; the others go.
    """
    source = _with_external(bot, values)
    saved = parse_bot(source.encode(), bot.folder)
    check_powers(bot.external, saved.external)
    write_text(bot.folder / "bot.toml", source)
    return saved


def check_powers(before: ExternalBot | None, after: ExternalBot | None) -> None:
    """Raises BadInput (`power_off`) if visitors may not have this server call what the bot would call then."""
    if after is not None and after != before:
        require("python" if after.kind == "python" else "addresses")


def with_external(bot: Bot, values: Mapping[str, Any]) -> Bot:
    """The bot as it would be with that table, nothing written; raises BadInput."""
    drafted = parse_bot(_with_external(bot, values).encode(), bot.folder)
    check_powers(bot.external, drafted.external)
    return drafted


def _with_external(bot: Bot, values: Mapping[str, Any] | None) -> str:
    """The file with that table."""
    document = _document(bot.folder / "bot.toml", bot.folder)
    if values is None:
        document.pop("external", None)
    else:
        table = document.setdefault("external", tomlkit.table())
        for name in [name for name in table if name not in values]:
            del table[name]
        for name, value in values.items():
            if table.get(name) != value:
                table[name] = tomlkit.string(value, multiline=True) if _is_long(value) else value
    return tomlkit.dumps(document)


def _is_long(value: object) -> bool:
    return isinstance(value, str) and "\n" in value


def _document(file: Path, folder: Path) -> Any:
    """The file with its comments, to be edited; raises BadInput if it cannot be."""
    source = file.read_bytes()
    parse_bot(source, folder)
    try:
        return parse_document(source)
    except Fault as fault:
        raise _broken(folder, fault) from fault


def load_draft(bot: Bot) -> Bot:
    """The draft of a bot, else the bot as it is; raises BadInput if the draft cannot be read (any more)."""
    return parse_bot(read_draft(bot), bot.folder)


def read_draft(bot: Bot) -> bytes:
    """The text of the draft, else that of the bot's own `bot.toml`."""
    file = _file(bot, "draft")
    return file.read_bytes() if file.is_file() else (bot.folder / "bot.toml").read_bytes()


def save_draft(bot: Bot, changes: dict[str, Any]) -> Bot:
    """Write changes ("prompt", "clarify.max_questions", …) into the draft; the bot's own file stays as it is."""
    file = _file(bot, "draft")
    source = with_changes(file if file.is_file() else bot.folder / "bot.toml", bot.folder, changes)
    write_text(file, source)
    return parse_bot(source.encode(), bot.folder)


def delete_draft(bot: Bot) -> None:
    """Take the draft away."""
    _file(bot, "draft").unlink(missing_ok=True)


def replace_settings(bot: Bot, source: bytes) -> Bot:
    """Make a `bot.toml` the bot's own; the one before is kept for `undo_changes`. Raises BadInput if it cannot be used."""
    parsed = parse_bot(source, bot.folder)
    check_powers(bot.external, parsed.external)
    own = bot.folder / "bot.toml"
    write_bytes(_file(bot, "before"), own.read_bytes())
    write_bytes(own, source)
    return parsed


def apply_draft(bot: Bot) -> Bot:
    """Make the draft the bot's own settings; there is no draft any more then."""
    file = _file(bot, "draft")
    if not file.is_file():
        return bot
    parsed = replace_settings(bot, file.read_bytes())
    delete_draft(bot)
    return parsed


def can_undo(bot: Bot) -> bool:
    """Whether there are settings to put back."""
    return _file(bot, "before").is_file()


def undo_changes(bot: Bot) -> Bot:
    """Put the settings back that were there before; what is replaced becomes the draft, so that nothing is lost."""
    before, own = _file(bot, "before"), bot.folder / "bot.toml"
    source = before.read_bytes()
    restored = parse_bot(source, bot.folder)
    write_bytes(_file(bot, "draft"), own.read_bytes())
    write_bytes(own, source)
    before.unlink()
    return restored


def _file(bot: Bot, what: str) -> Path:
    return settings().data_dir / "versions" / f"{bot.id}.{what}.toml"
