"""Asking back, hidden facts and the health of simulated users on the pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from core.base.bot_folder import load_bot
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.judging.jobs import JudgingRequest
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.schema import RUNS
from core.store.store import open_store
from pages.components.services import services
from tests.support.failing_turns import EXPENSES, asking, run_with_failures, scores
from tests.support.page_app import healthy, opened, press, shown
from tests.support.stored_runs import a_score

PAGE, TRANSCRIPT = "results/clarification", "results/transcripts"


@pytest.fixture
def run(folder: Path) -> str:
    """A finished run of all with all."""
    runner = Runner(open_store(), Indexes(), EmbeddedEngine())
    run_id = runner.start(Plan(bot="komachi", seed=1, cross=True))
    assert runner.wait(run_id, 120)
    runner.close()
    return run_id


def words(app: AppTest) -> str:
    """Everything that the page says, and what can be chosen on it."""
    options = [str(option) for box in app.selectbox for option in box.options]
    return "\n".join([*shown(app), *(text.value for text in app.markdown), *options])


@pytest.mark.parametrize("language", ["ja", "en"])
def test_without_a_run_the_page_says_where_to_begin(folder: Path, language: str) -> None:
    app = healthy(opened(PAGE, language, bot="komachi"))
    assert len(app.info) == 1 and not app.metric


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_opens_on_its_finding_and_says_of_how_many(run: str, language: str) -> None:
    app = healthy(opened(PAGE, language, bot="komachi", run=run))
    assert "100%" in app.title[0].value
    assert [metric.value for metric in app.metric] == ["100%", "0%", "100%", "0.33"]
    assert {"ja": "2 / 2 件（シナリオ 1 件）", "en": "2 of 2 (1 scenario)"}[language] in words(app)
    engines = {"ja": "返答：内蔵エンジン", "en": "Replies: embedded engine"}
    assert engines[language] in words(app).replace("\\", "")


def test_a_damaged_plan_is_called_that_and_leaves_other_runs_alone(folder: Path) -> None:
    for run in ("healthy", "damaged"):
        run_with_failures(open_store(), [(EXPENSES, [(asking(), scores())])], run)
    with open_store().db.write() as connection:
        connection.execute(update(RUNS).where(RUNS.c.id == "damaged").values(plan={"bot": "komachi", "seed": "x"}))
    healthy(opened(PAGE, bot="komachi", run="healthy"))
    app = opened(PAGE, bot="komachi", run="damaged")
    assert not app.exception and "データベースが壊れています" in app.error[0].value


def test_one_click_runs_the_ablation_and_shows_the_difference(run: str) -> None:
    app = press(healthy(opened(PAGE, "ja", bot="komachi", run=run)), "ablation-start")
    other = next(one for one in open_store().runs.all("komachi") if one.id != run)
    assert Plan.model_validate(other.plan) == Plan.model_validate(open_store().runs.get(run).plan).model_copy(update={"clarify": False})  # fmt: skip
    assert services().runner.wait(other.id, 120)
    app = healthy(opened(PAGE, "ja", bot="komachi", run=run))
    (table,) = [frame.value for frame in app.dataframe if "difference" in frame.value]
    assert list(table["pairs"]) == [6, 2, 4] and table["difference"].iloc[0].startswith("+")
    assert words(app).count("人の評価との一致：中程度") == 1
    app = healthy(opened(PAGE, "ja", bot="komachi", run=other.id))
    assert "聞き返しなしの実行です" in app.title[0].value and not app.metric
    off = words(app)
    assert "聞き返しが必要な会話は 2 件、不要な会話は 4 件でした" in off
    assert "聞き返しありとの比較" in off and "聞き返しなしとの比較" not in off
    assert "聞き返しを使った場合にどうなったか" in off


def test_thresholds_are_written_into_the_bot_and_taken_back(run: str) -> None:
    app = healthy(opened(PAGE, "ja", bot="komachi", run=run))
    app.number_input(key=f"sweep-clarity-{run}").set_value(3).run()
    press(app, "sweep-try")
    assert load_bot("komachi").clarify.clarity_threshold == 3
    app = healthy(opened(PAGE, "ja", bot="komachi", run=run))  # the way back does not live in the session
    assert "ボットの現在のしきい値は 3 と 2 です" in words(app)
    press(app, "sweep-back")
    assert load_bot("komachi").clarify.clarity_threshold == 1
    assert all(button.key != "sweep-back" for button in app.button)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_transcript_shows_which_question_revealed_a_fact(run: str, language: str) -> None:
    vague = next(row for row in open_store().conversations.of_run(run) if row.scenario_id == "q2")
    app = healthy(opened(TRANSCRIPT, language, bot="komachi", run=run, conversation=vague.id))
    table = next(text.value for text in app.markdown if "子は1人で4歳" in text.value and text.value.startswith("| "))
    assert table.count("\n") == 2


@pytest.mark.parametrize("language", ["ja", "en"])
def test_invalid_turns_are_flagged_and_scores_shown_with_and_without_them(run: str, language: str) -> None:
    app = healthy(opened("results/scores", language, bot="komachi", run=run))
    assert any(button.key == f"health-{run}" for button in app.button)
    job = services().judging_jobs.rejudge(run, JudgingRequest(["simulated_user"]))
    assert job.wait(60) and job.done == job.total > 0
    row = open_store().conversations.of_run(run)[0]
    bad = a_score(0, "simulated_user", "simulated_user", job.versions["simulated_user"])
    bad = bad.model_copy(update={"label": "invalid:revealed", "reasons": "【重大】**AI** です"})
    open_store().scores.add(open_store().conversations.turns(row.id)[0].id, [bad])
    shown_text = words(healthy(opened("results/scores", language, bot="komachi", run=run)))
    assert {"ja": "**1 件**", "en": "**1 invalid**"}[language] in shown_text
    assert {"ja": "（5 件）**", "en": "(n = 5)**"}[language] in shown_text
    shown_text = words(healthy(opened(TRANSCRIPT, language, bot="komachi", run=run, conversation=row.id)))
    flag = {
        "ja": "模擬ユーザーの重い問題：役や設定を明かした",
        "en": "Major fault of the simulated user: reveals that it is simulated",
    }
    assert flag[language] in shown_text and "invalid:" not in shown_text and "\\*\\*AI\\*\\*" in shown_text


def test_judging_again_several_times_shows_the_self_agreement(run: str) -> None:
    app = opened("results/scores", "ja", bot="komachi", run=run)
    app.multiselect(key=f"add-{run}-ja").set_value(["turn"])
    app.number_input(key=f"repeats-{run}").set_value(2)
    app.run()
    assert "何度繰り返しても同じ結果" in words(app)
    press(app, "add-judges")
    job = services().judging_jobs.get(run)
    assert job and job.wait(60)
    assert "100% が毎回同じ判定" in words(healthy(opened("results/scores", "ja", bot="komachi", run=run)))
