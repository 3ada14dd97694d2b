"""What was found in a run is kept until something in it changes, and no other run's verdicts get in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from core.store.run_tables import LARGE_CACHED, RESULTS_CACHED
from core.store.score_tables import score_values
from core.store.store import Store
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run, a_score


@contextmanager
def statements(store: Store) -> Iterator[list[str]]:
    """The statements that are executed meanwhile."""
    seen: list[str] = []

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        seen.append(statement)

    event.listen(store.db.engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(store.db.engine, "before_cursor_execute", note)


def test_nothing_is_asked_while_nothing_was_written(store: Store) -> None:
    a_run(store, "r1")
    first = store.tables.of_run("r1")
    score_values(first)
    with statements(store) as seen:
        assert store.tables.of_run("r1") is first and len(score_values(first))
    assert not seen
    store.runs.rename("r1", "x")  # changes no number
    with statements(store) as seen:
        assert store.tables.of_run("r1") is first
    assert len(seen) == 5


def test_a_result_is_computed_once_for_a_state_of_the_run(store: Store) -> None:
    a_run(store, "r1", ending="running", left=1)
    made: list[int] = []
    for _ in range(2):
        store.tables.of_run("r1").cached("n", lambda: made.append(1) or len(made))
    assert len(made) == 1
    store.conversations.start("r1-4")
    store.scores.add(store.conversations.add_turn("r1-4", 1, a_turn()), [a_score(0.4)])
    store.tables.of_run("r1").cached("n", lambda: made.append(1))
    assert len(made) == 2


@pytest.mark.parametrize(("before", "after"), [((None,), (0.0,)), ((1.0, 0.0), (0.0, 1.0))])
def test_a_verdict_in_place_of_the_newest_one_is_seen(
    store: Store, before: tuple[float | None, ...], after: tuple[float, ...]
) -> None:
    a_run(store, "r1", ending="running", left=1)
    store.conversations.start("r1-4")
    turn = store.conversations.add_turn("r1-4", 1, a_turn())

    def means_of(values: tuple[float | None, ...]) -> list[float | None]:
        scores = [a_score(value).model_copy(update={"criterion": f"c{n}"}) for n, value in enumerate(values)]
        store.scores.add(turn, scores)
        return [stored.value for stored in store.conversations.turns("r1-4")[0].scores]

    means_of(before)
    tables = store.tables.of_run("r1")
    assert means_of(after) == list(after) and store.tables.of_run("r1") is not tables


def test_only_so_much_of_a_run_is_cached(store: Store) -> None:
    a_run(store, "r1")
    tables = store.tables.of_run("r1")
    first = score_values(tables, judges=["turn"])
    assert score_values(tables, judges=["turn"]) is first
    for number in range(LARGE_CACHED):
        score_values(tables, {"turn": f"other{number}"})
    assert score_values(tables, judges=["turn"]) is not first
    found = [tables.cached(number, lambda number=number: number) for number in range(RESULTS_CACHED + 1)]
    assert found == list(range(RESULTS_CACHED + 1)) and tables.cached(0, lambda: "anew") == "anew"


def test_runs_whose_turns_were_stored_in_turns_keep_their_own_verdicts(store: Store) -> None:
    for name in ("r1", "r2"):
        a_run(store, name, left=1, ending="running")
    for name, value in (("r1", 0.2), ("r2", 1.0)):  # the verdicts of r2 lie between those of r1
        store.conversations.start(f"{name}-4")
        store.scores.add(store.conversations.add_turn(f"{name}-4", 1, a_turn()), [a_score(value)])
    for name in ("r1", "r2"):
        store.runs.finish(name, "done")
        from_columns, slow = score_values(store.tables.of_run(name)), store.records.score_frame(name)
        assert from_columns["value"].tolist() == pytest.approx(slow["value"].tolist())
        assert {str(mark).partition("-")[0] for mark in from_columns["conversation"]} == {name}
