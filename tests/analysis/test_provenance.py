"""Whoever reads scores reads which engine replied and judged, and how far that judge agrees with people."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sqlalchemy import update

from core.analysis.provenance import (
    Agreement,
    Provenance,
    agreement_text,
    measured_agreement,
    provenance,
    provenance_summary,
    provenance_text,
)
from core.base.translate import translator
from core.store.labels import TurnLabel
from core.store.schema import RUNS
from core.store.store import Store
from tests.support.stored_runs import a_call, a_file, a_run, a_score

ON_MODELS = {
    "engine": "openai",
    "judges": {"turn": "v1"},
    "models": {"bot": {"model": "small-model"}, "judge": {"model": "large-model"}},
}


def made_with(store: Store, snapshot: dict[str, Any]) -> Provenance:
    a_run(store, "r")
    with store.db.write() as connection:
        connection.execute(update(RUNS).where(RUNS.c.id == "r").values(snapshot=snapshot))
    run = store.runs.get("r")
    assert run
    return provenance(store, run, "turn")


def test_a_run_of_the_embedded_engine_says_how_well_its_judge_agrees_with_people(store: Store) -> None:
    found = made_with(store, {"engine": "embedded", "judges": {"turn": "v1"}})
    assert (found.replied, found.judged) == ("embedded", "embedded")
    text = provenance_text(translator("ja"), found)
    assert "内蔵エンジン" in text and f"{measured_agreement('turn')[0].value:.2f}" in text and "MTRAG" in text


def test_with_enough_labels_the_line_says_how_far_the_judge_agrees_with_them(store: Store) -> None:
    a_run(store, "r", total=60)
    run = store.runs.get("r")
    before = provenance(store, run, "turn") if run else None
    assert run and before and before.trust is None and before.standing == "measured"  # no label: that is no trust
    turns = list(store.labels.conversations("r"))
    for n, turn in enumerate(turns):
        store.scores.add(turn, [a_score(0.4 if n % 2 else 0.9)])
    for n, turn in enumerate(turns):
        wrong = n % 10 == 0
        store.labels.save(TurnLabel(turn_id=turn, reviewer="Aya", verdict="yes" if bool(n % 2) == wrong else "no"))
        if n == 11:
            few = provenance(store, run, "turn")
            assert few.trust and not few.trust.is_trusted and few.trust.n <= 12
    found = provenance(store, run, "turn")
    assert found.trust and found.trust.n == 60 and found.trust.is_trusted and found.standing == "trusted"
    said = provenance_text(translator("en"), found)
    assert "60 labels of this bot" in said and "corrected for its errors" in said and "90%" in said
    for language in ("ja", "en"):  # the interval has brackets of its own
        line = provenance_text(translator(language), found)
        assert not re.search(r"[(（][^)）]*[(（]", line), line
    for turn in turns:
        store.labels.save(TurnLabel(turn_id=turn, reviewer="Aya", verdict="yes" if turn % 3 else "no"))
    doubtful = provenance(store, run, "turn")
    assert doubtful.standing == "not_trusted" and "not yet trusted" in provenance_text(translator("en"), doubtful)
    assert "まだ信頼できません" in provenance_text(translator("ja"), doubtful)


def test_models_are_named_and_their_judge_is_not_called_measured(store: Store) -> None:
    found = made_with(store, ON_MODELS)
    assert found == Provenance("small-model", "large-model")
    assert "was not measured" in provenance_text(translator("en"), found)


def test_a_judge_that_came_later_is_found_in_the_call_log(store: Store) -> None:
    a_run(store, "r")
    store.scores.add(store.conversations.turns("r-1")[0].id, [a_score(0.4, "correctness", "correct", "v2")])
    store.calls.add(a_call("r").model_copy(update={"role": "judge", "model": "later-model"}))
    run = store.runs.get("r")
    assert run and provenance(store, run, "correctness").judged == "later-model"


def test_answers_of_a_file_and_of_an_external_bot_are_called_so(home: Path, store: Store) -> None:
    a_file(store, "f")
    file = store.runs.get("f")
    assert file and provenance(store, file, "correctness").replied == "file"
    external = {"engine": "embedded", "bot_toml": 'name = "x"\n[external]\nurl = "http://127.0.0.1:9"'}
    assert made_with(store, external).replied == "external"


def test_pages_say_in_words_how_high_the_agreement_is_and_explain_the_figures(store: Store) -> None:
    found = made_with(store, {"engine": "embedded", "judges": {"turn": "v1"}})
    line, details = provenance_summary(translator("ja"), found)
    assert line.endswith("人の評価との一致：中程度") and "0.37" not in line
    assert "MTRAG 237 件で順位相関 0.37" in details and "0.30 以上なら「中程度」" in details
    english, explained = provenance_summary(translator("en"), found)
    assert "agreement with people: moderate" in english and "rank correlation 0.37 on MTRAG" in explained


def test_of_several_figures_the_weakest_counts() -> None:
    text = agreement_text(translator("en"), measured_agreement("correctness"))
    assert "moderate" in text and "94% of the verdicts agree on EVOUNA, n = 8,000" in text
    assert "weak" in agreement_text(translator("en"), (Agreement(data="x", n=9, measure="f1", value=0.4),))
