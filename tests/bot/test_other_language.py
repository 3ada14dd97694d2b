"""Messages in another language than that of the documents find their sections, and are told which language that is."""

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Turn
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.text.bilingual import translate_terms


def replied(indexes: Indexes, name: str, text: str) -> Turn:
    bot = load_bot(name)
    return take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Where can I print my invoices?", "印刷 請求書"),
        ("I lost my badge", "紛失 社員証"),
        ("is the sky blue", ""),
    ],
)
def test_the_desk_words_of_an_english_message_in_japanese(text: str, words: str):
    assert translate_terms("ja", text) == words


def test_the_desk_words_of_a_japanese_message_in_english():
    assert translate_terms("en", "写真を共有したいのですが") == "photo share"


@pytest.mark.parametrize(
    ("name", "text", "section"),
    [
        ("hinata", "How can I reserve a meeting room?", "会議室の予約方法"),
        ("harbor", "消したボードを復元したい", "restore"),
        ("minato", "how do I get a note back from the trash", "削除したノートをごみ箱から戻す手順"),
    ],
)
def test_sections_in_the_documents_language_are_found(indexes: Indexes, name: str, text: str, section: str):
    turn = replied(indexes, name, text)
    found = " ".join([*turn.reply.choices, *(hit.heading for hit in turn.sections[:1])])
    assert section in found and ("are in Japanese" in turn.reply.text or "英語で書かれて" in turn.reply.text)


@pytest.mark.parametrize(("name", "text"), [("minato", "do you breed llamas"), ("harbor", "馬の飼育はしていますか")])
def test_what_is_not_found_says_in_which_language_the_documents_are(indexes: Indexes, name: str, text: str):
    reply = replied(indexes, name, text).reply
    assert not reply.answered and not reply.choices
    assert "are in Japanese" in reply.text or "英語で書かれて" in reply.text


def test_a_lost_device_leads_to_its_own_section_in_any_language(indexes: Indexes):
    assert "2599" in replied(indexes, "hinata", "I lost my work laptop in a taxi").reply.text
