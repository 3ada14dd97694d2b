"""A schema proposed for a seed document: by a model, or by the values that are found in it by pattern."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, PromptByRules
from core.base.types import Language
from core.base.unused_name import unused_name
from core.datasets.seed_document.configurations import can_vary, date_of, number_of
from core.datasets.seed_document.found_values import Value, type_of, unit_of, values_of
from core.datasets.seed_document.schema import FieldType, ProposedField, Rule, Schema, SchemaField, small
from core.datasets.seed_document.written_documents import may_answer
from core.text.inflection import as_question
from core.text.japanese import words
from core.text.language import sentences

_TYPE_WORDS: dict[Language, dict[FieldType, str]] = {
    "ja": {"money": "金額", "number": "数", "date": "日付", "person": "氏名", "organisation": "組織", "choice": "区分", "email": "連絡先", "text": "内容"},
    "en": {"money": "amount", "number": "number", "date": "date", "person": "name", "organisation": "organisation", "choice": "kind", "email": "address", "text": "content"},
}  # fmt: skip
_IDENTITY: dict[Language, str] = {"ja": "組織名", "en": "organisation"}
_MEANINGS: dict[Language, dict[str, str]] = {
    "ja": {
        "label": "文書の冒頭や表に書かれた「{name}」({word})。",
        "organisation": "この文書を定めた組織の名前。",
        "section": "「{section}」で決められている{word}: {name}。",
    },
    "en": {
        "label": 'The {word} that the document gives as "{name}".',
        "organisation": "The name of the organisation whose document this is.",
        "section": 'The {word} that the section "{section}" sets: {name}.',
    },
}
_TOPIC_JA = re.compile(r"^(.{2,30}?)は、?")
_TOPIC_EN = re.compile(r"^(?:The|A|An) (.{2,60}?) (?:is|are) ")


class ProposedSchema(FrozenModel):
    """The fields, and the one that tells documents apart."""

    fields: tuple[ProposedField, ...]
    identity: str


class ProposeSchema(PromptByRules[ProposedSchema]):
    """The facts that such a document holds, each with an example copied from the seed document.

    The rules find values by pattern (`found_values.py`).
    """

    file = "propose_schema"
    role = "user"
    seed_document: str


def propose_schema(engine: Engine, seed: str, language: Language) -> Schema:
    """The schema as proposed; places, sentences, units and rules are looked up in the seed document."""
    found_schema = schema_by_rules(seed, language)
    proposal = ProposedSchema(fields=found_schema.fields, identity=found_schema.identity)
    proposed = engine.ask(ProposeSchema(seed_document=seed, by_rules=proposal, language=language))
    by_rules = {(field.name, field.example): field for field in found_schema.fields}
    fields: list[SchemaField] = []
    for field in proposed.fields:
        known = by_rules.get((field.name, field.example))
        found = known or field_of_example(field.name, field.example, seed, language, field.type)
        fields.append(found.model_copy(update=field.model_dump()))
    return _with_rules(language, fields, proposed.identity)


def schema_by_rules(seed: str, language: Language) -> Schema:
    """A field for each value found in the seed document."""
    fields: dict[str, SchemaField] = {}
    for value in values_of(seed, language):
        name = _name(value, language)
        is_one = value.type in ("organisation", "person", "email")  # the same value is the same fact wherever it stands
        known = next((f for f in fields.values() if f.example == value.text and (is_one or f.name == name)), None)
        if known is not None:
            fields[known.name] = known.model_copy(update={"places": (*known.places, value.start)})
            continue
        name = unused_name(name, fields, " {}")
        fields[name] = SchemaField(
            name=name,
            meaning=_meaning(value, name, language),
            type=value.type,
            required=not value.section or value.type not in ("money", "number") or bool(value.label),
            example=value.text,
            unit=value.unit,
            values=value.values,
            places=(value.start,),
            sentence=value.sentence,
            section=value.section,
            varies=value.type != "text" or can_vary(value.label, value.text),
        )
    checked: list[SchemaField] = []
    for field in fields.values():
        asks = _asks(field, list(fields.values()), language)
        required = field.required or not _stands_alone(asks, field.sentence, seed)
        checked.append(field.model_copy(update={"asks": asks, "required": required}))
    identity = next((field.name for field in checked if field.type == "organisation"), "")
    return _with_rules(language, checked, identity)


def field_of_example(
    name: str, example: str, seed: str, language: Language, kind: FieldType | None = None
) -> SchemaField:
    """A field by its name and an example: its type unless it is given, its place in the seed, the question for it."""
    value = next((value for value in values_of(seed, language) if value.text == example), None)
    likely, _, values = type_of(example, name, language)
    kind = kind or likely
    everywhere = [found.start() for found in re.finditer(re.escape(example), seed)] if example else []
    field = SchemaField(
        name=name,
        meaning="",
        type=kind,
        example=example,
        unit=unit_of(example, kind),
        values=values,
        places=tuple(everywhere if kind in ("organisation", "person") else everywhere[:1]),
        sentence=value.sentence if value else line_at(seed, seed.find(example) if example else -1),
        section=value.section if value else "",
        varies=kind != "text" or can_vary(name, example),
    )
    return field.model_copy(update={"asks": _asks_label(field, language)})


def line_at(text: str, start: int) -> str:
    """The line of a text with the letter at `start`; "" if that is negative."""
    if start < 0:
        return ""
    return text[text.rfind("\n", 0, start) + 1 : (text + "\n").find("\n", start)].strip()


def _stands_alone(question: str, sentence: str, seed: str) -> bool:
    """Whether no sentence of the seed but this one could answer the question for a field."""
    parts = (part.strip() for line in seed.splitlines() for part in sentences(line))
    others = (part for part in parts if part and sentence not in part and part not in sentence)
    return not any(may_answer(question, part) for part in others)


def _name(value: Value, language: Language) -> str:
    if value.label:
        return value.label
    if value.type == "organisation":
        return _IDENTITY[language]
    topic = (_TOPIC_JA if language == "ja" else _TOPIC_EN).match(value.sentence)
    if topic and _is_noun(topic[1], language) and value.text not in topic[1]:
        return topic[1].strip()
    word = _TYPE_WORDS[language][value.type]
    return f"{value.section}の{word}" if language == "ja" else f"{value.section}: {word}"


def _is_noun(topic: str, language: Language) -> bool:
    if language == "en":
        return not re.search(r"\b(?:who|that|which|you|it)\b", topic)
    last = words(topic)[-1]
    return last.part in ("名詞", "接尾辞") and not re.search(r"社員|人$|方$|者$", last.surface)


def _meaning(value: Value, name: str, language: Language) -> str:
    told_by = "label" if value.label else "organisation" if value.type == "organisation" else "section"
    word = _TYPE_WORDS[language][value.type]
    return _MEANINGS[language][told_by].format(name=name, word=word, section=value.section)


def _asks(field: SchemaField, fields: list[SchemaField], language: Language) -> str:
    """The question for a field: its sentence with a question word in place of the value, else one with its name."""
    is_label = field.sentence.lstrip().startswith(("-", "|", "*")) or field.type == "organisation"
    in_sentence = _asks_sentence(field, fields) if language == "ja" and not is_label else ""
    return in_sentence or _asks_label(field, language)


def _asks_label(field: SchemaField, language: Language) -> str:
    name = field.name
    if language == "en":
        start = {"person": "who is", "money": "how much is"}.get(field.type, "what is")
        return f"{start} the {small(name)}"
    ends = {
        "date": "いつですか",
        "person": "誰ですか",
        "money": "いくらですか",
        "number": f"何{field.unit}ですか",
        "organisation": "どこですか",
    }
    if field.type == "choice":
        return f"{name}はどこですか" if field.example.endswith(("部", "課", "室")) else f"{name}はどれですか"
    return f"{name}は{ends.get(field.type, '何ですか')}"


def _asks_sentence(field: SchemaField, fields: list[SchemaField]) -> str:
    """The sentence with a question word in place of the value, and other values marked by their names."""
    figures = {"円": "いくら", "名": "何人"}
    asked = figures.get(field.unit, f"何{field.unit}") if field.type in ("money", "number") else "いつ"
    before, found, after = field.sentence.partition(field.example)
    if not found:
        return ""
    question = as_question(f"{before}{asked}{after}")
    for other in fields:
        if other.name != field.name and other.sentence == field.sentence and other.example in question:
            question = question.replace(other.example, f"{{{other.name}}}")
    return question


def _with_rules(language: Language, all_fields: Sequence[SchemaField], identity: str) -> Schema:
    """The schema with the rules that the seed's values follow: dates in order, figures of one section and unit in order,
    sums, persons."""
    by_unit: dict[tuple[str, str], list[SchemaField]] = defaultdict(list)
    by_section: dict[tuple[str, str], list[SchemaField]] = defaultdict(list)
    for field in all_fields:
        if field.type in ("money", "number"):
            by_unit[field.type, field.unit].append(field)
    sums = [rule for fields in by_unit.values() for rule in _sums(fields)]
    summed = {name for rule in sums for name in rule.fields}
    for field in all_fields:
        if field.type == "number" and field.name not in summed:
            by_section[field.section, field.unit].append(field)
    dates = [field for field in all_fields if field.type == "date"]
    owned = [field for field in all_fields if field.type in ("person", "email") and identity]
    rules = (
        *_order(dates, lambda field: date_of(field.example) or 0),
        *sums,
        *(rule for fields in by_section.values() for rule in _order(fields, lambda field: number_of(field.example))),
        *(Rule(kind="belongs", fields=(field.name, identity)) for field in owned),
    )
    return Schema(language=language, fields=tuple(all_fields), rules=rules, identity=identity)


def _order(fields: list[SchemaField], value: Callable[[SchemaField], float]) -> list[Rule]:
    """The rule that several fields are in the order of their values; [] for one."""
    names = tuple(field.name for field in sorted(fields, key=value))
    return [Rule(kind="order", fields=names)] if len(names) > 1 else []


_TOTAL = re.compile(r"合計|総額|総計|\b(?:total|sum|altogether|in all)\b", re.IGNORECASE)


def _sums(fields: list[SchemaField]) -> list[Rule]:
    """The total, as its sentence calls it, that is the sum of two to four others of its section."""
    for total in fields:
        if not _TOTAL.search(f"{total.name} {total.sentence}"):
            continue
        others = [field for field in fields if field is not total and field.section == total.section]
        for size in (4, 3, 2):
            for parts in combinations(others, size):
                if sum(number_of(field.example) for field in parts) == number_of(total.example):
                    return [Rule(kind="sum", fields=(*(field.name for field in parts), total.name))]
    return []
