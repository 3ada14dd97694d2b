"""What a run will cost and how long it will take, from a probe of a few of its conversations."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

from core.base.bots import load_bot
from core.base.calls import Spending, sum_of
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Bot, Noun, Turn
from core.llm.occasion import Tally, on
from core.retrieve.index import Index, Indexes
from core.run.dialogue import Conversation, hold_dialogue
from core.run.judging import judge_versions, sample_of, scores_of
from core.run.plan import Case, Plan, make_pairs
from core.run.pool import Pool
from core.run.sides import bot_side, user_side
from core.user.personas import read_personas
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
    judge_versions(plan.judges)
    cases = make_pairs(plan, read_scenarios(bot), read_personas(plan.language, bot, knowledge))
    index = indexes.get(bot)
    picked = random.Random(f"{plan.seed}:probe").sample(cases, min(probed, len(cases)))
    tally, begun = Tally(), time.perf_counter()
    with on(run_id="probe", cache=plan.cache, tally=tally):
        _rehearse_all(engine, bot, index, plan, picked)
    wall, factor = time.perf_counter() - begun, len(cases) / len(picked)
    found = tally.by_role()
    threads = min(plan.concurrency or settings().concurrency, len(cases))
    made = sum_of(found.values()).calls
    return Estimate(
        conversations=len(cases),
        probed=len(picked),
        roles={role: spent.times(factor) for role, spent in found.items()},
        known=sum_of(tally.saved.values()).calls / made if made else 0.0,
        seconds=(_seconds(found) / threads if made else wall) * factor,
    )


def _seconds(found: dict[str, Spending]) -> float:
    """Of one thread: judging goes on beside the talking, in threads of its own."""
    judging = found.get("judge", Spending()).seconds
    return max(judging, sum_of(found.values()).seconds - judging)


def _rehearse_all(engine: Engine, bot: Bot, index: Index, plan: Plan, cases: Sequence[Case]) -> None:
    pool = Pool(len(cases), "probe")
    try:
        work = [pool.submit(_rehearse, engine, bot, index, plan, case) for case in cases]
        for conversation in work:
            conversation.result()
    finally:
        pool.close()


def _rehearse(engine: Engine, bot: Bot, index: Index, plan: Plan, case: Case) -> None:
    """Hold and judge one conversation, as the run will, and store nothing but its calls."""

    def heard(number: int, turn: Turn, said: Conversation, state: str) -> None:
        if plan.judges:
            scores_of(engine, sample_of(case.scenario, turn, said), bot.guidelines, plan.reasons_in)

    with on(repeat=case.repeat):
        say = user_side(engine, plan, case)
        hold_dialogue(case.scenario.question, bot_side(engine, bot, index), say, heard, plan.max_turns)
