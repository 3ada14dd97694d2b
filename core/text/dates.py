"""Dates and years of a text, and whether two texts agree on them."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from core.base.types import Language
from core.text.comparable import comparable
from core.text.english import MONTHS, ORDINALS, WEEKDAYS
from core.text.normalize import plain_letters, repair_encoding

_CJK = re.compile(r"(?:(\d{3,4})年)?(?:(\d{1,2})月(?!間)(?:(\d{1,2})[日号])?)?")
_ISO = re.compile(r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b")
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_WEEKDAYS = {"ja": "月火水木金土日", "en": WEEKDAYS}
MAX_DATES = 100  # dates and spans of a text that are compared


class Date(NamedTuple):
    """A date; 0 for a part that is not given."""

    year: int = 0
    month: int = 0
    day: int = 0


@lru_cache(maxsize=4_096)
def dates(text: str) -> tuple[Date, ...]:
    """The dates of a text, in order: 3 April 1973, April 3, 1973, April 1973, 1973, 1973年4月3日, 1973-04-03."""
    cjk = [Date(*(int(part or 0) for part in m.groups())) for m in _CJK.finditer(text) if m[0]]
    iso = [Date(int(m[1]), int(m[2]), int(m[3])) for m in _ISO.finditer(text)]
    return tuple(dict.fromkeys(cjk or iso or _spelt(comparable(text).words)))[:MAX_DATES]


def _spelt(words: tuple[str, ...]) -> list[Date]:
    found: list[Date] = []
    last = -1  # place of the last word of the date before
    for place, word in enumerate(words):
        if place <= last:
            continue
        if word in MONTHS:
            before = _day(words, place - (2 if words[place - 1 : place] == ("of",) else 1))
            after = _day(words, place + 1)
            end = place + 1 if after else place
            year = _year(words, end + 1)
            if before or after or year or word not in ("may", "march"):
                found.append(Date(year, MONTHS[word], after or before))
                last = end + 1 if year else end
        elif _YEAR.fullmatch(word):
            found.append(Date(int(word)))
    return found


def _day(words: tuple[str, ...], place: int) -> int:
    word = words[place] if 0 <= place < len(words) else ""
    plain = word.removesuffix("th")
    return int(plain) if plain.isdigit() and 1 <= int(plain) <= 31 else 0


def _year(words: tuple[str, ...], place: int) -> int:
    word = words[place] if 0 <= place < len(words) else ""
    return int(word) if _YEAR.fullmatch(word) else 0


_SPAN = re.compile(
    r"(?:(?P<part>early|mid|middle of|late|beginning of|end of)[ -]+(?:the )?)?(?:(?P<decade>\d{3}0)s|(?P<century>\d{1,2})(?:st|nd|rd|th)?[ -]centur(?:y|ies)"
    r"|(?P<from>\d{3,4})\s*(?:-|to|until|and)\s*(?P<to>\d{2,4})(?!\d)|(?P<year>\b[1-9]\d{2,3}\b))(?P<bc>\s*bc(?:e)?\b)?"
    r"|(?P<cjk>\d{1,2})世紀"
)
_PARTS = {
    "early": (0.0, 0.4),
    "beginning of": (0.0, 0.4),
    "mid": (0.3, 0.7),
    "middle of": (0.3, 0.7),
    "late": (0.6, 1.0),
    "end of": (0.6, 1.0),
}


@lru_cache(maxsize=4_096)
def year_spans(text: str) -> tuple[tuple[float, float], ...]:
    """The years that a text mentions, each as a span: 1984, the 1980s, 1632-53, the mid-10th century BCE."""
    found: list[tuple[float, float]] = []
    for match in _SPAN.finditer(_ordinal(plain_letters(repair_encoding(text)))):
        first, last = _span(match)
        if match["part"]:
            early, late = _PARTS[match["part"]]
            first, last = first + early * (last - first), first + late * (last - first)
        found.append((-last, -first) if match["bc"] else (first, last))
    return tuple(dict.fromkeys(found))[:MAX_DATES]


def _ordinal(text: str) -> str:
    """The text with spelled centuries as figures: the twentieth century."""
    words = {name: f"{number}th" for name, number in ORDINALS.items() if 15 <= number <= 20}
    return re.sub(r"\b(?:" + "|".join(words) + r")\b", lambda found: words[found[0]], text)


def _span(match: re.Match[str]) -> tuple[float, float]:
    if match["decade"]:
        return float(match["decade"]), float(match["decade"]) + 9
    century = match["century"] or match["cjk"]
    if century:
        return (int(century) - 1) * 100.0, int(century) * 100.0
    if match["year"]:
        return float(match["year"]), float(match["year"])
    end = match["to"]
    end = match["from"][: len(match["from"]) - len(end)] + end if len(end) < len(match["from"]) else end
    return float(match["from"]), float(end)


def match_years(wanted: str, written: str) -> float:
    """1 if a written span lies in a wanted one, 0.5 if they overlap, -1 if they do not, 0 if either side has none."""
    wanted_spans, given_spans = year_spans(wanted), year_spans(written)
    if not wanted_spans or not given_spans:
        return 0.0
    within = any(first <= start and end <= last for first, last in wanted_spans for start, end in given_spans)
    meet = any(first <= end and start <= last for first, last in wanted_spans for start, end in given_spans)
    return 1.0 if within else 0.5 if meet else -1.0


def match_dates(wanted: tuple[Date, ...], written: tuple[Date, ...]) -> float:
    """1 if the answer has a date of the reference, 0.5 if it has a less exact one that agrees, -1 if all differ; 0 if
    either has none."""
    if not wanted or not written:
        return 0.0
    return max(_agree(one, other) for one in wanted for other in written)


def _agree(one: Date, other: Date) -> float:
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a and b]
    if not pairs:
        return 0.0
    if any(a != b for a, b in pairs):
        return -0.5 if any(a == b for a, b in pairs) else -1.0
    return 0.5 if any(a and not b for a, b in zip(one, other, strict=True)) else 1.0


def date_text(day: date, language: Language) -> str:
    """A date with its weekday, such as 2026-04-01 (Wednesday)."""
    return f"{day.isoformat()} ({_WEEKDAYS[language][day.weekday()]})"
