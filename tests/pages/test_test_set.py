"""The page Test set: a set made step by step, questions of a bot reviewed, a log grouped."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.base.bot_folder import load_bot
from core.base.settings import ROOT
from core.datasets.dataset_jobs import read_drafts, save_drafts
from core.datasets.seed_document.dataset import Dataset, Manifest, datasets
from core.datasets.seed_document.review import decide, review_decisions
from core.datasets.seed_document.steps import run_steps, states
from core.documents.documents import Document
from core.llm.embedded import EmbeddedEngine
from pages.build.test_set_sources import EXAMPLES, folder_of_datasets
from pages.components.services import services
from tests.support.page_app import healthy, opened, press, wait_for_services


@pytest.fixture(autouse=True)
def data(fresh_settings: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    fresh_settings.setenv("KIKU_DATA_DIR", str(tmp_path / "data"))
    fresh_settings.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path / "knowledge"))
    shutil.copytree(ROOT / "knowledge" / "minato", tmp_path / "knowledge" / "minato")  # the one that needs no embedding
    yield
    wait_for_services()  # a thread that still loads would end the interpreter roughly


def wait(app: AppTest) -> AppTest:
    """Run the page again once no job is running."""
    until = time.monotonic() + 30
    while services().datasets.running_keys() and time.monotonic() < until:
        time.sleep(0.02)
    return app.run()


def made(name: str = "one", language: str = "ja", whole: bool = True) -> Dataset:
    seed_file = next((EXAMPLES / language).glob("*.md"))
    manifest = Manifest.model_validate({"name": name, "language": language, "documents": 3, "seed": 1})
    dataset = Dataset.create(
        folder_of_datasets() / name, manifest, Document(seed_file.name, seed_file.read_text("utf-8"))
    )
    run_steps(EmbeddedEngine(), dataset, "schema")
    if whole:
        dataset.approve("Aya")
        run_steps(EmbeddedEngine(), dataset)
    return dataset


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("source", ["seeds", "bot", "log", "file"])
def test_each_source_opens(language: str, source: str) -> None:
    healthy(opened("build/test_set", language, source=source))


def test_a_set_is_made_from_the_first_click_to_the_last() -> None:
    app = healthy(opened("build/test_set", "en"))
    healthy(press(app, "Create"))
    assert [one.folder.name for one in datasets(folder_of_datasets())] == ["test set"]
    app = healthy(wait(press(app, "Find the facts")))
    dataset = datasets(folder_of_datasets())[0]
    dataset.save_manifest(dataset.manifest.model_copy(update={"documents": 2}))
    app.text_input[0].set_value("Aya")
    app = healthy(press(app, "Approve these facts"))
    assert dataset.is_approved()
    app = healthy(wait(press(app, "Make the rest")))
    assert len(dataset.items()) == 14
    assert any("Everything is made" in str(one.value) for one in app.success)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_finished_set_shows_its_questions_and_takes_decisions(language: str) -> None:
    dataset = made(language=language)
    app = healthy(opened("build/test_set", language, set="one"))
    press(app, "採用" if language == "ja" else "Accept")
    assert list(review_decisions(dataset).values()) == ["accepted"]


def test_a_schema_that_nobody_approved_cannot_go_on() -> None:
    made(whole=False)
    app = healthy(opened("build/test_set", "en", set="one"))
    assert not [one for one in app.button if one.label == "Make the rest"]
    app = press(app, "Approve these facts")
    assert [one.value for one in app.error] == ["There is no name\\. Enter who approves the schema\\."]


def test_questions_of_a_bot_wait_for_review_and_are_saved_nowhere_else() -> None:
    bot = load_bot("minato")
    before = (bot.folder / "questions.csv").read_bytes()
    app = healthy(opened("build/test_set", "en", source="bot", bot="minato"))
    app.number_input[0].set_value(10)
    healthy(wait(press(app, "Make questions")))
    assert 8 <= len(read_drafts(bot)) <= 10  # rather fewer than doubtful ones
    assert (bot.folder / "questions.csv").read_bytes() == before
    save_drafts(bot, ())


def test_a_log_is_masked_and_grouped() -> None:
    app = healthy(opened("build/test_set", "en", source="log", bot="minato"))
    app.text_area[0].set_value("I am Jane Doe, my order AB123456 is late\nmy order is late\nhow do I pay?").run()
    healthy(app)
    shown = str(app.dataframe[0].value.to_dict("records"))
    assert "Jane Doe" in shown  # what was masked is shown
    assert "I am [name], my order [number] is late" in shown
    assert len(app.dataframe[0].value) == 2


def test_files_of_others_are_read() -> None:
    app = healthy(opened("build/test_set", "en", source="file"))
    question = b'{"query": {"query_type": "Factual Question", "content": "How much is the fee?"}, "ground_truth": {"doc_ids": [1], "content": "5 dollars", "references": ["The fee is 5 dollars."], "keypoints": ["1. 5 dollars"]}}'
    document = b'{"doc_id": 1, "company_name": "A Ltd", "content": "The fee is 5 dollars."}'
    upload = app.file_uploader[0]
    app = upload.set_value([("dev.jsonl", question, "text/plain"), ("docs.jsonl", document, "text/plain")]).run()
    healthy(app)
    assert any("1 question, 1 document" in str(one.value) for one in app.caption)


def test_an_edited_question_makes_only_what_depends_on_it_stale() -> None:
    dataset = made()
    app = healthy(opened("build/test_set", "en", set="one"))
    area = next(one for one in app.text_area if one.label == "Question")
    area.set_value("株式会社の次の見直しはいつですか?")
    healthy(press(app, "Save"))
    first = dataset.items()[0]
    assert first.question == "株式会社の次の見直しはいつですか?"
    stale = {state.step: state.stale for state in states(dataset)}
    assert (stale["questions"], stale["refinement"], stale["keypoints"], stale["quality"]) == (0, 1, 1, 1)
    run_steps(EmbeddedEngine(), dataset)
    assert dataset.items()[0].question == first.question


def test_a_cell_that_is_emptied_in_a_table_is_stored_as_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = made()
    field = dataset.schema().fields[0].name  # type: ignore[union-attr]

    def emptied(table: pd.DataFrame, **_: object) -> pd.DataFrame:
        return table.assign(**{field: [None, *table[field][1:]]}) if "id" in table else table

    monkeypatch.setattr(st, "data_editor", emptied)
    healthy(press(opened("build/test_set", "en", set="one"), "Save changes in 1 row"))
    assert [not one.values[field] for one in dataset.configurations()] == [True, False, False]


def test_accepting_all_leaves_what_was_decided_and_says_what_is_left_out() -> None:
    dataset = made()
    items = dataset.items()
    decide(dataset, {items[0].id: "rejected", items[1].id: "accepted"})
    app = healthy(opened("build/test_set", "en", set="one"))
    assert any(f"{len(items) - 2} undecided questions are left out" in str(one.value) for one in app.info)
    button = next(one for one in app.button if one.label.startswith("Accept the "))
    healthy(button.click().run())
    decisions = review_decisions(dataset)
    assert decisions[items[0].id] == "rejected" and len(decisions) > 2
    assert set(decisions.values()) == {"accepted", "rejected"}


def test_the_steps_are_those_of_the_tabs_with_all_steps_of_the_questions_together() -> None:
    made()
    app = healthy(opened("build/test_set", "ja"))
    steps = [str(one.value) for one in app.markdown if str(one.value).startswith(":material/check_circle:")]
    assert [step.split()[1] for step in steps] == ["事実", "値の組", "文書", "質問"]
    assert "（答えの見直し" in steps[-1] and "要点" in steps[-1] and "品質" in steps[-1]
    assert any("事実のそれぞれに入れる値" in str(one.value) for one in app.caption)
