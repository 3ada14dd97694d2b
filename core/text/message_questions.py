"""The questions in a message: which of its parts ask, and about what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from core.text.language import content_words, predicates, script, sentences
from core.text.questions import asks

MAX_QUESTIONS = 4  # in one message
MIN_STANDALONE_WORDS = 3  # content words of a question that can be searched for without the first one
_POINTS_BACK = re.compile(
    r"その(?!他)|それ(?!から|ぞれ|と|で)|同じ"
    r"|(?i:\b(?:it|its|them|they|again|same|instead|afterwards)\b|\b(?:that|this|those|these|after)\b(?=[ ]?(?:[?.!,]|$|again|happen)))"
)
ATTRIBUTE = re.compile(  # words for attributes of a thing, which name no thing
    r"お?金|自分|持ち|自腹|自費|負担|給料|申請|手続き?|期限|締め?切り?|費用|料金|金額|日数|回数|時間|上限|下限|方法|手順|条件|対象|書類|証明|連絡先?|理由|期間|受け?取る?|使う|取る|取れる"
    r"|cost|deadlin|fee|limit|price|long|document|condit|proof"
)
_PRONOUN_EN = re.compile(r"\b(?:it|this|that|these|those|they|them)\b", re.IGNORECASE)
MAX_ADDITION_WORDS = 2  # words of a clause that only adds to the question before it ("and how soon")
_ASKS_JA = re.compile(
    r"[?？]|か[。！!」）)\s]*$|教えて|知りたい|ください|下さい|(?<![一-龥])何(?!度も|回も|でも|とか|も|らか|卒|とぞ|より|かと|しろ|せ)|いくら(?!でも)"
    r"|どう(?!も|しても|か(?:よろ|お))|いつ(?!も|でも|か(?!ら))|誰(?!も|でも|か)|どこ(?!も|でも|か(?!ら))|どれ(?!も|でも|か)|どの|どん(?:だけ|くらい|な)|なん(?:日|回|円|時|か月)|(?<=[日週月年人])何[回個件人日時枚円台本通](?![もかで])"
    r"|(?:方法|手順|[ぁ-ん]方|仕方|期限|金額|料金|補助|日数|上限|[一-龥][金代費]|手続き?|書類|連絡先)[をは]?[。\s]*$|について[。\s]*$|それも[。\s]*$"
    r"|か(?:が|は|と|も)?(?:とても|少し|ちょっと|すごく|かなり)?(?:不安|心配|気になり|気になっ|迷っ|悩ん)"
)
_WANTS_JA = re.compile(
    r"(?<=[ぁ-ん])たい(?:[。、！!?？]|$|です|[んのとけがな])|ほしい|欲しい|(?<!すみ)(?<!済み)ません[。\s]*$|できない|困って|方法|手順|やり方|仕方"
)
_ASKS_EN = re.compile(
    r"\?|^(?:\W|\d+[.)]\s?|\b(?:and|but|so|ok|or|also|plus|oh|hi|hey|hello)\b){0,6}"
    r"\b(?:(?:(?:from|at|by|until|till|to|on|in|for|with) )?(?:how|what|where|which|who|whom|whose|why)|is|are|do|does|did|can|could|will|would|should|may|must|has|have|when (?:is|are|do|does|did|can|could|will|would|should|may|must))\b"
    r"|\b(?:tell me|let me know|explain|wondering|(?:need|want) to know|whether|how (?:do|can|could|to|much|many|long|often|soon)|what (?:is|are|do|does|happens|if))\b",
    re.IGNORECASE,
)
_WANTS_EN = re.compile(
    r"\b(?:how|what|when|where|which|who|whom|why|needs?|wants?|would like|please|can['’]t|cannot|doesn['’]t|trying)\b",
    re.IGNORECASE,
)
_TROUBLE_JA = re.compile(
    r"(?:ません|ない)(?:です|んです|のです)?(?:が|けど|けれど)?[。、！!…\s]*$|エラー|おかしい|困|失敗|いっぱい|重い|遅い|固ま|壊れ|届か|つながら|詰ま|つま(?:って|り)|止ま"
    r"|落ち(?:る|ます|て)|切れ(?:る|ます|て|ちゃ)|消え(?:た|て|まし|ちゃ)|なくし|失くし|折れ|忘れ(?:た|まし|て|ちゃ)|間違え|違って|二重に"
)
_TROUBLE_EN = re.compile(
    r"\b(?:can['’]?t|cannot|won['’]?t|doesn['’]?t|don['’]?t|didn['’]?t|isn['’]?t|never|keeps? (?:\w+ing|\w+ed)|stopped|stuck|crash\w*|slow|full|missing"
    r"|wrong|broken?|error|fail\w*|lost|gone|forgot|blocked|rejected|refused|declined|twice|not working|problem|issue|trouble)\b",
    re.IGNORECASE,
)
_TOPIC_JA = re.compile(r"(?:について|に関して)$")  # the topic of the clause after it
_FIRST_TOPIC_JA = re.compile(r"([^、。?？]{1,30}(?:について|に関して))、")
_ABOUT_JA = re.compile(r"について|に関して")
_FURTHER_JA = re.compile(
    r"^(?:あと(?![\d一二三数でかはの]|から)|それと(?:は別に)?|それから(?=[、一-龥ァ-ヶA-Za-z\d])|ついでに|ちなみに|ところで|加えて|併せて|あわせて|もう(?:一|1|ひと)つ|また、)、?"
    r"(?:(?:全然|全く|まったく)?別件(?:なん)?(?:です|で)?(?:が|けど)?、?)?"
)  # how a sentence begins that asks a further thing
_ASIDE_JA = re.compile(r"^(?:全然|全く|まったく)?別件(?:なん)?(?:です|で)?(?:が|けど)?、?")
_FURTHER_EN = re.compile(
    r"^(?:and |oh,? (?:and )?)?(?:also|additionally|(?:another|(?:a )?different) (?:thing|question|matter)(?:, \w+)?|one more|btw|by the way|while i['’]?m (?:here|at it))\b[,:]?\s?|^(?:plus|and|oh and)[, ]\s?",
    re.IGNORECASE,
)
_COURTESY_JA = re.compile(
    r"^(?:お忙しいところ|お疲れ|いつも|大変|突然|初めまして|はじめまして|こんにちは|こんばんは|おはよう|失礼|恐れ入り|すみません|"
    r"申し訳|お手数|お世話|ありがとう|よろしく|宜しく|以上)[^?？か]{0,40}$"
    r"|^[^、。?？]{0,24}(?:部|課|室|店|支社|工場|営業所|会社)?の?[^、。?？の]{1,8}(?:と申します|といいます)[。！!\s]*$"
    r"|^[^、。?？]{0,20}(?:部|課|室|グループ|チーム|支社|工場|営業所)の[^、。?？の]{1,6}です[。！!\s]*$"
    r"|(?:よろしく|宜しく)お願い(?:いた|致)?し(?:ます|申し上げます)[。！!\s]*$"
)
_COURTESY_EN = re.compile(
    r"^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|thanks?|thank you|many thanks|sorry|cheers|regards|best|"
    r"i hope|hope you|i am|i['’]m|my name is|this is)\b[^?]{0,60}$",
    re.IGNORECASE,
)
_JOINT_EN = re.compile(
    r"[,;]?(?<!\s)\s++(?:and|but|&|\+|/)\s+(?=(?:also\s+|then\s+)?(?:need to know\s+)?(?:by\s+|until\s+|from\s+|to\s+|at\s+|for\s+)?"
    r"(?:how|what|when|where|which|who|whether|why|can|could|does|do|is|are|will)\b)"
    r"|[,;]\s+(?=(?:how|what|when|where|who|why)\b)|,?(?<!\s)\s++and\s+(?=(?:my|our)\b)",
    re.IGNORECASE,
)
_LINK_EN = re.compile(
    r"[,;]?(?<!\s)\s++(?:and|oh|but|oh and)\s+(?:also|btw|by the way),?\s+|[,;]\s+also\s+"
    r"|[,;]?(?<!\s)\s++plus\s+(?=(?:how|what|when|where|which|who|why|can|could|do|does|is|are|i|my)\b)"
)
_JOINT_JA = re.compile(
    r"(?<=[かの])(?:、|\s+)(?:また、?|あと、?|それと、?)?|(?<=[くで])、(?=いくら|いつ|誰|どこ|何|どう)|(?<=て)、|(?<=[いくるらす何円回日年])\s+"
    r"|(?:(?<=方法)|(?<=手順)|(?<=期限)|(?<=金額)|(?<=料金)|(?<=[ぁ-ん]方)|(?<=仕方)|(?<=[一-龥][金代費])|(?<=手続き)|(?<=手続)|(?<=書類)|(?<=連絡先))と、"
    r"|(?<=たい)、"
)
_LINK_JA = re.compile(
    r"と、?(?:あと|それと|それから|ついでに)、?|(?:、|\s)(?:あと(?![\d一二三数でかはの]|から)|それと|ついでに|もう(?:一|1|ひと)つ)、?"
    r"|(?<=[いくるただ])のと、|(?<!^)(?<!\s)\s*+[①-⑨]"
)  # what separates two questions, in any form
_MARKERS = (
    re.compile(r"(?:^|(?<=[\s。.!?！？:：,、]))[(（]?[1-9１-９][)）.．](?=\D)"),
    re.compile(r"[①-⑨]"),
    re.compile(r"(?:^|(?<=[\s。!?！？:：]))[・•](?!$)"),
    re.compile(r"\b(?:first|second|third|fourth|finally)(?:ly)?,", re.IGNORECASE),
)
_AND_EN = re.compile(r"[;,]? \band$", re.IGNORECASE)
_NAME_EN = re.compile(
    r"^(?:i am|i['’]m|my name is|this is)\s+(?:[A-Z][\w.'’-]*+\s*+,?\s*+){1,3}(?:(?:from|in|at|of)\b.*)?[.!\s]*$"
)


@lru_cache(maxsize=4096)
def without_courtesy(message: str) -> str:
    """The message without greetings, thanks and self-introductions; unchanged if nothing else is said."""
    parts = sentences(message)
    if len(parts) < 2:
        return message
    matter = [part for part in parts if part.strip() and not _courtesy(part.strip())]
    rest = "".join(matter)
    return rest.strip() if len(matter) < len(parts) and content_words(rest) else message


@lru_cache(maxsize=4096)
def question_parts(message: str) -> tuple[str, ...]:
    """The parts of a message that ask, wish or complain, in order; at least one, at most four.

    A question of fewer than two content words is joined to the sentence before it.
    """
    parts = _sentences_of(message)
    wants = {place for place, part in enumerate(parts) if _wants(part)}
    asking = sorted(wants.union(_asking(parts)))
    found: list[str] = []
    for place in asking:
        whole = _without_further(parts[place])
        if len(content_words(whole)) < 2 and place and place - 1 not in asking:
            whole = f"{parts[place - 1]} {whole}"
        found.extend(_clauses(whole))
    return tuple(found[:MAX_QUESTIONS]) or (message,)


class Question(NamedTuple):
    """One of the questions in a message."""

    text: str  # as asked
    standalone: str  # so that it can be understood alone
    # where the words added for that come from: right before it, the first question or its topic, or an earlier message
    added: Literal["", "before", "first", "topic", "earlier"] = ""


@lru_cache(maxsize=4096)
def separate_questions(message: str) -> tuple[Question, ...]:
    """The questions to answer, in order; at least one, at most four.

    Unlike in `question_parts`, a wish or a problem before a question belongs to it; wishes and problems alone are the
    whole message, unless a further thing is joined to them ("also", ついでに). A question that points back, or says little,
    is joined to the first. Each item of a list is a question.
    """
    before_list, items = _list_items(message)
    found = [(before_list if not place else "", item) for place, item in enumerate(items)]  # (said before, question)
    parts = _sentences_of(message)
    start = 0
    for place in () if items else _asking(parts):
        before = " ".join(parts[start:place])
        for clause in _clauses(_without_further(parts[place])):
            found.append((before, clause))
            before = ""
        start = place + 1
    if not found:
        plain = without_courtesy(message)
        found = [("", clause) for clause in _clauses(plain)] or [("", plain)]
    if len(found) == 1:
        return (Question(found[0][1], without_courtesy(message)),)
    alone = [
        Question(clause, f"{before} {clause}".strip(), "before" if before else "")
        for before, clause in found[:MAX_QUESTIONS]
    ]
    asked_first = alone[0].standalone
    first = re.sub(r"[?？。.!！]+", "、" if script(asked_first) != "en" else ",", asked_first).strip("、, ")
    return (alone[0], *(_with_first(one, first) for one in alone[1:]))


def _with_first(question: Question, first: str) -> Question:
    """A further question with the first one, or the topic of that, before it if it needs that to be understood."""
    if topic := _FIRST_TOPIC_JA.match(first):
        if _ABOUT_JA.search(question.text):
            return question
        return Question(question.text, f"{topic[1]}、{question.standalone}", "topic")
    if not _needs_context(question.text):
        return question
    comma = ", " if script(first) == "en" else "、"
    return Question(question.text, f"{first}{comma}{question.standalone}", "first")


def tells_failure(sentence: str) -> bool:
    """Whether a sentence reports that something does not work or went wrong."""
    return bool((_TROUBLE_EN if script(sentence) == "en" else _TROUBLE_JA).search(sentence))


def _needs_context(question: str) -> bool:
    """Whether a question needs the one before it to be understood."""
    short = len(content_words(question)) < MIN_STANDALONE_WORDS
    return bool(_POINTS_BACK.search(question)) or short or not own_things(question)


def own_things(question: str) -> frozenset[str]:
    """The things that a question names itself: its words without verbs, and without attributes of a thing (cost,
    期限)."""
    words = set(content_words(question)) - predicates(question)
    return frozenset(word for word in words if not ATTRIBUTE.fullmatch(word))


def _sentences_of(message: str) -> list[str]:
    return [part.strip() for part in sentences(without_courtesy(message)) if part.strip()]


def _list_items(message: str) -> tuple[str, list[str]]:
    """The text before the items of a list in a message, and the items; none unless two or more have the same bullets or
    numbers."""
    for marker in _MARKERS:
        before, *items = [_AND_EN.sub("", part.strip(" \n、,;")) for part in marker.split(message)]
        if len(items) > 1 and all(map(content_words, items)):
            return before if content_words(before) else "", items
    return "", []


def _asking(parts: Sequence[str]) -> list[int]:
    """The places of the sentences that ask, of wishes after the first, and of those that name a further thing, with the
    wishes before it."""
    further = {place for place, part in enumerate(parts) if place and _is_further(part)}
    asking = {place for place, part in enumerate(parts) if _clause_asks(part)}
    if not further:
        first = min(asking, default=len(parts))
        return sorted(asking | {place for place in range(first + 1, len(parts)) if _wishes_more(parts[place])})
    first = min(asking | further)
    asking |= {place for place in range(first + 1, len(parts)) if _wants(parts[place])}
    before = set[int]() if any(place < min(further) for place in asking) else {min(further) - 1}
    return sorted(asking | further | before)


def _wishes_more(sentence: str) -> bool:
    """Whether a sentence wishes for a thing that it names."""
    return _wants(sentence) and len(own_things(sentence)) > 0 and len(content_words(sentence)) > 1


def _is_further(sentence: str) -> bool:
    """Whether a sentence names a further thing that the user wants."""
    rest = _without_further(sentence)
    return rest != sentence and len(content_words(rest)) >= (1 if _clause_asks(rest) else 2)


def _without_further(sentence: str) -> str:
    pattern = _FURTHER_EN if script(sentence) == "en" else _FURTHER_JA
    return pattern.sub("", sentence).strip() or sentence


def _clauses(sentence: str) -> list[str]:
    """The questions joined in one sentence; a clause that asks nothing stays with its neighbour."""
    english = script(sentence) == "en"
    link, joint = (_LINK_EN, _JOINT_EN) if english else (_LINK_JA, _JOINT_JA)
    comma = ", " if english else "、"
    linked = [_ASIDE_JA.sub("", part.strip()) for part in link.split(sentence) if part.strip()]
    if any(not content_words(part) for part in linked):
        linked = [sentence]
    found: list[str] = []
    for part in linked:
        joined: list[str] = []
        for clause in (one.strip() for one in joint.split(part) if one.strip()):
            both = joined and any(all(map(says, (joined[-1], clause))) for says in (_asks_or_wants, tells_failure))
            both = both and (_clause_asks(joined[-1]) or not _clause_asks(clause) or _names_thing(clause))
            both = both and not (_TOPIC_JA.search(joined[-1]) and not _ABOUT_JA.search(clause))
            if joined and (not both or (english and len(clause.split()) <= MAX_ADDITION_WORDS)):
                joined[-1] = f"{joined[-1]}{comma}{clause}"
            else:
                joined.append(clause)
        found.extend(joined)
    return found


def _names_thing(clause: str) -> bool:
    """Whether a clause names a thing itself: not "where does that go"."""
    names_little = len(content_words(clause)) <= 1
    return bool(own_things(clause)) and not (
        names_little and (_POINTS_BACK.search(clause) or _PRONOUN_EN.search(clause))
    )


def _asks_or_wants(sentence: str) -> bool:
    return _clause_asks(sentence) or _wants(sentence)


def _clause_asks(sentence: str) -> bool:
    return bool((_ASKS_EN if script(sentence) == "en" else _ASKS_JA).search(sentence))


def _wants(sentence: str) -> bool:
    return bool((_WANTS_EN if script(sentence) == "en" else _WANTS_JA).search(sentence))


def _courtesy(sentence: str) -> bool:
    if script(sentence) != "en":
        return bool(_COURTESY_JA.search(sentence))
    if _NAME_EN.match(sentence):
        return True
    return bool(_COURTESY_EN.match(sentence)) and len(content_words(sentence)) <= 1


def asks_several(text: str) -> bool:
    """Whether a message asks two things or more."""
    return sum(map(asks, question_parts(text))) > 1
