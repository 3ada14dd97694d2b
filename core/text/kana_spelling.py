"""Converts messages in kana (りょうしゅうしょ) to the spelling of some texts."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from core.base.cached_method import cached_method
from core.base.stored_results import stored_result
from core.text.japanese import MAX_READ_CHARACTERS, is_known
from core.text.japanese import words as japanese_words
from core.text.normalize import normalize
from core.text.stored_readings import MIN_TEXTS, readings, state_of_readers

MAX_WORD_KANA = 12  # of a word
UNKNOWN_KANA_COST = 8.0  # cost of a kana that belongs to no word, as a negative logarithm
DICTIONARY_WORD_COST = 12.0  # cost of a word that only the dictionary has
BIGRAM_WEIGHT = 0.6  # weight of the probability after the word before, relative to that of the word alone
MIN_RESPELLED_KANA = 3  # of a word that is respelled in a text with kanji
MAX_RUN_KANA = 200  # in a row that are read
_LOST = "なくな"  # beginning of the words for being lost (無くなる) and dying (亡くなる), which stay in kana
_HAN = re.compile(r"[\u3400-\u9fff々]")
_RUN = re.compile(r"[ぁ-ゖー]+")
_KATAKANA = re.compile(r"[ァ-ヶー]+")
_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_EVERYDAY = ("distress/incident_examples.toml", "distress/mood_examples.toml", "synonyms.toml")


class _Path(NamedTuple):
    """The cheapest reading of the kana up to `end`."""

    cost: float
    word: str  # its last word
    end: int
    before: _Path | None = None  # the path before that word


class KanaSpelling:
    """Spells kana like some texts, by the likeliest sequence of words.

    Kana-kanji conversion by a bigram model of words (Mori et al. 1999, IPSJ Journal 40). The model is made of the
    texts, as Sudachi reads them, and of everyday sentences, so that きのう becomes 昨日 although a document has 機能.

    more: further everyday sentences
    """

    def __init__(self, texts: Iterable[str], more: tuple[str, ...] = ()) -> None:
        self._words, self._pairs, self._spelt = _model_of(list(texts), more)
        self._total = max(sum(self._words.values()), 1)

    @cached_method(1_024)
    def respelled(self, text: str) -> str:
        """The text with its hiragana spelled as in the texts; kana that sound like none of their words stay.

        In a text with kanji only words of three kana or more are respelled that the dictionary does not have in kana,
        none right after another word, where endings are, and none within a word as Sudachi reads the text (おじ|さん).
        """
        has_kanji = bool(_HAN.search(text))
        starts = _starts(text) if has_kanji else frozenset[int]()
        done, place, before = "", 0, ""
        for run in _RUN.finditer(text):
            between = text[place : run.start()]
            before = next((word for word, _ in reversed(_spoken_words(between)) if word.strip()), before)
            kana, rest = run.group()[:MAX_RUN_KANA], run.group()[MAX_RUN_KANA:]
            words = self._read(kana, before)
            before = words[-1][1]
            behind = between[-1:].isalnum()
            surely = _surely(words, behind, frozenset(one - run.start() for one in starts)) if has_kanji else None
            done += between + "".join(surely or (word for _, word in words)) + rest
            place = run.end()
        return done + text[place:]

    def _read(self, kana: str, before: str) -> list[tuple[str, str]]:
        """The likeliest words of a run of kana after a word, each in kana and as spelled (Viterbi)."""
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
        """The paths that continue `ways` by one word from `start`."""
        cheapest = min(ways)
        for end in range(start + 1, min(start + MAX_WORD_KANA, len(kana)) + 1):
            sound = kana[start:end]
            for word in self._spelt.get(sound, ()):
                cost, before = min((one.cost + self._cost(one.word, word), one) for one in ways)
                yield _Path(cost, word, end, before)
            if end == start + 1 or is_known(sound):
                cost = UNKNOWN_KANA_COST if end == start + 1 else DICTIONARY_WORD_COST
                yield _Path(cheapest.cost + cost, sound, end, cheapest)

    def _cost(self, before: str, word: str) -> float:
        """The negative log probability of a word after another."""
        alone = self._words.get(word, 0) / self._total
        pair = self._pairs.get((before, word), 0) / self._words[before] if before in self._words else 0.0
        return -math.log(BIGRAM_WEIGHT * pair + (1 - BIGRAM_WEIGHT) * alone)


class _Model(NamedTuple):
    """What is learned of some texts."""

    words: dict[str, int]  # how often each word occurs
    pairs: dict[tuple[str, str], int]  # and each pair of words
    spelt: dict[str, list[str]]  # how the words of each sound are spelled


def _model_of(texts: Sequence[str], more: tuple[str, ...]) -> _Model:
    if len(texts) < MIN_TEXTS:
        return _learned(texts, more)
    files = [(Path(__file__).parent / name).read_text("utf-8") for name in _EVERYDAY]
    key = json.dumps(["kana spelling", state_of_readers(), files, more, texts])
    return stored_result(key, lambda: _learned(texts, more), _save, _load)


def _learned(texts: Sequence[str], more: tuple[str, ...]) -> _Model:
    every, everyday = _Counts(), _everyday_counts(more)
    every.add(texts)
    words = every.words + everyday.words
    spelt: dict[str, list[str]] = {}
    for sound in sorted({*every.spelt, *everyday.spelt}):
        found = sorted(every.spelt[sound] | everyday.spelt[sound])
        # spelt so more than once, or not in katakana alone (ナントカ for なんとか)
        spelt[sound] = [word for word in found if words[word] > 1 or not _KATAKANA.fullmatch(word)]
    return _Model(words, every.pairs + everyday.pairs, spelt)


def _save(model: _Model, folder: Path) -> None:
    pairs = [(*pair, count) for pair, count in model.pairs.items()]
    (folder / "model.json").write_text(json.dumps([model.words, pairs, model.spelt], ensure_ascii=False), "utf-8")


def _load(folder: Path) -> _Model:
    words, pairs, spelt = json.loads((folder / "model.json").read_text("utf-8"))
    return _Model(words, {(before, word): count for before, word, count in pairs}, spelt)


class _Counts:
    """The counts of each word and pair of words in some texts, and the words of each sound."""

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.spelt: defaultdict[str, frozenset[str]] = defaultdict(frozenset)

    def add(self, texts: Iterable[str]) -> None:
        """Count the words of more texts."""
        seen: set[tuple[str, str]] = set()
        for words in readings(list(texts), _spoken_words):
            seen.update((word, reading) for word, reading in words)
            spelt = ["", *(word for word, _ in words)]  # "": where a text begins
            self.words.update(spelt)
            self.pairs.update(pairwise(spelt))
        for word, reading in seen:
            sound = reading.translate(_HIRAGANA)
            if sound.startswith(_LOST):
                continue
            if len(sound) <= MAX_WORD_KANA and _RUN.fullmatch(sound) and not word.isascii():
                self.spelt[sound] |= {word}


def _spoken_words(text: str) -> tuple[tuple[str, str], ...]:
    """The words of a text as written, each with its reading in katakana; including signs and spaces."""
    return tuple((one.surface, one.reading) for one in japanese_words(normalize(text)[:MAX_READ_CHARACTERS]))


@cache
def _everyday_counts(more: tuple[str, ...]) -> _Counts:
    """The counts of everyday sentences, and of users' words for those of documents."""
    counts = _Counts()
    counts.add(more)
    for name in _EVERYDAY:
        stored: dict[str, Any] = tomllib.loads((Path(__file__).parent / name).read_text("utf-8"))
        counts.add(line for line in _lines(stored.values()) if _RUN.search(line) or _HAN.search(line))
    return counts


def _lines(stored: Iterable[Any]) -> Iterator[str]:
    """The lines of all texts in tables and lists, without placeholders."""
    for each in stored:
        if isinstance(each, str):
            yield from re.sub(r"\{\w+\}", "", each).splitlines()
        else:
            inner: Iterable[Any] = each.values() if hasattr(each, "values") else each
            yield from _lines(inner)


def _starts(text: str) -> frozenset[int]:
    """Where a word begins in a text, as Sudachi reads it."""
    return frozenset(accumulate((len(one.surface) for one in japanese_words(text)), initial=0))


def _surely(words: Sequence[tuple[str, str]], behind: bool, starts: frozenset[int]) -> Iterator[str]:
    """Words in kana; a stretch of respelled ones is kept only if it is long, not in the dictionary in kana, and begins and
    ends where words do.

    behind: whether the first of them follows another word directly, so that it may be an ending; starts: where words begin
    """
    place = 0
    for changed, each in groupby(words, key=lambda pair: pair[0] != pair[1]):
        stretch = list(each)
        kana = "".join(sound for sound, _ in stretch)
        is_long = len(kana) >= MIN_RESPELLED_KANA
        ends = place + len(kana) in starts or "ー" in kana  # which no native word has
        is_word = changed and not behind and is_long and place in starts and ends and not is_known(kana)
        yield "".join(word for _, word in stretch) if is_word else kana
        behind, place = False, place + len(kana)
