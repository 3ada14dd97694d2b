"""A better judge on the Agreement page: examples from disagreements, kept only if they are clearly better on the other half."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.base.settings import settings
from core.base.types import Sample, Score
from core.optimization.results import stored_results
from core.optimization.variants import example_sets
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.jobs import FileRun, store_answers
from core.store.labels import TurnLabel
from core.store.store import open_store
from pages.components.services import services
from tests.support.model_replies import Json, shape
from tests.support.model_server import ModelServer, serving
from tests.support.page_app import healthy
from tests.support.prompt_dependent_server import ROWS

TURNS = 40


class LearningServer(ModelServer):
    """Judges relevance: wrong about answers that hedge, unless the prompt has one of them as an example."""

    def next_script(self, body: Json) -> Any:
        if shape(body) == "check":
            return None
        rules, asked = str(body["messages"][0]["content"]), str(body["messages"][-1]["content"])
        hedges = "Perhaps" in asked.rpartition("## Answer")[2]
        knows = "Perhaps" in rules.partition("Examples (what is right)")[2]
        verdict = "No" if hedges and knows else "Yes"
        return json.dumps({"wants": "", "quote": "", "reasons": "Because.", "verdict": verdict})


def shown(run: str) -> None:
    import streamlit as st

    from core.analysis.labelled_turns import labelled_turns
    from core.base.bot_folder import load_bot
    from core.store.store import open_store
    from pages.review.agreement_judges import show_better_judge_box

    st.session_state["lang"] = "en"
    store = open_store()
    show_better_judge_box(store, load_bot("komachi"), labelled_turns(store, (run,), {}), "relevance", "en")


def labelled_file() -> str:
    """Answers that hedge are called wrong by people and right by the judge."""
    store = open_store()
    rows = [
        FileAnswer(id=f"a{n}", sample=Sample(question=f"Question {n}?", answer=f"{'It is 5' if n % 2 else 'Perhaps'}, row-{n}."))
        for n in range(TURNS)
    ]  # fmt: skip
    from core.base.bot_folder import load_bot

    file = FileRun("f1", load_bot("komachi"), "a.csv", ["relevance"], rows)
    for n, (_, turn) in enumerate(store_answers(store, file)):
        says_no = n % 2 == 0 and n > TURNS - 4  # a few, so that its word for wrong is known
        word = "No" if says_no else "Yes"
        one = Score(
            judge="relevance", criterion="relevance", value=float(not says_no), label=word, reasons="", version="v"
        )
        store.scores.add(turn, [one])
        store.labels.save(TurnLabel(turn_id=turn, reviewer="Aya", verdict="yes" if n % 2 else "no"))
    store.runs.finish("f1", "done")
    return "f1"


def test_examples_from_disagreements_are_tried_and_used_if_surely_better(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(LearningServer()) as server:
        values = {"KIKU_ENGINE": "openai", "KIKU_MODEL": "tiny", "OPENAI_API_KEY": server.key}
        for name, value in {**values, "OPENAI_BASE_URL": server.url}.items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        app = healthy(AppTest.from_function(shown, kwargs={"run": labelled_file()}, default_timeout=60).run())
        start = next(one for one in app.button if one.label == "Start")
        start.click().run()
        job = services().optimizations.get("komachi:judges/relevance.en")
        assert job and job.wait(60) and not job.error
        healthy(app.run())
        (stored,) = stored_results("komachi")
        found = stored.result
        assert found.verdict == "better" and found.origin.startswith("examples") and "Perhaps" in found.best_text
        assert found.held_out and found.held_out.best == 1.0 and (found.held_out.present or 0) < 0.7
        assert app.button(key="optimize-use") and not server.invalid


def test_the_embedded_engine_has_only_the_file(folder: Path) -> None:
    app = healthy(AppTest.from_function(shown, kwargs={"run": labelled_file()}, default_timeout=60).run())
    assert app.get("download_button") and not app.button
    assert any("With a language model" in one.value for one in app.caption)


def test_sets_of_examples_prefer_rows_that_went_wrong() -> None:
    wrong = {"a01", "a02", "a03", "a04"}
    first, second, *_ = example_sets(ROWS, 4, 0, wrong)
    assert {row.id for row in first} == wrong and {row.id for row in second} != wrong
    assert {row.label for row in first} == {"Yes", "No"}
