"""The estimate of a plan, without the job that shows its progress."""

from __future__ import annotations

from core.base.bot_folder import load_bot
from core.base.prompt import Engine
from core.retrieval.index_cache import Indexes
from core.runs.estimate import SAMPLED_CONVERSATIONS, RunEstimate, SampleRun
from core.runs.plan import Plan


def estimate(plan: Plan, engine: Engine, indexes: Indexes, sampled: int = SAMPLED_CONVERSATIONS) -> RunEstimate:
    """Hold a few of the plan's conversations and scale up."""
    bot = load_bot(plan.bot)
    return SampleRun.of(engine, bot, indexes.get(bot), plan).estimate(sampled)
