"""Rewrites numerals as digits and quantities in their smaller unit, so that the correctness judge can compare texts."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from core.text.english import SMALL_NUMBERS
from core.text.numbers import LARGE_HAN_UNITS, han_value

_COUNTER = r"か月|个月|営業日|週間|日|月|年|天|元|円|割|人|名|時|点|分|回|個|个|件|台|本|枚|歳|岁|号|小时|文字|%"
_HAN = re.compile(rf"(?<![一-龥\d.])([〇零两一二三四五六七八九十百千万億亿]{{1,20}})(?={_COUNTER})")
_DATED = re.compile(
    r"(?<=[年月以達过過满是为為共约約])([〇零两一二三四五六七八九十百千万億亿]{1,20})(?=月|日|号|天|元|年|个月|円)"
)
_PERCENT = re.compile(r"百分之([〇零一二三四五六七八九十百\d.]{1,10})")
_MIXED = re.compile(r"(?<![\d.])(\d{1,6}(?:\.\d+)?)(億|亿|万|千)(?:(\d{1,4})(千)?)?(?=\s*(?:円|元|人|名|件|個|个))")
_CLOCKED = re.compile(r"(?<!\d)(\d{1,4})\s*時間\s*(\d{1,2})\s*分(?:間)?")
_CLOCKED_EN = re.compile(r"\b(\d{1,4})\s*(?:hours?|hrs?|h)\s*(?:and\s+)?(\d{1,2})\s*(?:minutes?|mins?)\b")
_SPELT_BEFORE_UNIT = re.compile(
    rf"\b({'|'.join(list(SMALL_NUMBERS)[:12])})(?=[ -](?:years?|months?|weeks?|hours?|km|kilomet)\b)"
)
_FIGURE = r"(?<![\d.:/-])(\d{1,9}(?:\.\d{1,6})?)"
_UNITS = tuple(
    (re.compile(rf"{_FIGURE}\s*(?:{unit})"), times, plain)
    for unit, times, plain in (
        (r"割(?!引き?券)", 10, "%"),
        (r"時間", 60, "分"),
        (r"小时", 60, "分钟"),
        (r"週間|周(?![一二三四五六日年])", 7, "日"),
        (r"km\b|キロメートル|公里|kilomet(?:er|re)s?\b", 1_000, " m"),
        (r"kg\b|キログラム|公斤|kilograms?\b", 1_000, " g"),
        (r"years?\b(?! old)", 12, " months"),
        (r"hours?\b", 60, " minutes"),
        (r"weeks?\b", 7, " days"),
        (r"年間", 12, "か月"),
        (r"(?:percent|per cent|パーセント)", 1, "%"),
        (r"天", 1, "日"),
    )
)
_WEEK = re.compile(r"(?:星期|周)([一二三四五六日])\s*(?:至|到|-|~)\s*(?:星期|周)?([一二三四五六日])")
_UP_TO = re.compile(r"(?<=[円元%個人名件台枚])まで(?!に|の間)")


@lru_cache(maxsize=8_192)
def normalize_units(text: str) -> str:
    """The text in lower case, with numerals as digits and quantities in the smaller unit."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("−", "-")
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    plain = _PERCENT.sub(lambda found: f"{han_value(found[1])}%", plain)
    for pattern in (_HAN, _DATED, _DATED):
        plain = pattern.sub(lambda found: str(han_value(found[1])), plain)
    plain = _MIXED.sub(_mixed, plain)
    plain = _SPELT_BEFORE_UNIT.sub(lambda found: str(SMALL_NUMBERS[found[1]]), plain)
    plain = _CLOCKED.sub(lambda found: f"{int(found[1]) * 60 + int(found[2])}分", plain)
    plain = _CLOCKED_EN.sub(lambda found: f"{int(found[1]) * 60 + int(found[2])} minutes", plain)
    for pattern, times, unit in _UNITS:
        plain = pattern.sub(lambda found, times=times, unit=unit: f"{_plain(Fraction(found[1]) * times)}{unit}", plain)
    plain = _WEEK.sub(r"周\1〜\2", plain)
    return _UP_TO.sub("以下", plain)


def _mixed(found: re.Match[str]) -> str:
    scale = 1_000 if found[2] == "千" else LARGE_HAN_UNITS[found[2]]
    rest = int(found[3] or 0) * (1_000 if found[4] else 1)
    return _plain(Fraction(found[1]) * scale + rest)


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else str(float(value))
