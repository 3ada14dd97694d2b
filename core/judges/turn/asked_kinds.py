"""The kind of value that a question asks for (an amount, a period, a time of day, a place, a reason), and whether a text has one."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from core.text.normalize import normalize

AskedKind = Literal["money", "clock", "period", "date", "count", "phone", "place", "reason"]


class _Kind(NamedTuple):
    """How a kind is asked for, and how a text gives it."""

    asked: re.Pattern[str]
    given: re.Pattern[str]


def _kind(asked: str, given: str) -> _Kind:
    return _Kind(re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE))


_MONTHS = r"jan(?:uary)?|feb(?:ruary)?|march|april|may \d|june|july|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_SPELT = r"one|two|three|four|five|six|seven|eight|nine|ten|twelve|twice|once|no"
_KINDS: dict[AskedKind, _Kind] = {
    "money": _kind(
        r"いくら|何円|(?:費用|料金|値段|金額|月額|年額)(?:は|って|、|\?|$)|\bhow much (?:does|do|is|are|will|would|it)\b|\b(?:price|cost|fee)s?\b",
        r"\d[\d,.]*\s*(?:万|千)?円|\d\s*(?:%|割)|[$€£¥]\s*\d|\d\s*(?:dollars?|euros?|pounds?|usd|eur)|無料|無償|半額|全額|負担|かかりません|\bfree\b|no (?:extra )?(?:charge|cost)",
    ),
    "clock": _kind(
        r"何時(?!間)|\bwhat time\b|\b(?:opening|office|business|service) hours\b|営業時間|受付時間",
        r"\d{1,2}\s*[:時]|\d\s*(?:am|pm|a\.m|p\.m)\b|24\s*時間|\bnoon\b|\bmidnight\b|終日|around the clock",
    ),
    "period": _kind(
        r"何日(?!まで|に|から|ごろ|頃)|何(?:か|カ|ヶ|ヵ|箇)月|何年(?!度)|何週|何分|何時間|何営業日|日数|期間|どの?(?:くらい|ぐらい|れくらい|れぐらい)(?:の期間|かか|待|で|前|持|残|保)"
        r"|\bhow (?:long|soon|many (?:\w+ )?(?:days|weeks|months|hours|years|minutes))\b",
        rf"(?:\d|[一二三数半])\s*(?:営業)?(?:日|週|(?:か|カ|ヶ|ヵ|箇)?月|年|時間|分|秒|泊)|(?:\d|\b(?:{_SPELT}|a|an|few))[\s-]+(?:business |working )?(?:days?|weeks?|months?|hours?|years?|minutes?|seconds?)|すぐ|即|無期限|いつでも|\b(?:immediately|instantly|at once|right away|permanent|for ever|forever|unlimited|any time)\b",
    ),
    "date": _kind(
        r"いつ(?!も|でも|の間)|何月何日|何日(?:まで|に|から|ごろ|頃)|(?:期限|締め切り|締切|〆切)(?:は|って|を(?:教|知)|の(?:日|教)|$|\?|いつ)|(?:^|[.!?,;] |\b(?:and|or|know|tell me|say) )when\b|\bby when\b|\bdeadline\b|\bwhat (?:day|date)\b",
        rf"\d\s*(?:月|日|年|時|営業日|週)|月末|月初|末日|翌|当日|前日|毎[日週月年]|曜|\d[/:]\d|(?:\d|\b(?:{_SPELT}))[\s-]+(?:business |working )?(?:days?|weeks?|months?|hours?|years?|minutes?)|\b(?:{_MONTHS})\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:1[5-9]|20)\d\d\b|すぐ|即|いつでも|\b(?:immediately|at once|right away|any time|end of)\b",
    ),
    "count": _kind(
        r"何(?:回|人|名|件|台|個|枚|着|文字|つ|本|冊|種類|GB|ギガ)|いくつ|上限|最大|\bhow (?:many|often|big|large|far)\b|\bhow much (?:off|storage|space|data)\b|\b(?:limit|maximum)\b",
        rf"\d|\b(?:{_SPELT}|unlimited|every)\b|[一二三四五六七八九十]\s*(?:回|人|名|件|台|個|枚|つ)|無制限|上限は?(?:ありません|ない)|毎[日週月年]",
    ),
    "phone": _kind(
        r"何番|電話番号|内線(?:番号)?(?:は|を|って)|\b(?:phone|telephone) number\b|\bwhat number\b",
        r"\d{2,5}[-ー]\d{2,4}|\d{3,}|0120",
    ),
    "place": _kind(
        r"どこ|どちらへ|\bwhere\b",
        r"」|へ|に(?:あり|ござい|届|出|提出|申|連絡|相談)|で(?:申|確認|行|手続|受|購入|でき|お)|[→›>]|\b(?:in|at|on|under|to|from|open|near|via)\b",
    ),
    "reason": _kind(
        r"なぜ|どうして|なんで|何で(?!す)|原因|理由|\bwhy\b",
        r"ため|ので|から(?:です|、)|(?:原因|理由)|による|よります|によって|せい|\b(?:because|since|due to|cause[sd]?|reason|owing|so that|as a result|means that|therefore)\b",
    ),
}


def asked_kinds(question: str) -> tuple[AskedKind, ...]:
    """The kinds of value that a question asks for; none for how and whether."""
    plain = normalize(question)
    return tuple(name for name, kind in _KINDS.items() if kind.asked.search(plain))


def holds_kind(kind: AskedKind, text: str) -> bool:
    """Whether a text gives a value of the kind, as a figure or in words (free, at once)."""
    return bool(_KINDS[kind].given.search(normalize(text)))
