"""Runs that are not whole: no verdict on the page, in the report and the workbook, and a mark of their own over runs."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from core.analysis.confidence_intervals import Interval
from core.analysis.run_means import Incomplete, MeanScore, incomplete_of
from core.base.translate import translator
from core.charts.runs import RunScore, score_over_runs
from core.charts.titles import incomplete_title
from core.store.store import Store, open_store
from tests.pages.test_scores_page import page, title
from tests.support.export_runs import book_of, written
from tests.support.stored_runs import a_run

TITLES = {
    "running": (
        "ここまでの平均 80%（4 件中 3 件が完了、実行中）",
        "Mean so far 80% (3 of 4 done, running)",
    ),
    "stopped": ("4 件中 3 件で停止（ここまでの平均 80%）", "Stopped after 3 of 4 (mean so far 80%)"),
    "interrupted": ("4 件中 3 件で中断（ここまでの平均 80%）", "Interrupted after 3 of 4 (mean so far 80%)"),
}
VERDICTS = re.compile(r"達していま|達したか、|reached \(|not reached|Cannot tell")


def test_conversations_that_are_over_are_counted_well_or_not() -> None:
    states = ["done", "failed", "stopped", "waiting", "running"]
    assert incomplete_of("stopped", states) == Incomplete("stopped", 2, 5)
    assert incomplete_of("done", states) is None
    assert (
        incomplete_title(Incomplete("stopped", 0, 5), None, translator("en")) == "Stopped after 0 of 5, nothing scored"
    )


@pytest.mark.parametrize("ending", TITLES)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_says_how_far_a_run_came_and_claims_no_verdict(folder: object, ending: str, language: str) -> None:
    a_run(open_store(), "r1", ending=ending, left=1)
    app = page("r1", language)
    assert title(app) == TITLES[ending][language == "en"]
    assert translator(language)("incomplete.note") in [str(one.value) for one in app.info]  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", TITLES)
def test_the_report_and_the_workbook_say_so_too(store: Store, ending: str) -> None:
    a_run(store, "r1", ending=ending, left=1)
    text = html.unescape(written(store, "html").decode().split("</header>")[0])
    assert f"<h1>{TITLES[ending][0]}</h1>" in text and translator("ja")("incomplete.note") in text
    assert not VERDICTS.search(text.split("<main>")[1].replace(translator("ja")("incomplete.note"), ""))
    rows = list(book_of(store, language="en")["Summary"].iter_rows(values_only=True))
    assert rows[1][0] == TITLES[ending][1] and rows[3][1:3] == (3, 4)
    assert rows[4][0].startswith("Score so far (") and rows[4][1] == pytest.approx(0.8)


def test_a_complete_run_has_its_verdict_and_no_word_of_incompleteness(store: Store) -> None:
    a_run(store, "r1", failed=1)
    text = html.unescape(written(store, "html").decode().split("</header>")[0])
    assert VERDICTS.search(text.split("<main>")[1]) and translator("ja")("incomplete.note") not in text
    assert book_of(store)["まとめ"]["A2"].value.startswith("スコア (")


def test_over_runs_claims_no_change_from_or_to_an_incomplete_run(folder: object) -> None:
    a_run(open_store(), "r1", ending="stopped", left=1)
    a_run(open_store(), "r2")
    shown_text = {run: [str(one.value) for one in page(run, "en", section="runs").markdown] for run in ("r1", "r2")}
    assert any("This run is incomplete" in text for text in shown_text["r1"])
    assert any("80%; the previous run is incomplete" in text for text in shown_text["r2"])


def run_score(name: str, mean: float, complete: bool = True) -> RunScore:
    return RunScore(
        name, "2026-11-21 21:00", name, MeanScore(name, mean, 9, Interval(mean - 0.01, mean + 0.01)), "v", complete
    )


def test_incomplete_runs_are_hollow_and_not_joined() -> None:
    runs = [run_score("a", 0.7), run_score("b", 0.95, complete=False), run_score("c", 0.7)]
    traces: list[Any] = list(score_over_runs(runs, 0.9, translator("en")).figure.data)
    assert [list(one.x) for one in traces if one.mode == "lines" and None not in one.x] == [[0, 2]]
    marks = {one.marker.symbol: list(one.x) for one in traces if one.mode == "markers"}
    assert marks["circle-open"] == [1] and marks["triangle-down"] == [0, 2] and "circle" not in marks
    assert next(one.name for one in traces if one.marker.symbol == "circle-open") == "incomplete"
