"""Runs in lists: told apart by when they began, never by a number that reads like a count; failures are told."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from core.store.schema import RUNS
from core.store.store import Store
from tests.support.page_app import healthy, opened
from tests.support.stored_runs import a_file, a_run

PAGES = ("results/scores", "results/compare", "results/transcripts")


def begun(store: Store, run: str, second: int) -> None:
    """Let a run have begun at that second of a minute."""
    moment = datetime(2026, 11, 21, 3, 4) + timedelta(seconds=second)
    with store.db.write() as connection:
        connection.execute(update(RUNS).where(RUNS.c.id == run).values(created_at=moment))


def labels(app: AppTest) -> list[str]:
    """What the page's lists of runs offer."""
    return [str(option) for box in app.selectbox if box.key in ("run_box", "a_box", "b_box") for option in box.options]


def page(name: str = "results/scores", language: str = "en") -> AppTest:
    return healthy(opened(name, language, bot="komachi"))


@pytest.mark.parametrize("name", PAGES)
def test_runs_of_one_minute_differ_by_the_second(store: Store, name: str) -> None:
    for second, run in enumerate(("r1", "r2"), 5):
        a_run(store, run)
        begun(store, run, second)
    shown_text = set(labels(page(name)))
    assert len(shown_text) == 2 and all(
        f":04:0{second}   4 conversations   Done" in " ".join(shown_text) for second in (5, 6)
    )


def test_runs_of_one_second_differ_by_their_id(store: Store) -> None:
    for run in ("r1", "r2", "r3"):
        a_run(store, run)
        begun(store, run, 9 if run == "r3" else 5)
    shown_text = labels(page())
    assert ":05 (r1)   4" in shown_text[1] and ":05 (r2)   4" in shown_text[2] and ":09   4" in shown_text[0]
    assert not [label for label in shown_text if label.endswith("(2)")]


def test_a_minute_is_enough_for_runs_that_differ(store: Store) -> None:
    for run, name in (("r1", "Morning"), ("r2", "Evening")):
        a_run(store, run, name)
        begun(store, run, 5)
    shown_text = " ".join(labels(page()))
    assert all(f":04   {name}   4 conversations   Done" in shown_text for name in ("Morning", "Evening"))


@pytest.mark.parametrize(("failed", "en", "ja"), [(0, "Done", "完了"), (1, "Done, 1 failed", "完了（うち失敗 1 件）"), (4, "Done, all 4 failed", "完了（4 件すべて失敗）")])  # fmt: skip
def test_conversations_that_failed_are_reported(store: Store, failed: int, en: str, ja: str) -> None:
    a_run(store, "r1", failed=failed)
    assert labels(page())[0].endswith(f"   {en}")
    assert labels(page(language="ja"))[0].endswith(f"　{ja}")


def test_failures_are_counted_of_each_run(store: Store) -> None:
    a_run(store, "r1", failed=2)
    a_run(store, "r2")
    a_run(store, "r3", failed=4)
    assert store.conversations.count_failed(["r1", "r2"]) == {"r1": 2} and store.conversations.count_failed([]) == {}


@pytest.mark.parametrize(("make", "asked"), [(a_run, True), (a_file, False)])
def test_only_runs_with_simulated_users_are_asked_whether_these_can_be_trusted(store: Store, make: object, asked: bool) -> None:  # fmt: skip
    make(store, "r1")  # type: ignore[operator]
    app = page()
    assert any("Can the simulated users be trusted?" in str(one.value) for one in app.markdown) is asked
    assert any(str(one.key).startswith("health-") for one in app.button) is asked
