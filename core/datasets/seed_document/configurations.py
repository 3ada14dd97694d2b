"""Configurations: sets of values that fit a schema and each other, drawn by a seed."""

from __future__ import annotations

import calendar
import contextlib
import itertools
import random
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.types import Language
from core.datasets.seed_document.schema import Schema, SchemaField
from core.text.dates import dates

_LOCALES: dict[Language, str] = {"ja": "ja_JP", "en": "en_US"}
_DAY_OF_MONTH = re.compile(r"(?:毎|当|翌|前|翌々)月(?:の)?$|\d月$")
MAX_CODE_LETTERS = 40  # letters of a value that is a code, a number or an address; a longer one is a sentence
_ADDRESS = re.compile(r"住所|所在地|届け先|\baddress\b|\blocation\b", re.IGNORECASE)
_LINK = re.compile(r"https?://[\w.-]+")
_CODE = re.compile(r"^(?=.*\d)[\w()+ -]+$", re.ASCII)  # A-104, +44 20 7946 0123, RP-7 rev 2
MAX_DRAWS = 200  # until all values of one configuration differ


class Configuration(FrozenModel):
    """The values of one document's fields."""

    id: str = Field(pattern=r"^c\d+$")  # the documents' files are named after it
    values: dict[str, str]
    left_out: str = ""  # the field that the document leaves out on purpose


def make_configuration(schema: Schema, number: int, seed: int) -> Configuration:
    """The configuration with that number (from 1): other values in the same forms, rules kept.

    Organisations and persons differ between the numbers of one seed.
    """
    from faker import Faker  # takes a third of a second

    rng = random.Random(f"{seed}:{number}")
    fake = Faker(_LOCALES[schema.language])
    fake.seed_instance(f"{seed}:{number}")
    values: dict[str, str] = {}
    for _ in range(MAX_DRAWS):
        values = _draw(schema, rng, fake, number)
        varying = [values[field.name] for field in schema.fields if field.varies]
        if len(set(varying)) == len(varying):
            break
    optional = [field.name for field in schema.fields if not field.required and _free(field, schema)]
    left_out = optional[(number - 1) % len(optional)] if optional else ""
    return Configuration(id=f"c{number:03}", values=values, left_out=left_out)


def broken_rules(schema: Schema, values: Mapping[str, str]) -> list[str]:
    """The rules that values break, and the fields without a value; each as one text."""
    broken = [f"{field.name}: -" for field in schema.fields if not values.get(field.name, "").strip()]
    for rule in schema.rules:
        cells = [values.get(name, "") for name in rule.fields]
        if rule.kind == "order":
            keys = [_key(schema.field(name), value) for name, value in zip(rule.fields, cells, strict=True)]
            if any(value > next_value for value, next_value in itertools.pairwise(keys)):
                broken.append(" ≤ ".join(rule.fields))
        elif rule.kind == "sum" and sum(number_of(value) for value in cells[:-1]) != number_of(cells[-1]):
            broken.append(f"{' + '.join(rule.fields[:-1])} = {rule.fields[-1]}")
    return broken


def contradictions(schema: Schema, configurations: Sequence[Configuration]) -> list[tuple[str, str, str]]:
    """(field, value, configurations) of persons, addresses and organisations that two documents of a set both claim."""
    contradictory: list[tuple[str, str, str]] = []
    for field in schema.fields:
        if field.type not in ("person", "email", "organisation"):
            continue
        seen: dict[str, str] = {}
        for configuration in configurations:
            value = configuration.values.get(field.name, "")
            if value in seen:
                contradictory.append((field.name, value, f"{seen[value]}, {configuration.id}"))
            seen[value] = configuration.id
    return contradictory


def number_of(value: str) -> float:
    """The number that a value states; 0 if it states none."""
    _, number, after = split_number(value)
    return float(number.replace(",", "") or 0) * (10_000 if after.startswith("万") else 1)


def split_number(value: str) -> tuple[str, str, str]:
    """(text before, first number, text after) of a value; ("", "", "") without a number."""
    found = re.search(r"\d[\d,]*(?:\.\d+)?", value)
    return (value[: found.start()], found[0], value[found.end() :]) if found else ("", "", "")


def date_of(value: str) -> int | None:
    """The date that a value states, as an ordinal; None if it states none."""
    for stated in dates(value):
        with contextlib.suppress(ValueError):  # a date without a day, or one that no calendar has
            return date(*stated).toordinal()
    return None


def like_date(ordinal: int, example: str) -> str:
    """A date in the form of the example."""
    day = date.fromordinal(ordinal)
    if "年" in example:
        return f"{day.year}年{day.month}月{day.day}日"
    if re.match(r"\d{4}-", example):
        return day.isoformat()
    month = calendar.month_name[day.month]
    return f"{day.day} {month} {day.year}" if re.match(r"\d", example) else f"{month} {day.day}, {day.year}"


def like_number(value: float, example: str) -> str:
    """A number in the form of the example: its sign of money or unit, its commas."""
    before, number, after = split_number(example)
    if not number:
        return example
    if after.startswith("万"):
        value /= 10_000
    whole = f"{value:,.0f}" if "," in number or value >= 1_000 else f"{value:.0f}"
    return f"{before}{whole}{after}"


def can_vary(name: str, example: str) -> bool:
    """Whether rules can make another value of this free text: a code, telephone number, address or link."""
    if len(example) > MAX_CODE_LETTERS or "@" in example:
        return False
    return bool(
        _ADDRESS.search(name) or _LINK.match(example) or _CODE.match(example) or re.match(r"内線 ?\d+$", example)
    )


def like_text(name: str, example: str, fake: Any, rng: random.Random) -> str:
    """Another value in the form of the example; fake: a Faker of the document's language."""
    if _LINK.match(example):
        return _LINK.sub(f"https://{fake.domain_word()}.example", example)
    if _ADDRESS.search(name):
        return str(fake.address()).replace("\n", ", ")
    return re.sub(r"\d", lambda digit: str(rng.randint(1, 9)) if digit[0] != "0" else "0", example)


def _key(field: SchemaField, value: str) -> float:
    return float(date_of(value) or 0) if field.type == "date" else number_of(value)


def _draw(schema: Schema, rng: random.Random, fake: Any, number: int) -> dict[str, str]:
    values = {
        field.name: _value(field, schema.language, rng, fake, number) if field.varies else field.example
        for field in schema.fields
    }
    _dates(schema, rng, values)
    _orders(schema, values)
    _totals(schema, values)
    for field in schema.fields:
        if field.type == "email" and field.varies:
            domain = re.sub(r"[^a-z]", "", fake.domain_word().lower()) or "office"
            values[field.name] = f"{field.example.split('@')[0]}@{domain}{number}.example"
    return values


def _value(field: SchemaField, language: Language, rng: random.Random, fake: Any, number: int) -> str:
    """Another value of a field by itself. An organisation's number keeps names apart that would be drawn twice."""
    match field.type:
        case "organisation" if language == "ja":
            return f"株式会社{fake.last_name()}{_TRADES_JA[number % len(_TRADES_JA)]}"
        case "organisation":
            return f"{fake.last_name()} {_TRADES_EN[number % len(_TRADES_EN)]} Ltd"
        case "person" if field.example.isascii():
            return f"{fake.first_name()} {fake.last_name()}"
        case "person":
            return f"{fake.last_name()} {fake.first_name()}"
        case "choice":
            return rng.choice(field.values or (field.example,))
        case "money" | "number":
            return _number(field, rng)
        case "text" if can_vary(field.name, field.example):
            return like_text(field.name, field.example, fake, rng)
        case _:
            return field.example


_TRADES_JA = ("工房", "製作所", "商店", "物産", "印刷", "木工", "食品", "電機", "設計", "運送", "園芸", "写真館", "紙業", "硝子", "時計店", "織物", "金物", "楽器", "塗装", "倉庫", "文具", "機械", "製菓")  # fmt: skip
_TRADES_EN = ("Instruments", "Tools", "Audio", "Bicycles", "Cameras", "Clocks", "Outdoor", "Lighting", "Furniture", "Optics", "Kitchens", "Textiles", "Models", "Boats", "Gardens", "Prints", "Toys", "Ceramics", "Radios", "Sewing", "Skis", "Luggage", "Drones")  # fmt: skip


def _number(field: SchemaField, rng: random.Random) -> str:
    """Another number of about the example's size, as round as the example."""
    example = number_of(field.example)
    if _DAY_OF_MONTH.search(field.sentence.partition(field.example)[0]) and field.unit == "日":
        return like_number(rng.randint(1, 28), field.example)
    step = 1.0
    while step * 10 < example and example % (step * 10) == 0:
        step *= 10
    low, high = max(step * 2, example * 0.5), max(example * 1.8, step * 9)
    drawn = round(rng.uniform(low, high) / step) * step
    return like_number(min(drawn, 100.0) if field.unit in ("%", "％", "percent") else drawn, field.example)


def _dates(schema: Schema, rng: random.Random, values: dict[str, str]) -> None:
    """Dates moved together, with other distances, in the order of the seed's."""
    dated = [(day, field) for field in schema.fields if field.type == "date" and (day := date_of(field.example))]
    dated.sort(key=lambda pair: pair[0])
    if not dated:
        return
    now = dated[0][0] + rng.randint(-500, 300)
    before = dated[0][0]
    for day, field in dated:
        gap = day - before
        now += round(gap * rng.uniform(0.5, 1.4)) + (rng.randint(1, 25) if gap else 0)
        before = day
        if field.varies:
            values[field.name] = like_date(now, field.example)


def _orders(schema: Schema, values: dict[str, str]) -> None:
    """Figures of an order rule put in order."""
    for rule in schema.rules:
        fields = [schema.field(name) for name in rule.fields]
        if rule.kind != "order" or any(field.type not in ("money", "number") for field in fields):
            continue
        drawn = sorted(number_of(values[field.name]) for field in fields)
        for field, value in zip(fields, drawn, strict=True):
            values[field.name] = like_number(value, field.example)


def _totals(schema: Schema, values: dict[str, str]) -> None:
    for rule in schema.rules:
        if rule.kind == "sum":
            *parts, total = rule.fields
            values[total] = like_number(sum(number_of(values[name]) for name in parts), schema.field(total).example)


def _free(field: SchemaField, schema: Schema) -> bool:
    """Whether a field can be left out without taking anything else along: its line or sentence has no other field."""
    alone = sum(other.sentence == field.sentence for other in schema.fields) == 1
    return alone and not any(rule.kind == "sum" and field.name in rule.fields for rule in schema.rules)
