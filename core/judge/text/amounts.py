"""Figures with their units in one measure: 10日 is not 5日, nor 10円; two weeks are 14 days, 半時間 is 30分."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from core.judge.text.numerals import MONTHS, UNITS_EN, digits


class Amount(NamedTuple):
    """A figure in the measure of its unit, the unit in one spelling ("" when none), and the words of the text.

    Minutes, hours, days and weeks count as "minute", months and years as "month"; business days stay apart.
    """

    figure: str
    unit: str
    text: str


_COUNTERS = (
    "営業日|週間|時間|か月間|か月|日間|年間|年度|月分|日分|年分|万円|千円|文字|か所|ポイント|パーセント|ライセンス|キロ|種類|世代"
    "|亿元|億円|億元|万元|小时|分钟|个月|天|元(?![のに々日])|吨"
    "|年|月|日|週|時|分間|分|秒|円|名|人|回|件|台|個|本|枚|歳|才|泊|割|倍|度|点|等|級|号|階|番|条|項|章|口|社|席|着分|着|箱|冊|桁"
)
_FIGURE = r"\d+(?:[.:/]\d+)*"
_AMOUNT = re.compile(
    rf"(?P<date>\d{{1,2}}月\d{{1,2}}日(?!間))|(?<=[毎翌当同今来先]月)(?P<day>\d{{1,2}})日(?!間)|(?P<end>月末日?|末日|end of the month)"
    rf"|(?P<month>(?:{MONTHS})\s+)?(?P<currency>[$€£¥])?(?P<figure>(?<![a-z\d-]){_FIGURE})"
    rf"(?:\s*(?P<ja>{_COUNTERS})|[ -]?(?P<en>{UNITS_EN}|{MONTHS})(?![a-z])|\s*(?P<sign>%))?"
)
_RANGE = re.compile(
    rf"({_FIGURE})\s*(?:[〜~–-]|から|to\b)\s*(?={_FIGURE}\s*({_COUNTERS})|{_FIGURE}[ -]?({UNITS_EN})(?![a-z])|{_FIGURE}\s*(%))"
)
_PER = re.compile(r"(?<!\d)1(?:日|週間?|か月|年|時間|分)(?=に(?!達)|あたり|当たり|につき)")
_TEN_THOUSANDS = re.compile(r"(\d+(?:\.\d+)?)万(\d{1,4})?(?=円)")
_CURRENCY = {"$": "dollar", "€": "euro", "£": "pound", "¥": "円"}
_SAME = {"年分": "年間", "才": "歳", "人": "名", "people": "名", "パーセント": "%", "percent": "%"}
_MEASURE = {
    **dict.fromkeys(("分", "分間", "分钟", "minute"), ("minute", 1)),
    **dict.fromkeys(("時間", "小时", "hour"), ("minute", 60)),
    **dict.fromkeys(("日", "日間", "日分", "天", "day", "calendar day"), ("minute", 1_440)),
    **dict.fromkeys(("週間", "週", "week"), ("minute", 10_080)),
    **dict.fromkeys(("か月", "か月間", "月分", "个月", "month"), ("month", 1)),
    **dict.fromkeys(("年", "年間", "year"), ("month", 12)),
    **dict.fromkeys(("営業日", "business day"), ("営業日", 1)),
    "万円": ("円", 10_000),
    "千円": ("円", 1_000),
    "億円": ("円", 100_000_000),
    "万元": ("元", 10_000),
    "亿元": ("元", 100_000_000),
    "億元": ("元", 100_000_000),
}
FAR = 60  # times as long, from which two spans of time answer different questions
_DAY = 1_440  # minutes
_MONTH = 43_200  # minutes of a month of 30 days, as people speak of three months for 90 days


@lru_cache(maxsize=4_096)
def amounts(text: str) -> frozenset[Amount]:
    """Every figure of the text with its unit; separators, full width, か月/ヶ月, "three days" and 半時間 are levelled."""
    found: set[Amount] = set()
    for match in _AMOUNT.finditer(_level(text)):
        words = match[0].strip()
        if match["date"] or match["day"]:
            found.add(Amount((match["date"] or match["day"]).replace("月", "/").rstrip("日"), "date", words))
            continue
        if match["end"]:
            found.add(Amount("end", "date", words))
            continue
        unit = match["ja"] or match["en"] or match["sign"] or ""
        if match["month"] and not match["en"]:
            unit = match["month"].strip()
        if match["currency"]:
            unit = _CURRENCY[match["currency"]]
        found.add(_amount(match["figure"], unit, words))
    return frozenset(found)


@lru_cache(maxsize=4_096)
def bare(text: str) -> str:
    """The text without its figures and their units."""
    return _AMOUNT.sub(" ", _level(text)) if amounts(text) else text


def _amount(figure: str, unit: str, text: str) -> Amount:
    unit = unit.replace("working ", "business ")
    unit = unit[:-1] if unit.isascii() and unit.endswith("s") and len(unit) > 3 else unit
    unit = _SAME.get(unit, unit)
    dated = unit == "年" and len(figure) == 4
    if unit in _MEASURE and not dated and figure.replace(".", "", 1).isdigit():
        measure, times = _MEASURE[unit]
        value = Fraction(figure) * times
        return Amount(str(value if value.denominator == 1 else float(value)), measure, text)
    return Amount(figure.removesuffix(".00"), unit, text)


@lru_cache(maxsize=4_096)
def _level(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).lower()
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    plain = re.sub(r"[ヶヵケカ箇](?=月|所)", "か", plain)
    plain = re.sub(r"(\d{1,2}):00(?=[^\d]*[ぁ-ん一-龥])", r"\1時", plain)
    plain = re.sub(r"(\d{1,2}):(\d\d)(?=[^\d]*[ぁ-ん一-龥])", r"\1時\2分", plain)
    plain = _PER.sub(" ", digits(plain))
    plain = _TEN_THOUSANDS.sub(lambda found: str(int(float(found[1]) * 10_000) + int(found[2] or 0)), plain)
    plain = re.sub(r"平日(?:で)?(\d+)日(?:間)?", r"\1営業日", plain)
    return _RANGE.sub(lambda found: f"{found[1]}{found[2] or found[4] or ' ' + found[3]}〜", plain)


def same(one: Amount, other: Amount) -> bool:
    """Equal figures whose units do not disagree (a missing unit agrees with any); three months are 90 days."""
    if one.unit != other.unit and "minute" in (one.unit, other.unit):
        span, rest = (one, other) if one.unit == "minute" else (other, one)
        if rest.unit == "month":
            return float(span.figure) == float(rest.figure) * _MONTH
        if rest.unit == "date" and rest.figure.isdigit():
            return float(span.figure) == float(rest.figure) * _DAY
    if {one.unit, other.unit} == {"date", "月"}:
        date, month = (one, other) if one.unit == "date" else (other, one)
        return date.figure.startswith(f"{month.figure}/")
    return one.figure == other.figure and (one.unit == other.unit or not one.unit or not other.unit)


def among(one: Amount, others: frozenset[Amount]) -> bool:
    """Whether the amount is one of the others."""
    return one in others or any(same(one, other) for other in others)


def rivals(one: Amount, others: frozenset[Amount]) -> list[Amount]:
    """The other figures of the same unit, in order of spelling."""
    return sorted(o for o in others if one.unit and o.unit == one.unit and o.figure != one.figure and _near(one, o))


def _near(one: Amount, other: Amount) -> bool:
    """Whether two spans of time are of like length; an hour is no rival of a week."""
    if one.unit != "minute":
        return True
    try:
        short, long = sorted((float(one.figure), float(other.figure)))
    except ValueError:  # 1/2 or 10:30 is no plain span
        return True
    return long <= FAR * short


def rival(one: Amount, others: frozenset[Amount]) -> Amount | None:
    """Another figure of the same unit, the smallest in spelling when there are several."""
    return next(iter(rivals(one, others)), None)
