"""Choosing what to quote: the passages that answer, and the pieces of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from core.answer.units import Unit, units
from core.base.language import content, numbers, script, terms
from core.base.types import Hit

SHORT = {"ja": 190, "zh": 150, "en": 420}  # a passage up to this many characters is quoted whole
MOST = 3  # sentences quoted from a longer passage
MOST_ROWS = 8
SMALL_TABLE = 4  # rows of a table that is quoted whole
HEAD, UNIT, COVER = 0.7, 0.35, 0.5  # weights of heading, best piece and coverage beside the search score
SECOND_SCORE = 0.62  # a second passage is quoted when it scores this much of the first and adds words of the question
_TIME = re.compile(
    r"いつ|何日|何時|何年|何か月|期限|締|まで|\b(?:when|how long|deadline|date|until|how soon|what time)\b", re.I
)
_MONEY = re.compile(r"いくら|何円|料金|費用|金額|価格|上限|\b(?:how much|price|cost|fee|charge)\b", re.I)
_AMOUNT = re.compile(
    r"何(?:人|名|回|個|文字|件|歳|着|台|%|GB|MB)|どのくらい|\b(?:how (?:many|big|large|old|often))\b", re.I
)
_EXCEPTION = re.compile(r"^(?:ただし|なお|また、?ただし|例外|However|Except|Unless|The exception)")


def choose(question: str, hits: Sequence[Hit], weights: Mapping[str, float]) -> list[tuple[int, list[Unit]]]:
    """What to quote, as (number of the passage from 1, its pieces in order); one or two passages."""
    wanted = set(content(question))
    ranked = sorted(range(len(hits)), key=lambda i: -_passage_score(question, wanted, hits[i], weights))
    first = ranked[0]
    picked = [first]
    missing = wanted - _words(hits[first])
    top = _passage_score(question, wanted, hits[first], weights)
    for other in ranked[1:3]:
        adds = missing & _words(hits[other])
        close = _passage_score(question, wanted, hits[other], weights) >= SECOND_SCORE * top
        if adds and close and len(picked) < 2:
            picked.append(other)
    return [(i + 1, _pieces(question, wanted, hits[i], weights)) for i in picked]


def _words(hit: Hit) -> frozenset[str]:
    passage = hit.passage
    return frozenset(terms(f"{passage.title} {passage.heading} {passage.text}"))


def _passage_score(question: str, wanted: set[str], hit: Hit, weights: Mapping[str, float]) -> float:
    head = frozenset(terms(f"{hit.passage.title} {hit.passage.heading}"))
    best = max((_unit_score(question, wanted, unit, weights) for unit in units(hit.passage.text)), default=0.0)
    total = math.fsum(weights.get(word, 1.0) for word in wanted) or 1.0
    in_head = math.fsum(weights.get(word, 1.0) for word in wanted & head) / total
    return hit.score + HEAD * in_head + UNIT * best / total + COVER * hit.coverage


def _unit_score(question: str, wanted: set[str], unit: Unit, weights: Mapping[str, float]) -> float:
    shared = wanted & frozenset(terms(unit.text))
    score = math.fsum(weights.get(word, 1.0) for word in shared)
    figures = numbers(unit.text)
    if figures and (_TIME.search(question) or _AMOUNT.search(question) or _MONEY.search(question)):
        score += 0.8
    if _MONEY.search(question) and re.search(r"円|\$|€|£|USD|EUR|dollar", unit.text):
        score += 0.8
    return score + 0.5 * len(figures & numbers(question))


def _pieces(question: str, wanted: set[str], hit: Hit, weights: Mapping[str, float]) -> list[Unit]:
    all_units = list(units(hit.passage.text))
    rows = _rows(question, wanted, [unit for unit in all_units if unit.kind == "row"], weights)
    steps = [unit for unit in all_units if unit.kind == "step"]
    plain = [unit for unit in all_units if unit.kind == "sentence"]
    if sum(len(unit.text) for unit in plain) > SHORT[script(hit.passage.text)]:
        plain = _best_sentences(question, wanted, plain, weights)
    return sorted([*plain, *steps, *rows], key=lambda unit: unit.place)


def _rows(question: str, wanted: set[str], rows: list[Unit], weights: Mapping[str, float]) -> list[Unit]:
    """The rows that share the question's telling words (those not in every row), else all of a short table."""
    if len(rows) <= SMALL_TABLE:
        return rows
    common = set(terms(rows[0].text)).intersection(*(terms(row.text) for row in rows[1:]))
    telling = wanted - common
    scores = [math.fsum(weights.get(word, 1.0) for word in telling & frozenset(terms(row.text))) for row in rows]
    top = max(scores)
    if top > 0:
        return [row for row, score in zip(rows, scores, strict=True) if score >= 0.6 * top][:MOST_ROWS]
    return rows[:MOST_ROWS]


def _best_sentences(question: str, wanted: set[str], plain: list[Unit], weights: Mapping[str, float]) -> list[Unit]:
    scored = [
        _unit_score(question, wanted, unit, weights) + 0.6 / math.sqrt(1 + place) for place, unit in enumerate(plain)
    ]
    best = sorted(range(len(plain)), key=lambda i: -scored[i])[:MOST]
    after = {i + 1 for i in best if i + 1 < len(plain) and _EXCEPTION.match(plain[i + 1].text)}
    return [plain[i] for i in sorted({*best, *after})]
