"""What a run will cost and how long it will take, from a probe of a few of its conversations."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.call_context import Tally, current_context, in_context
from core.base.calls import Call, Spending, sum_of
from core.base.errors import BudgetReached, Stopped
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Bot, FrozenModel, Turn
from core.judges.base import judge_all
from core.judges.registry import judges_of
from core.retrieval.index import Index, Indexes
from core.runs.judging import how_of, sample_of
from core.runs.plan import Case, Plan, make_pairs
from core.runs.sides import bot_side, user_side
from core.runs.thread_pool import Pool
from core.simulation.dialogue import Conversation, hold_dialogue
from core.simulation.personas import read_personas
from core.simulation.scenarios import read_scenarios
from core.store.rows import Progress

PROBED = 3  # conversations that an estimate holds


def projected(spent: Spending, now: Progress) -> Spending | None:
    """Scaled up by the conversations that are over, those under way counted half; none before one is over."""
    if not now.finished:
        return None
    return spent.times(max(1.0, now.total / (now.finished + now.running / 2)))


REPLAYED = 8  # conversations looked up in the call log
Told = Callable[[Spending], None]


class Estimate(FrozenModel):
    """A run before it begins, scaled up from `probed` of its conversations, which the run will find in the call log.

    roles: calls, tokens and money by role, as if nothing were in the call log; new: the part of them that the run has
    still to call, which the probe itself is no part of; known: share (0 to 1) of the other conversations' calls that
    are in the call log from before; paid: what the probe has cost; seconds: of the run; outside: messages to a bot that
    exists already, which are no calls of ours and are sent anew by every run. Money leaves out the models without a
    price (`total.unpriced`).
    """

    conversations: int
    probed: int
    roles: dict[str, Spending]
    new: dict[str, Spending]
    known: float
    paid: Spending
    seconds: float
    outside: int = 0

    @property
    def total(self) -> Spending:
        """All roles together, as if nothing were in the call log."""
        return sum_of(self.roles.values())

    @property
    def due(self) -> Spending:
        """All roles together, without what is in the call log: what the run adds."""
        return sum_of(self.new.values())


def estimate(
    plan: Plan,
    engine: Engine,
    indexes: Indexes,
    knowledge: Path | None = None,
    probed: int = PROBED,
    told: Told | None = None,
) -> Estimate:
    """Hold a few of the plan's conversations and scale up; their calls are paid for, and not made again by the run.

    `told` hears after every reply and verdict what was spent so far. Raises what the run itself would: BadInput, or a
    `core.base.errors.ModelError`; Stopped once the call context's `stopped` is true.
    """
    bot = load_bot(plan.bot, knowledge)
    judges_of(plan.judges, bot)
    cases = make_pairs(plan, read_scenarios(bot), read_personas(plan.language, bot, knowledge))
    rehearsal = _Rehearsal(engine, bot, indexes.get(bot), plan, told=told)
    with in_context(run_id="probe", cache=plan.cache):
        picked = _picked(plan, cases, probed)
        wall = _rehearse_all(rehearsal, picked)
        known = _known_of(rehearsal, _others(plan, cases, picked), len(picked))
    return _scaled_up(rehearsal, cases, len(picked), wall, known)


def _scaled_up(
    rehearsal: _Rehearsal, cases: Sequence[Case], probed: int, wall: float, known: tuple[float, float]
) -> Estimate:
    """From the probed conversations to all; `known`: share of calls in the call log, seconds of a conversation without."""
    plan, distinct = rehearsal.plan, len({_opening(case) for case in cases})
    share, alone = known
    roles = rehearsal.scaled(distinct / probed, len(cases) / probed)
    left = rehearsal.scaled((distinct - probed) / probed, (len(cases) - probed) / probed)
    new = {role: spent.times(1 - share) for role, spent in left.items()} if plan.cache else roles
    threads = min(plan.concurrency or settings().concurrency, len(cases))
    turns, waited = rehearsal.outside()
    calls = _seconds(new) / threads + alone * len(cases) + waited / probed * len(cases) / threads
    return Estimate(
        conversations=len(cases),
        probed=probed,
        roles=roles,
        new=new,
        known=share,
        paid=rehearsal.paid(),
        seconds=calls if roles else wall / probed * len(cases),
        outside=round(turns / probed * len(cases)),
    )


def _picked(plan: Plan, cases: Sequence[Case], most: int) -> list[Case]:
    """A few cases by the plan's seed, no two of which begin alike."""
    shuffled = random.Random(f"{plan.seed}:probe").sample(cases, len(cases))
    return list({_opening(case): case for case in shuffled}.values())[:most]


def _opening(case: Case) -> tuple[str, int]:
    """What decides the first turn: it does not depend on the persona, so the run asks for it once."""
    return case.scenario.id, case.repeat


def _others(plan: Plan, cases: Sequence[Case], picked: Sequence[Case]) -> list[Case]:
    """A few cases that were not probed, rather those that begin like none that was."""
    begun, held = {_opening(case) for case in picked}, {case.number for case in picked}
    rest = [case for case in cases if case.number not in held]
    unlike = [case for case in rest if _opening(case) not in begun]
    found = unlike or rest
    return random.Random(f"{plan.seed}:replay").sample(found, min(REPLAYED, len(found)))


def _seconds(roles: dict[str, Spending]) -> float:
    """Of one thread: judging goes on beside the talking, in threads of its own."""
    judging = roles.get("judge", Spending()).seconds
    return max(judging, sum_of(roles.values()).seconds - judging)


@dataclass
class _Counted(Tally):
    """Counts the calls of conversations; those that find out what a server can do are made once, and kept aside."""

    aside: Tally = field(default_factory=Tally)

    def add(self, call: Call, cached: bool) -> None:
        """Count a call, made or found in the call log."""
        if call.purpose == "Probe":
            self.aside.add(call, cached)
        else:
            super().add(call, cached)


@dataclass(frozen=True)
class _Rehearsal:
    """What the probed conversations share; `first` counts the calls of first turns, `later` all others."""

    engine: Engine
    bot: Bot
    index: Index
    plan: Plan
    first: _Counted = field(default_factory=_Counted)
    later: _Counted = field(default_factory=_Counted)
    told: Told | None = None
    heard: list[float] = field(default_factory=list[float])

    def hold(self, case: Case) -> None:
        """Hold and judge one conversation, as the run will, and store nothing but its calls."""
        plan, bot = self.plan, bot_side(self.engine, self.bot, self.index, self.plan.clarify)

        def answer(said: Conversation, text: str) -> Turn:
            _still_wanted()
            with in_context(tally=self.later if said else self.first):
                turn = bot(said, text)
            if self.bot.outside:
                self.heard.append(sum(turn.seconds.values()))
            self._tell()
            return turn

        def heard(number: int, turn: Turn, said: Conversation, state: str) -> None:
            _still_wanted()
            with in_context(tally=self.later if said else self.first):
                if plan.judges:
                    judges, how = judges_of(plan.judges, self.bot), how_of(plan, self.bot)
                    judge_all(self.engine, judges, sample_of(case.scenario, turn, said, case.persona), how)
            self._tell()

        with in_context(repeat=case.repeat, tally=self.later):
            user = user_side(self.engine, plan, case)
            hold_dialogue(case.scenario.question, answer, user, heard, plan.max_turns)

    def outside(self) -> tuple[int, float]:
        """Messages to a bot that exists already, and the seconds it took over them."""
        return len(self.heard), sum(self.heard)

    def _tell(self) -> None:
        if self.told:
            self.told(self.paid())

    def scaled(self, first: float, later: float) -> dict[str, Spending]:
        """Spending by role: so many times that of the first turns, and of all others."""
        parts = [
            {role: spent.times(factor) for role, spent in tally.by_role().items()}
            for tally, factor in ((self.first, first), (self.later, later))
        ]
        return {role: sum_of(part[role] for part in parts if role in part) for role in {**parts[0], **parts[1]}}

    def paid(self) -> Spending:
        """What was called, and not found in the call log."""
        tallies = (self.first, self.later, self.first.aside, self.later.aside)
        return sum_of(spent for tally in tallies for spent in list(tally.fresh.values()))

    def found(self) -> int:
        """How many calls were found in the call log."""
        return sum(spent.calls for tally in (self.first, self.later) for spent in list(tally.saved.values()))


def _still_wanted() -> None:
    """Raises Stopped where whoever asked for the estimate has called it off."""
    if current_context().stopped():
        raise Stopped("The estimate was called off.", "stopped")


def _rehearse_all(rehearsal: _Rehearsal, cases: Sequence[Case]) -> float:
    """Hold the cases side by side; gives the seconds it took."""
    pool, begun = Pool(len(cases), "probe"), time.perf_counter()
    try:
        work = [pool.submit(rehearsal.hold, case) for case in cases]
        for conversation in work:
            conversation.result()
    finally:
        pool.close()
    return time.perf_counter() - begun


def _known_of(probe: _Rehearsal, cases: Sequence[Case], probed: int) -> tuple[float, float]:
    """How much of other conversations is in the call log: share of calls, and the seconds one takes without any call.

    Each is held without leave to call, so it gets as far as the call log knows it.
    """
    calls = sum_of(probe.scaled(1, 1).values()).calls
    if not calls or not probe.plan.cache or probe.bot.outside:  # such a bot would have to be asked again
        return 0.0, 0.0
    if not cases:
        return probe.found() / calls, 0.0
    known, wanted, begun = 0, 0.0, time.perf_counter()
    for case in cases:
        replay, nothing = _Rehearsal(probe.engine, probe.bot, probe.index, probe.plan), Budget(calls=1, made=1)
        with in_context(budget=nothing):
            whole = _held(replay, case)
        known += replay.found()
        wanted += replay.found() + nothing.refused if whole else max(replay.found() + 1, calls / probed)
    return known / wanted if wanted else 0.0, (time.perf_counter() - begun) / len(cases)


def _held(rehearsal: _Rehearsal, case: Case) -> bool:
    """Whether a conversation came to its end without a call it could not do without."""
    try:
        rehearsal.hold(case)
    except BudgetReached:
        return False
    return True
