"""Labels in and out: what is exported is imported again, other tools' files by their columns, nothing as a formula."""

from __future__ import annotations

import io
import json

import openpyxl
import pytest

from core.analysis.label_import import NAMES, import_labels
from core.base.errors import BadInput
from core.base.tables import columns_of, guess_columns, read_table
from core.export.labels import LABEL_FORMATS, label_rows, labels_file
from core.store.labels import TurnLabel, chats_of
from core.store.store import Store
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run

NASTY = '=HYPERLINK("http://x")'


def labelled(store: Store) -> list[int]:
    a_run(store, "r1")
    turns = list(store.labels.conversations("r1"))
    for turn, verdict in zip(turns, ("yes", "no", "", "open"), strict=True):
        store.labels.save(
            TurnLabel(turn_id=turn, reviewer="Aya", verdict=verdict, grades={"relevance": 3}, comment=NASTY)  # type: ignore[arg-type]
        )
    return turns


@pytest.mark.parametrize("form", LABEL_FORMATS)
def test_what_is_exported_is_imported_again(store: Store, form: str) -> None:
    turns = labelled(store)
    data = labels_file(label_rows(store, "r1"), form)  # type: ignore[arg-type]
    rows = read_table(f"labels.{form}", data)
    mapping = guess_columns(columns_of(rows), NAMES)
    assert mapping.keys() == {"id", "reviewer", "label", "comment", "corrected"}
    found = import_labels(store, "r1", rows, mapping, escaped=form == "csv")
    assert (found.labels, found.unknown, found.empty, found.unchanged) == ((), 0, 0, 4)
    others = [{**row, "reviewer": "Cem"} for row in rows]
    found = import_labels(store, "r1", others, mapping, escaped=form == "csv")
    expected = list(zip(turns, ("yes", "no", "", "open"), strict=False))[:4]
    assert [(one.turn_id, one.verdict) for one in found.labels] == expected
    assert {one.source for one in found.labels} == {"import"} and found.labels[3].grades
    assert found.labels[0].comment == NASTY and found.labels[0].reviewer == "Cem"


def test_no_text_of_a_label_is_a_formula(store: Store) -> None:
    labelled(store)
    rows = label_rows(store, "r1")
    assert f"'{NASTY[:10]}" in labels_file(rows, "csv").decode("utf-8-sig").replace('"', "")
    sheet = openpyxl.load_workbook(io.BytesIO(labels_file(rows, "xlsx"))).active
    assert sheet and all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
    first = json.loads(labels_file(rows, "jsonl").splitlines()[0])
    assert first["label"] == "yes" and first["conversation"] == "r1-1" and 0 < first["chance"] <= 1


def test_other_tools_columns_are_guessed_and_grades_are_for_overall(store: Store) -> None:
    a_run(store, "r1")
    rows = [{"Example_ID": "r1-1/1", "score": "4", "annotator": ""}, {"Example_ID": "gone", "score": "2"}]
    mapping = guess_columns(list(rows[0]), NAMES)
    found = import_labels(store, "r1", rows, mapping, reviewer="Ben")
    assert found.unknown == 1 and len(found.labels) == 1
    assert found.labels[0].grades == {"overall": 4} and found.labels[0].verdict == "open"
    for wrong, used in (
        ([{"id": "x", "label": "meh"}], None),
        ([{"id": "r1-1/1", "label": "yes"}], None),  # nobody's
        ([{"id": "x", "label": "yes"}], {"id": "id"}),
    ):
        with pytest.raises(BadInput):
            import_labels(store, "r1", wrong, used or guess_columns(list(wrong[0]), NAMES))  # type: ignore[arg-type]


def test_thumbs_of_the_chat_page_are_there_to_be_labels(store: Store) -> None:
    chat = store.chats.create("komachi")
    for kind in ("up", "down", "asked_too_much"):
        turn = store.chats.begin_turn(chat, kind)
        store.chats.finish_turn(turn, a_turn(kind))
        store.chats.add_feedback(turn, kind)
    assert list(store.labels.thumbs(chats_of("komachi")).values()) == [True, False]
