"""Runs in the background: many conversations at a time, each turn stored as it ends.

`Runner` starts runs and resumes them. Each is an `ActiveRun`, what all that work on it share, and has a `RunJob`, the
thread that loops over its conversations: a `Worker` makes each in a pool of threads here; or a `Cluster` hands them to
Dask's processes, in each of which a `ClusterRun` has a `Worker`. A `Heartbeat` extends the leases of this process, and
marks runs of processes that are gone as interrupted.
"""

from __future__ import annotations

import atexit
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import wait
from datetime import date
from pathlib import Path
from typing import NamedTuple, Self

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.errors import BadInput, stored_error
from core.base.jobs import SHUTDOWN_SECONDS, Job, Jobs
from core.base.prompt import Engine
from core.base.retry import long_retries
from core.base.settings import settings
from core.base.thread_pool import Pool
from core.base.types import Bot
from core.llm.roles import ModelEngine
from core.prompts.catalog import check_prompts
from core.retrieval.index_cache import Indexes
from core.runs.active_run import ActiveRun
from core.runs.cluster import Cluster, check_cluster
from core.runs.conversation_sides import turn_options
from core.runs.heartbeat import Heartbeat, find_interrupted
from core.runs.plan import Case, Plan, make_cases, with_first_message
from core.runs.resume import ResumedRun, Takeover, restore_run, still_running
from core.runs.snapshot import take_snapshot
from core.runs.worker import Worker
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from core.store.database import now
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store

_LOG = logging.getLogger(__name__)


class Runner:
    """Starts, stops and awaits runs; their results are in the store, turn by turn.

    A run left behind by a process that is gone (crash, kill -9) is marked as interrupted when an object is made and
    with every heartbeat; `resume` goes on with it. Calls that are older than the settings allow are deleted.
    """

    def __init__(self, store: Store, indexes: Indexes, engine: Engine, knowledge: Path | None = None) -> None:
        self._store, self._indexes, self._engine, self._knowledge = store, indexes, engine, knowledge
        self._jobs: Jobs[str, RunJob] = Jobs(keep=0)
        self._unstored: dict[str, UnstoredEnd] = {}
        self._heartbeat = Heartbeat(store, self.running, self._store_ends)
        find_interrupted(store)
        if days := settings().call_log_days:
            store.calls.delete_older(days)
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, plan: Plan, engine: Engine | None = None) -> str:
        """Begin a run and return its id at once; raises BadInput if something that the plan names cannot be used.

        `engine`: for this run, such as that of a visitor's own key.
        """
        engine = engine or self._engine
        check_budget(plan, engine)
        check_cluster(engine, self._store)
        bot = load_bot(plan.bot, self._knowledge)
        check_clarify(plan, bot)
        check_prompts(bot)
        today = plan.today or bot.today or date.today()
        plan = with_first_message(plan, engine).model_copy(update={"today": today})
        cases = make_cases(plan, read_scenarios(bot), read_personas(plan.language, bot, self._knowledge))
        for case in cases:
            turn_options(bot, plan, case)  # an error in a profile is reported before anything begins
        run_id, budget = f"{bot.id}-{secrets.token_hex(4)}", Budget(plan.budget, plan.budget_calls)
        run = ActiveRun(run_id, plan, bot, cases, engine, budget, self._heartbeat.owner, fresh=True)
        snapshot = take_snapshot(plan, bot, cases, engine, run.versions)
        rows = [_conversation_row(run, case) for case in cases]
        self._store.runs.create(_run_row(run), snapshot.model_dump(mode="json"), rows)
        self._begin(run)
        return run.id

    def resume(
        self,
        run_id: str,
        engine: Engine | None = None,
        retry_failed: bool = False,
        budget: float | None = None,
        budget_calls: int | None = None,
    ) -> ResumedRun:
        """Go on with a run that was stopped or broken off, at the call where it stopped; returns at once.

        retry_failed: also run failed conversations again, each from the turn that failed; its error stays until that
        has worked. budget, budget_calls: instead of the plan's. The bot is that of its folder as it is now.

        Raises BadInput for an unknown run, a judged file, a run that is under way here or elsewhere, and like `start`.
        """
        self._store_ends()
        find_interrupted(self._store)
        if self._jobs.running(run_id):
            raise still_running(run_id)
        engine = engine or self._engine
        check_cluster(engine, self._store)
        takeover = Takeover(engine, self._heartbeat.owner, budget, budget_calls, retry_failed)
        run, resumed = restore_run(self._store, run_id, takeover, self._knowledge)
        check_budget(run.plan, run.engine)
        with self._jobs.lock:
            plan = run.plan.model_dump(mode="json")
            if self._jobs.running(run_id) or not self._store.leases.take_over(run_id, run.owner, plan, retry_failed):
                raise still_running(run_id)
            self._begin(run)
        return resumed

    def stop(self, run_id: str) -> None:
        """Begin no new turn in this run; returns at once, what is finished stays. `wait` tells when it has ended."""
        if job := self._jobs.running(run_id):
            job.stop()

    def wait(self, run_id: str, timeout: float | None = None) -> bool:
        """Whether a run is over within so many seconds; true for a run that is not under way here."""
        job = self._jobs.running(run_id)
        return job.wait(timeout) if job else True

    def running(self) -> list[str]:
        """The ids of the runs under way in this process."""
        return self._jobs.running_keys()

    def unstored_end(self, run_id: str) -> str:
        """Why the end of a run that is over here cannot be stored yet, as `stored_error` tells it; "" if it is stored.

        It is tried again with every heartbeat: once a full disk has room, the run is marked as over.
        """
        end = self._unstored.get(run_id)
        return end.problem if end else ""

    def _store_ends(self) -> None:
        for run_id, end in list(self._unstored.items()):
            if not store_end(self._store, end.run, end.error):
                self._unstored.pop(run_id, None)

    def close(self) -> None:
        """Break off all runs (they count as interrupted) and wait a little for the turns under way."""
        atexit.unregister(self.close)
        for run_id in self.running():
            if job := self._jobs.running(run_id):
                job.run.break_off("interrupted")
        self._jobs.close(SHUTDOWN_SECONDS)
        self._heartbeat.close()

    def _remember_end(self, end: UnstoredEnd) -> None:
        self._unstored[end.run.id] = end

    def _begin(self, run: ActiveRun) -> None:
        self._unstored.pop(run.id, None)
        self._jobs.start(run.id, RunJob(run, self._store, self._indexes, self._remember_end))


class UnstoredEnd(NamedTuple):
    """A run that is over, but not in the database.

    error: why it ended early ("": it did not); problem: why that could not be written. Both as `stored_error` tells
    them.
    """

    run: ActiveRun
    error: str
    problem: str


class RunJob(Job[None]):
    """A run under way, from its index to its last row; `on_unstored` is told of an end that cannot be written."""

    def __init__(
        self, run: ActiveRun, store: Store, indexes: Indexes, on_unstored: Callable[[UnstoredEnd], None]
    ) -> None:
        super().__init__(run.stopped)
        self.run, self._store, self._indexes, self._on_unstored = run, store, indexes, on_unstored

    def stop(self) -> None:
        """Begin no new turn."""
        self.run.break_off("stopped")

    def work(self) -> None:
        """Run all conversations, and store how the run ended."""
        with long_retries():
            try:
                self._run_locally()
            except Exception as error:
                expected = isinstance(error, BadInput)
                _LOG.error("Run %s failed: %s", self.run.id, error, exc_info=not expected)
                if isinstance(error, BadInput) and error.key in ("database_gone", "chroma_gone"):
                    self.run.break_off("interrupted", stored_error(error))  # to be resumed once the server is back
                self._finish(stored_error(error))
            else:
                self._finish()

    def _run_locally(self) -> None:
        run = self.run
        index = self._indexes.get(run.bot)
        if settings().dask_scheduler:
            Cluster(run, self._store).run()
            return
        threads = min(run.plan.concurrency or settings().concurrency, len(run.cases))
        worker, pool = Worker(self._store, index, run, threads), Pool(threads, f"{run.id}-talk")
        try:
            work = [pool.submit(worker.run_conversation, case) for case in run.cases]
            wait(work)
            for conversation in work:
                conversation.result()
        finally:
            pool.close()
            worker.close()

    def _finish(self, error: str = "") -> None:
        if problem := store_end(self._store, self.run, error):
            self._on_unstored(UnstoredEnd(self.run, error, problem))


def store_end(store: Store, run: ActiveRun, error: str) -> str:
    """Store how a run ended; why that could not be written, else "".

    Where it never can be, the run's lease expires and it counts as interrupted.
    """
    try:
        if error and not run.stopped.is_set():
            store.conversations.fail_waiting(run.id, error, run.owner)
        store.runs.finish(run.id, run.ending, run.reason, run.owner)
    except Exception as problem:
        expected = isinstance(problem, BadInput)
        _LOG.error("The end of run %s could not be stored: %s", run.id, problem, exc_info=not expected)
        return stored_error(problem)
    return ""


def check_budget(plan: Plan, engine: Engine) -> None:
    """Raises BadInput for a budget in money if a model has no price."""
    if not plan.budget or not isinstance(engine, ModelEngine):
        return
    for model in engine.models.values():
        if engine.prices.price(model) is None:
            message = f"There is no price for {model}, so a cost limit cannot work. Add one to the prices."
            raise BadInput(message, "no_price", model=model)


def check_clarify(plan: Plan, bot: Bot) -> None:
    """Raises BadInput if an external bot shall not ask: it decides that itself."""
    if bot.external and not plan.clarify:
        message = (
            f"{bot.id} is an external bot and decides itself when to ask. Run it with clarifying questions allowed."
        )
        raise BadInput(message, "external_asks", bot=bot.id)


def _run_row(run: ActiveRun) -> RunRow:
    plan = run.plan
    return RunRow(
        id=run.id,
        bot=plan.bot,
        name=plan.name.strip() or run.bot.name,
        language=plan.language,
        status="running",
        seed=plan.seed,
        max_turns=plan.max_turns,
        total=len(run.cases),
        created_at=now(),
        plan=plan.model_dump(mode="json"),
        owner=run.owner,
    )


def _conversation_row(run: ActiveRun, case: Case) -> ConversationRow:
    return ConversationRow(
        id=run.conversation_id(case),
        run_id=run.id,
        bot=run.bot.id,
        number=case.number,
        scenario_id=case.scenario.id,
        scenario=case.scenario,
        persona_id=case.persona.id,
        persona_name=case.persona.name,
        repeat=case.repeat,
        kind=case.scenario.kind,
        question=case.scenario.question,
    )
