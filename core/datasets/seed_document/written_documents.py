"""Writes documents from configurations, with style and headings of the seed document; each value is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import Field

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, PromptByRules, usable_reply
from core.base.types import Language
from core.datasets.seed_document.configurations import Configuration
from core.datasets.seed_document.found_values import values_of
from core.datasets.seed_document.schema import Schema, SchemaField
from core.text.language import content_words, frame_words, sentences
from core.text.normalize import normalize

MAX_TRIES = 2
ANSWERED_FROM = 0.85  # share of a question's words in one sentence from which that sentence may answer it


class DocumentFact(FrozenModel):
    """What a document says about a field."""

    document: str
    subject: str  # of the document
    field: str
    value: str
    sentence: str  # the sentence or line, as in the document


class WrittenDocument(FrozenModel):
    """A document written from a configuration."""

    name: str = Field(pattern=r"^\w[\w.-]*\.md$")  # a file of that name is written
    text: str
    subject: str
    configuration: str
    left_out: str = ""  # the field that it leaves out on purpose
    left_out_value: str = ""
    missing: tuple[str, ...] = ()  # fields whose value it lacks
    facts: tuple[DocumentFact, ...] = ()  # at most one of each field

    def fact(self, field: str) -> DocumentFact | None:
        """What it says about a field; None if nothing."""
        return next((fact for fact in self.facts if fact.field == field), None)


class DocumentText(FrozenModel):
    """The whole document, in Markdown."""

    text: str


class WriteDocument(PromptByRules[DocumentText]):
    """Writes a document like the seed with other values.

    The rules replace the seed's values and drop the sentence of what is left out.
    """

    file = "write_document"
    role = "user"
    seed_document: str
    facts: tuple[tuple[str, str], ...]  # (field, value)
    left_out: str = ""  # what it must not say
    missing: tuple[str, ...] = ()  # values that an earlier reply lacked


def write_document(
    engine: Engine, seed: str, schema: Schema, configuration: Configuration, name: str
) -> WrittenDocument:
    """The document of a configuration; a model is asked again for values that its reply lacks, then they are listed.

    Raises BadInput (`no_value`) if the configuration has no value for a field.
    """
    values = configuration.values
    if lacking := next((field.name for field in schema.fields if field.name not in values), ""):
        message = f"The configuration {configuration.id} has no value for the field {lacking!r}. Add one."
        raise BadInput(message, "no_value", id=configuration.id, field=lacking)
    fields = tuple((field.name, values[field.name]) for field in schema.fields if field.name != configuration.left_out)
    text, missing = "", tuple(value for _, value in fields)
    by_rules = substitute_values(seed, schema, configuration)
    for attempt in range(MAX_TRIES):
        prompt = WriteDocument(
            seed_document=seed,
            facts=fields,
            left_out=configuration.left_out,
            missing=missing if attempt else (),
            by_rules=DocumentText(text=by_rules),
            language=schema.language,
            seed=attempt,
        )
        if reply := usable_reply(engine, prompt):
            text = reply.text.strip() + "\n"
        missing = tuple(value for _, value in fields if value not in text)
        if not missing:
            break
    subject = values.get(schema.identity, "") or name
    expected = {field.name: render_sentence(seed, schema, configuration, field) for field in schema.fields}
    return WrittenDocument(
        name=name,
        text=text,
        subject=subject,
        configuration=configuration.id,
        left_out=configuration.left_out,
        left_out_value=values.get(configuration.left_out, ""),
        missing=tuple(field for field, value in fields if value in missing),
        facts=_facts(text, schema, dict(fields), expected, document=name, subject=subject),
    )


def _facts(
    text: str, schema: Schema, values: Mapping[str, str], expected: Mapping[str, str], **about: str
) -> tuple[DocumentFact, ...]:
    """What a text says about fields with these values; expected: the sentences, if they have not changed."""
    return tuple(
        DocumentFact(field=field, value=value, sentence=sentence, **about)
        for field, value in values.items()
        if value and (sentence := sentence_with(text, value, expected.get(field, ""), schema.language))
    )


def edited_document(document: WrittenDocument, text: str, schema: Schema, values: Mapping[str, str]) -> WrittenDocument:
    """The document with a text that a person wrote; what it says by field is read again, and what it lacks is listed.

    values: of its configuration. Raises BadInput for an empty text.
    """
    if not text.strip():
        raise BadInput("The document is empty. Write some text, or undo the change.", "document_empty")
    text = f"{text.strip()}\n"
    said = {field.name: values.get(field.name, "") for field in schema.fields if field.name != document.left_out}
    there = {field: value for field, value in said.items() if value in text}
    expected = {fact.field: fact.sentence for fact in document.facts}
    facts = _facts(text, schema, there, expected, document=document.name, subject=document.subject)
    missing = tuple(field for field in said if field not in {fact.field for fact in facts})
    return document.model_copy(update={"text": text, "facts": facts, "missing": missing})


def substitute_values(seed: str, schema: Schema, configuration: Configuration) -> str:
    """The seed with the configuration's values in place of its own, without the sentence or line of what is left out.

    If no field tells documents apart, the name of the configuration stands below the title.
    """
    text = _rendered(seed, schema, configuration, 0, len(seed))
    if configuration.left_out:
        sentence = render_sentence(seed, schema, configuration, schema.field(configuration.left_out))
        text = _without(text, sentence)
    return text


def render_sentence(seed: str, schema: Schema, configuration: Configuration, field: SchemaField) -> str:
    """The seed's sentence on a field with the configuration's values."""
    if not field.sentence or not field.places:
        return ""
    start = seed.rfind(field.sentence, 0, field.places[0] + len(field.sentence))
    return _rendered(seed, schema, configuration, start, start + len(field.sentence)) if start >= 0 else ""


def _rendered(seed: str, schema: Schema, configuration: Configuration, start: int, end: int) -> str:
    places = sorted(
        (place, len(field.example), configuration.values.get(field.name, field.example))
        for field in schema.fields
        for place in field.places
        if start <= place < end
    )
    text, done = "", start
    for place, length, value in places:
        if place >= done:
            text += f"{seed[done:place]}{value}"
            done = place + length
    return text + seed[done:end]


def _without(text: str, sentence: str) -> str:
    """The text without a sentence; a line that has nothing else goes with it."""
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        if sentence in line:
            rest = line.replace(sentence, "", 1)
            lines[place] = "" if not rest.strip(" -*+・|\r\n") else f"{' '.join(rest.split())}\n"
            break
    return "".join(lines)


def sentence_with(text: str, value: str, expected: str, language: Language) -> str:
    """The sentence or line of a text that states a value: the expected one if present, else the first."""
    if expected and expected in text:
        return expected
    for stated in values_of(text, language):
        if stated.text == value:
            return stated.sentence
    return next((line.strip() for line in text.splitlines() if value in line), "")


def says(document: WrittenDocument, field: SchemaField, language: Language) -> bool:
    """Whether a document mentions the field that it leaves out: its value, its name, or the words of the question."""
    is_named = len(field.name) > 3 and normalize(field.name) in normalize(document.text)
    if is_named or states_value(document.text, document.left_out_value, language):
        return True
    return any(may_answer(field.asks, part) for line in document.text.splitlines() for part in sentences(line))


def states_value(text: str, value: str, language: Language) -> bool:
    """Whether a text states a value by itself: 25日 in 3月25日 is no statement of 25日."""
    if re.match(r"\d", value):
        return any(stated.text == value for stated in values_of(text, language))
    return bool(value) and value in text


def may_answer(question: str, sentence: str) -> bool:
    """Whether a sentence has (nearly) all words of a question."""
    asked = {word for word in content_words(question) if not word.isdigit()} - frame_words()
    return len(asked) > 1 and len(asked & set(content_words(sentence))) / len(asked) >= ANSWERED_FROM
