"""What was found in a run is kept until something in it changes, and no other run's verdicts get in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from core.store.look import TABLES
from core.store.looked import FOUND
from core.store.store import Store
from tests.earlier_runs import a_run, a_score
from tests.small import a_turn


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
    first = store.look("r1")
    first.values()
    with statements(store) as seen:
        assert store.look("r1") is first and len(first.values())
    assert not seen
    store.rename_run("r1", "x")  # changes no number
    with statements(store) as seen:
        assert store.look("r1") is first
    assert len(seen) == 5


def test_a_finding_is_worked_out_once_for_a_state_of_the_run(store: Store) -> None:
    a_run(store, "r1", ending="running", left=1)
    made: list[int] = []
    for _ in range(2):
        store.look("r1").found("n", lambda: made.append(1) or len(made))
    assert len(made) == 1
    store.start_conversation("r1-4")
    store.add_scores(store.add_turn("r1-4", 1, a_turn()), [a_score(0.4)])
    store.look("r1").found("n", lambda: made.append(1))
    assert len(made) == 2


@pytest.mark.parametrize(("before", "after"), [((None,), (0.0,)), ((1.0, 0.0), (0.0, 1.0))])
def test_a_verdict_in_place_of_the_newest_one_is_seen(
    store: Store, before: tuple[float | None, ...], after: tuple[float, ...]
) -> None:
    a_run(store, "r1", ending="running", left=1)
    store.start_conversation("r1-4")
    turn = store.add_turn("r1-4", 1, a_turn())

    def told(values: tuple[float | None, ...]) -> list[float | None]:
        scores = [a_score(value).model_copy(update={"criterion": f"c{n}"}) for n, value in enumerate(values)]
        store.add_scores(turn, scores)
        return [kept.value for kept in store.transcript("r1-4")[0].scores]

    told(before)
    look = store.look("r1")
    assert told(after) == list(after) and store.look("r1") is not look


def test_only_so_much_is_kept_of_a_run(store: Store) -> None:
    a_run(store, "r1")
    look = store.look("r1")
    first = look.values(judges=["turn"])
    assert look.values(judges=["turn"]) is first
    for number in range(TABLES):
        look.values({"turn": f"other{number}"})
    assert look.values(judges=["turn"]) is not first
    found = [look.found(number, lambda number=number: number) for number in range(FOUND + 1)]
    assert found == list(range(FOUND + 1)) and look.found(0, lambda: "anew") == "anew"


def test_runs_whose_turns_were_stored_in_turns_keep_their_own_verdicts(store: Store) -> None:
    for name in ("r1", "r2"):
        a_run(store, name, left=1, ending="running")
    for name, value in (("r1", 0.2), ("r2", 1.0)):  # the verdicts of r2 lie between those of r1
        store.start_conversation(f"{name}-4")
        store.add_scores(store.add_turn(f"{name}-4", 1, a_turn()), [a_score(value)])
    for name in ("r1", "r2"):
        store.finish_run(name, "done")
        quick, slow = store.score_values(name), store.score_frame(name)
        assert quick["value"].tolist() == pytest.approx(slow["value"].tolist())
        assert {str(mark).partition("-")[0] for mark in quick["conversation"]} == {name}
