"""What is written in a chat while its bot is still replying is neither sent into the reply nor lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.base.bot_folder import load_bot
from core.base.types import Clarify
from core.chats.chats import ChatReply
from core.store.store import open_store
from pages.components.services import Loading, services
from pages.i18n.translate import words
from tests.support.page_app import healthy, opened, wait_for_services
from tests.support.small_bot import Gated, a_turn

FIRST, SECOND = "交通費の精算の期限はいつですか", "年次有給休暇は何日つきますか"


def waiting_messages(app: AppTest) -> list[str]:
    return [area.value for area in app.text_area if area.label == "入力した内容は残っています"]


def test_a_message_from_another_tab_waits_for_the_reply_under_way(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, engine, pieces = load_bot("komachi"), Gated(), ChatReply.pieces
    chat = open_store().chats.create(bot.id)
    tab = healthy(opened("talk/chat", bot=bot.id, chat=chat))
    reply = services().chats.send(chat, bot, FIRST, engine=engine)

    def followed(self: ChatReply) -> Iterator[str]:
        """The pieces, which come once the page looks for them."""
        engine.gate.set()
        return pieces(self)

    monkeypatch.setattr(ChatReply, "pieces", followed)
    tab.chat_input[0].set_value(SECOND).run()
    assert reply.turn(20).reply.text and not tab.exception
    assert [row.user_text for row in open_store().chats.turns(chat)] == [FIRST]
    assert waiting_messages(tab) == [SECOND] and len(tab.chat_message) == 2
    tab.chat_input[0].set_value(waiting_messages(tab)[0]).run()
    assert [row.user_text for row in open_store().chats.turns(chat)] == [FIRST, SECOND]
    assert waiting_messages(healthy(tab)) == [] and len(tab.chat_message) == 4


@pytest.mark.parametrize(("language", "said"), [("ja", "前のメッセージ"), ("en", "still replying")])
def test_a_message_that_has_to_wait_is_reported_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, language: str, said: str
) -> None:
    bot, engine = load_bot("komachi"), Gated()
    chat = open_store().chats.create(bot.id)
    tab = healthy(opened("talk/chat", language, bot=bot.id, chat=chat))
    services().chats.send(chat, bot, FIRST, engine=engine)
    monkeypatch.setattr("core.chats.chats.Chats.reply", lambda *_: None)  # the page draws without waiting
    tab.chat_input[0].set_value(SECOND).run()
    assert said in tab.error[0].value
    engine.gate.set()


@pytest.mark.parametrize(("language", "said"), [("ja", "検索を準備中です"), ("en", "Search is being prepared")])
def test_that_search_is_being_prepared_is_said_until_it_is_ready_or_there_is_a_reply(
    folder: Path, language: str, said: str
) -> None:
    def is_said(app: AppTest) -> bool:
        return any(said in caption.value for caption in healthy(app).caption)

    wait_for_services()
    services().loading["komachi"] = Loading("loading", 3, 10)
    app = opened("talk/chat", language, bot="komachi")
    assert is_said(app)
    app.chat_input[0].set_value(FIRST).run()
    assert len(app.chat_message) == 2 and not is_said(app)
    app = opened("talk/chat", language, bot="komachi")
    assert is_said(app)
    services().loading["komachi"] = Loading("ready", 10, 10)
    assert not is_said(app.run())


@pytest.mark.parametrize(
    ("language", "why"),
    [("ja", "選ばれた文書には節が複数あり"), ("en", "The chosen document has several sections")],
)
def test_a_question_about_the_section_says_why_it_was_asked(folder: Path, language: str, why: str) -> None:
    chats, turn = open_store().chats, a_turn()
    assert turn.route
    route = turn.route.model_copy(update={"rule": 6, "decision": "ask", "ask": "どの件ですか。", "override": "section"})
    chat = chats.create("komachi")
    chats.finish_turn(
        chats.begin_turn(chat, FIRST), turn.model_copy(update={"route": route, "reply": Clarify(text="どの件ですか。")})
    )
    app = healthy(opened("talk/chat", language, bot="komachi", chat=chat))
    assert any(text.value.startswith(f"**{why}") for text in app.markdown)
    assert not any(word in text.value for text in app.markdown for word in ("規則 6", "Rule 6"))


def test_age_and_the_fields_that_a_bot_declares_are_kept(folder: Path) -> None:
    bot = folder / "knowledge" / "komachi" / "bot.toml"
    declared = '\n[[profile_fields]]\nname = "雇用区分"\nquestion = "雇用区分は？"\nvalues = ["正社員", "契約社員"]\n'
    bot.write_text(bot.read_text("utf-8") + declared, "utf-8")
    app = healthy(opened("talk/chat", bot="komachi"))
    app.text_input(key="you-age").set_value("34").run()
    app.selectbox(key="you-komachi-雇用区分").set_value("契約社員").run()
    profile = open_store().chats.profile()
    assert (profile.age, profile.details) == ("34", {"雇用区分": "契約社員"})
    healthy(app).selectbox(key="you-komachi-雇用区分").set_value("").run()
    assert open_store().chats.profile().details == {}


@pytest.mark.parametrize("name", ["勤務地", "Office"])
def test_what_a_bot_asks_in_a_field_of_its_own_is_not_asked_twice(folder: Path, name: str) -> None:
    bot = folder / "knowledge" / "komachi" / "bot.toml"
    declared = f'\n[[profile_fields]]\nname = "{name}"\nquestion = "?"\nvalues = ["a", "b"]\n'
    bot.write_text(bot.read_text("utf-8") + declared, "utf-8")
    keys = {field.key for field in healthy(opened("talk/chat", bot="komachi")).text_input}
    assert "you-office" not in keys and {"you-department", "you-role", "you-age"} <= keys


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_assessment_is_in_words_and_what_applies_most_comes_first(folder: Path, language: str) -> None:
    chats = open_store().chats
    chat = chats.create("komachi")
    chats.finish_turn(chats.begin_turn(chat, FIRST), a_turn())
    app = healthy(opened("talk/chat", language, bot="komachi", chat=chat))
    (table,) = [str(one.value) for one in app.markdown if str(one.value).startswith("| ")]
    degrees = [int(found) for found in re.findall(r"\w ?[（(](\d)[）)] \|", table)]
    assert len(degrees) == 5 and degrees == sorted(degrees)
    assert "1–5" not in table


def test_earlier_chats_are_said_to_be_those_of_everybody(folder: Path) -> None:
    everybody = words()["chat.earlier_all"]["ja"]
    assert everybody not in [str(one.value) for one in healthy(opened("talk/chat", bot="komachi")).caption]
    chats = open_store().chats
    chats.finish_turn(chats.begin_turn(chats.create("komachi"), FIRST), a_turn())
    assert everybody in [str(one.value) for one in healthy(opened("talk/chat", bot="komachi")).caption]
