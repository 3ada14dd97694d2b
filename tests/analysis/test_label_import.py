"""Labels out and back in: nothing is lost, and of a hostile file nothing wrong comes in."""

from __future__ import annotations

import pytest

from core.analysis.label_import import NAMES, ImportedLabels, import_labels
from core.base.errors import BadInput
from core.base.tables import columns_of, guess_columns, read_table
from core.export.labels import LABEL_FORMATS, label_rows, labels_file
from core.store.labels import TurnLabel, chats_of
from core.store.preferences import CHOICES, Preference
from core.store.store import Store
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run

EVIL = ('=HYPERLINK("http://x")', "+1+1", "@SUM(A1)", "'=quoted", "＝全角", 'a,b\n"c"', "<b>x</b>")


def imported(store: Store, text: str | bytes, name: str = "t.csv", reviewer: str = "") -> ImportedLabels:
    table = read_table(name, text.encode() if isinstance(text, str) else text)
    mapping = guess_columns(columns_of(table), NAMES)
    return import_labels(store, "r1", table, mapping, reviewer, name.endswith(".csv"))


def stored(store: Store) -> dict[tuple[int, str], TurnLabel]:
    every = store.labels.of_pool("r1")
    return {(one.turn_id, one.reviewer): one.model_copy(update={"created_at": None, "source": "page"}) for one in every}


@pytest.mark.parametrize("form", LABEL_FORMATS)
def test_what_is_written_is_read_back_as_it_was(store: Store, form: str) -> None:
    a_run(store, "r1", total=len(EVIL))
    for n, turn in enumerate(store.labels.conversations("r1")):
        one = TurnLabel(turn_id=turn, reviewer="=Eve()", verdict="yes" if n % 2 else "no", blind=n != 3)
        store.labels.save(one.model_copy(update={"comment": EVIL[n], "corrected": EVIL[-n]}))
        store.labels.save(TurnLabel(turn_id=turn, reviewer="Ben", verdict="open", grades={"relevance": n % 5 + 1}))
        store.labels.save(TurnLabel(turn_id=turn, reviewer="Chie", verdict="", grades={"overall": 3}))
    data = labels_file(label_rows(store, "r1"), form)  # type: ignore[arg-type]
    read_back = imported(store, data, f"labels.{form}")
    assert (read_back.labels, read_back.unchanged, read_back.unknown, read_back.empty) == ((), 3 * len(EVIL), 0, 0)
    before = stored(store)
    for _, reviewer in before:
        while store.labels.undo(reviewer, "r1") is not None:
            pass
    assert stored(store).keys() <= before.keys() and not [one for one in stored(store).values() if one.verdict == "yes"]
    store.labels.save(*imported(store, data, f"labels.{form}").labels)
    assert {one.source for one in store.labels.of_pool("r1")} == {"import"}
    assert {key: one.model_copy(update={"blind": True}) for key, one in stored(store).items()} == {
        key: one.model_copy(update={"blind": True}) for key, one in before.items()
    }


def test_what_a_file_does_not_say_stays(store: Store) -> None:
    a_run(store, "r1")
    turn, *_ = store.labels.conversations("r1")
    store.labels.save(
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
    assert store.labels.of_pool("r1") == []


def test_exports_of_other_tools_are_guessed(store: Store) -> None:
    a_run(store, "r1")
    found = imported(store, "example_id,key,score,comment,source_id\nr1-1/1,correctness,1,ok,bob\n")
    assert [(one.reviewer, one.verdict, one.comment) for one in found.labels] == [("bob", "yes", "ok")]
    found = imported(store, b'{"trace_id": "r1-2/1", "value": false, "annotator": "b"}', "t.jsonl")
    assert [(one.reviewer, one.verdict) for one in found.labels] == [("b", "no")]


def a_pair(store: Store, question: str, bots: tuple[str, str] = ("komachi", "komachi")) -> tuple[int, int]:
    """Two chats that got the same message."""
    turns: list[int] = []
    for bot in bots:
        turn = store.chats.begin_turn(store.chats.create(bot), question)
        store.chats.finish_turn(turn, a_turn())
        turns.append(turn)
    return turns[0], turns[1]


@pytest.mark.parametrize("form", LABEL_FORMATS)
def test_choices_of_the_better_of_two_are_written_as_such_and_read_back(store: Store, form: str) -> None:
    pool = chats_of("komachi")
    for n, choice in enumerate(CHOICES):
        for bots in (("komachi", "komachi"), ("hinata", "komachi")):
            store.preferences.save(Preference(*a_pair(store, f"=期限{n}", bots), "=Eve()", choice))
    pair = a_pair(store, "期限は？")
    store.preferences.save(Preference(*pair, "Ben", "both_good"))
    store.labels.save(TurnLabel(turn_id=pair[0], reviewer="Ben", verdict="yes", source="better_of_two"))
    store.labels.save(TurnLabel(turn_id=pair[1], reviewer="Ben", verdict="no"))
    before = store.preferences.of_bot("komachi")
    rows = label_rows(store, pool)
    assert [row["source"] for row in rows if row.get("better")] == ["better_of_two"] * len(before)
    assert not any(row["label"] for row in rows if row.get("better"))

    def read_back() -> ImportedLabels:
        table = read_table(f"labels.{form}", labels_file(rows, form))  # type: ignore[arg-type]
        return import_labels(store, pool, table, guess_columns(columns_of(table), NAMES), "", form == "csv")

    assert (read_back().labels, read_back().choices, read_back().unchanged, read_back().unknown) == (
        (),
        (),
        len(before) + 2,
        0,
    )
    for one in before:
        store.preferences.remove(one.preference.left, one.preference.right, one.preference.reviewer)
    while store.labels.undo("Ben", pool) is not None:
        pass
    found = read_back()
    store.labels.save(*found.labels)
    store.preferences.save(*found.choices)
    assert store.preferences.of_bot("komachi") == before
    assert {one.turn_id: one.source for one in store.labels.of_pool(pool)} == {
        pair[0]: "better_of_two",
        pair[1]: "import",
    }


def test_a_choice_between_replies_to_different_messages_is_none(store: Store) -> None:
    pool = chats_of("komachi")
    one, other = a_pair(store, "期限は？")[0], a_pair(store, "申請先は？")[0]
    names = store.labels.places(pool)
    table = [
        {"id": names[one].id, "other_id": other_id, "reviewer": "Aya", "label": "", "better": "this"}
        for other_id in (names[other].id, names[one].id, "nowhere/1", "x")
    ]
    found = import_labels(store, pool, table, guess_columns(columns_of(table), NAMES))
    assert found.choices == () and found.unknown == 4
