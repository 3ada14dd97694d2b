"""Reads tables as sentences: each row with the names of its columns."""

from __future__ import annotations

import re
import unicodedata
from itertools import zip_longest

from core.text.language import script

Pairs = list[tuple[str, str]]  # the names of columns, each with its cell

_SELF = frozenset(
    {"プラン", "plan", "区分", "種類", "対象", "雇用形態", "役職", "勤務地", "役割", "コード", "code"}
)  # their cells say what they are
_PLAIN = frozenset(
    {"what happens", "meaning", "description", "what to do", "意味", "説明", "回答", "答え"}
)  # the dash says it
_NOTES = frozenset(
    {"備考", "注", "注記", "注意", "補足", "メモ", "note", "notes", "remark", "remarks", "comment", "comments"}
)
_NOT_EN = frozenset({"not", "no", "never", "cannot", "can't", "can", "does", "doesn't", "is", "are", "isn't", "without", "with"})  # fmt: skip
_NOTHING = re.compile(r"[-‐‑‒–—―−ー－…・.*＊※/／\s]*|n/?a\.?", re.IGNORECASE)  # what a cell says that says nothing
_YES, _NO = "○◯〇◎●⭕✓✔✅☑", "×✕✖✗✘❌☒"
_AS_ABOVE = re.compile(r"同上|[〃″]|同前|(?:same )?as above|ditto", re.IGNORECASE)
_SIGN = re.compile(rf"[{_YES}{_NO}△▲]\ufe0f?")
_FIGURE = r"[$£€¥]?\d[\d,.:/]*"
_AMOUNT_EN = re.compile(
    rf"(?:(?:over|under|up to|at least|at most|more than|less than|from|until|about|[<>≤≥~+]) ?)?{_FIGURE} ?[^\W\d]{{0,12}}%?"
    rf"(?: ?(?:–|-|~|to|and|up to) ?{_FIGURE} ?[^\W\d]{{0,12}}%?)?(?: (?:or|and) (?:more|over|less|under|fewer|above|below|older|younger|up)|\+)?",
    re.IGNORECASE,
)
_AMOUNT_JA = re.compile(
    r"(?=.*\d)(?:[約満±〜~–-]|以上|以下|未満|以内|超え?|まで|から|以降|以前|より多い|より少ない"
    r"|[$£€¥]?\d[\d,.:/]*+|(?<=[\d ])[a-zA-Z%°℃㎡]{1,3}(?![a-zA-Z])|[円年月日時分秒回人名個本枚件歳才泊週台階級号第万千億間前後目度点割倍坪畳]|[かカヵヶケ]月|キロ|メートル|\s)++"
)
_UNIT = re.compile(r"\s?[(（\[](円|千円|万円|分|時間|日|か月|人|名|個|枚|回|歳|%|％|km|m|cm|mm|kg|g|l|ml|gb|mb|min|minutes|h|hours|days|weeks|months|years|in|[£$€¥])[)）\]]$", re.IGNORECASE)  # fmt: skip
_BARE_FIGURE = re.compile(rf"{_FIGURE}(?:\s?[-–〜~]\s?{_FIGURE})?")
_NOT_A_NOUN = ("。", "る", "い", "た", "す", "ん", "う", "く", "む", "ぶ", "つ", "ず", "に", "て", "で", "ば", "か", "まで", "から", "まま", "とき", "場合", "以降")  # fmt: skip
_CASE_JA = re.compile(r"(?:場合|とき|時|際)$")
_NOUN_IN_I = re.compile(r"[払扱違祝願買]い$")
_NOT_A_NAME = ("まで", "から", "か", "とき", "場合", "以降", "て", "ば", "なし", "あり")
MAX_PAIRS_OF_SENTENCE = 3  # longer rows become lists


def table_sentences(header: list[str], rows: list[list[str]]) -> list[tuple[str, str]]:
    """(subject, sentence) of each row, or of each column if the two columns are lists of opposites (moved, not moved).

    rows: cells, not all of which are empty
    """
    if not _are_opposites(header):
        return _row_sentences(header, _with_cells_above(rows))
    columns = zip(header, zip_longest(*rows, fillvalue=""), strict=False)
    return [(name, _column(name, [cell for cell in cells if cell])) for name, cells in columns]


def _are_opposites(header: list[str]) -> bool:
    """Whether a table has two columns, one of which negates the other."""
    if len(header) != 2 or not all(header):
        return False
    if script("".join(header)) == "en":
        one, two = (set(re.findall(r"[a-z']+", name.lower())) for name in header)
        return len(one & two) > 0 and one != two and (one ^ two) <= _NOT_EN
    one, two = header
    return one[0] == two[0] and one[-2:] == two[-2:] and ("ない" in one) != ("ない" in two)


def _is_dash_for_no(rows: list[list[str]]) -> bool:
    """Whether a table has a sign for yes and none for no, so that a dash means no."""
    signs = {sign[0][0] for cells in rows for cell in cells[1:] if (sign := _SIGN.match(cell))}
    return bool(signs & set(_YES)) and not signs & set(_NO)


def _column(name: str, cells: list[str]) -> str:
    english = script("".join([name, *cells])) == "en"
    return f"{name}: {'; '.join(cells).rstrip('.')}." if english else f"{name}: {'、'.join(cells).rstrip('。')}。"


def _with_cells_above(rows: list[list[str]]) -> list[list[str]]:
    """The rows with the cell above in place of an "as above" cell or an empty first one."""
    found: list[list[str]] = []
    for cells in rows:
        above = found[-1] if found else []
        found.append(
            [
                above[place] if place < len(above) and (_AS_ABOVE.fullmatch(cell) or not (cell or place)) else cell
                for place, cell in enumerate(cells)
            ]
        )
    return found


def _row_sentences(header: list[str], rows: list[list[str]]) -> list[tuple[str, str]]:
    """Subject and sentence of each row; lines of names and values if one of the rows would not read well as a sentence.

    Cells that say nothing are omitted; those with a sign say yes or no, the columns of the same sign together.
    """
    english = script("".join(["".join(cells) for cells in (header, *rows)])) == "en"
    dash_means_no = _is_dash_for_no(rows)
    pairs = [_pairs(header, cells, english, dash_means_no) for cells in rows]
    if english:
        texts = [_english(header, cells[0], said) for cells, said in zip(rows, pairs, strict=True)]
    else:
        sentences = all(_reads_as_sentence(cells[0], said) for cells, said in zip(rows, pairs, strict=True))
        texts = [_japanese(header, cells[0], said, sentences) for cells, said in zip(rows, pairs, strict=True)]
    return [(cells[0], text) for cells, text in zip(rows, texts, strict=True)]


def _pairs(header: list[str], cells: list[str], english: bool, dash_means_no: bool) -> Pairs:
    """The cells behind the first one that say something, with the names of their columns."""
    filled = [(name, cell) for name, cell in zip(header[1:], cells[1:], strict=False) if cell]
    said = [(name, _said(cell, english, dash_means_no)) for name, cell in filled]
    pairs = [_with_unit(name, cell, english) for name, cell in said if cell]
    if filled and not pairs:
        return [(filled[0][0], "not given" if english else "記載なし")]
    return pairs if english else [("" if cell.startswith(name) else name, cell) for name, cell in pairs]


def _said(cell: str, english: bool, dash_means_no: bool) -> str:
    """A cell with its sign in words (in Japanese as the usual sign); empty if it says nothing."""
    if _NOTHING.fullmatch(cell):
        return ("no" if english else "×") if dash_means_no else ""
    sign = _SIGN.match(cell)
    if sign is None:
        return cell
    rest = cell[sign.end() :].strip()
    word = "yes" if sign[0][0] in _YES else "no" if sign[0][0] in _NO else "partly"
    japanese = {"yes": sign[0] if sign[0] == "◎" else "○", "no": "×", "partly": "△"}[word]
    if not english:
        return japanese + (f"（{rest}）" if rest and rest[0] not in "（(" else rest)
    return word if not rest else f"{word} {rest}" if rest[0] == "(" else f"{word}, {rest}"


def _with_unit(name: str, cell: str, english: bool) -> tuple[str, str]:
    """A column's name without the unit behind it, which goes with the figure: ("Price (£)", "35") → ("Price", "£35")."""
    unit = _UNIT.search(name)
    if unit is None or not _BARE_FIGURE.fullmatch(cell):
        return name, cell
    sign = unit[1] in "£$€¥"
    return name[: unit.start()], f"{unit[1]}{cell}" if sign else f"{cell}{' ' if english else ''}{unit[1]}"


def _together(pairs: Pairs, joint: str) -> Pairs:
    """The pairs, those of the same cell as one where signs are among them: the days on which a doctor is there."""
    if not any(_SIGN.match(cell) or cell in ("yes", "no") for _, cell in pairs):
        return pairs
    names: dict[str, list[str]] = {}
    for name, cell in pairs:
        names.setdefault(cell, []).append(name)
    return [(joint.join(found), cell) for cell, found in names.items()]


def _english(header: list[str], first: str, pairs: Pairs) -> str:
    lead = _lead(header[0], first, f"{header[0]} {first}", _AMOUNT_EN)
    if not pairs:
        return f"{lead.rstrip('.')}."
    if len(header) == 2 and header[1].lower() in _PLAIN:
        return f"{lead} — {pairs[0][1].rstrip('.')}."
    shown = _together(pairs, ", ")
    joint = "; " if any(re.search(r"[,;:.] ", f"{name} {cell}") for name, cell in shown) else ", "
    rest = joint.join(f"{name}: {cell.rstrip('.')}" if name else cell.rstrip(".") for name, cell in shown)
    return f"{lead} — {rest}."


def _lead(name: str, first: str, with_name: str, amount: re.Pattern[str]) -> str:
    """The subject of a row: a figure gets the name of its column."""
    plain = unicodedata.normalize("NFKC", first)
    own = not name or name.lower() in _SELF or name.lower() in plain.lower()
    return first if own or not amount.fullmatch(plain) else with_name


def _japanese(header: list[str], first: str, pairs: Pairs, as_sentence: bool) -> str:
    if not pairs:
        return f"{first.rstrip('。')}。"
    stated = [(name, cell) for name, cell in pairs if name not in _NOTES] or pairs
    note = "".join(f"{cell.rstrip('。')}。" for name, cell in pairs if name in _NOTES and (name, cell) not in stated)
    name = header[0]
    if not as_sentence:
        plain = len(header) == 2 and header[1] in _PLAIN
        return f"{_listed(_lead(name, first, f'{name} {first}', _AMOUNT_JA), stated, plain)}{note}"
    lead = _lead(name, first, f"{name}が{first}の場合", _AMOUNT_JA)
    if lead != first or _CASE_JA.search(first):
        return f"{lead}、{_joined(stated, 'は')}です。{note}"
    return f"{first}は、{_joined(stated, 'が')}です。{note}"


def _reads_as_sentence(first: str, pairs: Pairs) -> bool:
    """Whether the values are a few short nouns, none of them a list or a sign."""
    stated = [(name, cell) for name, cell in pairs if name not in _NOTES] or pairs
    is_named = _is_noun(first) or _CASE_JA.search(first) or _AMOUNT_JA.fullmatch(first)
    return (
        bool(is_named)
        and not _BARE_FIGURE.fullmatch(first)
        and len(stated) <= MAX_PAIRS_OF_SENTENCE
        and all(
            not name.endswith(_NOT_A_NAME)
            and _is_noun(cell)
            and not _SIGN.match(cell)
            and not re.search(r"[、。，．はが]", re.sub(r"[（(][^（()）]*[）)]", "", cell))
            for name, cell in stated
        )
    )


def _is_noun(text: str) -> bool:
    return not text.endswith(_NOT_A_NOUN) or bool(_NOUN_IN_I.search(text))


def _listed(lead: str, pairs: Pairs, plain: bool) -> str:
    """A line of names and values, of the values only if `plain`."""
    shown = [("", cell) for _, cell in pairs] if plain else _together(pairs, "、")
    joint = "／" if any(re.search("[、。]", f"{name}{cell}") for name, cell in shown) else "、"
    return f"{lead.rstrip('。')} — {_joined(shown, '：', joint)}。"


def _joined(pairs: Pairs, particle: str, joint: str = "、") -> str:
    return joint.join(f"{name}{particle}{cell.rstrip('。')}" if name else cell.rstrip("。") for name, cell in pairs)
