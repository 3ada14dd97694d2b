"""Whatever is read from PostgreSQL is what SQLite would have given, hostile texts and all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sqlalchemy import text, update

from core.__main__ import main
from core.analysis.conversation_list import list_conversations
from core.analysis.failures.judged_turns import judged_turns, scored_scenarios
from core.analysis.self_agreement import self_agreement
from core.analysis.simulator_health import invalid_conversations
from core.base.settings import settings
from core.base.types import Score
from core.store.clarification_table import read_clarification
from core.store.database import Database
from core.store.export_records import ExportedConversation
from core.store.fixed_entries import FixedEntry
from core.store.postgres import DatabaseUnavailable
from core.store.schema import RUNS
from core.store.score_tables import score_values
from core.store.store import Store
from tests.store.test_store import a_run
from tests.support.reference_search import SEARCHES, an_odd_run, find_by_scan, read_texts
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run as stored_run
from tests.support.stored_runs import a_score

ODD = "a\0b \U0010fffd0 ＲÉSUMÉ Straße 経費精算 \\u0000 ΟΔΟΣ ﾊﾝｶｸ </script>=1+1 😀 \u202eabc"
LONG = ODD * 1_000
ENTRY = ("wrong document", "文書😀" * 200, ODD * 20)
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def filled(store: Store) -> Store:
    """A run with odd and long texts, several versions, repeats and faults, and a mark."""
    a_run(store, conversations=4, judges=("turn", "custom:" + "j" * 300))
    for number, said in ((1, ODD), (2, LONG), (3, "Hello, résumé")):
        mark = f"r1-{number}"
        turn = store.conversations.add_turn(mark, 1, a_turn(said, said))
        verdicts = [verdict("turn", "overall", 0.2 * number), verdict("custom:" + "j" * 300, "c" * 300, None)]
        store.scores.add(turn, [*verdicts, verdict("simulated_user", "simulated_user", 0.0, label="invalid:empty")])
        store.scores.add(turn, [verdict("turn", "overall", 0.9, "v2")])
        store.scores.add(turn, [verdict("turn", "overall", 0.4)], repeat=2)
        store.conversations.finish(mark, "done", said)
    store.conversations.fail("r1-4", ODD)
    store.runs.finish("r1", "done")
    store.fixed_entries.add("komachi", ENTRY, "r1", ODD)
    return store


def verdict(judge: str, criterion: str, value: float | None, version: str = "v1", label: str = "4") -> Score:
    return Score(judge=judge, criterion=criterion, value=value, label=label, reasons=ODD, error="", version=version)


@pytest.fixture
def both(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Store, Store]]:
    """The same content on PostgreSQL and on SQLite."""
    monkeypatch.setattr("core.store.export_records.CHUNK", 2)
    stores = Store(postgres_url), Store(f"sqlite:///{tmp_path / 'kiku.db'}")
    yield filled(stores[0]), filled(stores[1])
    for store in stores:
        store.close()


READINGS: dict[str, Callable[[Store], Any]] = {
    "asking": lambda store: read_clarification(store.db, "r1"),
    "values": lambda store: score_values(store.tables.of_run("r1")),
    "talks of a look": lambda store: store.tables.of_run("r1").conversations,
    "decisions": lambda store: store.tables.of_run("r1").decisions,
    "verdicts": lambda store: judged_turns(store, "r1"),
    "verdicts of scenarios": lambda store: judged_turns(store, "r1", ["q1", "q3"]),
    "scored scenarios": lambda store: scored_scenarios(store, "r1", ["q1", "q2", "nothing"]),
    "texts": lambda store: list(map(tuple, store.conversations.turn_texts([1, 2, 3], "user_text", "reply_text", "record").values())),
    "newest": lambda store: (store.scores.newest().score, store.scores.newest()),
    "marks": lambda store: [unmoved(row) for row in store.fixed_entries.of_bot("komachi")],
    "talks": lambda store: [said_and_judged(talk) for talk in store.records.conversations("r1")],
    "judged": lambda store: store.records.judges("r1"),
    "longest": lambda store: store.records.run("r1").longest,
    "listed": lambda store: list_conversations(store.tables.of_run("r1"), "turn", "overall", "v1"),
    "cases": lambda store: store.tables.cases("r1"),
    "repeats": lambda store: store.scores.repeated("r1"),
    "faults": lambda store: store.scores.user_faults("r1"),
    "failures": lambda store: [row.error for row in store.conversations.failed("r1", 5)],
    "scores": lambda store: store.scores.mean_scores_by_run("turn", "overall", "komachi"),
    "frame": lambda store: store.records.score_frame("r1"),
    "found": lambda store: store.text_search.find("r1", "経費"),
}  # fmt: skip


def said_and_judged(conversation: ExportedConversation) -> list[Any]:
    return [(turn.user_text, turn.reply_text, turn.verdicts) for turn in conversation.turns]


def unmoved(row: FixedEntry) -> FixedEntry:
    return row.model_copy(update={"created_at": WHEN})


def same(one: Any, other: Any) -> bool:
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_categorical=False)
        return len(one) > 0
    return bool(one) and one == other


def test_every_reading_is_the_same_on_both(both: tuple[Store, Store]) -> None:
    postgres, sqlite = both
    assert [name for name, read in READINGS.items() if not same(read(postgres), read(sqlite))] == []


def test_a_search_finds_on_postgresql_what_it_finds_on_sqlite(both: tuple[Store, Store]) -> None:
    searched = (
        "経費",
        "ﾊﾝｶｸ",
        "ハンカク",
        "résumé",
        "RÉSUMÉ hello",
        "strasse",
        "STRAẞE",
        "οδος",
        "ΟΔΟΣ",
        "a\0b",
        "期限",
    )
    found = {
        word: [store.text_search.find("r1", word) for store in both]
        for word in (*searched, "\U0010fffd0", "%", "a_b", "'")
    }
    assert {word: pair[0] for word, pair in found.items()} == {word: pair[1] for word, pair in found.items()}
    assert all(found[word][0] for word in searched)


def test_odd_words_are_found_on_postgresql_as_by_a_slow_search(postgres_url: str) -> None:
    store = Store(postgres_url)
    an_odd_run(store)
    slow = read_texts(store, "r1")
    found = {one: (store.text_search.find("r1", one), find_by_scan(slow, one)) for one in SEARCHES}
    assert {one: pair[0] for one, pair in found.items()} == {one: pair[1] for one, pair in found.items()}
    assert sum(bool(pair[0]) for pair in found.values()) > len(SEARCHES) / 2
    store.close()


def test_the_pulse_changes_when_a_transaction_is_over_and_not_before(both: tuple[Store, Store]) -> None:
    """On PostgreSQL one that began to write before the pulse was felt and ended after it counts, too."""
    for store in both:
        with store.db.write() as connection:
            connection.execute(update(RUNS).where(RUNS.c.id == "r1").values(name="later"))
            before, tables = store.db.change_marker(), store.tables.of_run("r1")
            assert store.db.change_marker() == before is not None and store.tables.of_run("r1") is tables
        assert store.db.change_marker() != before
        store.scores.add(1, [verdict("turn", "new", 0.1)])
        assert store.tables.of_run("r1") is not tables


def test_a_mark_is_taken_back_by_its_odd_and_long_name(both: tuple[Store, Store]) -> None:
    for store in both:
        (mark,) = store.fixed_entries.of_bot("komachi")
        assert mark.note == ODD.strip() and mark.document == ENTRY[1][:300]
        store.fixed_entries.remove("komachi", ENTRY)
        assert store.fixed_entries.of_bot("komachi") == []


WRITES: dict[str, Callable[[Store], object]] = {
    "mark": lambda store: store.fixed_entries.add("komachi", ENTRY, "r1"),
    "unmark": lambda store: store.fixed_entries.remove("komachi", ENTRY),
}


def test_every_reading_and_mark_is_tried_again_where_the_server_was_lost(
    both: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = both
    lost: list[str] = []

    def losing(name: str) -> None:
        whole = getattr(Database, name)

        def once(db: Database) -> Any:
            if not lost:
                lost.append(name)
                raise DatabaseUnavailable("lost", "database_gone")
            return whole(db)

        monkeypatch.setattr(Database, name, once)

    losing("read")
    losing("write")
    for name, work in {**READINGS, **WRITES}.items():
        store.runs.rename("r1", name)  # what is kept of a run has to be looked at again
        lost.clear()
        work(store)
        assert lost, name


def test_assessments_repeats_faults_and_pauses_are_read_from_postgresql(postgres_store: Store) -> None:
    store = postgres_store
    stored_run(store, "r", ending="stopped", left=1)
    found = read_clarification(store.db, "r")
    assert len(found) == 3 and found["assessment"].iloc[0]["clarity"] == 1 and found["choices"].iloc[0] == ()
    (turn,) = store.conversations.turns("r-1")
    store.scores.add(turn.id, [a_score(0.6)], repeat=2)
    assert store.records.score_frame("r")["value"].iloc[0] == pytest.approx(0.7)
    assert store.scores.mean_scores_by_run("turn", "overall", "komachi")["r"] == pytest.approx((0.7 + 2 * 0.8) / 3)
    shown_text = self_agreement(store.scores.repeated("r"), "turn", "v1")
    assert shown_text is not None and shown_text.turns == 1
    bad = a_score(0, "simulated_user", "simulated_user").model_copy(
        update={"label": "invalid:empty", "reasons": "【重大】"}
    )
    store.scores.add(turn.id, [bad])
    assert invalid_conversations(store.scores.user_faults("r")) == {"r-1"}
    assert store.leases.take_over("r", "me", store.runs.get("r").plan) and store.runs.progress("r").seconds >= 0


@pytest.mark.usefixtures("home")
def test_a_database_on_a_server_is_checked_as_far_as_can_be(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    store = Store(postgres_url)
    a_run(store)
    monkeypatch.setenv("KIKU_DATABASE_URL", postgres_url)
    settings.cache_clear()
    assert main(["check"]) == 0
    output = capsys.readouterr().out
    assert "1 runs can be read, 0 cannot." in output and "The database is on a server" in output
    with store.db.engine.begin() as connection:
        connection.execute(text("DROP TABLE scores CASCADE"))
    store.close()
    assert main(["check"]) == 2
    output = capsys.readouterr().out
    assert "damaged: the table scores is missing" in output and "kiku.db" not in output
