"""First messages with their features: those of first_messages.toml and those to desks; used by the scripts that fit on them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.bot_indexes import Questions, indexes_of, is_section, read_first_messages
from benchmarks.desk_files import DESKS, bot_of_desk, read_desks
from benchmarks.fit_meaning import trained_without
from benchmarks.judges_data import lines
from core.base.bot_folder import load_bot
from core.base.types import Bot, Message, SectionHit
from core.bot.answer_ask_refuse import BestResponse, response_features
from core.bot.section_probability import evidence_features, section_features
from core.bot.turn import TurnOptions, take_turn
from core.bot.turn_context import find_sections
from core.llm.embedded import EmbeddedEngine
from core.retrieval import section_vectors
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.text.language import Script
from core.text.normalize import normalize

KINDS = ("answer", "ask", "refuse")
FITTED_DESKS = ("clinic", "campus", "ward", "rail")
HELD_OUT_DESKS = ("mobile", "outdoor")
WEIGHT_OF_DESK = 4.0  # there are fewer messages to them, and they are by other people
WRITTEN = "written"
WEIGHT_OF_UNDOCUMENTED = 4.0  # to written desks, where they are rarer than among what people write


class Row(NamedTuple):
    """A message: what speaks for each response, the best one, what kind it is, and whether its section is found first."""

    features: dict[str, float]
    response: BestResponse
    kind: str
    of: Script
    evidence: dict[str, float]
    sections: list[tuple[dict[str, float], bool]]
    desk: str = ""


def weights_of(rows: list[Row]) -> NDArray[np.float64]:
    """How much each row counts, shape (rows,)."""
    rare = [row.desk == WRITTEN and row.kind == "refuse" for row in rows]
    of_desk = [row.desk in FITTED_DESKS for row in rows]
    return np.where(rare, WEIGHT_OF_UNDOCUMENTED, np.where(of_desk, WEIGHT_OF_DESK, 1.0))


def examples(questions: Questions) -> list[Row]:
    """All messages of first_messages.toml, found with the bots' example questions, some of them, or none; with none also
    those to the desks."""
    with TemporaryDirectory() as folder:
        found = _examples(questions, Path(folder))
        if questions == "without_examples":
            found += [*_desk_examples(Path(folder)), *_written_examples(Path(folder) / "written")]
        return found


def _desk_examples(folder: Path) -> list[Row]:
    """The messages to the desks that have one kind of response."""
    indexes, found = Indexes(folder), list[Row]()
    for name in (*FITTED_DESKS, *HELD_OUT_DESKS):
        bot = load_bot(name, DESKS)
        index = indexes.get(bot)
        for one in lines(DESKS / name / "messages.jsonl"):
            if one["kind"] not in KINDS or not (sections := sections_of(index, one["text"])):
                continue
            found.append(_desk_row(bot, index, one, sections))
    return found


def _written_examples(folder: Path) -> list[Row]:
    """The messages to the written desks."""
    indexes, found = Indexes(folder / "chroma"), list[Row]()
    for of in ("ja", "en"):
        for desk in read_desks("response", of):
            bot = bot_of_desk(desk, folder)
            index = indexes.get(bot)
            asked: list[dict[str, Any]] = [
                {
                    "text": m.text,
                    "kind": "answer",
                    "document": m.document,
                    "heading": m.heading,
                    "facts": [list(m.lines)],
                }
                for m in desk.clear
            ]
            asked += [{"text": text, "kind": "refuse"} for text in desk.undocumented]
            asked += [{"text": text, "kind": "ask"} for text, _ in desk.vague]
            known = ((one, sections_of(index, one["text"])) for one in asked)
            found += [
                _desk_row(bot, index, one, sections)._replace(desk=WRITTEN) for one, sections in known if sections
            ]
    return found


def _desk_row(bot: Bot, index: Index, one: dict[str, Any], sections: tuple[SectionHit, ...]) -> Row:
    message, kind = one["text"], one["kind"]
    section = (one.get("document", ""), one.get("heading", ""))
    response: BestResponse = kind
    if kind == "answer" and not (
        is_section(sections[0], *section) or all(says(bot, index, message, facts) for facts in one["facts"])
    ):
        response = "ask"
    return row(message, sections, response, kind, section if kind == "answer" else None)._replace(desk=bot.id)


def _examples(questions: Questions, folder: Path) -> list[Row]:
    stored = read_first_messages()
    found: list[Row] = []
    for name in stored:
        others = trained_without(name) if questions == "without_examples" else section_vectors.projections()
        with patch.object(section_vectors, "projections", return_value=others):
            found += _rows_of_bot(name, stored[name], questions, folder)
    return found


def _rows_of_bot(name: str, kinds: dict[str, Any], questions: Questions, folder: Path) -> list[Row]:
    found: list[Row] = []
    for bot, index in indexes_of([name], questions, folder).values():
        for message, document, heading, *facts in kinds["answer"]:
            sections = sections_of(index, message)
            right = is_section(sections[0], document, heading) or says(bot, index, message, facts)
            found.append(row(message, sections, "answer" if right else "ask", "answer", (document, heading)))
        asked = dict.fromkeys((*kinds["ask"], *kinds["subjectless"]))
        of_kinds: tuple[tuple[BestResponse, Iterable[str]], ...] = (("ask", asked), ("refuse", kinds["refuse"]))
        for kind, messages in of_kinds:
            every = ((message, sections_of(index, message)) for message in messages)
            found += [row(message, sections, kind, kind) for message, sections in every if sections]
    return found


def sections_of(index: Index, message: str) -> tuple[SectionHit, ...]:
    return find_sections(index, (Message(role="user", text=message),))


def row(
    message: str,
    sections: tuple[SectionHit, ...],
    response: BestResponse,
    kind: str,
    section: tuple[str, str] | None = None,
) -> Row:
    features = response_features(message, sections)
    features_of = zip(sections, section_features(sections), strict=False)
    of_sections = [(found, section is not None and is_section(one, *section)) for one, found in features_of]
    return Row(features, response, kind, sections[0].language, evidence_features(message, sections), of_sections)


def says(bot: Bot, index: Index, message: str, facts: list[str]) -> bool:
    """Whether the reply made without asking holds one of the facts."""
    reply = take_turn(EmbeddedEngine(), bot, index, (), message, TurnOptions(clarify=False)).reply
    said = "".join(normalize(reply.text).split())
    is_answered = reply.kind == "answer" and bool(reply.answered)
    return is_answered and any("".join(normalize(one).split()) in said for one in facts)
