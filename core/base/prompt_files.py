"""A bot's own prompts: files `prompts/NAME.LANGUAGE.md` in its folder, read in place of Kiku's."""

from __future__ import annotations

from pathlib import Path

from core.base.files import read_bytes, write_text
from core.base.settings import settings
from core.base.types import Bot, Language

FOLDER = "prompts"


def read_prompts(folder: Path) -> dict[str, str]:
    """The templates in a bot's folder by name and language, such as "answer.en" or "judges/turn.ja"."""
    below = folder / FOLDER
    files = sorted((*below.glob("*.md"), *below.glob("*/*.md")))
    return {file.relative_to(below).as_posix().removesuffix(".md"): _read(file) for file in files if file.is_file()}


def prompt_key(name: str, language: Language) -> str:
    """The name of a prompt with its language, as `Bot.prompts` has it."""
    return f"{name}.{language}"


def file_of(key: str) -> str:
    """The path of a bot's own prompt in its folder: prompts/answer.en.md."""
    return f"{FOLDER}/{key}.md"


def save_prompt(bot: Bot, key: str, text: str | None) -> None:
    """Write a bot's own prompt (None: remove it); the one before is stored for `undo_prompt`.

    The text is not checked: `core.prompts.catalog.check_prompt` does that before.
    """
    file, before = bot.folder / file_of(key), _before(bot, key)
    write_text(before, _read(file) if file.is_file() else "")
    _write(file, text)


def can_undo_prompt(bot: Bot, key: str) -> bool:
    """Whether there is an earlier state to restore."""
    return _before(bot, key).is_file()


def undo_prompt(bot: Bot, key: str) -> None:
    """Swap a prompt with the state before it was saved or removed last; a second time brings the change back."""
    file, before = bot.folder / file_of(key), _before(bot, key)
    now, then = _read(file) if file.is_file() else "", _read(before)
    write_text(before, now)
    _write(file, then or None)


def _write(file: Path, text: str | None) -> None:
    if text is None:
        file.unlink(missing_ok=True)
    else:
        write_text(file, text)


def _read(file: Path) -> str:
    return read_bytes(file).decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _before(bot: Bot, key: str) -> Path:
    return settings().data_dir / "versions" / f"{bot.id}.{key.replace('/', '.')}.before.md"
