"""Japanese words, read with Sudachi: dictionary forms, parts of speech and readings; also loanwords in hiragana
(ぱすわーど)."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from core.text.normalize import normalize

if TYPE_CHECKING:
    import sudachipy

HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff々]")
MAX_READ_CHARACTERS = 12_000  # of a text that are read: Sudachi refuses longer ones
MAX_PIECE_CHARACTERS = 2_000  # of a text that Sudachi reads at once: its time grows with the square of them
_PIECE = re.compile(
    rf"(?s).{{1,{MAX_PIECE_CHARACTERS}}}\Z|.{{1,{MAX_PIECE_CHARACTERS}}}(?<=[。、！？\n])|.{{{MAX_PIECE_CHARACTERS}}}"
)
_TOKENIZERS = threading.local()
_UNREAD = frozenset({"助詞", "助動詞", "空白", "補助記号", "記号"})
MAX_LOANWORD_CHARACTERS = 10
MIN_LOANWORD_CHARACTERS = 3  # two if the run of hiragana is nothing else
_RUN = re.compile(r"(?<![^\s、。,.!?！？「『(（])[ぁ-ゖー]{3,}|(?<!\S)[ぁ-ゖー]{2}(?!\S)")
_PARTICLE = re.compile(r"から|まで|って|より|など|とか|には|では|[をがはにでのともへや]")
_TO_KATAKANA = {code: code + 0x60 for code in range(ord("ぁ"), ord("ゖ") + 1)}


class Word(NamedTuple):
    """A word of a text, with Sudachi's tags."""

    surface: str  # as written
    base: str  # dictionary form
    normalized: str  # Sudachi's normalized form, in one width and case
    reading: str  # in katakana; "" if unknown
    part: str  # part of speech
    detail: str  # kind of that part of speech
    kind: str  # kind of that again: of names, of nouns that する can follow
    conjugation: str
    form: str  # form of the conjugation


def _tokenized(text: str) -> Iterator[sudachipy.Morpheme]:
    """The words of a text, which Sudachi reads in pieces that end with a sign."""
    for piece in _PIECE.findall(text):
        yield from _sudachi().tokenize(piece)


@lru_cache(maxsize=512)
def words(text: str, loanwords: bool = False) -> tuple[Word, ...]:
    """The words of a Japanese text in Sudachi's shortest units (mode A), in order; their surfaces joined are the text.

    loanwords: whether loanwords in hiragana are read, and written, in katakana
    """
    found: list[Word] = []
    for each in _tokenized(_with_katakana_loanwords(text) if loanwords else text):
        forms = each.surface(), each.dictionary_form(), _normalized(each.normalized_form()), each.reading_form()
        part, detail, kind, _, conjugation, form = each.part_of_speech()
        found.append(Word(*forms, part, detail, kind, conjugation, form))
    return tuple(found)


def normalized_forms(text: str, left_out: frozenset[str]) -> list[str]:
    """The normalized forms of a text's words, loanwords in hiragana read in katakana, without those of some parts of speech.

    The same as from `words`, in half the time: thousands of texts are read when an index is built.
    """
    found = _tokenized(_with_katakana_loanwords(text))
    return [_normalized(each.normalized_form()) for each in found if _part(each.part_of_speech_id()) not in left_out]


@cache
def _part(number: int) -> str:
    """The part of speech with a number of Sudachi's dictionary."""
    tags: Any = _dictionary().pos_of(number)  # None only for a number that it does not have
    return tags[0]


_normalized = lru_cache(maxsize=4_096)(normalize)  # the same forms again and again


@lru_cache(maxsize=256)
def reading(text: str) -> str:
    """The reading of a Japanese text in katakana, with spaces for particles and signs: one spelling for kanji and
    kana."""
    read = words(normalize(text)[:MAX_READ_CHARACTERS], loanwords=True)
    return katakana("".join(" " if each.part in _UNREAD else each.reading or each.surface for each in read))


@lru_cache(maxsize=16_384)
def _is_loanword(word: str) -> bool:
    """Whether a word in katakana is a common noun that has no other spelling."""
    return any(
        each.part_of_speech()[:2] == ("名詞", "普通名詞") and each.normalized_form() == word for each in _entries(word)
    )


@lru_cache(maxsize=16_384)
def is_known(word: str) -> bool:
    """Whether a Japanese word is in the dictionary in this spelling."""
    return bool(_entries(word))


@lru_cache(maxsize=4_096)
def is_proper_name(word: str) -> bool:
    """Whether a Japanese word is the name of a product or company: one in the dictionary, or a word in katakana that is
    not in it.

    Not names of persons and places, nor a word that is also a common noun in katakana.
    """
    kinds = {tuple(each.part_of_speech()[1:4]) for each in _entries(word)}
    if not kinds:
        return not (HAN.search(word) or len(word) < 3)
    if ("固有名詞", "一般", "*") not in kinds or any(kind[1] == "地名" or kind[2] == "姓" for kind in kinds):
        return False
    return bool(HAN.search(word)) or all(kind[0] == "固有名詞" for kind in kinds)


def _entries(word: str) -> Any:
    return _dictionary().lookup(word)


def _sudachi() -> sudachipy.Tokenizer:
    """This thread's tokenizer for Japanese, in its shortest units (mode A)."""
    if not hasattr(_TOKENIZERS, "japanese"):
        from sudachipy import SplitMode  # only Japanese needs it, and its dictionary

        _TOKENIZERS.japanese = _dictionary().tokenizer(SplitMode.A)
    return _TOKENIZERS.japanese


@cache
def _dictionary() -> sudachipy.Dictionary:
    from sudachipy import Dictionary

    return Dictionary(dict="core")


def _with_katakana_loanwords(text: str) -> str:
    """The text with loanwords in katakana where they begin a run of hiragana, or follow a particle in it.

    A run after a kanji is an ending or a particle, and is left unchanged.
    """

    def spelled(run: re.Match[str]) -> str:
        rest, done = run.group(), ""
        while len(rest) >= 2:
            shortest = 2 if rest == run.group() and len(rest) == 2 else MIN_LOANWORD_CHARACTERS
            lengths = range(min(MAX_LOANWORD_CHARACTERS, len(rest)), shortest - 1, -1)
            found = next((rest[:n] for n in lengths if is_known(rest[:n]) or _is_loanword(katakana(rest[:n]))), "")
            if found and not is_known(found):
                done += katakana(found)
                rest = rest[len(found) :]
            elif done and (particle := _PARTICLE.match(rest)):
                done += particle.group()
                rest = rest[particle.end() :]
            else:
                break
        return done + rest

    return _RUN.sub(spelled, text)


def katakana(text: str) -> str:
    """The text with its hiragana in katakana."""
    return text.translate(_TO_KATAKANA)
