"""Example questions: the words in which people ask for a section, stored with a bot's documents."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from core.base.errors import BadInput
from core.base.files import read_bytes
from core.base.tables import csv_grid, records
from core.base.types import Bot, Passage
from core.retrieval.documents import decode

FILE = "example_questions.csv"
COLUMNS = ("document", "heading", "question")
MOST = 50_000  # example questions of one bot
Scores = NDArray[np.float32]
Section = tuple[str, str]  # a document's name and a heading as passages have it ("Refunds › By card")


class ExampleQuestion(NamedTuple):
    """A question as somebody may ask it, and the section that answers it."""

    document: str
    heading: str
    question: str


def read_example_questions(bot: Bot) -> list[ExampleQuestion]:
    """The rows of a bot's example_questions.csv, none without that file; raises BadInput for one that cannot be read."""
    path = bot.folder / FILE
    if not path.is_file():
        return []
    rows = records(FILE, csv_grid(FILE, decode(FILE, read_bytes(path))))
    names = list(rows[0]) if rows else list(COLUMNS)
    if not set(COLUMNS).issubset(names):
        raise BadInput(
            f"{FILE} has the columns {', '.join(names)}. It needs {', '.join(COLUMNS)}. Add what is missing.",
            "example_columns",
            file=FILE,
            columns=", ".join(names),
            needed=", ".join(COLUMNS),
        )
    if len(rows) > MOST:
        raise BadInput(
            f"{FILE} has {len(rows):,} rows; the limit is {MOST:,}. Keep those that people ask most.",
            "example_rows",
            file=FILE,
            rows=len(rows),
            most=MOST,
        )
    found = (ExampleQuestion(*(str(row[name] or "").strip() for name in COLUMNS)) for row in rows)
    return [one for one in found if one.question]


def without_section(examples: Sequence[ExampleQuestion], passages: Sequence[Passage]) -> list[ExampleQuestion]:
    """The example questions whose section the documents no longer have."""
    known = {(passage.document, passage.heading) for passage in passages}
    return [one for one in examples if (one.document, one.heading) not in known]


def question_passages(examples: Sequence[ExampleQuestion], passages: Sequence[Passage]) -> list[Passage]:
    """The example questions of the sections that there are, each as a passage whose heading is the question."""
    known = {(passage.document, passage.heading) for passage in passages}
    return [
        Passage(id=_mark(*one), document=one.document, title=one.heading, heading=one.question, text=one.question)
        for one in dict.fromkeys(examples)
        if (one.document, one.heading) in known
    ]


class Searched(Protocol):
    """An index that gives every one of its passages a score."""

    def strengths(self, query: str) -> Scores: ...


class ExampleIndex:
    """Example questions, searched as passages are; a passage gets the best score of its section's questions.

    Questions that a passage answers, kept beside it, widen what it is found by (doc2query: Nogueira et al. 2019).
    """

    def __init__(self, index: Searched, questions: Sequence[Passage], digest: str) -> None:
        self._index = index
        self.digest = digest
        self._questions: defaultdict[Section, list[int]] = defaultdict(list)
        for row, question in enumerate(questions):
            self._questions[(question.document, question.title)].append(row)
        self._texts = [question.text for question in questions]

    def texts(self, passages: Sequence[Passage]) -> list[str]:
        """The questions of each passage's section, a line each."""
        return ["\n".join(self._texts[row] for row in self._rows(passage)) for passage in passages]

    def scores(self, query: str, passages: Sequence[Passage]) -> Scores:
        """The strength of the best question of each passage's section, shape (passages,); 0 without questions."""
        found = self._index.strengths(query)
        best = [max((float(found[row]) for row in self._rows(passage)), default=0.0) for passage in passages]
        return np.maximum(np.array(best, dtype=np.float32), np.float32(0))

    def _rows(self, passage: Passage) -> list[int]:
        return self._questions.get((passage.document, passage.heading), [])


def _mark(document: str, heading: str, question: str) -> str:
    return hashlib.sha256(f"{document}\n{heading}\n{question}".encode()).hexdigest()[:16]
