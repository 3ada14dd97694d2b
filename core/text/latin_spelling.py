"""Corrects typing errors (Buisness, wnat, mnth) and chat spellings (u, dont) in English messages by the words of some
texts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from core.base.cached_method import cached_method
from core.base.toml import bundled_toml

MIN_KNOWN_COUNT = 3  # occurrences of a word in the texts, from which it is known
CORRECTION_FACTOR = 20  # a correction is this many times as frequent in the texts as the word
ONE_EDIT_LETTERS, TWO_EDITS_LETTERS = 4, 8  # letters of a word from which one edit is corrected, and two
_WORD = re.compile(r"(?<![\w@./:'’-])[A-Za-z]+(?![\w@/:'’-]|\.\w)")
_CHAT: dict[str, str] = bundled_toml(__file__, "spelling.toml")["chat"]
_TWO = re.compile(r"\b(need|want|like|have|has|going|way|able|try|trying|used) 2 ([a-z]+)", re.I)
# Figures and letters that stand for words in chats: "how 2 cancel", "is it ok 4 my team", "cards w/ pictures"
_CHAT_SIGNS = (
    (re.compile(r"\b(how|where|when|what) 2 (?=[a-z])", re.I), r"\1 to "),
    (re.compile(r"(?<=[a-z] )2 (?=(?:me|him|her|us|them|a|the|da)\b)", re.I), "to "),
    (
        re.compile(
            r"(?<=[a-z] )4 (?=(?:me|my|a|an|the|da|this|that|free|it|us|our|all|everything|him|her|them)\b)", re.I
        ),
        "for ",
    ),
    (re.compile(r"\bw/ ?(?=[a-z])(?!o\b)", re.I), "with "),
    (re.compile(r"\bw/o\b", re.I), "without"),
)


class LatinSpelling:
    """Corrects English words by the words of some texts.

    A word that is neither in the texts nor in the dictionary (lemminflect's) becomes the nearest of their words with
    the same first letter. An edit is a letter more, less or changed, or two neighbours that changed places (optimal
    string alignment); of equally near words the one with the same letters wins, then the commoner one (Norvig 2007). In
    a word of four letters only a missing letter or a swapped pair is corrected; a short word with a capital is a name.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._count = Counter(word.lower() for text in texts for word in _WORD.findall(text))
        self._known: defaultdict[str, list[str]] = defaultdict(list)
        for word, count in self._count.items():
            if count >= MIN_KNOWN_COUNT and len(word) >= ONE_EDIT_LETTERS - 1:
                self._known[word[0]].append(word)

    def respelled(self, text: str) -> str:
        """The text with typing errors and chat spellings corrected; codes, names in capitals, addresses and links
        stay."""
        text = _TWO.sub(lambda found: f"{found[1]} {'to' if _is_verb(found[2].lower()) else '2'} {found[2]}", text)
        for pattern, words in _CHAT_SIGNS:
            text = pattern.sub(words, text)
        return _WORD.sub(lambda found: self._spelt(found[0]), text)

    def _spelt(self, word: str) -> str:
        plain = word.lower()
        named = word != plain and (len(word) < TWO_EDITS_LETTERS or word != plain.capitalize())
        right = _CHAT.get(plain) or (plain if named else self._right(plain))
        if right == plain:
            return word
        return right.capitalize() if word[0].isupper() else right

    @cached_method(4_096)
    def _right(self, word: str) -> str:
        count = self._count[word]
        if len(word) < ONE_EDIT_LETTERS or count >= MIN_KNOWN_COUNT or _lemmas(word):
            return word
        most = 1 + (len(word) >= TWO_EDITS_LETTERS)
        near = process.extract(word, self._known[word[0]], scorer=OSA.distance, score_cutoff=most, limit=None)
        better = [
            (distance, sorted(one) != sorted(word), -self._count[one], one)
            for one, distance, _ in near
            if self._count[one] >= CORRECTION_FACTOR * count
            and (len(word) > ONE_EDIT_LETTERS or len(one) > ONE_EDIT_LETTERS or sorted(one) == sorted(word))
        ]
        return min(better)[-1] if better else word


def _is_verb(word: str) -> bool:
    """Whether a word may be a verb in its base form ("need 2 cancel"), and no adjective ("need 2 new seats")."""
    lemmas = _lemmas(word)
    return word in lemmas.get("VERB", ()) and "ADJ" not in lemmas


def _lemmas(word: str) -> dict[str, tuple[str, ...]]:
    lemminflect: Any = import_module("lemminflect")
    return lemminflect.getAllLemmas(word)
