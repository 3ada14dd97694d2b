"""Changes to a bot's `bot.toml`: in place, with its comments, or in a draft that can replace it and be undone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit

from core.base.bot_folder import broken_bot, parse_bot
from core.base.external_bots import ExternalBot
from core.base.files import write_bytes, write_text
from core.base.settings import settings
from core.base.toml import TomlFault, multiline, parse_document
from core.base.types import Bot
from core.base.visitor_powers import require


def save_bot(bot: Bot, changes: dict[str, Any]) -> Bot:
    """Write `changes` by dotted name ("prompt", "clarify.max_questions") into `bot.toml`; returns the changed bot."""
    return _save(bot, _own(bot), _own(bot), changes)


def save_external(bot: Bot, values: Mapping[str, Any] | None) -> Bot:
    """Write `values` into the table `[external]` of `bot.toml` (None: remove it); raises BadInput.

    Keys that remain keep their place and comment.
    """
    source, saved = _with_external(bot, values)
    write_text(_own(bot), source)
    return saved


def with_external(bot: Bot, values: Mapping[str, Any]) -> Bot:
    """The bot with that table in its settings, nothing written; raises BadInput."""
    return _with_external(bot, values)[1]


def check_powers(before: ExternalBot | None, after: ExternalBot | None) -> None:
    """Raises BadInput (`power_off`) if visitors may not make this server call what the changed bot calls."""
    if after is not None and after != before:
        require("python" if after.kind == "python" else "addresses")


def replace_settings(bot: Bot, source: bytes) -> Bot:
    """Replace the bot's `bot.toml`, and store the old one for `undo_changes`; raises BadInput for an invalid one."""
    parsed = parse_bot(source, bot.folder)
    check_powers(bot.external, parsed.external)
    write_bytes(_version(bot, "before"), _own(bot).read_bytes())
    write_bytes(_own(bot), source)
    return parsed


def can_undo(bot: Bot) -> bool:
    """Whether there are settings to restore."""
    return _version(bot, "before").is_file()


def undo_changes(bot: Bot) -> Bot:
    """Restore the settings before the last change; the replaced ones become the draft, so that nothing is lost."""
    before = _version(bot, "before")
    source = before.read_bytes()
    restored = parse_bot(source, bot.folder)
    write_bytes(_version(bot, "draft"), _own(bot).read_bytes())
    write_bytes(_own(bot), source)
    before.unlink()
    return restored


def load_draft(bot: Bot) -> Bot:
    """The draft of a bot, else the bot as it is; raises BadInput if the draft cannot be read (any more)."""
    return parse_bot(read_draft(bot), bot.folder)


def read_draft(bot: Bot) -> bytes:
    """The text of the draft, else that of the bot's own `bot.toml`."""
    return _draft_or_own(bot).read_bytes()


def save_draft(bot: Bot, changes: dict[str, Any]) -> Bot:
    """Write changes, named as in `save_bot`, into the draft; the bot's own file stays as it is."""
    return _save(bot, _draft_or_own(bot), _version(bot, "draft"), changes)


def apply_draft(bot: Bot) -> Bot:
    """Replace the bot's `bot.toml` with the draft, and delete the draft."""
    if not _version(bot, "draft").is_file():
        return bot
    parsed = replace_settings(bot, read_draft(bot))
    delete_draft(bot)
    return parsed


def delete_draft(bot: Bot) -> None:
    """Delete the draft."""
    _version(bot, "draft").unlink(missing_ok=True)


def _own(bot: Bot) -> Path:
    return bot.folder / "bot.toml"


def _version(bot: Bot, what: str) -> Path:
    """Where the draft, or the settings before the last change, are stored."""
    return settings().data_dir / "versions" / f"{bot.id}.{what}.toml"


def _draft_or_own(bot: Bot) -> Path:
    draft = _version(bot, "draft")
    return draft if draft.is_file() else _own(bot)


def _save(bot: Bot, before: Path, after: Path, changes: dict[str, Any]) -> Bot:
    """Write the text of `before` with changes in it into `after`; raises BadInput, and writes nothing, if it is
    invalid."""
    document = _document(before, bot.folder)
    for path, value in changes.items():
        *tables, last = path.split(".")
        table = document
        for name in tables:
            table = table.setdefault(name, tomlkit.table())
        table[last] = multiline(value)
    source = tomlkit.dumps(document)
    changed = parse_bot(source.encode(), bot.folder)
    write_text(after, source)
    return changed


def _with_external(bot: Bot, values: Mapping[str, Any] | None) -> tuple[str, Bot]:
    """(the file with that table, the bot that it describes); raises BadInput."""
    document = _document(_own(bot), bot.folder)
    if values is None:
        document.pop("external", None)
    else:
        table = document.setdefault("external", tomlkit.table())
        for name in [name for name in table if name not in values]:
            del table[name]
        for name, value in values.items():
            if table.get(name) != value:
                table[name] = multiline(value)
    source = tomlkit.dumps(document)
    changed = parse_bot(source.encode(), bot.folder)
    check_powers(bot.external, changed.external)
    return source, changed


def _document(file: Path, folder: Path) -> Any:
    """The file with its comments, to be edited; raises BadInput if it cannot be."""
    source = file.read_bytes()
    parse_bot(source, folder)
    try:
        return parse_document(source)
    except TomlFault as fault:
        raise broken_bot(folder, fault) from fault
