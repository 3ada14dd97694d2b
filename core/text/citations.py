"""Citation marks in an answer: the numbers of the passages that support a sentence."""

from __future__ import annotations

import re
import unicodedata

_WORD = r"(?:資料|文書|出典|参考|根拠|passages?|sources?|documents?|docs?|refs?|no\.?|#)"
_NUMBER = rf"(?:{_WORD}\s*+)?\d{{1,3}}"
_GAP = r"\s*+(?:[,、，;；・&]|と|and)\s*+|\s*+[-–—~〜～]\s*+|\s++"
_FURTHER_NUMBERS = rf"(?:(?:{_GAP}){_NUMBER}){{0,9}}"
_CITATION = re.compile(
    r"(?<![ \t\u3000])[ \t\u3000]*+(?:"
    rf"[\[［【〔]\s*+\^?(?P<number>{_NUMBER}{_FURTHER_NUMBERS})\s*+(?:†[^\]］】〕\n]{{0,60}})?[\]］】〕](?!\((?!\d{{1,2}}\)))"
    rf"|[(（]\s*+(?P<word>{_WORD}\s*+\d{{1,3}}{_FURTHER_NUMBERS})\s*+[)）])",
    re.IGNORECASE,
)
# A bare number in round brackets behind a sentence; behind a figure or an article it belongs to that
_BARE = re.compile(
    r"(?<![\d条項号章節表式図 \t\u3000\n(（§])[ \u3000]?[(（](?P<number>\d{1,2}(?:[,、]\s?\d{1,2}){0,9})[)）](?=\s*(?:[。．.!！?？,、\n]|$|[(（]\d))"
)
_BEHIND = re.compile(r"(?<=\])[ \u3000]?[(（](?P<number>\d{1,2})[)）]")  # another mark
_DOUBLED = re.compile(r"(\[\d{1,3}\])(?:[ \t\u3000]*+\1)++")
_RANGE = re.compile(r"(\d{1,3})\s*+[-–—~〜～]\s*+(?:[^\d\s]{1,10}\s*+)?(\d{1,3})")
_MAX_RANGE = 20  # passages of one range


def read_citations(text: str, passages: int) -> tuple[str, tuple[int, ...]]:
    """The text with every citation written as [1][2], and the numbers that it cites, ascending.

    Recognized are [1], [1, 2], [1-3], ［１］, 【1】, [^1], 【1†source】, marks with a word such as [資料1] or （資料1）, and, if
    there is none of these, a bare (1) behind a sentence. A link ([1](address)) is no citation. Repeated marks become
    one.

    passages: number of passages; marks with other numbers are removed
    """
    cited = set[int]()

    def canonical(found: re.Match[str]) -> str:
        named = found.groupdict()
        numbers = [number for number in _numbers(named["number"] or named.get("word") or "") if 1 <= number <= passages]
        cited.update(numbers)
        space = found[0][: len(found[0]) - len(found[0].lstrip(" \t\u3000"))]
        return space + "".join(f"[{number}]" for number in numbers) if numbers else ""

    def bare(found: re.Match[str]) -> str:
        there = all(1 <= number <= passages for number in _numbers(found["number"]))
        return canonical(found) if there else found[0]

    shown = _CITATION.sub(canonical, text)
    shown = _BEHIND.sub(bare, shown) if cited else _BARE.sub(bare, shown)
    return _DOUBLED.sub(r"\1", shown), tuple(sorted(cited))


def has_citation(text: str) -> bool:
    """Whether a text has a citation mark, in any form that `read_citations` recognizes except a bare (1)."""
    return _CITATION.search(text) is not None


def without_citations(text: str) -> str:
    """The text without its citation marks."""
    return _CITATION.sub("", text)


def _numbers(inside: str) -> list[int]:
    plain = unicodedata.normalize("NFKC", inside)
    spread = _RANGE.sub(lambda found: " ".join(map(str, _span(int(found[1]), int(found[2])))), plain)
    return list(dict.fromkeys(int(number) for number in re.findall(r"\d{1,3}", spread)))


def _span(first: int, last: int) -> list[int]:
    return list(range(first, last + 1)) if first <= last <= first + _MAX_RANGE else [first, last]
