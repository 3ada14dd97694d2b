"""A run under way that many threads work on."""

from __future__ import annotations

import threading
import time

from core.base.budget import Budget
from core.base.types import Bot
from core.llm.embedded import EmbeddedEngine
from core.runs.plan import Plan
from core.runs.worker import ActiveRun


class SlowEvent(threading.Event):
    """An event that is slow to say whether it is set, and counts how often it was set."""

    times_set = 0

    def is_set(self) -> bool:
        """Whether it was set, a moment ago."""
        found = super().is_set()
        time.sleep(0.1)
        return found

    def set(self) -> None:
        """Set it and count."""
        self.times_set += 1
        super().set()


def test_of_two_threads_that_abort_a_run_one_decides(bot: Bot) -> None:
    stopped = SlowEvent()
    plan, budget = Plan(bot=bot.id), Budget()
    run = ActiveRun("run-1", plan, bot, [], EmbeddedEngine(), budget, "me", stopped=stopped)
    together = threading.Barrier(2)

    def abort(ending: str) -> None:
        together.wait(20)
        run.abort(ending, f"because {ending}")

    threads = [threading.Thread(target=abort, args=(ending,)) for ending in ("stopped", "interrupted")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert stopped.times_set == 1 and run.reason == f"because {run.ending}"
