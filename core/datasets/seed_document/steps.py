"""The steps from a schema to rated questions: what each one makes from what, what is stale, and making it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import FrozenModel
from core.datasets.duplicates import Questions
from core.datasets.items import Item
from core.datasets.seed_document.configurations import Configuration, configuration
from core.datasets.seed_document.dataset import STEPS, Dataset, KeypointsOf, Record, Step, StepState, Wanted
from core.datasets.seed_document.propose_schema import ProposeSchema, schema_of
from core.datasets.seed_document.quality import Quality, flags, rate
from core.datasets.seed_document.question_plans import Plan, plans
from core.datasets.seed_document.refinement import keypoints, refine
from core.datasets.seed_document.schema import Schema, hash_of
from core.datasets.seed_document.wording import item_of
from core.datasets.seed_document.written_documents import write_document

VERSION = 2  # of the rules by which steps make things; a new one makes everything stale


MakeAll = Callable[[Sequence[Wanted]], Iterable[tuple[Wanted, FrozenModel]]]


def one_by_one(wanted: Sequence[Wanted]) -> Iterator[tuple[Wanted, FrozenModel]]:
    """Make things in order."""
    for one in wanted:
        yield one, one.make()


def run_steps(
    engine: Engine,
    dataset: Dataset,
    until: Step = "quality",
    count: Callable[[int], None] = lambda done: None,
    make_all: MakeAll = one_by_one,
) -> int:
    """Make what is missing or stale, step by step, up to and with `until`; gives how many things were made.

    Each one is written at once, so a run that was stopped or killed goes on where it was. count: told how many were
    made, and may raise Stopped; make_all: makes the things of one step, in any order. Raises BadInput if a step after the schema is wanted before it was approved.
    """
    made = 0
    for step in STEPS[: STEPS.index(until) + 1]:
        if step == "configurations" and not dataset.is_approved():
            raise BadInput("The schema is not approved. Read it and approve it first.", "schema_not_approved")
        present = dataset.records(step)
        wanted = [Wanted(one.id, one.inputs, partial(one.make, engine)) for one in _PLANNED[step](dataset)]
        inputs = {key: record.inputs for key, record in present.items()}
        count(made)
        for one, thing in make_all([one for one in wanted if inputs.get(one.id) != one.inputs]):
            dataset.store(step, Record(id=one.id, inputs=one.inputs, made=thing.model_dump(mode="json")))
            made += 1
            count(made)
        _tidy(dataset, step, {one.id for one in wanted})
    count(made)
    return made


def states(dataset: Dataset) -> list[StepState]:
    """How far each step is, as far as that can be told from what the steps before it made."""
    found: list[StepState] = []
    for step in STEPS:
        wanted = {one.id: one.inputs for one in _PLANNED[step](dataset)}
        present = dataset.records(step)
        done = sum(wanted.get(key) == record.inputs for key, record in present.items())
        found.append(StepState(step=step, total=len(wanted) or len(present), done=done, stale=len(present) - done))
    return found


def stale_ids(dataset: Dataset, step: Step) -> set[str]:
    """The ids of what a step made from something that has changed since."""
    wanted = {one.id: one.inputs for one in _PLANNED[step](dataset)}
    return {key for key, record in dataset.records(step).items() if wanted.get(key) != record.inputs}


class _Planned(NamedTuple):
    """Something that a step should have: its id, the hash of what it is made from, and how an engine makes it."""

    id: str
    inputs: str
    make: Callable[[Engine], FrozenModel]


def _schema(dataset: Dataset) -> Iterator[_Planned]:
    seed, language = dataset.seed_document().text, dataset.manifest.language

    def make(engine: Engine) -> Schema:
        return schema_of(engine.ask(ProposeSchema(seed_document=seed, language=language)), seed, language)

    yield _Planned("schema", hash_of(seed), make)


def _configurations(dataset: Dataset) -> Iterator[_Planned]:
    schema, manifest = dataset.schema(), dataset.manifest
    if schema is None:
        return
    for number in range(1, manifest.documents + 1):
        inputs = hash_of(VERSION, schema, manifest.seed, number)

        def make(_: Engine, schema: Schema = schema, number: int = number) -> Configuration:
            return configuration(schema, number, manifest.seed)

        yield _Planned(f"c{number:03}", inputs, make)


def _documents(dataset: Dataset) -> Iterator[_Planned]:
    schema, seed = dataset.schema(), dataset.seed_document().text
    if schema is None:
        return
    for one in dataset.configurations():
        inputs = hash_of(VERSION, schema, seed, one)
        name = f"{one.id.replace('c', 'd', 1)}.md"

        make = partial(write_document, seed=seed, schema=schema, configuration=one, name=name)
        yield _Planned(one.id, inputs, make)


def plans_of(dataset: Dataset) -> list[Plan]:
    """What the questions ask for, from the documents as they are."""
    schema, manifest = dataset.schema(), dataset.manifest
    return plans(schema, dataset.documents(), manifest.wanted(), manifest.seed) if schema else []


def _questions(dataset: Dataset) -> Iterator[_Planned]:
    schema = dataset.schema()
    if schema is None:
        return
    for plan in plans_of(dataset):
        inputs = _inputs(schema, plan)
        yield _Planned(plan.id, inputs, partial(item_of, schema=schema, plan=plan, inputs=inputs))


def _inputs(schema: Schema, plan: Plan) -> str:
    """The hash of a plan and the fields that it asks for; the rest of the schema does not matter to it."""
    names = {*plan.asked, *(fact.field for fact in plan.facts)}
    return hash_of(VERSION, plan, [field for field in schema.fields if field.name in names])


def _refinement(dataset: Dataset) -> Iterator[_Planned]:
    schema = dataset.schema()
    by_id = {plan.id: plan for plan in plans_of(dataset)}
    for key, record in dataset.records("questions").items():
        if schema is None or key not in by_id:
            continue
        plan, item = by_id[key], Item.model_validate(record.made)
        yield _Planned(key, hash_of(VERSION, plan, item), partial(refine, schema=schema, plan=plan, item=item))


def _keypoints(dataset: Dataset) -> Iterator[_Planned]:
    schema = dataset.schema()
    by_id = {plan.id: plan for plan in plans_of(dataset)}
    for item in dataset.items():
        if schema is None or item.id not in by_id:
            continue
        bare = item.model_copy(update={"keypoints": ()})

        def make(
            engine: Engine, plan: Plan = by_id[item.id], item: Item = bare, schema: Schema = schema
        ) -> KeypointsOf:
            return KeypointsOf(id=item.id, keypoints=keypoints(engine, schema, plan, item))

        yield _Planned(item.id, hash_of(VERSION, by_id[item.id], bare), make)


def _quality(dataset: Dataset) -> Iterator[_Planned]:
    documents = dataset.documents()
    texts = {document.name: document.text for document in documents}
    left_out = {document.name: document.left_out_value for document in documents}
    subjects = [document.subject for document in documents]
    language, asked = dataset.manifest.language, defaultdict[tuple[str, ...], Questions](Questions)
    for item in dataset.items():
        absent = next((left_out.get(name, "") for name in item.documents), "")
        seen = asked[item.documents]  # the same question about another document is another question
        found, same = flags(item, seen, texts, language, absent)
        seen.add(item.question)
        of = [subject for subject in subjects if subject in item.question]

        def make(
            engine: Engine, item: Item = item, found: tuple[str, ...] = found, same: str = same, of: list[str] = of
        ) -> Quality:
            rating = rate(engine, item, texts, of or subjects, language)
            return Quality.model_validate({"id": item.id, "rating": rating, "flags": found, "same_as": same})

        shown = [texts.get(name, "") for name in item.documents]
        yield _Planned(item.id, hash_of(VERSION, item, found, same, shown), make)


_PLANNED: dict[Step, Callable[[Dataset], Iterator[_Planned]]] = {  # what a step should have made, from the steps before
    "schema": _schema,
    "configurations": _configurations,
    "documents": _documents,
    "questions": _questions,
    "refinement": _refinement,
    "keypoints": _keypoints,
    "quality": _quality,
}


def _tidy(dataset: Dataset, step: Step, wanted: set[str]) -> None:
    """Drop what is wanted no more; write the documents as files."""
    present = dataset.records(step)
    if set(present) - wanted:
        dataset.replace(step, [record for key, record in present.items() if key in wanted])
    if step == "documents":
        dataset.write_documents()
