"""BM25 over example questions, and the likelihood of each section by all of them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.base.cached_method import cached_method
from core.base.types import Passage, Section
from core.documents.example_questions import ExampleQuestion
from core.retrieval.fusion import Scores
from core.retrieval.lexical import Lexical
from core.retrieval.section_classifier import SectionClassifier, TrainingText
from core.text.language import Script, terms
from core.text.stored_readings import readings
from core.text.synonyms import Synonyms

# Queries whose scores stay in memory.
CACHED_QUERIES = 256
PRIOR_WEIGHT = 0.5  # weight of the log ratio of sections without questions to those with some, in likelihoods
NEUTRAL_NEARNESS = 0.3  # nearness of example questions that is no evidence for or against a section


class SortedExamples(NamedTuple):
    """Example questions, each once, by whether the documents still have their sections."""

    answered: list[ExampleQuestion]  # a section answers them
    unanswered: list[ExampleQuestion]  # users expect a document to answer them, but no section does
    lost: list[ExampleQuestion]  # their section or document no longer exists


def sort_examples(examples: Sequence[ExampleQuestion], passages: Sequence[Passage]) -> SortedExamples:
    """The example questions by whether the passages answer them."""
    sections = {passage.section for passage in passages}
    divided = _parts_of_sections(sections)
    documents = {passage.document for passage in passages}
    found = SortedExamples([], [], [])
    for one in dict.fromkeys(examples):
        if one.section in sections:
            found.answered.append(one)
        elif parts := divided.get(one.section):  # one of them answers
            found.answered.extend(one._replace(heading=part) for part in parts)
        elif not one.heading and one.document in documents:
            found.unanswered.append(one)
        else:
            found.lost.append(one)
    return found


def _parts_of_sections(sections: Collection[Section]) -> dict[Section, list[str]]:
    """The headings of the sections right below each heading that has no text of its own, by document and that heading."""
    found: dict[Section, list[str]] = {}
    for document, heading in sorted(sections):
        above = heading.rpartition(" › ")[0]
        if above and Section(document, above) not in sections:
            found.setdefault(Section(document, above), []).append(heading)
    return found


class ExampleScores(NamedTuple):
    """BM25 of example questions for a query, and the likelihood of each section by all of them."""

    # Of the best question of each passage's section, shape (passages,); neutral for a section without questions
    sections: Scores
    # The same for questions that other sections have as well; less if the question says more than the query
    shared: Scores
    unanswered: float  # of the best question that no document answers
    # Log likelihood of each passage's section relative to the likeliest, shape (passages,); 0 for the likeliest
    likelihoods: Scores
    shared_likelihoods: Scores  # the same by the questions that sections share; 0 for all without any
    # The same for the likeliest document with questions that it does not answer; above 0 if it is likelier
    unanswered_log_ratio: float


_EMPTY = np.zeros(0, dtype=np.float32)
NO_EXAMPLES = ExampleScores(_EMPTY, _EMPTY, 0.0, _EMPTY, _EMPTY, 0.0)


class ExampleIndex:
    """BM25 over example questions; a passage gets the score of the best question of its section.

    Example questions change a search as follows, for a bot with any for its sections: their words find the section
    (`extra_terms` of `Lexical`, `DocumentValues`, `Vocabulary`); two more signals are weighted (`Index.signals`; the
    tables *_examples of fusion.toml); Japanese headings are compared with them in another way (`HeadingVectors`);
    English passages are embedded whole, with them (`CollectionSpec.records`); and sections that share questions
    compete, too (`Index.sections`). The bot then decides by other coefficients and thresholds.

    The questions of a section expand it (doc2query: Nogueira et al. 2019). Those without an answer and those of several
    sections indicate that a message is better refused or asked about.

    digest: of all questions; text_digest: of those that `texts` returns
    """

    def __init__(
        self, examples: SortedExamples, passages: Sequence[Passage], language: Script, thesaurus: Synonyms
    ) -> None:
        answered = examples.answered
        self._sections: tuple[Section, ...] = tuple(dict.fromkeys(one.section for one in answered))
        sections = {section: place for place, section in enumerate(self._sections)}
        none = len(sections)
        texts = [one.question for one in (*answered, *examples.unanswered)]
        self._lexical = Lexical(texts, language, thesaurus=thesaurus)
        self._section_of_question = np.array([sections[one.section] for one in answered], dtype=np.int64)
        self._section_of_passage = np.array([sections.get(p.section, none) for p in passages], dtype=np.int64)
        self._has_no_question = self._section_of_passage == none
        self._has_both_kinds = bool(self._has_no_question.any() and not self._has_no_question.all())
        self._questions = [one.question for one in answered]
        times = Counter(self._questions)
        self._shared = np.array([times[question] > 1 for question in self._questions], dtype=np.bool_)
        self._weights = self._lexical.weights()[: len(self._questions)]
        self._classes, self._classifier = _classifier(examples, times, self._lexical, passages, language)
        self._sharing = _sharing_classifier(examples, times, self._lexical, passages, language)
        self._language: Script = language
        self.digest = _digest([answered, examples.unanswered])
        self.text_digest = _digest([one for one in answered if times[one.question] == 1])

    @property
    def is_partial(self) -> bool:
        """Whether some sections have no example question."""
        return bool(self._has_no_question.any())

    def has_questions(self, document: str, heading: str) -> bool:
        """Whether a section has an example question."""
        return (document, heading) in self._sections

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

    def sections_with(self, word: str) -> frozenset[Section]:
        """The sections that alone have an example question with a word."""
        rows = (row for row in np.flatnonzero(~self._shared).tolist() if word in self._lexical.word_sets[row])
        return frozenset(self._sections[int(self._section_of_question[row])] for row in rows)

    @cached_method(CACHED_QUERIES)
    def scores(self, query: str) -> ExampleScores:
        """The scores of the example questions for a query."""
        of_question = self._lexical.scores(query)
        answered, unanswered = np.split(of_question, [len(self._questions)])
        best = self._best(answered)
        covered = np.sqrt(np.minimum(self._lexical.weight(query) / self._weights, 1))  # a longer question says more
        shared = self._best(np.where(self._shared, answered * covered.astype(np.float32), np.float32(0)))
        words = frozenset(terms(query, self._language))
        sections, others = np.split(self._classifier.scores(query, words), [self._classes.max(initial=-1) + 1])
        most = sections.max(initial=-np.inf)
        sharing = self._sharing.scores(query, words) if self._sharing else np.zeros_like(sections)
        if self._has_both_kinds:
            best = np.where(self._has_no_question, np.float32(NEUTRAL_NEARNESS * self._lexical.weight(query)), best)
        return ExampleScores(
            best,
            shared,
            float(unanswered.max(initial=0.0)),
            self._with_unasked_sections((sections - most)[self._classes]),
            (sharing - sharing.max(initial=-np.inf))[self._classes],
            float(others.max() - most) if others.size else 0.0,
        )

    def _with_unasked_sections(self, likelihoods: Scores) -> Scores:
        """The likelihoods, with those of sections without questions raised, since the classifier knows less of them.

        The best of them counts as the likeliest, shifted by the log ratio of their number to that of the others.
        """
        if not self._has_both_kinds:
            return likelihoods
        share = float(self._has_no_question.mean())
        lead = np.float32(PRIOR_WEIGHT * np.log(share / (1 - share))) - likelihoods[self._has_no_question].max()
        raised = np.minimum(likelihoods + max(lead, np.float32(0)), np.float32(0))
        return np.where(self._has_no_question, raised, likelihoods)

    def _best(self, of_question: Scores) -> Scores:
        """The best score of the questions of each passage's section, shape (passages,)."""
        best = np.zeros(int(self._section_of_question.max(initial=-1)) + 2, dtype=np.float32)  # the last: no section
        np.maximum.at(best, self._section_of_question, of_question)
        return np.asarray(best[self._section_of_passage], dtype=np.float32)


def _classifier(
    examples: SortedExamples, times: Counter[str], lexical: Lexical, passages: Sequence[Passage], language: Script
) -> tuple[NDArray[np.int64], SectionClassifier]:
    """The class of each passage, and the classifier: first a class for each section, then one for each document with
    questions that it does not answer.

    lexical: of the questions that sections answer, then of the others
    """
    places = _places(passages)
    none = {
        document: place
        for place, document in enumerate(dict.fromkeys(one.document for one in examples.unanswered), len(places))
    }
    rows = (*examples.answered, *examples.unanswered)
    samples = [
        TrainingText(one.question, words, places[one.section] if one.heading else none[one.document])
        for one, words in zip(rows, lexical.word_sets, strict=True)
        if times[one.question] <= 1
    ]
    texts = [(passage, text) for passage in passages for text in (passage.heading, passage.text)]
    samples += _training_texts(texts, places, language)
    classes = np.array([places[passage.section] for passage in passages], dtype=np.int64)
    return classes, SectionClassifier(samples, len(places) + len(none), language)


def _sharing_classifier(
    examples: SortedExamples, times: Counter[str], lexical: Lexical, passages: Sequence[Passage], language: Script
) -> SectionClassifier | None:
    """A classifier by headings and by the questions that sections share, which show what vague messages may mean; None
    without such questions."""
    places = _places(passages)
    samples = [
        TrainingText(one.question, words, places[one.section])
        for one, words in zip(examples.answered, lexical.word_sets, strict=False)
        if times[one.question] > 1
    ]
    if not samples:
        return None
    samples += _training_texts([(passage, passage.heading) for passage in passages], places, language)
    return SectionClassifier(samples, len(places), language)


def _places(passages: Sequence[Passage]) -> dict[Section, int]:
    """The class of each section."""
    return {section: place for place, section in enumerate(dict.fromkeys(p.section for p in passages))}


def _training_texts(
    texts: Sequence[tuple[Passage, str]], places: Mapping[Section, int], language: Script
) -> list[TrainingText]:
    """The texts of passages, such as their headings, as training texts."""
    words = readings([text for _, text in texts], terms, language)
    return [
        TrainingText(text, frozenset(found), places[passage.section])
        for (passage, text), found in zip(texts, words, strict=True)
    ]


def _digest(examples: object) -> str:
    return hashlib.sha256(json.dumps(examples).encode()).hexdigest()[:16]
