"""Judging on the pages outside a simulation: answers from a file, and further judges on an old run."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.base.bot_folder import load_bot
from core.base.types import Sample, Score
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.jobs import JudgingRequest
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import open_store
from pages.components.services import services
from tests.support.page_app import healthy, is_foreign, opened, press, shown
from tests.support.small_bot import Gated

FILE = "results/judge_file"
CSV = "質問,回答,模範解答,メモ\n期限は？,翌月の10日です。,翌月の10日です。,a\n何日？,20日です。,10日です。,b\n".encode()


@pytest.fixture
def run(folder: Path) -> str:
    """A small finished run that the turn judge has scored."""
    runner = Runner(open_store(), Indexes(), EmbeddedEngine())
    run_id = runner.start(Plan(bot="komachi", seed=1))
    assert runner.wait(run_id, 120)
    runner.close()
    return run_id


def uploaded(name: str, data: bytes, language: str = "ja") -> AppTest:
    """The page with a file in it."""
    app = opened(FILE, language, bot="komachi")
    app.file_uploader[0].upload(name, data).run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def judged(app: AppTest, button: str) -> str:
    """Start the judging and wait for its end; gives the run."""
    healthy(press(app, button))
    run_id = "".join(app.query_params["run"])
    job = services().judging_jobs.get(run_id)
    assert job and job.wait(60)
    return run_id


def test_a_file_is_judged_by_the_columns_it_names_and_leads_to_its_charts(folder: Path) -> None:
    app = healthy(uploaded("answers.csv", CSV))
    chosen = {box.label: box.value for box in app.selectbox if str(box.key).startswith("map-")}
    assert (chosen["質問 *"], chosen["回答 *"], chosen["模範解答"]) == ("質問", "回答", "模範解答")
    run_id = judged(app, "2 件を採点する")
    app.run()
    assert any("2 件の採点が完了しました" in text.value for text in healthy(app).markdown)
    frame = open_store().records.score_frame(run_id)
    assert dict(zip(frame["question"], frame["value"], strict=True)) == {"期限は？": 1.0, "何日？": 0.0}
    scores = healthy(opened("results/scores", bot="komachi", run=run_id))
    assert "50%" in scores.title[0].value


def test_a_running_judging_shows_how_far_it_is_and_can_be_stopped(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Gated()
    monkeypatch.setattr("pages.components.session.EmbeddedEngine", lambda: engine)
    app = press(uploaded("answers.csv", CSV), "2 件を採点する")
    assert any(button.key == "stop-file" for button in app.button)
    job = services().judging_jobs.get("".join(app.query_params["run"]))
    assert job
    press(app, "stop-file")
    engine.gate.set()
    assert job.wait(60)
    app.run()
    assert not any(button.key == "stop-file" for button in healthy(app).button)


def test_columns_of_other_names_are_mapped_by_hand(folder: Path) -> None:
    app = uploaded("answers.csv", "frage,antwort\n何日ですか,10日です。\n".encode())
    press(app, "1 件を採点する")
    assert len(app.error) == 1 and "質問の列が選ばれていません" in app.error[0].value
    for field, column in (("question", "frage"), ("answer", "antwort")):
        next(box for box in app.selectbox if str(box.key).startswith(f"map-{field}-")).set_value(column)
    app.run()
    run_id = judged(app, "1 件を採点する")
    assert list(open_store().records.score_frame(run_id)["question"].unique()) == ["何日ですか"]


def test_a_workbook_and_json_lines_are_read_too(folder: Path) -> None:
    sheet = io.BytesIO()
    pd.DataFrame([{"question": "期限は？", "answer": "10日です。"}]).to_excel(sheet, index=False)
    assert any("1 行" in text.value for text in healthy(uploaded("a.xlsx", sheet.getvalue())).caption)
    lines = b'{"question": "a", "answer": "b", "contexts": ["c", "d"]}\n'
    assert any("1 行" in text.value for text in healthy(uploaded("a.jsonl", lines)).caption)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", b"", "データがありません"),
        ("a.csv", b"question,answer\n", "データがありません"),
        ("a.csv", b"\x81\xff\x00\xfe", "文字コード"),
        ("a.xlsx", b"no workbook", "ブックではない"),
        ("a.jsonl", b'{"question": "a"\n', "1 行目が JSON"),
        ("a.json", b"[" * 100_000, "1 行目が JSON"),
        ("a.jsonl", b"3\n", "JSON オブジェクト"),
        ("a.csv", b'a,b\n"x,y\n1,2,3\n', "引用符"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_in_one_sentence(
    folder: Path, name: str, data: bytes, message: str
) -> None:
    app = uploaded(name, data)
    assert len(app.error) == 1 and message in app.error[0].value, [error.value for error in app.error]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_with_a_file_speaks_the_language_it_is_read_in(folder: Path, language: str) -> None:
    app = healthy(uploaded("answers.csv", CSV, language))
    assert not [text for text in shown(app) if is_foreign(text, language)]


def test_a_further_judge_scores_an_old_run_and_can_be_shown(run: str) -> None:
    app = healthy(opened("results/scores", bot="komachi", run=run))
    assert not [box for box in app.selectbox if box.key == "judge_box"]
    next(box for box in app.multiselect if str(box.key).startswith("add-")).set_value(["relevance"]).run()
    healthy(press(app, "add-judges"))
    job = services().judging_jobs.get(run)
    assert job and job.wait(60)
    healthy(app.run())
    assert any("ターンを採点しました" in text.value for text in app.success)
    healthy(app.selectbox(key="judge_box").set_value("relevance").run())
    assert "的確さ" in app.title[0].value and "".join(app.query_params["judge"]) == "relevance"
    healthy(opened("results/transcripts", bot="komachi", run=run))


@pytest.mark.parametrize(("judge", "times"), [("simulated_user", 2), ("relevance", 1)])
def test_a_judging_that_breaks_says_so_and_a_check_of_the_simulated_users_where_it_was_begun(
    run: str, monkeypatch: pytest.MonkeyPatch, judge: str, times: int
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("core.runs.judging.jobs.judge_all", broken)
    app = opened("results/scores", bot="komachi", run=run)
    if judge == "relevance":
        services().judging_jobs.rejudge(run, JudgingRequest([judge], {}))
    else:
        press(app, f"health-{run}")
    job = services().judging_jobs.get(run)
    assert job and job.wait(60)
    app.run()
    assert not app.exception and ["処理に失敗しました" in error.value for error in app.error] == [True] * times


def test_judging_again_in_the_same_version_has_nothing_to_do(run: str) -> None:
    for _ in range(2):
        app = opened("results/scores", bot="komachi", run=run)
        box = next(box for box in app.multiselect if str(box.key).startswith("add-"))
        box.set_value(["relevance"]).run()
        press(app, "add-judges")
        job = services().judging_jobs.get(run)
        assert job and job.wait(60)
    app = healthy(opened("results/scores", bot="komachi", run=run))
    assert any("採点済みです" in text.value for text in app.info)


def test_versions_of_a_judge_are_reported_and_one_is_chosen(run: str) -> None:
    store = open_store()
    turn = store.conversations.turns(store.conversations.of_run(run)[0].id)[0]
    newer = Score(judge="turn", criterion="overall", value=0.2, label="1", version="another")
    store.scores.add(turn.id, [newer])
    old = next(one.version for one in store.tables.of_run(run).versions if one.version != "another")
    app = healthy(opened("results/scores", bot="komachi", run=run))
    assert any("2 個の版" in text.value for text in app.info)
    assert "20%" not in app.title[0].value and app.selectbox(key="version_box").value == old  # it saw more turns
    healthy(app.selectbox(key="version_box").set_value("another").run())
    assert "20%" in app.title[0].value
    reopened = healthy(opened("results/scores", bot="komachi", run=run, version="another"))
    assert reopened.title[0].value == app.title[0].value


def test_chosen_judges_stay_when_the_language_changes_to_and_fro(folder: Path) -> None:
    app = opened("simulate/run", bot="komachi")
    app.multiselect[0].set_value(["turn", "correctness"]).run()
    for language in ("en", "ja"):
        app.button_group(key="lang").set_value(language).run()
        assert not app.exception and app.multiselect[0].value == ["turn", "correctness"]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_an_answer_from_a_file_can_be_read_with_its_passages_and_verdict(folder: Path, language: str) -> None:
    rows = [
        FileAnswer(
            id="a",
            sample=Sample(question="期限は？", answer="翌月の10日。", contexts=("交通費は翌月の10日までです。",)),
        ),
        FileAnswer(id="b", sample=Sample(question="期限は？", answer="")),
    ]
    job = services().judging_jobs.judge_file(
        load_bot("komachi"), "a.csv", rows, JudgingRequest(["turn", "groundedness"])
    )
    assert job.wait(60) and not job.error
    for row in open_store().conversations.of_run(job.run_id):
        app = opened("results/transcripts", language, bot="komachi", run=job.run_id, conversation=row.id)
        assert not app.exception and row.scenario_id in app.title[0].value
        assert len(app.chat_message) == 2 and not app.warning
