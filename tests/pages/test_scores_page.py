"""The results page: its answer, its sections, and runs of every state."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.base.types import Score
from core.store.store import Store
from pages.results import scores_conversations
from pages.results.scores_sections import SECTIONS
from tests.support.page_app import healthy, is_foreign, opened, shown, title_of
from tests.support.small_bot import a_turn
from tests.support.stored_runs import NASTY, a_file, a_run, a_score

PAGE = "results/scores"


def page(run: str = "r1", language: str = "ja", **query: str) -> AppTest:
    app = healthy(opened(PAGE, language, bot="komachi", run=run, **query))
    foreign = [text for text in shown(app) if is_foreign(text, language)]
    assert not foreign, foreign
    return app


def title(app: AppTest) -> str:
    return title_of(app)


def rescore(store: Store, run: str, *scores: Score) -> None:
    """Further scores for the first turn of each conversation, as many as are given."""
    for number, score in enumerate(scores, 1):
        store.scores.add(store.conversations.turns(f"{run}-{number}")[0].id, [score])


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens_in_both_languages(store: Store, section: str, language: str) -> None:
    a_run(store, "r1", failed=1, judges=("turn",))
    a_run(store, "r0")
    page(language=language, section=section)


def test_the_whole_page_can_be_read_while_the_model_server_is_not_set_up(
    store: Store, fresh_settings: pytest.MonkeyPatch
) -> None:
    a_run(store, "r1", judges=("turn",))
    fresh_settings.setenv("KIKU_ENGINE", "openai")
    app = page()
    assert any("ほかの採点者で採点" in str(box.label) for box in app.expander)
    assert any(str(choice.key).startswith("export-form") for choice in app.radio)  # the end of the page


@pytest.mark.parametrize("section", SECTIONS)
def test_runs_of_every_state_can_be_opened(store: Store, section: str) -> None:
    a_run(store, "going", ending="running", left=2)
    a_run(store, "empty", ending="stopped", left=4)
    a_file(store, "file")
    for run in ("going", "empty", "file"):
        page(run, section=section)
    assert title(page("empty")) == "4 件中 0 件で停止（採点なし）"


def test_the_line_is_reached_only_when_the_interval_reaches_it(store: Store) -> None:
    a_run(store, "r1", total=12)
    rescore(store, "r1", *(a_score(value) for value in (0.6, 0.7, 0.8) * 4))
    assert title(page()) == "合格ライン 90% に達していません（平均 70%）"
    rescore(store, "r1", *(a_score(value) for value in (0.92, 0.96, 1.0) * 4))
    assert title(page()) == "合格ライン 90% に達しています（平均 96%）"
    rescore(store, "r1", a_score(0.5))
    assert "判断できません（平均 92%）" in title(page())  # the mean is above the line, the interval is not
    assert [metric.value for metric in page().metric] == ["92%", "12 / 12", "0 / 12", "0 / 12"]


@pytest.mark.parametrize("total", [2, 5, 12])
def test_a_few_perfect_conversations_are_no_proof(store: Store, total: int) -> None:
    a_run(store, "r1", total=total)
    rescore(store, "r1", *[a_score(1.0)] * total)
    app = page()
    assert "判断できません（平均 100%）" in title(app)
    sure = app.metric[0].delta
    assert sure == ("シナリオが足りません" if total < 6 else "95% 信頼区間 76–100%")


def test_finished_turns_of_a_conversation_that_failed_are_reported_beside_the_mean(store: Store) -> None:
    a_run(store, "r1", failed=1)
    assert page().metric[2].delta == "平均に含まない"
    store.scores.add(store.conversations.add_turn("r1-4", 1, a_turn()), [a_score(0.4)])
    app = page()
    assert (app.metric[0].value, app.metric[2].value) == ("70%", "1 / 4")
    assert app.metric[2].delta == "1 ターンは平均に含む"
    assert any("停止した会話 1 件のうち、完了していた 1 ターンは" in text.value for text in app.caption)


def test_one_scored_conversation_is_too_few_for_a_verdict(store: Store) -> None:
    a_run(store, "r1", left=3)
    rescore(store, "r1", a_score(1.0))
    app = page()
    assert "判断できません" in title(app) and "シナリオが足りません" in str(app.metric[0].delta)


def test_what_is_unscored_is_counted_and_says_why_letter_by_letter(store: Store) -> None:
    a_run(store, "r1", failed=1)
    nothing = Score(judge="own", criterion="own", value=None, error=f"読めません {NASTY}", version="v1")
    rescore(store, "r1", nothing, nothing)
    app = page(judge="own", section="conversations")
    assert [metric.value for metric in app.metric] == ["–", "0 / 4", "1 / 4", "3 / 3"]
    shown_text = " ".join(str(text.value) for text in app.markdown)
    assert (
        "読めません \\*\\*太字\\*\\*" in shown_text
        and "採点する前に実行が止まりました" in shown_text
        and "モデルが倒れました" in shown_text
    )
    assert any("(4)" in str(one.label) for one in app.expander)


def test_invalid_conversations_can_be_left_out_and_both_scores_are_shown(store: Store) -> None:
    a_run(store, "r1")
    invalid = a_score(0.0, "simulated_user", "simulated_user").model_copy(update={"label": "invalid:spoke_as_desk"})
    rescore(store, "r1", invalid, *(a_score(1.0, "simulated_user", "simulated_user") for _ in range(3)))
    rescore(store, "r1", a_score(0.4))
    app = page(judge="turn")
    assert any(
        "1 件あります（模擬ユーザーの発言に問題）。含めた平均は 70%、除いた平均は 80%" in str(text.value)
        for text in app.caption
    )
    assert [metric.value for metric in app.metric][:2] == ["70%", "4 / 4"]
    app.toggle(key="only-valid-r1").set_value(True).run()
    assert [metric.value for metric in healthy(app).metric][:2] == ["80%", "3 / 3"]


def test_the_page_can_be_kept_to_one_persona(store: Store) -> None:
    a_run(store, "r1")
    with store.db.write() as connection:
        connection.exec_driver_sql("UPDATE conversations SET persona_name = '急ぐ人' WHERE number = 1")
    rescore(store, "r1", a_score(0.2))
    assert page().metric[0].value == "65%"
    app = page(persona="急ぐ人")
    assert [metric.value for metric in app.metric][:2] == ["20%", "1 / 1"]
    table = page(persona="急ぐ人", section="conversations").dataframe[0].value
    assert table["number"].tolist() == [1]


def test_the_table_has_the_worst_first_and_grows_on_demand(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores_conversations, "TABLE_STEP", 2)
    a_run(store, "r1")
    rescore(store, "r1", a_score(1.0), a_score(0.4), a_score(0.6))
    app = page(section="conversations")
    assert app.dataframe[0].value["number"].tolist() == [2, 3]
    more_button = next(button for button in app.button if button.label == "もっと表示する")
    more_button.click().run()
    assert healthy(app).dataframe[0].value["number"].tolist() == [2, 3, 4, 1]
    assert not [button for button in app.button if button.label == "もっと表示する"]
    app.text_input(key="find-r1").set_value("期限 3").run()
    assert app.dataframe[0].value["number"].tolist() == [3]
    app.text_input(key="find-r1").set_value("どこにもない").run()
    assert not app.dataframe and any("条件に合う会話はありません" in str(text.value) for text in app.caption)


def test_the_address_opens_a_section_and_an_unknown_one_opens_the_first(store: Store) -> None:
    a_run(store, "r1")
    assert "".join(page(section="runs").query_params["section"]) == "runs"
    assert "".join(page(section="nowhere").query_params["section"]) == "overview"
