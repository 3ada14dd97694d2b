"""Text in Japanese, English and Chinese: detection, sentences, terms, numbers."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache, lru_cache
from typing import Literal, cast

import sentencex
import Stemmer
import sudachipy

from core.base.types import Language

Script = Literal["ja", "en", "zh"]

_KANA = re.compile(r"[\u3041-\u30ff\uff66-\uff9f]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff々]")
_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?")
_CLOSERS = re.compile(r"^[」』）)\]】\s]+")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_TOKENIZERS = threading.local()

# Parts of speech that carry no content of their own.
_SKIPPED = frozenset({"助詞", "助動詞", "補助記号", "空白", "記号", "接続詞", "感動詞", "連体詞", "代名詞", "接頭辞"})

_STOP_EN = frozenset(
    """a an the this that these those there here it its i i'm i've i'd i'll me my mine we we're our ours us you your
    yours he she his her hers they them their is are am was were be been being do does did doing done have has had
    having can can't could couldn't will would won't should shall may might must need of in on at to for from with
    without by as about into onto over under than then so and or but if because while when where who whom whose which
    what why how all any some no not just also very too please tell want like know get got there's it's don't doesn't
    didn't isn't aren't wasn't haven't hasn't let let's thanks thank hello hi hey ok okay yes""".split()
)

# Japanese words (normalised forms) that ask or frame and name no subject.
_STOP_JA = frozenset(
    """為る 有る 居る 成る 出来る 教える 下さる 頂く 貰う 呉れる 知る 分かる 言う 思う 考える 願う 致す 御座る 良い
    事 物 所 時 件 方 為 様 訳 場合 何 何れ 誰 何処 何時 何故 幾つ 幾ら 如何 宜しい 欲しい 無い てる 因る 就く つく 関する
    詳しい 聞く 尋ねる 質問 済む 御 行く 来る 遣る 見る そう こう どう""".split()
)


@lru_cache(maxsize=20_000)
def script(text: str) -> Script:
    """Which of the three writing systems the text mainly uses (kana decides Japanese)."""
    if _KANA.search(text):
        return "ja"
    if len(_HAN.findall(text)) * 3 <= len(_WORD.findall(text.lower())):
        return "en"
    return "zh" if _is_chinese(text) else "ja"


def _is_chinese(text: str) -> bool:
    """Han without kana: simplified characters lie outside the Japanese character set, and 的 or 了 are Chinese grammar."""
    if re.search("[的了是吗嗎呢這]", text):
        return True
    try:
        "".join(_HAN.findall(text)).encode("cp932")
    except UnicodeEncodeError:
        return True
    return False


def language_of(text: str, fallback: Language) -> Language:
    """The language to answer in: Japanese or English; `fallback` where the text shows neither (digits, emoji, Han only)."""
    if _KANA.search(text):
        return "ja"
    if _HAN.search(text):
        return fallback
    return "en" if re.search(r"[A-Za-z]{2}", text) else fallback


@lru_cache(maxsize=20_000)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences, white space kept so that joining them gives the text back (sentencex)."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        for part in sentencex.segment(script(line), line):
            joined = found and (_CLOSERS.match(part) or _unclosed(found[-1]))
            if joined and not found[-1].endswith("\n"):
                found[-1] += part
            else:
                found.append(part)
    return tuple(found)


def _unclosed(text: str) -> bool:
    return any(text.count(left) > text.count(right) for left, right in ("「」", "『』", "（）"))


def normalise(text: str) -> str:
    """NFKC, lower case, one space between words."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


@lru_cache(maxsize=50_000)
def terms(text: str, of: Script | None = None) -> tuple[str, ...]:
    """The words to index or look up: Sudachi normalised forms, English stems, Chinese character bigrams.

    `of` is the script of the corpus, which decides between Japanese and Chinese where the text is Han only.
    """
    text = normalise(text)
    if not (_HAN.search(text) or _KANA.search(text)):
        return _terms_en(text)
    chinese = not _KANA.search(text) and (of or script(text)) == "zh"
    return _terms_zh(text) if chinese else _terms_ja(text)


@lru_cache(maxsize=50_000)
def content(text: str, of: Script | None = None) -> tuple[str, ...]:
    """The distinct terms that name a subject, in order: `terms` without the words that only ask or frame."""
    skipped = _STOP_JA if script(text) != "en" else _stop_stems()
    return tuple(dict.fromkeys(term for term in terms(text, of) if term not in skipped))


def numbers(text: str) -> frozenset[str]:
    """Every figure in the text, thousands separators and full width forms made equal."""
    plain = unicodedata.normalize("NFKC", text)
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    return frozenset(_NUMBER.findall(plain))


def _terms_ja(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for morpheme in _sudachi().tokenize(text[:12_000], sudachipy.SplitMode.A):
        if morpheme.part_of_speech()[0] in _SKIPPED:
            continue
        form = normalise(morpheme.normalized_form())
        found.extend(_terms_en(form) if form.isascii() else (form,))
    return tuple(found)


def _terms_zh(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for run in re.findall(r"[\u3400-\u9fff\uf900-\ufaff]+|[a-z0-9]+", text):
        found.extend([run] if run.isascii() or len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
    return tuple(found)


def _terms_en(text: str) -> tuple[str, ...]:
    words = [word.replace("’", "'") for word in _WORD.findall(text)]
    return tuple(cast("list[str]", _stemmer().stemWords([word.removesuffix("'s") for word in words])))


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(_stemmer().stemWords(sorted(_STOP_EN))) | _STOP_EN


def _stemmer() -> Stemmer.Stemmer:
    if not hasattr(_TOKENIZERS, "english"):
        _TOKENIZERS.english = Stemmer.Stemmer("english")
    return _TOKENIZERS.english


def _sudachi() -> sudachipy.Tokenizer:
    if not hasattr(_TOKENIZERS, "japanese"):
        _TOKENIZERS.japanese = _dictionary().tokenizer()
    return _TOKENIZERS.japanese


@cache
def _dictionary() -> sudachipy.Dictionary:
    return sudachipy.Dictionary(dict="core")
