"""Files to take away in the language that was asked for: errors, labels, and what was never judged."""

from __future__ import annotations

import html
import json

import pytest
from sqlalchemy import update

from core.base.translate import translator
from core.base.types import Score
from core.store.schema import CONVERSATIONS, RUNS, SCORES, TURNS
from core.store.store import Store
from tests.support.export_runs import an_awkward_run, book_of, written
from tests.support.failing_turns import EXPENSES, LINE, answering, run_with_failures, scores

STORED = json.dumps({"key": "no_key", "details": {}, "text": "English words."})


@pytest.mark.parametrize("form", ["xlsx", "csv", "html"])
def test_a_stored_error_is_a_sentence_in_the_language_of_the_file(store: Store, form: str) -> None:
    an_awkward_run(store)
    with store.db.write() as connection:
        connection.execute(update(CONVERSATIONS).values(error=STORED))
        connection.execute(update(RUNS).values(error=STORED))
        connection.execute(update(SCORES).where(SCORES.c.value.is_(None)).values(error=STORED))
        connection.execute(update(TURNS).values(error=STORED))
    wanted = translator("ja")("errors.no_key")
    if form == "xlsx":
        book = book_of(store)
        texts = [str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row if cell]
        where = {sheet.title for sheet in book for row in sheet.iter_rows(values_only=True) if any(wanted in str(cell) for cell in row)}  # fmt: skip
        assert {"会話", "ターン", "採点", "設定"} <= where
    else:
        texts = [written(store, form).decode("utf-8")]
        assert any(wanted in html.unescape(text) for text in texts)
    assert not [text for text in texts if "English words" in text]


@pytest.mark.parametrize(("language", "words"), [("ja", ("はい", "いいえ", "問題なし")), ("en", ("Yes", "No", "OK"))])
def test_labels_are_in_the_language_of_the_file(store: Store, language: str, words: tuple[str, ...]) -> None:
    verdicts = [*scores(0.4, correctness=True, sufficiency=False), Score(judge="simulated_user", criterion="simulated_user", value=1.0, label="OK", version="v")]  # fmt: skip
    run_with_failures(store, [(EXPENSES, [(answering("5日です。", ("keihi.md", LINE)), verdicts)])])
    sheet = book_of(store, "run-1", language).worksheets[3]
    assert {row[6] for row in sheet.iter_rows(min_row=2, values_only=True)} == {"0.4", *words}


def test_what_was_never_judged_says_so_in_the_language_of_the_file(store: Store) -> None:
    an_awkward_run(store)
    for language in ("ja", "en"):
        sheet = book_of(store, language=language).worksheets[3]
        lost = {row[8] for row in sheet.iter_rows(min_row=2, values_only=True) if row[2] in ("正確さ", "Correctness")}
        assert lost == {translator(language)("errors.not_judged")}
