"""Agreement: figures, disagreements one click away, threshold, reviewers, in both languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.base.types import Score
from core.store.reviews import TurnLabel
from core.store.store import Store, open_store
from tests.support import page_app
from tests.support.page_app import healthy
from tests.support.stored_runs import a_run


@pytest.fixture
def page_store(folder: Path) -> Store:
    """The database that the pages use."""
    return open_store()


def opened(language: str = "en", **asked: str) -> AppTest:
    return healthy(page_app.opened("review/agreement", language, **{"bot": "komachi", **asked}))


def labelled(store: Store, run: str = "r1", total: int = 60) -> list[int]:
    """A run that two reviewers have labelled: the judge is right in four of five."""
    a_run(store, run, total=total)
    random = np.random.default_rng(1)
    turns = list(store.reviews.conversations(run))
    for turn in turns:
        right = random.random() < 0.6
        said = right if random.random() < 0.8 else not right
        value = 0.9 if said else 0.4
        reason = f"「{turn}」が資料 {turn} にある。" if said else "**資料**にない。"
        score = Score(judge="turn", criterion="overall", value=value, label="4", reasons=reason, version="v1")
        store.scores.add(turn, [score.model_copy(update={"version": "v2"})])
        close = random.random()
        store.scores.add(turn, [Score(judge="similarity", criterion="similarity", value=close, label="", version="s")])
        for reviewer, wrong in (("Aya", 0.0), ("Ben", 0.1), ("Chie", 0.1)):
            verdict = "yes" if right != (random.random() < wrong) else "no"
            grades = {"relevance": int(random.integers(1, 6))}
            store.reviews.save(TurnLabel(turn_id=turn, reviewer=reviewer, verdict=verdict, grades=grades))
    return turns


def text_of(app: AppTest) -> str:
    kinds = ("title", "markdown", "caption", "subheader", "info")
    return "\n".join(str(one.value) for kind in kinds for one in getattr(app, kind))


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_states_how_far_the_judge_agrees(page_store: Store, language: str) -> None:
    labelled(page_store)
    app = opened(language, run="r1")
    assert "%" in app.title[0].value and len(app.metric) == 6
    assert not [one for one in app.metric if one.value == "–"]
    assert app.get("plotly_chart") and len(app.dataframe) >= 4
    healthy(app.selectbox(key="judge_box").set_value("similarity").run())


def test_disagreements_are_grouped_by_the_reason_and_lead_to_their_turn(page_store: Store) -> None:
    turns = labelled(page_store)
    app = opened(run="r1")
    groups = [one.label for one in app.expander if "·" in one.label]
    assert len(groups) == 2 and any("資料" in one for one in groups)  # numbers and quotations do not part them
    links = [one.proto for one in app.get("page_link")]
    assert links and all("turn=" in one.query_string for one in links if "label" in one.page) and turns


def test_labels_of_several_runs_and_an_arbiter(page_store: Store) -> None:
    labelled(page_store)
    labelled(page_store, "r2", 20)
    app = opened()
    assert app.selectbox(key="run_box").value == "all" and "80 turns" in text_of(app)
    app = healthy(app.selectbox(key="arbiter_box").set_value("Ben").run())
    assert "80 turns" in text_of(app)


def test_little_is_said_of_few_labels(page_store: Store) -> None:
    app = opened()
    assert app.info and "no labels yet" in app.info[0].value
    a_run(page_store, "r1")
    first, second, *_ = page_store.reviews.conversations("r1")
    page_store.reviews.save(TurnLabel(turn_id=first, reviewer="Aya", verdict="", blind=False))
    assert "No turn has a majority" in text_of(opened(run="r1"))
    page_store.reviews.save(TurnLabel(turn_id=second, reviewer="Aya", verdict="yes"))
    said = text_of(opened(run="r1"))
    assert "too few labels" in said and "more labels" in said and "Ask a second reviewer" in said
