"""The words of a bot: the number of documents and titles with each, and the spellings in documents and example
questions."""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from core.base.cached_method import cached_method
from core.base.types import Passage, Section
from core.retrieval.example_index import ExampleIndex
from core.retrieval.lexical import Lexical
from core.text.kana_spelling import KanaSpelling
from core.text.language import Script, content_words, terms
from core.text.latin_spelling import LatinSpelling
from core.text.message_questions import without_courtesy

# passages whose spelling, and whose sections' example questions', is learned for messages in kana
MAX_SPELLING_PASSAGES = 2_000
MAX_SPELLING_QUESTIONS = 6  # example questions of each section whose spelling is learned
CACHED_WORDS = 4_096  # words of messages for which it is cached whether they are documented
# A code of letters and a number, such as that of an error or a form.
_CODE = re.compile(r"(?<![A-Za-z0-9-])(?P<letters>[A-Za-z]{1,4})[-‐_ ]?(?P<digits>\d{2,5})(?![A-Za-z0-9-])")


class Vocabulary:
    """The words of some passages and of the example questions of their sections.

    titles: the terms of each title
    """

    def __init__(
        self, passages: Sequence[Passage], language: Script, lexical: Lexical, examples: ExampleIndex | None
    ) -> None:
        self._passages, self._language, self._lexical, self._examples = passages, language, lexical, examples
        self._learning = threading.Lock()
        self.titles = {passage.title: frozenset(terms(passage.title, language)) for passage in passages}
        self.document_count = len({passage.document for passage in passages})

    @cached_property
    def documents_with(self) -> Counter[str]:
        """The number of documents with each term."""
        words: defaultdict[str, set[str]] = defaultdict(set)
        for passage, each in zip(self._passages, self._lexical.word_sets, strict=True):
            words[passage.document] |= each
        return Counter(word for each in words.values() for word in each)

    @cached_property
    def titles_with(self) -> Counter[str]:
        """The number of titles with each term."""
        return Counter(word for each in self.titles.values() for word in each)

    @cached_method(CACHED_WORDS)
    def is_documented(self, word: str) -> bool:
        """Whether a passage has a word, its correction, or a synonym."""
        meant = [(word,), *self._lexical.equivalents(word)]
        return any(words.issuperset(phrase) for phrase in meant for words in self._passage_words)

    def unknown_words(self, message: str) -> tuple[str, ...]:
        """The content words of a message, without greetings and thanks, that no passage has."""
        said = dict.fromkeys(content_words(without_courtesy(message)))
        return tuple(word for word in said if not self.is_documented(word))

    def sections_asked_with(self, word: str) -> frozenset[Section]:
        """The sections with an example question that has a word."""
        return self._examples.sections_with(word) if self._examples else frozenset()

    @cached_property
    def _passage_words(self) -> tuple[frozenset[str], ...]:
        """The terms of each passage itself, without those of example questions."""
        return tuple(frozenset(terms(_whole(passage), self._language)) for passage in self._passages)

    def kana_spelling(self, everyday: tuple[str, ...]) -> KanaSpelling:
        """How the documents, the example questions and some everyday sentences spell words that are written in kana.

        It is learned once: threads that need it at the same time wait.
        """
        with self._learning:
            return self._learned_spelling(everyday)

    @cached_method(1)
    def _learned_spelling(self, everyday: tuple[str, ...]) -> KanaSpelling:
        asked = self._examples.texts()[:MAX_SPELLING_PASSAGES] if self._examples else ()
        some = ("\n".join(questions.splitlines()[:MAX_SPELLING_QUESTIONS]) for questions in asked)
        return KanaSpelling([*map(_whole, self._passages[:MAX_SPELLING_PASSAGES]), *some], everyday)

    def with_documented_codes(self, text: str) -> str:
        """The text with codes as the documents spell them: HB-423 for "hb423"."""
        return _CODE.sub(lambda found: self._codes.get(_bare_code(found), found.group()), text)

    @cached_property
    def _codes(self) -> Mapping[str, str]:
        """How the documents spell each code, by the code without its hyphen; without those that they spell in two ways."""
        spellings: defaultdict[str, set[str]] = defaultdict(set)
        for passage in self._passages:
            for found in _CODE.finditer(_whole(passage)):
                if found["letters"].isupper():
                    spellings[_bare_code(found)].add(found.group())
        return {code: next(iter(ways)) for code, ways in spellings.items() if len(ways) == 1}

    @cached_property
    def latin_spelling(self) -> LatinSpelling:
        """How the documents and the example questions spell English words."""
        return LatinSpelling([*map(_whole, self._passages), *(self._examples.texts() if self._examples else ())])


def _bare_code(found: re.Match[str]) -> str:
    return f"{found['letters']}{found['digits']}".upper()


def _whole(passage: Passage) -> str:
    return f"{passage.title}\n{passage.heading}\n{passage.text}"
