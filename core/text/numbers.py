"""Figures with units, comparable: 10日 is not 5日, nor 10円; two weeks are 14 days, 半時間 is 30分."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from core.text.english import MONTHS, SMALL_NUMBERS, TENS
from core.text.normalize import without_separators

_MONTHS = "|".join(MONTHS)
UNITS_EN = (
    r"(?:business |working |calendar )?days?|weeks?|months?|years?|hours?|minutes?|seconds?|percent|dollars?|euros?|pounds?"
    r"|cents?|seats?|members?|guests?|boards?|cards?|times?|people|users?|files?|codes?|portals?|accounts?|characters?|devices?"
    r"|rules?|runs?|requests?|visitors?|versions?|copies|steps?|points?|kg|km|m|cm|mm|mg|g|ml|cc|kw|miles?|ft|feet|inch(?:es)?|met(?:re|er)s?|lit(?:re|er)s?|nights?|gb|mb|kb|tb|am|pm|a\.m\.|p\.m\."
)
_WORDS = {**SMALL_NUMBERS, **TENS, "a dozen": 12}
_ONES = "|".join(list(SMALL_NUMBERS)[:9])
_SPELT = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(TENS)})[ -](?P<ones>{_ONES})|(?P<hundred>a|{_ONES}) (?P<scale>hundred|thousand)"
    rf"|(?P<plain>{'|'.join(_WORDS)}))\b(?P<unit>(?= (?:of )?|-)[ -](?:{UNITS_EN})\b)?"
)
_PHRASES = (
    (re.compile(r"\bhalf an? hour\b|\bhalf-hour\b|\bhalf hour\b"), "30 minutes"),
    (re.compile(r"\b(?:a )?quarter of an hour\b"), "15 minutes"),
    (re.compile(r"\ba fortnight\b"), "14 days"),
    (re.compile(r"\bhalf a year\b"), "6 months"),
    (re.compile(r"\bhalf a day\b"), "12 hours"),
    (re.compile(r"半時間"), "30分"),
    (re.compile(r"(?<=\d)時間半"), ".5時間"),
    (re.compile(r"半年間?"), "6か月"),
    (re.compile(r"(?<=週)([1-7])(?![\d日回時分.%])"), r"\1日"),
)
_COUNTED = r"か月|営業日|週間|日間|日(?=[、。,以までのかで]|$)|時間|分間|回|名|年間|人|円|文字|台|個"
_KANJI = re.compile(rf"(?<![一-龥])([〇一二三四五六七八九十百]{{1,20}})(?={_COUNTED})")


def spelt_to_digits(text: str) -> str:
    """The text (lower case) with spelled numbers as digits; two and three only before a unit, one only before some
    units."""
    for pattern, plain in _PHRASES:
        text = pattern.sub(plain, text)
    text = _KANJI.sub(lambda found: str(han_value(found[1])), text)
    return _SPELT.sub(_digits, text)


def _digits(found: re.Match[str]) -> str:
    if found["tens"]:
        value = TENS[found["tens"]] + SMALL_NUMBERS[found["ones"]]
    elif found["hundred"]:
        value = SMALL_NUMBERS.get(found["hundred"], 1) * (100 if found["scale"] == "hundred" else 1_000)
    else:
        value = _WORDS[found["plain"]]
    unit = found["unit"] or ""
    is_counted = (
        value >= 4 if not unit else value > 1 or unit.strip(" -").rstrip("s") not in ("time", "account", "code")
    )
    return f"{value}{unit}" if is_counted else found[0]


_DIGITS = {sign: number for number, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_POWERS = {"十": 10, "百": 100, "千": 1_000}
LARGE_HAN_UNITS = {"万": 10_000, "億": 100_000_000, "亿": 100_000_000, "萬": 10_000}


def han_value(text: str) -> int | str:
    """The number that a row of Han numerals stands for; digits unchanged."""
    if text[0].isdigit() and text[0].isascii():
        return text
    total, part, digit = 0, 0, 0
    for sign in text:
        if sign in LARGE_HAN_UNITS:
            total, part, digit = total + max(part + digit, 1) * LARGE_HAN_UNITS[sign], 0, 0
        elif sign in _POWERS:
            part, digit = part + max(digit, 1) * _POWERS[sign], 0
        else:
            digit = digit * 10 + _DIGITS.get(sign, 0)
    return total + part + digit


class Amount(NamedTuple):
    """A figure with its unit."""

    figure: str  # in the base unit
    # Base unit ("" without a unit): minutes, hours, days and weeks count as "minute", months and years as "month";
    # business days are separate
    unit: str
    text: str  # as written


_COUNTERS = (
    "営業日|週間|時間|か月間|か月|日間|年間|年度|月分|日分|年分|万円|千円|文字|か所|ポイント|パーセント|ライセンス|キロ|種類|世代"
    "|亿元|億円|億元|万元|小时|分钟|个月|天|元(?![のに々日])|吨"
    "|年|月|日|週|時|分間|分|秒|円|名|人|回|件|台|個|本|枚|歳|才|泊|割|倍|度|点|等|級|号|階|番|条|項|章|口|社|席|着分|着|箱|冊|桁"
)
_PLAIN = (
    r"\d{1,40}+(?:[.:/]\d{1,40}+){0,20}"  # bounded, as everything that reads figures: digits may come by the thousand
)
_AMOUNT = re.compile(
    rf"(?P<date>\d{{1,2}}月\d{{1,2}}日(?!間))|(?<=[毎翌当同今来先]月)(?P<day>\d{{1,2}})日(?!間)|(?P<end>月末日?|末日|end of the month)"
    rf"|(?P<month>(?:{_MONTHS})\s+)?(?P<currency>[$€£¥])?(?P<figure>(?<![a-z\d-]){_PLAIN})"
    rf"(?:\s*(?P<ja>{_COUNTERS})|[ -]?(?P<en>{UNITS_EN}|{_MONTHS})(?![a-z])|\s*(?P<sign>%))?"
)
_RANGE = re.compile(
    rf"(?<!\d)({_PLAIN})\s*+(?:[〜~–-]|から|to\b)\s*(?={_PLAIN}\s*({_COUNTERS})|{_PLAIN}[ -]?({UNITS_EN})(?![a-z])|{_PLAIN}\s*(%))"
)
_PER = re.compile(r"(?<!\d)1(?:日|週間?|か月|年|時間|分)(?=に(?!達)|あたり|当たり|につき)")
_TEN_THOUSANDS = re.compile(r"(?<!\d)(\d{1,40}+(?:\.\d{1,40}+)?)万(\d{1,4})?(?=円)")
_CURRENCY = {"$": "dollar", "€": "euro", "£": "pound", "¥": "円"}
_SAME_EN = {"feet": "ft", "inche": "inch", "metre": "m", "meter": "m", "liter": "litre", "泊": "night"}
_SAME = {"年分": "年間", "才": "歳", "人": "名", "people": "名", **_SAME_EN, "パーセント": "%", "percent": "%"}
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
_DAY = 1_440  # minutes
_MONTH = 43_200  # minutes of a month of 30 days, as people speak of three months for 90 days


@lru_cache(maxsize=4_096)
def amounts(text: str) -> frozenset[Amount]:
    """Every figure of the text with its unit; separators, full width, か月/ヶ月, "three days" and 半時間 are normalized."""
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
def without_amounts(text: str) -> str:
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
    plain = without_separators(unicodedata.normalize("NFKC", text).lower())
    plain = re.sub(r"[ヶヵケカ箇](?=月|所)", "か", plain)
    plain = re.sub(r"(\d{1,2}):00(?=[^\d]*[ぁ-ん一-龥])", r"\1時", plain)
    plain = re.sub(r"(\d{1,2}):(\d\d)(?=[^\d]*[ぁ-ん一-龥])", r"\1時\2分", plain)
    plain = _PER.sub(" ", spelt_to_digits(plain))
    plain = re.sub(r"(?<=\d万)(\d)千(?=円)", r"\g<1>000", plain)
    plain = _TEN_THOUSANDS.sub(lambda found: str(int(float(found[1]) * 10_000) + int(found[2] or 0)), plain)
    plain = re.sub(r"平日(?:で)?(\d{1,9})日(?:間)?", r"\1営業日", plain)
    return _RANGE.sub(lambda found: f"{found[1]}{found[2] or found[4] or ' ' + found[3]}〜", plain)


def is_same_amount(one: Amount, other: Amount) -> bool:
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


def is_among(one: Amount, others: frozenset[Amount]) -> bool:
    """Whether the amount is one of the others."""
    return one in others or any(is_same_amount(one, other) for other in others)


def rivals(one: Amount, others: frozenset[Amount]) -> list[Amount]:
    """The other figures of the same unit, in order of spelling."""
    return sorted(o for o in others if one.unit and o.unit == one.unit and o.figure != one.figure)


def rival(one: Amount, others: frozenset[Amount]) -> Amount | None:
    """Another figure of the same unit, the first in order of spelling; None without one."""
    return next(iter(rivals(one, others)), None)


_NUMBER = re.compile(r"\d{1,40}+(?:[.,:/]\d{1,40}+){0,20}")


def numbers(text: str) -> frozenset[str]:
    """Every figure in the text, without thousands separators and full width forms."""
    return frozenset(_NUMBER.findall(without_separators(unicodedata.normalize("NFKC", text))))
