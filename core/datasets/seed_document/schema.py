"""The schema of a document: the facts that such a document holds, with an example of each from the seed document."""

from __future__ import annotations

import hashlib
import json
from itertools import combinations
from operator import methodcaller
from typing import Any, Literal

from pydantic import Field

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.types import Language
from core.text.normalize import normalize

FieldType = Literal["text", "person", "organisation", "date", "money", "number", "choice", "email"]
RuleKind = Literal["order", "sum", "belongs"]
Warn = Literal["not_in_seed", "same_meaning", "date_without_field", "no_question"]


class ProposedField(FrozenModel):
    """One fact as it is proposed. asks: the question for it ("{name}" stands for the value of another field)."""

    name: str
    meaning: str
    type: FieldType
    required: bool = True
    example: str
    asks: str = ""


class SchemaField(ProposedField):
    """One fact, as found in the seed document."""

    unit: str = ""
    values: tuple[str, ...] = ()  # of a choice
    places: tuple[int, ...] = ()  # where its example begins in the seed, in letters
    sentence: str = ""  # the seed's sentence or line that states it
    section: str = ""  # heading of that sentence
    varies: bool = True  # whether documents differ in it


class Rule(FrozenModel):
    """A condition on several values of a document."""

    # order: each value is at most the next one; sum: the last value is the sum of the others;
    # belongs: the first value (a person, an address) belongs to the last one (an organisation)
    kind: RuleKind
    fields: tuple[str, ...]


class Schema(FrozenModel):
    """The fields of one kind of document."""

    language: Language
    fields: tuple[SchemaField, ...]
    rules: tuple[Rule, ...] = ()
    identity: str = ""  # the field that distinguishes the documents of a set

    def field(self, name: str) -> SchemaField:
        """The field of that name; raises KeyError for another."""
        return {field.name: field for field in reversed(self.fields)}[name]


class Approval(FrozenModel):
    """Who approved which schema, and when."""

    by: str
    at: str
    schema_hash: str


class SchemaWarning(FrozenModel):
    """Something in a schema that a reviewer should look at."""

    kind: Warn  # a field not found in the seed, two that mean the same, a date without a field, a field never asked for
    fields: tuple[str, ...] = ()
    text: str = Field(default="", description="The date that no field has.")


def small(name: str) -> str:
    """A field's name within an English sentence."""
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def hash_of(*parts: Any) -> str:
    """A short hash of data (models, lists, texts), the same in every process."""
    dump = methodcaller("model_dump", mode="json")
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=dump)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def warnings(schema: Schema, seed: str, dates: tuple[str, ...]) -> list[SchemaWarning]:
    """What to look at before approving; `dates` are the dates of the seed as it writes them."""
    warned = [
        SchemaWarning(kind="not_in_seed", fields=(field.name,))
        for field in schema.fields
        if field.example not in seed or not field.example.strip()
    ]
    for field, other in combinations(schema.fields, 2):
        same_place = bool(set(field.places) & set(other.places))
        if same_place or normalize(field.name) == normalize(other.name) or field.meaning == other.meaning != "":
            warned.append(SchemaWarning(kind="same_meaning", fields=(field.name, other.name)))
    warned += [
        SchemaWarning(kind="no_question", fields=(field.name,)) for field in schema.fields if not field.asks.strip()
    ]
    return warned + [
        SchemaWarning(kind="date_without_field", text=date)
        for date in dates
        if not any(date in field.example for field in schema.fields)
    ]


def check_schema(schema: Schema) -> None:
    """Raises BadInput for a schema that no document can be made from: no fields, a name twice, a rule on no field."""
    names = [field.name for field in schema.fields]
    if not names:
        raise BadInput("The schema has no fields. Add at least one.", "schema_empty")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None or not all(name.strip() for name in names):
        message = f"The field name {twice or ''!r} is empty or used twice. Rename it."
        raise BadInput(message, "schema_names", name=twice or "")
    unknown = next((name for rule in schema.rules for name in rule.fields if name not in names), None)
    if unknown is not None:
        message = f"A rule names the field {unknown!r}, which is not there. Remove the rule."
        raise BadInput(message, "schema_rule", name=unknown)
