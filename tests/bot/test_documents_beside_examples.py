"""A document without example questions, added to a bot whose other sections have some."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Bot, Turn
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes

pytestmark = pytest.mark.slow


PRICES = """備品,貸出期間,台数,申込先
望遠鏡,3日,12,天文同好会
測量用レーザー,5日,20,設備課
高枝切りばさみ,当日のみ,4,緑化委員
三脚,1日,2,写真部
"""


@pytest.fixture(scope="module")
def bot_with_new_table(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bot, Index]:
    folder: Path = tmp_path_factory.mktemp("new") / "hinata"
    bot = load_bot("hinata")
    shutil.copytree(bot.folder, folder)
    (folder / "documents" / "部活動の貸出備品.csv").write_text(PRICES, encoding="utf-8")
    bot = bot.model_copy(update={"folder": folder})
    return bot, Indexes(folder.parent / "index").get(bot)


def ask(bot_and_index: tuple[Bot, Index], message: str, before: Turn | None = None) -> Turn:
    bot, index = bot_and_index
    return take_turn(EmbeddedEngine(), bot, index, before.as_messages() if before else (), message)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("望遠鏡は何日借りられますか", "3日"),
        ("測量用レーザーの申込先は?", "設備課"),
        ("三脚の貸出期間を知りたい", "1日"),
    ],
)
def test_a_row_of_a_new_table_is_answered(bot_with_new_table: tuple[Bot, Index], question: str, fact: str):
    turn = ask(bot_with_new_table, question)
    assert turn.reply.answered
    assert fact in turn.reply.text
    assert {turn.hits[number - 1].document for number in turn.reply.cited} == {"部活動の貸出備品.csv"}


def test_what_example_questions_surely_tell_is_answered_as_before(bot_with_new_table: tuple[Bot, Index]):
    bot = load_bot("hinata")
    for message in (
        "会社のスマートフォンをなくしてしまいました",
        "在宅勤務は週に何日までできますか",
        "ドローンの操縦を教えて",
    ):
        before = take_turn(EmbeddedEngine(), bot, Indexes().get(bot), (), message)
        assert ask(bot_with_new_table, message).reply.text == before.reply.text


def test_small_talk_stays_small_talk(bot_with_new_table: tuple[Bot, Index]):
    assert not ask(bot_with_new_table, "こんにちは").hits


def test_only_a_bot_with_questions_for_a_part_of_its_sections_has_a_second_index(
    bot_with_new_table: tuple[Bot, Index], tmp_path: Path
):
    bot, index = bot_with_new_table
    assert index.without_examples and index.without_examples.passages == index.passages
    first, new = index.passages[0], next(one for one in index.passages if one.document == "部活動の貸出備品.csv")
    assert index.has_example_questions(first.document, first.heading)
    assert not index.has_example_questions(new.document, new.heading)
    assert not index.without_examples.has_example_questions(first.document, first.heading)
    none = tmp_path / "none"
    shutil.copytree(bot.folder, none)
    (none / "example_questions.csv").unlink()
    assert Indexes(tmp_path / "index").get(bot.model_copy(update={"folder": none})).without_examples is None
    assert Indexes(tmp_path / "full").get(load_bot("minato")).without_examples is None
