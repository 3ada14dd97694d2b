"""Background jobs that generate test sets and example questions, and estimates of their cost."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from core.base.call_context import in_context
from core.base.calls import Spending, sum_of
from core.base.errors import BadInput
from core.base.field_faults import broken_file, field_fault
from core.base.files import read_bytes, write_text
from core.base.frozen_model import FrozenModel
from core.base.jobs import PaidJob
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Bot, Role
from core.datasets.document_questions.generate import DocumentQuestionOptions, QuestionSet, generate_questions
from core.datasets.items import Item
from core.datasets.seed_document.dataset import Dataset, Step
from core.datasets.seed_document.steps import run_steps, states
from core.datasets.write_example_questions import Batch, WritingResult, write_examples
from core.documents.documents import ENDINGS_TEXT, read_documents
from core.llm.roles import ModelEngine
from core.simulation.scenarios import read_scenarios

CALL_SECONDS = 4.0  # a rough guess for one call
EXAMPLES_CALL_SECONDS = 15.0  # the same for a call that writes example questions
RULES_TOKENS = 500  # of a prompt without the texts that fill it
REPLY_TOKENS: dict[Step, int] = {
    "schema": 1_500,
    "documents": 900,
    "questions": 150,
    "refinement": 200,
    "keypoints": 150,
    "quality": 120,
}
_DRAFTS: TypeAdapter[list[Item]] = TypeAdapter(list[Item])
_QUESTION_STEPS: tuple[Step, ...] = ("questions", "refinement", "keypoints", "quality")
_STEPS_WITH_SEED_TEXT = ("schema", "documents")  # steps whose prompts show the seed document


class DatasetEstimate(FrozenModel):
    """What the missing results of a test set will cost."""

    calls: Spending  # 0 on the embedded engine
    seconds: float  # a rough guess
    items: int  # results to generate, in all steps


def estimate(engine: Engine, dataset: Dataset) -> DatasetEstimate:
    """Estimate the missing results of all steps, from the length of the seed document and the counts."""
    manifest, seed = dataset.manifest, dataset.seed_document().text
    done = {state.step: state.done for state in states(dataset)}
    questions = sum(manifest.wanted().values())
    totals: dict[Step, int] = {
        "schema": 1,
        "documents": manifest.documents,
        **dict.fromkeys(_QUESTION_STEPS, questions),
    }
    missing: dict[Step, int] = {step: max(0, count - done.get(step, 0)) for step, count in totals.items()}
    configurations = max(0, manifest.documents - done.get("configurations", 0))
    items = sum(missing.values()) + configurations
    if not isinstance(engine, ModelEngine):
        return DatasetEstimate(calls=Spending(), seconds=items * 0.01, items=items)
    letters = 1.0 if manifest.language == "ja" else 0.25  # tokens of a letter
    shown = {step: len(seed) * letters if step in _STEPS_WITH_SEED_TEXT else 250 for step in missing}
    spent = [
        _spending(
            engine, "judge" if step == "quality" else "user", count, RULES_TOKENS + shown[step], REPLY_TOKENS[step]
        )
        for step, count in missing.items()
    ]
    calls = sum_of(spent)
    seconds = sum(math.ceil(usage.calls / settings().concurrency) * CALL_SECONDS for usage in spent)
    return DatasetEstimate(calls=calls, seconds=seconds, items=items)


def estimated_seconds(batches: Sequence[Batch]) -> float:
    """A rough guess of how long a model takes, with `concurrency` calls at once."""
    return math.ceil(len(batches) / settings().concurrency) * EXAMPLES_CALL_SECONDS


def _spending(engine: ModelEngine, role: Role, calls: int, prompt: float, reply: int) -> Spending:
    cost = engine.prices.cost(engine.models.get(role, ""), round(prompt), 0, reply)
    return Spending(
        calls=calls,
        prompt_tokens=round(prompt * calls),
        completion_tokens=reply * calls,
        cost=(cost or 0.0) * calls,
        unpriced=calls if cost is None else 0,
    )


class DatasetJob(PaidJob[int]):
    """Runs the steps of a test set; a new job after a stop resumes from the results so far."""

    def __init__(self, engine: Engine, dataset: Dataset, until: Step) -> None:
        super().__init__()
        self.engine, self.dataset = engine, dataset
        self.until: Step = until

    def work(self) -> int:
        """Generate what is missing or stale."""
        self.total = max(1, estimate(self.engine, self.dataset).items)
        with in_context(stopped=self.stopped.is_set, tally=self.tally):
            return run_steps(self.engine, self.dataset, self.until, self.count)


class DocumentQuestionsJob(PaidJob[QuestionSet]):
    """Generates questions straight from a bot's documents and stores them for review."""

    def __init__(self, engine: Engine, bot: Bot, count: int, seed: int) -> None:
        super().__init__()
        self.engine, self.bot, self.total, self.seed = engine, bot, count, seed

    def work(self) -> QuestionSet:
        """Write the questions."""
        with in_context(stopped=self.stopped.is_set, tally=self.tally, prompts=self.bot.prompts):
            options = DocumentQuestionOptions(count=self.total, seed=self.seed, language=self.bot.language)
            questions = questions_of_bot(self.engine, self.bot, options, self.count)
        save_drafts(self.bot, questions.items)
        return questions


class ExampleQuestionsJob(PaidJob[WritingResult]):
    """A model writes example questions for sections of a bot's documents; after a stop, what was written is stored."""

    def __init__(self, engine: Engine, bot: Bot, batches: Sequence[Batch]) -> None:
        super().__init__()
        self.engine, self.bot, self.batches = engine, bot, batches
        self.total = sum(len(batch.sections) for batch in batches)

    def work(self) -> WritingResult:
        """Write them."""
        with in_context(stopped=self.stopped.is_set, tally=self.tally):
            return write_examples(self.engine, self.bot, self.batches, self.count)


def questions_of_bot(
    engine: Engine,
    bot: Bot,
    options: DocumentQuestionOptions,
    report_progress: Callable[[int], None] = lambda done: None,
) -> QuestionSet:
    """Questions straight from the bot's documents, with what is known of the bot; those that it has are not repeated.

    report_progress gets the number of questions so far and may raise Stopped. Raises BadInput if the bot has no
    documents.
    """
    documents = read_documents(bot)
    if not documents:
        message = f"{bot.id} has no documents. Put {ENDINGS_TEXT} files into its folder documents."
        raise BadInput(message, "no_documents_for_questions", bot=bot.id)
    of_bot = {
        "by_model": isinstance(engine, ModelEngine),
        "attributes": tuple((field.name, field.values) for field in bot.profile_fields),
        "description": bot.description,
        "prefix": f"{bot.id}-new",
    }
    questions = [scenario.question for scenario in read_scenarios(bot)]
    return generate_questions(engine, documents, questions, options.model_copy(update=of_bot), report_progress)


def save_drafts(bot: Bot, items: Iterable[Item]) -> None:
    """Keep questions for review, until they are added to the bot or replaced."""
    write_text(_drafts(bot), json.dumps([item.model_dump(mode="json") for item in items], ensure_ascii=False))


def read_drafts(bot: Bot) -> Sequence[Item]:
    """The questions that wait for review; raises BadInput (`broken_file`) if they cannot be read."""
    file = _drafts(bot)
    try:
        return _DRAFTS.validate_json(read_bytes(file)) if file.is_file() else []
    except ValidationError as error:
        name, fault = f"{file.parent.name}/{file.name}", field_fault(error, whole=file.name)
        raise broken_file(name, fault, "Correct it in the data folder, or move it away.") from error


def _drafts(bot: Bot) -> Path:
    return settings().data_dir / "question_drafts" / f"{bot.id}.json"
