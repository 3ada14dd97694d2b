"""BM25 over terms, pairs of terms and short runs of letters, and how much of a query a passage covers."""

from __future__ import annotations

import importlib
import json
import logging
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from core.base.cached_method import cached_method
from core.base.stored_results import stored_result
from core.retrieval.fusion import ENOUGH_PASSAGES, Scores
from core.retrieval.near_words import NearWords
from core.text.japanese import reading
from core.text.language import Script, content_words, predicates, stop_words, terms
from core.text.normalize import normalize
from core.text.stored_readings import readings
from core.text.synonyms import Phrase, Synonyms, load_synonyms

K1, B = 1.5, 0.75
MIN_STORED_TEXTS = 1_000  # number of texts from which BM25 is stored


class Bm25:
    """BM25 (Robertson; bm25s, Lucene's variant) of texts given as lists of units."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._size = len(texts)
        if len(texts) < MIN_STORED_TEXTS:
            self._bm25 = _bm25_of(texts)
        else:
            key = json.dumps(["bm25s", version("bm25s"), K1, B, texts])
            self._bm25 = stored_result(key, lambda: _bm25_of(texts), _save, _load)

    def scores(self, units: Sequence[str]) -> Scores:
        """BM25 of every text, shape (texts,); zeros if no unit is known."""
        known = [unit for unit in units if unit in self._bm25.vocab_dict] if self._size else []
        return cast(Scores, self._bm25.get_scores(known)) if known else np.zeros(self._size, dtype=np.float32)


def _bm25_of(texts: Sequence[Sequence[str]]) -> Any:
    found = _bm25s().BM25(k1=K1, b=B, method="lucene")
    if texts:
        found.index(texts, show_progress=False)
    return found


def _save(bm25: Any, folder: Path) -> None:
    bm25.save(folder, show_progress=False)


def _load(folder: Path) -> Any:
    return _bm25s().BM25.load(folder, show_progress=False)


@cache
def _bm25s() -> Any:
    """The package, which takes half a second to import, with SciPy."""
    package = importlib.import_module("bm25s")
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG when imported
    return package


RUN_LETTERS: dict[Script, int] = {"ja": 3, "en": 4, "zh": 2}  # letters of a run
_RUN = re.compile(r"[^\W_]+")


class CharacterNgrams:
    """BM25 over runs of three katakana of the reading (Japanese), or of four letters of a word; shorter words whole.

    Finds a word in another spelling, with a typing error, or inside a longer one.

    texts: each in one or more parts, such as heading and body
    """

    def __init__(self, texts: Iterable[Sequence[str]], language: Script) -> None:
        self._language: Script = language
        listed = [list(parts) for parts in texts]
        every = [part for parts in listed for part in parts]
        spelt = iter(readings(every, reading) if language == "ja" else map(normalize, every))
        self._bm25 = Bm25([[run for _ in parts for run in self._runs(next(spelt))] or [""] for parts in listed])

    def scores(self, query: str) -> Scores:
        """BM25 of every text, shape (texts,)."""
        return self._bm25.scores(self._runs(reading(query) if self._language == "ja" else normalize(query)))

    def _runs(self, spelt: str) -> list[str]:
        size = RUN_LETTERS[self._language]
        return [word[i : i + size] for word in _RUN.findall(spelt) for i in range(max(1, len(word) - size + 1))]


class WordPairs:
    """BM25 over pairs of neighbouring terms in their order, stop words left out: the sequential dependence of words (Metzler
    and Croft 2005, SIGIR).

    Tells texts apart that have the same words, in large collections. texts: each in one or more parts, such as heading and
    body
    """

    def __init__(self, texts: Iterable[Sequence[str]], language: Script) -> None:
        self._language: Script = language
        self._skipped = stop_words("en" if language == "en" else "ja")
        listed = [list(parts) for parts in texts]
        read = iter(readings([part for parts in listed for part in parts], terms, language))
        self._bm25 = Bm25([[pair for _ in parts for pair in self._pairs(next(read))] or [""] for parts in listed])

    def scores(self, query: str) -> Scores:
        """BM25 of every text, shape (texts,)."""
        return self._bm25.scores(list(dict.fromkeys(self._pairs(terms(query, self._language)))))

    def _pairs(self, words: Iterable[str]) -> list[str]:
        named = [word for word in words if word not in self._skipped]
        return [" ".join(pair) for pair in pairwise(named)]


HEAD_WEIGHT = 2  # how often the words of title and heading count
SYNONYM_WEIGHT = 0.5  # weight of BM25 by synonyms
PREDICATE_WEIGHT = 0.5  # weight of a verb or adjective relative to a noun: users describe what happens in many words
ONE_EDIT_LETTERS = 5  # letters of a word from which one edit may be a typing error
TWO_EDITS_LETTERS = 8  # letters of a word from which two edits may be


class _QueryWord(NamedTuple):
    """A content word of a query, with its equivalents in the documents."""

    word: str
    weight: float
    words: frozenset[str]  # the word or its correction, and its synonyms of one word
    phrases: tuple[Phrase, ...]  # its synonyms of several words


def _covered_weight(query_words: Iterable[_QueryWord], words: frozenset[str]) -> float:
    """The summed weights of the query words that are among `words`, themselves or by a synonym."""
    covered = 0.0
    for _, weight, alone, phrases in query_words:  # a plain loop: this is done hundreds of times for a message
        if not alone.isdisjoint(words) or (phrases and any(words.issuperset(phrase) for phrase in phrases)):
            covered += weight
    return covered


class WordSets:
    """Several sets of words, at least one; some of them are given as the bits of a number."""

    def __init__(self, sets: Iterable[Iterable[str]]) -> None:
        self.all = 0
        self._with: defaultdict[str, int] = defaultdict(int)
        for place, words in enumerate(sets):
            self.all |= 1 << place
            for word in words:
                self._with[word] |= 1 << place

    def with_any(self, words: Iterable[str], phrases: Iterable[Phrase]) -> int:
        """The sets that have one of the words, or all words of one of the phrases."""
        found = 0
        for word in words:
            found |= self._with.get(word, 0)
        for phrase in phrases:
            with_all = self.all
            for part in phrase:
                with_all &= self._with.get(part, 0)
            found |= with_all
        return found


class Lexical:
    """BM25 over headings and texts, with synonyms of the query at half weight.

    extra_terms: for each text, groups of further terms by which it can be found
    """

    def __init__(
        self,
        texts: Sequence[str],
        language: Script,
        heads: Sequence[str] | None = None,
        thesaurus: Synonyms | None = None,
        extra_terms: Sequence[Iterable[Iterable[str]]] = (),
    ) -> None:
        self._language: Script = language
        self._thesaurus = thesaurus or load_synonyms(language)
        listed = [list(words) for words in readings(texts, terms, language)]
        for words, head in zip(listed, heads or [""] * len(listed), strict=True):
            words.extend(list(terms(head, language)) * HEAD_WEIGHT or ([] if words else [""]))
        for words, others in zip(listed, extra_terms, strict=False):
            words.extend(word for other in others for word in other)
        self._words = listed
        self.word_sets = [frozenset(words) for words in listed]
        self._count = Counter(word for words in self.word_sets for word in words)
        self._bm25 = Bm25(listed)

    def __len__(self) -> int:
        return len(self.word_sets)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each word occurs in all texts."""
        return Counter(word for words in self._words for word in words)

    @cached_property
    def _passages_with(self) -> dict[str, NDArray[np.int32]]:
        """The passages that have each word."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(self.word_sets):
            for word in words:
                found[word].append(place)
        return {word: np.array(places, dtype=np.int32) for word, places in found.items()}

    @cached_property
    def _latin_words(self) -> dict[str, list[str]]:
        """The longer words of Latin letters by their first letter."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted(self._count):
            if len(word) >= ONE_EDIT_LETTERS - 1 and word.isascii() and word.isalpha():
                found[word[0]].append(word)
        return found

    def scores(self, query: str) -> Scores:
        """BM25 of every passage, shape (passages,); zeros if no term of the query is known."""
        words = [self._corrected(word) or word for word in terms(query, self._language)]
        synonyms = {
            part for phrases in self._thesaurus.synonyms_for(words).values() for phrase in phrases for part in phrase
        }
        extra = self._bm25.scores(sorted(synonyms.difference(words)))
        return np.asarray(self._bm25.scores(words) + SYNONYM_WEIGHT * extra, dtype=np.float32)

    def coverage(self, query: str, passage: int) -> float:
        """Share of the query's content words, by idf, that the passage has; 0 for a query without content words."""
        return self.share(query, self.word_sets[passage])

    def coverages(self, query: str, near: NearWords | None = None) -> Scores:
        """The coverage of every passage, shape (passages,); with `near`, similar words count in part."""
        query_words, total = self._query_words(query)
        covered = np.zeros(len(self), dtype=np.float32)
        for word, weight, alone, phrases in query_words:
            has = self._have_one_of(alone)
            for phrase in phrases:
                has |= np.logical_and.reduce([self._have_one_of((part,)) for part in phrase])
            covered += np.float32(weight) * (has if near is None else np.maximum(has, near.nearness(word)))
        return covered / np.float32(total) if total else covered

    def _have_one_of(self, words: Iterable[str]) -> NDArray[np.bool_]:
        """Which passages have one of the words, shape (passages,)."""
        has = np.zeros(len(self), dtype=np.bool_)
        for word in words:
            if word in self._passages_with:
                has[self._passages_with[word]] = True
        return has

    def share(self, query: str, words: frozenset[str]) -> float:
        """Share of the query's content words, by idf, that are among `words` themselves or by a synonym (0 to 1)."""
        query_words, total = self._query_words(query)
        return _covered_weight(query_words, words) / total if total else 0.0

    def largest_share(self, query: str, sets: WordSets) -> float:
        """The largest share of the query that one of several sets of words covers (0 to 1)."""
        query_words, total = self._query_words(query)
        found = [(0.0, sets.all)]  # (weight covered, the sets that cover it)
        for _, weight, alone, phrases in query_words:
            if covering := sets.with_any(alone, phrases):
                split = (((covered + weight, some & covering), (covered, some & ~covering)) for covered, some in found)
                found = [one for both in split for one in both if one[1]]
        return max(covered for covered, _ in found) / total if total else 0.0

    def weight(self, query: str) -> float:
        """The summed inverse document frequencies of the query's content words; 1 for a query without any."""
        return math.fsum(map(self.idf, content_words(query, self._language))) or 1.0

    def weights(self) -> Scores:
        """The same weight of each text by its terms, shape (texts,)."""
        skipped = stop_words("en" if self._language == "en" else "ja")
        return np.array(
            [math.fsum(map(self.idf, words - skipped)) or 1.0 for words in self.word_sets], dtype=np.float32
        )

    def equivalents(self, word: str) -> tuple[Phrase, ...]:
        """The equivalents of a word: its synonyms, and its correction if it has a typing error."""
        spelt = self._corrected(word)
        return (*self._thesaurus.synonyms_for((word,)).get(word, ()), *([(spelt,)] if spelt else []))

    @cached_method(4_096)
    def _query_words(self, query: str) -> tuple[tuple[_QueryWord, ...], float]:
        """The content words of a query, and their summed weight."""
        synonyms = self._thesaurus.synonyms_for(terms(query, self._language))
        lighter = predicates(query)
        query_words = tuple(
            self._query_word(
                term, self.idf(term) * (PREDICATE_WEIGHT if term in lighter else 1.0), synonyms.get(term, ())
            )
            for term in content_words(query, self._language)
        )
        return query_words, sum(one.weight for one in query_words)

    @cached_method(4_096)
    def _corrected(self, word: str) -> str:
        """The correction of an unknown word in Latin letters; "" if there is none.

        It has the same first letter and the fewest edits: at most one from five letters on, two from eight on. An edit
        is a letter more, less or changed, or two that changed places (Damerau 1964), as in the automatic fuzziness of
        search engines. Messages to an English bot are respelt before (`LatinSpelling`, which also knows the dictionary);
        this corrects Latin words in Japanese messages, and searches without a bot.
        """
        if word in self._count or len(word) < ONE_EDIT_LETTERS or not (word.isascii() and word.isalpha()):
            return ""
        most = 0 if self._thesaurus.synonyms_for((word,)) else 1 + (len(word) >= TWO_EDITS_LETTERS)
        known = self._latin_words.get(word[:1], ()) if most else ()
        best = process.extractOne(word, known, scorer=DamerauLevenshtein.distance, score_cutoff=most)
        return best[0] if best else ""

    def _query_word(self, term: str, weight: float, phrases: tuple[Phrase, ...]) -> _QueryWord:
        known = [phrase for phrase in phrases if all(part in self._count for part in phrase)]
        alone = frozenset((self._corrected(term) or term, *(phrase[0] for phrase in known if len(phrase) == 1)))
        return _QueryWord(term, weight, alone, tuple(phrase for phrase in known if len(phrase) > 1))

    @cached_method(50_000)
    def idf(self, term: str) -> float:
        """The inverse document frequency of a term: from 0.7 if all passages have it.

        An index of fewer than ENOUGH_PASSAGES is padded with passages that lack the term, so that a term of all
        passages still counts.
        """
        return math.log1p((max(len(self), ENOUGH_PASSAGES) + 0.5) / (self._count[self._corrected(term) or term] + 0.5))
