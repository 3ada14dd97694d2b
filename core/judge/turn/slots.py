"""What kind of figure a question asks for, and whether an answer gives one."""

from __future__ import annotations

import re
from typing import Literal

from core.judge.text.amounts import Amount

Slot = Literal["money", "time", "count"]
_ASKED: dict[Slot, re.Pattern[str]] = {
    "money": re.compile(
        r"いくら|何円|費用は|料金は|値段|金額|\bhow much (?:does|do|is|are|will|would)\b|\bprice of\b|\bcosts?\b(?=[^.?]*\?)",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r"いつ(?!も)|何日|何時|何か月|何ヶ月|何年|何週|何営業日|期限|締め切り|締切|どのくらいの期間|日数"
        r"|\bwhen\b(?=[^.]*\?)|\bhow (?:long|soon|many (?:\w+ )?(?:days|weeks|months|hours|years))\b|\bby when\b|\bdeadline\b|\bwhat time\b",
        re.IGNORECASE,
    ),
    "count": re.compile(
        r"何(?:回|人|名|件|台|個|枚|着|文字|つ)|上限|\bhow many\b|\bhow (?:big|often)\b|\bhow much (?:off|storage)\b",
        re.IGNORECASE,
    ),
}
_MONEY = frozenset({"円", "dollar", "euro", "pound", "cent", "%", "割"})
_WORDS: dict[Slot, re.Pattern[str]] = {
    "money": re.compile(
        r"無料|無償|負担|不要|かかりません|\bfree\b|\b(?:no|any(?:thing)?) extra\b|\bn(?:o|['’]t) c(?:ost|harge)",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r"すぐ|即|いつでも|曜|\b(?:at once|immediately|right away|any time|whenever|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
        re.IGNORECASE,
    ),
}
_UNITS = re.compile(
    r"営業日|時|date|minute|month|日|年度?|年|月|秒|am|pm|second"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
)


def slots(question: str) -> tuple[Slot, ...]:
    """The kinds of figure that the question asks for."""
    return tuple(slot for slot, pattern in _ASKED.items() if pattern.search(question))


def empty_slots(question: str, figures: frozenset[Amount], answer: str) -> tuple[Slot, ...]:
    """The kinds of figure asked for of which the answer gives none, neither as a figure nor in words (free, at once)."""
    return tuple(
        slot
        for slot in slots(question)
        if not (any(_fills(slot, figure) for figure in figures) or (slot in _WORDS and _WORDS[slot].search(answer)))
    )


def _fills(slot: Slot, figure: Amount) -> bool:
    match slot:
        case "money":
            return figure.unit in _MONEY
        case "time":
            return bool(_UNITS.fullmatch(figure.unit)) or ":" in figure.figure
        case "count":
            return True
