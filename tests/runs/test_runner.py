"""Runs go on by themselves, lose nothing, and turn errors into rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.analysis.run_means import summarise
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.settings import ROOT
from core.base.types import Bot
from core.bot.answer.answer import Answering
from core.judges.turn.turn import JudgeTurn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store
from tests.support.shared_results import share_results
from tests.support.small_bot import Gated, Stumbling


def runner_of(store: Store, small_indexes: Indexes, bot: Bot, engine: Engine | None = None) -> Runner:
    return Runner(store, small_indexes, engine or EmbeddedEngine())


@pytest.fixture
def runner(store: Store, small_indexes: Indexes, bot: Bot) -> Iterator[Runner]:
    runner = runner_of(store, small_indexes, bot)
    yield runner
    runner.close()


def said_in(store: Store, run_id: str) -> list[object]:
    """Everything of a run but its times."""
    return [
        (row.number, row.scenario_id, row.persona_id, row.status, row.ending, row.closing, [
            (turn.user_text, turn.reply_text, turn.query, turn.rule,
             [(s.criterion, s.value, s.label, s.reasons) for s in turn.scores])
            for turn in store.conversations.turns(row.id)
        ])
        for row in store.conversations.of_run(run_id)
    ]  # fmt: skip


def test_every_conversation_of_a_run_is_made_judged_and_stored(runner: Runner, store: Store) -> None:
    run_id = runner.start(Plan(bot="komachi", cross=True, seed=1))
    assert runner.running() == [run_id] or store.runs.progress(run_id).status == "done"
    assert runner.wait(run_id, 60)
    now = store.runs.progress(run_id)
    assert (now.status, now.total, now.done, now.failed) == ("done", 6, 6, 0)
    frame = store.records.score_frame(run_id)
    assert len(frame) == now.turns * 6 and frame["value"].notna().all()
    summary = summarise(frame, store.conversations.of_run(run_id))
    assert summary.score is not None and summary.scored_conversations == 6
    for bot in (None, "komachi"):
        scores = store.scores.mean_scores_by_run("turn", "overall", bot)
        assert scores == {run_id: pytest.approx(summary.score)}
    assert all(
        store.conversations.turns(row.id)[0].user_text == row.question for row in store.conversations.of_run(run_id)
    )
    assert runner.running() == []


def test_the_same_plan_twice_gives_the_same_transcripts_and_scores(runner: Runner, store: Store) -> None:
    plans = [Plan(bot="komachi", cross=True, seed=1, concurrency=number) for number in (1, 4)]
    runs = [runner.start(plan) for plan in plans]
    assert all(runner.wait(run, 60) for run in runs)
    assert said_in(store, runs[0]) == said_in(store, runs[1])


def test_a_run_in_another_process_gives_the_same_transcripts_and_scores(
    tmp_path: Path, store: Store, indexes: Indexes
) -> None:
    command = [sys.executable, "-m", "core", "simulate", "--bot", "hinata", "--seed", "1", "--limit", "12", "--json"]
    added = {  # sets are iterated in another order in each process
        "PYTHONHASHSEED": "1",
        "KIKU_DATA_DIR": str(share_results(tmp_path / "other")),
        "KIKU_KNOWLEDGE_DIR": str(ROOT / "knowledge"),
    }
    done = subprocess.run(command, cwd=ROOT, env=os.environ | added, capture_output=True, text=True, check=True)
    other = said_in(Store(f"sqlite:///{tmp_path / 'other' / 'kiku.db'}"), json.loads(done.stdout)["run"])
    runner = Runner(store, indexes, EmbeddedEngine())
    run = runner.start(Plan(bot="hinata", seed=1, limit=12))
    assert runner.wait(run, 60)
    runner.close()
    assert len(other) == 12 and said_in(store, run) == other


def test_a_run_keeps_a_snapshot_of_all_it_used(runner: Runner, store: Store, bot: Bot) -> None:
    run_id = runner.start(Plan(bot="komachi", seed=5))
    runner.wait(run_id, 60)
    stored = store.runs.snapshot(run_id)
    assert stored["bot_toml"] == (bot.folder / "bot.toml").read_text("utf-8")
    assert set(stored["documents"]) == {"leave.md", "care.md", "expenses.md"}
    assert {s["id"] for s in stored["scenarios"]} == {"q1", "q2", "q3"} and stored["seed"] == 5
    assert stored["engine"] == "embedded" and stored["judges"]["turn"]


def test_a_conversation_that_fails_becomes_a_row_and_the_others_go_on(
    store: Store, small_indexes: Indexes, bot: Bot
) -> None:
    engine = Stumbling(lambda prompt: isinstance(prompt, Answering) and "年次" in prompt.question)
    runner = runner_of(store, small_indexes, bot, engine)
    run_id = runner.start(Plan(bot="komachi", personas=("calm",), scenarios=("q1", "q3")))
    assert runner.wait(run_id, 60)
    (failed,) = store.conversations.of_run(run_id, "failed")
    assert (failed.scenario_id, failed.error) == ("q3", "RuntimeError: the model fell over")
    assert store.runs.progress(run_id).done == 1
    summary = summarise(store.records.score_frame(run_id), store.conversations.of_run(run_id))
    assert (summary.failed, summary.scored_conversations) == (1, 1)
    runner.close()


def test_a_judge_that_fails_leaves_unscored_turns_and_no_zero(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    engine = Stumbling(lambda prompt: isinstance(prompt, JudgeTurn))
    runner = runner_of(store, small_indexes, bot, engine)
    run_id = runner.start(Plan(bot="komachi", scenarios=("q1",)))
    assert runner.wait(run_id, 60)
    assert store.runs.progress(run_id).done == 1
    frame = store.records.score_frame(run_id)
    assert frame["value"].isna().all() and set(frame["error"]) == {"RuntimeError: the model fell over"}
    summary = summarise(frame, store.conversations.of_run(run_id))
    assert (summary.score, summary.unscored, summary.scored_conversations) == (None, summary.turns, 0)
    runner.close()


def test_an_index_that_cannot_be_built_fails_every_conversation_with_the_reason(
    store: Store, tmp_path: Path, bot: Bot
) -> None:
    (tmp_path / "taken").write_text("")
    runner = runner_of(store, Indexes(tmp_path / "taken"), bot)
    run_id = runner.start(Plan(bot="komachi"))
    assert runner.wait(run_id, 60)
    run = store.runs.get(run_id)
    assert run is not None and "taken" in run.error and store.runs.progress(run_id).failed == 3
    runner.close()


def test_a_stopped_run_keeps_what_is_finished_and_ends_soon(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    engine = Gated()
    runner = runner_of(store, small_indexes, bot, engine)
    run_id = runner.start(Plan(bot="komachi", cross=True, concurrency=2))
    assert engine.asked.wait(20)
    runner.stop(run_id)
    runner.stop("nowhere")
    engine.gate.set()
    assert runner.wait(run_id, 20)
    now = store.runs.progress(run_id)
    assert (now.status, now.failed, now.running) == ("stopped", 0, 0) and now.stopped >= 4
    assert store.records.score_frame(run_id)["turn"].nunique() <= 1
    runner.close()


def test_closing_the_server_interrupts_its_runs(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    engine = Gated()
    runner = runner_of(store, small_indexes, bot, engine)
    run_id = runner.start(Plan(bot="komachi"))
    assert engine.asked.wait(20)
    engine.gate.set()
    runner.close()
    run = store.runs.get(run_id)
    assert run is not None and run.status in ("interrupted", "done")


def test_a_run_of_a_killed_process_is_found_interrupted_and_a_living_one_is_left_alone(
    store: Store, small_indexes: Indexes, bot: Bot, tmp_path: Path
) -> None:
    program = (
        "import os, sys; from pathlib import Path; from tests.support.small_bot import Gated; from core.runs.runner import Runner\n"
        "from core.runs.plan import Plan; from core.store.store import Store; from core.retrieval.index_cache import Indexes\n"
        "store = Store(sys.argv[1]); engine = Gated()\n"
        "runner = Runner(store, Indexes(Path(sys.argv[2])), engine)\n"
        "print(runner.start(Plan(bot='komachi')), flush=True); engine.asked.wait(60); os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", program, store.db.url, str(tmp_path / "chroma")]
    living = runner_of(store, small_indexes, bot, engine := Gated())
    alive = living.start(Plan(bot="komachi"))
    assert engine.asked.wait(60)
    killed = subprocess.run(command, capture_output=True, text=True, timeout=180).stdout.strip()
    before = store.runs.get(killed)
    assert before is not None and before.status == "running"
    Runner(store, small_indexes, EmbeddedEngine()).close()
    after, other = store.runs.get(killed), store.runs.get(alive)
    assert after is not None and after.status == "interrupted"
    assert other is not None and other.status == "running"
    engine.gate.set()
    assert living.wait(alive, 60)
    living.close()


@pytest.mark.parametrize(
    ("changes", "key"), [({"bot": "nowhere"}, "no_bot"), ({"judges": ("oracle",)}, "unknown_judge")]
)
def test_a_run_that_cannot_begin_leaves_no_row(
    runner: Runner, store: Store, changes: dict[str, object], key: str
) -> None:
    with pytest.raises(BadInput) as error:
        runner.start(Plan(bot="komachi").model_copy(update=changes))
    assert error.value.key == key and store.runs.all() == []
