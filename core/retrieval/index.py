"""The index of a bot: passages in a Chroma collection, words and vectors to search them."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from core.base.settings import settings
from core.base.types import Bot, Hit, Passage, Topic
from core.retrieval.character_ngrams import CharacterNgrams
from core.retrieval.documents import Document, digest, read_documents
from core.retrieval.example_questions import FILE as EXAMPLES
from core.retrieval.example_questions import (
    ExampleIndex,
    ExampleQuestion,
    ExampleScores,
    read_example_questions,
    sort_examples,
)
from core.retrieval.fusion import Scores, fuse, scale, signal_weights
from core.retrieval.heading_vectors import HeadingVectors
from core.retrieval.headings import last_heading
from core.retrieval.lexical import Lexical
from core.retrieval.near_words import NearWords
from core.retrieval.passages import CHUNKER, passages
from core.retrieval.siblings import Section, Siblings
from core.retrieval.vectors import Embedder, search_embedder
from core.retrieval.word_vectors import word_vectors
from core.text.kana_spelling import KanaSpelling
from core.text.language import Script, content_words, script, sentences, terms
from core.text.latin_spelling import LatinSpelling
from core.text.negation import opposite_word, words_with_opposite
from core.text.questions import question_parts, without_courtesy
from core.text.synonyms import FILE as SYNONYMS
from core.text.synonyms import Synonyms, load_synonyms

if TYPE_CHECKING:
    from core.retrieval.chroma import PassageCollection, Progress

REMEMBERED = 2_048  # queries whose results stay in memory
NEAREST = 60  # vectors asked of Chroma for one query
FAINT = 0.01  # standing of a passage that shares something with the query and is worse than the average all the same
NEAR = 0.4  # cosine from which a passage is found by its meaning alone
ALONE = 2  # content words with which a part of a message is searched for by itself
ONE, SEVERAL = (
    0.7,
    0.95,
)  # what the one question in a message, and what each of several, counts beside the whole message
READ = 4  # sections whose sentences are compared with the message: a third of the time of a search
OTHER = 0.5  # what the scores of a section count that is headed by another value than the message names
READ_ALOUD = 2_000  # passages whose spelling is learnt for messages in kana,
READ_OF_SECTION = 6  # and example questions of each
LIKELY = 8  # sections that are likeliest by the example questions that sections share
MOST_OF_ONE = 3  # sections of one document among the topics, so that other documents are seen too


class _Ranked(NamedTuple):
    """What was found for the parts of a query: rows, best first, and the scores of all passages, shape (passages,).

    scaled: 0 to 1, so that the best of each part is near 1; strength: before scaling, comparable between queries;
    examples: those of the best example question; whole: how near the query as a whole is to example questions.
    """

    rows: list[int]
    asked: tuple[str, ...]
    scaled: Scores
    strength: Scores
    words: Scores
    near: Scores | None
    examples: Scores
    whole: ExampleScores


_EMPTY = np.zeros(0, dtype=np.float32)
_NO_EXAMPLES = ExampleScores(_EMPTY, _EMPTY, 0.0, _EMPTY, _EMPTY, 0.0)
_NOTHING = _Ranked([], (), _EMPTY, _EMPTY, _EMPTY, None, _EMPTY, _NO_EXAMPLES)


class Index:
    """Searches the passages of a bot by words and vectors; safe to share between threads.

    digest: of the documents, example questions and the bot's synonyms; empty_documents: those that hold no passage (no text, or headings
    only), by name; collection: None if there is nothing to search; weights: how much each signal counts (fusion.py).
    """

    def __init__(
        self,
        collection: PassageCollection | None,
        passages: Sequence[Passage],
        embedder: Embedder,
        of: Script,
        digest: str,
        thesaurus: Synonyms | None = None,
        empty_documents: Sequence[str] = (),
        examples: ExampleIndex | None = None,
    ) -> None:
        self.passages = tuple(passages)
        self._examples = examples
        self.empty_documents = tuple(empty_documents)
        self.embedder = embedder
        self.script: Script = of
        self.digest = digest
        self._collection = collection
        self._rows = {passage.id: row for row, passage in enumerate(self.passages)}
        self._rows_of: defaultdict[Section, list[int]] = defaultdict(list)
        for row, passage in enumerate(self.passages):
            self._rows_of[passage.document, passage.heading].append(row)
        heads = [p.heading if p.heading == p.title else f"{p.title}\n{p.heading}" for p in self.passages]
        self._example_words = [examples.words(row) if examples else () for row in range(len(self.passages))]
        self.lexical = Lexical([p.text for p in self.passages], of, heads, thesaurus, self._example_words)
        self._ngrams = CharacterNgrams([(head, p.text) for head, p in zip(heads, self.passages, strict=True)], of)
        self.siblings = Siblings(
            self.passages, of, thesaurus or load_synonyms(of), examples.texts() if examples else ()
        )
        self._meaning = _heading_vectors(heads, self._example_words, self.lexical.counts) if of == "ja" else None
        self._near = _near_words(self.lexical) if of == "ja" else None
        self.weights = signal_weights(of, self._meaning is not None, examples is not None)
        lasts = enumerate(last_heading(p.heading) for p in self.passages)
        self._turned = [(row, heading) for row, heading in lasts if words_with_opposite(heading)]
        self._heads = [frozenset(terms(f"{p.title}\n{p.heading}", of)) for p in self.passages]
        self._titles = {p.title: frozenset(terms(p.title, of)) for p in self.passages}
        self.document_count = len({p.document for p in self.passages})
        self._nearest = lru_cache(maxsize=REMEMBERED)(self._ask_chroma)
        self._sentences = lru_cache(maxsize=4096)(self._sentence_words)
        self.search = lru_cache(maxsize=REMEMBERED)(self._search)
        self.topics = lru_cache(maxsize=REMEMBERED)(self._topics)
        self.kana_spelling = lru_cache(maxsize=1)(self._kana_spelling)

    def documents_with(self, word: str) -> int:
        """How many documents have a term."""
        return self._counts[0][word]

    def titles_with(self, word: str) -> int:
        """How many titles have a term."""
        return self._counts[1][word]

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        """How many documents, and how many titles, have each term."""
        words: defaultdict[str, set[str]] = defaultdict(set)
        for passage, each in zip(self.passages, self.lexical.word_sets, strict=True):
            words[passage.document] |= each
        held = Counter(word for each in words.values() for word in each)
        return held, Counter(word for each in self._titles.values() for word in each)

    @cached_property
    def _passage_words(self) -> tuple[frozenset[str], ...]:
        """The terms of each passage itself, without those of example questions."""
        return tuple(frozenset(terms(f"{p.title}\n{p.heading}\n{p.text}", self.script)) for p in self.passages)

    def is_documented(self, word: str) -> bool:
        """Whether a passage has a word, one that it is a slip of the pen for, or a phrase that stands for it."""
        meant = [(word,), *self.lexical.stands_for(word)]
        return any(words.issuperset(phrase) for phrase in meant for words in self._passage_words)

    def _kana_spelling(self, everyday: tuple[str, ...]) -> KanaSpelling:
        """How the documents, the example questions and some everyday sentences spell what is written in kana."""
        texts = (f"{p.title}\n{p.heading}\n{p.text}" for p in self.passages[:READ_ALOUD])
        asked = self._examples.texts()[:READ_ALOUD] if self._examples else ()
        some = ("\n".join(questions.splitlines()[:READ_OF_SECTION]) for questions in asked)
        return KanaSpelling([*texts, *some], everyday)

    @cached_property
    def latin_spelling(self) -> LatinSpelling:
        """How the documents and the example questions spell English words."""
        asked = self._examples.texts() if self._examples else ()
        return LatinSpelling([*(f"{p.title}\n{p.heading}\n{p.text}" for p in self.passages), *asked])

    def sections_asked_with(self, word: str) -> frozenset[tuple[str, str]]:
        """The sections, as (document, heading), with an example question that has a word."""
        rows = (row for row, groups in enumerate(self._example_words) if any(word in group for group in groups))
        return frozenset((self.passages[row].document, self.passages[row].heading) for row in rows)

    def _search(self, query: str, k: int = 6) -> tuple[Hit, ...]:
        """The k best passages for a query, best first; fewer if nothing more matches."""
        found = self._ranked(query, k)
        return tuple(self._hit(found, row) for row in found.rows)

    def _ranked(self, query: str, k: int) -> _Ranked:
        """The rows of the k best passages, best first, with the scores of all."""
        if not self.passages or not query.strip():
            return _NOTHING
        asked = _asked(query)
        found = [self._scores(part) for part in asked]
        scaled = [scale(each[0]) for each in found]
        share = np.float32(SEVERAL if len(scaled) > 2 else ONE)
        counts = self._shares(query)
        scaled = [scale(each * counts) for each in scaled] if counts.min() < 1 else scaled
        joined = _highest([scaled[0], *(share * other for other in scaled[1:])])
        order = _best(joined, scaled[1:], k)
        near = _highest([each[2] for each in found]) if self.embedder.semantic else None
        strength, words, examples = (_highest([each[part] for each in found]) for part in (0, 1, 3))
        whole = self._examples.scores(asked[0]) if self._examples else _NO_EXAMPLES
        return _Ranked(order, asked, joined, strength * counts, words, near, examples * counts, whole)

    def _shares(self, query: str) -> Scores:
        """What the scores of each passage count, shape (passages,).

        Less if it is headed by another value than the query names, or by the opposite (turn on, turn off).
        """
        counts: Scores = np.ones(len(self.passages), dtype=np.float32)
        for place in self.siblings.others_headed(query):
            counts[self._rows_of[place]] = OTHER
        if words_with_opposite(query):
            for row, heading in self._turned:
                if opposite_word(query, heading):
                    counts[row] = OTHER
        return counts

    def signals(self, query: str) -> dict[str, Scores]:
        """What speaks for each passage, by name (fusion.toml), each of shape (passages,)."""
        found = {
            "words": self.lexical.scores(query),
            "coverage": self.lexical.coverages(query),
            "letters": self._ngrams.scores(query),
        }
        if self._meaning is not None:
            found["headings"] = self._meaning.scores(query)
        if self._near is not None:
            found["near"] = self.lexical.coverages(query, self._near)
        if self.embedder.semantic:
            found["vectors"] = self._nearest(query)
        if self._examples is not None:
            asked = self._examples.scores(query)
            found.update(examples=asked.sections, likelihoods=asked.likelihoods)
        return found

    def _scores(self, query: str) -> tuple[Scores, Scores, Scores, Scores]:
        """(all signals joined, words, vectors, examples) for every passage, each of shape (passages,), 0 without the
        signal."""
        signals = self.signals(query)
        words = signals["words"]
        bare = len(content_words(query)) < ALONE and not self.embedder.semantic and words.any()
        fused = fuse(signals, {"words": 1.0} if bare else self.weights)  # one word alone: only its own occurrences tell
        touched = _touched(signals)
        fused = np.where(touched, np.maximum(fused, np.float32(FAINT)), np.float32(0))
        none = np.zeros_like(words)
        return fused, words, signals.get("vectors", none), signals.get("examples", none)

    def _hit(self, found: _Ranked, row: int) -> Hit:
        return Hit(passage=self.passages[row], **self._evidence(found, row))

    def _evidence(self, found: _Ranked, row: int, read: bool = True) -> dict[str, Any]:
        """The fields of `Evidence`; read: whether sentences are compared, too."""
        return {
            "language": self.script,
            "has_examples": self._examples is not None,
            "score": round(float(found.scaled[row]), 4),
            "strength": round(float(found.strength[row]), 4),
            "lexical": round(float(found.words[row]), 4),
            "vector": None if found.near is None else round(float(found.near[row]), 4),
            **self._example_scores(found, row),
            "coverage": self._coverage(found, row),
            "sentence_coverage": self._sentence_coverage(found, row) if read else 0.0,
            "heading_coverage": round(self.lexical.share(found.asked[0], self._heads[row]), 4),
        }

    def _example_scores(self, found: _Ranked, row: int) -> dict[str, float]:
        """How near example questions are, by the weight of the query: of the section, of it and others, of none."""
        weight = self.lexical.weight(found.asked[0])
        scores = {"example": float(found.examples[row])}
        if self._examples:
            scores.update(shared=float(found.whole.shared[row]), unanswered=found.whole.unanswered)
        found_by_weight = {name: score / weight for name, score in scores.items()}
        if self._examples:
            whole = found.whole
            found_by_weight.update(likelihood=float(whole.likelihoods[row]), beside=whole.beside)
            found_by_weight.update(shared_likelihood=float(whole.shared_likelihoods[row]))
        return {name: round(score, 4) for name, score in found_by_weight.items()}

    def _sentence_coverage(self, found: _Ranked, row: int) -> float:
        """The largest share of the query that one sentence or table row has, with the title and headings above it."""
        each, all_words = self._sentences(row)
        return round(max(self.lexical.largest_share(part, each, all_words) for part in found.asked), 4)

    def _sentence_words(self, row: int) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
        """The terms of each sentence and example question of a passage, with those of its title and headings; and those
        of all."""
        head = self._heads[row]
        each = (terms(one, self.script) for line in self.passages[row].text.splitlines() for one in sentences(line))
        found = tuple({head.union(words) for words in (*each, *self._example_words[row]) if words}) or (head,)
        return found, head.union(*found)

    def _coverage(self, found: _Ranked, row: int) -> float:
        return round(max([self.lexical.coverage(part, row) for part in found.asked]), 4)

    def _topics(self, message: str, k: int = 16) -> tuple[Topic, ...]:
        """The sections that compete for a message, best first, at most three of one document.

        Behind them up to eight more that it is likely about by the example questions that sections share.
        """
        seen: dict[tuple[str, str], Topic] = {}
        of_document: Counter[str] = Counter()
        found = self._ranked(message, k * 5)
        for row in found.rows:
            passage = self.passages[row]
            place = (passage.document, passage.heading)
            if place not in seen and of_document[passage.document] < MOST_OF_ONE:
                of_document[passage.document] += 1
                seen[place] = self._topic(message, found, row, len(seen) < READ)
            if len(seen) == k:
                break
        if seen and found.whole.shared_likelihoods.any():
            likely = found.whole.likelihoods + found.whole.shared_likelihoods
            for row in _ranking(likely - likely.min())[:LIKELY]:
                place = (self.passages[row].document, self.passages[row].heading)
                if place not in seen:
                    seen[place] = self._topic(message, found, row, read=False)
        return tuple(seen.values())

    def _topic(self, message: str, found: _Ranked, row: int, read: bool) -> Topic:
        passage = self.passages[row]
        return Topic(
            document=passage.document,
            title=passage.title,
            heading=passage.heading,
            title_coverage=round(self.lexical.share(message, self._titles[passage.title]), 4),
            text=passage.text,
            **self._evidence(found, row, read),
        )

    def _ask_chroma(self, query: str) -> Scores:
        """Cosine similarity of every passage, shape (passages,); that of the farthest found for those that are not."""
        scores: Scores = np.zeros(len(self.passages), dtype=np.float32)
        if self._collection is None:
            return scores
        count = min(NEAREST, len(self.passages))
        answer = self._collection.nearest(self.embedder.encode([query]), count)
        scores += np.float32(1 - max(answer["distances"][0], default=1.0))
        for mark, distance in zip(answer["ids"][0], answer["distances"][0], strict=True):
            if mark in self._rows:
                scores[self._rows[mark]] = 1 - distance
        return scores


class Indexes:
    """The indexes of all bots in one process; each is built when first asked for or when its documents changed.

    They are stored in the folder given, else on the Chroma server of the settings, else in the data folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._server = "" if folder else settings().chroma_url
        self._folder = folder or settings().data_dir / "chroma"
        self._open: dict[str, tuple[object, Index]] = {}
        self._building: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)
        self._lock = threading.Lock()

    def get(self, bot: Bot, progress: Progress | None = None, rebuild: bool = False) -> Index:
        """The bot's index, up to date with its documents; `progress(done, total)` counts passages being embedded."""
        if bot.external and not _signature(bot):
            return Index(None, (), search_embedder("ja"), "ja", "")  # it keeps its documents elsewhere
        key = str(bot.folder)
        if not rebuild and (known := self._known(bot, key)):
            return known  # without waiting for the build of another bot
        with self._lock_of(key):
            if not rebuild and (known := self._known(bot, key)):
                return known
            seen = _signature(bot)
            examples = read_example_questions(bot)
            own = bot.folder / SYNONYMS
            index = self._load(bot.id, read_documents(bot), progress, rebuild, own, examples)
            self._open[key] = (seen, index)
            return index

    def _known(self, bot: Bot, key: str) -> Index | None:
        """The bot's open index, if nothing that it was built from has changed since."""
        known = self._open.get(key)
        return known[1] if known and known[0] == _signature(bot) else None

    def _lock_of(self, key: str) -> threading.RLock:
        """The lock for building one index."""
        with self._lock:
            return self._building[key]

    def of_documents(self, name: str, documents: list[Document]) -> Index:
        """The index of any documents, such as a corpus read from a file."""
        with self._lock_of(name):
            return self._load(name, documents, None, False)

    def _load(
        self,
        name: str,
        documents: list[Document],
        progress: Progress | None,
        rebuild: bool,
        own: Path | None = None,
        asked: Sequence[ExampleQuestion] = (),
    ) -> Index:
        found = [passage for document in documents for passage in passages(document)]
        of = _majority(found)
        embedder = search_embedder(of)
        mark = digest(documents)[:16]
        thesaurus = load_synonyms(of, own)
        used = sort_examples(asked, found)
        examples = ExampleIndex(used, found, of, thesaurus) if used.answered else None
        collection = self._collection(name, mark, embedder, found, examples, progress, rebuild)
        full = {passage.document for passage in found}
        empty = [document.name for document in documents if document.name not in full]
        synonyms = hashlib.sha256(own.read_bytes()).hexdigest()[:16] if own and own.is_file() else ""
        whole = "-".join(filter(None, (mark, examples.digest if examples else "", synonyms)))
        return Index(collection, found, embedder, of, whole, thesaurus, empty, examples)

    def _collection(
        self,
        name: str,
        mark: str,
        embedder: Embedder,
        found: list[Passage],
        examples: ExampleIndex | None,
        progress: Progress | None,
        rebuild: bool,
    ) -> PassageCollection | None:
        """The complete collection of some passages, built if it is missing; none if it is there and its vectors have no
        meaning to ask for."""
        stored = self._folder / f"stored-{name}.txt"  # saves the half second that importing Chroma takes
        state = f"{embedder.name} {CHUNKER} {mark} {len(found)}"
        if not (embedder.semantic or rebuild or self._server) and stored.is_file() and stored.read_text() == state:
            return None
        from core.retrieval import chroma

        if self._server:
            client = chroma.chroma_server(self._server, settings().chroma_token.get_secret_value())
        else:
            client = chroma.chroma_client(self._folder)
        spec = chroma.CollectionSpec(name, mark, embedder, found)
        if examples and embedder.semantic:
            spec = spec._replace(digest=f"{mark}-{examples.text_digest}", questions=examples.texts())
        collection = chroma.PassageCollection(client, spec, self._server)
        with chroma.folder_errors():
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._folder / f"build-{name}.lock")  # among the processes of one machine
            lock.acquire()
        try:
            collection.open(progress, rebuild)
            if not self._server:
                with chroma.folder_errors():
                    stored.write_text(state)
        finally:
            lock.release()
        return collection


def _touched(signals: Mapping[str, Scores]) -> NDArray[np.bool_]:
    """Which passages share a word, or a run of letters, with the query, or are near it in meaning, shape
    (passages,)."""
    touched = (signals["words"] > 0) | (signals["letters"] > 0)
    for name in ("headings", "vectors"):
        if name in signals:
            touched |= signals[name] > NEAR
    return touched


def _heading_vectors(
    heads: Sequence[str], asked: Sequence[Iterable[Iterable[str]]], counts: Counter[str]
) -> HeadingVectors | None:
    """The headings, with the terms of their sections' example questions, as vectors, if there are word vectors on this
    machine."""
    vectors = word_vectors()
    if vectors is None or not heads:
        return None
    words = [[*terms(head, "ja"), *sorted(chain.from_iterable(each))] for head, each in zip(heads, asked, strict=True)]
    return HeadingVectors(words, counts, vectors)


def _near_words(lexical: Lexical) -> NearWords | None:
    """The words of the passages as vectors, if there are word vectors on this machine."""
    vectors = word_vectors()
    return NearWords(lexical.word_sets, vectors) if vectors is not None and len(lexical) else None


def _asked(query: str) -> tuple[str, ...]:
    """What is searched for: the message without greetings, and each of its questions that names enough by itself."""
    whole = without_courtesy(query)
    return tuple(dict.fromkeys((whole, *(part for part in question_parts(query) if len(content_words(part)) >= ALONE))))


def _best(fused: Scores, of_parts: Sequence[Scores], k: int) -> list[int]:
    """The k best rows, best first; the best two of each part of the message are among them."""
    ranked = _ranking(fused)
    leading = {row for scores in of_parts for row in _ranking(scores)[:2]}
    rest = [row for row in ranked if row not in leading][: max(k - len(leading), 0)]
    kept = leading | set(rest)
    return [row for row in ranked if row in kept][:k]


def _ranking(scores: Scores) -> list[int]:
    """The rows with a score, best first; of equals the earlier one."""
    order = np.argsort(-scores, kind="stable")
    return cast(list[int], order[: np.count_nonzero(scores > 0)].tolist())


def _highest(scores: Sequence[Scores]) -> Scores:
    """Of several scores of each passage the highest, shape (passages,)."""
    return scores[0] if len(scores) == 1 else np.asarray(np.max(scores, axis=0), dtype=np.float32)


def _majority(found: list[Passage]) -> Script:
    seen = [script(passage.text) for passage in found[:2000]]
    return max(("ja", "en", "zh"), key=seen.count) if seen else "ja"


def _signature(bot: Bot) -> object:
    """Cheap to compute and different whenever a document, an example question or a synonym was added, removed or written."""
    paths = [*sorted((bot.folder / "documents").rglob("*")), bot.folder / EXAMPLES, bot.folder / SYNONYMS]
    stats = ((path, path.stat()) for path in paths if path.is_file())
    return cast(
        object,
        tuple((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in stats),
    )
