"""Dated notices in a document: a line that is only a date, possibly with a sender, and its text below."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from core.documents.plain_headings import Head, is_rule_line

MAX_SUBJECT_CHARACTERS = 40  # of a notice's first sentence in its heading
MIN_NOTICES = 2  # dated lines from which they are notices
MIN_SHARE_SENTENCES = 0.6  # share of the notices that end as sentences do; else the dates are a timetable
NOTICE_LEVEL = 20  # of the headings, below those of Markdown and of plain text

_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
_WEEKDAY = (
    r"(?:[月火水木金土日](?:曜日?)?(?:・?祝)?|(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?\.?)"
)
_DATE = (
    r"(?:(?:\d{4}|(?:令和|平成|[RrHh])\s*(?:\d{1,2}|元))\s*[年/.\-]\s*\d{1,2}(?:\s*+[月/.\-](?:\s*+\d{1,2}(?:\s*+日)?)?)?|\d{1,2}月\s*\d{1,2}日|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}(?:,?\s+\d{{4}})?|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?)"
)
_DATED = re.compile(
    rf"(?:[(（]?\s*{_WEEKDAY}(?:\s*+(?:[)）],?|,))?\s+)?(?P<date>{_DATE})"
    rf"(?:\s*+(?:[(（]\s*+)?{_WEEKDAY}(?:\s*+[)）])?(?![^\W_]))?(?:(?:\s*+,)?\s*+\d{{1,2}}:\d{{2}})?"
    r"(?P<rest>(?:\s*+(?![〜~～–—-]|から|まで|to\b|until\b|and\b|以降|より)|(?:\s(?=\s))*+(?=\s)).{0,40})"
)
_DECORATION = re.compile(
    r"^[\s*_【\[(（■□◆◇●○▼▶・<《#-]+(?:[\s*_】\])）>》]++$)?|(?<![\s*_】\])）>》])[\s*_】\])）>》]++$"
)
_MARK = re.compile(r"^[\s*_#>■◆◇●○▼▶・-]+|(?<![\s*_])[\s*_]++$")
_SENTENCE = re.compile(r"[。．.!！?？、,:：]$|[。]")
_ENDS_BODY = re.compile(r"(?<!\W)[^\w。．.!！?？)）」]*+[。．.!！?？)）」]\W*+$")


class _Notice(NamedTuple):
    """A dated notice."""

    first: int  # its first line
    date: str
    rest_of_line: str  # what follows the date on that line
    below: list[str]  # the lines below


def notice_headings(lines: Sequence[str], used_lines: Collection[int], ends: Collection[int]) -> list[Head]:
    """The dated notices of a document as headings: the date with the words that follow it, or with the first sentence.

    The line with the date stays in the text below the heading.

    used_lines: lines that are something else
    ends: the lines of other headings, which end a notice
    """
    starts = [place for place in range(len(lines)) if place not in used_lines and _is_dated(lines, place)]
    borders = sorted({*starts, *ends, len(lines)})
    found = [_notice(lines, place, borders[bisect_right(borders, place)]) for place in starts]
    found = [notice for notice in found if notice.below]
    ending = sum(bool(_ENDS_BODY.search(notice.below[-1])) for notice in found)
    if len(found) < MIN_NOTICES or ending < MIN_SHARE_SENTENCES * len(found):
        return []
    counts = Counter(notice.rest_of_line for notice in found)
    heads: list[Head] = []
    for notice in found:
        name = _name(notice, counts[notice.rest_of_line] > 1)
        dated_line = _MARK.sub("", lines[notice.first].replace("**", ""))
        heads.append(Head(notice.first, notice.first + 1, NOTICE_LEVEL, name, dated_line))
    return heads


def _is_dated(lines: Sequence[str], place: int) -> bool:
    line = lines[place]
    above = lines[place - 1] if place else ""
    apart = not above.strip() or is_rule_line(above) or above.lstrip().startswith("#")
    return apart and len(line) <= 100 and bool((found := _match(line)) and not _SENTENCE.search(found["rest"].strip()))


def _match(line: str) -> re.Match[str] | None:
    """A line's date and the rest of the line; a bracket that was removed with the decoration is closed again."""
    bare = _DECORATION.sub("", line)
    for left, right in ("()", "（）"):
        bare += right * (bare.count(left) > bare.count(right))
    return _DATED.fullmatch(bare)


def _notice(lines: Sequence[str], place: int, end: int) -> _Notice:
    found = _match(lines[place])
    assert found
    rest_of_line = _DECORATION.sub("", found["rest"].replace("**", "")).strip(" :：　")
    below = [line.strip() for line in lines[place + 1 : end] if line.strip() and not is_rule_line(line)]
    return _Notice(place, found["date"].strip(), rest_of_line, below)


def _name(notice: _Notice, is_sender: bool) -> str:
    """The date with the rest of its line, or with the first sentence if the rest is a sender of several notices."""
    if notice.rest_of_line and not is_sender:
        return f"{notice.date} {notice.rest_of_line}"
    first = re.split(r"[。！？!?]|\.\s", re.sub(r"\*\*|__", "", notice.below[0]))[0].strip().rstrip(".")
    if len(first) > MAX_SUBJECT_CHARACTERS:
        short = first[:MAX_SUBJECT_CHARACTERS]
        first = f"{short.rsplit(' ', 1)[0] if short.isascii() else short}…"
    return f"{notice.date} {first}".strip()
