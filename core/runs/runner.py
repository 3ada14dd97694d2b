"""Runs in the background: many conversations at a time, each turn stored when it ends.

`Runner` starts runs and resumes them. A run in this process is an `ActiveRun`, and its thread is a `RunJob`: a `Worker`
makes the conversations in a pool of threads, or a `Cluster` sends them to Dask's processes, each of which has a
`ClusterRun` with a `Worker`. A `Heartbeat` extends the leases of this process, and marks runs of dead processes as
interrupted.
"""

from __future__ import annotations

import atexit
import logging
import secrets
from concurrent.futures import wait
from datetime import date
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
from core.runs.cluster import Cluster, check_cluster
from core.runs.heartbeat import Heartbeat, find_interrupted
from core.runs.plan import Case, Plan, make_cases, with_first_message
from core.runs.players import turn_options
from core.runs.resume import ResumedRun, restore_run, still_running
from core.runs.snapshot import take_snapshot
from core.runs.worker import ActiveRun, Worker
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from core.store.database import now
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store

_LOG = logging.getLogger(__name__)


class Runner:
    """Starts, stops and awaits runs; their results are in the store, turn by turn.

    Runs of a dead process (crash, kill -9) are marked as interrupted when a runner is made and with every heartbeat;
    `resume` continues them. Calls that are older than the settings allow are deleted.
    """

    def __init__(self, store: Store, indexes: Indexes, engine: Engine) -> None:
        self._store, self._indexes, self._engine = store, indexes, engine
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
        """Start a run and return its id at once; raises BadInput if something that the plan names cannot be used.

        engine: for this run, such as one with a visitor's own key.
        """
        engine = engine or self._engine
        check_budget(plan, engine)
        check_cluster(engine, self._store)
        bot = load_bot(plan.bot)
        check_clarify(plan, bot)
        check_prompts(bot)
        today = plan.today or bot.today or date.today()
        plan = with_first_message(plan, engine).model_copy(update={"today": today})
        cases = make_cases(plan, read_scenarios(bot), read_personas(plan.language, bot))
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
        """Resume a stopped or interrupted run where it left off. Returns at once.

        retry_failed: also run failed conversations again, each from the turn that failed; its error stays until the
        retry has worked. budget, budget_calls: in place of the plan's. The bot is loaded as its folder is now.

        Raises BadInput for an unknown run, a judged file, a run that this or another process is working on, and for
        whatever `start` raises it.
        """
        self._store_ends()
        find_interrupted(self._store)
        if self._jobs.running(run_id):
            raise still_running(run_id)
        engine = engine or self._engine
        check_cluster(engine, self._store)
        limits = {"budget": budget, "budget_calls": budget_calls}
        run, resumed = restore_run(self._store, run_id, engine, self._heartbeat.owner, limits, retry_failed)
        check_budget(run.plan, run.engine)
        with self._jobs.lock:
            plan = run.plan.model_dump(mode="json")
            if self._jobs.running(run_id) or not self._store.leases.take_over(run_id, run.owner, plan, retry_failed):
                raise still_running(run_id)
            self._begin(run)
        return resumed

    def stop(self, run_id: str) -> None:
        """Stop the run after its current turns. Returns at once; use `wait` to block until it has ended."""
        if job := self._jobs.running(run_id):
            job.stop()

    def wait(self, run_id: str, timeout: float | None = None) -> bool:
        """Wait up to `timeout` seconds for the run to end. True if it has ended or does not run in this process."""
        job = self._jobs.running(run_id)
        return job.wait(timeout) if job else True

    def running(self) -> list[str]:
        """The ids of the runs that this process is working on."""
        return self._jobs.running_keys()

    def unstored_end(self, run_id: str) -> str:
        """The error that keeps the end of this run from being stored (as from `stored_error`), or "".

        Every heartbeat tries again, so the end is stored once a full disk has room.
        """
        end = self._unstored.get(run_id)
        return end.problem if end else ""

    def _store_ends(self) -> None:
        for run_id, end in list(self._unstored.items()):
            if not store_end(self._store, end.run, end.error):
                self._unstored.pop(run_id, None)

    def close(self) -> None:
        """Abort all runs (they count as interrupted) and wait a little for their current turns."""
        atexit.unregister(self.close)
        for run_id in self.running():
            if job := self._jobs.running(run_id):
                job.run.abort("interrupted")
        self._jobs.close(SHUTDOWN_SECONDS)
        self._heartbeat.close()

    def _begin(self, run: ActiveRun) -> None:
        self._unstored.pop(run.id, None)
        self._jobs.start(run.id, RunJob(run, self._store, self._indexes, self._unstored))


class UnstoredEnd(NamedTuple):
    """A run that has ended, but not in the database; both errors are as from `stored_error`."""

    run: ActiveRun
    error: str  # why it ended early, "" if it did not
    problem: str  # why its end could not be stored


class RunJob(Job[None]):
    """The thread of a run, from its index to its last row; an end that cannot be stored goes to `unstored`."""

    def __init__(self, run: ActiveRun, store: Store, indexes: Indexes, unstored: dict[str, UnstoredEnd]) -> None:
        super().__init__(run.stopped)
        self.run, self._store, self._indexes, self._unstored = run, store, indexes, unstored

    def stop(self) -> None:
        """Start no new turn."""
        self.run.abort("stopped")

    def work(self) -> None:
        error = ""
        with long_retries():
            try:
                self._run_conversations()
            except Exception as problem:
                error = stored_error(problem)
                _LOG.error("Run %s failed: %s", self.run.id, problem, exc_info=not isinstance(problem, BadInput))
                if isinstance(problem, BadInput) and problem.key in ("database_gone", "chroma_gone"):
                    self.run.abort("interrupted", error)  # to be resumed once the server is back
            if unstored := store_end(self._store, self.run, error):
                self._unstored[self.run.id] = UnstoredEnd(self.run, error, unstored)

    def _run_conversations(self) -> None:
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


def store_end(store: Store, run: ActiveRun, error: str) -> str:
    """Store how a run ended. Returns the error if that failed, else "".

    If that keeps failing, the lease expires and the run counts as interrupted.
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
    """Raises BadInput if the plan forbids clarifying questions for an external bot, which decides that itself."""
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
    about = (case.scenario, case.persona.id, case.persona.name, case.repeat)
    return ConversationRow.planned(run.id, run.bot.id, case.number, *about)
