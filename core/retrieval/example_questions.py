"""Example questions: the words in which people ask for a section, stored with a bot's documents."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter, defaultdict, deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from core.base.errors import BadInput
from core.base.files import check_writable, read_bytes, write_bytes
from core.base.formulas import escape_formula, unescape_formula
from core.base.settings import settings
from core.base.tables import Cells, columns_of, csv_grid, is_filled, records
from core.base.text import clean
from core.base.types import Bot, Passage
from core.retrieval.documents import MOST_BYTES, decode
from core.retrieval.lexical import Lexical
from core.retrieval.section_classifier import SectionClassifier, TrainingText
from core.text.language import Script, terms
from core.text.synonyms import Synonyms

FILE = "example_questions.csv"
COLUMNS = ("document", "heading", "question")
MOST = 50_000  # example questions of one bot
REMEMBERED = 256  # queries whose scores stay in memory
PRIOR = (
    0.5  # what the logarithm of how many sections have no questions, beside those that have, counts for a likelihood
)
NEUTRAL = 0.3  # nearness of example questions that speaks neither for a section nor against it
Scores = NDArray[np.float32]


class ExampleQuestion(NamedTuple):
    """A question as somebody may ask it, and the section that answers it, its heading with parents ("Refunds › By
    card").

    Without a heading: one that people expect the document to answer, and that none does. A question of several sections
    leaves open which is meant.
    """

    document: str
    heading: str
    question: str


def read_example_questions(bot: Bot) -> list[ExampleQuestion]:
    """The rows of a bot's example_questions.csv, none without that file; raises BadInput for one that cannot be
    read."""
    return [one for one in map(_example, _file_rows(bot)) if one.question]


def example_questions_of(name: str, rows: Sequence[Cells]) -> list[ExampleQuestion]:
    """The rows of a table of that name that have a question; raises BadInput if a column is missing, or for too many
    rows."""
    return [one for one in map(_example, _checked(name, rows)) if one.question]


def example_questions_csv(examples: Iterable[ExampleQuestion]) -> str:
    """Example questions as CSV, for a file or a download; what a spreadsheet would take for a formula stays text
    there."""
    return _csv([_cells(one) for one in examples])


def change_example_questions(
    bot: Bot, removed: Iterable[ExampleQuestion] = (), added: Iterable[ExampleQuestion] = ()
) -> int:
    """Take rows out of the bot's file and add those that it lacks, in one step; gives how many it has then.

    What somebody else wrote into the file meanwhile stays, and so do columns of other names. An added row goes to where
    one of its section was taken out, else below the last one of its section or document. Raises BadInput, and writes
    nothing, if the file cannot be read or written or would be too large.
    """
    gone = set(removed)
    with _locked(bot):
        before = _file_rows(bot)
        present = {_example(row) for row in before} - gone
        given = dict.fromkeys(ExampleQuestion(*(clean(text).strip() for text in one)) for one in added)
        new = [one for one in given if one not in present]
        rows = _checked(FILE, _placed(before, gone, new))
        data = _csv(rows).encode()
        _decoded(data)
        write_bytes(bot.folder / FILE, data)
    return sum(bool(_example(row).question) for row in rows)


def copy_example_questions(bot: Bot) -> Path | None:
    """A copy of the bot's file in the data folder; None without a file. Raises BadInput."""
    file = bot.folder / FILE
    if not file.is_file():
        return None
    copy = settings().data_dir / "versions" / f"{bot.id}.{datetime.now(UTC):%Y%m%dT%H%M%S}.{FILE}"
    write_bytes(copy, read_bytes(file))
    return copy


def _file_rows(bot: Bot) -> Sequence[Cells]:
    """The rows of the bot's file with all columns."""
    path = bot.folder / FILE
    return _checked(FILE, records(FILE, csv_grid(FILE, _decoded(read_bytes(path))))) if path.is_file() else []


def _decoded(data: bytes) -> str:
    """The text of the file; raises BadInput for other than UTF-8, or too many bytes."""
    if len(data) > MOST_BYTES:
        raise BadInput(
            f"{FILE} has {len(data):,} bytes; the limit is {MOST_BYTES:,}. Keep those that people ask most.",
            "example_bytes",
            file=FILE,
            bytes=len(data),
            most=MOST_BYTES,
        )
    return decode(FILE, data)


def _checked(name: str, rows: Sequence[Cells]) -> Sequence[Cells]:
    """The rows that hold anything; raises BadInput if a column is missing, or for too many."""
    columns = columns_of([*rows[:1]]) if rows else list(COLUMNS)
    if not set(COLUMNS).issubset(columns):
        raise BadInput(
            f"{name} has the columns {', '.join(columns)}. It needs {', '.join(COLUMNS)}. Add what is missing.",
            "example_columns",
            file=name,
            columns=", ".join(columns),
            needed=", ".join(COLUMNS),
        )
    if len(rows) > MOST:
        raise BadInput(
            f"{name} has {len(rows):,} rows; the limit is {MOST:,}. Keep those that people ask most.",
            "example_rows",
            file=name,
            rows=len(rows),
            most=MOST,
        )
    return [row for row in rows if any(is_filled(cell) for cell in row.values())]


def _example(row: Cells) -> ExampleQuestion:
    return ExampleQuestion(*(unescape_formula(str(row[name] or "").strip()) for name in COLUMNS))


def _cells(one: ExampleQuestion) -> Cells:
    return {name: escape_formula(text) for name, text in zip(COLUMNS, one, strict=True)}


def _placed(rows: Sequence[Cells], gone: set[ExampleQuestion], added: Sequence[ExampleQuestion]) -> list[Cells]:
    """The rows that stay and the added ones.

    Of a section that has rows, the added ones take the places of those that are gone, the rest go below its last one;
    those of another section go below the last row of their document, else to the end.
    """
    last: dict[object, int] = {}
    for place, row in enumerate(rows):
        one = _example(row)
        last[one[:2]] = last[one.document] = place
    of_section: defaultdict[tuple[str, str], deque[Cells]] = defaultdict(deque)
    below: defaultdict[int, list[Cells]] = defaultdict(list)
    for one in added:
        if one[:2] in last:
            of_section[one[:2]].append(_cells(one))
        else:
            below[last.get(one.document, len(rows))].append(_cells(one))
    placed: list[Cells] = []
    for place, row in enumerate(rows):
        one = _example(row)
        waiting = of_section[one[:2]]
        if one not in gone:
            placed.append(row)
        elif waiting:
            placed.append(waiting.popleft())
        if place == last[one[:2]]:
            placed += waiting
        placed += below[place]
    return placed + below[len(rows)]


def _csv(rows: Sequence[Cells]) -> str:
    out = io.StringIO()
    names = [*COLUMNS, *(name for name in columns_of([*rows]) if name not in COLUMNS)]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    texts = ((unescape_formula(str(row.get(name) or "").strip()) for name in names) for row in rows)
    writer.writerows([escape_formula(text) for text in cells] for cells in texts)
    return out.getvalue()


@contextmanager
def _locked(bot: Bot) -> Generator[None]:
    """Nobody else, in this process or another of this machine, changes the bot's file meanwhile; raises BadInput."""
    file = settings().data_dir / "locks" / f"{bot.id}.{FILE}.lock"
    check_writable(file)
    with FileLock(file):
        yield


class SortedExamples(NamedTuple):
    """Example questions, each once: those that a section answers, those that no document answers, those whose section
    or document is gone."""

    answered: list[ExampleQuestion]
    unanswered: list[ExampleQuestion]
    lost: list[ExampleQuestion]


def sort_examples(examples: Sequence[ExampleQuestion], passages: Sequence[Passage]) -> SortedExamples:
    """The example questions by what the passages have for them."""
    sections = {(passage.document, passage.heading) for passage in passages}
    documents = {passage.document for passage in passages}
    found = SortedExamples([], [], [])
    for one in dict.fromkeys(examples):
        if one[:2] in sections:
            found.answered.append(one)
        elif not one.heading and one.document in documents:
            found.unanswered.append(one)
        else:
            found.lost.append(one)
    return found


class ExampleScores(NamedTuple):
    """How near a query is to example questions, as BM25, and how likely each section is by all of them.

    sections: of the best question of each passage's section, shape (passages,), a middling value for one without questions; shared: the same
    for questions that other sections have as well, less if the question says more than the query; unanswered: of the
    best question that no document answers; likelihoods: logarithm of the likelihood of each passage's section divided
    by that of the likeliest, shape (passages,), 0 for that one; shared_likelihoods: the same by the questions that
    sections share, 0 for all without any; beside: the same for the likeliest document of which something is asked that
    it does not answer (above 0 if that is likelier).
    """

    sections: Scores
    shared: Scores
    unanswered: float
    likelihoods: Scores
    shared_likelihoods: Scores
    beside: float


class ExampleIndex:
    """BM25 over example questions; a passage gets the score of the best question of its section.

    Questions that a passage answers, stored with it, widen what it is found by (document expansion; doc2query: Nogueira
    et al. 2019). Those that no document answers, and those of several sections, tell what is better refused or asked.
    digest: of all questions; text_digest: of those that `texts` gives.
    """

    def __init__(self, examples: SortedExamples, passages: Sequence[Passage], of: Script, thesaurus: Synonyms) -> None:
        answered = examples.answered
        sections = {section: place for place, section in enumerate(dict.fromkeys(one[:2] for one in answered))}
        none = len(sections)
        texts = [one.question for one in (*answered, *examples.unanswered)]
        self._lexical = Lexical(texts, of, thesaurus=thesaurus)
        self._section_of_question = np.array([sections[one[:2]] for one in answered], dtype=np.int64)
        self._section_of_passage = np.array(
            [sections.get((p.document, p.heading), none) for p in passages], dtype=np.int64
        )
        self._unasked = self._section_of_passage == none
        self._is_partly_asked = bool(self._unasked.any() and not self._unasked.all())
        self._questions = [one.question for one in answered]
        times = Counter(self._questions)
        self._shared = np.array([times[question] > 1 for question in self._questions], dtype=np.bool_)
        self._weights = self._lexical.weights()[: len(self._questions)]
        self._classes, self._classifier = _classifier(examples, times, self._lexical, passages, of)
        self._sharing = _sharing_classifier(examples, times, self._lexical, passages, of)
        self._of: Script = of
        self.digest = _digest([answered, examples.unanswered])
        self.text_digest = _digest([one for one in answered if times[one.question] == 1])
        self.scores = lru_cache(maxsize=REMEMBERED)(self._scores)

    def texts(self) -> Sequence[str]:
        """For each passage the questions of its section alone, one a line; empty for a section without any."""
        asked: defaultdict[int, str] = defaultdict(str)
        for place in np.flatnonzero(~self._shared).tolist():
            asked[int(self._section_of_question[place])] += f"{self._questions[place]}\n"
        return [asked[section] for section in self._section_of_passage.tolist()]

    def words(self, passage: int) -> tuple[frozenset[str], ...]:
        """The terms of each question of a passage's section alone."""
        own = self._section_of_question == self._section_of_passage[passage]
        rows = np.flatnonzero(own & ~self._shared)
        return tuple(self._lexical.word_sets[row] for row in rows)

    def _scores(self, query: str) -> ExampleScores:
        """How near the example questions are to a query."""
        of_question = self._lexical.scores(query)
        answered, unanswered = np.split(of_question, [len(self._questions)])
        best = self._best(answered)
        covered = np.sqrt(
            np.minimum(self._lexical.weight(query) / self._weights, 1)
        )  # "the link ..." says more than "..."
        shared = self._best(np.where(self._shared, answered * covered.astype(np.float32), np.float32(0)))
        words = frozenset(terms(query, self._of))
        sections, others = np.split(self._classifier.scores(query, words), [self._classes.max(initial=-1) + 1])
        most = sections.max(initial=-np.inf)
        beside = float(others.max() - most) if others.size else 0.0
        sharing = self._sharing.scores(query, words) if self._sharing else np.zeros_like(sections)
        if self._is_partly_asked:
            best = np.where(self._unasked, np.float32(NEUTRAL * self._lexical.weight(query)), best)
        return ExampleScores(
            best,
            shared,
            float(unanswered.max(initial=0.0)),
            self._beside_unasked((sections - most)[self._classes]),
            (sharing - sharing.max(initial=-np.inf))[self._classes],
            beside,
        )

    def _beside_unasked(self, likelihoods: Scores) -> Scores:
        """Likelihoods in which sections without questions, of which the classifier knows less, stand beside the others.

        Their best counts as the likeliest, less or more as there are fewer or more of them than of the others.
        """
        if not self._is_partly_asked:
            return likelihoods
        share = float(self._unasked.mean())
        lead = np.float32(PRIOR * np.log(share / (1 - share))) - likelihoods[self._unasked].max()
        raised = np.minimum(likelihoods + max(lead, np.float32(0)), np.float32(0))
        return np.where(self._unasked, raised, likelihoods)

    def _best(self, of_question: Scores) -> Scores:
        """Of the questions' scores the best one of each passage's section, shape (passages,)."""
        best = np.zeros(int(self._section_of_question.max(initial=-1)) + 2, dtype=np.float32)  # the last: no section
        np.maximum.at(best, self._section_of_question, of_question)
        return np.asarray(best[self._section_of_passage], dtype=np.float32)


def _classifier(
    examples: SortedExamples,
    times: Counter[str],
    lexical: Lexical,
    passages: Sequence[Passage],
    of: Script,
) -> tuple[NDArray[np.int64], SectionClassifier]:
    """The class of each passage, and the classifier: first a class for each section, then one for each document of
    which something is asked that it does not answer.

    lexical: of the questions that sections answer, then of the others.
    """
    places = _places(passages)
    none = {
        document: place
        for place, document in enumerate(dict.fromkeys(one.document for one in examples.unanswered), len(places))
    }
    rows = (*examples.answered, *examples.unanswered)
    samples = [
        TrainingText(one.question, words, places[one[:2]] if one.heading else none[one.document])
        for one, words in zip(rows, lexical.word_sets, strict=True)
        if times[one.question] <= 1
    ]
    for passage in passages:
        samples += [_training_text(text, passage, places, of) for text in (passage.heading, passage.text)]
    classes = np.array([places[passage.document, passage.heading] for passage in passages], dtype=np.int64)
    return classes, SectionClassifier(samples, len(places) + len(none), of)


def _sharing_classifier(
    examples: SortedExamples, times: Counter[str], lexical: Lexical, passages: Sequence[Passage], of: Script
) -> SectionClassifier | None:
    """A classifier by headings and the questions that sections share, which tell what vague messages may mean; None
    without any."""
    places = _places(passages)
    samples = [
        TrainingText(one.question, words, places[one[:2]])
        for one, words in zip(examples.answered, lexical.word_sets, strict=False)
        if times[one.question] > 1
    ]
    if not samples:
        return None
    samples += [_training_text(passage.heading, passage, places, of) for passage in passages]
    return SectionClassifier(samples, len(places), of)


def _places(passages: Sequence[Passage]) -> dict[tuple[str, str], int]:
    """The class of each section."""
    return {section: place for place, section in enumerate(dict.fromkeys((p.document, p.heading) for p in passages))}


def _training_text(text: str, passage: Passage, places: Mapping[tuple[str, str], int], of: Script) -> TrainingText:
    return TrainingText(text, frozenset(terms(text, of)), places[passage.document, passage.heading])


def _digest(examples: object) -> str:
    return hashlib.sha256(json.dumps(examples).encode()).hexdigest()[:16]
