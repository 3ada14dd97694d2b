"""The steps from a schema to rated questions: what each one makes from what, what is stale, and making it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import FrozenModel
from core.datasets.configurations import configuration
from core.datasets.dataset import STEPS, Dataset, KeypointsOf, Record, Step, StepState, Wanted
from core.datasets.duplicates import Questions
from core.datasets.items import Item
from core.datasets.kinds import Plan, plans
from core.datasets.propose_schema import ProposeSchema, schema_of
from core.datasets.quality import Quality, flags, rate
from core.datasets.refinement import Refined, keypoints, refine
from core.datasets.schema import Schema, hash_of
from core.datasets.wording import item_of
from core.datasets.written_documents import write_document

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
        wanted = list(_wanted(engine, dataset, step))
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
        wanted = list(_wanted(_NoEngine(), dataset, step))
        present = dataset.records(step)
        fresh = sum(one.id in present and present[one.id].inputs == one.inputs for one in wanted)
        stale = sum(one.id in present and present[one.id].inputs != one.inputs for one in wanted)
        stale += len(set(present) - {one.id for one in wanted})
        found.append(StepState(step=step, total=len(wanted) or len(present), done=fresh, stale=stale))
    return found


def stale_ids(dataset: Dataset, step: Step) -> set[str]:
    """The ids of what a step made from something that has changed since."""
    wanted = {one.id: one.inputs for one in _wanted(_NoEngine(), dataset, step)}
    return {key for key, record in dataset.records(step).items() if wanted.get(key) != record.inputs}


def remake(dataset: Dataset, step: Step, ids: set[str]) -> None:
    """Forget what a step made for these ids, so that it is made anew."""
    dataset.replace(step, [record for key, record in dataset.records(step).items() if key not in ids])


class _NoEngine:
    """Stands in where nothing is asked."""

    def ask(self, prompt: object) -> object:
        """Nothing is asked."""
        raise NotImplementedError

    def stream(self, prompt: object) -> Iterator[str]:
        """Nothing is asked."""
        raise NotImplementedError


def _wanted(engine: object, dataset: Dataset, step: Step) -> Iterator[Wanted]:
    """What a step should have made, from what the steps before it have."""
    asked: Engine = engine  # pyright: ignore[reportAssignmentType]
    match step:
        case "schema":
            yield from _schema(asked, dataset)
        case "configurations":
            yield from _configurations(dataset)
        case "documents":
            yield from _documents(asked, dataset)
        case "questions":
            yield from _questions(asked, dataset)
        case "refinement":
            yield from _refinement(asked, dataset)
        case "keypoints":
            yield from _keypoints(asked, dataset)
        case "quality":
            yield from _quality(asked, dataset)


def _schema(engine: Engine, dataset: Dataset) -> Iterator[Wanted]:
    seed, language = dataset.seed_text(), dataset.manifest.language

    def make() -> Schema:
        return schema_of(engine.ask(ProposeSchema(seed_document=seed, language=language)), seed, language)

    yield Wanted("schema", hash_of(seed), make)


def _configurations(dataset: Dataset) -> Iterator[Wanted]:
    schema, manifest = dataset.schema(), dataset.manifest
    if schema is None:
        return
    for number in range(1, manifest.documents + 1):
        inputs = hash_of(VERSION, schema, manifest.seed, number)
        yield Wanted(f"c{number:03}", inputs, partial(configuration, schema, number, manifest.seed))


def _documents(engine: Engine, dataset: Dataset) -> Iterator[Wanted]:
    schema, seed = dataset.schema(), dataset.seed_text()
    if schema is None:
        return
    for one in dataset.configurations():
        inputs = hash_of(VERSION, schema, seed, one)
        name = f"{one.id.replace('c', 'd', 1)}.md"
        yield Wanted(one.id, inputs, partial(write_document, engine, seed, schema, one, name))


def plans_of(dataset: Dataset) -> list[Plan]:
    """What the questions ask for, from the documents as they are."""
    schema, manifest = dataset.schema(), dataset.manifest
    return plans(schema, dataset.documents(), manifest.wanted(), manifest.seed) if schema else []


def _questions(engine: Engine, dataset: Dataset) -> Iterator[Wanted]:
    schema = dataset.schema()
    if schema is None:
        return
    for plan in plans_of(dataset):
        inputs = _inputs(schema, plan)
        yield Wanted(plan.id, inputs, partial(item_of, engine, schema, plan, inputs))


def _inputs(schema: Schema, plan: Plan) -> str:
    """The hash of a plan and the fields that it asks for; the rest of the schema does not matter to it."""
    names = {*plan.asked, *(fact.field for fact in plan.facts)}
    return hash_of(VERSION, plan, [field for field in schema.fields if field.name in names])


def _refinement(engine: Engine, dataset: Dataset) -> Iterator[Wanted]:
    schema = dataset.schema()
    by_id = {plan.id: plan for plan in plans_of(dataset)}
    for key, record in dataset.records("questions").items():
        if schema is None or key not in by_id:
            continue
        item = Item.model_validate(record.made)
        yield Wanted(key, hash_of(VERSION, by_id[key], item), partial(refine, engine, schema, by_id[key], item))


def _keypoints(engine: Engine, dataset: Dataset) -> Iterator[Wanted]:
    schema = dataset.schema()
    by_id = {plan.id: plan for plan in plans_of(dataset)}
    for item in dataset.items():
        if schema is None or item.id not in by_id:
            continue
        bare = item.model_copy(update={"keypoints": ()})

        def make(plan: Plan = by_id[item.id], item: Item = bare, schema: Schema = schema) -> KeypointsOf:
            return KeypointsOf(id=item.id, keypoints=keypoints(engine, schema, plan, item))

        yield Wanted(item.id, hash_of(VERSION, by_id[item.id], bare), make)


def _quality(engine: Engine, dataset: Dataset) -> Iterator[Wanted]:
    documents = dataset.documents()
    texts = {document.name: document.text for document in documents}
    left_out = {document.name: document.left_out_value for document in documents}
    subjects = [document.subject for document in documents]
    language, asked = dataset.manifest.language, defaultdict[tuple[str, ...], Questions](Questions)
    for item in dataset.items():
        absent = next((left_out.get(name, "") for name in item.documents), "")
        seen = asked[item.documents]  # the same question about another document is another question
        found, same = flags(item, seen, texts, absent)
        seen.add(item.question)
        of = [subject for subject in subjects if subject in item.question]

        def make(item: Item = item, found: tuple[str, ...] = found, same: str = same, of: list[str] = of) -> Quality:
            rating = rate(engine, item, texts, of or subjects, language)
            return Quality.model_validate({"id": item.id, "rating": rating, "flags": found, "same_as": same})

        shown = [texts.get(name, "") for name in item.documents]
        yield Wanted(item.id, hash_of(VERSION, item, found, same, shown), make)


def _tidy(dataset: Dataset, step: Step, wanted: set[str]) -> None:
    """Drop what is wanted no more; write the documents as files."""
    present = dataset.records(step)
    if set(present) - wanted:
        dataset.replace(step, [record for key, record in present.items() if key in wanted])
    if step == "documents":
        dataset.write_documents()


__all__ = ["Refined", "plans_of", "remake", "run_steps", "stale_ids", "states"]
