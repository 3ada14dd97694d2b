"""Transcripts: find a conversation by words and filters, read it, share its address, take the run away."""

from __future__ import annotations

import io
import re
from pathlib import Path

import openpyxl
import pytest
from streamlit.testing.v1 import AppTest

from core.base.types import Score
from core.runs.plan import Plan
from core.store.store import Store
from pages.components.url_choice import share_address
from pages.results.transcript_list import PAGE_SIZE
from tests.support import page_app
from tests.support.export_runs import an_awkward_run, an_export
from tests.support.failing_turns import EXPENSES, answering, run_with_failures, scores
from tests.support.page_app import healthy

ROOT = Path(__file__).resolve().parents[2]


def opened(language: str = "ja", **asked: str) -> AppTest:
    return healthy(page_app.opened("results/transcripts", language, **{"bot": "komachi", **asked}))


def listed(app: AppTest) -> list[int]:
    tables = [one.value for one in app.dataframe if "number" in one.value and "question" in one.value]
    return list(tables[0]["number"]) if tables else []


def test_without_a_run_the_page_leads_to_one(store: Store) -> None:
    links = [link.proto.page for link in opened().get("page_link")]
    assert links == ["run"]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_link_opens_its_conversation_in_either_language(store: Store, language: str) -> None:
    an_awkward_run(store)
    app = opened(language, run="r1", conversation="r1-2")
    said = [text.value for message in app.chat_message for text in message.markdown]
    assert any("期限は？" in text for text in said) and not app.info
    here = "http://127.0.0.1:8501/transcripts?lang=ja&x=1"
    link = share_address(here, "transcripts", bot="komachi", run="r1", conversation="r1-2")
    assert link == "http://127.0.0.1:8501/transcripts?bot=komachi&run=r1&conversation=r1-2"
    assert any(code.value.endswith("run=r1&conversation=r1-2") for code in app.code)


def test_the_title_has_the_score_of_the_list_whatever_judge_gave_it(store: Store) -> None:
    other = Score(judge="custom:tone", criterion="overall", value=0.1, label="", version="v")
    verdicts = [*scores(None, correctness=True)[1:], other]
    plan = Plan(bot="komachi", judges=("correctness",))
    run_with_failures(store, [(EXPENSES, [(answering("翌月の10日までです。"), verdicts)])], plan=plan)
    app = opened(run="run-1")
    assert "100%" in app.title[0].value
    assert next(list(one.value["score"]) for one in app.dataframe if "ending" in one.value) == ["100%"]


def test_links_that_lead_nowhere_are_reported_kindly(store: Store) -> None:
    an_awkward_run(store)
    an_awkward_run(store, "r2")
    for asked in ({"run": "r1", "conversation": "gone"}, {"run": "r1", "conversation": "r2-1"}, {"run": "gone"}):
        app = opened(**asked)
        assert len(app.info) == 1 and "見つかりません" in app.info[0].value and app.chat_message


def test_words_find_conversations_whatever_their_width_and_case(store: Store) -> None:
    an_awkward_run(store)
    search = "find-text-r1"
    for words, numbers in {
        "google": [1, 2, 3, 4],
        "ｇｏｏｇｌｅ": [1, 2, 3, 4],
        "パソコン": [1, 2, 3, 4],
        "足りない": [1, 2, 3],  # the judge's reasons
        "HYPERLINK 足りない": [3],
        "期限は？ 5": [5],  # a conversation in which nothing was said, by its question
        "無いことば": [],
    }.items():
        app = opened(run="r1")
        assert listed(healthy(app.text_input(key=search).set_value(words).run())) == numbers, words
    assert any("条件に合う会話はありません" in info.value for info in app.info)


def test_filters_part_the_list_and_steps_stay_within_it(store: Store) -> None:
    an_awkward_run(store)
    app = opened(run="r1")
    assert listed(app) == [1, 2, 3, 4, 5]
    app.multiselect(key="find-ending-r1-ja").set_value(["status.failed"]).run()
    assert listed(healthy(app)) == [5] and "".join(app.query_params.get("conversation", [])) == ""
    app.multiselect(key="find-ending-r1-ja").set_value([]).run()
    app.slider(key="find-score-r1").set_value((0, 90)).run()
    assert listed(healthy(app)) == [1, 3]
    app.button(key="step-next").click().run()
    assert "".join(app.query_params["conversation"]) == "r1-3" and app.button(key="step-next").disabled
    app = opened(run="r1")
    app.button_group(key="find-order-r1-ja").set_value("worst").run()
    assert listed(healthy(app)) == [4, 5, 1, 3, 2]  # unscored and failed first


def test_a_long_list_comes_page_by_page(store: Store) -> None:
    an_awkward_run(store, conversations=PAGE_SIZE * 2 + 5)
    app = opened(run="r1", conversation=f"r1-{PAGE_SIZE + 2}")
    assert listed(app) == list(range(PAGE_SIZE + 1, 2 * PAGE_SIZE + 1))
    assert all(len(box.options) <= PAGE_SIZE for box in app.selectbox)


def test_nothing_said_becomes_markup_on_the_page(store: Store) -> None:
    an_awkward_run(store)
    app = opened(run="r1", conversation="r1-4")
    said = next(text.value for text in app.chat_message[0].markdown)
    assert "img src" in said and not re.search(r"(?<!\\)<(?!http)", said)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_small_run_is_downloaded_at_once(store: Store, language: str) -> None:
    an_awkward_run(store)
    app = opened(language, run="r1")
    assert app.get("download_button")
    for form in ("csv", "jsonl", "html", "sheets"):
        healthy(app.radio(key=f"export-form-r1-{language}").set_value(form).run())
    assert any("KIKU_GOOGLE_SERVICE_ACCOUNT" in info.value for info in app.info)
    out = io.BytesIO()
    an_export(store, "r1", language).write("xlsx", out)
    assert len(openpyxl.load_workbook(out).sheetnames) == 6


def test_a_large_run_is_written_in_the_background(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.results import export_menu

    monkeypatch.setattr("pages.results.export_menu.SMALL_RUN", 2)
    an_awkward_run(store)
    app = opened(run="r1")
    assert not app.get("download_button")
    app.button(key="make-r1-xlsx-conversations-ja").click().run()
    made = export_menu.export_jobs().get(("r1", "xlsx", "conversations", "ja", *map(str, store.scores.newest())))
    assert made and made.wait(60) and not made.error and made.result
    healthy(app.run())
    assert app.get("download_button")
    assert openpyxl.load_workbook(io.BytesIO(Path(made.result).read_bytes())).sheetnames[0] == "会話"
    export_menu.export_jobs().close()
    assert not Path(made.result).exists()
