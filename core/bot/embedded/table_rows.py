"""Which rows of a table are quoted: those whose case a message names, the one that fits best first."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from core.bot.embedded.number_ranges import days_before_as_figures, range_of
from core.bot.embedded.snippets import Snippet
from core.bot.embedded.sub_questions import SubQuestion
from core.text.language import content_words, script, terms
from core.text.numbers import amounts
from core.text.synonyms import words_with_synonyms

# Rows quoted from a longer table that the message names none of, and how many more are not worth leaving out.
MAX_ROWS = 8
FEW_MORE_ROWS = 2
# Rows of a table that is quoted whole unless the message names one clearly.
MAX_ROWS_OF_WHOLE_TABLE = 4
# Share of the telling words of a row's first cell from which a message names the row, and does so clearly.
NAMED_ROW_SHARE = 0.5
CLEAR_ROW_SHARE = 0.75
# Share of the best row's from which another row is named as well.
NAMED_AS_WELL_SHARE = 0.7
# From which a row comes first, though the message names none.
FIRST_ROW_SHARE = 0.25
# Share of the words, however rare, from which a message names rows if these are no more than this share of the table.
FEW_ROWS_SHARE = 0.25
# Weight of a word of a first cell that only shares a letter with a word of the message (水ぬれ, "水没した").
SAME_LETTER_SHARE = 0.5
# Weight of the words in brackets of a first cell, and of those of the other cells; other words of the first cell have 1.
BESIDE_SHARE = 0.15
_JOINED = re.compile(r"[・、,/／]|または|\bor\b")  # between the cases of one table row
_BRACKETS = re.compile(r"[(（]([^()（）]*)[)）]")
_LETTER = re.compile(r"[一-鿿]")
_ANYBODY = frozenset({"さん", "様", "方", "人", "者", "場合", "もの", "person", "people"})  # words that name no case
_OTHERS = re.compile(
    r"(?:ほか|他)[にのは]|以外|すべて|全部|一覧|\b(?:other|others|else|besides|apart from|all of|list)\b", re.IGNORECASE
)
_MORE = {"ja": "（ほか{count}件）", "zh": "（ほか{count}件）", "en": "({count} more)"}


class _Case(NamedTuple):
    """The words of a row: of each case that its first cell joins, of the brackets in that, and of the other cells."""

    joined: list[frozenset[str]]
    brackets: frozenset[str]
    others: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word for words in self.joined for word in words)


def rows_asked(wanted: Sequence[SubQuestion], rows: list[Snippet]) -> list[Snippet]:
    """The rows whose case the question names, the best first; else all of a short table, and the first of a longer one
    with how many more there are."""
    rows = _in_range(wanted, rows)
    if len(rows) <= 1:
        return rows
    named, share = _named_rows(wanted, rows)
    others = asks_for_others(wanted)
    if len(rows) <= MAX_ROWS_OF_WHOLE_TABLE and (others or share < CLEAR_ROW_SHARE):
        return rows
    if len(rows) <= MAX_ROWS and share < CLEAR_ROW_SHARE and _is_named_by_letters_alone(wanted, rows):
        return rows
    while 1 < len(named) < len(rows):
        rows, (named, _) = named, _named_rows(wanted, named)
    figures = [one for each in wanted for one in amounts(each.said)]
    named = sorted(named, key=lambda row: share > 0 and not any(one in figures for one in amounts(row.text)))
    left = len(named) - MAX_ROWS
    if left <= FEW_MORE_ROWS:
        return named
    more = _MORE[script(named[0].text)].format(count=left)
    return [*named[:MAX_ROWS], Snippet(kind="row", text=more, place=named[MAX_ROWS].place)]


def names_row(wanted: Sequence[SubQuestion], rows: Sequence[Snippet]) -> bool:
    """Whether a question names one of several rows by the words of their first cells, or by a figure in their range."""
    return len(rows) > 1 and (
        len(_in_range(wanted, [*rows])) < len(rows) or _named_rows(wanted, rows)[1] >= NAMED_ROW_SHARE
    )


def asks_for_others(wanted: Sequence[SubQuestion]) -> bool:
    """Whether a question asks for other rows than that of the user, or for all."""
    return any(_OTHERS.search(each.message) for each in wanted)


def _is_named_by_letters_alone(wanted: Sequence[SubQuestion], rows: Sequence[Snippet]) -> bool:
    """Whether no word of a row is said, only a letter of one: 母の弟 is none of 父母・子."""
    cases = [_case(row) for row in rows]
    return all(max(_shares(each, cases, 0.0)) < NAMED_ROW_SHARE for each in wanted)


def _in_range(wanted: Sequence[SubQuestion], rows: list[Snippet]) -> list[Snippet]:
    """The rows without those of other figures, or ranges, than that of the message (12 km: 10km以上15km未満)."""
    said = [one for each in wanted for one in amounts(days_before_as_figures(each.said))]
    ranges = [range_of(row.case) for row in rows]
    if not any(one.holds(figure) for one in ranges if one for figure in said):
        return rows
    held = zip(rows, ranges, strict=True)
    return [row for row, one in held if one is None or any(one.holds(figure) for figure in said)]


def _named_rows(wanted: Sequence[SubQuestion], rows: Sequence[Snippet]) -> tuple[list[Snippet], float]:
    """The rows that are named, the best first, and how surely the best is; all rows if none is named, those first of
    which the message says most."""
    cases = [_case(row) for row in rows]
    named, best = dict[int, float](), [0.0] * len(rows)
    for each in wanted:
        shares = _shares(each, cases)
        beside = _shares_beside(each, rows, cases)
        values = [share + BESIDE_SHARE * more for share, more in zip(shares, beside, strict=True)]
        likely = {place: value for place, value in enumerate(values) if value >= NAMED_AS_WELL_SHARE * max(values)}
        if max(shares) >= NAMED_ROW_SHARE:
            named.update({place: max(value, named.get(place, 0.0)) for place, value in likely.items()})
        elif max(_shares(each, cases, 0.0)) >= FIRST_ROW_SHARE:
            half = max(_word_shares(each, cases)) >= NAMED_ROW_SHARE
            if half and len(likely) <= FEW_ROWS_SHARE * len(rows):
                named.update(likely)
            best = [max(value, likely.get(place, 0.0)) for place, value in enumerate(best)]
    order = sorted(named or range(len(rows)), key=lambda place: -(named or dict(enumerate(best)))[place])
    return [rows[place] for place in order], max(named.values(), default=0.0)


def _case(row: Snippet) -> _Case:
    inside = frozenset(word for part in _BRACKETS.findall(row.case) for word in content_words(part))
    examples = [parts for one in _BRACKETS.findall(row.case) if len(parts := _JOINED.split(one)) > 1]
    alternatives = [*_JOINED.split(_BRACKETS.sub(" ", row.case)), *(part for parts in examples for part in parts)]
    joined = [frozenset(content_words(part)) - _ANYBODY for part in alternatives]
    return _Case([words for words in joined if words] or [inside], inside, frozenset(terms(row.text)))


def _shares(each: SubQuestion, cases: Sequence[_Case], same_letter: float = SAME_LETTER_SHARE) -> list[float]:
    """How surely a question names each row, or one of the cases joined in it (0 to 1): the share of the words, the rarer
    in the table the more they count."""
    held = Counter(word for case in cases for word in case.words)
    everywhere = {word for word in cases[0].others if all(word in case.others for case in cases)}  # names of columns
    asked = (words_with_synonyms(each.said) | each.words.keys()) - (everywhere - held.keys())
    known = asked & held.keys()
    letters = {letter for word in asked - known for letter in _LETTER.findall(word)}

    def share(words: frozenset[str]) -> float:
        weights = {word: math.log(len(cases) / held[word]) for word in words}
        credit = {word: 1.0 if word in known else same_letter * bool(letters & set(word)) for word in words}
        total = math.fsum(weights.values())
        if all(word.isdigit() for word in words & known) and not all(word.isdigit() for word in words):
            credit = {word: 0.0 if word.isdigit() else credit[word] for word in words}  # 3 in "plan 3" names no plan
        return math.fsum(weights[word] * credit[word] for word in words) / total if total else 0.0

    return [max(share(words) for words in case.joined) for case in cases]


def _word_shares(each: SubQuestion, cases: Sequence[_Case]) -> list[float]:
    """The share of the words of each row's case that a question says, all alike."""
    meant = words_with_synonyms(each.said) | each.words.keys()
    return [max(len(words & meant) / len(words) for words in case.joined) if case.words else 0.0 for case in cases]


def _shares_beside(each: SubQuestion, rows: Sequence[Snippet], cases: Sequence[_Case]) -> list[float]:
    """Of what a question says and not all rows do, the share that each row says anywhere; a figure counts as a word."""
    said = words_with_synonyms(each.said) | each.words.keys()
    figures = amounts(each.said)
    found = [
        {*((case.others | case.brackets) & said), *(one.text for one in amounts(row.text) if one in figures)}
        for row, case in zip(rows, cases, strict=True)
    ]
    telling = {word for words in found for word in words if not all(word in others for others in found)}
    return [len(words & telling) / len(telling) if telling else 0.0 for words in found]
