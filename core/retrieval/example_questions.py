"""Example questions: the words in which people ask for a section, stored with a bot's documents."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.base.errors import BadInput
from core.base.files import read_bytes
from core.base.tables import csv_grid, records
from core.base.types import Bot, Passage
from core.retrieval.documents import decode
from core.retrieval.lexical import Lexical
from core.text.language import Script
from core.text.synonyms import Synonyms

FILE = "example_questions.csv"
COLUMNS = ("document", "heading", "question")
MOST = 50_000  # example questions of one bot
Scores = NDArray[np.float32]


class ExampleQuestion(NamedTuple):
    """A question as somebody may ask it, and the section that answers it, its heading with parents ("Refunds › By card")."""

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


def by_section(
    examples: Sequence[ExampleQuestion], passages: Sequence[Passage]
) -> tuple[list[ExampleQuestion], list[ExampleQuestion]]:
    """(example questions of sections that the passages have, each once; those whose section they do not have)."""
    known = {(passage.document, passage.heading) for passage in passages}
    each = dict.fromkeys(examples)
    return [one for one in each if one[:2] in known], [one for one in each if one[:2] not in known]


class ExampleIndex:
    """BM25 over example questions; a passage gets the score of the best question of its section.

    Questions that a passage answers, stored with it, widen what it is found by (document expansion; doc2query: Nogueira
    et al. 2019). digest: of the questions.
    """

    def __init__(
        self, examples: Sequence[ExampleQuestion], passages: Sequence[Passage], of: Script, thesaurus: Synonyms
    ) -> None:
        rows: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for row, example in enumerate(examples):
            rows[(example.document, example.heading)].append(row)
        self._lexical = Lexical([example.question for example in examples], of, thesaurus=thesaurus)
        self._rows = [rows[(passage.document, passage.heading)] for passage in passages]
        self.digest = hashlib.sha256(json.dumps(examples).encode()).hexdigest()[:16]

    def words(self, passage: int) -> tuple[frozenset[str], ...]:
        """The terms of each question of a passage's section."""
        return tuple(self._lexical.word_sets[row] for row in self._rows[passage])

    def scores(self, query: str) -> Scores:
        """BM25 of the best question of each passage's section, shape (passages,); 0 without questions."""
        found = self._lexical.scores(query)
        return np.array([max((found[row] for row in rows), default=0.0) for rows in self._rows], dtype=np.float32)
