"""What a run will cost and how long it will take, from a probe of a few of its conversations."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.base.bots import load_bot
from core.base.calls import Spending, sum_of
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Bot, Noun, Turn
from core.judge.panel import judge_all
from core.judge.registry import judges_of
from core.llm.occasion import Tally, on
from core.retrieve.index import Index, Indexes
from core.run.dialogue import Conversation, hold_dialogue
from core.run.judging import how_of, sample_of
from core.run.plan import Case, Plan, make_pairs
from core.run.pool import Pool
from core.run.sides import bot_side, user_side
from core.user.personas import read_personas
from core.user.say import opening
from core.user.scenarios import read_scenarios

PROBED = 3


class Estimate(Noun):
    """A run before it begins, scaled up from `probed` of its conversations, which the run will find in the ledger.

    roles: calls, tokens and money by role, as if nothing were in the ledger; known: share (0 to 1) of the probed calls
    that were there already; seconds: of the whole run. Money leaves out the models without a price (`total.unpriced`).
    """

    conversations: int
    probed: int
    roles: dict[str, Spending]
    known: float
    seconds: float

    @property
    def total(self) -> Spending:
        """All roles together."""
        return sum_of(self.roles.values())


def estimate(
    plan: Plan, engine: Engine, indexes: Indexes, knowledge: Path | None = None, probed: int = PROBED
) -> Estimate:
    """Hold a few of the plan's conversations and scale up; their calls are paid for, and not made again by the run.

    Raises what the run itself would: BadInput, or a `core.llm.errors.ModelError`.
    """
    bot = load_bot(plan.bot, knowledge)
    judges_of(plan.judges, bot)
    cases = make_pairs(plan, read_scenarios(bot), read_personas(plan.language, bot, knowledge))
    index, picked = indexes.get(bot), _picked(plan, cases, probed)
    first, later, begun = Tally(), Tally(), time.perf_counter()
    with on(run_id="probe", cache=plan.cache):
        _rehearse_all(_Rehearsal(engine, bot, index, plan, first, later), picked)
    wall, distinct = time.perf_counter() - begun, len({_opening(case) for case in cases})
    roles = _scaled(first, distinct / len(picked)), _scaled(later, len(cases) / len(picked))
    total = {role: sum_of(part[role] for part in roles if role in part) for role in {**roles[0], **roles[1]}}
    threads = min(plan.concurrency or settings().concurrency, len(cases))
    return Estimate(
        conversations=len(cases),
        probed=len(picked),
        roles=total,
        known=_known(first, later),
        seconds=_seconds(total) / threads if total else wall / len(picked) * len(cases),
    )


def _picked(plan: Plan, cases: Sequence[Case], most: int) -> list[Case]:
    """A few cases by the plan's seed, no two of which begin alike."""
    shuffled = random.Random(f"{plan.seed}:probe").sample(cases, len(cases))
    return list({_opening(case): case for case in shuffled}.values())[:most]


def _opening(case: Case) -> tuple[str, int]:
    """What decides the first turn: it does not depend on the persona, so the run asks for it once."""
    return case.scenario.id, case.repeat


def _scaled(tally: Tally, factor: float) -> dict[str, Spending]:
    return {role: spent.times(factor) for role, spent in tally.by_role().items()}


def _known(*tallies: Tally) -> float:
    saved = sum_of(spent for tally in tallies for spent in tally.saved.values()).calls
    made = sum_of(spent for tally in tallies for spent in tally.fresh.values()).calls
    return saved / (saved + made) if saved else 0.0


def _seconds(roles: dict[str, Spending]) -> float:
    """Of one thread: judging goes on beside the talking, in threads of its own."""
    judging = roles.get("judge", Spending()).seconds
    return max(judging, sum_of(roles.values()).seconds - judging)


@dataclass(frozen=True)
class _Rehearsal:
    """What the probed conversations share; `first` counts the calls of first turns, `later` all others."""

    engine: Engine
    bot: Bot
    index: Index
    plan: Plan
    first: Tally
    later: Tally

    def hold(self, case: Case) -> None:
        """Hold and judge one conversation, as the run will, and store nothing but its calls."""
        plan, bot = self.plan, bot_side(self.engine, self.bot, self.index)

        def answer(said: Conversation, text: str) -> Turn:
            with on(tally=self.later if said else self.first):
                return bot(said, text)

        def heard(number: int, turn: Turn, said: Conversation, state: str) -> None:
            with on(tally=self.later if said else self.first):
                if plan.judges:
                    judges, how = judges_of(plan.judges, self.bot), how_of(plan, self.bot)
                    judge_all(self.engine, judges, sample_of(case.scenario, turn, said), how)

        with on(repeat=case.repeat, tally=self.later):
            user = user_side(self.engine, plan, case)
            hold_dialogue(opening(case.persona, case.scenario), answer, user, heard, plan.max_turns)


def _rehearse_all(rehearsal: _Rehearsal, cases: Sequence[Case]) -> None:
    pool = Pool(len(cases), "probe")
    try:
        work = [pool.submit(rehearsal.hold, case) for case in cases]
        for conversation in work:
            conversation.result()
    finally:
        pool.close()
