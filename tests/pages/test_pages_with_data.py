"""Pages with results, chats and files, as Streamlit runs them, on a data folder and a knowledge folder of its own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st

from core.analysis.run_means import JudgeScores
from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Scenario
from core.charts.heat_maps import heat_map
from core.charts.style import Marks
from core.charts.turns import turn_lines
from core.documents.documents import add_document, remove_document, removed_documents, restore_document
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from core.store.store import Store, open_store
from pages.components.plain_text import line, plain
from pages.simulate.tables import persona_frame, personas_of, scenarios_of, to_frame
from pages.talk.toolbar import letters
from tests.conftest import copy_database
from tests.support.page_app import PAGES, healthy, is_foreign, opened, press, shown
from tests.support.shared_results import share_results
from tests.support.whole_runs import carry_out

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Japanese bot with half of its documents, to be copied: all of them take a second for every test."""
    folder = tmp_path_factory.mktemp("half") / "knowledge"
    left_out = shutil.ignore_patterns("example_questions.csv", "[fhij]*.md", "[l-m]*.md", "[p-s]*.md", "w*.md", "z*.md")
    shutil.copytree(ROOT / "knowledge" / "hinata", folder / "hinata", ignore=left_out)
    shutil.copy(ROOT / "knowledge" / "personas.toml", folder / "personas.toml")
    return folder


@pytest.fixture
def folder(folder: Path, knowledge: Path) -> Path:
    """That bot in place of the small one."""
    shutil.rmtree(folder / "knowledge")
    shutil.copytree(knowledge, folder / "knowledge")
    share_results(folder / "data")
    return folder


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, knowledge: Path, empty_database: Path) -> tuple[Path, str]:
    """The file of a database with a small finished run, to be copied, and the run's id."""
    data = share_results(tmp_path_factory.mktemp("finished"))
    store = Store(f"sqlite:///{copy_database(empty_database, data)}")
    plan = Plan(bot="hinata", limit=6, seed=1)
    run_id = carry_out(store, Indexes(data / "chroma"), load_bot("hinata", knowledge), EmbeddedEngine(), plan)
    store.close()
    return data / "kiku.db", run_id


@pytest.fixture
def run(folder: Path, finished: tuple[Path, str]) -> str:
    """A small finished run."""
    shutil.copy(finished[0], folder / "data" / "kiku.db")
    return finished[1]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_pages_with_results_open_in_both_languages(run: str, language: str) -> None:
    for page in PAGES:
        app = healthy(opened(page, language, bot="hinata", run=run))
        foreign = [text for text in shown(app) if is_foreign(text, language)]
        assert not foreign, (page, foreign)


def test_peoples_text_is_shown_letter_by_letter() -> None:
    hostile = "<b>x</b> $a$ :material/home: [a](b) `c` | # *d* _e_ ~f~ \\"
    assert "<" not in plain(hostile).replace("\\<", "")
    assert "$" not in plain(hostile).replace("\\$", "")
    assert ":material" not in plain(hostile)
    assert plain("a\nb") == "a  \nb"
    assert plain("9:30") == "9\\:30"
    assert plain("  a   b") == "\u00a0\u00a0a \u00a0\u00a0b"
    assert plain("www.evil.com a@b.com") == "ww*w*\\.evil\\.com a@*b*\\.com"
    assert plain("http://a.example", links=False) == "htt*p*\\://a\\.example"
    assert plain("(http://a.example/b).") == "\\(<http://a.example/b>\\)\\."
    assert len(line("あ" * 200, 40)) == 40


def test_a_message_is_answered_and_stays_after_a_reload(folder: Path) -> None:
    app = opened("talk/chat", bot="hinata")
    app.chat_input[0].set_value("Google共有ドライブにメンバーを追加する方法を教えて").run()
    healthy(app)
    assert len(app.chat_message) == 2
    assert any("規則" in text.value for text in app.markdown)
    reloaded = opened("talk/chat", bot="hinata", chat="".join(app.query_params["chat"]))
    assert len(reloaded.chat_message) == 2


def test_a_choice_is_one_click(folder: Path) -> None:
    app = opened("talk/chat", bot="hinata")
    app.chat_input[0].set_value("休暇について教えてください").run()
    choices = [button for button in app.button if (button.key or "").startswith("choice-")]
    assert len(choices) >= 2
    choices[0].click().run()
    assert len(healthy(app).chat_message) == 4


def test_asked_too_much_moves_the_patience_and_back(folder: Path) -> None:
    app = opened("talk/chat", bot="hinata")
    app.chat_input[0].set_value("休暇について教えてください").run()
    next(button for button in app.button if (button.key or "").startswith("asked_too_much-")).click().run()
    assert open_store().chats.profile().patience == "at_once"
    assert any("標準" in text.value and "すぐ回答" in text.value for text in app.caption)
    next(button for button in app.button if (button.key or "").startswith("undo-")).click().run()
    assert open_store().chats.profile().patience == "balanced"


@pytest.mark.parametrize("text", ["   ", "あ" * 20_000, "🙂🙂🙂", "<script>alert(1)</script> $x$ **y**"])
def test_odd_messages_are_answered_or_reported_in_one_sentence(folder: Path, text: str) -> None:
    app = opened("talk/chat", bot="hinata")
    app.chat_input[0].set_value(text).run()
    assert not app.exception
    if app.error:
        assert len(app.error) == 1
        assert app.text_area[-1].value == text
    else:
        assert len(app.chat_message) == 2


def test_a_broken_bot_is_reported_on_every_page_and_can_be_read_on_its_own(folder: Path) -> None:
    (folder / "knowledge" / "hinata" / "bot.toml").write_text('name = "x\n', "utf-8")
    for page in PAGES:
        app = opened(page, bot="hinata")
        assert not app.exception, page
    app = opened("build/bot", bot="hinata")
    assert app.text_area[0].value == 'name = "x\n'
    assert "bot\\.toml" in app.error[0].value


def test_a_question_file_without_questions_is_reported_and_kept(folder: Path) -> None:
    file = folder / "knowledge" / "hinata" / "questions.csv"
    file.write_text("id,text\n1,2\n", "utf-8")
    app = opened("simulate/scenarios", bot="hinata")
    assert "question" in app.error[0].value
    assert app.text_area[0].value == "id,text\n1,2\n"
    assert not opened("simulate/run", bot="hinata").exception


def test_a_data_folder_that_cannot_be_used_is_reported_in_one_sentence(folder: Path) -> None:
    shutil.rmtree(folder / "data")
    (folder / "data").write_text("a file where a folder should be")
    for page in PAGES:
        app = opened(page, bot="hinata")
        assert not app.exception, page
    assert "KIKU" in opened("talk/chat", bot="hinata").error[0].value


def test_settings_are_kept_in_the_data_folder(folder: Path) -> None:
    app = opened("settings/settings")
    app.number_input[0].set_value(80)
    press(app, "保存する")
    healthy(app)
    assert "pass_mark = 0.8" in (folder / "data" / "settings.toml").read_text("utf-8")
    assert settings().pass_mark == 0.8


def test_the_bot_page_writes_only_what_changed(folder: Path) -> None:
    file = folder / "knowledge" / "hinata" / "bot.toml"
    before = file.read_text("utf-8")
    app = opened("build/bot", bot="hinata")
    app.number_input[0].set_value(1)
    press(app, "保存する")
    healthy(app)
    assert file.read_text("utf-8") == before.replace("max_questions = 2", "max_questions = 1")


def test_a_transcript_shows_what_the_judge_thought(run: str) -> None:
    row = open_store().conversations.of_run(run)[0]
    app = healthy(opened("results/transcripts", bot="hinata", run=run, conversation=row.id))
    assert any("**網羅性" in text.value for text in app.markdown)


def test_the_tables_give_back_what_they_were_given(folder: Path) -> None:
    bot = load_bot("hinata")
    rows = read_scenarios(bot)
    assert scenarios_of(to_frame(rows)) == rows
    people = read_personas("ja")
    assert personas_of(persona_frame(people), people) == people


def test_a_row_without_a_question_is_reported_by_its_number() -> None:
    table = to_frame([Scenario(id="a", question="?"), Scenario(id="b", question="", intent="x")])
    with pytest.raises(BadInput) as error:
        scenarios_of(table)
    assert error.value.details == {"row": 2}


def test_the_index_is_rebuilt_and_says_how_many_passages(folder: Path) -> None:
    app = opened("build/documents", bot="hinata")
    press(app, "索引を再作成")
    assert "資料" in healthy(app).success[0].value


def test_a_trial_search_shows_passages_with_scores(folder: Path) -> None:
    app = opened("build/documents", bot="hinata")
    app.text_input[0].set_value("子の看護休暇").run()
    assert any("スコア" in part.label for part in healthy(app).expander)


def test_the_chosen_bot_goes_along_through_the_menu(folder: Path) -> None:
    shutil.copytree(ROOT / "knowledge" / "minato", folder / "knowledge" / "minato")
    st.cache_resource.clear()
    app = opened("talk/chat", bot="minato")
    for page in ("build/documents", "simulate/scenarios", "results/scores", "build/bot", "talk/chat"):
        app.query_params.pop("bot", None)
        app = healthy(app.switch_page(f"pages/{page}.py").run())
        assert app.selectbox(key="bot_box").value == "minato", page
        assert "".join(app.query_params["bot"]) == "minato", page
    app.selectbox(key="bot_box").set_value("hinata").run()
    assert "".join(app.query_params["bot"]) == "hinata"


def test_removed_documents_come_back_one_by_one_even_after_a_reload(folder: Path) -> None:
    documents = folder / "knowledge" / "hinata" / "documents"
    before = {file.name: file.read_bytes() for file in documents.iterdir()}
    bot = load_bot("hinata")
    for name in sorted(before)[:2]:
        remove_document(bot, name)
    for _ in range(2):
        app = healthy(opened("build/documents", bot="hinata"))
        backs = [button for button in app.button if str(button.key).startswith("restore-")]
        backs[0].click().run()
        healthy(app)
    assert {file.name: file.read_bytes() for file in documents.iterdir()} == before
    assert not removed_documents(bot)


def test_a_restored_document_does_not_overwrite_one_of_its_name(folder: Path) -> None:
    bot = load_bot("hinata")
    name = sorted(file.name for file in (bot.folder / "documents").iterdir())[0]
    old = remove_document(bot, name)
    add_document(bot, name, b"new")
    restore_document(bot, removed_documents(bot)[0])
    assert (bot.folder / "documents" / name).read_bytes() == old
    assert [each.place.read_bytes() for each in removed_documents(bot)] == [b"new"]


def test_a_transcript_holds_no_markup() -> None:
    shown = letters("<script>x</script> ![](http://y)\n# z")
    assert not re.search(r"(?<!\\)[<>#!\[\]()]", shown)


def test_the_heat_map_names_the_scenario_of_every_cell_and_turns_compare_the_same_conversations(run: str) -> None:
    frame = open_store().records.score_frame(run)
    figure = heat_map(JudgeScores(frame, "turn"), Marks(0.9, 0.7), lambda key, **_: key).figure
    assert {cell[0] for cell in figure.data[1].customdata} <= set(frame["scenario"])
    assert len(figure.data[1].x) == figure.data[0].z.size
    rows = [
        (1, 1, 1.0),
        *((conversation, turn, value) for conversation in range(2, 7) for turn, value in ((1, 0.2), (2, 0.8))),
    ]
    made = pd.DataFrame(
        [(*row, "overall", "turn", f"s{row[0]}") for row in rows],
        columns=["conversation", "turn", "value", "criterion", "judge", "scenario"],
    ).reindex(columns=list(frame.columns), fill_value="")
    shown_text: list[dict[str, object]] = []
    turn_lines(JudgeScores(made, "turn"), 0.9, lambda key, **holes: shown_text.append(holes | {"key": key}) or key)
    title = next(each for each in shown_text if each["key"] == "charts.turn_title_rises")
    assert (title["first"], title["last"], title["n"]) == ("20%", "80%", "5")
