"""The kind of answer that a question asks for (an amount, a time, a place, steps, a person ...), and whether a text has
it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from core.text.normalize import normalize

Kind = Literal["money", "time", "count", "steps", "who", "phone", "place", "reason"]
# Kinds that are answered with a figure, or with a word for one (free, at once)
FIGURES: tuple[Kind, ...] = ("money", "time", "count")
# Kinds by which sections and sentences are chosen: headings announce them
SOUGHT: tuple[Kind, ...] = (*FIGURES, "steps", "who")
VALUES: tuple[Kind, ...] = (*FIGURES, "phone", "place", "reason")  # kinds that a good answer includes


class KindPatterns(NamedTuple):
    """Patterns of a kind."""

    asked: re.Pattern[str]  # in a question
    said: re.Pattern[str]  # in a text that answers it


def _patterns(asked: str, said: str) -> KindPatterns:
    return KindPatterns(re.compile(asked), re.compile(said))


# What follows a noun that is asked for by itself: "料金は", "料金を教えて", but not "料金の支払い".
_ASKED_FOR = r"(?:は|って|、|\?|。|$|いつ|を(?:教|知)|が(?:知|わか|分か)|の(?:日|教)|について)"
_SPELT = r"one|two|three|four|five|six|seven|eight|nine|ten|twelve|twice|once|no"
_MONTHS = r"jan(?:uary)?|feb(?:ruary)?|march|april|may \d|june|july|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_MONTH_JA = r"[かカヶヵ箇]月"
KINDS: dict[Kind, KindPatterns] = {
    "money": _patterns(
        rf"いくら|何円|(?:料金|費用|金額|価格|値段|単価|手数料|月額|年額){_ASKED_FOR}"
        r"|\bhow much (?!storage|space|time|room|off|data)|\b(?:prices?|costs?|fees?|charges?|expensive|dollars)\b"
        r"|\bwhat (?:do|does|did|will|would|must|should) (?:[\w'’]{1,15} ){1,3}(?:pay|be charged)\b",
        r"\d[\d,.]{0,30}+\s*+[万千]?円|\d\s*(?:%|割)|[$€£¥]\s*\d|\d\s*+(?:dollars?|euros?|pounds?|percent|usd|eur)\b"
        r"|無料|有料|無償|半額|全額|負担|かかりません|(?:費用|料金|代金|手数料)[^。]{0,4}不要"
        r"|\bfree\b|\b(?:no|any(?:thing)?) extra\b|\bn(?:o|['’]t) c(?:ost|harge)",
    ),
    "time": _patterns(
        rf"いつ(?!も|でも|の間)|何(?:営業)?日|何時|何年|何{_MONTH_JA}|何週|何分|什么时候|何时|哪一?年|几(?:月|号|点)"
        rf"|(?:期限|締め?切り?|〆切|期間|日数|納期|営業時間|受付時間){_ASKED_FOR}|ど(?:の|れ)[くぐ]らい|最短|早く|までに"
        r"|(?:^|[.!?,;] |\b(?:by|until|since|from|know|exactly|tell me|say|and|or) )when\b|\bwhen (?:do|does|did|is|are|was|can|could|will|must|should|may)\b"
        r"|\bhow (?:long|soon|fast|quickly|late)\b|\bhow many (?:\w+ )?(?:days|hours|weeks|months|years|minutes)\b|\bdeadline\b"
        r"|\b(?:what|which) (?:date|day|time|year|month|point|century|decade)\b|\b(?:opening|office|business|service) hours\b",
        rf"(?:\d|[一二三数半])\s*(?:営業)?(?:日|週|{_MONTH_JA}|月|年|時|分|秒|泊)|\d:\d\d|\d/\d|月末|月初|末日|当日|前日|翌|毎[日週月年]|曜|終日"
        r"|すぐ|即|直ちに|無期限|いつでも"
        rf"|(?:\d|\b(?:{_SPELT}|a|an|few))[\s-]+(?:business |working |calendar |further ){{0,4}}(?:minutes?|hours?|days?|weeks?|months?|years?|seconds?)\b"
        rf"|\bday \d|\d\s*(?:am|pm|a\.m|p\.m)\b|\b(?:{_MONTHS})\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:1[5-9]|20)\d\d\b"
        r"|\b(?:noon|midnight|around the clock|immediately|instantly|at once|right away|permanent|for ?ever|unlimited|any time|whenever|end of)\b",
    ),
    "count": _patterns(
        r"何(?:人|名|回|個|文字|件|歳|着|台|枚|つ|箱|本|冊|種類|%|gb|mb|ギガ)|人数|回数|上限|定員|容量|いくつ|最低|最大|多少|几(?!乎|月|号|点)|幾"
        r"|\bhow (?:many|big|large|often|far|old|tall|high|deep|heavy|wide)\b|\bhow much (?:off|storage|space|room|data)\b"
        r"|\b(?:number of|limit|maximum|minimum|percentage|population)\b",
        rf"\d|\b(?:{_SPELT}|unlimited|every)\b|[一二三四五六七八九十]\s*(?:回|人|名|件|台|個|枚|つ)|無制限|上限は?(?:ありません|ない)|毎[日週月年]",
    ),
    "steps": _patterns(
        r"方法|手順|やり方|仕方|手続き?|どうすれ|どうやって|どうやる|するには|には(?:どう|$)|どのように|どうしたら"
        r"|\bhow (?:do|can|could|should|would|must|shall) (?:i|we|you|one|a|an|the)\b|\bhow to\b|\bneed to know how\b|\bsteps\b"
        r"|\bwhat (?:do|should|can|must) (?:i|we) do\b|\bway to\b",
        r"を押|を開|を選|を入力|申請し|から申|で申|届け出|連絡し|\*\*|\b(?:choose|open|click|press|select|enter|type|go to|tap)\b",
    ),
    "who": _patterns(
        r"誰|だれ|どなた|承認者|決裁者|連絡先|窓口|担当|どこに(?:連絡|相談|問い?合わせ|聞)|どこへ"
        r"|(?:^|\b(?:know|ask|tell me|and|or) )whom?\b|\bwho (?:do|does|is|are|can|must|may|pays|should i)\b|\bwhich (?:desk|team|person|role)\b",
        r"内線|課長|部長|室長|窓口|[一-龥]課|@|\b(?:owners?|admins?|desk|team|members?|guests?|support)\b",
    ),
    "phone": _patterns(
        r"何番|電話番号|内線(?:番号)?(?:は|を|って)|\b(?:phone|telephone) number\b|\bwhat number\b",
        r"\d{2,5}[-ー]\d{2,4}|\d{3,}",
    ),
    "place": _patterns(
        r"どこ|どちらへ|\bwhere\b",
        r"」|へ|に(?:あり|ござい|届|出|提出|申|連絡|相談)|で(?:申|確認|行|手続|受|購入|でき|お)|[→›>]|\b(?:in|at|on|under|to|from|open|near|via)\b",
    ),
    "reason": _patterns(
        r"なぜ|どうして|なんで|何で(?!す)|原因|理由|\bwhy\b",
        r"ため|ので|から(?:です|、)|(?:原因|理由)|による|よります|によって|せい|\b(?:because|since|due to|cause[sd]?|reason|owing|so that|as a result|means that|therefore)\b",
    ),
}
_SIZE = re.compile(r"(?:上限|定員|容量|人数|大きさ|サイズ)[^。?]{0,6}ど(?:の|れ)[くぐ]らい")


@lru_cache(maxsize=4096)
def asked_kinds(question: str, among: tuple[Kind, ...] = SOUGHT) -> tuple[Kind, ...]:
    """The kinds that a question asks for; () for a question that asks whether or what."""
    plain = normalize(question)
    found: list[Kind] = [kind for kind in KINDS if kind in among and KINDS[kind].asked.search(plain)]
    if "money" in found and "count" in found and "上限" in plain:  # the most that is paid, not a number of things
        found.remove("count")
    if "time" in found and "count" in found and _SIZE.search(plain):  # how much there is, not how long it takes
        found.remove("time")
    return tuple(found)


def says_kind(text: str, kind: Kind, beside: str = "") -> bool:
    """Whether a text has an answer of this kind.

    beside: a text, such as the question, whose words do not count
    """
    known = normalize(beside)
    return any(found[0] not in known or not known for found in KINDS[kind].said.finditer(normalize(text)))
