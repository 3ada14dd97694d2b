"""Text in Japanese, English and Chinese: which one it is, its sentences, its terms and content words."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any

import sentencex
import Stemmer

from core.base.toml import bundled_toml
from core.base.types import Language, Script
from core.text.bilingual import is_english_term
from core.text.japanese import HAN, MAX_READ_CHARACTERS, normalized_forms
from core.text.japanese import words as japanese_words
from core.text.normalize import normalize

_KANA = re.compile(r"[\u3041-\u30ff\uff66-\uff9f]")
_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*(?:[-\d][A-Za-z\d]*)*")
_VOWEL = re.compile("[aeiouy]")
_QUOTED = re.compile(
    r"「[^」]{0,200}」|『[^』]{0,200}』|\"[^\"]{0,200}\"|“[^”]{0,200}”|（[^）]{0,200}）|\([^)]{0,200}\)"
)
_JAPANESE_RUN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff々ー]+")
MIN_ENGLISH_WORDS = 3  # around a Japanese name
MIN_CAPITALS = 5  # letters of a term in capitals from which it is no abbreviation
MIN_LETTERS = 12  # letters of a text from which its script is compared with that of another
LONGEST_COMPARED = 2_000  # characters of either text of which the scripts are compared
_CLOSERS = re.compile(r"^[」』）)\]】\s]+")
_CLAUSE_END = re.compile(  # not within 12,400; also behind a picture
    r"(?<=[、,;\n])(?!(?<=\d,)\d{3})|(?<=[\u2600-\u27bf\ufe0f\U0001f300-\U0001faff])(?=\s)"
)
MAX_PIECE_CHARACTERS = 4_000  # of a line that is split into sentences at once
_BRACKETS = ("「」", "『』", "（）")
_TOKENIZERS = threading.local()
_SEGMENT: Any = sentencex.segment  # pyright: ignore
_STEMMER: Any = Stemmer.Stemmer  # pyright: ignore

# Parts of speech that carry no content of their own.
_SKIPPED = frozenset(
    {"助詞", "助動詞", "補助記号", "空白", "記号", "接続詞", "感動詞", "連体詞", "代名詞", "接頭辞", "副詞"}
)
_NAMING = frozenset({"名詞", "接頭辞", "接尾辞", "形状詞", "補助記号", "記号"})
_PREDICATES = frozenset({"動詞", "形容詞", "形状詞"})


@lru_cache(maxsize=4_096)
def script(text: str) -> Script:
    """The writing system that the text mainly uses (kana decides Japanese)."""
    if _KANA.search(text):
        return "ja"
    if len(HAN.findall(text)) * 3 <= len(_WORD.findall(text.lower())):
        return "en"
    return "zh" if _is_chinese(text) else "ja"


def _is_chinese(text: str) -> bool:
    """Han without kana: simplified characters lie outside the Japanese character set, and 的 or 了 are Chinese
    grammar."""
    if re.search("[的了是吗嗎呢這]", text):
        return True
    try:
        "".join(HAN.findall(text)).encode("cp932")
    except UnicodeEncodeError:
        return True
    return False


def share_no_script(
    text: str, other: str, min_letters: int = MIN_LETTERS, other_min_letters: int = MIN_LETTERS
) -> bool:
    """Whether one text is Japanese or Chinese, the other is not, and the other does not contain the first word for word.

    No words of such texts can be compared. False if one of them has too few letters to tell.
    """
    text, other = text[:LONGEST_COMPARED], other[:LONGEST_COMPARED]
    if _letters(text) < min_letters or _letters(other) < other_min_letters:
        return False
    return (script(text) == "en") != (script(other) == "en") and normalize(text) not in normalize(other)


def _letters(text: str) -> int:
    return sum(character.isalpha() for character in text)


def language_of(text: str, fallback: Language) -> Language:
    """The language to answer in: Japanese or English; `fallback` if the text shows neither (digits, emoji, Han only,
    names of products and abbreviations: Wi-Fi, eSIM, Q&A).

    An English sentence that names something in Japanese is English.
    """
    if _KANA.search(text) or HAN.search(text):
        if _is_english_around_names(text):
            return "en"
        return "ja" if _KANA.search(text) else fallback
    return "en" if _is_english(text) else fallback


def _is_english(text: str) -> bool:
    """Whether one of the Latin words is English, and no name or abbreviation that every language uses."""
    words = [word for word in _LATIN_WORD.findall(text) if word.lower() not in _listed("international")]
    alone = len(words) == 1
    if alone and len(words[0]) <= 2 and words[0].isupper():
        return False  # IT, US
    return any(
        (len(word) > 1 and word.lower() in _common_english())
        or (len(word) > 1 and word.islower() and _VOWEL.search(word))
        or ((alone or word.isupper()) and len(word) >= MIN_CAPITALS and is_english_term(word.lower()))
        for word in words
    )


def _is_english_around_names(text: str) -> bool:
    """Whether a text with Japanese in it is an English sentence that only names, or quotes, something in Japanese."""
    around = _QUOTED.sub(" ", text)
    words = _LATIN_WORD.findall(around)
    if len(words) < MIN_ENGLISH_WORDS or sum(word.lower() in _common_english() for word in words) < 2:
        return False
    named = (word for run in _JAPANESE_RUN.findall(around) for word in japanese_words(run, loanwords=True))
    return all(word.part in _NAMING or word.surface == "の" for word in named)


@cache
def _common_english() -> frozenset[str]:
    """English words that are in most sentences, and greetings."""
    return _listed("en") | _listed("greetings_en")


@lru_cache(maxsize=4_096)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences with their white space, so that joining them returns the text (sentencex)."""
    found: list[list[str]] = []
    opened = [0] * len(_BRACKETS)  # of the last sentence: how many more brackets open than close
    for piece in _pieces(text):
        parts: list[str] = _SEGMENT(script(piece), piece)
        for part in parts:
            joined = found and (_CLOSERS.match(part) or any(balance > 0 for balance in opened))
            if joined and not found[-1][-1].endswith("\n"):
                found[-1].append(part)
            else:
                found.append([part])
                opened = [0] * len(_BRACKETS)
            opened = [
                balance + part.count(left) - part.count(right)
                for balance, (left, right) in zip(opened, _BRACKETS, strict=True)
            ]
    return tuple("".join(parts) for parts in found)


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence, each with the comma, semicolon or line break that ends it."""
    return _CLAUSE_END.split(sentence)


def join_sentences(parts: Iterable[str], language: Language) -> str:
    """Sentences joined: with a space in English, without one in Japanese."""
    return ("" if language == "ja" else " ").join(parts)


def _pieces(text: str) -> Iterator[str]:
    """The lines; a very long one in pieces that end with a sentence or a word, since sentencex takes quadratic time."""
    for line in text.splitlines(keepends=True):
        start = 0
        while len(line) - start > MAX_PIECE_CHARACTERS:
            ends = (
                line.rfind(mark, start + MAX_PIECE_CHARACTERS // 2, start + MAX_PIECE_CHARACTERS) for mark in "。！？. "
            )
            end = next((end + 1 for end in ends if end >= 0), start + MAX_PIECE_CHARACTERS)
            yield line[start:end]
            start = end
        yield line[start:]


@lru_cache(maxsize=16_384)  # the example questions of a bot are read twice
def terms(text: str, language: Script | None = None) -> tuple[str, ...]:
    """The words to index or look up: Sudachi's normalized forms, English stems, Chinese character bigrams.

    language: of the corpus; decides between Japanese and Chinese if the text is Han only
    """
    text = normalize(text)
    if not (HAN.search(text) or _KANA.search(text)):
        return _terms_en(text)
    chinese = not _KANA.search(text) and (language or script(text)) == "zh"
    return _terms_zh(text) if chinese else _terms_ja(text)


@lru_cache(maxsize=4_096)
def content_words(text: str, language: Script | None = None) -> tuple[str, ...]:
    """The distinct terms that name a subject, in order: `terms` without the words that only ask or frame."""
    skipped = stop_words("en" if script(text) == "en" else "ja")
    return tuple(dict.fromkeys(term for term in terms(text, language) if term not in skipped))


@lru_cache(maxsize=4_096)
def predicates(text: str) -> frozenset[str]:
    """The Japanese terms that are verbs or adjectives: they say what happens, not what it is about."""
    if script(text) != "ja":
        return frozenset()
    return frozenset(
        each.normalized
        for each in japanese_words(normalize(text)[:MAX_READ_CHARACTERS], loanwords=True)
        if each.part in _PREDICATES
    )


def _terms_ja(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for form in normalized_forms(text[:MAX_READ_CHARACTERS], _SKIPPED):
        found.extend(_terms_en(form) if form.isascii() else (form,))
    return tuple(found)


def _terms_zh(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for run in re.findall(r"[\u3400-\u9fff\uf900-\ufaff]+|[a-z0-9]+", text):
        found.extend([run] if run.isascii() or len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
    return tuple(found)


def _terms_en(text: str) -> tuple[str, ...]:
    words = [word.replace("’", "'") for word in _WORD.findall(text)]
    return tuple(_stemmer().stemWords([word.removesuffix("'s") for word in words]))


def frame_words() -> frozenset[str]:
    """The terms that frame a question and are rarely in its answer (deadline, how)."""
    return _listed("frames")


@cache
def stop_words(language: Language) -> frozenset[str]:
    """The terms that only ask or frame."""
    words = _listed(language)
    return words.union(_stemmer().stemWords(list(words)) if language == "en" else ())


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(bundled_toml(__file__, "stopwords.toml")[name].split())


def _stemmer() -> Any:
    if not hasattr(_TOKENIZERS, "english"):
        _TOKENIZERS.english = _STEMMER("english")
    return _TOKENIZERS.english
