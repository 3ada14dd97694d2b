"""Example questions written in the background of a server."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.call_context import in_context
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Bot
from core.datasets.write_example_questions import Batch, WritingResult, write_examples
from core.runs.background import PaidJob
from core.runs.dataset_job import make_all

CALL_SECONDS = 15.0  # that one call takes, for a first idea of the time


def estimated_seconds(batches: Sequence[Batch]) -> float:
    """A first idea of how long a model takes, with so many calls side by side as the settings say."""
    return math.ceil(len(batches) / settings().concurrency) * CALL_SECONDS


class ExampleQuestionsJob(PaidJob[WritingResult]):
    """A model writes example questions for sections of a bot's documents; after a stop, what was written is stored."""

    def __init__(self, engine: Engine, bot: Bot, batches: Sequence[Batch]) -> None:
        super().__init__()
        self.engine, self.bot, self.batches = engine, bot, batches
        self.total = sum(len(batch.sections) for batch in batches)

    def work(self) -> WritingResult:
        """Write them."""
        with in_context(stopped=self.stopped.is_set, tally=self.tally):
            return write_examples(self.engine, self.bot, self.batches, self.count, make_all(self.engine))
