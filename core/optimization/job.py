"""An optimization in the background of a server: it goes on when the page is gone, and its result is kept."""

from __future__ import annotations

from core.base.jobs import Job, PaidJob
from core.base.prompt import Engine
from core.base.types import Bot
from core.optimization.prompt_task import PromptTask
from core.optimization.results import store_result
from core.optimization.search import CostEstimate, OptimizationResult, Search, SearchOptions, planned_scores


class OptimizeJob(PaidJob[OptimizationResult]):
    """A search under way: `done` scores of at most `total`; after a stop the same search goes on from the call log."""

    def __init__(self, engine: Engine, bot: Bot, task: PromptTask, options: SearchOptions) -> None:
        super().__init__()
        self.options = options
        self.search = Search(engine, bot, task, options, self._note, self.stopped.is_set, self.tally)

    def work(self) -> OptimizationResult:
        """Search, and keep the result."""
        self.total = planned_scores(self.search.halves(), self.options)
        result = self.search.run()
        store_result(result)
        return result

    def _note(self, done: int) -> None:
        self.done = done


class OptimizeEstimateJob(Job[CostEstimate]):
    """An estimate under way."""

    def __init__(self, engine: Engine, bot: Bot, task: PromptTask, options: SearchOptions) -> None:
        super().__init__()
        self.search = Search(engine, bot, task, options, stopped=self.stopped.is_set)

    def work(self) -> CostEstimate:
        """Try the present text on a few rows."""
        return self.search.estimate()
