"""Figures with their units: 10日 is not 5日, nor 10円."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple


class Amount(NamedTuple):
    """A figure as written without separators, its unit in one spelling ("" when none), and the words of the text."""

    figure: str
    unit: str
    text: str


_COUNTERS = (
    "営業日|週間|時間|か月|日間|年間|年度|月分|日分|年分|万円|千円|文字|か所|ポイント|パーセント|ライセンス|キロ"
    "|年|月|日|週|時|分|秒|円|名|人|回|件|台|個|本|枚|歳|才|泊|割|倍|度|点|等|級|号|階|番|条|項|章|口|社|席|着|着分|箱|冊|桁|割"
)
_UNITS_EN = (
    r"(?:business |working |calendar )?days?|weeks?|months?|years?|hours?|minutes?|seconds?|percent|dollars?|euros?|pounds?"
    r"|cents?|seats?|members?|guests?|boards?|cards?|times?|people|users?|files?|codes?|portals?|accounts?|characters?|devices?"
    r"|rules?|runs?|requests?|visitors?|versions?|copies|steps?|points?|kg|km|m|gb|mb|kb|tb|am|pm|a\.m\.|p\.m\."
)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_FIGURE = r"\d+(?:[.:/]\d+)*"
_AMOUNT = re.compile(
    rf"(?P<month>(?:{_MONTHS})\s+)?(?P<currency>[$€£¥])?(?P<figure>(?<![a-z\d-]){_FIGURE})"
    rf"(?:\s*(?P<ja>{_COUNTERS})|[ -]?(?P<en>{_UNITS_EN}|{_MONTHS})\b|\s*(?P<sign>%))?"
)
_CURRENCY = {"$": "dollar", "€": "euro", "£": "pound", "¥": "円"}
_SAME = {
    "日間": "日",
    "日分": "日",
    "年間": "年",
    "月分": "か月",
    "年分": "年",
    "才": "歳",
    "人": "名",
    "パーセント": "%",
    "percent": "%",
}
_KANJI = str.maketrans("一二三四五六七八九", "123456789")
_KANJI_COUNT = re.compile(r"[一二三四五六七八九](?=(?:か月|営業日|週間|日間|時間|回|名|年間))")
_NAMES_EN = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WORDS_EN = {name: str(number) for number, name in enumerate(_NAMES_EN, 2)}
_WORD_EN = re.compile(rf"\b({'|'.join(_WORDS_EN)})(?=[ -](?:{_UNITS_EN})\b)")


@lru_cache(maxsize=20_000)
def amounts(text: str) -> frozenset[Amount]:
    """Every figure of the text with its unit; thousands separators, full width, か月/ヶ月 and "three days" are levelled."""
    found: set[Amount] = set()
    for match in _AMOUNT.finditer(_level(text)):
        figure, unit = match["figure"], match["ja"] or match["en"] or match["sign"] or ""
        if match["month"] and not match["en"]:
            unit = match["month"].strip()
        if match["currency"]:
            unit = _CURRENCY[match["currency"]]
        found.add(_amount(figure, unit, match[0].strip()))
    return frozenset(found)


def _amount(figure: str, unit: str, text: str) -> Amount:
    unit = unit.replace("working ", "business ")
    unit = unit[:-1] if unit.isascii() and unit.endswith("s") and len(unit) > 3 else unit
    if unit in ("万円", "千円") and figure.isdigit():
        return Amount(str(int(figure) * (10_000 if unit == "万円" else 1_000)), "円", text)
    return Amount(figure.removesuffix(".00"), _SAME.get(unit, unit), text)


def _level(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).lower()
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    plain = re.sub(r"[ヶヵケカ箇](?=月|所)", "か", plain)
    plain = re.sub(r"(\d{1,2}):00(?=[^\d]*[ぁ-ん一-龥])", r"\1時", plain)
    plain = re.sub(r"(\d{1,2}):(\d\d)(?=[^\d]*[ぁ-ん一-龥])", r"\1時\2分", plain)
    plain = _KANJI_COUNT.sub(lambda found: found[0].translate(_KANJI), plain)
    return _WORD_EN.sub(lambda found: _WORDS_EN[found[0]], plain)


def same(one: Amount, other: Amount) -> bool:
    """Equal figures whose units do not disagree (a missing unit agrees with any)."""
    return one.figure == other.figure and (one.unit == other.unit or not one.unit or not other.unit)


def among(one: Amount, others: frozenset[Amount]) -> bool:
    """Whether the amount is one of the others."""
    return one in others or any(same(one, other) for other in others)


def rival(one: Amount, others: frozenset[Amount]) -> Amount | None:
    """Another figure of the same unit, the smallest in spelling when there are several."""
    same_unit = [other for other in others if one.unit and other.unit == one.unit and other.figure != one.figure]
    return min(same_unit) if same_unit else None
