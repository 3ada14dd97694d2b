"""The index of a bot: its passages, and the signals by which they are searched."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from core.base.cached_method import cached_method
from core.base.types import Hit, Passage, Section, SectionHit
from core.documents.heading_names import last_heading
from core.retrieval.document_values import DocumentValues
from core.retrieval.example_index import NO_EXAMPLES, ExampleIndex, ExampleScores
from core.retrieval.fusion import Scores, fuse, message_weights, scale, signal_weights
from core.retrieval.late_interaction import LateInteraction, Unmatched
from core.retrieval.lexical import CharacterNgrams, Lexical, WordPairs, WordSets
from core.retrieval.near_words import NearWords
from core.retrieval.section_vectors import HeadingVectors, SectionMeanings
from core.retrieval.vocabulary import Vocabulary
from core.retrieval.word_vectors import WordVectors, word_vectors
from core.text.language import Script, content_words, sentences, terms
from core.text.message_questions import question_parts, without_courtesy
from core.text.negation import opposite_word, words_with_opposite
from core.text.synonyms import Synonyms, load_synonyms

if TYPE_CHECKING:
    from core.retrieval.chroma import PassageCollection
    from core.retrieval.embedders import Embedder

CACHED_QUERIES = 2_048  # queries whose results are cached
CACHED_RANKINGS = 64  # queries whose scores of all passages are cached: those of the current messages
CACHED_PASSAGES = 4_096  # passages whose sentences' terms are cached
# Passages that a question is answered from.
ANSWER_PASSAGES = 6
# Sections that compete for a message if the caller names no number.
FOUND_SECTIONS = 16
PASSAGES_PER_SECTION = 5  # passages that are ranked for each requested section: several may be of one section
NEAREST_PASSAGES = 60  # results of Chroma for one query: passages, or pieces of passages if the collection has these
NEAREST_PIECES = 120
MIN_SCORE = 0.01  # lowest score of a passage that shares a word or a run of letters with the query
FOUND_COSINE = 0.4  # cosine from which a passage is found by its meaning alone
MIN_PART_WORDS = 2  # content words from which a part of a message is searched for by itself
ONE_PART_FACTOR = 0.7  # factor of the scores of the only question in a message, relative to those of the whole message
SEVERAL_PARTS_FACTOR = 0.95  # the same for each of several questions
BEST_OF_PART = 2  # best passages of each part of a message that are always in the result
# sections whose sentences are compared with the message, which takes a third of the time of a search
COMPARED_SECTIONS = 4
OTHER_VALUE_FACTOR = 0.5  # factor of the scores of a section that is headed by another value than the message names
EXTRA_SECTIONS = 8  # additional sections that are the likeliest by the example questions that sections share
MAX_SECTIONS_OF_DOCUMENT = 3  # sections of one document that compete, so that other documents appear, too


class _Signals(NamedTuple):
    """The signals of every passage for one part of a message, each of shape (passages,); zeros for a missing one."""

    fused: Scores  # weighted sum of all signals
    words: Scores  # BM25
    cosine: Scores  # of sentence vectors
    matched: Scores  # by late interaction
    examples: Scores  # BM25 of the best example question


class _Ranking(NamedTuple):
    """The result for a query; its arrays have the shape (passages,)."""

    rows: list[int]  # with a score, best first
    best_of_parts: frozenset[int]  # the best two rows of each part of the message
    parts: tuple[str, ...]  # what was searched for
    scaled: Scores  # 0 to 1, so that the best of each part is near 1
    strength: Scores  # before scaling, comparable between queries
    words: Scores  # BM25
    cosine: Scores | None  # None without vectors
    matched: Scores  # by late interaction
    examples: Scores  # BM25 of the best example question
    of_query: ExampleScores  # of the whole query
    # words that no passage has; this and the next two only without example questions
    unknown_words: tuple[str, ...] = ()
    weight: float = 0.0  # of all words of the query
    unmatched: Unmatched | None = None  # what of the query the sections do not mention

    def best(self, k: int) -> list[int]:
        """The k best rows, best first; the best of each part of the message are among them."""
        others = [row for row in self.rows if row not in self.best_of_parts]
        best = self.best_of_parts.union(others[: max(k - len(self.best_of_parts), 0)])
        return [row for row in self.rows if row in best][:k]


_EMPTY = np.zeros(0, dtype=np.float32)
_NOTHING = _Ranking([], frozenset(), (), _EMPTY, _EMPTY, _EMPTY, None, _EMPTY, _EMPTY, NO_EXAMPLES)


class Index:
    """Searches the passages of a bot by words and vectors; safe to share between threads.

    digest: of the documents, example questions and the bot's synonyms
    collection: of Chroma, if vectors take part in the search
    thesaurus: the synonyms of the language and the bot; None: those of the language
    examples: the example questions, if the bot has any

    Attributes that may be set: `weights`, of each signal (fusion.py); and `without_examples`, if only some sections have
    example questions: the index of the same passages without any questions, which finds the other sections.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        language: Script,
        digest: str,
        collection: PassageCollection | None = None,
        thesaurus: Synonyms | None = None,
        examples: ExampleIndex | None = None,
    ) -> None:
        self.passages = tuple(passages)
        self.language: Script = language
        self.digest = digest
        self.without_examples: Index | None = None
        self._collection = collection
        self._examples = examples
        self._rows = {passage.id: row for row, passage in enumerate(self.passages)}
        self._rows_of: defaultdict[Section, list[int]] = defaultdict(list)
        for row, passage in enumerate(self.passages):
            self._rows_of[passage.section].append(row)
        heads = [p.heading if p.heading == p.title else f"{p.title}\n{p.heading}" for p in self.passages]
        texts = [p.text for p in self.passages]
        self._example_words = [examples.words(row) if examples else () for row in range(len(texts))]
        self.lexical = Lexical(texts, language, heads, thesaurus, self._example_words)
        self.vocabulary = Vocabulary(self.passages, language, self.lexical, examples)
        self._headed_texts = list(zip(heads, texts, strict=True))
        self._ngrams = CharacterNgrams(self._headed_texts, language)
        self.document_values = DocumentValues(
            self.passages, language, thesaurus or load_synonyms(language), examples.texts() if examples else ()
        )
        self._meanings: HeadingVectors | SectionMeanings | None = None
        self._near_words: NearWords | None = None
        self._interaction: LateInteraction | None = None
        if language == "ja" and passages and (vectors := word_vectors()):
            self._read_word_vectors(heads, texts, vectors)
        self.weights = signal_weights(language, self._meanings is not None, examples is not None, len(self.passages))
        if self.weights.get("pairs"):
            _ = self._pairs  # computed now, not by the first search
        lasts = enumerate(last_heading(p.heading) for p in self.passages)
        self._headings_with_opposite = [(row, heading) for row, heading in lasts if words_with_opposite(heading)]
        self._heads = [frozenset(terms(f"{p.title}\n{p.heading}", language)) for p in self.passages]

    @cached_property
    def _pairs(self) -> WordPairs:
        """Computed only if their signal is weighted."""
        return WordPairs(self._headed_texts, self.language)

    @property
    def embedder(self) -> Embedder | None:
        """The embedder of the vectors in the search; None without vectors."""
        return self._collection.embedder if self._collection else None

    def has_example_questions(self, document: str, heading: str) -> bool:
        """Whether a section has an example question."""
        return self._examples is not None and self._examples.has_questions(document, heading)

    @cached_method(CACHED_QUERIES)
    def search(self, query: str, k: int = ANSWER_PASSAGES) -> tuple[Hit, ...]:
        """The k best passages for a query, best first; fewer if nothing more matches."""
        found = self._ranked(query)
        return tuple(Hit(passage=self.passages[row], **self._evidence(found, row)) for row in found.best(k))

    @cached_method(CACHED_RANKINGS)
    def _ranked(self, query: str) -> _Ranking:
        """All rows with a score, best first, with the scores of all passages."""
        if not self.passages or not query.strip():
            return _NOTHING
        parts = _parts_of(query)
        found = [self._part_signals(part) for part in parts]
        scaled = [scale(each.fused) for each in found]
        factors = self._factors(query)
        scaled = [scale(each * factors) for each in scaled] if factors.min() < 1 else scaled
        part_factor = np.float32(SEVERAL_PARTS_FACTOR if len(scaled) > 2 else ONE_PART_FACTOR)
        fused = _highest([scaled[0], *(part_factor * other for other in scaled[1:])])
        strength, words, cosine, matched, examples = map(_highest, zip(*found, strict=True))
        return _Ranking(
            _ranking(fused),
            frozenset(row for scores in scaled[1:] for row in _ranking(scores)[:BEST_OF_PART]),
            parts,
            fused,
            strength * factors,
            words,
            cosine if self._collection else None,
            matched,
            examples * factors,
            self._examples.scores(parts[0]) if self._examples else NO_EXAMPLES,
            *self._unknown_and_unmatched(query),
        )

    def _unknown_and_unmatched(self, query: str) -> tuple[tuple[str, ...], float, Unmatched | None]:
        """The last three fields of `_Ranking`."""
        if self._examples:
            return (), 0.0, None
        weight = math.fsum(map(self.lexical.idf, dict.fromkeys(terms(query, self.language))))
        unmatched = self._interaction.unmatched(query) if self._interaction else None
        return self.vocabulary.unknown_words(query), weight, unmatched

    def _factors(self, query: str) -> Scores:
        """The factor of each passage's scores, shape (passages,).

        Less than 1 if it is headed by another value than the query names, or by the opposite (turn on, turn off).
        """
        factors: Scores = np.ones(len(self.passages), dtype=np.float32)
        for place in self.document_values.excluded_sections(query):
            factors[self._rows_of[place]] = OTHER_VALUE_FACTOR
        if words_with_opposite(query):
            for row, heading in self._headings_with_opposite:
                if opposite_word(query, heading):
                    factors[row] = OTHER_VALUE_FACTOR
        return factors

    def _read_word_vectors(self, heads: Sequence[str], texts: Sequence[str], vectors: WordVectors) -> None:
        """Japanese sections by their headings and example questions or, without any, by their headings and texts."""
        self._near_words = NearWords(self.lexical.word_sets, vectors)
        headings = [terms(head, "ja") for head in heads]
        if self._examples:
            asked = (sorted(chain.from_iterable(each)) for each in self._example_words)
            words = [[*heading, *more] for heading, more in zip(headings, asked, strict=True)]
            self._meanings = HeadingVectors(words, self.lexical.counts, vectors)
        else:
            bodies = [terms(text, "ja") for text in texts]
            self._meanings = SectionMeanings(headings, bodies, self.lexical.idf, vectors)
            self._interaction = LateInteraction(headings, bodies, self.lexical.idf, vectors)

    def signals(self, query: str) -> dict[str, Scores]:
        """The signals of each passage by name (fusion.toml), each of shape (passages,)."""
        found = {
            "words": self.lexical.scores(query),
            "coverage": self.lexical.coverages(query),
            "letters": self._ngrams.scores(query),
        }
        if self.weights.get("pairs"):
            found["pairs"] = self._pairs.scores(query)
        if self._meanings is not None:
            found.update(self._meanings.signals(query))
        if self._near_words is not None:
            found["near"] = self.lexical.coverages(query, self._near_words)
        if self._interaction is not None:
            found["interaction"] = self._interaction.scores(query)
        if self._collection:
            found["vectors"] = self._cosines(query, self._collection)
        if self._examples is not None:
            asked = self._examples.scores(query)
            found.update(examples=asked.sections, likelihoods=asked.likelihoods)
        return found

    def _part_signals(self, query: str) -> _Signals:
        """The signals of every passage for one part of a message."""
        signals = self.signals(query)
        words = signals["words"]
        fused = np.maximum(fuse(signals, message_weights(self.weights, signals)), np.float32(MIN_SCORE))
        fused = np.where(_is_found(signals), fused, np.float32(0))
        none = np.zeros_like(words)
        others = (signals.get(name, none) for name in ("vectors", "interaction", "examples"))
        return _Signals(fused, words, *others)

    def _evidence(self, found: _Ranking, row: int, read: bool = True) -> dict[str, Any]:
        """The fields of `Evidence`.

        read: whether sentences are compared, too
        """
        return {
            "language": self.language,
            "has_examples": self._examples is not None,
            "score": round(float(found.scaled[row]), 4),
            "strength": round(float(found.strength[row]), 4),
            "lexical": round(float(found.words[row]), 4),
            "vector": None if found.cosine is None else round(float(found.cosine[row]), 4),
            "matched": round(float(found.matched[row]), 4),
            **self._example_scores(found, row),
            "coverage": round(max(self.lexical.coverage(part, row) for part in found.parts), 4),
            "sentence_coverage": self._sentence_coverage(found, row) if read else 0.0,
            "heading_coverage": round(self.lexical.share(found.parts[0], self._heads[row]), 4),
        }

    def _example_scores(self, found: _Ranking, row: int) -> dict[str, Any]:
        """The fields of `Evidence` by example questions, divided by the weight of the query; without example questions
        those by unknown and unmatched words."""
        if not self._examples:
            return {"unknown_words": found.unknown_words, "weight": round(found.weight, 4), **_unmatched(found, row)}
        weight, examples = self.lexical.weight(found.parts[0]), found.of_query
        scores = {
            "example": float(found.examples[row]) / weight,
            "shared": float(examples.shared[row]) / weight,
            "unanswered": examples.unanswered / weight,
            "likelihood": float(examples.likelihoods[row]),
            "shared_likelihood": float(examples.shared_likelihoods[row]),
            "unanswered_log_ratio": examples.unanswered_log_ratio,
        }
        return {name: round(score, 4) for name, score in scores.items()}

    def _sentence_coverage(self, found: _Ranking, row: int) -> float:
        """The largest share of the query that one sentence or table row covers, read with the title and headings above
        it."""
        return round(max(self.lexical.largest_share(part, self._sentences(row)) for part in found.parts), 4)

    @cached_method(CACHED_PASSAGES)
    def _sentences(self, row: int) -> WordSets:
        """The terms of each sentence and example question of a passage, with those of title and headings."""
        head = self._heads[row]
        each = (terms(one, self.language) for line in self.passages[row].text.splitlines() for one in sentences(line))
        return WordSets({head.union(words) for words in (*each, *self._example_words[row]) if words} or {head})

    @cached_method(CACHED_QUERIES)
    def sections(self, message: str, k: int = FOUND_SECTIONS) -> tuple[SectionHit, ...]:
        """The sections that compete for a message, best first, at most three of one document.

        They are followed by up to eight more that are likely by the example questions that sections share.
        """
        seen: dict[Section, SectionHit] = {}
        of_document: Counter[str] = Counter()
        found = self._ranked(message)
        for row in found.best(k * PASSAGES_PER_SECTION):
            passage = self.passages[row]
            place = passage.section
            if place not in seen and of_document[passage.document] < MAX_SECTIONS_OF_DOCUMENT:
                of_document[passage.document] += 1
                seen[place] = self._section_hit(message, found, row, len(seen) < COMPARED_SECTIONS)
            if len(seen) == k:
                break
        if seen and found.of_query.shared_likelihoods.any():
            likely = found.of_query.likelihoods + found.of_query.shared_likelihoods
            for row in _ranking(likely - likely.min())[:EXTRA_SECTIONS]:
                place = self.passages[row].section
                if place not in seen:
                    seen[place] = self._section_hit(message, found, row, read=False)
        return tuple(seen.values())

    def _section_hit(self, message: str, found: _Ranking, row: int, read: bool) -> SectionHit:
        passage = self.passages[row]
        return SectionHit(
            document=passage.document,
            title=passage.title,
            heading=passage.heading,
            title_coverage=round(self.lexical.share(message, self.vocabulary.titles[passage.title]), 4),
            text=passage.text,
            **self._evidence(found, row, read),
        )

    @cached_method(CACHED_QUERIES)
    def _cosines(self, query: str, collection: PassageCollection) -> Scores:
        """Cosine of every passage, or of its nearest piece, shape (passages,); passages that were not found get the
        lowest cosine found."""
        nearest = collection.nearest(query, NEAREST_PASSAGES if self._examples else NEAREST_PIECES)
        scores: Scores = np.full(len(self.passages), min(nearest.values(), default=0.0), dtype=np.float32)
        for mark, cosine in nearest.items():
            if mark in self._rows:
                scores[self._rows[mark]] = cosine
        return scores


def _unmatched(found: _Ranking, row: int) -> dict[str, float]:
    if found.unmatched is None:
        return {}
    weight, anywhere, sections, of_word = found.unmatched
    scores = {
        "learned_weight": weight,
        "unmatched_anywhere": anywhere,
        "unmatched": float(sections[row]),
        "unmatched_word": float(of_word[row]),
    }
    return {name: round(score, 4) for name, score in scores.items()}


def _is_found(signals: Mapping[str, Scores]) -> NDArray[np.bool_]:
    """Which passages share a word or a run of letters with the query, or are near it in meaning, shape (passages,)."""
    found = (signals["words"] > 0) | (signals["letters"] > 0)
    for name in ("meaning", "vectors"):
        if name in signals:
            found |= signals[name] > FOUND_COSINE
    return found


def _parts_of(query: str) -> tuple[str, ...]:
    """The texts to search for: the message without greetings, and each of its questions that has enough content
    words."""
    whole = without_courtesy(query)
    parts = (part for part in question_parts(query) if len(content_words(part)) >= MIN_PART_WORDS)
    return tuple(dict.fromkeys((whole, *parts)))


def _ranking(scores: Scores) -> list[int]:
    """The rows with a score, best first; the earlier one of equals."""
    order = np.argsort(-scores, kind="stable")
    return cast(list[int], order[: np.count_nonzero(scores > 0)].tolist())


def _highest(scores: Sequence[Scores]) -> Scores:
    """The highest of several scores of each passage, shape (passages,)."""
    return scores[0] if len(scores) == 1 else np.asarray(np.max(scores, axis=0), dtype=np.float32)
