"""Earlier runs on the simulation page: find one, rename it, delete it and bring it back, see what failed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.base.errors import BadInput
from core.runs.runner import Runner
from core.store.store import Store
from pages.components.services import services
from tests.support import page_app
from tests.support.model_server import ModelServer, choose_server
from tests.support.page_app import healthy, text_of
from tests.support.stored_runs import NASTY, a_call, a_file, a_run, a_score, everything

ROOT = Path(__file__).resolve().parents[2]


def opened(language: str = "ja", **asked: str) -> AppTest:
    return healthy(page_app.opened("simulate/run", language, **{"bot": "komachi", **asked}))


def selected(app: AppTest, row: int = 0) -> AppTest:
    """Select a row of the table."""
    key = app.dataframe[-1].key
    app.session_state[key] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return healthy(app.run())


def listed(app: AppTest) -> list[str]:
    return list(app.dataframe[-1].value["name"]) if app.dataframe else []


def keys(app: AppTest) -> set[str]:
    return {str(button.key) for button in app.button}


def links(app: AppTest) -> list[str]:
    return [link.proto.query_string for link in app.get("page_link")]


def test_the_table_shows_name_kind_and_the_score_with_its_judge(store: Store) -> None:
    a_run(store, "r1", "はじめの実行")
    a_file(store, "f1")
    table = opened().dataframe[-1].value
    assert list(table["name"]) == ["answers.csv", "はじめの実行"]
    assert list(table["kind"]) == ["ファイルの採点", "シミュレーション"]
    assert list(table["score"]) == ["50%", "80%"] and list(table["judge"]) == ["正確さ", "ターンの採点"]
    a_run(store, "r2", clarify=False)
    assert opened().dataframe[-1].value["kind"][0] == "シミュレーション（聞き返しなし）"


def test_the_filter_finds_by_text_status_and_judge(store: Store) -> None:
    a_run(store, "r1", "プロンプト改良前")
    a_run(store, "r2", "プロンプト改良後", "stopped")
    a_file(store, "f1")
    app = opened()
    find, status, judge = (f"history-{name}-komachi" for name in ("find", "status", "judge"))
    app.text_input(key=find).set_value("プロンプト 後").run()
    assert listed(healthy(app)) == ["プロンプト改良後"]
    app.text_input(key=find).set_value("F1").run()
    assert listed(healthy(app)) == ["answers.csv"]
    app.text_input(key=find).set_value("").run()
    app.selectbox(key=status).set_value("done").run()
    assert listed(healthy(app)) == ["answers.csv", "プロンプト改良前"]
    app.selectbox(key=judge).set_value("turn").run()
    assert listed(healthy(app)) == ["プロンプト改良前"]
    app.text_input(key=find).set_value("ない").run()
    assert not app.dataframe and "条件に合う実行はありません" in text_of(healthy(app))


def test_a_run_is_scored_by_the_judge_that_is_asked_for(store: Store) -> None:
    a_run(store, "r1")
    a_file(store, "f1")
    turn = store.conversations.turns("r1-1")[0].id
    store.scores.add(turn, [a_score(0.3, "keypoints", "covered"), a_score(0.9, "keypoints", "contradicted")])
    app = opened()
    assert list(app.dataframe[-1].value["score"]) == ["50%", "80%"]
    app.selectbox(key="history-judge-komachi").set_value("keypoints").run()
    assert list(healthy(app).dataframe[-1].value["score"]) == ["30%"]


def test_a_run_is_renamed_and_an_empty_name_changes_nothing(store: Store) -> None:
    a_run(store, "r1", "前の名前")
    app = selected(opened())
    app.text_input(key="name-r1").set_value(f"  {NASTY} ").run()
    stored = store.runs.get("r1")
    assert stored is not None and stored.name == NASTY and listed(healthy(app)) == [NASTY]
    app.text_input(key="name-r1").set_value("  ").run()
    assert app.text_input(key="name-r1").value == NASTY and store.runs.get("r1") == stored
    assert listed(opened()) == [NASTY]


def test_a_deleted_run_comes_back_exactly_as_it_was(store: Store) -> None:
    a_run(store, "r1", "消す実行", failed=1)
    store.scores.add(
        store.conversations.turns("r1-1")[0].id, [a_score(0.2, version="v2"), a_score(0.4, "keypoints", "covered")]
    )
    store.chats.add_feedback(store.conversations.turns("r1-1")[0].id, "up", "よい")
    a_run(store, "r2", "残る実行")
    before, transcript = everything(store), store.conversations.turns("r1-1")
    app = selected(opened(run="r1"), 1)
    app.button(key="remove-r1").click().run()
    assert listed(healthy(app)) == ["残る実行"] and "「消す実行」を削除しました" in text_of(app)
    assert store.runs.get("r1") is None and [run.id for run in store.runs.all()] == ["r2"]
    a_run(store, "r3", "あとの実行")  # new rows must not take the place of the old ones
    store.runs.delete("r3")
    app.button(key="undo-r1").click().run()
    assert listed(healthy(app)) == ["残る実行", "消す実行"] and "削除しました" not in text_of(app)
    assert everything(store) == before and store.conversations.turns("r1-1") == transcript


def test_what_was_deleted_can_be_restored_after_a_reload(store: Store) -> None:
    a_run(store, "r1", "消す実行")
    before, frame = everything(store), store.records.score_frame("r1")
    selected(opened()).button(key="remove-r1").click().run()
    app = opened(run="r1")
    assert not app.dataframe and "undo-r1" not in keys(app)
    app.button(key="restore-r1").click().run()
    assert listed(healthy(app)) == ["消す実行"] and "restore-r1" not in keys(app)
    assert everything(store) == before and store.records.score_frame("r1").equals(frame)


def test_a_run_deleted_for_good_is_gone_but_what_it_cost_is_known(store: Store) -> None:
    a_run(store, "r1")
    store.calls.add(a_call("r1"))
    selected(opened()).button(key="remove-r1").click().run()
    app = opened()
    app.button(key="delete-r1").click().run()
    assert not healthy(app).dataframe and store.runs.trashed() == []
    left = {name: len(rows) for name, rows in everything(store).items() if rows}
    assert left == {"calls": 1}


def test_a_run_under_way_cannot_be_deleted(store: Store) -> None:
    a_run(store, "r1", ending="running")
    with pytest.raises(BadInput) as error:
        store.runs.trash("r1")
    assert error.value.key == "run_delete_running" and store.runs.get("r1") is not None


def test_other_bots_keep_their_deleted_runs_to_themselves(store: Store) -> None:
    a_run(store, "r1")
    store.runs.trash("r1")
    assert [each.run.id for each in store.runs.trashed("komachi")] == ["r1"] and store.runs.trashed("hinata") == []


def test_failed_conversations_are_listed_with_the_way_to_each(store: Store) -> None:
    a_run(store, "r1", failed=2)
    for app in (opened(run="r1"), selected(opened())):
        assert "失敗した会話（2 件）" in text_of(app) and "モデルが倒れました" in text_of(app)
        assert NASTY not in text_of(app)  # shown letter by letter, not as Markdown
        assert [line[:6] for line in text_of(app).split("\n") if "期限は" in line] == ["4\\. q4", "3\\. q3"]
        assert [asked.partition("conversation=")[2] for asked in links(app) if "conversation=" in asked] == [
            "r1-4",
            "r1-3",
        ]


def test_while_a_run_goes_on_its_failures_and_calls_a_second_are_shown(store: Store) -> None:
    app = opened()
    a_run(store, "r1", failed=1, ending="running")
    app = healthy(app.run())
    assert "失敗した会話（1 件）" in text_of(app) and "回の呼び出し" not in text_of(app)
    for _ in range(10):
        store.calls.add(a_call("r1"))
    assert "回の呼び出し" in text_of(healthy(app.run()))
    store.runs.finish("r1", "done")
    assert "回の呼び出し" not in text_of(healthy(app.run()))


@pytest.fixture
def resumed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The runs that were asked to go on, and how; none really does."""
    asked: list[tuple[str, dict[str, Any]]] = []

    def resume(self: Runner, run_id: str, engine: object, **how: Any) -> SimpleNamespace:
        asked.append((run_id, how))
        return SimpleNamespace(changed=("bot",))

    monkeypatch.setattr(Runner, "resume", resume, raising=False)
    return asked


def test_what_ended_early_or_failed_can_go_on(store: Store, resumed: list[tuple[str, dict[str, Any]]]) -> None:
    a_run(store, "r1", ending="stopped", failed=2, left=1)
    a_run(store, "r2", ending="stopped", failed=1)
    a_run(store, "r3")
    a_file(store, "f1")
    app = opened()
    offered = [{key for key in keys(selected(app, row)) if key.startswith("chosen-")} for row in range(4)]
    assert offered == [set(), set(), {"chosen-retry-r2"}, {"chosen-resume-r1", "chosen-retry-r1"}]
    app.button(key="chosen-resume-r1").click().run()
    healthy(app).button(key="watch-retry-r1").click().run()
    assert resumed == [("r1", {"retry_failed": False}), ("r1", {"retry_failed": True})]


def test_a_run_that_used_up_its_limit_goes_on_with_a_higher_one(
    store: Store, resumed: list[tuple[str, dict[str, Any]]]
) -> None:
    a_run(store, "r1", ending="stopped", left=2, budget_calls=10)
    app = opened(run="r1")
    assert "上限（10 回）に達したため" in text_of(app)
    assert app.number_input(key="watch-limits-r1-calls").value == 20
    app.number_input(key="watch-limits-r1-calls").set_value(50).run()
    healthy(app).button(key="watch-resume-r1").click().run()
    assert resumed == [("r1", {"retry_failed": False, "budget_calls": 50})] and healthy(app)


def test_a_run_stopped_by_its_limit_is_finished_from_the_page(
    store: Store, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose_server(server, monkeypatch)
    app = opened()
    app.number_input(key="run-budget-calls").set_value(10).run()
    app.button(key="start").click().run()
    run = "".join(app.query_params["run"])
    assert services().runner.wait(run, 50)
    assert store.runs.progress(run).status == "stopped"
    healthy(app.run()).number_input(key=f"watch-limits-{run}-calls").set_value(5_000).run()
    app.button(key=f"watch-resume-{run}").click().run()
    assert services().runner.wait(run, 50)
    now = store.runs.progress(run)
    assert (now.status, now.done, now.failed) == ("done", 6, 0)
    healthy(app.run())
    assert f"watch-resume-{run}" not in keys(app) and "上限（" not in text_of(app)


def test_in_english_there_is_no_japanese(store: Store) -> None:
    a_run(store, "r1", "First try", "stopped", failed=2)
    a_run(store, "r2", "Second try")
    app = selected(opened("en"), 1)
    table = app.dataframe[-1].value
    assert list(table["kind"]) == ["Simulation"] * 2 and "Failed conversations (2)" in text_of(app)
    app.button(key="remove-r1").click().run()
    assert "“First try” is deleted." in text_of(healthy(app))
