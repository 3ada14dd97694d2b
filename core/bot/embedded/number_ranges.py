"""Ranges of figures in words: 10km以上15km未満, 13〜17歳, "11 to 50 seats", "up to 5 GB", "over 100 km"."""

from __future__ import annotations

import math
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from core.text.normalize import without_separators
from core.text.numbers import Amount, amounts

_PEOPLE = ("seat", "member", "user", "person", "employee", "guest")
_SAME_UNIT = {"キロ": "km", "kilometer": "km", "kilometre": "km", "gigabyte": "gb", **dict.fromkeys(_PEOPLE, "名")}
_FIGURE = r"(?<![\d.,])\d{1,12}+(?:[.,]\d{1,6}+){0,4}(?:[万千]?[ -]?[^\W\d]{0,10}?)?"
_BOUND_JA = re.compile(
    rf"(?P<figure>{_FIGURE})(?P<bound>以上|以下|未満|以内|超|を超え|より多|までの?|から|[〜~–]|-(?=\d))", re.IGNORECASE
)
_BOUND_EN = re.compile(
    rf"\b(?:(?P<before>under|below|less than|fewer than|up to|at most|over|above|more than|from|at least) (?P<of>{_FIGURE})"
    rf"|(?P<figure>{_FIGURE}) ?(?P<after>or more|or over|and more|and over|or less|or fewer|to(?= \d)|[–-](?=\d)|\+))(?![a-z])"
)
_LOW = frozenset(
    {"以上", "から", "〜", "~", "–", "-", "from", "at least", "or more", "or over", "and more", "and over", "to", "+"}
)
_ABOVE = frozenset({"超", "を超え", "より多", "over", "above", "more than"})
_BELOW = frozenset({"未満", "under", "below", "less than", "fewer than"})
# Ends of a span of time, which are the other way round if they are so long before a day.
_ENDS = frozenset({"まで", "から", "〜", "~", "–", "-", "from", "to", "up to"})
_BEFORE = re.compile(r"\d\s?(?:日|週間?|か月|ヶ月|時間|営業日)前|\b(?:days?|weeks?|months?|hours?) before\b")
_DAYS_BEFORE = (
    (re.compile(r"前々日"), "2日前"),
    (re.compile(r"(?<![\d０-９])前日"), "1日前"),
    (re.compile(r"当日(?=$|[まのにはキ、。・で])"), "0日前"),
    (re.compile(r"\bthe (?:day|night|evening) before\b"), "1 day before"),
)


class NumberRange(NamedTuple):
    """A range of figures of one unit."""

    low: float
    high: float
    with_low: bool  # whether `low` itself is in the range
    with_high: bool  # whether `high` itself is in the range
    unit: str  # "" without one

    def holds(self, one: Amount) -> bool:
        """Whether a figure of the same unit is in the range."""
        value = _value(one)
        if value is None or not self.unit or _unit(one) != self.unit:
            return False
        above = value > self.low or (self.with_low and value == self.low)
        return above and (value < self.high or (self.with_high and value == self.high))


def days_before_as_figures(text: str) -> str:
    """A text with 前日 as 1日前, 当日 as 0日前, "the day before" as "1 day before"."""
    for pattern, figure in _DAYS_BEFORE:
        text = pattern.sub(figure, text)
    return text


@lru_cache(maxsize=4_096)
def range_of(text: str) -> NumberRange | None:
    """The range in a text, or its only figure as one; None without one, or if its ends have different units."""
    plain = days_before_as_figures(without_separators(unicodedata.normalize("NFKC", text).lower()))
    low, high, with_low, with_high = -math.inf, math.inf, True, True
    counts_down = _BEFORE.search(plain) is not None  # 14日前から7日前まで
    units: set[str] = set()
    last, without_unit = 0, ""
    bounds = _bounds(plain)
    for figure, bound, end in bounds:
        found = next(iter(amounts(figure)), None)
        value = _value(found) if found else None
        if found is None or value is None:
            continue
        units.add(_unit(found))
        without_unit = "" if found.unit else found.figure
        if (bound in _LOW or bound in _ABOVE) != (counts_down and bound in _ENDS):
            low, with_low = value, bound in _LOW or bound in _ENDS
        else:
            high, with_high = value, bound not in _BELOW
        last = max(last, end)
    is_open = low == -math.inf < high < math.inf if counts_down else -math.inf < low < high == math.inf
    if bounds and is_open and (rest := amounts(plain[last:])):  # 13〜17歳
        one = min(rest, key=lambda found: plain.find(found.text, last))
        first = _value_in(one, without_unit) if without_unit else None
        if counts_down:
            low, high = _value(one) or -math.inf, first or high
        else:
            low, high = first or low, _value(one) or math.inf
        units.add(_unit(one))
    if not bounds:
        return _only_figure(plain)
    units.discard("")
    if len(units) != 1 or (low == -math.inf and high == math.inf):
        return None
    return NumberRange(low, high, with_low, with_high, units.pop())


def _only_figure(plain: str) -> NumberRange | None:
    """The range from a text's only figure to itself (the row of 3日)."""
    found = amounts(plain)
    value = _value(next(iter(found))) if len(found) == 1 else None
    return None if value is None else NumberRange(value, value, True, True, _unit(next(iter(found))))


def _bounds(plain: str) -> list[tuple[str, str, int]]:
    """Each end of a range as (figure with unit, word of the bound, where it ends)."""
    found = [(one["figure"], one["bound"].removesuffix("の"), one.end()) for one in _BOUND_JA.finditer(plain)]
    if found:
        return found
    return [
        (one["of"] or _with_unit(one["figure"], plain[one.end() :]), one["before"] or one["after"], one.end())
        for one in _BOUND_EN.finditer(plain)
    ]


def _with_unit(figure: str, after: str) -> str:
    """A figure with the unit that follows its bound: "50 or more users"."""
    unit = re.match(r" [a-z]+", after)
    return figure if re.search(r"[^\W\d]", figure) or unit is None else f"{figure.strip()}{unit[0]}"


def _unit(one: Amount) -> str:
    return _SAME_UNIT.get(one.unit, one.unit)


def _value_in(one: Amount, figure: str) -> float | None:
    """The value of another figure of the unit of an amount: 3 in "3 to 5 days"."""
    return _value(next(iter(amounts(re.sub(r"\d[\d.]*", figure, one.text, count=1))), one))


def _value(one: Amount) -> float | None:
    try:
        return float(one.figure)
    except ValueError:
        return None
