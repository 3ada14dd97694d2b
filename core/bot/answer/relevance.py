"""How well a passage answers what is asked: words, the kind of thing asked for, and opposites."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from core.base.types import Hit
from core.bot.answer.units import Unit, units
from core.text.language import content_words, script, terms
from core.text.negation import OPPOSITE_WORDS
from core.text.normalize import normalize
from core.text.numbers import numbers
from core.text.questions import question_parts
from core.text.synonyms import Phrase, synonyms

Slot = Literal["money", "time", "count", "steps", "who"]


class Cues(NamedTuple):
    """How a slot shows: in a question, in a heading that names it, in a piece that fills it."""

    asked: re.Pattern[str]
    heading: re.Pattern[str]
    filled: re.Pattern[str]


def _cues(asked: str, heading: str, filled: str) -> Cues:
    return Cues(*(re.compile(pattern, re.IGNORECASE) for pattern in (asked, heading, filled)))


CUES: dict[Slot, Cues] = {
    "money": _cues(
        r"いくら|何円|料金|費用|金額|価格|値段|単価|手数料|月額|年額"
        r"|\bhow much (?!storage|space|time|room)|\b(?:prices?|costs?|fees?|charges?|expensive|dollars)\b",
        r"料金|費用|金額|価格|単価|月額|支援金|祝金|手当|割引|上限|\b(?:prices?|costs?|fees?|discounts?)\b",
        r"\d[\d,.]*\s*(?:万)?円|無料|有料|\d\s*[%％]|[$€£]\s*\d|\b\d[\d,.]*\s*(?:dollars?|euros?|pounds?|percent|usd|eur)|\bfree\b",
    ),
    "time": _cues(
        r"いつ|何(?:営業)?日|何時|何年|何[かヶカ箇]月|何週|期限|締め?切|期間|日数|どのくらい|どれくらい|最短|早く|納期|までに"
        r"|(?:^|\b(?:by|until|since|from|know|exactly|tell me|and|or) )when\b|\bwhen (?:do|does|did|is|are|was|can|could|will|must|should|may)\b"
        r"|\b(?:how (?:long|soon|fast|quickly|late)|deadline|what date|which date|what point|what time|how many (?:days|hours|weeks|months|minutes))\b",
        r"期限|期間|日数|時間|いつ|納期|時期|締め?切|まで"
        r"|\b(?:how (?:long|soon)|deadlines?|waiting time|times?|periods?|dates?|due|valid|overdue)\b|^when\b",
        r"\d+\s*(?:営業)?日|\d+\s*[かヶカ箇]月|\d+\s*(?:年|時間?|分|週間?)|月末|当日|即日|前日|翌日|すぐに|直ちに"
        r"|\b\d+\s*(?:business |working |calendar |further )*(?:minutes?|hours?|days?|weeks?|months?|years?)\b|\bday \d+"
        r"|\b\d{1,2} (?:january|february|march|april|may|june|july|august|september|october|november|december)"
        r"|\bimmediately\b|\bat once\b",
    ),
    "count": _cues(
        r"何(?:人|名|回|個|文字|件|歳|着|台|枚|つ|箱|本|冊|%|％|GB|MB|ギガ)|人数|回数|上限|定員|容量|いくつ|最低|最大"
        r"|\bhow (?:many|big|large|often)\b|\bhow much (?:storage|space|room)\b|\b(?:number of|limit|maximum|minimum)\b",
        r"人数|上限|数|容量|回数|定員|\b(?:numbers?|limits?|largest|size|maximum|what you get|storage|included)\b",
        r"\d",
    ),
    "steps": _cues(
        r"方法|手順|やり方|仕方|手続き?|どうすれ|どうやって|どうやる|するには|には(?:どう|$)|どのように|どうしたら"
        r"|\bhow (?:do|can|could|should|would|must|shall) (?:i|we|you|one|a|an|the)\b|\bhow to\b|\bneed to know how\b|\bsteps\b"
        r"|\bwhat (?:do|should|can|must) (?:i|we) do\b|\bway to\b",
        r"方法|手順|やり方|手続|の申請$|\bhow to\b",
        r"を押|を開|を選|を入力|申請し|から申|で申|届け出|連絡し|\*\*|\b(?:choose|open|click|press|select|enter|type|go to|tap)\b",
    ),
    "who": _cues(
        r"誰|だれ|どなた|承認者|決裁者|連絡先|窓口|担当|どこに(?:連絡|相談|問い?合わせ|聞)|どこへ"
        r"|(?:^|\b(?:know|ask|tell me|and|or) )whom?\b|\bwho (?:do|does|is|are|can|must|may|pays|should i)\b|\bwhich (?:desk|team|person|role)\b",
        r"承認者|決裁者|連絡|窓口|担当|問い合わせ|できる人|\bwho\b|\bcontact\b|\broles?\b",
        r"内線|課長|部長|室長|窓口|[一-龥]課|@|\b(?:owners?|admins?|desk|team|members?|guests?|support)\b",
    ),
}


@lru_cache(maxsize=4096)
def asked(question: str) -> tuple[Slot, ...]:
    """The kinds of thing that a question asks for; none for one that asks whether or what."""
    found: list[Slot] = [slot for slot, cues in CUES.items() if cues.asked.search(question)]
    if "money" in found and "count" in found and "上限" in question:  # the most that is paid, not a number of things
        found.remove("count")
    return tuple(found)


def names(heading: str, slot: Slot) -> bool:
    """Whether a heading announces a thing of this kind."""
    return bool(CUES[slot].heading.search(heading))


def fills(unit: Unit, slot: Slot) -> bool:
    """Whether a piece says a thing of this kind."""
    return (slot == "steps" and unit.kind == "step") or bool(CUES[slot].filled.search(unit.text))


# How much each trait counts; from a ranking fitted on the questions of hinata and harbor (which of the passages found
# holds most of the reference), rounded.
WEIGHTS = {
    "score": 1.0,
    "coverage": 0.5,
    "head": 0.2,
    "last": 0.4,
    "close": 0.4,
    "title": 0.2,
    "unit": 0.35,
    "filled": 0.2,
    "fills": 0.3,
    "named": 0.4,
    "focus": 0.4,
    "opposite": 0.3,
}
OTHER = 0.1  # weight of the words of the message's other questions
BESIDE = 0.4  # weight of the message's other words in a question that is one of several
_PARTICLE = re.compile(r"\b(?:turn|switch|sign|log|opt|clock)\w*(?: [\w-]+){0,4}? (on|off|in|out)\b")
_SIGNS = sorted({word for pair in OPPOSITE_WORDS for side in pair for word in side})
_WORD = re.compile(r"[a-z]+")
_FOCUS = re.compile(
    r"\bhow (?:many|much)((?: [a-z-]+){1,2})|\bhow long (?:does|do|is|are|will|can)((?: [a-z-]+){1,3})"
    r"|\b(?:price|cost|number|deadline) (?:of|for)((?: [\w-]+){1,3})"
    r"|([^、。はがのをにで\s]{1,12})(?:は|って|が)、?(?:いくら|何|いつ|誰|どこ|どれ|どの|どなた)"
)


class Need(NamedTuple):
    """One thing to answer: the question, the kind of thing it asks for, and its words with their weights (not empty).

    `other` are the phrases that stand for a word (a thesaurus), `signs` the words that have an opposite, `focus` those
    that name what is counted, priced or timed.
    """

    question: str
    slot: Slot | None
    words: dict[str, float]
    other: dict[str, tuple[Phrase, ...]]
    signs: frozenset[str]
    focus: frozenset[str]


def need(message: str, part: str, slot: Slot | None, weights: Mapping[str, float]) -> Need:
    """What a part of a message asks; the other words of the message count less."""
    inside = set(content_words(part))
    alone = len(inside) > 1  # the words of the other questions matter only to one that says little by itself
    others = (
        {word for other in question_parts(message) if other != part for word in content_words(other)}
        if alone
        else set[str]()
    )
    words = {
        word: weights.get(word, 1.0) * (1.0 if word in inside else OTHER if word in others else BESIDE)
        for word in dict.fromkeys((*content_words(part), *content_words(message)))
    }
    return Need(part, slot, words, synonyms(script(message)).of(terms(message)), signs(message), focus(part))


def needs(question: str, weights: Mapping[str, float]) -> list[Need]:
    """Everything that a message asks for, in order."""
    return [need(question, part, slot, weights) for part in question_parts(question) for slot in _slots(part)]


def _slots(part: str) -> tuple[Slot | None, ...]:
    return asked(part) or (None,)


def share(need: Need, words: frozenset[str]) -> float:
    """Share of the need's words, by weight, that are among `words` themselves or by a synonym (0 to 1)."""
    total = math.fsum(need.words.values())
    found = (weight for word, weight in need.words.items() if word in words or _meant(need, word, words))
    return math.fsum(found) / total if total else 0.0


def _meant(need: Need, word: str, words: frozenset[str]) -> bool:
    return any(words.issuperset(phrase) for phrase in need.other.get(word, ()))


def words_of(hit: Hit) -> frozenset[str]:
    """The terms of a passage with its title and headings."""
    return frozenset(terms(f"{hit.passage.title} {hit.passage.heading} {hit.passage.text}"))


def unit_share(need: Need, unit: Unit) -> float:
    """Share of the need's words that a piece has; a figure of the question that it repeats counts as well."""
    both = numbers(unit.text) & numbers(need.question)
    return share(need, frozenset(terms(unit.text))) + 0.1 * len(both)


def traits(need: Need, hit: Hit) -> dict[str, float]:
    """What speaks for a passage, each about 0 to 1 (opposite: -1 to 1)."""
    passage = hit.passage
    last = passage.heading.rsplit(" › ", 1)[-1]
    head = frozenset(terms(f"{passage.title} {passage.heading}"))
    named = frozenset(terms(last))
    pieces = units(passage.text)
    filled = [unit for unit in pieces if need.slot is None or fills(unit, need.slot)]
    return {
        "score": hit.score,
        "coverage": hit.coverage,
        "head": share(need, head),
        "last": share(need, named),
        "close": _close(need, last),
        "title": _close(need, passage.title),
        "unit": max((unit_share(need, unit) for unit in pieces), default=0.0),
        "filled": max((unit_share(need, unit) for unit in filled), default=0.0) if need.slot else 0.0,
        "fills": float(bool(filled)) if need.slot else 0.0,
        "named": float(need.slot is not None and names(last, need.slot)),
        "focus": max((focused(need, named.union(terms(unit.text))) for unit in filled), default=0.0),
        "opposite": _opposite(need.signs, signs(last)),
    }


def _close(need: Need, heading: str) -> float:
    """Share of a heading's content words that the message has."""
    words = content_words(heading)
    asked = frozenset(need.words) | {part for phrases in need.other.values() for phrase in phrases for part in phrase}
    return sum(word in asked for word in words) / len(words) if words else 0.0


@lru_cache(maxsize=4096)
def focus(question: str) -> frozenset[str]:
    """The words that name what is counted, priced or timed: "boards" in "how many boards are there"."""
    found = _FOCUS.search(normalize(question))
    return frozenset(content_words(next(filter(None, found.groups())))) if found else frozenset()


def focused(need: Need, words: frozenset[str]) -> float:
    """Share of the focus that is among `words` themselves or by a synonym (0 to 1)."""
    return sum(word in words or _meant(need, word, words) for word in need.focus) / (len(need.focus) or 1)


@lru_cache(maxsize=8192)
def signs(text: str) -> frozenset[str]:
    """The words of a text that have an opposite; on, off, in and out only where they belong to a verb."""
    plain = normalize(text)
    words = set(_WORD.findall(plain)) - {"on", "off", "in", "out"} | set(_PARTICLE.findall(plain))
    return frozenset(word for word in _SIGNS if (word in words if word.isascii() else word in plain))


def _opposite(asked: frozenset[str], said: frozenset[str]) -> float:
    """1 where the heading says a word that was asked for, -1 where it says only the opposite."""
    value = 0
    for one, two in OPPOSITE_WORDS:
        for here, there in ((one, two), (two, one)):
            if asked.intersection(here) and not asked.intersection(there):
                value += bool(said.intersection(here)) - bool(said.intersection(there) and not said.intersection(here))
    return float(max(-1, min(1, value)))


def value(need: Need, hit: Hit) -> float:
    """How well a passage answers a need; comparable between the passages of one search."""
    found = traits(need, hit)
    return math.fsum(weight * found[name] for name, weight in WEIGHTS.items())
