"""The tab of example questions on the page Documents: edited, merged, written by a model, moved, downloaded, uploaded."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.base.bot_folder import load_bot
from core.base.types import Bot
from core.documents.example_questions import FILE, ExampleQuestion, change_example_questions, read_example_questions
from pages.components.services import services
from tests.support.model_server import ModelServer, choose_server
from tests.support.page_app import healthy, opened, text_of

LATE = ExampleQuestion("expenses.md", "期限", "電車代はいつまでに出せばいい?")
SICK = ExampleQuestion("care.md", "日数", "子どもが熱を出した")
TABLE = "examples-komachi-expenses.md-0"


@pytest.fixture
def bot(folder: Path) -> Bot:
    """The small bot with an example question for two of its four sections."""
    bot = load_bot("komachi")
    change_example_questions(bot, added=[LATE, SICK])
    return bot


def page(language: str = "en", document: str = "expenses.md") -> AppTest:
    app = opened("build/documents", language, bot="komachi")
    chosen = app.selectbox(key="examples-document-komachi")
    return chosen.set_value(document).run()


def button(app: AppTest, label: str) -> AppTest:
    """Press the button whose label begins so."""
    return next(one for one in app.button if one.label.startswith(label)).click().run()


def edit(monkeypatch: pytest.MonkeyPatch, change: Callable[[pd.DataFrame], pd.DataFrame], lost: bool = False) -> None:
    """What a person does in the table of a document, or in that of lost questions."""
    real = st.data_editor

    def edited(table: pd.DataFrame, **options: object) -> pd.DataFrame:
        return change(table) if ("to" in table.columns) == lost else real(table, **options)

    monkeypatch.setattr(st, "data_editor", edited)


def add_row(heading: str | None, question: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda table: pd.concat([table, pd.DataFrame([{"heading": heading, "question": question}])])


@pytest.mark.parametrize(("language", "says"), [("ja", "4 節のうち 2 節"), ("en", "2 of 4 sections")])
def test_the_tab_says_how_many_sections_have_some(bot: Bot, language: str, says: str) -> None:
    app = healthy(page(language))
    assert says in text_of(app)
    labels = {str(tab.label) for tab in app.tabs}
    assert ("想定質問" if language == "ja" else "Example questions") in labels
    assert not any("Write questions for" in one.label or "節の分を作成" in one.label for one in app.button)


def test_a_row_is_added_changed_and_deleted(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(monkeypatch, add_row("期限", "=1+1"))
    healthy(button(page(), "Save"))
    assert read_example_questions(bot) == [LATE, LATE._replace(question="=1+1"), SICK]
    edit(monkeypatch, lambda table: table.iloc[1:].assign(question="レシートはいつまで"))
    healthy(button(page(), "Save"))
    assert read_example_questions(bot) == [LATE._replace(question="レシートはいつまで"), SICK]


def test_a_row_without_a_section_is_named_and_not_saved(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(monkeypatch, add_row(None, "どこの節?"))
    app = healthy(page())
    assert "1 row has no section" in text_of(app)
    assert next(one for one in app.button if one.label == "Save").disabled


@pytest.mark.parametrize(("language", "choice"), [("en", "(not in the documents)"), ("ja", "（文書に答えがない）")])
def test_a_question_that_no_document_answers_is_stored_without_a_heading(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, language: str, choice: str
) -> None:
    edit(monkeypatch, add_row(choice, "タクシー代の領収書をなくした"))
    healthy(button(page(language), "Save" if language == "en" else "保存"))
    assert LATE._replace(heading="", question="タクシー代の領収書をなくした") in read_example_questions(bot)
    monkeypatch.undo()
    app = healthy(page(language))
    says = "1 question that no document answers" if language == "en" else "文書に答えがない質問 1 件"
    assert says in text_of(app) and "not used" not in text_of(app)


def test_saving_keeps_what_somebody_else_wrote_meanwhile(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = LATE._replace(question="締め切りを過ぎた")
    edit(monkeypatch, add_row("期限", "新しい質問"))
    app = page()
    app.session_state[TABLE] = {"added_rows": [{"heading": "期限", "question": "新しい質問"}]}
    app.run()
    change_example_questions(bot, [SICK], [theirs])
    app = healthy(app.run())
    assert "Somebody else has changed" in text_of(app)
    assert app.selectbox(key="examples-document-komachi").disabled
    healthy(button(app, "Save"))
    assert read_example_questions(bot) == [LATE, theirs, LATE._replace(question="新しい質問")]


def test_without_changes_the_newest_rows_are_shown(bot: Bot) -> None:
    app = page()
    change_example_questions(bot, added=[LATE._replace(question="締め切りを過ぎた")])
    shown = healthy(app.run()).session_state["examples-komachi-expenses.md-begun"]
    assert [one.question for one in shown] == [LATE.question, "締め切りを過ぎた"]


def test_questions_of_a_section_that_is_gone_are_listed_moved_and_deleted(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = [ExampleQuestion("expenses.md", "提出の期限", f"質問{n}") for n in range(2)]
    change_example_questions(bot, added=[*old, ExampleQuestion("gone.md", "どこか", "質問")])
    edit(
        monkeypatch,
        lambda table: table.assign(
            to=["expenses.md › 期限" if of == "expenses.md" else None for of in table["document"]]
        ),
        lost=True,
    )
    app = healthy(page())
    assert "3 questions of 2 sections are not used" in text_of(app)
    app = healthy(button(app, "Move 2"))
    assert LATE._replace(question="質問1") in read_example_questions(bot)
    monkeypatch.undo()
    edit(monkeypatch, lambda table: table, lost=True)
    app = healthy(button(page(), "Delete all 1"))
    assert "not used" not in text_of(app) and len(read_example_questions(bot)) == 4


@pytest.mark.parametrize(("how", "kept"), [("add", True), ("replace", False)])
def test_an_uploaded_table_is_added_or_takes_the_place_of_all(bot: Bot, how: str, kept: bool) -> None:
    app = page()
    data = "document,heading,question\ncare.md,日数,子どもが熱を出した\nleave.md,日数,休みは何日\n".encode("cp932")
    app = healthy(app.file_uploader(key="examples-upload-komachi-0").set_value(("q.csv", data, "text/csv")).run())
    app = app.radio(key="examples-upload-how").set_value(how).run()
    save = next(one for one in app.button if one.label == "Save" and not one.disabled)
    healthy(save.click().run())
    new = ExampleQuestion("leave.md", "日数", "休みは何日")
    assert set(read_example_questions(bot)) == ({LATE, SICK, new} if kept else {SICK, new})


def test_an_upload_without_the_columns_is_one_sentence(bot: Bot) -> None:
    app = page()
    app = app.file_uploader(key="examples-upload-komachi-0").set_value(("q.csv", b"a,b\n1,2\n", "text/csv")).run()
    assert [one.value for one in app.error] and "It needs document, heading, question" in app.error[0].value
    assert read_example_questions(bot) == [LATE, SICK]


@pytest.mark.parametrize("data", [b"document,question\na,b\n", "document,heading,question\na,b,期限\n".encode("cp932")])
def test_a_broken_file_is_one_sentence_and_the_rest_of_the_page_works(bot: Bot, data: bytes) -> None:
    (bot.folder / FILE).write_bytes(data)
    app = opened("build/documents", "en", bot="komachi")
    assert (
        not app.exception and len(app.error) == 1 and FILE.replace("_", r"\_").replace(".", r"\.") in app.error[0].value
    )
    assert app.title[0].value.startswith("小町 has 3 documents") and len(app.dataframe) == 1
    app.text_area[0].set_value("document,heading,question\nexpenses.md,期限,いつまで\n")
    healthy(button(app, "Save"))
    assert [one.question for one in read_example_questions(bot)] == ["いつまで"]


def test_the_chat_with_a_broken_file_says_so_in_one_sentence(bot: Bot) -> None:
    (bot.folder / FILE).write_text("document,question\na,b\n", "utf-8")
    app = opened("talk/chat", "en", bot="komachi")
    app.chat_input[0].set_value("交通費の精算の期限はいつですか").run()
    until = time.monotonic() + 20
    while not app.warning and time.monotonic() < until:
        app.run()
    assert not app.exception
    assert any("It needs document, heading, question" in one.value for one in app.warning), text_of(app)


@pytest.fixture
def model(bot: Bot, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """A model server that the settings name."""
    choose_server(server, monkeypatch)
    return server


def finished(app: AppTest) -> AppTest:
    """The page once no questions are being written."""
    job = services().example_questions.get("komachi")
    assert job is not None and job.wait(30)
    return app.run()


def test_a_model_writes_those_of_one_document_then_of_all(bot: Bot, model: ModelServer) -> None:
    change_example_questions(bot, [SICK])
    app = healthy(page(document="care.md"))
    app = healthy(finished(button(app, "Only for the document shown (1 section)")))
    assert "3 questions written for 1 section." in text_of(app) and "Dropped: " in text_of(app)
    app = healthy(finished(button(app, "Write questions for 2 sections")))
    assert "4 of 4 sections" in text_of(app)
    assert not any(one.label.startswith("Write questions for") for one in app.button)
    assert LATE in read_example_questions(bot) and len(read_example_questions(bot)) == 10


def test_a_model_that_refuses_is_one_sentence(bot: Bot, model: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    model.key = "sk-another"
    app = finished(button(page(), "Write questions for"))
    assert not app.exception and len(app.error) == 1
    assert read_example_questions(bot) == [LATE, SICK]


def test_writing_can_be_stopped_and_what_was_written_stays(bot: Bot, model: ModelServer) -> None:
    model.delay = 0.3
    app = button(page(), "Write questions for")
    assert "Example questions are being written" in text_of(app)
    services().example_questions.get("komachi").stop()
    app = healthy(finished(app))
    assert "Stopped" in text_of(app) and read_example_questions(bot)[:1] == [LATE]
