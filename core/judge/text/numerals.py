"""Numbers written as words, put into digits: three days, half an hour, one hundred guests, 三日間, 半年."""

from __future__ import annotations

import re

MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
UNITS_EN = (
    r"(?:business |working |calendar )?days?|weeks?|months?|years?|hours?|minutes?|seconds?|percent|dollars?|euros?|pounds?"
    r"|cents?|seats?|members?|guests?|boards?|cards?|times?|people|users?|files?|codes?|portals?|accounts?|characters?|devices?"
    r"|rules?|runs?|requests?|visitors?|versions?|copies|steps?|points?|kg|km|m|gb|mb|kb|tb|am|pm|a\.m\.|p\.m\."
)
_NAMES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen"
)
_SMALL = {name: number for number, name in enumerate(_NAMES.split(), 1)}
_TENS = {
    name: 10 * number
    for number, name in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_WORDS = {**_SMALL, **_TENS, "a dozen": 12}
_ONES = "|".join(list(_SMALL)[:9])
_SPELT = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})[ -](?P<ones>{_ONES})|(?P<hundred>a|{_ONES}) (?P<scale>hundred|thousand)"
    rf"|(?P<plain>{'|'.join(_WORDS)}))\b(?P<unit>(?= (?:of )?|-)[ -](?:{UNITS_EN})\b)?"
)
_PHRASES = (
    (re.compile(r"\bhalf an? hour\b|\bhalf-hour\b|\bhalf hour\b"), "30 minutes"),
    (re.compile(r"\b(?:a )?quarter of an hour\b"), "15 minutes"),
    (re.compile(r"\ba fortnight\b"), "14 days"),
    (re.compile(r"\bhalf a year\b"), "6 months"),
    (re.compile(r"\bhalf a day\b"), "12 hours"),
    (re.compile(r"半時間"), "30分"),
    (re.compile(r"(\d+)時間半"), r"\1.5時間"),
    (re.compile(r"半年間?"), "6か月"),
)
_DIGITS = {kanji: number for number, kanji in enumerate("〇一二三四五六七八九")}
_COUNTED = r"か月|営業日|週間|日間|日(?=[、。,以までのかで]|$)|時間|分間|回|名|年間|人|円|文字|台|個"
_KANJI = re.compile(rf"(?<![一-龥])([〇一二三四五六七八九十百]+)(?={_COUNTED})")


def digits(text: str) -> str:
    """The text (lower case) with spelt numbers as digits; two and three only before a unit, one only there too."""
    for pattern, plain in _PHRASES:
        text = pattern.sub(plain, text)
    text = _KANJI.sub(lambda found: str(_kanji(found[1])), text)
    return _SPELT.sub(_digits, text)


def _digits(found: re.Match[str]) -> str:
    if found["tens"]:
        value = _TENS[found["tens"]] + _SMALL[found["ones"]]
    elif found["hundred"]:
        value = _SMALL.get(found["hundred"], 1) * (100 if found["scale"] == "hundred" else 1_000)
    else:
        value = _WORDS[found["plain"]]
    unit = found["unit"] or ""
    told = value >= 4 if not unit else value > 1 or unit.strip(" -").rstrip("s") not in ("time", "account", "code")
    return f"{value}{unit}" if told else found[0]


def _kanji(text: str) -> int:
    total, digit = 0, 0
    for sign in text:
        if sign in "十百":
            total, digit = total + max(digit, 1) * (10 if sign == "十" else 100), 0
        else:
            digit = digit * 10 + _DIGITS[sign]
    return total + digit
