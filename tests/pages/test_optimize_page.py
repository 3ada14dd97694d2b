"""The page of optimization: a result with its interval and both texts, used with one click; one sentence on the embedded engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.base.bot_folder import load_bot
from core.base.settings import settings
from core.optimization.results import store_result, stored_results
from core.optimization.search import HalfScores, OptimizationResult, TriedText
from core.prompts.catalog import find_prompt
from pages.components.services import services
from tests.support.model_server import serving
from tests.support.page_app import healthy, opened, press
from tests.support.prompt_dependent_server import HINT, ROWS, PromptDependentServer

PRESENT = find_prompt("assess").default("en")
BEST = f"Ask only if two answers would fit.\n{PRESENT}"
RESULT = OptimizationResult(
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
    tried=(TriedText(origin="present", score=0.5, rows=20), TriedText(origin="rules 1", score=0.8, rows=20)),
    rows=40,
    seed=0,
)


def test_a_better_text_is_shown_with_its_interval_and_used_with_one_click(folder: Path) -> None:
    store_result(RESULT)
    app = healthy(opened("build/optimize", "en", prompt="assess", text="en"))
    assert "reads no prompts" in app.info[0].value
    assert [metric.value for metric in app.metric] == ["50 → 80", "55 → 75", "+20.0"]
    assert any("clearly better" in one.value for one in app.markdown)
    app.button(key="optimize-use").click().run()
    assert healthy(app) and load_bot("komachi").prompts == {"assess.en": BEST}
    assert app.button(key="optimize-use").disabled


def test_a_text_that_is_not_surely_better_cannot_be_used(folder: Path) -> None:
    store_result(RESULT.model_copy(update={"verdict": "not_surely_better", "low": -0.1}))
    app = healthy(opened("build/optimize", "ja", prompt="assess", text="en"))
    assert "optimize-use" not in {button.key for button in app.button}
    assert any("今のプロンプトを残します" in one.value for one in app.markdown)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_search_is_estimated_started_and_its_result_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    with serving(PromptDependentServer()) as server:
        values = {"KIKU_ENGINE": "openai", "KIKU_MODEL": "tiny", "OPENAI_API_KEY": server.key}
        for name, value in {**values, "OPENAI_BASE_URL": server.url}.items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        labels = [f'{row.sample.question},"{row.sample.answer}",{row.label}' for row in ROWS]
        app = healthy(opened("build/optimize", language, prompt="judges/relevance", text="en"))
        app.file_uploader[0].upload("labels.csv", "\n".join(["question,answer,label", *labels]).encode()).run()
        estimate, start = [button.label for button in healthy(app).button if not button.key]
        app = finished(app, estimate, lambda: app.session_state["optimize-estimate"][1])
        assert any(str(len(ROWS)) in one.value for one in app.markdown)
        app = finished(app, start, lambda: services().optimizations.get("komachi:judges/relevance.en"))
        assert len(app.metric) == 3 and HINT in load_result().best_text


def finished(app: AppTest, label: str, job: Callable[[], Any]) -> AppTest:
    """The page after one of its buttons was pressed and the job that it began is over."""
    press(app, label)
    job().wait(60)
    return healthy(app.run())


def load_result() -> OptimizationResult:
    return stored_results("komachi")[0].result
