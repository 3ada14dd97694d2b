"""Runs on PostgreSQL while its server is restarted or a connection is lost: everything is there once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from core.base.calls import Call
from core.base.types import Bot
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.postgres import DatabaseUnavailable
from core.store.store import Store
from tests.store.test_store import GOOD, a_run
from tests.support.postgres_server import Postgres, hidden
from tests.support.resumed_runs import content
from tests.support.small_bot import a_turn

PLAN = Plan(bot="komachi", cross=True, repeats=4, seed=1, concurrency=4)


@pytest.fixture
def store(postgres_store: Store) -> Store:
    return postgres_store


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_run_outlives_a_restart_of_the_server(
    store: Store, postgres: Postgres, small_indexes: Indexes, bot: Bot, mode: str
) -> None:
    runner = Runner(store, small_indexes, engine := Slow())
    try:
        run_id = runner.start(PLAN)
        assert engine.warm.wait(60)
        postgres.down(mode)
        time.sleep(0.2)
        postgres.up()
        assert runner.wait(run_id, 180)
        now = store.runs.progress(run_id)
        assert (now.status, now.done, now.failed) == ("done", 24, 0)
        assert runner.wait(rerun := runner.start(PLAN), 180)
        assert content(store, run_id) == content(store, rerun)
    finally:
        runner.close()


class Slow(EmbeddedEngine):
    """Takes a while over each prompt; `warm` after the first sixty."""

    def __init__(self) -> None:
        super().__init__()
        self.warm, self._asked, self._lock = threading.Event(), 0, threading.Lock()

    def ask(self, prompt: Any) -> Any:
        with self._lock:
            self._asked += 1
            if self._asked == 60:
                self.warm.set()
        time.sleep(0.003)
        return super().ask(prompt)


CALL = Call(
    created_at=datetime(2026, 1, 1, tzinfo=UTC), run_id="r1", conversation_id="r1-1", purpose="p", role="bot",
    server="s", model="m", output_mode="text", key="k", repeat=1, prompt_tokens=1, cached_tokens=0, completion_tokens=1,
    cost=0.5, seconds=0.1, retries=0, request="{}", reply="{}",
)  # fmt: skip


WRITES: dict[str, Callable[[Store], object]] = {
    "turn": lambda store: store.conversations.add_turn("r1-1", 1, a_turn()),
    "scores": lambda store: store.scores.add(store.conversations.add_turn("r1-1", 1, a_turn()), (GOOD,)),
    "claim": lambda store: store.conversations.start("r1-1"),
    "run": lambda store: a_run(store, "r2"),
    "call": lambda store: store.calls.add(CALL),
    "take": lambda store: store.leases.take_over("r1", "me", {}),
    "message": lambda store: store.chats.begin_turn("r1-1", "hello"),
    "finish": lambda store: store.runs.finish("r1", "done"),
}


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_what_is_written_while_the_connection_is_lost_is_there_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, write: Callable[[Store], object], stored: bool
) -> None:
    a_run(store)
    if write is WRITES["take"]:
        store.runs.finish("r1", "stopped")
    dialect, lost = store.db.engine.dialect, []
    commit = dialect.do_commit

    def losing(connection: Any) -> None:
        """The server is lost at every commit's first try: before it was stored, or before that was told."""
        if len(lost) % 2 == 0:
            lost.append(True)
            if stored:
                commit(connection)
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        lost.append(False)
        commit(connection)

    monkeypatch.setattr(dialect, "do_commit", losing)
    result = write(store)
    monkeypatch.undo()
    assert lost and result is not False
    with store.db.read() as connection:
        counts = {
            table: connection.execute(text(f"select count(*) from {table}")).scalar_one()
            for table in ("runs", "conversations", "turns", "scores", "calls")
        }
    rows = {"runs": 2, "conversations": 4} if write is WRITES["run"] else {"runs": 1, "conversations": 2}
    turns = int(write in (WRITES["turn"], WRITES["scores"], WRITES["message"]))
    scores = int(write is WRITES["scores"])
    assert counts == {**rows, "turns": turns, "scores": scores, "calls": int(write is WRITES["call"])}


def test_a_page_soon_reports_a_lost_connection(store: Store, postgres: Postgres) -> None:
    a_run(store)
    postgres.down()
    try:
        with pytest.raises(DatabaseUnavailable) as error:
            store.runs.all()
        assert error.value.key == "database_gone" and hidden(error.value)
    finally:
        postgres.up()
    assert [run.id for run in store.runs.all()] == ["r1"]
