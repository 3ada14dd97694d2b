"""The kinds of thing that a question asks for: money, time, a count, steps, a person; and whether a text says one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from core.text.normalize import normalize

AnswerKind = Literal["money", "time", "count", "steps", "who"]


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


@lru_cache(maxsize=4096)
def asked_kinds(question: str) -> tuple[AnswerKind, ...]:
    """The kinds of thing that a question asks for; none for one that asks whether or what."""
    found: list[AnswerKind] = [kind for kind, cues in KINDS.items() if cues.asked.search(question)]
    if "money" in found and "count" in found and "上限" in question:  # the most that is paid, not a number of things
        found.remove("count")
    return tuple(found)


def announces_kind(heading: str, kind: AnswerKind) -> bool:
    """Whether a heading announces a thing of this kind."""
    return bool(KINDS[kind].heading.search(heading))


def says_kind(text: str, kind: AnswerKind, beside: str = "") -> bool:
    """Whether a text says a thing of this kind; what `beside` says too (the words of the question) does not count."""
    known = normalize(beside)
    return any(normalize(found[0]) not in known or not known for found in KINDS[kind].filled.finditer(text))
