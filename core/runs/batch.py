"""Runs in the background: many conversations at a time, each turn stored as it ends."""

from __future__ import annotations

import atexit
import logging
import secrets
import threading
import time
from concurrent.futures import wait
from pathlib import Path

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.errors import BadInput, sentence
from core.base.heap import running
from core.base.prompt import Engine
from core.base.retry import patient
from core.base.settings import settings
from core.base.types import Bot
from core.bot.external import http as waits
from core.judges.base import groups_of
from core.judges.registry import judges_of
from core.llm.roles import ModelEngine
from core.retrieval.index import Indexes
from core.runs.cluster import Cluster, check_cluster
from core.runs.heartbeat import Heartbeat, find_interrupted
from core.runs.judging import how_of
from core.runs.plan import Case, Plan, make_pairs
from core.runs.resume import Given, Resumed, going_on, rebuild
from core.runs.snapshot import take_snapshot
from core.runs.thread_pool import Pool
from core.runs.worker import Job, Worker
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from core.store.database import now
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store

PATIENCE = 10.0  # seconds that `close` waits for the turns under way
SIDE_BY_SIDE = 4  # judges of one turn at a time
_LOG = logging.getLogger(__name__)


class Batches:
    """Starts, stops and awaits runs; their results are in the store, turn by turn.

    A run left behind by a process that is no more (crash, kill -9) is marked as interrupted when an object is made and
    with every heartbeat; `resume` takes it up where it stopped. Calls that are older than the settings keep them are forgotten.
    """

    def __init__(self, store: Store, indexes: Indexes, engine: Engine, knowledge: Path | None = None) -> None:
        self._store, self._indexes, self._engine, self._knowledge = store, indexes, engine, knowledge
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._alive = Heartbeat(store, self.running)
        find_interrupted(store)
        if days := settings().call_log_days:
            store.calls.delete_older(days)
        atexit.register(self.close)

    def start(self, plan: Plan, engine: Engine | None = None) -> str:
        """Begin a run and return its id at once; raises BadInput where something that the plan names cannot be used.

        `engine`: for this run, such as that of a visitor's own key.
        """
        engine = engine or self._engine
        check_budget(plan, engine)
        check_cluster(engine, self._store)
        bot = load_bot(plan.bot, self._knowledge)
        check_asking(plan, bot)
        judges, how = judges_of(plan.judges, bot), how_of(plan, bot)
        cases = make_pairs(plan, read_scenarios(bot), read_personas(plan.language, bot, self._knowledge))
        job = Job(
            f"{bot.id}-{secrets.token_hex(4)}",
            plan,
            bot,
            cases,
            judges,
            how,
            engine,
            Budget(plan.budget, plan.budget_calls),
            self._alive.owner,
            fresh=True,
        )
        snapshot = take_snapshot(plan, bot, cases, engine, job.versions)
        rows = [_conversation_row(job, case) for case in cases]
        self._store.runs.create(_run_row(job), snapshot.model_dump(mode="json"), rows)
        self._begin(job)
        return job.id

    def resume(
        self,
        run_id: str,
        engine: Engine | None = None,
        retry_failed: bool = False,
        budget: float | None = None,
        budget_calls: int | None = None,
    ) -> Resumed:
        """Go on with a run that was stopped or broken off, at the call where it stopped; returns at once.

        retry_failed: also hold again what failed, each conversation from the turn that failed; its error stays until
        that has worked. budget, budget_calls: instead of the plan's. The bot is that of its folder as it is now.

        Raises BadInput for an unknown run, a judged file, a run that is going on here or elsewhere, and like `start`.
        """
        find_interrupted(self._store)
        if run_id in self._jobs:
            raise going_on(run_id)
        check_cluster(engine or self._engine, self._store)
        given = Given(engine or self._engine, self._alive.owner, budget, budget_calls)
        job, told = rebuild(self._store, run_id, given, self._knowledge, retry_failed)
        check_budget(job.plan, job.engine)
        with self._lock:
            if run_id in self._jobs or not self._store.leases.take_over(
                run_id, job.owner, job.plan.model_dump(mode="json"), retry_failed
            ):
                raise going_on(run_id)
            self._begin(job)
        return told

    def stop(self, run_id: str) -> None:
        """Begin no new turn in this run; returns at once, what is finished stays. `wait` tells when it has ended."""
        self._break_off(run_id, "stopped")

    def wait(self, run_id: str, timeout: float | None = None) -> bool:
        """Wait for a run to be over; false where `timeout` seconds passed before. True for a run not under way here."""
        job = self._jobs.get(run_id)
        return job.over.wait(timeout) if job else True

    def running(self) -> list[str]:
        """The ids of the runs under way in this process."""
        return list(self._jobs)

    def close(self) -> None:
        """Break off all runs (they count as interrupted) and wait a little for the turns under way."""
        atexit.unregister(self.close)
        until = time.monotonic() + PATIENCE
        for run_id in self.running():
            self._break_off(run_id, "interrupted")
        for run_id in self.running():
            self.wait(run_id, max(0.0, until - time.monotonic()))
        self._alive.close()

    def _begin(self, job: Job) -> None:
        waits.forget(job.id)
        self._jobs[job.id] = job
        threading.Thread(target=self._hold, args=(job,), name=job.id, daemon=True).start()

    def _break_off(self, run_id: str, ending: str) -> None:
        if job := self._jobs.get(run_id):
            job.break_off(ending)

    def _hold(self, job: Job) -> None:
        """The run from its index to its last row, in a thread of its own."""
        try:
            with patient(), running():
                self._hold_patiently(job)
        finally:
            del self._jobs[job.id]
            job.over.set()

    def _hold_patiently(self, job: Job) -> None:
        try:
            self._converse(job)
        except Exception as error:
            _LOG.error("Run %s failed: %s", job.id, error, exc_info=not isinstance(error, BadInput))
            if isinstance(error, BadInput) and error.key in ("database_gone", "chroma_gone"):
                job.break_off("interrupted", sentence(error))  # to be resumed once the server is back
            self._end(job, sentence(error))
        else:
            self._end(job)

    def _end(self, job: Job, error: str = "") -> None:
        """Store how a run ended; where that cannot be written, its lease expires and it counts as interrupted."""
        try:
            if error and not job.stopped.is_set():
                self._store.conversations.fail_waiting(job.id, error, job.owner)
            self._store.runs.finish(job.id, job.ending, job.reason, job.owner)
        except Exception:
            _LOG.error("The end of run %s could not be stored", job.id, exc_info=True)

    def _converse(self, job: Job) -> None:
        index = self._indexes.get(job.bot)
        if settings().dask_scheduler:
            Cluster(job, self._store).converse()
            return
        threads = min(job.plan.concurrency or settings().concurrency, len(job.cases))
        judges = threads * max(1, min(SIDE_BY_SIDE, len(groups_of(job.judges, job.how))))
        talking, judging = Pool(threads, f"{job.id}-talk"), Pool(judges, f"{job.id}-judge")
        try:
            worker = Worker(self._store, index, job, judging)
            work = [talking.submit(worker.converse, case) for case in job.cases]
            wait(work)
            for conversation in work:
                conversation.result()
        finally:
            talking.close()
            judging.close()


def check_budget(plan: Plan, engine: Engine) -> None:
    """Raises BadInput for a budget in money where a model has no price."""
    if not plan.budget or not isinstance(engine, ModelEngine):
        return
    for model in engine.models.values():
        if engine.prices.of(model) is None:
            told = f"There is no price for {model}, so a cost limit cannot work. Add one to the prices."
            raise BadInput(told, "no_price", model=model)


def check_asking(plan: Plan, bot: Bot) -> None:
    """Raises BadInput where a bot that exists already shall not ask back: it asks as it likes."""
    if bot.outside and not plan.clarify:
        told = f"{bot.id} is an external bot and decides itself when to ask. Run it with clarifying questions allowed."
        raise BadInput(told, "external_asks", bot=bot.id)


def _run_row(job: Job) -> RunRow:
    plan = job.plan
    return RunRow(
        id=job.id,
        bot=plan.bot,
        name=plan.name.strip() or job.bot.name,
        language=plan.language,
        status="running",
        seed=plan.seed,
        max_turns=plan.max_turns,
        total=len(job.cases),
        created_at=now(),
        plan=plan.model_dump(mode="json"),
        owner=job.owner,
    )


def _conversation_row(job: Job, case: Case) -> ConversationRow:
    return ConversationRow(
        id=job.conversation_id(case),
        run_id=job.id,
        bot=job.bot.id,
        number=case.number,
        scenario_id=case.scenario.id,
        scenario=case.scenario,
        persona_id=case.persona.id,
        persona_name=case.persona.name,
        repeat=case.repeat,
        kind=case.scenario.kind,
        question=case.scenario.question,
    )
