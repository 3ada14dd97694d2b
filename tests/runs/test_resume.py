"""A run that was broken off goes on where it stopped: nothing is lost, said, judged or paid for twice."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import event, text

from core.base.bot_edits import save_bot
from core.base.errors import BadInput
from core.base.prompt import Engine, Prompt
from core.base.types import Bot
from core.judges.turn.turn import JudgeTurn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs import heartbeat as heartbeats
from core.runs.heartbeat import Heartbeat, find_interrupted
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.leases import LeaseLost, Writer, lease_end
from core.store.schema import RUNS
from core.store.store import Store
from tests.support.model_server import ModelServer, engine_on
from tests.support.resumed_runs import PLAN, content, ended
from tests.support.small_bot import Gated, Stumbling, a_turn
from tests.support.stored_runs import a_run


@pytest.fixture
def make(store: Store, small_indexes: Indexes, bot: Bot) -> Iterator[Callable[..., Runner]]:
    """Makes servers on one database."""
    made: list[Runner] = []

    def another(engine: Engine | None = None) -> Runner:
        made.append(Runner(store, small_indexes, engine or EmbeddedEngine()))
        return made[-1]

    yield another
    for runner in made:
        runner.close()


# Leases


def test_a_run_under_way_is_refused_and_one_whose_lease_expired_is_taken_over(
    make: Callable[..., Runner], store: Store
) -> None:
    sleeper = make(engine := Gated())
    run_id = sleeper.start(PLAN)
    assert engine.asked.wait(20)
    second = make()
    for runner in (sleeper, second):
        with pytest.raises(BadInput) as raised:
            runner.resume(run_id)
        assert raised.value.key == "run_under_way"
    with store.db.write() as connection:
        connection.execute(text("update runs set leased_until = '2020-01-01 00:00:00'"))
    assert second.resume(run_id).conversations == 12
    ended(second, run_id)
    after = content(store, run_id)
    engine.gate.set()  # it wakes, and finds its run another's
    ended(sleeper, run_id)
    run = store.runs.get(run_id)
    assert run is not None and (run.status, run.error) == ("done", "")
    assert content(store, run_id) == after == content(store, ended(second, second.start(PLAN)))


def test_a_conversation_is_claimed_once_and_only_by_the_owner_of_its_run(
    make: Callable[..., Runner], store: Store
) -> None:
    runner = make(engine := Gated())
    run_id = runner.start(Plan(bot="komachi", concurrency=1))
    assert engine.asked.wait(20)
    run = store.runs.get(run_id)
    assert run is not None
    first, second, _ = (row.id for row in store.conversations.of_run(run_id))
    assert not store.conversations.start(first, Writer(run.owner))
    writes: list[Callable[[], object]] = [
        lambda: store.conversations.start(second, Writer("other")),
        lambda: store.conversations.add_turn(first, 1, a_turn(), writer=Writer("other")),
        lambda: store.conversations.fail(first, "no", Writer("other")),
        lambda: store.conversations.finish(first, "done", writer=Writer("other")),
    ]
    for write in writes:
        with pytest.raises(LeaseLost):
            write()
    store.runs.finish(run_id, "done", owner="other")
    assert store.runs.progress(run_id).status == "running" and store.runs.progress(run_id).turns == 0
    engine.gate.set()


def test_heartbeats_keep_a_run(make: Callable[..., Runner], store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.heartbeat.BEAT_SECONDS", 0.02)
    runner = make(engine := Gated())
    run_id = runner.start(PLAN)
    assert engine.asked.wait(20)
    first = store.runs.get(run_id)
    until = time.monotonic() + 20
    while store.runs.get(run_id) == first and time.monotonic() < until:
        time.sleep(0.01)
    later = store.runs.get(run_id)
    assert first and later and first.leased_until and later.leased_until and later.leased_until > first.leased_until
    engine.gate.set()


# Stop, retry, full disk


def test_a_stopped_run_goes_on_with_the_turns_it_has(make: Callable[..., Runner], store: Store) -> None:
    class Stopping(EmbeddedEngine):
        """Has its run stopped while the tenth turn is judged."""

        asked = 0

        def ask(self, prompt: Prompt[Any]) -> Any:
            self.asked += isinstance(prompt, JudgeTurn)
            if self.asked == 10:
                runner.stop(runner.running()[0])
            return super().ask(prompt)

    runner = make(Stopping())
    run_id = ended(runner, runner.start(PLAN))
    stopped = store.runs.progress(run_id)
    assert stopped.status == "stopped" and stopped.turns >= 10 and stopped.stopped
    assert runner.resume(run_id, EmbeddedEngine()).conversations == stopped.stopped
    ended(runner, run_id)
    fresh = make()
    assert content(store, run_id) == content(store, ended(fresh, fresh.start(PLAN)))


def test_turns_without_verdicts_are_judged_and_the_others_are_not(make: Callable[..., Runner], store: Store) -> None:
    runner = make()
    run_id = ended(runner, runner.start(PLAN))
    whole = content(store, run_id)
    (first, second, *_) = (store.conversations.turns(row.id)[0].id for row in store.conversations.of_run(run_id))
    with store.db.write() as connection:
        connection.execute(text("update conversations set status = 'stopped'"))
        connection.execute(text("update runs set status = 'interrupted'"))
        connection.execute(text(f"delete from scores where turn_id = {first}"))
        connection.execute(text(f"update scores set value = null, error = 'gone' where turn_id = {second}"))
    judged: Counter[str] = Counter()

    def count(prompt: Prompt[object]) -> bool:
        judged[type(prompt).__name__] += 1
        return False

    runner.resume(run_id, Stumbling(count))
    ended(runner, run_id)
    assert judged["JudgeTurn"] == 2 and set(judged) <= {"JudgeTurn", "NextMessage"}
    assert content(store, run_id) == whole


def test_a_failed_conversation_is_retried_from_the_turn_that_failed(make: Callable[..., Runner], store: Store) -> None:
    def over(prompt: Prompt[object]) -> bool:
        return type(prompt).__name__ == "NextMessage" and prompt.scenario.id == "q2"  # type: ignore[attr-defined]

    runner = make(Stumbling(over))
    run_id = ended(runner, runner.start(PLAN))
    failed = store.conversations.of_run(run_id, "failed")
    assert len(failed) == 4 and {row.scenario_id for row in failed} == {"q2"}
    turns = {row.id: [turn.id for turn in store.conversations.turns(row.id)] for row in failed}
    assert all(len(ids) == 1 for ids in turns.values())
    assert runner.resume(run_id).conversations == 0  # only if it is asked for
    ended(runner, run_id)
    assert runner.resume(run_id, Stumbling(lambda prompt: True), retry_failed=True).conversations == 4
    ended(runner, run_id)
    assert store.conversations.of_run(run_id, "failed") == [
        row.model_copy(update={"started_at": new.started_at, "finished_at": new.finished_at})
        for row, new in zip(failed, store.conversations.of_run(run_id, "failed"), strict=True)
    ]
    runner.resume(run_id, EmbeddedEngine(), retry_failed=True)
    ended(runner, run_id)
    assert all([turn.id for turn in store.conversations.turns(mark)][:1] == ids for mark, ids in turns.items())
    fresh = make()
    assert content(store, run_id) == content(store, ended(fresh, fresh.start(PLAN)))


def test_the_error_of_a_retry_that_was_broken_off_stays(make: Callable[..., Runner], store: Store) -> None:
    runner = make(Stumbling(lambda prompt: True))
    run_id = ended(runner, runner.start(PLAN))
    runner.resume(run_id, engine := Gated(), retry_failed=True)
    assert engine.asked.wait(20)
    runner.stop(run_id)
    engine.gate.set()
    ended(runner, run_id)
    left = [row for row in store.conversations.of_run(run_id) if row.status != "done"]
    assert left and {(row.status, row.error) for row in left} == {("failed", "RuntimeError: the model fell over")}


def test_a_full_disk_breaks_a_run_off_and_loses_nothing(make: Callable[..., Runner], store: Store) -> None:
    most = 0

    def filled(connection: Any, record: object) -> None:
        if most:
            connection.execute(f"PRAGMA max_page_count={most}")

    event.listen(store.db.engine, "connect", filled)
    runner = make(engine := Gated())
    run_id = runner.start(PLAN.model_copy(update={"repeats": 10}))
    assert engine.asked.wait(20)
    with store.db.read() as connection:
        most = int(connection.exec_driver_sql("PRAGMA page_count").scalar() or 0) + 30
    store.db.engine.dispose()
    engine.gate.set()
    ended(runner, run_id)
    full = store.runs.progress(run_id)
    assert full.turns > 0 and full.failed == 0 and full.done < full.total
    most = 0
    store.db.engine.dispose()
    runner.resume(run_id, EmbeddedEngine())
    ended(runner, run_id)
    fresh = make()
    rerun = ended(fresh, fresh.start(PLAN.model_copy(update={"repeats": 10})))
    assert content(store, run_id) == content(store, rerun)


def test_an_end_that_cannot_be_stored_is_told_and_stored_with_a_later_heartbeat(
    make: Callable[..., Runner], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeats, "BEAT_SECONDS", 0.05)
    with store.db.write() as connection:
        full = "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        connection.exec_driver_sql(f"CREATE TRIGGER full BEFORE UPDATE OF status ON runs {full}")
    runner = make()
    run_id = runner.start(PLAN)
    assert runner.wait(run_id, 60)
    assert store.runs.progress(run_id).status == "running" and "disk is full" in runner.unstored_end(run_id)
    with store.db.write() as connection:
        connection.exec_driver_sql("DROP TRIGGER full")
    until = time.monotonic() + 20
    while store.runs.progress(run_id).status == "running" and time.monotonic() < until:
        time.sleep(0.02)
    assert store.runs.progress(run_id).status == "done" and not runner.unstored_end(run_id)


def test_a_run_goes_on_with_the_bot_as_it_is_now_and_says_so(
    make: Callable[..., Runner], store: Store, bot: Bot
) -> None:
    runner = make(Stumbling(lambda prompt: True))
    run_id = ended(runner, runner.start(PLAN))
    assert "Changed" not in runner.resume(run_id, Stumbling(lambda prompt: True)).warning
    ended(runner, run_id)
    save_bot(bot, {"prompt": "短く答えてください。"})
    (bot.folder / "documents" / "care.md").unlink()
    shown_text = runner.resume(run_id, EmbeddedEngine(), retry_failed=True)
    assert set(shown_text.changed) == {"bot.toml", "care.md", "engine"} and "bot.toml, care.md" in shown_text.warning
    ended(runner, run_id)
    assert store.runs.progress(run_id).done == 12


def test_a_budget_that_is_used_up_can_be_raised(server: ModelServer, make: Callable[..., Runner], store: Store) -> None:
    runner, plan = make(engine_on(server, store)), PLAN.model_copy(update={"budget_calls": 30})
    run_id = ended(runner, runner.start(plan))
    runner.resume(run_id)
    ended(runner, run_id)
    run = store.runs.get(run_id)
    assert run is not None and run.status == "stopped" and "used up" in run.error
    assert store.calls.spending(run_id).calls == 30
    runner.resume(run_id, budget_calls=10_000)
    ended(runner, run_id)
    run = store.runs.get(run_id)
    assert run is not None and (run.status, run.error) == ("done", "") and run.plan["budget_calls"] == 10_000
    assert store.records.score_frame(run_id)["value"].notna().all()


@pytest.mark.parametrize("known", [False, True])
def test_what_cannot_be_resumed_is_reported(known: bool, make: Callable[..., Runner], store: Store) -> None:
    runner = make()
    run_id = ended(runner, runner.start(PLAN)) if known else "nowhere"
    with store.db.write() as connection:
        connection.execute(text("""update runs set plan = '{"bot": "komachi", "file": "a.csv", "judges": []}'"""))
    with pytest.raises(BadInput) as error:
        runner.resume(run_id)
    assert error.value.key == ("not_resumable" if known else "unknown_run")


# Side by side


def test_the_judges_of_one_turn_work_side_by_side(make: Callable[..., Runner], store: Store) -> None:
    class Meeting(EmbeddedEngine):
        """Two judges' prompts are answered only once both are there."""

        met = threading.Barrier(2)

        def ask(self, prompt: Prompt[Any]) -> Any:
            if type(prompt).__name__.startswith("Judge"):
                self.met.wait(20)
            return super().ask(prompt)

    runner = make(Meeting())
    plan = Plan(bot="komachi", scenarios=("q1",), judges=("turn", "criteria:helpfulness"), max_turns=1, concurrency=1)
    run_id = ended(runner, runner.start(plan))
    frame = store.records.score_frame(run_id)
    assert set(frame["judge"]) == {"turn", "criteria:helpfulness"}
    assert frame.loc[frame["judge"] == "turn", "value"].notna().all()  # the other one needs a model


def test_a_process_that_cannot_store_its_end_leaves_the_sign_that_it_is_gone(store: Store) -> None:
    """The disk is full when a process ends: another one can go on with its run without waiting for the lease."""
    a_run(store, "r1")
    heartbeat = Heartbeat(store, lambda: ())
    with store.db.write() as connection:
        connection.execute(RUNS.update().values(status="running", owner=heartbeat.owner, leased_until=lease_end()))
    full = [True]
    event.listen(store.db.engine, "connect", lambda raw, record: raw.execute("PRAGMA query_only=ON") if full else None)
    store.db.engine.dispose()
    heartbeat.close()
    full.clear()
    store.db.engine.dispose()
    find_interrupted(store)
    assert [run.status for run in store.runs.all()] == ["interrupted"]
