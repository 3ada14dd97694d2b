"""Example questions written by a model: as different people ask for the sections of a document, each row checked."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from pydantic import Field

from core.base.clean_text import clean, truncate
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, NeedsModel, Prompt, usable_reply
from core.base.types import Bot
from core.datasets.duplicates import copies_heading, letters
from core.datasets.tasks import run_tasks
from core.documents.documents import Document
from core.documents.example_questions import ExampleQuestion, change_example_questions, read_example_questions
from core.documents.heading_names import last_heading
from core.documents.passages import passages
from core.text.language import script

MAX_QUESTION_CHARACTERS = 200
MAX_QUESTIONS = 8  # of one section from one reply
MAX_SECTIONS, MAX_CHARACTERS = 6, 6_000  # of one prompt
MAX_SECTION_CHARACTERS = 2_400  # shown of one section
NEIGHBOURS = 12  # headings shown before and after the sections
MAX_TRIES = 2  # replies on the sections of one prompt


class SectionQuestions(FrozenModel):
    """The questions for one section, by its number in the prompt."""

    section: int = Field(description="The number of the section.")
    questions: tuple[str, ...] = Field(description="Five to eight questions, each as another person would put it.")


class WrittenExamples(FrozenModel):
    """The questions for the sections of a prompt."""

    sections: tuple[SectionQuestions, ...]


class ShownSection(FrozenModel):
    """A section as the prompt shows it."""

    number: int  # in the prompt
    heading: str
    text: str  # cut if it is long


class WriteExampleQuestions(Prompt[WrittenExamples]):
    """How people who do not know a document's words ask for its sections."""

    file = "write_example_questions"
    role = "user"
    title: str
    sections: tuple[ShownSection, ...]
    neighbours: tuple[str, ...] = ()  # headings of the same document that the questions must not fit
    description: str = ""  # of the bot

    def without_model(self) -> WrittenExamples:
        """Nothing honest: rules know the document's words only, and its headings are searched already."""
        raise NeedsModel("Example questions are written by a language model. Choose one, or write them yourself.")


class Batch(NamedTuple):
    """Sections of one document that share a prompt."""

    document: str
    title: str
    sections: tuple[ShownSection, ...]
    neighbours: tuple[str, ...] = ()  # headings around them


class WritingResult(FrozenModel):
    """How many example questions were written."""

    sections: int = 0  # asked for
    questions: int = 0  # stored
    # rows by reason: empty, long, heading (repeats one), duplicate, surplus (beyond MAX_QUESTIONS), no_section
    dropped: dict[str, int] = {}
    missing: int = 0  # sections without any usable question


def batches_of(
    documents: Sequence[Document], examples: Sequence[ExampleQuestion], redo: bool = False, limit: int = 0
) -> list[Batch]:
    """Batches of sections to write questions for: those without any, or all (redo), at most `limit` (0: no limit)."""
    have = {example[:2] for example in examples if not redo}
    room = limit or sys.maxsize
    batches: list[Batch] = []
    for document in documents:
        title, sections = _sections(document)
        lacking = [place for place, (heading, _) in enumerate(sections) if (document.name, heading) not in have][:room]
        room -= len(lacking)
        for places in _parts(lacking, sections):
            shown = tuple(
                ShownSection(number=number, heading=sections[place][0], text=sections[place][1])
                for number, place in enumerate(places, 1)
            )
            around = range(max(0, places[0] - NEIGHBOURS), min(len(sections), places[-1] + NEIGHBOURS + 1))
            neighbours = tuple(sections[place][0] for place in around if place not in places)
            batches.append(Batch(document.name, title, shown, neighbours))
    return batches


def write_examples(
    engine: Engine,
    bot: Bot,
    batches: Sequence[Batch],
    report_progress: Callable[[int], None] = lambda done: None,
) -> WritingResult:
    """Write the questions; each reply is stored in the bot's example_questions.csv at once, so a stop loses nothing.

    A section's old questions are removed when its new ones are stored. report_progress gets the number of sections done
    and may raise Stopped. Raises NeedsModel without a model, BadInput if the file cannot be read or written, and
    ModelError if the model cannot be called.
    """
    redone = {(batch.document, section.heading) for batch in batches for section in batch.sections}
    before = read_example_questions(bot)
    known = {letters(example.question) for example in before if example[:2] not in redone}
    dropped, done, stored, missing = Counter[str](), 0, 0, 0
    report_progress(0)
    for batch, (questions, unusable) in run_tasks(engine, batches, partial(_written, bot.description)):
        new = [example for example in questions if letters(example.question) not in known]
        known |= {letters(example.question) for example in new}
        places = {example[:2] for example in new}
        if new:
            change_example_questions(bot, [example for example in before if example[:2] in places], new)
        stored += len(new)
        dropped.update(unusable)
        dropped["duplicate"] += len(questions) - len(new)
        done += len(batch.sections)
        missing += len(batch.sections) - len(places)
        report_progress(done)
    reasons = {why: number for why, number in dropped.items() if number}
    return WritingResult(sections=done, questions=stored, dropped=reasons, missing=missing)


def _sections(document: Document) -> tuple[str, list[tuple[str, str]]]:
    """(title, (heading, text) of each section in order; a long section has its passages joined and is cut)."""
    texts: dict[str, list[str]] = defaultdict(list)
    title = document.name
    for passage in passages(document):
        title = passage.title
        texts[passage.heading].append(passage.text)
    return title, [(heading, truncate("\n".join(parts), MAX_SECTION_CHARACTERS)) for heading, parts in texts.items()]


def _parts(places: Sequence[int], sections: Sequence[tuple[str, str]]) -> Iterator[list[int]]:
    """The sections in parts that one prompt can show."""
    part: list[int] = []
    for place in places:
        size = sum(len(sections[shown][1]) for shown in (*part, place))
        if part and (len(part) == MAX_SECTIONS or size > MAX_CHARACTERS):
            yield part
            part = []
        part.append(place)
    if part:
        yield part


def _written(description: str, engine: Engine, batch: Batch) -> tuple[list[ExampleQuestion], Counter[str]]:
    """The usable questions of a batch, and how many others by reason; sections without any are asked for once more."""
    questions: list[ExampleQuestion] = []
    dropped = Counter[str]()
    remaining = batch.sections
    text = "\n".join(section.text for section in remaining)
    for attempt in range(MAX_TRIES):
        prompt = WriteExampleQuestions(
            title=batch.title,
            sections=remaining,
            neighbours=batch.neighbours,
            description=description,
            language="ja" if script(text) == "ja" else "en",
            seed=attempt,
        )
        reply = usable_reply(engine, prompt)
        questions += _usable(batch, remaining, reply.sections if reply else (), dropped)
        answered = {question.heading for question in questions}
        remaining = tuple(section for section in remaining if section.heading not in answered)
        if not remaining:
            break
    return questions, dropped


def _usable(
    batch: Batch, asked: Sequence[ShownSection], reply: Sequence[SectionQuestions], dropped: Counter[str]
) -> Iterator[ExampleQuestion]:
    """The questions of a reply that can be used; the others are counted."""
    headings = {section.number: section.heading for section in asked}
    others = (*batch.neighbours, *(section.heading for section in batch.sections))
    seen: set[str] = set()
    number_of = Counter[int]()
    for section in reply:
        heading = headings.get(section.section)
        for text in section.questions:
            question = " ".join(clean(text).split())
            why = "no_section" if heading is None else why_unusable(question, batch.title, heading, others)
            if not why and letters(question) in seen:
                why = "duplicate"
            why = why or ("surplus" if number_of[section.section] == MAX_QUESTIONS else "")
            if why or heading is None:
                dropped[why] += 1
                continue
            seen.add(letters(question))
            number_of[section.section] += 1
            yield ExampleQuestion(batch.document, heading, question)


def why_unusable(question: str, title: str, heading: str, others: Sequence[str] = ()) -> str:
    """Why a question is useless, such as one that repeats a heading; "" if it is usable."""
    bare = letters(question)
    if not bare:
        return "empty"
    if len(question) > MAX_QUESTION_CHARACTERS:
        return "long"
    own = last_heading(heading)
    if bare in {letters(name) for name in (own, heading, title, *(last_heading(other) for other in others))}:
        return "heading"
    return "heading" if copies_heading(question, own) else ""
