"""What a question asks for, and whether a text has it: a kind of answer to look for, and a value to hold a reply
against.

The kinds of answer (money, time, a count, steps, a person) choose sections and sentences, so their patterns are wide.
The kinds of value (an amount, a period, a date, a place, a reason) judge a reply: their patterns are narrow, since a
reply that lacks the value loses marks.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from core.text.normalize import normalize

AnswerKind = Literal["money", "time", "count", "steps", "who"]
ValueKind = Literal["money", "clock", "period", "date", "count", "phone", "place", "reason"]


class KindPatterns(NamedTuple):
    """How a kind of answer shows: in a question, in a heading that announces it, in a snippet that holds it."""

    asked: re.Pattern[str]
    heading: re.Pattern[str]
    filled: re.Pattern[str]


def _patterns(asked: str, heading: str, filled: str) -> KindPatterns:
    return KindPatterns(*(re.compile(pattern, re.IGNORECASE) for pattern in (asked, heading, filled)))


KINDS: dict[AnswerKind, KindPatterns] = {
    "money": _patterns(
        r"いくら|何円|料金|費用|金額|価格|値段|単価|手数料|月額|年額"
        r"|\bhow much (?!storage|space|time|room)|\b(?:prices?|costs?|fees?|charges?|expensive|dollars)\b",
        r"料金|費用|金額|価格|単価|月額|支援金|祝金|手当|割引|上限|\b(?:prices?|costs?|fees?|discounts?)\b",
        r"\d[\d,.]{0,30}+\s*+万?円|無料|有料|\d\s*[%％]|[$€£]\s*\d|\b\d[\d,.]{0,30}+\s*+(?:dollars?|euros?|pounds?|percent|usd|eur)|\bfree\b",
    ),
    "time": _patterns(
        r"いつ|何(?:営業)?日|何時|何年|何[かヶカ箇]月|何週|期限|締め?切|期間|日数|どのくらい|どれくらい|最短|早く|納期|までに"
        r"|(?:^|\b(?:by|until|since|from|know|exactly|tell me|and|or) )when\b|\bwhen (?:do|does|did|is|are|was|can|could|will|must|should|may)\b"
        r"|\b(?:how (?:long|soon|fast|quickly|late)|deadline|what date|which date|what point|what time|how many (?:days|hours|weeks|months|minutes))\b",
        r"期限|期間|日数|時間|いつ|納期|時期|締め?切|まで"
        r"|\b(?:how (?:long|soon)|deadlines?|waiting time|times?|periods?|dates?|due|valid|overdue)\b|^when\b",
        r"\d\s*(?:営業)?日|\d\s*[かヶカ箇]月|\d\s*(?:年|時間?|分|週間?)|月末|当日|即日|前日|翌日|すぐに|直ちに"
        r"|\b\d{1,40}+\s*+(?:business |working |calendar |further ){0,4}(?:minutes?|hours?|days?|weeks?|months?|years?)\b|\bday \d+"
        r"|\b\d{1,2} (?:january|february|march|april|may|june|july|august|september|october|november|december)"
        r"|\bimmediately\b|\bat once\b",
    ),
    "count": _patterns(
        r"何(?:人|名|回|個|文字|件|歳|着|台|枚|つ|箱|本|冊|%|％|GB|MB|ギガ)|人数|回数|上限|定員|容量|いくつ|最低|最大"
        r"|\bhow (?:many|big|large|often)\b|\bhow much (?:storage|space|room)\b|\b(?:number of|limit|maximum|minimum)\b",
        r"人数|上限|数|容量|回数|定員|\b(?:numbers?|limits?|largest|size|maximum|what you get|storage|included)\b",
        r"\d",
    ),
    "steps": _patterns(
        r"方法|手順|やり方|仕方|手続き?|どうすれ|どうやって|どうやる|するには|には(?:どう|$)|どのように|どうしたら"
        r"|\bhow (?:do|can|could|should|would|must|shall) (?:i|we|you|one|a|an|the)\b|\bhow to\b|\bneed to know how\b|\bsteps\b"
        r"|\bwhat (?:do|should|can|must) (?:i|we) do\b|\bway to\b",
        r"方法|手順|やり方|手続|の申請$|\bhow to\b",
        r"を押|を開|を選|を入力|申請し|から申|で申|届け出|連絡し|\*\*|\b(?:choose|open|click|press|select|enter|type|go to|tap)\b",
    ),
    "who": _patterns(
        r"誰|だれ|どなた|承認者|決裁者|連絡先|窓口|担当|どこに(?:連絡|相談|問い?合わせ|聞)|どこへ"
        r"|(?:^|\b(?:know|ask|tell me|and|or) )whom?\b|\bwho (?:do|does|is|are|can|must|may|pays|should i)\b|\bwhich (?:desk|team|person|role)\b",
        r"承認者|決裁者|連絡|窓口|担当|問い合わせ|できる人|\bwho\b|\bcontact\b|\broles?\b",
        r"内線|課長|部長|室長|窓口|[一-龥]課|@|\b(?:owners?|admins?|desk|team|members?|guests?|support)\b",
    ),
}
_SIZE = re.compile(r"(?:上限|定員|容量|人数|大きさ|サイズ)[^。？?]{0,6}(?:どのくらい|どれくらい)")


@lru_cache(maxsize=4096)
def asked_kinds(question: str) -> tuple[AnswerKind, ...]:
    """The kinds of thing that a question asks for; none for one that asks whether or what."""
    found: list[AnswerKind] = [kind for kind, cues in KINDS.items() if cues.asked.search(question)]
    if "money" in found and "count" in found and "上限" in question:  # the most that is paid, not a number of things
        found.remove("count")
    if "time" in found and "count" in found and _SIZE.search(question):  # how much there is, not how long it takes
        found.remove("time")
    return tuple(found)


def announces_kind(heading: str, kind: AnswerKind) -> bool:
    """Whether a heading announces a thing of this kind."""
    return bool(KINDS[kind].heading.search(heading))


def says_kind(text: str, kind: AnswerKind, beside: str = "") -> bool:
    """Whether a text says a thing of this kind; what `beside` says too (the words of the question) does not count."""
    known = normalize(beside)
    return any(normalize(found[0]) not in known or not known for found in KINDS[kind].filled.finditer(text))


class _Value(NamedTuple):
    """How a value is asked for, and how a text states it."""

    asked: re.Pattern[str]
    stated: re.Pattern[str]


def _value(asked: str, stated: str) -> _Value:
    return _Value(re.compile(asked, re.IGNORECASE), re.compile(stated, re.IGNORECASE))


_MONTHS = r"jan(?:uary)?|feb(?:ruary)?|march|april|may \d|june|july|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_SPELT = r"one|two|three|four|five|six|seven|eight|nine|ten|twelve|twice|once|no"
_VALUES: dict[ValueKind, _Value] = {
    "money": _value(
        r"いくら|何円|(?:費用|料金|値段|金額|月額|年額)(?:は|って|、|\?|$)|\bhow much (?:does|do|is|are|will|would|it)\b|\b(?:price|cost|fee)s?\b",
        r"\d[\d,.]*\s*(?:万|千)?円|\d\s*(?:%|割)|[$€£¥]\s*\d|\d\s*(?:dollars?|euros?|pounds?|usd|eur)|無料|無償|半額|全額|負担|かかりません|\bfree\b|no (?:extra )?(?:charge|cost)",
    ),
    "clock": _value(
        r"何時(?!間)|\bwhat time\b|\b(?:opening|office|business|service) hours\b|営業時間|受付時間",
        r"\d{1,2}\s*[:時]|\d\s*(?:am|pm|a\.m|p\.m)\b|24\s*時間|\bnoon\b|\bmidnight\b|終日|around the clock",
    ),
    "period": _value(
        r"何日(?!まで|に|から|ごろ|頃)|何(?:か|カ|ヶ|ヵ|箇)月|何年(?!度)|何週|何分|何時間|何営業日|日数|期間|どの?(?:くらい|ぐらい|れくらい|れぐらい)(?:の期間|かか|待|で|前|持|残|保)"
        r"|\bhow (?:long|soon|many (?:\w+ )?(?:days|weeks|months|hours|years|minutes))\b",
        rf"(?:\d|[一二三数半])\s*(?:営業)?(?:日|週|(?:か|カ|ヶ|ヵ|箇)?月|年|時間|分|秒|泊)|(?:\d|\b(?:{_SPELT}|a|an|few))[\s-]+(?:business |working )?(?:days?|weeks?|months?|hours?|years?|minutes?|seconds?)|すぐ|即|無期限|いつでも|\b(?:immediately|instantly|at once|right away|permanent|for ever|forever|unlimited|any time)\b",
    ),
    "date": _value(
        r"いつ(?!も|でも|の間)|何月何日|何日(?:まで|に|から|ごろ|頃)|(?:期限|締め切り|締切|〆切)(?:は|って|を(?:教|知)|の(?:日|教)|$|\?|いつ)|(?:^|[.!?,;] |\b(?:and|or|know|tell me|say) )when\b|\bby when\b|\bdeadline\b|\bwhat (?:day|date)\b",
        rf"\d\s*(?:月|日|年|時|営業日|週)|月末|月初|末日|翌|当日|前日|毎[日週月年]|曜|\d[/:]\d|(?:\d|\b(?:{_SPELT}))[\s-]+(?:business |working )?(?:days?|weeks?|months?|hours?|years?|minutes?)|\b(?:{_MONTHS})\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:1[5-9]|20)\d\d\b|すぐ|即|いつでも|\b(?:immediately|at once|right away|any time|end of)\b",
    ),
    "count": _value(
        r"何(?:回|人|名|件|台|個|枚|着|文字|つ|本|冊|種類|GB|ギガ)|いくつ|上限|最大|\bhow (?:many|often|big|large|far)\b|\bhow much (?:off|storage|space|data)\b|\b(?:limit|maximum)\b",
        rf"\d|\b(?:{_SPELT}|unlimited|every)\b|[一二三四五六七八九十]\s*(?:回|人|名|件|台|個|枚|つ)|無制限|上限は?(?:ありません|ない)|毎[日週月年]",
    ),
    "phone": _value(
        r"何番|電話番号|内線(?:番号)?(?:は|を|って)|\b(?:phone|telephone) number\b|\bwhat number\b",
        r"\d{2,5}[-ー]\d{2,4}|\d{3,}|0120",
    ),
    "place": _value(
        r"どこ|どちらへ|\bwhere\b",
        r"」|へ|に(?:あり|ござい|届|出|提出|申|連絡|相談)|で(?:申|確認|行|手続|受|購入|でき|お)|[→›>]|\b(?:in|at|on|under|to|from|open|near|via)\b",
    ),
    "reason": _value(
        r"なぜ|どうして|なんで|何で(?!す)|原因|理由|\bwhy\b",
        r"ため|ので|から(?:です|、)|(?:原因|理由)|による|よります|によって|せい|\b(?:because|since|due to|cause[sd]?|reason|owing|so that|as a result|means that|therefore)\b",
    ),
}


def asked_values(question: str) -> tuple[ValueKind, ...]:
    """The kinds of value that a question asks for; none for how and whether."""
    plain = normalize(question)
    return tuple(kind for kind, value in _VALUES.items() if value.asked.search(plain))


def states_value(text: str, kind: ValueKind) -> bool:
    """Whether a text states a value of the kind, as a figure or in words (free, at once)."""
    return bool(_VALUES[kind].stated.search(normalize(text)))
