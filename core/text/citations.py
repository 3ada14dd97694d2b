"""Citation marks in an answer: the numbers of the passages that a sentence rests on."""

from __future__ import annotations

import re
import unicodedata

_WORD = r"(?:資料|文書|出典|参考|根拠|passages?|sources?|documents?|docs?|refs?|no\.?|#)"
_NUMBER = rf"(?:{_WORD}\s*)?\d{{1,3}}"
_GAP = r"\s*(?:[,、，;；・&]|と|and)\s*|\s*[-–—~〜～]\s*|\s+"
_MARK = re.compile(
    rf"[ \t\u3000]*(?:[\[［【〔]\s*({_NUMBER}(?:(?:{_GAP}){_NUMBER}){{0,9}})\s*[\]］】〕])(?!\()", re.IGNORECASE
)
_RANGE = re.compile(r"(\d{1,3})\s*[-–—~〜～]\s*(?:[^\d\s]{0,10}\s*)?(\d{1,3})")
_MOST = 20  # passages that one range may stand for


def read_citations(text: str, passages: int) -> tuple[str, tuple[int, ...]]:
    """The text with every citation written as [1][2], and the numbers that it cites, ascending.

    `passages`: how many there are; a number of none of them is removed. Read are [1], [1, 2], [1-3], ［１］, 【1】 and
    marks with a word such as [資料1] or [Source 2]. A link ([1](address)) is none.
    """
    cited = set[int]()

    def canonical(found: re.Match[str]) -> str:
        numbers = [number for number in _numbers(found[1]) if 1 <= number <= passages]
        cited.update(numbers)
        space = found[0][: len(found[0]) - len(found[0].lstrip(" \t\u3000"))]
        return space + "".join(f"[{number}]" for number in numbers) if numbers else ""

    return _MARK.sub(canonical, text), tuple(sorted(cited))


def without_citations(text: str) -> str:
    """The text without its citation marks."""
    return _MARK.sub("", text)


def _numbers(inside: str) -> list[int]:
    plain = unicodedata.normalize("NFKC", inside)
    spread = _RANGE.sub(lambda found: " ".join(map(str, _span(int(found[1]), int(found[2])))), plain)
    return list(dict.fromkeys(int(number) for number in re.findall(r"\d{1,3}", spread)))


def _span(first: int, last: int) -> list[int]:
    return list(range(first, last + 1)) if first <= last <= first + _MOST else [first, last]
