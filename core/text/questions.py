"""Questions: which parts of a message ask and about what, and with what kind of sentence a reply asks a clarifying question."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz import fuzz

from core.text.language import content_words, script, sentences
from core.text.normalize import normalize

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
            r"(?:(?:の|ん)(?:です|だ))?(?:(?:です)?(?:が|けど|けれども?))?(?<![。、！!?？…\s])[。、！!?？…\s]*+$"
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


def subject(question: str) -> str:
    """What a question is about, so that more can be said of it; the question itself if it has no asking part."""
    text = question.strip()
    if script(text) == "en":
        return _FRAME_EN.sub("", text).rstrip("?.! ")
    for shorter in (_without_asking(text), _FRAME_JA.sub("", text)):
        if shorter != text and content_words(shorter):
            return _plain(shorter.strip("、。 ")).rstrip(_PARTICLES)
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
_ASKS_JA = re.compile(
    r"[?？]|か[。！!」）)\s]*$|教えて|知りたい|したい|[きりいみ]たい|ください|下さい|ほしい|欲しい|ません[。\s]*$|できない|困って"
    r"|どう|いつ|いくら|何|誰|どこ|どれ|どの|方法|手順|やり方|仕方|について[。\s]*$"
)
_ASKS_EN = re.compile(
    r"\?|\b(?:how|what|when|where|which|who|whom|why|whether|need|want|would like|tell me|please|can['’]t|cannot|doesn['’]t|trying)\b",
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
    r"[,;]?(?<!\s)\s++(?:and|or|but)\s+(?=(?:also\s+)?(?:need to know\s+)?(?:by\s+|until\s+|from\s+)?"
    r"(?:how|what|when|where|which|who|whether|can|could|does|do|is|are|will)\b)"
    r"|[,;]\s+(?=(?:how|what|when|where|who)\b)",
    re.IGNORECASE,
)
_JOINT_JA = re.compile(
    r"(?<=か)、(?:また、?|あと、?|それと、?)?|(?<=[くで])、(?=いくら|いつ|誰|どこ|何|どう)"
    r"|(?<=方法)と、|(?<=手順)と、|(?<=期限)と、|(?<=金額)と、|(?<=料金)と、|(?<=やり方)と、|(?<=仕方)と、"
    r"|と、?(?:あと|それと|それから|ついでに)、?|(?<=[しがど])、(?:あと|それと|それから|ついでに)、?"
)
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
    """What the message asks, one text for each question, in order; at least one, at most four.

    A question of fewer than two content words is taken with the sentence before it.
    """
    parts = [part.strip() for part in sentences(without_courtesy(message)) if part.strip()]
    asking = [place for place, part in enumerate(parts) if _asks(part)]
    found: list[str] = []
    for place in asking:
        whole = parts[place]
        if len(content_words(whole)) < 2 and place and place - 1 not in asking:
            whole = f"{parts[place - 1]} {whole}"
        found.extend(_clauses(whole))
    return tuple(found[:MOST]) or (message,)


def _clauses(sentence: str) -> list[str]:
    """The questions joined in one sentence; a first clause that asks nothing stays with the second."""
    english = script(sentence) == "en"
    joint = _JOINT_EN if english else _JOINT_JA
    found: list[str] = []
    for clause in (part.strip() for part in joint.split(sentence) if part.strip()):
        if found and not (_asks(found[-1]) or len(content_words(found[-1])) >= 4):
            found[-1] = f"{found[-1]}, {clause}" if english else f"{found[-1]}、{clause}"
        else:
            found.append(clause)
    return found


def _asks(sentence: str) -> bool:
    return bool((_ASKS_EN if script(sentence) == "en" else _ASKS_JA).search(sentence))


def _courtesy(sentence: str) -> bool:
    if script(sentence) != "en":
        return bool(_COURTESY_JA.search(sentence))
    if _NAME_EN.match(sentence):
        return True
    return bool(_COURTESY_EN.match(sentence)) and len(content_words(sentence)) <= 1


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
PASTED = 88.0  # similarity (0 to 100) from which a sentence is the question over again


def asks_whether(question: str) -> bool:
    """Whether a question wants a yes or a no and nothing else."""
    verb = _ASKING_VERB.search(question)
    asks = bool(_ENDS_ASKING.search(question)) or (verb is not None and "?" in question[verb.end() :])
    return asks and not _ASKS_WHAT.search(question)


def is_question(text: str) -> bool:
    """Whether a sentence asks the person something."""
    return bool(_QUESTION.search(text.strip()))


def repeats_question(text: str, question: str) -> bool:
    """Whether a sentence repeats the question."""
    return fuzz.ratio(normalize(text), normalize(question)) >= PASTED


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
