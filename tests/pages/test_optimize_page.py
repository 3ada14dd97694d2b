"""The page of optimization: a result with its interval and both texts, used with one click; one sentence on the embedded engine."""

from __future__ import annotations

from pathlib import Path

from core.base.bot_folder import load_bot
from core.optimization.results import store_result
from core.optimization.search import HalfScores, Optimized, Tried
from core.runs.prompt_catalog import find_prompt
from tests.support.page_app import healthy, opened

PRESENT = find_prompt("assess").default("en")
BEST = f"Ask only if two answers would fit.\n{PRESENT}"
RESULT = Optimized(
    bot="komachi",
    key="assess.en",
    verdict="better",
    present_text=PRESENT,
    best_text=BEST,
    origin="rules 1",
    development=HalfScores(present=0.5, best=0.8, rows=20),
    held_out=HalfScores(present=0.55, best=0.75, rows=20),
    difference=0.2,
    low=0.05,
    high=0.35,
    tried=(Tried(origin="present", score=0.5, rows=20), Tried(origin="rules 1", score=0.8, rows=20)),
    rows=40,
    seed=0,
)


def test_a_better_text_is_shown_with_its_interval_and_used_with_one_click(folder: Path) -> None:
    store_result(RESULT)
    app = healthy(opened("build/optimize", "en", prompt="assess", text="en"))
    assert "reads no prompts" in app.info[0].value
    assert [metric.value for metric in app.metric] == ["50 → 80", "55 → 75", "+20.0"]
    assert any("surely better" in one.value for one in app.markdown)
    app.button(key="optimize-use").click().run()
    assert healthy(app) and load_bot("komachi").prompts == {"assess.en": BEST}
    assert app.button(key="optimize-use").disabled


def test_a_text_that_is_not_surely_better_cannot_be_used(folder: Path) -> None:
    store_result(RESULT.model_copy(update={"verdict": "not_surely_better", "low": -0.1}))
    app = healthy(opened("build/optimize", "ja", prompt="assess", text="en"))
    assert "optimize-use" not in {button.key for button in app.button}
    assert any("今のプロンプトを残します" in one.value for one in app.markdown)
