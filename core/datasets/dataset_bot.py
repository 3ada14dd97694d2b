"""Adds a test set's questions to a bot's scenarios, and makes a bot of its documents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import tomlkit

from core.base.bot_folder import BOT_ID, bot_ids, load_bot
from core.base.errors import BadInput
from core.base.files import write_text
from core.base.settings import settings
from core.base.types import Bot, Language
from core.base.unused_name import unused_name
from core.datasets.items import Item
from core.documents.documents import Document, text_name
from core.simulation.scenarios import read_scenarios, same_as, write_scenarios

_NO_FILE = re.compile(r"[\\\x00-\x1f]")  # not allowed in file names, besides /
_MAX_NAME_LETTERS = 60  # of a document; a file name has room for 85 Japanese ones
_PROMPT: dict[Language, str] = {
    "ja": "あなたは資料に基づいて答えるサポート窓口です。渡された資料の抜粋だけを根拠に、日本語の丁寧な文で答えてください。抜粋にないことは、資料にないと正直に伝えてください。",
    "en": "You are a help desk that answers from its documents. Use only the passages that you are given, "
    "answer in plain, friendly English, and say so honestly if they do not have the answer.",
}


def add_items(bot: Bot, items: Iterable[Item]) -> int:
    """Add items to the bot's scenarios. Returns the number of new ones. A used id gets a number."""
    rows = read_scenarios(bot)
    used, added = {row.id for row in rows}, 0
    for item in items:
        scenario = item.scenario()
        if same_as(rows, scenario) is not None:
            continue
        name = unused_name(scenario.id or "q", used, "-{}")
        used.add(name)
        rows.append(scenario.model_copy(update={"id": name}))
        added += 1
    write_scenarios(bot, rows)
    return added


def make_bot(bot_id: str, name: str, language: Language, documents: Iterable[Document], items: Iterable[Item]) -> Bot:
    """A new bot with these documents and questions; raises BadInput for an id that cannot be used or is taken."""
    knowledge = settings().knowledge_dir
    if not BOT_ID.fullmatch(bot_id):
        message = f"{bot_id[:80]!r} cannot be the id of a bot. Use lowercase letters a to z, digits, - and _."
        raise BadInput(message, "bot_id", bot=bot_id[:80])
    if bot_id in bot_ids() or (knowledge / bot_id).exists():
        raise BadInput(f"There is a bot {bot_id!r} already. Choose another id.", "bot_exists", bot=bot_id)
    documents_used = list(documents)
    if not documents_used:
        raise BadInput("There are no documents yet. Make them first.", "no_dataset_documents")
    folder = knowledge / bot_id
    used: set[str] = set()
    for document in documents_used:
        file = _file_name(document.name, used)
        used.add(file)
        write_text(folder / "documents" / file, document.text)
    table = tomlkit.document()
    table["name"], table["language"], table["prompt"] = name, language, _PROMPT[language]
    write_text(folder / "bot.toml", tomlkit.dumps(table))
    bot = load_bot(bot_id)
    add_items(bot, items)
    return bot


def _file_name(name: str, used: set[str]) -> str:
    """A name for a document's file in the folder, which no other document has."""
    path = Path(_NO_FILE.sub("-", name))
    stem = path.stem.strip(". ")[:_MAX_NAME_LETTERS] or "document"
    suffix = Path(text_name(path.name)).suffix.lower() or ".md"
    used_stems = {other.removesuffix(suffix) for other in used if other.endswith(suffix)}
    return f"{unused_name(stem, used_stems, '-{}')}{suffix}"
