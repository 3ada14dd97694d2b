"""Desks that people made up to fit the search on: the documents of an organisation, and what strangers write to it.

Each JSON file of benchmarks/written_desks is one desk: `documents` with `sections` (a heading, its lines, and messages with
the places of the lines that answer them), `undocumented` messages, and `vague` ones with the headings that they may mean.
Nobody who wrote them knew how the bot searches. What finds sections learns from the desks in search/ (fit_search_adapter.py,
fit_late_interaction.py, fit_meaning.py); what weighs and decides, from those in response/, which nothing before has seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchmarks.judges_data import lines
from core.base.bot_folder import load_bot
from core.base.types import Bot
from core.documents.documents import Document, read_documents
from core.text.language import Script

Part = Literal["search", "response"]
FOLDER = Path(__file__).with_name("written_desks")
DESKS = Path(__file__).with_name("desks")
FOLLOW_UPS = Path(__file__).with_name("desk_follow_ups.jsonl")
_NO_NAME = re.compile(r"[^\w]+")
_ENDED = re.compile(r"[。.!?！？:：)）」]$")


class DeskMessage(NamedTuple):
    """What somebody wrote: the document and heading of the section that answers it, and the lines that a right answer has."""

    text: str
    document: str
    heading: str
    lines: tuple[str, ...]


class Desk(NamedTuple):
    """A desk; vague: messages with the headings that they may mean."""

    name: str
    language: Script
    documents: list[Document]
    clear: list[DeskMessage]
    undocumented: list[str]
    vague: list[tuple[str, list[str]]]


def read_desks(part: Part, language: Script) -> list[Desk]:
    """The desks of a language by which the search is fitted, or the response; by name."""
    stored = [json.loads(path.read_text("utf-8")) for path in sorted((FOLDER / part).glob("*.json"))]
    return [_desk(one) for one in stored if one["lang"] == language]


def desk_of_others(name: str) -> tuple[list[Document], list[tuple[str, str, str]]]:
    """The documents of a desk of benchmarks/desks, and (message, document, heading) of the clear messages to it."""
    asked = [one for one in lines(DESKS / name / "messages.jsonl") if one["kind"] == "answer"]
    return read_documents(load_bot(name, DESKS)), [(one["text"], one["document"], one["heading"]) for one in asked]


def bot_of_desk(desk: Desk, folder: Path) -> Bot:
    """A bot with the desk's documents, in a folder of its own."""
    documents = folder / desk.name / "documents"
    documents.mkdir(parents=True)
    for document in desk.documents:
        (documents / document.name).write_text(document.text, "utf-8")
    (folder / desk.name / "bot.toml").write_text(f'name = "{desk.name}"\nlanguage = "{desk.language}"\n', "utf-8")
    return load_bot(desk.name, folder)


def desk_follow_ups() -> dict[str, list[dict[str, Any]]]:
    """Conversations of two messages to desks of response/, by desk, as those of follow_ups.jsonl: the section that answers
    the second one (without a heading: none does), and the lines that do; before: the section that answers the first."""
    desks = {desk.name: desk for language in ("ja", "en") for desk in read_desks("response", language)}
    found: dict[str, list[dict[str, Any]]] = {}
    for number, one in enumerate(lines(FOLLOW_UPS)):
        names = {document.name.partition("-")[2]: document.name for document in desks[one["desk"]].documents}
        before, after = (names.get(f"{_NO_NAME.sub('-', one[title])}.md", "") for title in ("document", "to_document"))
        row = {**one, "id": f"{one['desk']}-{number}", "before": (before, one["heading"])}
        found.setdefault(one["desk"], []).append({**row, "document": after, "heading": one["to_heading"]})
    return found


def _desk(stored: dict[str, Any]) -> Desk:
    documents, clear = list[Document](), list[DeskMessage]()
    for number, one in enumerate(stored["documents"]):
        name = f"{number}-{_NO_NAME.sub('-', one['title'])}.md"
        parts = [f"## {section['heading']}\n\n{section_text(section['lines'])}" for section in one["sections"]]
        documents.append(Document(name, "\n\n".join([f"# {one['title']}", *parts]) + "\n"))
        for section in one["sections"]:
            for text, places in section["messages"]:
                answer = tuple(section["lines"][place] for place in places)
                clear.append(DeskMessage(text, name, section["heading"], answer))
    vague = [(text, list(headings)) for text, headings in stored["vague"]]
    return Desk(stored["desk"], stored["lang"], documents, clear, list(stored["undocumented"]), vague)


def section_text(lines: Sequence[str]) -> str:
    """The lines as Markdown: tables, lists and paragraphs."""
    return "\n\n".join(_blocks(lines))


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    for is_table, group in groupby(lines, key=lambda line: " | " in line):
        rows = list(group)
        if is_table and len(rows) > 1:
            cells = [row.split(" | ") for row in rows]
            width = max(map(len, cells))
            full = [[*row, *[""] * (width - len(row))] for row in cells]
            header, *body = (f"| {' | '.join(row)} |" for row in full)
            yield "\n".join((header, f"|{'---|' * width}", *body))
        else:
            yield "\n".join(row if _ENDED.search(row) else f"- {row}" for row in rows)
