"""A bot's draft: a second `bot.toml` in the data folder that can replace the bot's own, which can be undone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.base.bot_edits import check_powers, with_changes
from core.base.bot_folder import parse_bot
from core.base.files import write_bytes, write_text
from core.base.settings import settings
from core.base.types import Bot


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
    """Delete the draft."""
    _file(bot, "draft").unlink(missing_ok=True)


def replace_settings(bot: Bot, source: bytes) -> Bot:
    """Replace the bot's `bot.toml`, and store the replaced one for `undo_changes`; raises BadInput if it cannot be used."""
    parsed = parse_bot(source, bot.folder)
    check_powers(bot.external, parsed.external)
    own = bot.folder / "bot.toml"
    write_bytes(_file(bot, "before"), own.read_bytes())
    write_bytes(own, source)
    return parsed


def apply_draft(bot: Bot) -> Bot:
    """Replace the bot's `bot.toml` with the draft, and delete the draft."""
    file = _file(bot, "draft")
    if not file.is_file():
        return bot
    parsed = replace_settings(bot, file.read_bytes())
    delete_draft(bot)
    return parsed


def can_undo(bot: Bot) -> bool:
    """Whether there are settings to restore."""
    return _file(bot, "before").is_file()


def undo_changes(bot: Bot) -> Bot:
    """Restore the settings before the last change; those that they replace become the draft, so that nothing is lost."""
    before, own = _file(bot, "before"), bot.folder / "bot.toml"
    source = before.read_bytes()
    restored = parse_bot(source, bot.folder)
    write_bytes(_file(bot, "draft"), own.read_bytes())
    write_bytes(own, source)
    before.unlink()
    return restored


def _file(bot: Bot, what: str) -> Path:
    return settings().data_dir / "versions" / f"{bot.id}.{what}.toml"
