"""Messages in kana (りょうしゅうしょ), as children, elderly people and people in a hurry type them, spelt as texts spell the
words."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from core.base.cached_method import cached_method
from core.text.japanese import is_known, spoken_words
from core.text.stored_readings import readings

LONGEST_WORD = 12  # kana of a word
UNKNOWN = 8.0  # cost of a kana that belongs to no word, as a negative logarithm
ELSEWHERE = 12.0  # cost of a word that only the dictionary has
TOGETHER = 0.6  # share of a word's probability that the word before it tells
LONG = 3  # kana from which a word is spelt anew in a text with kanji
LONGEST_RUN = 200  # kana in a row that are read
_LOST = "なくな"  # how a word begins for what is gone (無くなる) and for who has died (亡くなる): its kana are left as they are
_HAN = re.compile(r"[\u3400-\u9fff々]")
_RUN = re.compile(r"[ぁ-ゖー]+")
_KATAKANA = re.compile(r"[ァ-ヶー]+")
_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_EVERYDAY = ("distress/incident_examples.toml", "distress/mood_examples.toml", "synonyms.toml")


class _Path(NamedTuple):
    """The cheapest way to read the kana up to `end`: its cost, its last word, and the way before that."""

    cost: float
    word: str
    end: int
    before: _Path | None = None


class KanaSpelling:
    """Spells kana as some texts do: the likeliest words one after the other.

    Kana-kanji conversion by a bigram model of words (Mori et al. 1999, IPSJ Journal 40). The model is made of the
    texts, as Sudachi reads them, and of everyday sentences, so that きのう becomes 昨日 beside a document's 機能; `more`:
    further ones.
    """

    def __init__(self, texts: Iterable[str], more: tuple[str, ...] = ()) -> None:
        every, everyday = _Counts(), _everyday_counts(more)
        every.add(texts)
        self._words = every.words + everyday.words
        self._pairs = every.pairs + everyday.pairs
        self._total = max(self._words.total(), 1)
        self._spelt = {
            sound: frozenset(filter(self._is_usual, every.spelt[sound] | everyday.spelt[sound]))
            for sound in {*every.spelt, *everyday.spelt}
        }

    def _is_usual(self, word: str) -> bool:
        """Whether a word is spelt so more than once, or not in katakana alone (ナントカ for なんとか)."""
        return self._words[word] > 1 or not _KATAKANA.fullmatch(word)

    @cached_method(1_024)
    def respelled(self, text: str) -> str:
        """The text with its hiragana spelt as in the texts; what sounds like no word of theirs stays as it is.

        In a text with kanji only words of three kana or more that the dictionary does not have in kana are spelt anew,
        and none that stands right behind another word, where endings do.
        """
        has_kanji = bool(_HAN.search(text))
        done, place, before = "", 0, ""
        for run in _RUN.finditer(text):
            between = text[place : run.start()]
            before = next((word for word, _ in reversed(spoken_words(between)) if word.strip()), before)
            kana, rest = run.group()[:LONGEST_RUN], run.group()[LONGEST_RUN:]
            words = self._read(kana, before)
            before = words[-1][1]
            behind = between[-1:].isalnum()
            done += between + "".join(_surely(words, behind) if has_kanji else (word for _, word in words)) + rest
            place = run.end()
        return done + text[place:]

    def _read(self, kana: str, before: str) -> list[tuple[str, str]]:
        """The likeliest words of a run of kana behind a word, each in kana and as it is spelt (Viterbi)."""
        best: list[dict[str, _Path]] = [{} for _ in range(len(kana) + 1)]
        best[0][before] = _Path(0.0, before, 0)
        for start in range(len(kana)):
            ways = best[start].values()
            for way in self._onward(kana, start, list(ways)) if ways else ():
                found = best[way.end].get(way.word)
                if found is None or way.cost < found.cost:
                    best[way.end][way.word] = way
        way = min(best[-1].values())
        words: list[tuple[str, str]] = []
        while way.before is not None:
            words.append((kana[way.before.end : way.end], way.word))
            way = way.before
        return words[::-1]

    def _onward(self, kana: str, start: int, ways: Sequence[_Path]) -> Iterator[_Path]:
        """The ways that go on by one word from `start`, which `ways` lead to."""
        cheapest = min(ways)
        for end in range(start + 1, min(start + LONGEST_WORD, len(kana)) + 1):
            sound = kana[start:end]
            for word in self._spelt.get(sound, ()):
                cost, before = min((one.cost + self._cost(one.word, word), one) for one in ways)
                yield _Path(cost, word, end, before)
            if end == start + 1 or is_known(sound):
                cost = UNKNOWN if end == start + 1 else ELSEWHERE
                yield _Path(cheapest.cost + cost, sound, end, cheapest)

    def _cost(self, before: str, word: str) -> float:
        """How unlikely a word is behind another, as a negative logarithm."""
        alone = self._words[word] / self._total
        pair = self._pairs[before, word] / self._words[before] if before in self._words else 0.0
        return -math.log(TOGETHER * pair + (1 - TOGETHER) * alone)


class _Counts:
    """How often each word, and each pair of words, occurs in some texts, and the words that sound alike."""

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.spelt: defaultdict[str, frozenset[str]] = defaultdict(frozenset)

    def add(self, texts: Iterable[str]) -> None:
        """Count the words of more texts."""
        seen: set[tuple[str, str]] = set()
        for words in readings(list(texts), spoken_words):
            seen.update((word, reading) for word, reading in words)
            spelt = ["", *(word for word, _ in words)]  # "": where a text begins
            self.words.update(spelt)
            self.pairs.update(pairwise(spelt))
        for word, reading in seen:
            sound = reading.translate(_HIRAGANA)
            if sound.startswith(_LOST):
                continue
            if len(sound) <= LONGEST_WORD and _RUN.fullmatch(sound) and not word.isascii():
                self.spelt[sound] |= {word}


@cache
def _everyday_counts(more: tuple[str, ...]) -> _Counts:
    """Those of everyday sentences, and of the words that people use for those of documents."""
    counts = _Counts()
    counts.add(more)
    for name in _EVERYDAY:
        stored: dict[str, Any] = tomllib.loads((Path(__file__).parent / name).read_text("utf-8"))
        counts.add(line for line in _lines(stored.values()) if _RUN.search(line) or _HAN.search(line))
    return counts


def _lines(stored: Iterable[Any]) -> Iterator[str]:
    """The lines of all texts in tables and lists, without the holes for other words."""
    for each in stored:
        if isinstance(each, str):
            yield from re.sub(r"\{\w+\}", "", each).splitlines()
        else:
            inner: Iterable[Any] = each.values() if hasattr(each, "values") else each
            yield from _lines(inner)


def _surely(words: Sequence[tuple[str, str]], behind: bool) -> Iterator[str]:
    """Words in kana, those side by side spelt otherwise if they are long and not in the dictionary in kana.

    behind: whether the first of them stands right behind another word, so that it may be an ending.
    """
    for changed, each in groupby(words, key=lambda pair: pair[0] != pair[1]):
        stretch = list(each)
        kana = "".join(sound for sound, _ in stretch)
        is_word = changed and not behind and len(kana) >= LONG and not is_known(kana)
        yield "".join(word for _, word in stretch) if is_word else kana
        behind = False
