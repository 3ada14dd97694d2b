"""After kill -9 a run goes on where it stopped; two processes never hold the same conversation."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from core.__main__ import main
from core.base.settings import ROOT, settings
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.runner import Runner
from core.store.store import Store, open_store
from tests.conftest import copy_database
from tests.support.model_server import ModelServer
from tests.support.resumed_runs import content
from tests.support.shared_results import share_results

SIMULATE = ["simulate", "--bot", "komachi", "--personas", "all", "--seed", "1", "--json", "--repeats"]
posix = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.fixture
def home(home: Path, empty_database: Path, small_index: Path) -> Path:
    """With a database, an index and words that no process needs to make again."""
    copy_database(empty_database, share_results(home / "data"))
    shutil.copytree(small_index, home / "data" / "chroma")
    return home


def killed(command: list[str], when: Callable[[], bool]) -> str:
    """The run of a command that is killed (kill -9) at some moment."""
    process = subprocess.Popen(
        [sys.executable, "-m", "core", *command], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 60
        while process.poll() is None and not when() and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait(20) == -signal.SIGKILL
    finally:
        process.kill()
    return open_store().runs.all()[0].id


def turns_of(store: Store) -> int:
    with store.db.read() as connection:
        return int(connection.execute(text("select count(*) from turns")).scalar() or 0)


@posix
def test_a_killed_run_goes_on_and_ends_like_an_unbroken_one(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    run_id = killed([*SIMULATE, "30", "--judges", "turn,string_distance"], lambda: turns_of(store) > 30)
    before = {
        row.id: [turn.id for turn in store.conversations.turns(row.id)] for row in store.conversations.of_run(run_id)
    }
    assert main(["resume", run_id, "--json"]) == 0
    assert store.runs.progress(run_id).status == "done" and store.runs.progress(run_id).done == 180
    for mark, turns in before.items():
        assert [turn.id for turn in store.conversations.turns(mark)][: len(turns)] == turns  # not said again
    assert main([*SIMULATE, "30", "--judges", "turn,string_distance"]) == 0
    (unbroken,) = (run.id for run in store.runs.all() if run.id != run_id)
    assert 0 < sum(map(len, before.values())) < store.runs.progress(unbroken).turns
    assert content(store, run_id) == content(store, unbroken)
    left, right = store.records.score_frame(run_id), store.records.score_frame(unbroken)
    assert left.drop(columns="conversation").equals(right.drop(columns="conversation"))


@posix
def test_no_finished_call_of_a_killed_run_is_paid_twice(
    home: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": server.key, "KIKU_MODEL": "tiny"}.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    store, server.delay = open_store(), 0.01
    run_id = killed([*SIMULATE, "3", "--engine", "openai"], lambda: len(server.requests) > 60)
    while server.now:  # replies that nobody waits for any more
        time.sleep(0.01)
    paid, asked = store.calls.newest(limit=10_000), len(server.requests)
    assert len(paid) > 20
    assert main(["resume", run_id]) == 0  # on the engine that it began with
    assert "Changed" not in capsys.readouterr().err
    fresh = [call for call in store.calls.newest(limit=10_000) if call.id not in {one.id for one in paid}]
    assert len(server.requests) - asked == len(fresh) > 0
    assert not {(call.key, call.repeat) for call in fresh} & {(call.key, call.repeat) for call in paid}
    assert store.runs.progress(run_id).done == 18 and store.records.score_frame(run_id)["value"].notna().all()
    asked = len(server.requests)
    assert main([*SIMULATE, "3", "--engine", "openai"]) == 0
    (unbroken,) = (run.id for run in store.runs.all() if run.id != run_id)
    assert len(server.requests) == asked and content(store, unbroken) == content(store, run_id)


@posix
def test_two_processes_that_resume_one_run_hold_each_conversation_once(
    home: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": server.key, "KIKU_MODEL": "tiny", "KIKU_CACHE": "false"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    store, server.delay = open_store(), 0.01
    run_id = killed([*SIMULATE, "3", "--engine", "openai", "--no-cache"], lambda: turns_of(store) > 5)
    command = [sys.executable, "-m", "core", "resume", run_id, "--json"]
    both = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    shown_text = [process.communicate(timeout=120)[1] for process in both]
    codes = [process.returncode for process in both]
    assert 0 in codes and set(codes) <= {0, 2}, shown_text
    assert all("still running" in err for code, err in zip(codes, shown_text, strict=True) if code == 2)
    assert store.runs.progress(run_id).done == 18
    assert all(
        len({turn.number for turn in store.conversations.turns(row.id)}) for row in store.conversations.of_run(run_id)
    )
    for row in store.conversations.of_run(run_id):  # a turn is judged by one call
        judged = [
            c for c in store.calls.newest(run_id, row.id, limit=1_000) if c.purpose == "JudgeTurn" and not c.error
        ]
        assert len(judged) <= len(store.conversations.turns(row.id)) + 1  # one may have been lost to the kill


@posix
def test_a_running_server_notices_that_another_has_died(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.heartbeat.BEAT_SECONDS", 0.05)
    store = open_store()
    living = Runner(store, Indexes(), EmbeddedEngine())
    try:
        run_id = killed([*SIMULATE, "30"], lambda: turns_of(store) > 3)
        until = time.monotonic() + 30
        while store.runs.progress(run_id).status == "running" and time.monotonic() < until:
            time.sleep(0.02)
        assert store.runs.progress(run_id).status == "interrupted" and store.runs.progress(run_id).running == 0
    finally:
        living.close()
