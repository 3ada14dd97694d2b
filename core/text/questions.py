"""Questions: which parts of a message ask and about what, and with what kind of sentence a reply asks a clarifying
question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from rapidfuzz import fuzz

from core.text.language import content_words, predicates, script, sentences
from core.text.normalize import normalize
from core.text.numbers import numbers

_ASKING_JA = re.compile(
    r"(?:について|に関して|に関する|の件|のこと)?(?:を|は|が|で|も)?、?"
    r"(?:詳しく|くわしく)?(?:教え|知り|伺い|聞き|お聞き|質問|相談|案内|説明|何|なに|どれ|どの|どちら|どう|いつ|いくら|どこ|誰|だれ|なぜ|どんな)"
)
_LAST_SENTENCE = re.compile(r"(?:\A|(?<=[。！？!?])(?![。！？!?]))[^。！？!?]*+[。！？!?]*+$")
_FRAME_JA = re.compile(
    r"(?:について|に関して|の件|のこと)(?:なの)?(?:です|なん)?(?:が|けど|けれど)?(?:です)?[。、！？!?]*$|(?:は|って|も)[?？]+$"
)
_PLAIN_JA = (
    (
        re.compile(
            r"(?:(?:(?<![みどこそあ]ん)な)?(?:の|ん)(?:です|だ))?(?:(?:です)?(?:が|けど|けれども?))?(?<![。、！!?？…\s])[。、！!?？…\s]*+$"
        ),
        "",
    ),
    (re.compile(r"ません$"), "ない"),
    (re.compile(r"きました$"), "いた"),
    (re.compile(r"ました$"), "た"),
    (re.compile(r"います$"), "いる"),
    (re.compile(r"あります$"), "ある"),
)
_PARTICLES = "のではがをにとも、"
_FRAME_EN = re.compile(
    r"^(?:(?:hi|hello|hey)[,.! ]+)?(?:(?:can|could|would) you )?(?:please )?"
    r"(?:tell me (?:more )?about|i (?:want|would like|'d like|need) to know (?:more )?about|i have a question about|what about"
    r"|question about|help (?:me )?with|i need help with|about)\s+",
    re.IGNORECASE,
)


_MEASURE = re.compile(
    r"(?<=..)(?:って|は)(?:[1一]?(?:週|月|年|日|回|人)(?:間|あたり)?|最大|最長|最低|合計|全部)(?:で|に)?$"
)  # 在宅勤務って週に…


def subject(question: str) -> str:
    """What a question is about, so that more can be said of it; the question itself if it has no asking part."""
    text = question.strip()
    if script(text) == "en":
        return _FRAME_EN.sub("", text).rstrip("?.! ")
    for shorter in (_without_asking(text), _FRAME_JA.sub("", text)):
        if shorter != text and content_words(shorter):
            plain = _plain(shorter.strip("、。 ")).rstrip(_PARTICLES)
            return _MEASURE.sub("", plain).removesuffix("って")
    return _plain(text)


def _without_asking(text: str) -> str:
    """The text up to the words with which its last sentence asks."""
    last = _LAST_SENTENCE.search(text)
    asking = _ASKING_JA.search(text, last.start() if last else len(text))
    return text[: asking.start()] if asking else text


def is_noun_phrase(text: str) -> bool:
    """Whether a text is a noun phrase with no predicate, such as a choice that was clicked."""
    return len(text) <= 40 and not re.search(r"[。？?！!]|(?:す|せん|い|か|て|た|る|は|に|が|を|も)$", text.strip())


def _plain(text: str) -> str:
    """The plain form of a polite Japanese ending, so that it can stand before a noun."""
    for pattern, plain in _PLAIN_JA:
        text = pattern.sub(plain, text)
    return text


MOST = 4  # parts of one message
ALONE = 3  # content words of a question that can be searched for without the first one
_POINTS_BACK = re.compile(
    r"その(?!他)|それ(?!から|ぞれ|と|で)|同じ"
    r"|(?i:\b(?:it|its|them|they|again|same|instead|afterwards)\b|\b(?:that|this|those|these|after)\b(?=[ ]?(?:[?.!,]|$|again|happen)))"
)
ATTRIBUTE = re.compile(  # words for what is asked of a thing, which name none
    r"お?金|自分|持ち|自腹|自費|負担|給料|申請|手続き?|期限|締め?切り?|費用|料金|金額|日数|回数|時間|上限|下限|方法|手順|条件|対象|書類|証明|連絡先?|理由|期間|受け?取る?|使う|取る|取れる"
    r"|cost|deadlin|fee|limit|price|long|document|condit|proof"
)
_HIRAGANA = re.compile(r"[ぁ-んー]+")
FEW = 2  # words of a clause that only adds to the question before it ("and how soon")
_ASKS_JA = re.compile(
    r"[?？]|か[。！!」）)\s]*$|教えて|知りたい|ください|下さい|(?<![一-龥])何(?!度も|回も|でも|とか|も|らか|卒|とぞ|より|かと|しろ|せ)|いくら(?!でも)"
    r"|どう(?!も|しても|か(?:よろ|お))|いつ(?!も|でも|か(?!ら))|誰(?!も|でも|か)|どこ(?!も|でも|か(?!ら))|どれ(?!も|でも|か)|どの|どん(?:だけ|くらい|な)|なん(?:日|回|円|時|か月)"
    r"|(?:方法|手順|[ぁ-ん]方|仕方|期限|金額|料金|補助|日数|上限|[一-龥][金代費]|手続き?|書類|連絡先)[をは]?[。\s]*$|について[。\s]*$|それも[。\s]*$"
)
_WANTS_JA = re.compile(
    r"(?<=[ぁ-ん])たい(?:[。、！!?？]|$|です|[んのとけがな])|ほしい|欲しい|ません[。\s]*$|できない|困って|方法|手順|やり方|仕方"
)
_ASKS_EN = re.compile(
    r"\?|^(?:\W|\d+[.)]\s?|\b(?:and|but|so|ok|or|also|plus|oh|hi|hey|hello)\b){0,6}"
    r"\b(?:(?:(?:from|at|by|until|till|to|on|in|for|with) )?(?:how|what|where|which|who|whom|whose|why)|is|are|do|does|did|can|could|will|would|should|may|must|has|have|when (?:is|are|do|does|did|can|could|will|would|should|may|must))\b"
    r"|\b(?:tell me|let me know|explain|wondering|(?:need|want) to know|whether|how (?:do|can|could|to|much|many|long|often|soon)|what (?:is|are|do|does|happens|if))\b",
    re.IGNORECASE,
)
_WANTS_EN = re.compile(
    r"\b(?:how|what|when|where|which|who|whom|why|need|want|would like|please|can['’]t|cannot|doesn['’]t|trying)\b",
    re.IGNORECASE,
)
_TROUBLE_JA = re.compile(
    r"(?:ません|ない)(?:です|んです|のです)?(?:が|けど|けれど)?[。、！!…\s]*$|エラー|おかしい|困|失敗|いっぱい|重い|遅い|固ま|壊れ|詰ま|つま(?:って|り)|止ま"
    r"|落ち(?:る|ます|て)|切れ(?:る|ます|て|ちゃ)|消え(?:た|て|まし|ちゃ)|なくし|失くし|折れ|忘れ(?:た|まし|て|ちゃ)|間違え|違って|二重に"
)
_TROUBLE_EN = re.compile(
    r"\b(?:can['’]?t|cannot|won['’]?t|doesn['’]?t|don['’]?t|didn['’]?t|isn['’]?t|never|keeps? (?:\w+ing|\w+ed)|stopped|stuck|crash\w*|slow|full|missing"
    r"|wrong|broken?|error|fail\w*|lost|gone|forgot|blocked|rejected|refused|declined|twice)\b",
    re.IGNORECASE,
)
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
)  # what stands between two questions, whatever the second looks like
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
    remaining = [part for part in parts if part.strip() and not _courtesy(part.strip())]
    return (
        "".join(remaining).strip()
        if remaining and len(remaining) < len(parts) and content_words("".join(remaining))
        else message
    )


@lru_cache(maxsize=4096)
def question_parts(message: str) -> tuple[str, ...]:
    """What the message asks, wishes or complains of, one text for each, in order; at least one, at most four.

    A question of fewer than two content words is taken with the sentence before it.
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
    return tuple(found[:MOST]) or (message,)


class Question(NamedTuple):
    """One of the questions in a message: as it is asked, and so that it can be understood alone.

    added: whether something was added for that, and from where: what was said right before it, the first question, or
    an earlier message.
    """

    text: str
    standalone: str
    added: Literal["", "before", "first", "earlier"] = ""


@lru_cache(maxsize=4096)
def separate_questions(message: str) -> tuple[Question, ...]:
    """What is to be answered, in order; at least one, at most four.

    Unlike the parts that are searched for, a wish or a trouble before a question is no question of its own but goes
    with it; wishes and troubles alone are the whole message, unless a further thing is joined to them ("also", ついでに). A
    question that points back, or says little, stands alone with the first. Each item of a list is a question.
    """
    before_list, items = _list_items(message)
    parts = _sentences_of(message)
    found = [
        (before_list if not place else "", item) for place, item in enumerate(items)
    ]  # what was said before, and the question
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
    alone = [f"{before} {clause}".strip() for before, clause in found[:MOST]]
    first = re.sub(r"[?？。.!！]+", "、" if script(alone[0]) != "en" else ",", alone[0]).strip("、, ")
    comma = ", " if script(first) == "en" else "、"
    leaning = [place > 0 and _leans(clause) for place, (_, clause) in enumerate(found[:MOST])]
    return tuple(
        Question(clause, f"{first}{comma}{one}" if leans else one, "first" if leans else "before" if before else "")
        for (before, clause), one, leans in zip(found[:MOST], alone, leaning, strict=True)
    )


def said_beside(message: str) -> tuple[str, ...]:
    """The sentences that tell a trouble or a wish and ask nothing, in order: each is the matter of a question, or one
    of its own."""
    parts = [_without_further(part) for part in _sentences_of(message)]
    return tuple(
        part for part in parts if not _clause_asks(part) and (tells_failure(part) or _wants(part)) and names_thing(part)
    )


def tells_failure(sentence: str) -> bool:
    """Whether a sentence tells that something does not work or went wrong."""
    return bool((_TROUBLE_EN if script(sentence) == "en" else _TROUBLE_JA).search(sentence))


def _leans(question: str) -> bool:
    """Whether a question needs the one before it to be understood."""
    short = len(content_words(question)) < ALONE
    return bool(_POINTS_BACK.search(question)) or short or not own_things(question)


def own_things(question: str) -> frozenset[str]:
    """The things that a question names itself: its words without verbs, and without those for what is asked of a thing
    (cost, 期限)."""
    return frozenset(
        word for word in set(content_words(question)) - predicates(question) if not ATTRIBUTE.fullmatch(word)
    )


def names_thing(question: str) -> bool:
    """Whether a question names a thing, not only what happens to it."""
    words = content_words(question)
    if script(question) == "en":
        return bool(words)
    return any(len(word) > 1 and not _HIRAGANA.fullmatch(word) for word in set(words) - predicates(question))


def _sentences_of(message: str) -> list[str]:
    return [part.strip() for part in sentences(without_courtesy(message)) if part.strip()]


def _list_items(message: str) -> tuple[str, list[str]]:
    """What stands before the items of a list within a message, and these; none unless two or more are numbered or
    marked alike."""
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
    """Whether a sentence names a further thing that the person wants, whatever it looks like."""
    rest = _without_further(sentence)
    return rest != sentence and len(content_words(rest)) >= (1 if _clause_asks(rest) else 2)


def _without_further(sentence: str) -> str:
    pattern = _FURTHER_EN if script(sentence) == "en" else _FURTHER_JA
    return pattern.sub("", sentence).strip() or sentence


def _clauses(sentence: str) -> list[str]:
    """The questions joined in one sentence; a clause that asks nothing stays with the one beside it."""
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
            both = both and (_clause_asks(joined[-1]) or not _clause_asks(clause) or bool(own_things(clause)))
            if joined and (not both or (english and len(clause.split()) <= FEW)):
                joined[-1] = f"{joined[-1]}{comma}{clause}"
            else:
                joined.append(clause)
        found.extend(joined)
    return found


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


# Does it ask? Each sense of that which Kiku uses: the widest is for messages, the narrowest for sentences of a reply
_ANYHOW = re.compile(
    r"[?？]|(?:です|ます|でしょう|ません|した|たい|ない|の|いい|良い)か(?:[。、」\s]|$)"
    r"|教えて|知りたい|伺い|聞きたい|どう(?:すれば|したら|やって)|何(?!卒|とぞ|より|しろ|かと)|いつ|どこ|どれ|いくら|なぜ|誰"
    r"|^(?:how|what|when|where|which|who|why|can|could|do|does|did|is|are|will|would|should|may)\b"
    r"|\b(?:tell me|i want to know|wondering|let me know|explain|how (?:do|can|to|much|many|long))\b",
    re.IGNORECASE,
)
_INFORMATION = re.compile(
    r"[?？]|(?:です|ます|ません|でしょう|の|た|い)か(?:[。、!！」\s]|$)|教えて|知りたい|どう(?:すれば|したら|やって|なり)|方法|手順"
    r"|\b(?:how|what|when|where|which|why|can i|can we|could i|do i|is there|tell me)\b",
    re.IGNORECASE,
)
_RHETORICAL = re.compile(
    r"(?:(?<=けど)(?=[?？])|(?<=のに)(?=[?？])|どういう(?:こと|つもり|神経|対応)(?:です|でしょう|なん)?(?:か|だ|よ)?|どう(?:なって(?:い?る|い?ます)|してくれる)(?:の|ん(?:です|だ)?)?か?|何(?:を)?(?:やって|して|考えて)(?:い?る|い?ます)(?:の|ん(?:です|だ)?)?か?"
    r"|なめて(?:い?る|い?ます)(?:の|ん(?:です|だ)?)?か?|(?:いつまで|どれだけ)(?:も)?待た(?:せ|され)(?:る|ます|れば)(?:の|ん(?:です|だ)?)?か?(?:気が済む\S{0,6})?|やる気(?:が)?(?:あ(?:る|ります))(?:の|ん(?:です|だ)?)?か?"
    r"|\bwhat(?: on earth| the hell)? (?:kind|sort) of (?:\w+ ){1,3}is (?:this|that)\b|\bwhat(?:['’]s| is) (?:going on|wrong with you|the matter with you)\b|\bare you (?:kidding|serious|joking|asleep)\b|\bis (?:this|that) (?:a joke|how you|what you)\b"
    r"|\bhow (?:dare|hard (?:can|is)|much longer|long (?:do|must|should) i (?:have to )?wait)\b|\bwhy (?:does|do|is|will|won['’]t|doesn['’]t|can['’]t) (?:nobody|no one|anyone|anybody|you people|you guys|somebody|someone)\b|\bdo you (?:even|people|guys)\b[^.!?,]{0,60}|\bis (?:anyone|anybody) (?:even )?(?:there|reading|alive)\b[^.!?,]{0,60})[?？!！]*",
    re.IGNORECASE,
)
_INFORMATION_OR_HELP = re.compile(
    r"[?？]|か[。！!」）)]*$|(?:教えて|たい(?:です|ん|の|と|が|けど|[。！!、\s]|$)|ください|下さい|ほしい|欲しい|ません|できない|困って|どう)"
    r"|\b(?:how|what|when|where|which|who|why|can|could|does|do|is|are|want|need|would|tell|please|can['’]t|cannot|trying)\b",
    re.IGNORECASE,
)
_ENDS_JA = re.compile(r"[?？]$|(?:です|ます|でしょう|ません|ました|でした|なの|んです)か$|っけ$|(?:かな|かしら)$")
_STARTS_EN = re.compile(
    r"(?:what|how|when|where|which|who|whether|why|can|could|may|do|does|is|are|should|will|would)\b", re.IGNORECASE
)
_ENDS_ASKING = re.compile(r"(?:ます|です|ません|でしょう|られる|できる|える)(?:よ)?か[。?？]?\s*$")
_ASKING_VERB = re.compile(
    r"(?:^|[,.!?:;]\s+|\b(?:and|or|so|but)\s+)(?:can|could|do|does|did|is|are|was|will|would|may|must|should|has|have)\b",
    re.IGNORECASE,
)
_ASKS_WHAT = re.compile(
    r"何|なん[のでに]|いつ|どこ|どの|どう|どちら|どれ|いくら|誰|なぜ|\b(?:how|what|when|where|which|who|why)\b",
    re.IGNORECASE,
)


_QUESTION = re.compile(
    r"[?？]\s*$|(?:です|ます|でしょう|ません|ください)か[。．!！]?\s*$|(?:教えて|お知らせ|お選び|お聞かせ|選んで)(?:ください|下さい|いただけますか|もらえますか)[。．!！]?\s*$"
    r"|^(?:could|can|would) you (?:please )?(?:tell|say|let|specify|clarify)|^please (?:tell me|let me know|choose|specify|clarify|say)",
    re.IGNORECASE,
)
_EITHER = (
    re.compile(r"([^、。?？]{1,20}?)(?:です|ます)か、(?:それとも)?([^、。?？]{1,20}?)(?:です|ます)か"),
    re.compile(r"([^、。?？「」]{1,20}?)と([^、。?？「」]{1,20}?)(?:の|、)?(?:どちら|どっち)"),
    re.compile(
        r"(?:[:,;] |is it |do you mean |do you use |by |with |about )?([\w'’ -]{2,30}?),? or ([\w'’ -]{2,30}?)\?", re.I
    ),
)
_BETWEEN = re.compile(r"(?:(?<!\s)\s++)?[/／]\s*|、(?:または|それとも)?|,\s*+(?:or\s+)?|(?<!\s)\s++or\s+|それとも")
_OR = re.compile(r"[/／]|または|それとも|\sor\s")
_CHOICE_LINE = re.compile(r"^\s*(?:[-*・•]|\d{1,2}[.)．）]|[①-⑨])\s*\S", re.MULTILINE)
_OFFERED = re.compile(r"「([^」]{1,60})」|『([^』]{1,60})』|[\"“]([^\"”]{2,60})[\"”]")
_END_MARKS = " .。!！?？"
MIN_REPETITION_SIMILARITY = 88.0  # of 100, from which a sentence may be the question over again


def asks(text: str) -> bool:
    """Whether a message asks anything, in whatever words."""
    return bool(_ANYHOW.search(text))


def asks_several(text: str) -> bool:
    """Whether a message asks two things or more."""
    return sum(map(asks, question_parts(text))) > 1


def asks_in_earnest(text: str) -> bool:
    """Whether a message asks for information, rhetorical questions left out ("are you kidding?")."""
    return bool(_INFORMATION.search(_RHETORICAL.sub("。", text)))


def asks_or_needs(sentence: str) -> bool:
    """Whether a sentence asks, wishes for something or tells of something that does not work."""
    return bool(_INFORMATION_OR_HELP.search(sentence))


def starts_asking(clause: str) -> bool:
    """Whether an English clause begins as a question does."""
    return bool(_STARTS_EN.match(clause))


def ends_asking(text: str) -> bool:
    """Whether a Japanese text ends as a question does."""
    return bool(_ENDS_JA.search(text))


def asks_whether(question: str) -> bool:
    """Whether a question wants a yes or a no and nothing else."""
    verb = _ASKING_VERB.search(question)
    is_asked = bool(_ENDS_ASKING.search(question)) or (verb is not None and "?" in question[verb.end() :])
    return is_asked and not _ASKS_WHAT.search(question)


def is_question(text: str) -> bool:
    """Whether a sentence asks the person something."""
    return bool(_QUESTION.search(text.strip()))


def repeats_question(text: str, question: str) -> bool:
    """Whether a sentence repeats the question and answers nothing.

    A statement like the question answers it if a yes or no is asked for, or if it has a figure or a word of its own.
    """
    said, asked = normalize(text), normalize(question)
    if fuzz.ratio(said, asked) < MIN_REPETITION_SIMILARITY:
        return False
    if is_question(text) or said.strip(_END_MARKS) == asked.strip(_END_MARKS):
        return True
    adds = numbers(text) - numbers(question) or set(content_words(text)) - set(content_words(question))
    return not (asks_whether(question) or adds)


def listed_choices(text: str) -> tuple[str, ...]:
    """The choices that a text offers: quoted, a line each, or joined by "or" or slashes."""
    quoted = tuple("".join(match) for match in _OFFERED.findall(text))
    if len(quoted) >= 2:
        return quoted
    lines = tuple(line.strip(" -*・•") for line in text.splitlines() if _CHOICE_LINE.match(line))
    if len(lines) >= 2:
        return lines
    last = (sentences(text) or ("",))[-1]
    found = next((match for pattern in _EITHER if (match := pattern.search(last))), None)
    if found:
        return tuple(part.strip(" 、は") for part in found.groups())
    choosing = [sentence for sentence in sentences(text) if _OR.search(sentence)]
    parts = max((_BETWEEN.split(sentence) for sentence in choosing), key=len, default=[""])
    return tuple(part for part in parts if part.strip()) if len(parts) >= 2 else ()
