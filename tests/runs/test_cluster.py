"""On a real Dask cluster, with PostgreSQL and a Chroma server: each conversation is held once, whoever dies."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from core.__main__ import main
from core.base.errors import BadInput
from core.base.settings import settings
from core.cli.options import engine_named
from core.llm.engine_choice import OwnServer, session_engine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.database import now
from core.store.leases import Writer, WriterReplaced
from core.store.store import Store, open_store
from tests.support.model_server import ModelServer, serving
from tests.support.postgres_server import Postgres
from tests.support.resumed_runs import content
from tests.support.shared_results import share_results
from tests.support.small_bot import a_turn, small_bot

if os.name != "posix":
    pytest.skip("signals", allow_module_level=True)

from tests.support.dask_cluster import DaskCluster

WAIT = 300  # seconds, on a machine with much else to do; alone it takes a tenth of that
PLAN = Plan(bot="komachi", cross=True, seed=1, repeats=3, cache=False)


@pytest.fixture(scope="module")
def home(
    tmp_path_factory: pytest.TempPathFactory, postgres: Postgres
) -> Iterator[tuple[Path, DaskCluster, ModelServer]]:
    """Two workers, servers for everything, and one small bot, as the environment names them."""
    folder = tmp_path_factory.mktemp("cluster")
    small_bot(folder / "knowledge")
    share_results(folder / "data")
    cluster = DaskCluster(folder)
    with pytest.MonkeyPatch.context() as patch, serving(ModelServer()) as server:
        values = {
            "KIKU_DATA_DIR": str(folder / "data"),
            "KIKU_KNOWLEDGE_DIR": str(folder / "knowledge"),
            "KIKU_DATABASE_URL": postgres.database(),
            "KIKU_CHROMA_URL": cluster.chroma(),
            "KIKU_DASK_SCHEDULER": cluster.address,
            "KIKU_ENGINE": "openai",
            "KIKU_MODEL": "tiny",
            "KIKU_TIMEOUT": "20",
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": server.key,
        }
        for name, value in values.items():
            patch.setenv(name, value)
        settings.cache_clear()
        try:
            cluster.add_workers(2)
            yield folder, cluster, server
        finally:
            cluster.close()
    settings.cache_clear()


@pytest.fixture
def cluster(home: tuple[Path, DaskCluster, ModelServer]) -> DaskCluster:
    return home[1]


@pytest.fixture
def server(home: tuple[Path, DaskCluster, ModelServer]) -> ModelServer:
    home[2].delay = 0.02
    return home[2]


@pytest.fixture
def store(home: tuple[Path, DaskCluster, ModelServer]) -> Store:
    return open_store()


@pytest.fixture
def runner(store: Store) -> Iterator[Runner]:
    runner = Runner(store, Indexes(), engine_named(settings().engine))
    yield runner
    runner.close()


def until(seen: Callable[[], bool], seconds: float = WAIT) -> None:
    end = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < end
        time.sleep(0.02)


def judged_once(store: Store, run_id: str) -> bool:
    """Whether every criterion of every turn has one verdict."""
    frame = store.records.score_frame(run_id)
    same = Counter(zip(frame["conversation"], frame["turn"], frame["criterion"], strict=True))
    return set(same.values()) == {1} and bool(frame["value"].notna().all())


def test_a_run_on_the_cluster_ends_like_one_in_this_process(
    runner: Runner, store: Store, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = runner.start(PLAN)
    assert runner.wait(run_id, WAIT)
    progress = store.runs.progress(run_id)
    assert (progress.status, progress.done, progress.total) == ("done", 18, 18)
    assert judged_once(store, run_id)
    asked = [
        (one.key, one.conversation_id) for one in store.calls.newest(run_id, limit=10_000) if one.purpose != "Probe"
    ]
    assert len(set(asked)) == len(asked) > 18  # no call was made twice
    monkeypatch.setenv("KIKU_DASK_SCHEDULER", "")
    settings.cache_clear()
    here = runner.start(PLAN)
    assert runner.wait(here, WAIT)
    assert content(store, here) == content(store, run_id)


def test_a_run_that_is_stopped_stops_in_all_workers_and_goes_on_from_there(
    runner: Runner, store: Store, server: ModelServer
) -> None:
    settings.cache_clear()
    server.delay = 0.15
    run_id = runner.start(PLAN.model_copy(update={"repeats": 6}))
    until(lambda: store.runs.progress(run_id).turns > 4)
    begun = time.monotonic()
    runner.stop(run_id)
    assert runner.wait(run_id, WAIT)
    assert time.monotonic() - begun < 30
    stopped = store.runs.progress(run_id)
    assert stopped.status == "stopped" and stopped.stopped > 0 and stopped.running == 0
    asked = len(server.requests)
    time.sleep(0.5)
    assert len(server.requests) == asked  # nobody goes on
    planned = PLAN.model_copy(update={"repeats": 6, "today": date.today(), "first_message": "persona"})
    assert store.runs.get(run_id).plan == planned.model_dump(mode="json")  # type: ignore[union-attr]
    before = {
        row.id: [turn.id for turn in store.conversations.turns(row.id)] for row in store.conversations.of_run(run_id)
    }
    server.delay = 0.0
    runner.resume(run_id)
    assert runner.wait(run_id, WAIT)
    assert store.runs.progress(run_id).done == 36 and judged_once(store, run_id)
    for mark, turns in before.items():
        assert [turn.id for turn in store.conversations.turns(mark)][: len(turns)] == turns


def test_a_budget_holds_across_the_workers(runner: Runner, store: Store, server: ModelServer) -> None:
    settings.cache_clear()
    run_id = runner.start(PLAN.model_copy(update={"budget_calls": 40}))
    assert runner.wait(run_id, WAIT)
    run = store.runs.get(run_id)
    assert run and run.status == "stopped" and "budget of 40 calls" in run.error
    assert 40 <= store.calls.spending(run_id).calls <= 80  # what two workers begin within a second may come on top


def test_workers_with_other_documents_are_refused(
    home: tuple[Path, DaskCluster, ModelServer], runner: Runner, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home[0]
    shutil.copytree(folder / "knowledge", folder / "newer", dirs_exist_ok=True)
    (folder / "newer" / "komachi" / "documents" / "leave.md").write_text("# 休暇\n## 日数\n20日つきます。\n", "utf-8")
    monkeypatch.setenv("KIKU_KNOWLEDGE_DIR", str(folder / "newer"))
    settings.cache_clear()
    run_id = runner.start(PLAN)
    assert runner.wait(run_id, WAIT)
    run = store.runs.get(run_id)
    assert run and run.status == "stopped" and "other files or models than this server (documents)" in run.error
    assert store.runs.progress(run_id).turns == 0


def test_a_key_entered_on_a_page_is_not_for_the_cluster(runner: Runner, store: Store, server: ModelServer) -> None:
    settings.cache_clear()
    visitors = session_engine(settings(), store.calls, OwnServer(server.url, "sk-of-a-visitor"))
    with pytest.raises(BadInput, match="not sent there"):
        runner.start(PLAN, visitors)


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"KIKU_DATABASE_URL": "", "KIKU_CHROMA_URL": ""}, "Set KIKU_DATABASE_URL and KIKU_CHROMA_URL as well"),
        ({"KIKU_CHROMA_URL": ""}, "Set KIKU_CHROMA_URL as well"),
        ({"KIKU_DASK_SCHEDULER": "tcp://127.0.0.1:1"}, "No Dask scheduler answers"),
        ({"KIKU_DASK_SCHEDULER": "127.0.0.1"}, "tcp://127.0.0.1:8786"),
    ],
)
def test_what_a_cluster_lacks_is_reported_before_anything_begins(
    store: Store,
    environment: dict[str, str],
    named: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = len(store.runs.all())
    monkeypatch.setattr("core.runs.cluster.CONNECT_SECONDS", 1.0)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    assert main(["simulate", "--bot", "komachi", "--engine", "embedded"]) == 2
    error = capsys.readouterr().err.strip()
    assert named in error and "\n" not in error
    settings.cache_clear()
    monkeypatch.undo()
    settings.cache_clear()
    assert len(store.runs.all()) == before


def test_of_two_attempts_at_a_conversation_only_the_last_writes(runner: Runner, store: Store) -> None:
    settings.cache_clear()
    run_id = runner.start(PLAN.model_copy(update={"budget_calls": 1}))
    assert runner.wait(run_id, WAIT)
    mark, first, second = store.conversations.of_run(run_id)[-1].id, now(), now()
    store.runs.reopen(run_id, "somebody")
    assert store.conversations.start(mark, Writer("somebody", first))
    assert store.conversations.start(mark, Writer("somebody", second))
    with pytest.raises(WriterReplaced):
        store.conversations.add_turn(mark, 1, a_turn(), writer=Writer("somebody", first))
    turn = store.conversations.add_turn(mark, 1, a_turn(), writer=Writer("somebody", second))
    with pytest.raises(WriterReplaced):
        store.scores.add(turn, [], Writer("somebody", first))
    with pytest.raises(WriterReplaced):
        store.conversations.finish(mark, "done", "", Writer("somebody", first))
    store.conversations.finish(mark, "done", "", Writer("somebody", second))
    assert not store.conversations.start(mark, Writer("somebody", now()))  # it is over
    store.runs.finish(run_id, "stopped")


def test_a_worker_killed_in_the_middle_loses_nothing(
    cluster: DaskCluster, runner: Runner, store: Store, server: ModelServer
) -> None:
    settings.cache_clear()
    server.delay = 0.1
    run_id = runner.start(PLAN.model_copy(update={"repeats": 6}))
    until(lambda: store.runs.progress(run_id).turns > 8)
    before = {
        row.id: [turn.id for turn in store.conversations.turns(row.id)] for row in store.conversations.of_run(run_id)
    }
    cluster.workers[0].send_signal(signal.SIGKILL)
    server.delay = 0.02
    assert runner.wait(run_id, WAIT)
    progress = store.runs.progress(run_id)
    assert (progress.status, progress.done, progress.failed) == ("done", 36, 0)
    assert judged_once(store, run_id)
    assert content(store, run_id)  # which looks at the numbers of the turns
    for mark, turns in before.items():
        assert [turn.id for turn in store.conversations.turns(mark)][: len(turns)] == turns


@pytest.mark.parametrize("stopped", [True, False])
def test_a_run_that_has_lost_all_workers_ends_and_goes_on_with_new_ones(
    cluster: DaskCluster,
    runner: Runner,
    store: Store,
    server: ModelServer,
    stopped: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.cache_clear()
    monkeypatch.setattr("core.runs.cluster.NO_WORKERS_SECONDS", 60.0 if stopped else 1.0)
    server.delay = 0.1
    run_id = runner.start(PLAN)
    until(lambda: store.runs.progress(run_id).turns > 0)
    for worker in cluster.workers:
        worker.send_signal(signal.SIGKILL)
        worker.wait(20)
    if stopped:
        runner.stop(run_id)
    assert runner.wait(run_id, 50)
    run = store.runs.get(run_id)
    assert run and (run.status == "stopped" if stopped else run.status == "interrupted" and "no workers" in run.error)
    server.delay = 0.0
    cluster.add_workers()
    runner.resume(run_id)
    assert runner.wait(run_id, WAIT)
    progress = store.runs.progress(run_id)
    assert (progress.status, progress.done) == ("done", 18) and judged_once(store, run_id)


def test_a_worker_does_not_sample_its_threads(cluster: DaskCluster) -> None:
    """In Python 3.11 that can stop all of them for ever."""
    from distributed import Client

    with Client(cluster.address, set_as_default=False) as client:
        found = client.run(lambda dask_worker: "profile" in dask_worker.periodic_callbacks)
    assert found and not any(found.values())
