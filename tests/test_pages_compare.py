"""The page that compares two runs: verdict, what changed, pairs, and one click to the next run."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.base.bots import load_bot, save_bot
from core.base.types import Sample
from core.run.answers import Answered
from core.run.plan import Plan
from core.store.store import open_store
from pages.shared.services import house
from tests.earlier_runs import NASTY, a_run, a_score
from tests.paging import healthy, is_foreign, opened, shown

PAGE = "results/compare"


def held(**plan: object) -> str:
    """A finished run of everybody about everything."""
    batches = house().batches
    run = batches.start(Plan(bot="komachi", seed=1, cross=True, **plan))  # type: ignore[arg-type]
    assert batches.wait(run, 120)
    return run


def texts(app: AppTest) -> str:
    return "\n".join(
        str(one.value) for kind in ("title", "caption", "markdown", "info", "warning") for one in getattr(app, kind)
    )


def press(app: AppTest, key: str) -> AppTest:
    next(button for button in app.button if key in (button.key, button.label)).click().run()
    return app


@pytest.mark.parametrize("language", ["ja", "en"])
def test_without_two_runs_the_page_says_how_to_get_them(folder: Path, language: str) -> None:
    app = healthy(opened(PAGE, language, bot="komachi"))
    assert len(app.info) == 1
    held()
    app = healthy(opened(PAGE, language, bot="komachi"))
    assert [button.key for button in app.button if str(button.key).startswith("again")] == ["again-cases", "again-seed"]
    assert not [text for text in shown(app) if is_foreign(text, language)]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_two_runs_are_compared_with_what_changed_and_what_got_worse(folder: Path, language: str) -> None:
    a = held()
    save_bot(load_bot("komachi"), {"prompt": f"短く {NASTY}\n二行目", "clarify.max_questions": 0})
    b = held()
    store = open_store()
    first = store.conversations(b)[0]
    for turn in store.transcript(first.id):
        old = turn.scores[0]
        store.add_scores(turn.id, [a_score(0.2, version=old.version)])
    app = healthy(opened(PAGE, language, bot="komachi", a=a, b=b))
    found = texts(app)
    assert ("ポイント" if language == "ja" else "points") in app.title[0].value
    assert "2 → 0" in found and "\\*\\*太字" in found and "**太字**" not in found
    assert (
        app.tabs[0].label.startswith("悪くなった（" if language == "ja" else "Got worse (")
        and "(0)" not in app.tabs[0].label
    )
    assert not [text for text in shown(app) if is_foreign(text, language)]
    assert len(app.chat_message) >= 4, "the worst pair is open"


def test_one_click_measures_the_noise_and_it_is_shown_beside_a_difference(folder: Path) -> None:
    a = held()
    held()
    app = healthy(opened(PAGE, "ja", bot="komachi", a=a))
    press(app, "again-seed")
    fresh = "".join(app.query_params["b"])
    assert house().batches.wait(fresh, 120)
    runs = {run.id: run for run in open_store().runs()}
    assert runs[fresh].seed == 2 and runs[fresh].plan["cases_seed"] == 1 and runs[fresh].plan["cache"] is False
    app = healthy(opened(PAGE, "ja", bot="komachi", a=a, b=fresh))
    assert any("ゆらぎの目安" in one.value for one in app.info)


def test_the_same_cases_are_held_with_the_bot_as_it_is_now(folder: Path) -> None:
    a = held()
    save_bot(load_bot("komachi"), {"clarify.max_questions": 0})
    app = opened(PAGE, "ja", bot="komachi")
    assert next(button for button in app.button if button.key == "again-seed").disabled
    assert any("A のあとで変わったもの" in one.value and "ボットの設定" in one.value for one in app.caption)
    press(app, "again-cases")
    b = "".join(app.query_params["b"])
    assert house().batches.wait(b, 120) and "".join(app.query_params["a"]) == a
    app = healthy(opened(PAGE, "ja", bot="komachi", a=a, b=b))
    cells = [metric.value for metric in app.metric]
    assert cells[-1].startswith("6")


def test_failed_conversations_and_other_versions_of_a_judge_are_told(folder: Path) -> None:
    store = open_store()
    a_run(store, "old")
    a_run(store, "new", failed=1)
    app = healthy(opened(PAGE, "ja", bot="komachi", a="old", b="new"))
    assert any("A 0 件、B 1 件" in one.value and "採点済みの 1 往復" in one.value for one in app.warning)
    assert "モデルが倒れました" in texts(app) and "**太字**" not in texts(app)
    last, _ = store.newest_ids()
    a_run(store, "newer", failed=1)
    with store.db.write() as connection:  # a judge of another version, before anybody has looked
        connection.exec_driver_sql(f"UPDATE scores SET version = 'v2' WHERE id > {last}")
    app = healthy(opened(PAGE, "ja", bot="komachi", a="old", b="newer"))
    assert "同じ版で採点した採点者がいません" in app.title[0].value
    press(app, "両方を同じ版で採点し直す")
    for run in ("old", "newer"):
        job = house().judgings.get(run)
        assert job and job.over.wait(60)
    app = healthy(opened(PAGE, "ja", bot="komachi", a="old", b="newer"))
    assert not [one for one in app.warning if "採点の版" in one.value] and "総合" in app.title[0].value


def test_judged_files_are_compared_by_question(folder: Path) -> None:
    jobs = []
    for name, answer in (("old.csv", "翌月の10日です。"), ("new.csv", "知りません。")):
        rows = [
            Answered(
                id=str(n),
                system=name,
                sample=Sample(question=f"期限は？{n}", answer=answer, reference=("翌月の10日です。",)),
            )
            for n in range(7)
        ]
        jobs.append(house().judgings.file(load_bot("komachi"), name, rows, ["correctness"]))
    assert all(job.over.wait(60) for job in jobs)
    app = healthy(opened(PAGE, "ja", bot="komachi", a=jobs[0].run_id, b=jobs[1].run_id))
    assert "B は悪くなった" in app.title[0].value and "−100.0" in app.title[0].value
    assert any("もう一度実行することはできません" in one.value for one in app.caption)


def test_a_run_of_another_bot_can_be_b(folder: Path) -> None:
    import shutil

    shutil.copytree(folder / "knowledge" / "komachi", folder / "knowledge" / "tamaki")
    a = held()
    batches = house().batches
    b = batches.start(Plan(bot="tamaki", seed=1, cross=True))
    assert batches.wait(b, 120)
    app = healthy(opened(PAGE, "ja", bot="komachi", a=a, b=b))
    assert app.selectbox(key="b_box").value == b and [metric.value for metric in app.metric][-1] == "6 / 6"
