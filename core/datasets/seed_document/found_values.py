"""Finds values in a document by patterns: dates, money, numbers with units, names, addresses, lines "label: value"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.base.types import Language
from core.datasets.seed_document.schema import FieldType
from core.text.english import MONTH_NAMES

DATE = re.compile(
    rf"\d{{4}}年\d{{1,2}}月\d{{1,2}}日|\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}} (?:{MONTH_NAMES}) \d{{4}}|(?:{MONTH_NAMES}) \d{{1,2}}, \d{{4}}"
)
MONEY = re.compile(
    r"\d[\d,]{0,20}+(?:\.\d{1,9}+)?万?円|[$€£]\d[\d,]{0,20}+(?:\.\d{1,9}+)?|\d[\d,]{0,20}+(?:\.\d{1,9}+)? (?:US )?(?:dollars|euros|pounds)"
)
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}+@[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,8}")
_UNITS = {
    "ja": "営業日|日|か月|ヶ月|カ月|週間|時間|分|年|回|名|人|台|枚|個|件|%|％|文字|GB|MB|km|kg",
    "en": "business days?|days?|hours?|minutes?|weeks?|months?|years?|percent|%|people|times|boxes|pieces?|items?|seats?|kg|km|GB|MB|pages?",
}
_PATTERNS: dict[Language, tuple[tuple[FieldType, re.Pattern[str]], ...]] = {
    "ja": (
        ("email", EMAIL),
        ("organisation", re.compile(r"(?:株式会社|有限会社|合同会社|一般社団法人)[\w・ー]{2,20}?(?=[ 　、。は(（「]|$)|[\w・ー]{2,16}(?:株式会社|有限会社|合同会社)")),
        ("date", DATE),
        ("money", MONEY),
        ("number", re.compile(rf"(?<![\d,.月時第年])\d[\d,]*(?:\.\d+)?(?:{_UNITS['ja']})(?!\d|度)")),
    ),
    "en": (
        ("email", EMAIL),
        ("organisation", re.compile(r"(?<![\w&'-])(?:[A-Z][\w&'-]{1,40} ){1,4}(?:Ltd|Inc|LLC|GmbH|Corp|PLC|Co)\b\.?")),
        ("date", DATE),
        ("money", MONEY),
        ("number", re.compile(rf"(?<![\d,.])\d[\d,]*(?:\.\d+)? (?:{_UNITS['en']})\b")),
    ),
}  # fmt: skip
_PERSON = {
    "ja": re.compile(r"[一-龥々]{1,4}[ 　][一-龥々ぁ-んァ-ヶ]{1,4}"),
    "en": re.compile(r"[A-Z][a-z'’-]+(?: [A-Z]\.)? [A-Z][a-zA-Z'’-]+"),
}
_PERSON_LABEL = re.compile(
    r"責任者|担当者?|氏名|代表|管理者|名前|owner|manager|officer|head|responsible person|author|name", re.IGNORECASE
)
_LABEL = re.compile(
    r"^(?:[-*+・] *+)?(?:\*\*)?(?P<label>[^:：|*#\s][^:：|*#\n]{0,29}?)(?:\*\*)? *[:：] *+(?:\*\*)?(?P<value>[^\n]*[^\n *])(?:\*\*)? *$"
)
_ROW = re.compile(r"^\| *+(?P<label>[^|\s][^|\n]{0,29}?) *\| *+(?P<value>[^|\n]*[^|\n ]) *\| *$")
CHOICES: dict[Language, tuple[tuple[str, ...], ...]] = {
    "ja": (
        ("総務部", "人事部", "経理部", "業務部", "管理部", "企画部", "庶務課", "労務課", "厚生課", "購買部"),
        ("月曜日", "火曜日", "水曜日", "木曜日", "金曜日"),
        ("毎週", "隔週", "毎月", "四半期ごと", "毎年"),
    ),
    "en": (
        ("Customer Care", "Service Desk", "Operations", "Customer Support", "Client Services", "After-Sales Team", "Help Centre", "Service Office"),
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
        ("weekly", "monthly", "quarterly", "yearly"),
    ),
}  # fmt: skip


class Value(NamedTuple):
    """A value in a text."""

    start: int  # its place in the text
    text: str  # as written there
    type: FieldType
    unit: str
    label: str  # of its line; "" within a sentence
    sentence: str  # the sentence or line
    section: str  # its heading
    values: tuple[str, ...] = ()  # all values that a choice can have


def values_of(text: str, language: Language) -> list[Value]:
    """The values of a document, in order; those of one line or sentence never overlap."""
    values: list[Value] = []
    names = _organisations(text, language)
    start, section = 0, ""
    for line in text.splitlines(keepends=True):
        plain = line.rstrip("\r\n")
        if plain.startswith("#"):
            title = plain.lstrip("# ")
            values += [
                Value(start + found.start(), found[0], "organisation", "", "", title, section)
                for found in names.finditer(plain)
            ]
            section = plain.lstrip("#").strip() if plain.startswith("##") else ""
        elif labelled := _labelled(plain, start, language, section):
            values.append(labelled)
        else:
            for offset, sentence in _sentences(plain):
                values += _in_sentence(sentence, start + offset, language, section, names)
        start += len(line)
    return values


def dates_of(text: str) -> tuple[str, ...]:
    """The dates of a text as it writes them, each once."""
    return tuple(dict.fromkeys(DATE.findall(text)))


def _organisations(text: str, language: Language) -> re.Pattern[str]:
    """A pattern that finds the organisations that a text names, the longest name first; nothing if it names none."""
    pattern = dict(_PATTERNS[language])["organisation"]
    names = {match[0].strip() for line in text.splitlines() for match in pattern.finditer(line)}
    return re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"(?!)")


def _labelled(line: str, start: int, language: Language, section: str) -> Value | None:
    match = _LABEL.match(line) or _ROW.match(line)
    if not match:
        return None
    label, value = match["label"].strip(), match["value"].strip()
    if set(value) <= set("-: |") or (value.endswith(("。", ".")) and len(value) > 40):
        return None
    kind, unit, values = type_of(value, label, language)
    return Value(start + match.start("value"), value, kind, unit, label, line.strip(), section, values)


def type_of(value: str, label: str, language: Language) -> tuple[FieldType, str, tuple[str, ...]]:
    """The type of a value that stands alone, its unit, and what else a choice can be."""
    for kind, pattern in _PATTERNS[language]:
        if pattern.fullmatch(value):
            return kind, unit_of(value, kind), ()
    for values in CHOICES[language]:
        if value in values:
            return "choice", "", values
    is_person = _PERSON[language].fullmatch(value) and _PERSON_LABEL.search(label)
    return "person" if is_person else "text", "", ()


def unit_of(value: str, kind: FieldType) -> str:
    """The unit of a sum of money or a number: 円, days, $; "" for other values."""
    return re.sub(r"[\d,.]+", "", value).strip() if kind in ("money", "number") else ""


def _sentences(line: str) -> Iterator[tuple[int, str]]:
    """(offset, sentence) of a line."""
    for match in re.finditer(r"(?:[^。.!?！？]|\.(?=\S))*[。.!?！？]?\s*", line):
        if match[0].strip():
            lead = len(match[0]) - len(match[0].lstrip())
            yield match.start() + lead, match[0].strip()


def _in_sentence(sentence: str, start: int, language: Language, section: str, names: re.Pattern[str]) -> list[Value]:
    """The values within a sentence, in order."""
    values: list[Value] = []
    covered: set[int] = set()
    for kind, pattern in _PATTERNS[language]:
        for match in (names if kind == "organisation" else pattern).finditer(sentence):
            places = set(range(*match.span()))
            is_no_fact = kind == "number" and _is_no_fact(sentence[: match.start()], match[0], sentence[match.end() :])
            if places & covered or is_no_fact:
                continue
            covered |= places
            values.append(Value(start + match.start(), match[0], kind, unit_of(match[0], kind), "", sentence, section))
    return sorted(values)


def _is_no_fact(before: str, number: str, after: str) -> bool:
    """Whether a number only counts for how much something is: 1名につき, 1年度, 毎月5日."""
    is_each = re.match(r"1\D", number) and re.match(r"につき|あたり|ごと| per| each", after)
    return bool(is_each) or before.endswith(("1", "毎月", "毎年")) or number.startswith("1年度")
