"""Example questions: people's own words find a section that has none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Bot, Message
from core.bot.turn import find_topics
from core.llm.embedded import EmbeddedEngine
from core.retrieval.example_questions import FILE, by_section, read_example_questions
from core.retrieval.index import Indexes
from core.runs.plan import Plan
from core.runs.snapshot import changed_parts, take_snapshot

DOCUMENTS = {
    "ja": "# 通勤の手引き\n\n## 自転車通勤の届け出\n\n総務課に届け出ます。\n\n## 定期券の購入\n\n会社が買います。\n\n"
    "## 社用車の予約\n\n前日までに予約します。\n",
    "en": "# Commuting\n\n## Bicycle parking\n\nTell the front office.\n\n## Season tickets\n\nThe company buys them.\n\n"
    "## Company cars\n\nBook them the day before.\n",
}
ASKED = {
    "ja": ("通勤の手引き.md", "自転車通勤の届け出", "チャリで来ていい?", "駅からチャリで来ちゃだめですか"),
    "en": ("Commuting.md", "Bicycle parking", "where do I leave my wheels", "somewhere to leave my two wheels?"),
}


def make_bot(language: str, rows: str = "") -> Bot:
    """A bot with one document and, if there are rows, example questions."""
    folder = settings().knowledge_dir / f"commuting-{language}"
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_text(f'name = "x"\nlanguage = "{language}"\n', "utf-8")
    (folder / "documents" / ASKED[language][0]).write_text(DOCUMENTS[language], "utf-8")
    if rows:
        (folder / FILE).write_text(f"document,heading,question\n{rows}", "utf-8")
    return load_bot(folder.name)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_section_is_found_by_the_words_of_its_example_questions(home: Path, language: str):
    document, heading, example, message = ASKED[language]
    index = Indexes().get(make_bot(language, f"{document},{heading},{example}\n"))
    topics = find_topics(index, (Message(role="user", text=message),))
    assert topics[0].heading == heading and topics[0].example > 0
    assert index.search(message)[0].passage.heading == heading


@pytest.mark.parametrize("language", ["ja", "en"])
def test_without_example_questions_nothing_changes(home: Path, language: str):
    index = Indexes().get(make_bot(language))
    assert "examples" not in index.signals(ASKED[language][3])
    assert all(hit.example == 0 for hit in index.search(DOCUMENTS[language].splitlines()[2]))


def test_an_example_question_is_never_quoted(home: Path):
    document, heading, example, _ = ASKED["ja"]
    index = Indexes().get(make_bot("ja", f"{document},{heading},{example}\n"))
    assert all(example not in passage.text for passage in index.passages)


def test_new_example_questions_are_used_at_once(home: Path):
    indexes = Indexes()
    before = indexes.get(make_bot("ja"))
    document, heading, example, _ = ASKED["ja"]
    after = indexes.get(make_bot("ja", f"{document},{heading},{example}\n"))
    assert after is not before and after.digest != before.digest


def test_example_questions_of_sections_that_are_gone_are_named_and_not_used(home: Path):
    bot = make_bot("ja", "通勤の手引き.md,なくなった節,チャリで来ていい?\n")
    index = Indexes().get(bot)
    assert "examples" not in index.signals("チャリで来ていい?")
    assert [one.heading for one in by_section(read_example_questions(bot), index.passages)[1]] == ["なくなった節"]


def test_a_file_without_its_columns_is_one_sentence(home: Path):
    bot = make_bot("ja")
    (bot.folder / FILE).write_text("document,question\na.md,何?\n", "utf-8")
    with pytest.raises(BadInput) as error:
        read_example_questions(bot)
    assert error.value.key == "example_columns" and "heading" in str(error.value)


def test_a_run_with_other_example_questions_is_told_apart(home: Path):
    plan = Plan(bot="commuting-ja")
    before = take_snapshot(plan, make_bot("ja"), [], EmbeddedEngine(), {})
    after = take_snapshot(plan, make_bot("ja", "通勤の手引き.md,定期券の購入,電車賃\n"), [], EmbeddedEngine(), {})
    assert changed_parts(before.model_dump(mode="json"), after) == (FILE,)
