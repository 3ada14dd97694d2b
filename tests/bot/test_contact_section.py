"""A bot without contacts names the section of its documents that says whom to ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Answer, Conversation, Message, Turn
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes

DOCUMENTS = {
    "ja": (
        "# 陶芸教室のご案内\n\n## 受講料\n\n一回三千円です。粘土代を含みます。\n\n## 作品の受け取り\n\n焼き上がりは四週間後です。\n\n",
        "## お問い合わせ\n\n電話 03-0000-1111、火曜から土曜の10時から18時です。\n",
        "犬の散歩を頼めますか",
        "お問い合わせ（陶芸教室）",
    ),
    "en": (
        "# Pottery class\n\n## Fees\n\nA lesson is £30, clay included.\n\n## Collecting your work\n\nIt is fired after four weeks.\n\n",
        "## Contact\n\nPhone 01632 960 222, Tuesday to Saturday.\n",
        "Can you walk my dog?",
        "Contact (Pottery class)",
    ),
}


def reply(folder: Path, language: str, text: str, messages: Conversation = (), contact: str = "") -> Turn:
    bot = folder / "knowledge" / "pottery"
    (bot / "documents").mkdir(parents=True, exist_ok=True)
    rules, section, *_ = DOCUMENTS[language]
    (bot / "documents" / "guide.md").write_text(rules + section, "utf-8")
    (bot / "bot.toml").write_text(f'name = "Pottery"\nlanguage = "{language}"\n{contact}', "utf-8")
    loaded = load_bot("pottery", folder / "knowledge")
    return take_turn(EmbeddedEngine(), loaded, Indexes(folder / "index").get(loaded), messages, text)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_refusal_names_the_section_and_a_click_shows_it(tmp_path: Path, language: str) -> None:
    _, section, asked, choice = DOCUMENTS[language]
    turn = reply(tmp_path, language, asked)
    assert isinstance(turn.reply, Answer) and not turn.reply.cited
    assert choice in turn.reply.text and choice in turn.reply.choices
    said = (
        Message(role="user", text=asked),
        Message(role="assistant", text=turn.reply.text, choices=turn.reply.choices),
    )
    assert section.split()[2] in reply(tmp_path, language, choice, said).reply.text


def test_contacts_of_the_bot_go_first(tmp_path: Path) -> None:
    contact = '[[contacts]]\nname = "The office"\nreach = "office@pottery.example"\n'
    turn = reply(tmp_path, "en", "Can you walk my dog?", contact=contact)
    assert "office@pottery.example" in turn.reply.text and "Contact" not in turn.reply.choices
