"""The seven kinds of question: which facts of which documents each one asks for, and what the right answer is."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.base.frozen_model import FrozenModel
from core.base.types import ScenarioKind
from core.datasets.items import KINDS
from core.datasets.seed_document.configurations import date_of, number_of
from core.datasets.seed_document.schema import Schema, SchemaField
from core.datasets.seed_document.written_documents import DocumentFact, WrittenDocument, says

MAX_SUMMARY_FACTS = 5
_SharedField = tuple[SchemaField, DocumentFact, DocumentFact]  # a field, and what each of two documents says


class QuestionPlan(FrozenModel):
    """What an item asks for, decided before any word of it is written."""

    id: str
    kind: ScenarioKind
    facts: tuple[DocumentFact, ...]  # what the answer is based on
    asked: tuple[str, ...]  # the fields that it asks for
    result: str = ""  # what is computed from the facts (a difference, the earlier document), if anything
    missing: str = ""  # for "unanswerable": the field that the document leaves out
    subject: str = ""
    document: str = ""


def plan_questions(
    schema: Schema, documents: Sequence[WrittenDocument], counts: Mapping[ScenarioKind, int], seed: int
) -> list[QuestionPlan]:
    """So many plans of each kind, or fewer if the documents give no more; each asks for something else.

    The n-th question of a kind is about the n-th document (and the next one), so a change of one document leaves the
    other questions as they are.
    """
    planned: list[QuestionPlan] = []
    for kind in KINDS:
        wanted, seen = counts.get(kind, 0), set[str]()
        for attempt in range(wanted * 6 if documents else 0):
            plan = _plan(kind, schema, documents, attempt, random.Random(f"{seed}:{kind}:{attempt}"))
            content = plan.model_dump_json(include={"facts", "asked", "missing", "document"}) if plan else ""
            if plan and content not in seen:
                seen.add(content)
                planned.append(plan.model_copy(update={"id": f"{kind}-{len(seen):03}"}))
            if len(seen) == wanted:
                break
    return planned


def _plan(
    kind: ScenarioKind, schema: Schema, documents: Sequence[WrittenDocument], number: int, rng: random.Random
) -> QuestionPlan | None:
    document = documents[number % len(documents)]
    other_document = documents[(number + 1 + number // len(documents)) % len(documents)]
    if kind in ("integration", "comparison", "sequence") and other_document.name == document.name:
        return None
    match kind:
        case "factual":
            return _factual(document, schema, rng)
        case "multi_hop":
            return _multi_hop(document, documents, schema, rng)
        case "summary":
            return _summary(document, schema, rng)
        case "integration":
            return _integration(document, _shared(document, other_document, schema), rng)
        case "comparison":
            return _comparison(document, _shared(document, other_document, schema, "money", "number"), rng)
        case "sequence":
            return _sequence(document, _shared(document, other_document, schema, "date"), rng)
        case _:
            return _unanswerable(document, schema)


def _plan_of(
    document: WrittenDocument, kind: ScenarioKind, facts: tuple[DocumentFact, ...], asked: tuple[str, ...], **more: str
) -> QuestionPlan:
    """A plan about a document, which gets its id in the end."""
    about = {"subject": document.subject, "document": document.name}
    return QuestionPlan(id="", kind=kind, facts=facts, asked=asked, **about, **more)


def _known(document: WrittenDocument, schema: Schema, *types: str) -> list[tuple[SchemaField, DocumentFact]]:
    """The fields that vary and that a document says, of these types (any if none is named), but for its subject."""
    pairs = ((field, document.fact(field.name)) for field in schema.fields)
    return [
        (field, fact)
        for field, fact in pairs
        if fact is not None and field.varies and field.name != schema.identity and (not types or field.type in types)
    ]


def _factual(document: WrittenDocument, schema: Schema, rng: random.Random) -> QuestionPlan | None:
    known = _known(document, schema)
    if not known:
        return None
    field, fact = rng.choice(known)
    return _plan_of(document, "factual", (fact,), (field.name,))


def _multi_hop(
    document: WrittenDocument, documents: Sequence[WrittenDocument], schema: Schema, rng: random.Random
) -> QuestionPlan | None:
    """Either the time between two dates of one document, or a fact of the document that another fact picks out."""
    dates = [pair for pair in _known(document, schema, "date") if date_of(pair[1].value)]
    if len(dates) > 1 and rng.random() < 0.5:
        (first, early), (last, late) = sorted(rng.sample(dates, 2), key=lambda pair: date_of(pair[1].value) or 0)
        days = (date_of(late.value) or 0) - (date_of(early.value) or 0)
        return _plan_of(document, "multi_hop", (early, late), (first.name, last.name), result=str(days))
    keys = [pair for pair in _known(document, schema, "person", "email") if _is_unique(pair[1], documents)]
    others = list(_known(document, schema, "money", "number", "date"))
    if not keys or not others:
        return None
    (_, key), (field, fact) = rng.choice(keys), rng.choice(others)
    named = document.fact(schema.identity)
    facts = (key, named, fact) if named else (key, fact)
    return _plan_of(document, "multi_hop", facts, (field.name,))


def _is_unique(fact: DocumentFact, documents: Sequence[WrittenDocument]) -> bool:
    return sum(fact.value in document.text for document in documents) == 1


def _summary(document: WrittenDocument, schema: Schema, rng: random.Random) -> QuestionPlan | None:
    sections: dict[str, list[tuple[SchemaField, DocumentFact]]] = defaultdict(list)
    for field, fact in _known(document, schema):
        sections[field.section].append((field, fact))
    large = sorted(name for name, pairs in sections.items() if len(pairs) >= 3)
    if not large:
        return None
    pairs = sections[rng.choice(large)][:MAX_SUMMARY_FACTS]
    facts = tuple(dict.fromkeys(fact for _, fact in pairs))
    names = tuple(field.name for field, _ in pairs)
    return _plan_of(document, "summary", facts, names, result=pairs[0][0].section)


def is_named(field: SchemaField) -> bool:
    """Whether the document uses the field's name, so that a question can."""
    return field.name in field.sentence


def _shared(
    document: WrittenDocument, other_document: WrittenDocument, schema: Schema, *types: str
) -> list[_SharedField]:
    """The fields that two documents say, with different values."""
    others = {field.name: fact for field, fact in _known(other_document, schema, *types)}
    pairs = ((field, fact, others.get(field.name)) for field, fact in _known(document, schema, *types))
    return [(field, fact, other) for field, fact, other in pairs if other is not None and other.value != fact.value]


def _integration(document: WrittenDocument, shared: list[_SharedField], rng: random.Random) -> QuestionPlan | None:
    named = [triple for triple in shared if is_named(triple[0])]
    if len(named) < 2:
        return None
    (first, a, b), (second, c, d) = rng.sample(named, 2)
    return _plan_of(document, "integration", (a, c, b, d), (first.name, second.name))


def _comparison(document: WrittenDocument, shared: list[_SharedField], rng: random.Random) -> QuestionPlan | None:
    named = [triple for triple in shared if is_named(triple[0])]
    if not named:
        return None
    field, a, b = rng.choice(named)
    gap = abs(number_of(a.value) - number_of(b.value))
    larger = a if number_of(a.value) > number_of(b.value) else b
    result = f"{larger.subject}\t{gap:,.0f}" if gap == int(gap) else f"{larger.subject}\t{gap:,g}"
    return _plan_of(document, "comparison", (a, b), (field.name,), result=result)


def _sequence(document: WrittenDocument, shared: list[_SharedField], rng: random.Random) -> QuestionPlan | None:
    dated = [triple for triple in shared if date_of(triple[1].value) and date_of(triple[2].value)]
    if not dated:
        return None
    field, a, b = rng.choice(dated)
    earlier = a if (date_of(a.value) or 0) < (date_of(b.value) or 0) else b
    return _plan_of(document, "sequence", (a, b), (field.name,), result=earlier.subject)


def _unanswerable(document: WrittenDocument, schema: Schema) -> QuestionPlan | None:
    """The field that the document leaves out, if it is truly absent: neither its value nor its name is there."""
    if not document.left_out:
        return None
    field = schema.field(document.left_out)
    if document.fact(field.name) is not None or says(document, field, schema.language):
        return None
    return _plan_of(document, "unanswerable", (), (field.name,), missing=field.name)
