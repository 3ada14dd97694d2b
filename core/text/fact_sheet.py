"""The fact sheet of a scenario: `label: value; label: value`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from core.text.normalize import normalize

# Share of the content words of a fact, or of an intent, in messages from which they reveal it.
REVEALED_FROM = 0.8
_LETTER = re.compile("[a-z]")


class Fact(NamedTuple):
    """One entry of the sheet; an entry without a colon has an empty label."""

    label: str
    value: str


@lru_cache(maxsize=4096)
def parse_facts(text: str) -> tuple[Fact, ...]:
    """The facts of `label: value; label: value` (also ；, ： and newlines), without empty entries."""
    entries = (entry.strip() for entry in re.split(r"[;；\n\r]+", text))
    return tuple(fact for fact in map(_parse, entries) if fact.value)


def is_stated(value: str, text: str) -> bool:
    """Whether a text has a value word for word; "2" is neither in "12" nor in "2.5". An empty value is in every text."""
    plain = normalize(value)
    if not plain:
        return True
    before = r"(?<!\d)(?<!\d[.,])" if plain[0].isdigit() else "(?<![a-z])" if _LETTER.match(plain[0]) else ""
    behind = r"(?!\d|[.,]\d)" if plain[-1].isdigit() else "(?![a-z])" if _LETTER.match(plain[-1]) else ""
    return bool(re.search(f"{before}{re.escape(plain)}{behind}", normalize(text)))


def _parse(entry: str) -> Fact:
    """A colon inside a time or an address (9:00, https://) does not end a label."""
    label, colon, value = re.sub(r"：|:(?!\d|//)", "\0", entry, count=1).partition("\0")
    return Fact(label.strip(), value.strip()) if colon else Fact("", entry)
