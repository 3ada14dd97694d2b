"""What conversations write on SQLite's own connection is what the usual way writes, under the same conditions."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from core.base.types import Score
from core.store import quick
from core.store.database import now
from core.store.leases import ClaimLost, LeaseLost
from core.store.recording import TURNS
from core.store.runs import CONVERSATIONS, RUNS, SCORES
from core.store.store import Store
from tests.small import a_turn
from tests.test_store import GOOD, NONE, a_run

AT = datetime(2026, 3, 1, 9, 30, 0, 250, UTC)
SAME_JUDGE = GOOD.model_copy(update={"value": 0.4, "reasons": "改行\nと「引用」と\0"})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(f"sqlite:///{tmp_path / 'kiku.db'}")
    a_run(store)
    with store.db.write() as connection:
        connection.execute(update(RUNS).values(owner="me"))
    return store


def tables(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of what a run writes, but for the moments at which it happened to write them."""
    with store.db.read() as connection:
        return {
            table.name: [
                tuple((name, type(value), value) for name, value in row.items() if not isinstance(value, datetime))
                for row in connection.execute(select(table).order_by(table.c.id)).mappings()
            ]
            for table in (CONVERSATIONS, TURNS, SCORES)
        }


def a_day(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All that conversations write, with and without owner and claim."""
    assert store.start_conversation("r1-1", "me", AT)
    assert store.start_conversation("r1-2")
    assert not store.start_conversation("r1-2")
    turn = store.add_turn("r1-1", 1, a_turn(), "opening", owner="me", claim=AT)
    other = store.add_turn("r1-2", 1, a_turn(), "going_on")
    store.add_scores(turn, [GOOD, NONE], "me", AT)
    store.add_scores(turn, [Score(judge="distance", criterion="overall", value=None, error="x", version="v")])
    store.add_scores(other, [GOOD])
    store.add_scores(other, [SAME_JUDGE])
    store.add_scores(other, [GOOD], repeat=2)
    store.add_scores(other, [])
    store.finish_conversation("r1-1", "done", "ありがとう\0", "me", AT)
    store.finish_conversation("r1-2", "gave_up")
    return tables(store)


def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual way only."""
    monkeypatch.setattr(quick, "_changed", lambda *given: (0, 0))


def test_the_rows_are_those_of_the_usual_way(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quickly = a_day(store)
    assert [len(rows) for rows in quickly.values()] == [2, 2, 5]
    without(monkeypatch)
    usual = Store(f"sqlite:///{tmp_path / 'other' / 'kiku.db'}")
    a_run(usual)
    with usual.db.write() as connection:
        connection.execute(update(RUNS).values(owner="me"))
    assert a_day(usual) == quickly


def test_moments_come_back_as_they_were(store: Store) -> None:
    store.start_conversation("r1-1", "me", AT)
    before = now()
    turn = store.add_turn("r1-1", 1, a_turn())
    store.finish_conversation("r1-1", "done")
    with store.db.read() as connection:
        row = connection.execute(select(CONVERSATIONS).where(CONVERSATIONS.c.id == "r1-1")).mappings().one()
        made = connection.execute(select(TURNS.c.created_at).where(TURNS.c.id == turn)).scalar_one()
    assert row["started_at"] == AT
    assert before <= made <= row["finished_at"] <= now()


def test_it_is_the_quick_way_that_is_gone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_other(*given: object) -> None:
        raise AssertionError("the usual way was gone")

    monkeypatch.setattr(store.db, "write", no_other)
    assert store.start_conversation("r1-1", "me")
    turn = store.add_turn("r1-1", 1, a_turn(), owner="me")
    store.add_scores(turn, [GOOD, NONE], "me")
    store.finish_conversation("r1-1", "done", "", "me")
    assert [score.value for score in store.transcript("r1-1")[0].scores] == [0.8, None]


def test_nothing_is_written_into_a_run_of_another_owner(store: Store) -> None:
    store.start_conversation("r1-1", "me")
    turn = store.add_turn("r1-1", 1, a_turn(), owner="me")
    before = tables(store)
    for write in (
        lambda: store.start_conversation("r1-2", "you"),
        lambda: store.add_turn("r1-1", 2, a_turn(), owner="you"),
        lambda: store.add_scores(turn, [GOOD], "you"),
        lambda: store.finish_conversation("r1-1", "done", "", "you"),
    ):
        with pytest.raises(LeaseLost):
            write()
    store.finish_run("r1", "interrupted")
    with pytest.raises(LeaseLost):
        store.add_turn("r1-1", 2, a_turn(), owner="me")
    assert tables(store)["turns"] == before["turns"] and not tables(store)["scores"]


def test_nothing_is_written_by_an_attempt_that_another_one_has_replaced(store: Store) -> None:
    store.start_conversation("r1-1", "me", AT)
    turn = store.add_turn("r1-1", 1, a_turn(), owner="me", claim=AT)
    assert store.start_conversation("r1-1", "me", AT + timedelta(microseconds=1))
    before = tables(store)
    for write in (
        lambda: store.add_turn("r1-1", 2, a_turn(), owner="me", claim=AT),
        lambda: store.add_scores(turn, [GOOD], "me", AT),
        lambda: store.finish_conversation("r1-1", "done", "", "me", AT),
    ):
        with pytest.raises(ClaimLost):
            write()
    assert tables(store) == before


def test_a_turn_that_is_there_already_is_an_error_and_stays(store: Store) -> None:
    store.add_turn("r1-1", 1, a_turn())
    before = tables(store)
    with suppress(Exception):
        store.add_turn("r1-1", 1, a_turn())
        pytest.fail("the same turn was stored twice")
    assert tables(store) == before


def test_a_later_verdict_takes_the_place_of_an_earlier_one_but_none_of_a_score(store: Store) -> None:
    turn = store.add_turn("r1-1", 1, a_turn())
    store.add_scores(turn, [GOOD, NONE])
    store.add_scores(turn, [GOOD.model_copy(update={"value": None, "error": "busy"})])
    assert {score.criterion: score.value for score in store.transcript("r1-1")[0].scores} == {
        "overall": 0.8,
        "correctness": None,
    }
    store.add_scores(turn, [SAME_JUDGE, NONE.model_copy(update={"value": 0.2, "error": ""})])
    found = {score.criterion: score for score in store.transcript("r1-1")[0].scores}
    assert {name: score.value for name, score in found.items()} == {"overall": 0.4, "correctness": 0.2}
    assert found["overall"].reasons == SAME_JUDGE.reasons
