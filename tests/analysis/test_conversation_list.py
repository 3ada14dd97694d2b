"""The list of a run's conversations, made of arrays, says what the rows of the database do one by one."""

from __future__ import annotations

from statistics import mean

import pytest
from sqlalchemy import select, update

from core.analysis.conversation_list import ListedConversation, list_conversations
from core.store.run_tables import LARGE_CACHED
from core.store.schema import SCORES, TURNS
from core.store.store import Store
from tests.store.test_score_tables import JUDGES, random_run
from tests.support.reference_search import an_odd_run
from tests.support.stored_runs import a_run


def by_rows(store: Store, run_id: str, judge: str, criterion: str, version: str) -> list[ListedConversation]:
    """The same list, conversation by conversation and verdict by verdict."""
    same = (SCORES.c.judge == judge) & (SCORES.c.criterion == criterion) & (SCORES.c.version == version)
    found: list[ListedConversation] = []
    for conversation in store.conversations.of_run(run_id):
        with store.db.read() as connection:
            turns = connection.execute(select(TURNS).where(TURNS.c.conversation_id == conversation.id)).all()
            score_rows = [
                connection.execute(select(SCORES).where(same, SCORES.c.turn_id == row.id)).all() for row in turns
            ]
        known = [[row for row in rows if row.value is not None] for rows in score_rows]
        values = [mean(row.value for row in rows) for rows in known if rows]
        asks = sum(row.decision == "ask" for row in turns) if all(row.decision for row in turns) else None
        row = ListedConversation(
            conversation.id, conversation.number, conversation.question, conversation.persona_id, conversation.persona_name, conversation.kind, conversation.status, conversation.ending,
            asks, mean(values) if values else None, frozenset(row.label for rows in known for row in rows),
        )  # fmt: skip
        found.append(row)
    return found


def same(listed: list[ListedConversation], slow: list[ListedConversation]) -> bool:
    assert [row.score for row in listed] == [row.score and pytest.approx(row.score) for row in slow]
    return [row._replace(score=None) for row in listed] == [row._replace(score=None) for row in slow]


@pytest.mark.parametrize("seed", [0, 4, 8])
def test_a_list_is_what_the_rows_say(store: Store, seed: int) -> None:
    an_odd_run(store, "odd", seed)  # ids of other runs' turns lie among those of this one
    random_run(store, seed, "running" if seed % 3 else "done")
    with store.db.write() as connection:
        for number, decision in enumerate(("ask", "", "ask", "search"), seed + 1):
            connection.execute(update(TURNS).where(TURNS.c.id % (seed + 4) == number % 4).values(decision=decision))
    for run_id in ("r", "odd"):
        tables = store.tables.of_run(run_id)
        asked = [(judge, name, version) for judge in JUDGES for name in JUDGES[judge] for version in ("v1", "v2", "")]
        for wanted in (*asked, ("own", "own", "v1"), ("nobody", "overall", "v1")):
            assert same(list_conversations(tables, *wanted), by_rows(store, run_id, *wanted)), wanted
    assert list_conversations(store.tables.of_run("nothing"), "turn", "overall", "v1") == []


def test_each_judge_is_shown_by_one_criterion_of_its_current_version(store: Store) -> None:
    for seed in range(4):
        random_run(store, seed, "stopped")
        shown_text = {name: (one.main_criterion, one.version) for name, one in store.records.judges("r").items()}
        assert store.tables.of_run("r").main_criteria() == shown_text
        store.runs.delete("r")


def test_only_so_many_lists_are_cached(store: Store) -> None:
    a_run(store, "r1")
    tables = store.tables.of_run("r1")
    first = list_conversations(tables, "turn", "overall", "v1")
    assert list_conversations(tables, "turn", "overall", "v1") is first
    for number in range(LARGE_CACHED):
        list_conversations(tables, "turn", "overall", f"v{number + 2}")
    assert list_conversations(tables, "turn", "overall", "v1") is not first
