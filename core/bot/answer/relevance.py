"""How well a passage answers what is asked: words, the kind of thing asked for, and opposites."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from core.base.types import Hit
from core.bot.answer.snippets import Snippet, snippets
from core.text.language import content_words, script, terms
from core.text.negation import OPPOSITE_WORDS
from core.text.normalize import normalize
from core.text.numbers import numbers
from core.text.questions import question_parts
from core.text.synonyms import Phrase, load_synonyms

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


def holds_kind(snippet: Snippet, kind: AnswerKind) -> bool:
    """Whether a snippet says a thing of this kind."""
    return (kind == "steps" and snippet.kind == "step") or bool(KINDS[kind].filled.search(snippet.text))


# How much each trait counts beside the score of the search, by which of the passages found holds most of the reference.
WEIGHTS = {
    "score": 5.0,
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
SHARED_SCORE = 1.5  # weight of the score where a message asks several things: it is that of the whole message
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


class SubQuestion(NamedTuple):
    """One thing to answer: the question, the kind of thing it asks for, and its words with their weights (not empty).

    `other` are the phrases that stand for a word (a thesaurus), `signs` the words that have an opposite, `focus` those
    that name what is counted, priced or timed; `alone`: whether the message asks nothing else.
    """

    question: str
    kind: AnswerKind | None
    words: dict[str, float]
    other: dict[str, tuple[Phrase, ...]]
    signs: frozenset[str]
    focus: frozenset[str]
    alone: bool = True


def sub_question(message: str, part: str, kind: AnswerKind | None, weights: Mapping[str, float]) -> SubQuestion:
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
    return SubQuestion(
        part,
        kind,
        words,
        load_synonyms(script(message)).of(terms(message)),
        words_with_opposite(message),
        focus_words(part),
    )


def sub_questions(question: str, weights: Mapping[str, float]) -> list[SubQuestion]:
    """Everything that a message asks for, in order."""
    parts = question_parts(question)
    found = [sub_question(question, part, kind, weights) for part in parts for kind in _kinds(part)]
    return found if len(parts) == 1 else [each._replace(alone=False) for each in found]


def _kinds(part: str) -> tuple[AnswerKind | None, ...]:
    return asked_kinds(part) or (None,)


def word_share(asked: SubQuestion, words: frozenset[str]) -> float:
    """Share of its words, by weight, that are among `words` themselves or by a synonym (0 to 1)."""
    total = math.fsum(asked.words.values())
    found = (weight for word, weight in asked.words.items() if word in words or _meant(asked, word, words))
    return math.fsum(found) / total if total else 0.0


def _meant(asked: SubQuestion, word: str, words: frozenset[str]) -> bool:
    return any(words.issuperset(phrase) for phrase in asked.other.get(word, ()))


def passage_words(hit: Hit) -> frozenset[str]:
    """The terms of a passage with its title and headings."""
    return frozenset(terms(f"{hit.passage.title} {hit.passage.heading} {hit.passage.text}"))


def snippet_share(asked: SubQuestion, snippet: Snippet) -> float:
    """Share of its words that a snippet has; a figure of the question that it repeats counts as well."""
    both = numbers(snippet.text) & numbers(asked.question)
    return word_share(asked, frozenset(terms(snippet.text))) + 0.1 * len(both)


def relevance_features(asked: SubQuestion, hit: Hit) -> dict[str, float]:
    """What speaks for a passage, each about 0 to 1 (opposite: -1 to 1)."""
    passage = hit.passage
    last = passage.heading.rsplit(" › ", 1)[-1]
    head = frozenset(terms(f"{passage.title} {passage.heading}"))
    named = frozenset(terms(last))
    pieces = snippets(passage.text)
    filled = [snippet for snippet in pieces if asked.kind is None or holds_kind(snippet, asked.kind)]
    return {
        "score": hit.score,
        "coverage": hit.coverage,
        "head": word_share(asked, head),
        "last": word_share(asked, named),
        "close": _close(asked, last),
        "title": _close(asked, passage.title),
        "unit": max((snippet_share(asked, snippet) for snippet in pieces), default=0.0),
        "filled": max((snippet_share(asked, snippet) for snippet in filled), default=0.0) if asked.kind else 0.0,
        "fills": float(bool(filled)) if asked.kind else 0.0,
        "named": float(asked.kind is not None and announces_kind(last, asked.kind)),
        "focus": max((focus_share(asked, named.union(terms(snippet.text))) for snippet in filled), default=0.0),
        "opposite": _opposite(asked.signs, words_with_opposite(last)),
    }


def _close(asked: SubQuestion, heading: str) -> float:
    """Share of a heading's content words that the message has."""
    words = content_words(heading)
    known = frozenset(asked.words) | {part for phrases in asked.other.values() for phrase in phrases for part in phrase}
    return sum(word in known for word in words) / len(words) if words else 0.0


@lru_cache(maxsize=4096)
def focus_words(question: str) -> frozenset[str]:
    """The words that name what is counted, priced or timed: "boards" in "how many boards are there"."""
    found = _FOCUS.search(normalize(question))
    return frozenset(content_words(next(filter(None, found.groups())))) if found else frozenset()


def focus_share(asked: SubQuestion, words: frozenset[str]) -> float:
    """Share of the focus that is among `words` themselves or by a synonym (0 to 1)."""
    return sum(word in words or _meant(asked, word, words) for word in asked.focus) / (len(asked.focus) or 1)


@lru_cache(maxsize=8192)
def words_with_opposite(text: str) -> frozenset[str]:
    """The words of a text that have an opposite; on, off, in and out only where they belong to a verb."""
    plain = normalize(text)
    words = set(_WORD.findall(plain)) - {"on", "off", "in", "out"} | set(_PARTICLE.findall(plain))
    return frozenset(word for word in _SIGNS if (word in words if word.isascii() else word in plain))


def _opposite(asked: frozenset[str], said: frozenset[str]) -> float:
    """1 where the heading says a word that was asked for, -1 where it says only the opposite."""
    balance = 0
    for one, two in OPPOSITE_WORDS:
        for here, there in ((one, two), (two, one)):
            if asked.intersection(here) and not asked.intersection(there):
                balance += bool(said.intersection(here)) - bool(
                    said.intersection(there) and not said.intersection(here)
                )
    return float(max(-1, min(1, balance)))


def relevance(asked: SubQuestion, hit: Hit) -> float:
    """How well a passage answers a sub-question; comparable between the passages of one search."""
    found = relevance_features(asked, hit)
    score = found["score"] * (WEIGHTS["score"] if asked.alone else SHARED_SCORE)
    return score + math.fsum(weight * found[name] for name, weight in WEIGHTS.items() if name != "score")
