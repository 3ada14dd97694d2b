"""A bot is a folder: reading `bot.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from core.base.errors import BadInput
from core.base.field_faults import field_fault
from core.base.files import read_bytes
from core.base.prompt_files import read_prompts
from core.base.settings import ROOT, settings
from core.base.toml import TomlFault, parse_toml
from core.base.types import Bot

BOT_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")  # the name of its folder


def bot_ids(knowledge: Path | None = None) -> list[str]:
    """The names of the bot folders, sorted."""
    folder = knowledge or settings().knowledge_dir
    return sorted(path.parent.name for path in folder.glob("*/bot.toml") if BOT_ID.fullmatch(path.parent.name))


def find_bot(bot: str) -> Bot | None:
    """The bot in folder `bot`; None if it does not exist or its `bot.toml` cannot be used."""
    try:
        return load_bot(bot)
    except BadInput:
        return None


def load_bot(bot: str, knowledge: Path | None = None) -> Bot:
    """The bot in folder `bot`; raises BadInput if the folder or its `bot.toml` cannot be used."""
    root = knowledge or settings().knowledge_dir
    file = root / bot / "bot.toml"
    if not BOT_ID.fullmatch(bot) or not file.is_file():
        known, shown = ", ".join(bot_ids(root)), "knowledge/" if root == ROOT / "knowledge" else root
        key, message = "no_bot", f"There is no bot {bot!r} in {shown}: the bots are {known}. Choose one of them."
        if not known:
            to_do = "Add a folder with a bot.toml, or correct KIKU_KNOWLEDGE_DIR."
            key, message = "no_bot_at_all", f"There is no bot {bot!r}, and no other in {shown}. {to_do}"
        raise BadInput(message, key, bot=bot, known=known, folder=root.name)
    return parse_bot(read_bytes(file), file.parent)


def parse_bot(source: bytes, folder: Path, prompts: Mapping[str, str] | None = None) -> Bot:
    """The bot that a `bot.toml` describes; raises BadInput with the line or field that is wrong.

    prompts: its own prompts (None: those in its folder now)
    """
    own = read_prompts(folder) if prompts is None else dict(prompts)
    try:
        return Bot.model_validate({**parse_toml(source), "id": folder.name, "folder": folder, "prompts": own})
    except TomlFault as fault:
        raise broken_bot(folder, fault) from fault
    except ValidationError as error:
        raise broken_bot(folder, field_fault(error)) from error


def broken_bot(folder: Path, fault: TomlFault) -> BadInput:
    """The error for a `bot.toml` that cannot be used."""
    return BadInput(
        f"{folder.name}/bot.toml cannot be read ({fault}). Correct that line and try again.",
        "broken_bot",
        bot=folder.name,
        **fault.details,
    )
