"""What a run will cost and how long it will take, from a sample run of a few of its conversations."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain, repeat

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.call_context import INTERACTIVE_PATIENCE, Tally, current_context, in_context
from core.base.calls import Call, Spending, sum_of
from core.base.errors import BudgetReached, Stopped
from core.base.frozen_model import FrozenModel
from core.base.jobs import Job
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.thread_pool import side_by_side
from core.base.types import Bot
from core.judges.base import judge_all
from core.judges.registry import judges_of
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.runs.judging.judge_options import judge_options_of_plan
from core.runs.judging.samples import sample_of
from core.runs.plan import Case, Plan, make_cases, with_first_message
from core.runs.players import BotPlayer, UserPlayer, first_message, turn_options
from core.simulation.dialogue import Dialogue, DialogueTurn
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from core.store.rows import Progress

SAMPLED_CONVERSATIONS = 3  # that an estimate makes
LOOKED_UP_CONVERSATIONS = 8  # conversations looked up in the call log
SAMPLE_SECONDS = 180.0  # that a sample run may take at most
INDEX_SECONDS = 900.0  # that it waits for the index before


class RunEstimate(FrozenModel):
    """The cost and time of a run, scaled up from a few of its conversations.

    Costs leave out the models without a price (`total.unpriced`).
    """

    conversations: int
    sampled: int  # conversations of the sample run, which the run will find in the call log
    roles: dict[str, Spending]  # by role, as if nothing were in the call log
    new: dict[str, Spending]  # by role, the part that the run still has to call after the sample run
    known: float  # share (0 to 1) of the other conversations' calls that are in the call log already
    paid: Spending  # the cost of the sample run
    seconds: float  # that the run takes
    external_messages: int = 0  # to an external bot; they are no calls in the log, and every run sends them again

    @property
    def total(self) -> Spending:
        """All roles together, as if nothing were in the call log."""
        return sum_of(self.roles.values())

    @property
    def due(self) -> Spending:
        """All roles together, without calls that are in the call log: the spending that the run adds."""
        return sum_of(self.new.values())


class EstimateJob(Job[RunEstimate]):
    """An estimate in the background; `check_time` stops one that takes too long.

    While the index is being built (`preparing`), `done` and `total` count its passages.
    """

    timed_out = False

    def __init__(self, plan: Plan, engine: Engine, indexes: Indexes) -> None:
        super().__init__()
        self.plan, self.preparing = plan, True
        self._engine, self._indexes = engine, indexes
        self._sample_run: SampleRun | None = None

    def work(self) -> RunEstimate:
        """Wait for the index, which a server that has just started may still be building, and make the sample run."""
        bot = load_bot(self.plan.bot)
        index = self._indexes.get(bot, self._show_progress)
        self._restart_clock()
        self.preparing = False
        self._sample_run = SampleRun.of(self._engine, bot, index, self.plan)
        with in_context(stopped=self.stopped.is_set, connect_patience=INTERACTIVE_PATIENCE):
            return self._sample_run.estimate()

    def check_time(self) -> None:
        if self.pending and self.seconds > self.limit:
            self.timed_out = True
            self.stop()

    @property
    def limit(self) -> float:
        """Seconds that it may take in this stage."""
        return INDEX_SECONDS if self.preparing else SAMPLE_SECONDS

    @property
    def spent(self) -> Spending:
        """What the sample run has cost so far."""
        return self._sample_run.paid() if self._sample_run else Spending()

    def _show_progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total


@dataclass
class CallCount(Tally):
    """Counts the calls of conversations; probes of a server's features are made once, and counted separately."""

    server_probes: Tally = field(default_factory=Tally)

    def add(self, call: Call, cached: bool) -> None:
        if call.purpose == "Probe":
            self.server_probes.add(call, cached)
        else:
            super().add(call, cached)


@dataclass(frozen=True)
class SampleRun:
    """A few conversations made as the run will make them; only their calls are stored."""

    engine: Engine
    bot: Bot
    index: Index
    plan: Plan
    first: CallCount = field(default_factory=CallCount)  # calls of first turns
    later: CallCount = field(default_factory=CallCount)  # calls of all other turns
    external_seconds: list[float] = field(default_factory=list[float])  # of each message to an external bot

    @classmethod
    def of(cls, engine: Engine, bot: Bot, index: Index, plan: Plan) -> SampleRun:
        return cls(engine, bot, index, with_first_message(plan, engine))

    def estimate(self, sampled: int = SAMPLED_CONVERSATIONS) -> RunEstimate:
        """Make some of the plan's conversations and scale up."""
        plan = self.plan
        cases = make_cases(plan, read_scenarios(self.bot), read_personas(plan.language, self.bot))
        today = plan.today or self.bot.today or date.today()
        with in_context(run_id="probe", cache=plan.cache, today=today, waits={}):
            picked = _pick_cases(plan, cases, sampled)
            wall = self._converse_all(picked)
            known, alone = self._known_calls(_other_cases(plan, cases, picked), len(picked))
        return self._scale_up(cases, len(picked), wall, known, alone)

    def paid(self) -> Spending:
        """The calls so far that were not in the call log."""
        tallies = (self.first, self.later, self.first.server_probes, self.later.server_probes)
        return sum_of(tally.spent() for tally in tallies)

    def converse(self, case: Case) -> None:
        """Make and judge one conversation; raises Stopped if the estimate is cancelled."""
        bot = BotPlayer(self.engine, self.bot, self.index, turn_options(self.bot, self.plan, case))
        user = UserPlayer(self.engine, self.plan, case, self.bot.prompts)
        turns = self._turns(case, bot, user)
        judges, options = judges_of(self.plan.judges, self.bot), judge_options_of_plan(self.plan, self.bot)
        for tally in chain([self.first], repeat(self.later)):
            with in_context(repeat=case.repeat, tally=tally):
                _check_wanted()
                if (dialogue_turn := next(turns, None)) is None:
                    return
                if self.bot.external:
                    self.external_seconds.append(sum(dialogue_turn.turn.seconds.values()))
                _check_wanted()
                sample = sample_of(case.scenario, dialogue_turn.turn, dialogue_turn.before, case.persona)
                judge_all(self.engine, judges, sample, options)

    def _turns(self, case: Case, bot: BotPlayer, user: UserPlayer) -> Iterator[DialogueTurn]:
        """The turns of a conversation, from its first message on."""
        yield from Dialogue(
            first_message(self.engine, self.plan, case, self.bot.prompts), bot, user, self.plan.max_turns
        ).turns()

    def _converse_all(self, cases: Sequence[Case]) -> float:
        """Hold the cases side by side. Returns the seconds it took."""
        begun = time.perf_counter()
        with side_by_side(self.converse, cases, len(cases), "probe") as conversations:
            for conversation in conversations:
                conversation.result()
        return time.perf_counter() - begun

    def _known_calls(self, cases: Sequence[Case], sampled: int) -> tuple[float, float]:
        """(share of other conversations' calls that are in the call log, seconds of a conversation without calls).

        Each is made with a spent budget, so it gets as far as the call log has its calls.
        """
        calls = sum_of(self._scaled(1, 1).values()).calls
        if not calls or not self.plan.cache or self.bot.external:  # an external bot would have to be asked again
            return 0.0, 0.0
        if not cases:
            return self.found_calls() / calls, 0.0
        known, total, begun = 0, 0.0, time.perf_counter()
        for case in cases:
            lookup = replace(self, first=CallCount(), later=CallCount(), external_seconds=[])
            budget, complete = Budget(calls=1, made=1), True
            try:
                with in_context(budget=budget):
                    lookup.converse(case)
            except BudgetReached:
                complete = False
            earlier_calls = lookup.found_calls()
            known += earlier_calls
            total += earlier_calls + budget.refused if complete else max(earlier_calls + 1, calls / sampled)
        return known / total if total else 0.0, (time.perf_counter() - begun) / len(cases)

    def _scaled(self, first: float, later: float) -> dict[str, Spending]:
        """Spending by role: that of first turns times `first`, and that of all others times `later`."""
        parts = [
            {role: spent.times(factor) for role, spent in tally.by_role().items()}
            for tally, factor in ((self.first, first), (self.later, later))
        ]
        return {role: sum_of(part[role] for part in parts if role in part) for role in {**parts[0], **parts[1]}}

    def found_calls(self) -> int:
        return sum(spent.calls for tally in (self.first, self.later) for spent in list(tally.saved.values()))

    def _scale_up(self, cases: Sequence[Case], sampled: int, wall: float, known: float, alone: float) -> RunEstimate:
        """From the sampled conversations to all; `alone`: seconds of a conversation without calls."""
        distinct, total = len({_first_turn(case) for case in cases}), len(cases)
        roles = self._scaled(distinct / sampled, total / sampled)
        remaining = self._scaled((distinct - sampled) / sampled, (total - sampled) / sampled)
        new = {role: spent.times(1 - known) for role, spent in remaining.items()} if self.plan.cache else roles
        threads = min(self.plan.concurrency or settings().concurrency, total)
        waited = sum(self.external_seconds) / sampled * total
        seconds = _thread_seconds(new) / threads + alone * total + waited / threads
        return RunEstimate(
            conversations=total,
            sampled=sampled,
            roles=roles,
            new=new,
            known=known,
            paid=self.paid(),
            seconds=seconds if roles else wall / sampled * total,
            external_messages=round(len(self.external_seconds) / sampled * total),
        )


def project_spending(spent: Spending, progress: Progress) -> Spending | None:
    """The projected spending of a running run, by its finished conversations; running ones count half."""
    if not progress.finished:
        return None
    return spent.times(max(1.0, progress.total / (progress.finished + progress.running / 2)))


def _pick_cases(plan: Plan, cases: Sequence[Case], most: int) -> list[Case]:
    """A few cases by the plan's seed, no two with the same first turn."""
    shuffled = random.Random(f"{plan.seed}:probe").sample(cases, len(cases))
    return list({_first_turn(case): case for case in shuffled}.values())[:most]


def _other_cases(plan: Plan, cases: Sequence[Case], picked: Sequence[Case]) -> list[Case]:
    """A few cases that were not sampled, preferably with first turns that no sampled case has."""
    begun, picked_numbers = {_first_turn(case) for case in picked}, {case.number for case in picked}
    rest = [case for case in cases if case.number not in picked_numbers]
    unlike = [case for case in rest if _first_turn(case) not in begun]
    others = unlike or rest
    return random.Random(f"{plan.seed}:replay").sample(others, min(LOOKED_UP_CONVERSATIONS, len(others)))


def _first_turn(case: Case) -> tuple[str, int]:
    """The key of a case's first turn: it does not depend on the persona, so the run makes its calls once."""
    return case.scenario.id, case.repeat


def _thread_seconds(roles: dict[str, Spending]) -> float:
    """Seconds of one thread: judging runs in parallel with the conversation, in threads of its own."""
    judging = roles.get("judge", Spending()).seconds
    return max(judging, sum_of(roles.values()).seconds - judging)


def _check_wanted() -> None:
    """Raises Stopped if the estimate was cancelled."""
    if current_context().stopped():
        raise Stopped("The estimate was called off.", "stopped")
