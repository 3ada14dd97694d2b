"""The steps from a schema to rated questions: what each one generates from what, what is stale, and running them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.datasets.duplicates import Questions
from core.datasets.items import Item
from core.datasets.seed_document.configurations import Configuration, make_configuration
from core.datasets.seed_document.dataset import STEPS, Dataset, Record, Step
from core.datasets.seed_document.propose_schema import propose_schema
from core.datasets.seed_document.quality import flags, rate
from core.datasets.seed_document.question_plans import QuestionPlan, plan_questions
from core.datasets.seed_document.refinement import keypoints, refine
from core.datasets.seed_document.schema import Schema, hash_of
from core.datasets.seed_document.wording import item_of
from core.datasets.seed_document.written_documents import write_document
from core.datasets.tasks import run_tasks

VERSION = 2  # of the rules that generate results; a new version makes all results stale


class Task(NamedTuple):
    """A result to be generated."""

    id: str
    input_hash: str  # changes if anything that the result is generated from changes
    generate: Callable[[Engine], FrozenModel]


class StepState(FrozenModel):
    """The progress of a step."""

    step: Step
    total: int
    done: int  # results that are up to date
    stale: int = 0  # results whose inputs have changed since


def run_steps(
    engine: Engine,
    dataset: Dataset,
    until: Step = "quality",
    report_progress: Callable[[int], None] = lambda done: None,
) -> int:
    """Generate what is missing or stale, step by step, up to and including `until`. Returns the number of results.

    Each result is written at once, so the next call resumes where a stopped or killed one was. report_progress gets the
    number of results so far and may raise Stopped. Raises BadInput for a step after the schema before approval.
    """
    count = 0
    for step in STEPS[: STEPS.index(until) + 1]:
        if step == "configurations" and not dataset.is_approved():
            raise BadInput("The schema is not approved. Read it and approve it first.", "schema_not_approved")
        tasks = _tasks(dataset, step)
        input_hashes = {key: record.inputs for key, record in dataset.records(step).items()}
        report_progress(count)
        outdated = [task for task in tasks if input_hashes.get(task.id) != task.input_hash]
        for task, result in run_tasks(engine, outdated, lambda engine, task: task.generate(engine)):
            dataset.store(step, Record(id=task.id, inputs=task.input_hash, made=result.model_dump(mode="json")))
            count += 1
            report_progress(count)
        _tidy(dataset, step, {task.id for task in tasks})
    report_progress(count)
    return count


def states(dataset: Dataset) -> list[StepState]:
    """The progress of each step, as far as the results of the steps before it show it."""
    progress: list[StepState] = []
    for step in STEPS:
        input_hashes = {task.id: task.input_hash for task in _tasks(dataset, step)}
        records = dataset.records(step)
        done = sum(input_hashes.get(key) == record.inputs for key, record in records.items())
        total = len(input_hashes) or len(records)
        progress.append(StepState(step=step, total=total, done=done, stale=len(records) - done))
    return progress


def stale_ids(dataset: Dataset, step: Step) -> set[str]:
    """The ids of a step's results whose inputs have changed since."""
    input_hashes = {task.id: task.input_hash for task in _tasks(dataset, step)}
    return {key for key, record in dataset.records(step).items() if input_hashes.get(key) != record.inputs}


def plans_of(dataset: Dataset) -> list[QuestionPlan]:
    """What each question asks for, planned from the current documents."""
    schema, manifest = dataset.schema(), dataset.manifest
    return plan_questions(schema, dataset.documents(), manifest.wanted(), manifest.seed) if schema else []


def _tasks(dataset: Dataset, step: Step) -> list[Task]:
    """The tasks of a step, from the results of the steps before it."""
    if step == "schema":
        seed = dataset.seed_document().text
        return [Task("schema", hash_of(seed), partial(propose_schema, seed=seed, language=dataset.manifest.language))]
    schema = dataset.schema()
    return list(_TASKS[step](dataset, schema)) if schema else []


def _configuration_tasks(dataset: Dataset, schema: Schema) -> Iterator[Task]:
    seed = dataset.manifest.seed

    def generate(_: Engine, number: int) -> Configuration:
        return make_configuration(schema, number, seed)

    for number in range(1, dataset.manifest.documents + 1):
        yield Task(f"c{number:03}", hash_of(VERSION, schema, seed, number), partial(generate, number=number))


def _document_tasks(dataset: Dataset, schema: Schema) -> Iterator[Task]:
    seed = dataset.seed_document().text
    for configuration in dataset.configurations():
        input_hash = hash_of(VERSION, schema, seed, configuration)
        name = f"{configuration.id.replace('c', 'd', 1)}.md"
        generate = partial(write_document, seed=seed, schema=schema, configuration=configuration, name=name)
        yield Task(configuration.id, input_hash, generate)


def _question_tasks(dataset: Dataset, schema: Schema) -> Iterator[Task]:
    for plan in plans_of(dataset):
        names = {*plan.asked, *(fact.field for fact in plan.facts)}  # the rest of the schema does not matter to it
        input_hash = hash_of(VERSION, plan, [field for field in schema.fields if field.name in names])
        yield Task(plan.id, input_hash, partial(item_of, schema=schema, plan=plan, input_hash=input_hash))


def _refinement_tasks(dataset: Dataset, schema: Schema) -> Iterator[Task]:
    by_id = {plan.id: plan for plan in plans_of(dataset)}
    for key, item in dataset.results("questions", Item).items():
        if key in by_id:
            plan = by_id[key]
            yield Task(key, hash_of(VERSION, plan, item), partial(refine, schema=schema, plan=plan, item=item))


def _keypoint_tasks(dataset: Dataset, schema: Schema) -> Iterator[Task]:
    by_id = {plan.id: plan for plan in plans_of(dataset)}
    for item in dataset.items():
        if item.id in by_id:
            plan, bare = by_id[item.id], item.model_copy(update={"keypoints": ()})
            generate = partial(keypoints, schema=schema, plan=plan, item=bare)
            yield Task(item.id, hash_of(VERSION, plan, bare), generate)


def _quality_tasks(dataset: Dataset, schema: Schema) -> Iterator[Task]:
    documents, language = dataset.documents(), dataset.manifest.language
    texts = {document.name: document.text for document in documents}
    left_out = {document.name: document.left_out_value for document in documents}
    subjects = [document.subject for document in documents]
    questions_by_documents = defaultdict[tuple[str, ...], Questions](Questions)
    for item in dataset.items():
        absent = next((left_out.get(name, "") for name in item.documents), "")
        seen = questions_by_documents[item.documents]  # the same question about another document is another question
        item_flags, repeated = flags(item, seen, texts, language, absent)
        seen.add(item.question)
        named = [subject for subject in subjects if subject in item.question] or subjects
        shown = [texts.get(name, "") for name in item.documents]
        input_hash = hash_of(VERSION, item, item_flags, repeated, shown)
        rated = partial(rate, item=item, texts=texts, subjects=named, language=language)
        yield Task(item.id, input_hash, partial(rated, item_flags=item_flags, same_as=repeated))


_TASKS: dict[Step, Callable[[Dataset, Schema], Iterator[Task]]] = {
    "configurations": _configuration_tasks,
    "documents": _document_tasks,
    "questions": _question_tasks,
    "refinement": _refinement_tasks,
    "keypoints": _keypoint_tasks,
    "quality": _quality_tasks,
}


def _tidy(dataset: Dataset, step: Step, task_ids: set[str]) -> None:
    """Drop results without a task; write the documents as files."""
    records = dataset.records(step)
    if set(records) - task_ids:
        dataset.replace(step, [record for key, record in records.items() if key in task_ids])
    if step == "documents":
        dataset.write_documents()
