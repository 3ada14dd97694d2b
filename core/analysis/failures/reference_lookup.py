"""Lookups by words, for turns that no judge scored: whether passages contain a reference, and whether an answer says it.

Counting words decides for a reference that the passages have word for word, or hardly at all; the cases between go to the
sufficiency judge's lookup (`core.judges.groundedness.sufficiency`, fitted on labelled passages).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.base.types import Hit, Scenario
from core.documents.heading_names import with_heading
from core.judges.groundedness.sufficiency import look_up_reference
from core.judges.retrieval.retrieval import look_up, pieces
from core.retrieval.index import ANSWER_PASSAGES, Index
from core.store.rows import ConversationRow
from core.text.language import content_words
from core.text.numbers import numbers
from core.text.refusals import answer_sentences, is_refusal

IN_ONE_PASSAGE_FROM = 0.95  # share of a reference's words in one passage, from which the passage contains it
IN_ALL_PASSAGES_FROM = 0.3  # share in all passages together, below which they do not contain it
ANSWER_SAYS_FROM = 0.6  # share of a reference's words in an answer, from which the answer says it
# A query has lost the intent if it lacks so many of the intent's words that the user said, and this share of them
MIN_LOST_WORDS, LOST_FROM = 2, 0.6


@lru_cache(maxsize=20_000)
def word_set(text: str) -> frozenset[str]:
    """The content words of a text."""
    return frozenset(content_words(text))


def word_overlap(reference: str, text: str) -> float:
    """Share (0 to 1) of the content words of `reference` that `text` has; 0 if there are none."""
    needed = word_set(reference)
    return len(needed & word_set(text)) / len(needed) if needed else 0.0


@lru_cache(maxsize=20_000)
def passages_hold(reference: str, question: str, passages: tuple[str, ...]) -> bool | None:
    """Whether the passages contain what a reference says; None if the reference says nothing to look up."""
    needed = word_set(reference)
    if not needed or only_refuses(reference):
        return None
    if not passages:
        return False
    near = (text for text in passages if word_overlap(reference, text) >= IN_ONE_PASSAGE_FROM)
    if any(numbers(reference) <= numbers(text) for text in near):
        return True
    together = frozenset[str]().union(*map(word_set, passages))
    if len(needed & together) / len(needed) < IN_ALL_PASSAGES_FROM:
        return False
    lookup = look_up_reference(reference, question, passages)
    return lookup.probability >= 0.5 if lookup.claims else None


def passages_hold_evidence(evidence: Sequence[str], passages: Sequence[str]) -> bool | None:
    """Whether all evidence sentences are in the passages; None if the scenario has no evidence."""
    known = [text for text in evidence if pieces(text)]
    return all(look_up(text, passages).whole for text in known) if known else None


def closest_passage(reference: str, passages: Sequence[str]) -> int | None:
    """The index of the passage with most of a reference; None if no passage has half of its words."""
    shares = [word_overlap(reference, text) for text in passages]
    return shares.index(max(shares)) if shares and max(shares) >= 0.5 else None


def answer_says(reference: str, answer: str) -> bool | None:
    """Whether an answer has most words and all figures of a reference; None if the reference has no words."""
    if not word_set(reference):
        return None
    # figures first: they are read at once
    return numbers(reference) <= numbers(answer) and word_overlap(reference, answer) >= ANSWER_SAYS_FROM


@lru_cache(maxsize=20_000)
def only_refuses(text: str) -> bool:
    """Whether a text only says that there is no answer."""
    return all(map(is_refusal, answer_sentences(text))) if text.strip() else True


def opens_with_refusal(reply: str) -> bool:
    """Whether a reply opens by saying that the answer is not known, for bots that do not mark it."""
    parts = answer_sentences(reply)
    return bool(parts) and is_refusal(parts[0])


@lru_cache(maxsize=20_000)
def drops_intent(intent: str, user_texts: tuple[str, ...], query: str) -> bool:
    """Whether a query lacks most words of the intent that the user had said (at least two)."""
    expressed = word_set(intent) & frozenset[str]().union(*map(word_set, user_texts))
    lost = expressed - word_set(query)
    return len(lost) >= MIN_LOST_WORDS and len(lost) / len(expressed) >= LOST_FROM


def dropped_words(user_texts: Iterable[str], query: str) -> tuple[str, ...]:
    """The content words that were said and that a query lacks, in order."""
    have = word_set(query)
    return tuple(dict.fromkeys(word for text in user_texts for word in content_words(text) if word not in have))


class Expectation(NamedTuple):
    """The answer that the user of a turn wanted."""

    scenario: Scenario
    reference: str  # "" if the scenario's reference only says that there is no answer
    document: str | None  # that contains the scenario's reference, "" if none does, None if unknown
    in_documents: bool | None  # whether a document contains `reference`, None if unknown


class Documents:
    """Finds references in a bot's current documents; without an index nothing is known."""

    def __init__(self, index: Index | None) -> None:
        self._index = index
        self._written: dict[tuple[str, str], str | None] = {}
        self._better: dict[tuple[str, str, str], bool] = {}
        self._expectations: dict[str, Expectation] = {}  # by scenario

    def expectation(self, conversation: ConversationRow) -> Expectation:
        """The answer that the user of a conversation wanted."""
        key = conversation.scenario_id
        if key not in self._expectations:
            self._expectations[key] = self.expectation_of(conversation.scenario)
        return self._expectations[key]

    def expectation_of(self, scenario: Scenario) -> Expectation:
        """The answer that the user of a scenario wants."""
        reference = "" if only_refuses(scenario.reference) else scenario.reference
        written = self.written_in(reference, scenario.question)
        document = self.written_in(scenario.reference, scenario.question)
        return Expectation(scenario, reference, document, None if written is None else bool(written))

    def better(self, reference: str, asked: str, query: str) -> bool:
        """Whether another query finds passages with the reference."""
        key = (reference, asked, query)
        if key not in self._better:
            self._better[key] = passages_hold(reference, asked, self.found_by(query)) is True
        return self._better[key]

    def written_in(self, reference: str, question: str) -> str | None:
        """The document that contains a reference, "" if none does; None if that is unknown."""
        if self._index is None or not self._index.passages or not word_set(reference):
            return None
        key = (reference, question)
        if key not in self._written:
            self._written[key] = self._search(reference, question)
        return self._written[key]

    def found_by(self, query: str) -> tuple[str, ...]:
        """The passages that a query finds, as judges see them."""
        hits: Sequence[Hit] = self._index.search(query, ANSWER_PASSAGES) if self._index else ()
        return tuple(with_heading(hit.passage.title, hit.passage.heading, hit.passage.text) for hit in hits)

    def _search(self, reference: str, question: str) -> str | None:
        assert self._index
        scores = self._index.lexical.scores(reference)
        best = [self._index.passages[int(row)] for row in scores.argsort()[::-1][:ANSWER_PASSAGES] if scores[row] > 0]
        texts = tuple(with_heading(passage.title, passage.heading, passage.text) for passage in best)
        holds = passages_hold(reference, question, texts)
        if not holds:
            return None if holds is None else ""
        return best[closest_passage(reference, texts) or 0].document
