"""What is particular to a database server: it can be away, refuse, restart, and many processes use it at once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from core.__main__ import main
from core.base.addresses import database_address
from core.base.errors import BadInput
from core.base.settings import ROOT, settings
from core.base.types import Bot, Score
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.runner import Runner
from core.store.leases import LeaseLost, Writer, check_lease
from core.store.schema import METADATA
from core.store.store import Store
from tests.store.test_store import GOOD, a_run
from tests.support.loopback import free_port
from tests.support.postgres_server import PASSWORD, QUOTED, Postgres, hidden
from tests.support.small_bot import a_turn


@pytest.fixture
def store(postgres_store: Store) -> Store:
    return postgres_store


def test_a_new_database_has_exactly_the_tables_that_the_code_knows(store: Store) -> None:
    ours = {"ix_scores_turn_id"}  # of verdicts, whose names are too long for an index here
    of_sqlite = {"ix_calls_sums", "ix_scores_values", "ix_turns_shape"}

    def wanted(thing: Any, name: str | None, *_: object) -> bool:
        return name not in ours | of_sqlite

    with store.db.engine.connect() as connection:
        known = MigrationContext.configure(connection, opts={"include_object": wanted})
        assert compare_metadata(known, METADATA) == []
        there = {
            str(index["name"]) for table in ("calls", "scores") for index in inspect(connection).get_indexes(table)
        }
    assert ours <= there and not of_sqlite & there


# A server that cannot be used


@pytest.mark.parametrize(
    ("what", "key"),
    [
        ("password", "database_refused"),
        ("user", "database_refused"),
        ("database", "database_missing"),
        ("server", "database_gone"),
        ("rights", "database_rights"),
        ("encoding", "database_encoding"),
    ],
)
def test_a_database_that_cannot_be_used_is_one_sentence_without_its_password(
    postgres: Postgres, what: str, key: str
) -> None:
    if what == "rights":
        postgres.execute(f"DO $$ BEGIN CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'; END $$")
    url = {
        "password": postgres.address("postgres", "secretly"),
        "user": postgres.address("postgres", user="nobody"),
        "database": postgres.address("nowhere"),
        "server": f"postgresql://kiku:{QUOTED}@127.0.0.1:{free_port()}/kiku",
        "rights": postgres.address(postgres.database().rpartition("/")[2], user="guest"),
        "encoding": postgres.database(encoding="LATIN1") if what == "encoding" else "",
    }[what]
    with pytest.raises(BadInput) as error:
        Store(database_address(url))
    assert error.value.key == key and "\n" not in str(error.value) and "127.0.0.1" in str(error.value)
    assert hidden(error.value) and hidden(error.value.details) and "secretly" not in str(error.value)


def test_the_command_line_ends_with_2_where_the_server_is_away(
    fresh_settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh_settings.setenv("KIKU_DATABASE_URL", f"postgresql://kiku:{QUOTED}@127.0.0.1:{free_port()}/kiku")
    assert main(["runs"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: The database postgresql://kiku:***@127.0.0.1:") and err.count("\n") == 1
    assert hidden(err) and hidden(repr(settings()))


def test_a_driver_that_is_missing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadInput, match=r"pip install -r requirements-scale\.txt") as error:
        Store(database_address("postgresql://kiku@127.0.0.1/kiku"))
    assert error.value.key == "no_driver"


def test_tables_that_a_newer_kiku_has_changed_are_left_alone(store: Store, postgres_url: str) -> None:
    with store.db.write() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(BadInput) as error:
        Store(postgres_url)
    assert error.value.key == "database_version"


def test_two_machines_that_start_at_once_make_the_tables_once(postgres: Postgres, tmp_path: Path) -> None:
    url = postgres.database()
    program = "from core.store.store import open_store; print(len(open_store().runs.all()))"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            env={**os.environ, "KIKU_DATABASE_URL": url, "KIKU_DATA_DIR": str(tmp_path / name)},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    shown_text = [process.communicate(timeout=120) for process in both]
    assert [out.strip() for out, _ in shown_text] == ["0", "0"], shown_text


# Texts that PostgreSQL would refuse


def test_nul_and_long_names_come_back_as_they_were(store: Store) -> None:
    odd = "a\0b \U0010fffd0 \U0010fffd1 \\u0000 \U0010fffd"
    a_run(store)
    store.conversations.add_turn("r1-1", 1, a_turn(odd, odd))
    judge = Score(
        judge="custom:" + "j" * 300, criterion="c" * 300, value=0.5, label=odd, reasons=odd, version="v" * 300
    )
    store.scores.add(store.conversations.turns("r1-1")[0].id, (judge,))
    (row,) = store.conversations.turns("r1-1")
    assert row.user_text == row.reply_text == odd and row.turn is not None and row.turn.message == odd
    assert (row.scores[0].judge, row.scores[0].criterion) == (judge.judge, judge.criterion)
    assert row.scores[0].reasons == odd
    store.conversations.fail("r1-2", odd)
    assert store.conversations.of_run("r1", "failed")[0].error == odd
    assert store.leases.take_over("r1", "me", {"bot": odd, odd: [odd, {"deep": odd}]}) is False
    store.runs.finish("r1", "done")
    assert store.leases.take_over("r1", "me", {"bot": odd, odd: [odd, {"deep": odd}]})
    (run,) = store.runs.all()  # looks into the plan
    assert run.plan == {"bot": odd, odd: [odd, {"deep": odd}]}


def test_times_come_back_in_utc(store: Store, postgres: Postgres) -> None:
    postgres.execute(f"ALTER DATABASE {store.db.url.rpartition('/')[2]} SET timezone = 'Asia/Tokyo'")
    store.db.engine.dispose()
    a_run(store)
    run = store.runs.get("r1")
    assert run is not None and run.created_at.tzinfo == UTC


# Leases among processes


def test_a_run_that_another_machine_holds_is_refused_until_its_lease_has_expired(
    store: Store, bot: Bot, tmp_path: Path, small_indexes: Indexes
) -> None:
    program = (
        "import os, sys; from pathlib import Path; from tests.support.small_bot import Gated; from core.runs.runner import Runner\n"
        "from core.store.store import Store; from core.retrieval.index_cache import Indexes; from tests.store.test_postgres_lost_connections import PLAN\n"
        "runner = Runner(Store(sys.argv[1]), Indexes(Path(sys.argv[2])), engine := Gated())\n"
        "print(runner.start(PLAN), flush=True); engine.asked.wait(60); os.kill(os.getpid(), 9)\n"
    )
    there = str(tmp_path / "another machine")
    arguments = [sys.executable, "-c", program, store.db.url, there]
    done = subprocess.run(
        arguments, env={**os.environ, "KIKU_DATA_DIR": there}, capture_output=True, text=True, timeout=120, cwd=ROOT
    )
    run_id = done.stdout.strip()
    assert done.returncode == -9 and run_id, done.stderr
    runner = Runner(store, small_indexes, EmbeddedEngine())
    try:
        with pytest.raises(BadInput) as error:
            runner.resume(run_id)  # it may be alive for all this machine knows
        assert error.value.key == "run_under_way"
        with store.db.write() as connection:
            connection.execute(text("update runs set leased_until = '2020-01-01 00:00:00+00'"))
        assert runner.resume(run_id).conversations == 24
        assert runner.wait(run_id, 120) and store.runs.progress(run_id).done == 24
    finally:
        runner.close()


def test_whoever_takes_a_run_over_waits_for_what_is_being_written_and_nothing_is_written_after(store: Store) -> None:
    a_run(store)
    assert store.leases.take_over("r1", "first", {}) is False  # created without an owner, its lease is new
    store.runs.finish("r1", "stopped")
    assert store.leases.take_over("r1", "first", {})
    with store.db.write() as connection:
        connection.execute(text("update runs set leased_until = '2020-01-01 00:00:00+00'"))
    refused: list[bool] = []
    with store.db.write() as writer, ThreadPoolExecutor(2) as others:
        check_lease(writer, "run", "r1", Writer("first"))
        store.leases.extend(["r1"], "second")  # nobody else's heartbeat waits
        work = others.submit(lambda: refused.append(store.leases.take_over("r1", "second", {})))
        waiting = (
            "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
        )
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with store.db.read() as reader:
                if reader.execute(text(waiting)).scalar():
                    break
        assert refused == []
        writer.execute(text("update conversations set closing = 'in time' where id = 'r1-1'"))
        writer.commit()
        work.result(20)
    assert refused == [True]
    with pytest.raises(LeaseLost):
        store.conversations.add_turn("r1-1", 1, a_turn(), writer=Writer("first"))
    with pytest.raises(LeaseLost):
        store.conversations.start("r1-2", Writer("first"))
    row = store.conversations.get("r1-1")
    assert row is not None and row.closing == "in time" and store.runs.progress("r1").turns == 0


def test_writers_of_one_run_and_its_heartbeat_go_side_by_side(store: Store) -> None:
    a_run(store)
    store.runs.finish("r1", "stopped")
    assert store.leases.take_over("r1", "me", {})
    with store.db.write() as one, store.db.write() as two, ThreadPoolExecutor(1) as other:
        check_lease(one, "run", "r1", Writer("me"))
        check_lease(two, "run", "r1", Writer("me"))
        other.submit(store.leases.extend, ["r1"], "me").result(20)


def test_more_threads_than_connections_write_at_once_and_nothing_is_lost(store: Store) -> None:
    a_run(store, conversations=96)
    store.runs.finish("r1", "stopped")
    assert store.leases.take_over("r1", "me", {})

    def chat(number: int) -> None:
        mark = f"r1-{number}"
        assert store.conversations.start(mark, Writer("me"))
        for turn in (1, 2):
            store.scores.add(
                store.conversations.add_turn(mark, turn, a_turn(), writer=Writer("me")), (GOOD,), Writer("me")
            )
        store.conversations.finish(mark, "done", writer=Writer("me"))

    with ThreadPoolExecutor(64) as threads:
        list(threads.map(chat, range(1, 97)))
    now = store.runs.progress("r1")
    assert (now.done, now.turns, len(store.records.score_frame("r1"))) == (96, 192, 192)


# Lost connections
