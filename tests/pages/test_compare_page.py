"""The page that compares two runs: verdict, what changed, pairs, and one click to the next run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.base.bot_edits import save_bot
from core.base.bot_folder import load_bot
from core.base.types import Sample
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.jobs import JudgingRequest
from core.runs.plan import Plan
from core.store.store import open_store
from pages.components.services import services
from pages.i18n.translate import words
from tests.support.page_app import healthy, is_foreign, opened, press, shown, text_of, title_of
from tests.support.stored_runs import NASTY, a_file, a_run, a_score

PAGE = "results/compare"


def finished_run(**plan: object) -> str:
    """A finished run of everybody about everything."""
    runner = services().runner
    run = runner.start(Plan(bot="komachi", seed=1, cross=True, **plan))  # type: ignore[arg-type]
    assert runner.wait(run, 120)
    return run


@pytest.mark.parametrize("language", ["ja", "en"])
def test_without_two_runs_the_page_says_how_to_get_them(folder: Path, language: str) -> None:
    app = healthy(opened(PAGE, language, bot="komachi"))
    assert len(app.info) == 1
    finished_run()
    app = healthy(opened(PAGE, language, bot="komachi"))
    assert [button.key for button in app.button if str(button.key).startswith("rerun-")] == [
        "rerun-cases",
        "rerun-seed",
    ]
    assert not [text for text in shown(app) if is_foreign(text, language)]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_two_runs_are_compared_with_what_changed_and_what_got_worse(folder: Path, language: str) -> None:
    a = finished_run()
    save_bot(load_bot("komachi"), {"prompt": f"短く {NASTY}\n二行目", "clarify.max_questions": 0})
    b = finished_run()
    store = open_store()
    first = store.conversations.of_run(b)[0]
    for turn in store.conversations.turns(first.id):
        old = turn.scores[0]
        store.scores.add(turn.id, [a_score(0.2, version=old.version)])
    app = healthy(opened(PAGE, language, bot="komachi", a=a, b=b))
    found = text_of(app)
    assert ("ポイント" if language == "ja" else "points") in title_of(app)
    assert "2 → 0" in found and "\\*\\*太字" in found and "**太字**" not in found
    assert app.tabs[0].label.startswith("悪化（" if language == "ja" else "Worse (") and "(0)" not in app.tabs[0].label
    assert not [text for text in shown(app) if is_foreign(text, language)]
    assert len(app.chat_message) >= 4, "the worst pair is open"
    agreement = {"ja": "人の評価との一致：中程度", "en": "agreement with people: moderate"}[language]
    assert found.replace("\\", "").count(agreement) == 1, "the same of both runs is said once"


def test_one_click_measures_the_noise_and_it_is_shown_beside_a_difference(folder: Path) -> None:
    a = finished_run()
    finished_run()
    app = healthy(opened(PAGE, "ja", bot="komachi", a=a))
    press(app, "rerun-seed")
    fresh = "".join(app.query_params["b"])
    assert services().runner.wait(fresh, 120)
    runs = {run.id: run for run in open_store().runs.all()}
    assert runs[fresh].seed == 2 and runs[fresh].plan["cases_seed"] == 1 and runs[fresh].plan["cache"] is False
    app = healthy(opened(PAGE, "ja", bot="komachi", a=a, b=fresh))
    assert any("ノイズの目安" in one.value for one in app.info)


def test_the_same_cases_are_run_with_the_bot_as_it_is_now(folder: Path) -> None:
    a = finished_run()
    save_bot(load_bot("komachi"), {"clarify.max_questions": 0})
    app = opened(PAGE, "ja", bot="komachi")
    assert next(button for button in app.button if button.key == "rerun-seed").disabled
    assert any("A の後に変わったもの" in one.value and "ボットの設定" in one.value for one in app.caption)
    press(app, "rerun-cases")
    b = "".join(app.query_params["b"])
    assert services().runner.wait(b, 120) and "".join(app.query_params["a"]) == a
    app = healthy(opened(PAGE, "ja", bot="komachi", a=a, b=b))
    cells = [metric.value for metric in app.metric]
    assert cells[-1].startswith("6")


def test_failed_conversations_and_other_versions_of_a_judge_are_reported(folder: Path) -> None:
    store = open_store()
    a_run(store, "old")
    a_run(store, "new", failed=1)
    app = healthy(opened(PAGE, "ja", bot="komachi", a="old", b="new"))
    assert any("A 0 件、B 1 件" in one.value and "採点済み 1 ターン" in one.value for one in app.warning)
    assert "モデルが倒れました" in text_of(app) and "**太字**" not in text_of(app)
    last, _ = store.scores.newest()
    a_run(store, "newer", failed=1)
    with store.db.write() as connection:  # a judge of another version, before anybody has looked
        connection.exec_driver_sql(f"UPDATE scores SET version = 'v2' WHERE id > {last}")
    app = healthy(opened(PAGE, "ja", bot="komachi", a="old", b="newer"))
    assert "同じ版で採点した採点者がいません" in title_of(app)
    press(app, "同じ版の採点者で A と B を採点")
    for run in ("old", "newer"):
        job = services().judging_jobs.get(run)
        assert job and job.wait(60)
    app = healthy(opened(PAGE, "ja", bot="komachi", a="old", b="newer"))
    assert not [one for one in app.warning if "採点者の版" in one.value] and "総合" in title_of(app)


def test_judged_files_are_compared_by_question(folder: Path) -> None:
    jobs = []
    for name, answer in (("old.csv", "翌月の10日です。"), ("new.csv", "知りません。")):
        rows = [
            FileAnswer(
                id=str(n),
                system=name,
                sample=Sample(question=f"期限は？{n}", answer=answer, reference=("翌月の10日です。",)),
            )
            for n in range(7)
        ]
        jobs.append(
            services().judging_jobs.judge_file(load_bot("komachi"), name, rows, JudgingRequest(["correctness"]))
        )
    assert all(job.wait(60) for job in jobs)
    app = healthy(opened(PAGE, "ja", bot="komachi", a=jobs[0].run_id, b=jobs[1].run_id))
    assert "B のほうが悪い" in title_of(app) and "−100.0" in title_of(app)
    assert any("再実行できません" in one.value for one in app.caption)


def test_a_judged_file_is_not_compared_with_a_simulation_unasked(folder: Path) -> None:
    store = open_store()
    a_run(store, "old")
    a_run(store, "new")
    a_file(store, "file")
    app = healthy(opened(PAGE, "ja", bot="komachi"))
    assert {app.selectbox(key=f"{side}_box").value for side in "ab"} == {"old", "new"}
    assert len(app.selectbox(key="b_box").options) == 3


def test_a_run_of_another_bot_can_be_b(folder: Path) -> None:
    import shutil

    shutil.copytree(folder / "knowledge" / "komachi", folder / "knowledge" / "tamaki")
    a = finished_run()
    runner = services().runner
    b = runner.start(Plan(bot="tamaki", seed=1, cross=True))
    assert runner.wait(b, 120)
    app = healthy(opened(PAGE, "ja", bot="komachi", a=a, b=b))
    assert app.selectbox(key="b_box").value == b and [metric.value for metric in app.metric][-1] == "6 / 6"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_version_that_only_fails_is_reported_at_the_top(folder: Path, language: str) -> None:
    store = open_store()
    a_run(store, "old")
    a_run(store, "new", failed=4)
    app = healthy(opened(PAGE, language, bot="komachi", a="old", b="new"))
    title = {
        "ja": "B のほうが多く失敗しています：共通の会話 4 件のうち A 0 件、B 4 件",
        "en": "B failed more often: 4 of 4 common",
    }
    assert title_of(app).startswith(title[language])
    assert not any("gavel" in str(one.icon) for one in app.warning), "there is nothing to score"
    assert [button.key for button in app.button if str(button.key).startswith("rerun-")] == [
        "rerun-cases",
        "rerun-seed",
    ]
    assert len(app.button) == 2 and not app.metric
    nothing, failed = (words()[key][language] for key in ("compare.changed_nothing", "compare.changed_failed"))
    assert nothing not in text_of(app) and failed.format(a=0, b=4) in text_of(app)
    assert not [text for text in shown(app) if is_foreign(text, language)]


def test_two_runs_that_only_fail_and_runs_of_other_cases_have_a_title_of_their_own(folder: Path) -> None:
    store = open_store()
    a_run(store, "old", failed=4)
    a_run(store, "new", failed=4)
    app = healthy(opened(PAGE, "ja", bot="komachi", a="old", b="new"))
    assert title_of(app) == "共通の会話 4 件に、両方で完了したものがありません"
    assert words()["compare.changed_nothing"]["ja"] in text_of(app)
    for run in ("left", "right"):
        a_run(store, run)
    with store.db.write() as connection:
        connection.exec_driver_sql("UPDATE conversations SET scenario_id = 'x' || number WHERE run_id = 'right'")
    app = healthy(opened(PAGE, "ja", bot="komachi", a="left", b="right"))
    assert title_of(app) == "組にできる会話がありません" and not app.metric


def test_where_no_pair_differs_nobody_knows_what_could_have_been_seen(folder: Path) -> None:
    a, b = finished_run(), finished_run()
    store = open_store()
    with store.db.write() as connection:  # six conversations of a scenario each
        connection.exec_driver_sql("UPDATE conversations SET scenario_id = 's' || number")
    save_bot(load_bot("komachi"), {"prompt": "短く"})
    app = healthy(opened(PAGE, "ja", bot="komachi", a=a, b=b))
    assert any("検出できる差は不明です" in text for text in shown(app))
    assert not any("検出できる差は約" in text for text in shown(app))


def notes(app: AppTest) -> str:
    return " ".join(str(one.value) for one in app.info)


def of_another_bot(folder: Path) -> str:
    """A run of a second bot with the same documents and scenarios."""
    shutil.copytree(folder / "knowledge" / "komachi", folder / "knowledge" / "tamaki")
    runner = services().runner
    run = runner.start(Plan(bot="tamaki", seed=1, cross=True))
    assert runner.wait(run, 120)
    return run


def test_a_link_that_cannot_be_used_says_so(folder: Path) -> None:
    first, second, other = finished_run(), finished_run(), of_another_bot(folder)
    app = healthy(opened(PAGE, "ja", bot="komachi", a=first, b=first))
    assert "A と B に同じ実行は選べません。  \n代わりに" in notes(app)
    app = healthy(opened(PAGE, "ja", bot="komachi", a=first, b=second))
    assert not notes(app).startswith("リンクの"), "as asked"
    app = healthy(opened(PAGE, "ja", bot="komachi", a=other, b=first))
    assert "リンクの A は、別のボット" in notes(app) and "代わりに" in notes(app)
    app = healthy(opened(PAGE, "ja", bot="tamaki", a=first, b=other))
    assert "リンクの A は、別のボット" in notes(app) and "代わりに" not in notes(app), (
        "there is nothing else to compare"
    )
    app = healthy(opened(PAGE, "ja", bot="komachi", a=first, b=second))
    app = healthy(app.selectbox(key="b_box").set_value(first).run())
    assert "A と B に同じ実行は選べません。" in notes(app) and app.selectbox(key="a_box").value == second
    app = healthy(opened(PAGE, "ja", a=other, b=first))
    assert app.selectbox(key="a_box").value == other and app.selectbox(key="b_box").value == first
    assert "".join(app.query_params["bot"]) == "tamaki" and not notes(app).startswith("リンクの")


def test_b_of_another_bot_stays_until_other_bots_are_switched_off(folder: Path) -> None:
    first, second, other = finished_run(), finished_run(), of_another_bot(folder)
    app = healthy(opened(PAGE, "ja", bot="komachi", a=first, b=other))
    app = healthy(app.run())
    assert app.toggle(key="compare_others").value and app.selectbox(key="b_box").value == other
    app = healthy(app.toggle(key="compare_others").set_value(False).run())
    assert app.selectbox(key="b_box").value == second and not notes(app).startswith("リンクの")
