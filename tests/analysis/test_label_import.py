"""Labels out and back in: nothing is lost, and of a hostile file nothing wrong comes in."""

from __future__ import annotations

import pytest

from core.analysis.label_import import ImportedLabels, guess_label_mapping, import_labels
from core.base.errors import BadInput
from core.base.tables import columns_of, read_table
from core.export.labels import LABEL_FORMATS, label_rows, labels_file
from core.store.reviews import TurnLabel
from core.store.store import Store
from tests.support.stored_runs import a_run

EVIL = ('=HYPERLINK("http://x")', "+1+1", "@SUM(A1)", "'=quoted", "＝全角", 'a,b\n"c"', "<b>x</b>")


def imported(store: Store, text: str | bytes, name: str = "t.csv", reviewer: str = "") -> ImportedLabels:
    table = read_table(name, text.encode() if isinstance(text, str) else text)
    mapping = guess_label_mapping(columns_of(table))
    return import_labels(store, "r1", table, mapping, reviewer, name.endswith(".csv"))


def stored(store: Store) -> dict[tuple[int, str], TurnLabel]:
    every = store.reviews.of_frame("r1")
    return {(one.turn_id, one.reviewer): one.model_copy(update={"created_at": None, "source": "page"}) for one in every}


@pytest.mark.parametrize("form", LABEL_FORMATS)
def test_what_is_written_is_read_back_as_it_was(store: Store, form: str) -> None:
    a_run(store, "r1", total=len(EVIL))
    for n, turn in enumerate(store.reviews.conversations("r1")):
        one = TurnLabel(turn_id=turn, reviewer="=Eve()", verdict="yes" if n % 2 else "no", blind=n != 3)
        store.reviews.save(one.model_copy(update={"comment": EVIL[n], "corrected": EVIL[-n]}))
        store.reviews.save(TurnLabel(turn_id=turn, reviewer="Ben", verdict="open", grades={"relevance": n % 5 + 1}))
        store.reviews.save(TurnLabel(turn_id=turn, reviewer="Chie", verdict="", grades={"overall": 3}))
    data = labels_file(label_rows(store, "r1"), form)  # type: ignore[arg-type]
    again = imported(store, data, f"labels.{form}")
    assert (again.labels, again.unchanged, again.unknown, again.empty) == ((), 3 * len(EVIL), 0, 0)
    before = stored(store)
    for _, reviewer in before:
        while store.reviews.undo(reviewer, "r1") is not None:
            pass
    assert stored(store).keys() <= before.keys() and not [one for one in stored(store).values() if one.verdict == "yes"]
    store.reviews.save_all(imported(store, data, f"labels.{form}").labels)
    assert {one.source for one in store.reviews.of_frame("r1")} == {"import"}
    assert {key: one.model_copy(update={"blind": True}) for key, one in stored(store).items()} == {
        key: one.model_copy(update={"blind": True}) for key, one in before.items()
    }


def test_what_a_file_does_not_say_stays(store: Store) -> None:
    a_run(store, "r1")
    turn, *_ = store.reviews.conversations("r1")
    store.reviews.save(
        TurnLabel(turn_id=turn, reviewer="Aya", verdict="no", grades={"relevance": 2}, comment="why", corrected="10日")
    )
    (found,) = imported(store, "id,label,reviewer\nr1-1/1,yes,Aya\n").labels
    assert (found.verdict, found.grades, found.comment, found.corrected) == ("yes", {"relevance": 2}, "why", "10日")
    (found,) = imported(store, "id,label,reviewer\nr1-1/1,5,Aya\n").labels
    assert (found.verdict, found.grades) == ("no", {"relevance": 2, "overall": 5})


def test_rows_for_no_turn_without_label_and_said_twice_are_counted(store: Store) -> None:
    a_run(store, "r1")
    rows = "r1-1/1,yes,Aya\nr1-1/1,no,Aya\nr1-1/1,yes,Ben\nnowhere/1,yes,Aya\n,yes,Aya\nr1-2/1,,Aya\n"
    found = imported(store, f"id,label,reviewer\n{rows}")
    assert [(one.reviewer, one.verdict) for one in found.labels] == [("Aya", "no"), ("Ben", "yes")]
    assert (found.unknown, found.empty, found.repeated, found.unchanged) == (2, 1, 1, 0)


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ("r1-1/1,0.923456,A", "labels_grade"),
        ("r1-1/1,123456,A", "labels_grade"),
        (f"r1-1/1,{'9' * 400},A", "labels_grade"),
        ("r1-1/1,inf,A", "labels_grade"),
        ("r1-1/1,yes,A\nr1-2/1,=1+1,A", "labels_mixed"),
        ("r1-1/1,yes,A\nr1-2/1,4,A", "labels_mixed"),
        ("r1-1/1,hello world,A", "labels_words"),
        ("r1-1/1,n/a,A", "labels_empty"),
        ("r1-1/1,yes,", "no_reviewer"),
        (f"r1-1/1,yes,{'x' * 61}", "reviewer_long"),
    ],
)
def test_wrong_labels_are_one_sentence_and_nothing_is_stored(store: Store, rows: str, key: str) -> None:
    a_run(store, "r1")
    with pytest.raises(BadInput) as raised:
        imported(store, f"id,label,reviewer\n{rows}\n")
    assert raised.value.key == key and len(str(raised.value)) < 200
    assert store.reviews.of_frame("r1") == []


def test_exports_of_other_tools_are_guessed(store: Store) -> None:
    a_run(store, "r1")
    found = imported(store, "example_id,key,score,comment,source_id\nr1-1/1,correctness,1,ok,bob\n")
    assert [(one.reviewer, one.verdict, one.comment) for one in found.labels] == [("bob", "yes", "ok")]
    found = imported(store, b'{"trace_id": "r1-2/1", "value": false, "annotator": "b"}', "t.jsonl")
    assert [(one.reviewer, one.verdict) for one in found.labels] == [("b", "no")]
