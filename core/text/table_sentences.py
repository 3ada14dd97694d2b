"""Tables read as sentences: each row with the names of its columns."""

from __future__ import annotations

import re
from itertools import zip_longest

from core.text.language import script

_ATTRIBUTES = frozenset({"", "項目", "内容", "比較", "点", "違い", "item", "feature", "point", "property", "what"})
_SELF = frozenset(
    {"プラン", "plan", "区分", "種類", "対象", "雇用形態", "役職", "勤務地", "役割", "コード", "code"}
)  # their cells say what they are
_PLAIN = frozenset({"what happens", "meaning", "description", "what to do"})  # the dash says it
_FIGURE = re.compile(r"^[^A-Za-z一-龥ぁ-んァ-ン]*\d[\d,.]*\s*\S{0,6}$|^\d")
_NOT_EN = frozenset(
    {"not", "no", "never", "cannot", "can't", "can", "does", "doesn't", "is", "are", "isn't", "without", "with"}
)
_VERBAL = ("。", "る", "い", "た", "す", "ん", "う", "く", "む", "ぶ", "つ")


def table_sentences(header: list[str], rows: list[list[str]]) -> list[tuple[str, str]]:
    """(what it is about, its sentence) of each row; of each column if the two columns are lists of opposites (moved, not
    moved).

    `rows`: cells, not all of which are empty.
    """
    if not _are_opposites(header):
        return [(cells[0], _row_sentence(header, cells)) for cells in rows]
    columns = zip(header, zip_longest(*rows, fillvalue=""), strict=False)
    return [(name, _column(name, [cell for cell in cells if cell])) for name, cells in columns]


def _are_opposites(header: list[str]) -> bool:
    """Whether a table has two columns of which one is the negation of the other."""
    if len(header) != 2 or not all(header):
        return False
    if script("".join(header)) == "en":
        one, two = (set(re.findall(r"[a-z']+", name.lower())) for name in header)
        return len(one & two) > 0 and one != two and (one ^ two) <= _NOT_EN
    one, two = header
    return one[0] == two[0] and one[-2:] == two[-2:] and ("ない" in one) != ("ない" in two)


def _column(name: str, cells: list[str]) -> str:
    english = script("".join([name, *cells])) == "en"
    return f"{name}: {'; '.join(cells).rstrip('.')}." if english else f"{name}: {'、'.join(cells).rstrip('。')}。"


def _row_sentence(header: list[str], cells: list[str]) -> str:
    """A table row as one sentence (a line without a verb where its cells are sentences of their own)."""
    pairs = [(name, cell) for name, cell in zip(header[1:], cells[1:], strict=False) if cell]
    if script("".join([*header, *cells])) == "en":
        return _english(header, cells[0], pairs)
    return _japanese(header, cells[0], pairs)


def _english(header: list[str], first: str, pairs: list[tuple[str, str]]) -> str:
    lead = f"{header[0]} {first}" if header[0] and _FIGURE.match(first) and header[0].lower() not in _SELF else first
    if not pairs:
        return f"{lead.rstrip('.')}."
    if len(header) == 2 and header[1].lower() in _PLAIN:
        return f"{lead} — {pairs[0][1].rstrip('.')}."
    rest = ", ".join(f"{_small(name)}: {cell}" for name, cell in pairs)
    return f"{lead} — {rest.rstrip('.')}."


def _small(name: str) -> str:
    """A column's name inside a sentence: "Runs per month" → "runs per month", names and abbreviations as they are."""
    first, _, rest = name.partition(" ")
    return name if not first[1:].islower() or rest in ("plan", "app") or not rest else f"{first.lower()} {rest}"


def _japanese(header: list[str], first: str, pairs: list[tuple[str, str]]) -> str:
    if not pairs:
        return f"{first.rstrip('。')}。"
    pairs = [("" if cell.startswith(name) else name, cell) for name, cell in pairs]
    nominal = all(not cell.endswith(_VERBAL) for _, cell in pairs)
    if header[0].lower() in _ATTRIBUTES and len(pairs) > 1:
        return f"{first}は、{_listed(pairs, 'が')}です。" if nominal else f"{first}: {_listed(pairs, '：')}。"
    lead = f"{header[0]}が{first}" if header[0] and _FIGURE.match(first) and header[0] not in _SELF else first
    if nominal:
        return f"{lead}の場合、{_listed(pairs, 'は')}です。"
    return f"{lead}の場合、{_listed(pairs, '：')}。"


def _listed(pairs: list[tuple[str, str]], particle: str) -> str:
    return "、".join(f"{name}{particle}{cell.rstrip('。')}" if name else cell.rstrip("。") for name, cell in pairs)
