"""The steps from a schema to rated questions: what each one makes from what, what is stale, and making it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.datasets.duplicates import Questions
from core.datasets.items import Item
from core.datasets.seed_document.configurations import Configuration, make_configuration
from core.datasets.seed_document.dataset import STEPS, Dataset, Record, Step
from core.datasets.seed_document.propose_schema import ProposeSchema, schema_of
from core.datasets.seed_document.quality import Flag, Quality, flags, rate
from core.datasets.seed_document.question_plans import QuestionPlan, plan_questions
from core.datasets.seed_document.refinement import KeypointsOf, keypoints, refine
from core.datasets.seed_document.schema import Schema, hash_of
from core.datasets.seed_document.wording import item_of
from core.datasets.seed_document.written_documents import write_document
from core.datasets.tasks import MakeAll, Task, one_by_one

VERSION = 2  # of the rules by which steps make things; a new one makes everything stale


class StepState(FrozenModel):
    """How far a step is: of `total`, so many are done, so many were made from something that has changed since."""

    step: Step
    total: int
    done: int
    stale: int = 0


def run_steps(
    engine: Engine,
    dataset: Dataset,
    until: Step = "quality",
    report_progress: Callable[[int], None] = lambda done: None,
    make_all: MakeAll = one_by_one,
) -> int:
    """Make what is missing or stale, step by step, up to and with `until`; gives how many things were made.

    Each one is written at once, so a run that was stopped or killed goes on where it was. report_progress: told how many
    were made, and may raise Stopped; make_all: makes the things of one step, in any order. Raises BadInput if a step
    after the schema is wanted before it was approved.
    """
    made = 0
    for step in STEPS[: STEPS.index(until) + 1]:
        if step == "configurations" and not dataset.is_approved():
            raise BadInput("The schema is not approved. Read it and approve it first.", "schema_not_approved")
        tasks = list(_TASKS[step](dataset))
        inputs = {key: record.inputs for key, record in dataset.records(step).items()}
        report_progress(made)
        for task, thing in make_all(engine, [task for task in tasks if inputs.get(task.id) != task.inputs]):
            dataset.store(step, Record(id=task.id, inputs=task.inputs, made=thing.model_dump(mode="json")))
            made += 1
            report_progress(made)
        _tidy(dataset, step, {task.id for task in tasks})
    report_progress(made)
    return made


def states(dataset: Dataset) -> list[StepState]:
    """How far each step is, as far as that can be told from what the steps before it made."""
    progress: list[StepState] = []
    for step in STEPS:
        inputs = {task.id: task.inputs for task in _TASKS[step](dataset)}
        present = dataset.records(step)
        done = sum(inputs.get(key) == record.inputs for key, record in present.items())
        progress.append(StepState(step=step, total=len(inputs) or len(present), done=done, stale=len(present) - done))
    return progress


def stale_ids(dataset: Dataset, step: Step) -> set[str]:
    """The ids of what a step made from something that has changed since."""
    inputs = {task.id: task.inputs for task in _TASKS[step](dataset)}
    return {key for key, record in dataset.records(step).items() if inputs.get(key) != record.inputs}


def _schema_task(dataset: Dataset) -> Iterator[Task]:
    seed, language = dataset.seed_document().text, dataset.manifest.language

    def make(engine: Engine) -> Schema:
        return schema_of(engine.ask(ProposeSchema(seed_document=seed, language=language)), seed, language)

    yield Task("schema", hash_of(seed), make)


def _configuration_tasks(dataset: Dataset) -> Iterator[Task]:
    schema, manifest = dataset.schema(), dataset.manifest
    if schema is None:
        return
    for number in range(1, manifest.documents + 1):
        inputs = hash_of(VERSION, schema, manifest.seed, number)

        def make(_: Engine, schema: Schema = schema, number: int = number) -> Configuration:
            return make_configuration(schema, number, manifest.seed)

        yield Task(f"c{number:03}", inputs, make)


def _document_tasks(dataset: Dataset) -> Iterator[Task]:
    schema, seed = dataset.schema(), dataset.seed_document().text
    if schema is None:
        return
    for configuration in dataset.configurations():
        inputs = hash_of(VERSION, schema, seed, configuration)
        name = f"{configuration.id.replace('c', 'd', 1)}.md"
        make = partial(write_document, seed=seed, schema=schema, configuration=configuration, name=name)
        yield Task(configuration.id, inputs, make)


def plans_of(dataset: Dataset) -> list[QuestionPlan]:
    """What the questions ask for, from the documents as they are."""
    schema, manifest = dataset.schema(), dataset.manifest
    return plan_questions(schema, dataset.documents(), manifest.wanted(), manifest.seed) if schema else []


def _question_tasks(dataset: Dataset) -> Iterator[Task]:
    schema = dataset.schema()
    if schema is None:
        return
    for plan in plans_of(dataset):
        inputs = _inputs(schema, plan)
        yield Task(plan.id, inputs, partial(item_of, schema=schema, plan=plan, inputs=inputs))


def _inputs(schema: Schema, plan: QuestionPlan) -> str:
    """The hash of a plan and the fields that it asks for; the rest of the schema does not matter to it."""
    names = {*plan.asked, *(fact.field for fact in plan.facts)}
    return hash_of(VERSION, plan, [field for field in schema.fields if field.name in names])


def _refinement_tasks(dataset: Dataset) -> Iterator[Task]:
    schema = dataset.schema()
    by_id = {plan.id: plan for plan in plans_of(dataset)}
    for key, record in dataset.records("questions").items():
        if schema is None or key not in by_id:
            continue
        plan, item = by_id[key], Item.model_validate(record.made)
        yield Task(key, hash_of(VERSION, plan, item), partial(refine, schema=schema, plan=plan, item=item))


def _keypoint_tasks(dataset: Dataset) -> Iterator[Task]:
    schema = dataset.schema()
    by_id = {plan.id: plan for plan in plans_of(dataset)}
    for item in dataset.items():
        if schema is None or item.id not in by_id:
            continue
        bare = item.model_copy(update={"keypoints": ()})

        def make(
            engine: Engine, plan: QuestionPlan = by_id[item.id], item: Item = bare, schema: Schema = schema
        ) -> KeypointsOf:
            return KeypointsOf(id=item.id, keypoints=keypoints(engine, schema, plan, item))

        yield Task(item.id, hash_of(VERSION, by_id[item.id], bare), make)


def _quality_tasks(dataset: Dataset) -> Iterator[Task]:
    documents = dataset.documents()
    texts = {document.name: document.text for document in documents}
    left_out = {document.name: document.left_out_value for document in documents}
    subjects = [document.subject for document in documents]
    language, asked = dataset.manifest.language, defaultdict[tuple[str, ...], Questions](Questions)
    for item in dataset.items():
        absent = next((left_out.get(name, "") for name in item.documents), "")
        seen = asked[item.documents]  # the same question about another document is another question
        item_flags, repeated = flags(item, seen, texts, language, absent)
        seen.add(item.question)
        named = [subject for subject in subjects if subject in item.question] or subjects

        def make(
            engine: Engine,
            item: Item = item,
            item_flags: tuple[Flag, ...] = item_flags,
            repeated: str = repeated,
            named: list[str] = named,
        ) -> Quality:
            rating = rate(engine, item, texts, named, language)
            return Quality(id=item.id, rating=rating, flags=item_flags, same_as=repeated)

        shown = [texts.get(name, "") for name in item.documents]
        yield Task(item.id, hash_of(VERSION, item, item_flags, repeated, shown), make)


_TASKS: dict[Step, Callable[[Dataset], Iterator[Task]]] = {  # what a step should have made, from the steps before
    "schema": _schema_task,
    "configurations": _configuration_tasks,
    "documents": _document_tasks,
    "questions": _question_tasks,
    "refinement": _refinement_tasks,
    "keypoints": _keypoint_tasks,
    "quality": _quality_tasks,
}


def _tidy(dataset: Dataset, step: Step, task_ids: set[str]) -> None:
    """Drop what is wanted no more; write the documents as files."""
    present = dataset.records(step)
    if set(present) - task_ids:
        dataset.replace(step, [record for key, record in present.items() if key in task_ids])
    if step == "documents":
        dataset.write_documents()
