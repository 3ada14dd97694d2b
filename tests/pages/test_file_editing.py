"""The pages on which files are edited: broken ones are told and mended, nothing typed is lost, nothing is lost unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.base.bot_edits import save_bot
from core.base.bot_folder import load_bot
from core.base.errors import BadInput, stored_error
from core.base.settings import settings
from core.base.types import Scenario
from core.documents.documents import add_document
from core.simulation.personas import read_personas
from core.simulation.scenarios import parse_scenarios, scenarios_csv
from core.store.chats import ChatRepository
from core.store.rows import TurnRow
from core.store.store import open_store
from pages.components.plain_text import plain
from pages.i18n.translate import error_text, stored_error_text, words
from tests.support import page_app
from tests.support.page_app import press

ROOT = Path(__file__).resolve().parents[2]
OF_BOTS = ("talk/chat", "simulate/run", "simulate/scenarios", "results/scores", "results/transcripts")
TWICE = b'name = "X"\nlanguage = "ja"\n[clarify]\nmax_questions = 1\nmax_questions = 2\n'


@pytest.fixture
def folder(folder: Path) -> Path:
    """Beside the small bot a second one that is broken."""
    (folder / "knowledge" / "twice").mkdir()
    (folder / "knowledge" / "twice" / "bot.toml").write_bytes(TWICE)
    return folder


def opened(page: str = "home/home", language: str = "ja", **query: str) -> AppTest:
    app = page_app.opened(page, language, **query)
    assert not app.exception, [error.message for error in app.exception]
    return app


def test_a_key_given_twice_is_reported_and_the_other_bots_stay_usable(folder: Path) -> None:
    home = opened()
    assert any("5 行目" in text.value and "bot\\.toml" in text.value for text in home.warning)
    for page in OF_BOTS:
        app = opened(page, bot="twice")
        assert not any("Key" in text.value or "Cannot" in text.value for text in app.error), page
        assert not opened(page, bot="komachi").error, page


def test_the_bot_page_repairs_a_broken_file(folder: Path) -> None:
    file = folder / "knowledge" / "twice" / "bot.toml"
    app = opened("build/bot", bot="twice")
    assert len(app.error) == 1 and "5 行目の項目が重複しています" in app.error[0].value
    app.text_area[0].set_value('name = "X"\nlanguage = "ja"\n')
    press(app, "保存する")
    assert not app.error and file.read_bytes() == b'name = "X"\nlanguage = "ja"\n'


def test_a_bot_file_with_a_byte_order_mark_is_saved(folder: Path) -> None:
    file = folder / "knowledge" / "komachi" / "bot.toml"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert save_bot(load_bot("komachi"), {"prompt": "短く"}).prompt == "短く"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ('name = "x\n', "1 行目に誤りがあります"),
        ('language = "ja"', "「name」がありません"),
        ('name = "x"\nlanguage = "fr"', "「language」に使えるのは ja, en です"),
        ('name = "x"\nlanguage = "ja"\nnaem = 1', "「naem」という項目はありません"),
        ('name = "x"\nlanguage = "ja"\n[clarify]\nmax_questions = 99', "「clarify.max_questions」は 10 以下"),
        ('name = "x"\nlanguage = "ja"\n[clarify]\nmax_questions = "two"', "「clarify.max_questions」は整数"),
        ('name = "x"\nlanguage = "ja"\n[clarify]\nlook_first = "maybe"', "「clarify.look_first」に使えるのは"),
        ("name = 1\nlanguage = 'ja'", "「name」の値を引用符で"),
    ],
)
def test_what_is_wrong_with_a_bot_is_said_in_japanese(folder: Path, source: str, says: str) -> None:
    (folder / "knowledge" / "twice" / "bot.toml").write_text(source, "utf-8")
    with pytest.raises(BadInput) as caught:
        load_bot("twice")
    assert says in error_text(caught.value)


def test_what_the_system_says_is_said_in_the_language_of_the_page() -> None:
    for detail in ("Permission denied", "attempt to write a readonly database", "unable to open database file"):
        shown_text = error_text(BadInput("x", "not_writable", file="a", folder="b", detail=detail))
        assert detail not in shown_text and "に書き込めません" in shown_text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("question,kind\nA?,quiz\n", "種類「quiz」はありません。使えるのは faq, vague"),
        ("question,kind\n,faq\n", "2 行目を読み込めません。質問が空です"),
        ("question,needs_asking\nA?,perhaps\n", "「perhaps」は使えません"),
        ("question,kind\nA, B and C?,x,faq\n", "セルが 4 個ありますが"),
    ],
)
def test_what_is_wrong_with_a_row_is_said_in_japanese(text: str, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_scenarios(text)
    assert says in error_text(caught.value)


def test_every_reason_has_words() -> None:
    for name in ("line", "twice", "end", "encoding", "missing", "choice", "no_kind", "letters"):
        assert f"error_details.{name}" in words()


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("http://x")', "+1", "-1", "@a", "＝1", "'=1", "''=1", " =1", "'普通", "普通"]
)
def test_a_formula_stays_text_in_a_spreadsheet_and_comes_back_as_it_was(text: str) -> None:
    rows = [Scenario(id="a", question=text, facts=text)]
    source = scenarios_csv(rows)
    assert parse_scenarios(source) == rows
    assert all(cell[0] not in "=+-@＝" for cell in source.splitlines()[1].replace('"', "").split(",") if cell)


def test_what_is_on_the_screen_is_exported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exported: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        st, "download_button", lambda label, data, *_, disabled=False, **__: exported.append((data, disabled))
    )
    monkeypatch.setattr(st, "data_editor", lambda table, **_: table.assign(question=["書きかけ", "", "?"]))
    opened("simulate/scenarios", bot="komachi")
    monkeypatch.setattr(st, "data_editor", lambda table, **_: table.assign(question=["書きかけ", "b", "?"]))
    opened("simulate/scenarios", bot="komachi")
    assert exported[0] == ("", True)
    assert "書きかけ" in exported[1][0] and not exported[1][1] and len(parse_scenarios(exported[1][0])) == 3


def test_an_upload_that_is_no_csv_or_holds_no_question_is_refused(folder: Path) -> None:
    app = opened("simulate/scenarios", bot="komachi")
    for name, data, says in (
        ("a.pdf", b"%PDF-1.7\xff", "CSV ではありません"),
        ("a.csv", b"id,question\n", "質問がない"),
        ("a.csv", b"\x81\x20\xff\xff", "文字コードを判別できません"),
    ):
        app.file_uploader[0].set_value((name, data, "text/csv")).run()
        assert len(app.error) == 1 and says in app.error[0].value.replace("\\", ""), name
    assert not app.exception and not app.info


def test_deleting_a_persona_is_confirmed_for_both_languages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "data_editor", lambda table, **_: table.iloc[1:])
    app = opened("simulate/personas")
    save = next(button for button in app.button if button.label == "保存する")
    assert save.disabled and "「落ち着いた人」" in app.checkbox[0].label
    app.checkbox[0].check().run()
    press(app, "保存する")
    assert [one.id for one in read_personas("ja")] == [one.id for one in read_personas("en")] == ["busy"]


def test_a_broken_settings_file_is_reported_once_on_each_page_and_repaired(folder: Path) -> None:
    file = folder / "data" / "settings.toml"
    file.write_text("pass_mark = 0.5\npass_mark = \n", "utf-8")
    settings.cache_clear()
    for page in ("home/home", *OF_BOTS, "simulate/personas", "build/bot", "build/documents"):
        assert len(opened(page).error) == 1, page
    app = opened("settings/settings")
    assert len(app.error) == 1 and "2 行目" in app.error[0].value
    app.text_area[0].set_value("pass_mark = 7\n")
    press(app, "保存する")
    assert len(app.error) == 2 and file.read_text("utf-8").startswith("pass_mark = 0.5")
    app.text_area[0].set_value("pass_mark = 0.5\n")
    press(app, "保存する")
    assert not app.error and settings().pass_mark == 0.5
    assert not opened("talk/chat", bot="komachi").error


def test_a_model_that_is_not_there_is_refused(folder: Path) -> None:
    app = opened("settings/settings")
    app.text_input(key="settings-model").set_value("nonsense/model")
    press(app, "保存する")
    assert len(app.error) == 1 and not app.success and not (folder / "data" / "settings.toml").exists()


@pytest.mark.parametrize(
    "page",
    [
        "build/bot",
        "build/documents",
        "talk/chat",
        "settings/settings",
        "simulate/run",
        "simulate/personas",
        "simulate/scenarios",
    ],
)
def test_what_is_typed_stays_when_the_language_changes(folder: Path, page: str) -> None:
    app = opened(page, bot="komachi")
    before = marks(app)
    app.button_group(key="lang").set_value("en").run()
    assert not app.exception and before and marks(app) == before


def marks(app: AppTest) -> list[str]:
    """What the browser knows each field by; a field whose mark stays keeps what is typed in it.

    A choice with a mark for each language is carried over by its page.
    """
    kinds = ("text_area", "text_input", "number_input", "toggle", "chat_input", "button_group")
    found = [element.proto.id for kind in kinds for element in app.get(kind)]
    return [mark for mark in found if not mark.endswith(("-ja", "-en"))]


def test_a_file_that_is_not_utf8_is_left_out_and_can_be_removed(folder: Path) -> None:
    file = folder / "knowledge" / "komachi" / "documents" / "sjis.md"
    file.write_bytes("休暇".encode("shift_jis"))
    chat = opened("talk/chat", bot="komachi")
    chat.chat_input[0].set_value("交通費の精算の期限はいつですか").run()
    assert not chat.exception and not chat.warning and len(chat.chat_message) == 2
    app = opened("build/documents", bot="komachi")
    assert "1 件" in app.warning[0].value and any("sjis\\.md は UTF" in each.value for each in app.markdown)
    next(button for button in app.button if str(button.key).startswith("left-out-")).click().run()
    assert not file.exists() and not app.warning


def test_files_that_are_no_documents_and_torn_tables_are_named_with_what_to_do(folder: Path) -> None:
    documents = folder / "knowledge" / "komachi" / "documents"
    (documents / "guide.docx").write_bytes(b"PK")
    (documents / "prices.csv").write_bytes("品目,金額\n小,100,税込\n".encode("cp932"))
    app = opened("build/documents", "en", bot="komachi")
    reasons = "\n".join(each.value for each in app.markdown)
    assert "does not use 2 files" in app.warning[0].value and "put values with commas in quotes" in reasons
    assert "guide\\.docx is not a" in reasons and "Save its text as one of them" in reasons


def test_an_empty_document_is_named(folder: Path) -> None:
    (folder / "knowledge" / "komachi" / "documents" / "empty.md").write_text("")
    app = opened("build/documents", "en", bot="komachi")
    assert any("Documents without text (1): empty\\.md" in each.value for each in app.caption) and not app.warning


def test_hidden_files_are_no_documents(folder: Path) -> None:
    (folder / "knowledge" / "komachi" / "documents" / ".hidden.csv").write_text("a,b\n1,2\n", "utf-8")
    app = opened("build/documents", "en", bot="komachi")
    (table,) = (frame.value for frame in app.dataframe if "name" in frame.value)
    assert not app.warning and ".hidden.csv" not in set(table["name"])


def test_a_table_is_uploaded_and_shown_as_one(folder: Path) -> None:
    add_document(load_bot("komachi"), "貸出料金.csv", "品目,金額\n台車,300円\n".encode("cp932"))
    app = opened("build/documents", bot="komachi")
    assert not app.exception and not app.warning
    (table,) = (frame.value for frame in app.dataframe if "name" in frame.value)
    assert "貸出料金" in set(table["title"]) and "貸出料金.csv" in set(table["name"])


def test_why_there_is_no_reply_is_said_in_the_language_of_the_page(folder: Path) -> None:
    error = BadInput("The message is empty.", "empty_message")
    assert stored_error_text(stored_error(error)) == words()["errors.empty_message"]["ja"]
    assert stored_error_text("RuntimeError: x") == "エラーの原文「RuntimeError: x」"
    assert stored_error_text('{"key" broken') == '{"key" broken'
    store = open_store()
    chat = store.chats.create("komachi")
    store.chats.fail_turn(store.chats.begin_turn(chat, "?"), stored_error(error))
    for language in ("ja", "en"):
        shown_text = opened("talk/chat", language, bot="komachi", chat=chat).warning[0].value
        assert words()["errors.empty_message"][language][:8] in shown_text


def test_a_reason_that_is_stored_while_the_page_is_drawn_is_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store()
    chat = store.chats.create("komachi")
    turn = store.chats.begin_turn(chat, "?")
    read = ChatRepository.turns

    def read_then_fail(self: ChatRepository, chat_id: str) -> list[TurnRow]:
        rows = read(self, chat_id)
        store.chats.fail_turn(turn, stored_error(BadInput("The message is empty.", "empty_message")))
        return rows

    monkeypatch.setattr(ChatRepository, "turns", read_then_fail)
    (warning,) = opened("talk/chat", "en", bot="komachi", chat=chat).warning
    assert "The message is empty" in warning.value


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a :red[b].md", "（:）"),
        ('x*"y.md', '（* "）'),
        ("a.docx", "保存し直してください（Word は"),
        ("a.html", ".md・.txt・.csv・.tsv"),
        (".a.md", "先頭"),
        ("a" * 130 + ".md", "長すぎ"),
    ],
)
def test_a_refused_name_is_reported_with_its_reason(folder: Path, name: str, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        add_document(load_bot("komachi"), name, b"text")
    assert says in error_text(caught.value)


def test_times_and_leading_spaces_stay_as_they_were() -> None:
    assert "\u2060" not in plain("9:30 から 17:00、注意:次の点")
    assert plain("a\n    b") == "a  \n\u00a0\u00a0\u00a0\u00a0b"
    assert ":smile:" not in plain(":smile:")


def test_each_thing_about_the_person_is_kept_by_itself(folder: Path) -> None:
    app = opened("talk/chat", bot="komachi")
    app.text_input(key="you-office").set_value("大阪").run()
    open_store().chats.save_profile(
        open_store().chats.profile().model_copy(update={"patience": "talk"})
    )  # as another window does
    app.text_area(key="you-note").set_value("在宅勤務").run()
    now = open_store().chats.profile()
    assert (now.office, now.note, now.patience) == ("大阪", "在宅勤務", "talk")
    app.button_group(key="you-patience-talk").set_value("at_once").run()
    assert open_store().chats.profile().patience == "at_once" and not app.exception


def test_another_model_asks_for_a_restart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.retrieval.embedders.SentenceEmbedder.load", lambda _: None)
    app = opened("settings/settings")
    app.text_input(key="settings-model").set_value("some/model")
    press(app, "保存する")
    assert app.success and any("再起動" in text.value for text in app.info)


def test_a_data_folder_that_cannot_be_written_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    shown_text = [text.value for text in opened("settings/settings").markdown]
    assert any("に書き込めません" in text and "data" in text for text in shown_text)
