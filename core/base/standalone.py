"""One standalone question made of a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.language import content, script, sentences
from core.base.talk import knows_not, open_part, pick
from core.base.types import Message

_YES = re.compile(r"^(?:はい|ええ|そうです|うん|お願いします|yes|yeah|yep|sure|right|correct|ok(?:ay)?)", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"それ|その|これ|この|あれ|そこ|そちら|同じ|ほかに|他に|では|じゃあ|場合は|も(?:です|でき|同|可)"
    r"|\b(?:it|its|that|this|they|them|their|those|these|one|ones|there|he|she|his|her|him|same|else|instead|too)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"[?？]|か[。！!」）)]*$|(?:教えて|知りたい|したい|取りたい|ください|下さい|ほしい|欲しい|ません|できない|困って|どう)"
    r"|\b(?:how|what|when|where|which|who|why|can|could|does|do|is|are|want|need|would|tell|please|can['’]t|cannot|trying)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"^[^。！!]{1,24}(?:です|でした|います|ました)[。！!]*$|[:：]"
    r"|\b(?:i am|i'm|we are|we're|it is|it's|my|our|on the|using|have|has|got|says?|shows?|plan|about)\b",
    re.IGNORECASE,
)
_SUBJECT_JA = re.compile(
    r"(?:について|に関して|に関する|の件|のこと)?(?:を|は|が|で|も)?、?"
    r"(?:詳しく|くわしく)?(?:教え|知り|伺い|聞き|お聞き|質問|相談|案内|説明|何|なに|どれ|どの|どちら|どう|いつ|いくら|どこ|誰|だれ|なぜ|どんな)"
    r"[^。！？!?]*[。！？!?]*$"
)
_FRAME_JA = re.compile(
    r"(?:について|に関して|の件|のこと)(?:なの)?(?:です|なん)?(?:が|けど|けれど)?(?:です)?[。、！？!?]*$"
)
_PLAIN_JA = (
    (re.compile(r"(?:(?:の|ん)(?:です|だ))?(?:(?:です)?(?:が|けど|けれども?))?[。、！!?？…\s]*$"), ""),
    (re.compile(r"ません$"), "ない"),
    (re.compile(r"きました$"), "いた"),
    (re.compile(r"ました$"), "た"),
    (re.compile(r"います$"), "いる"),
    (re.compile(r"あります$"), "ある"),
)
_FRAME_EN = re.compile(
    r"^(?:(?:hi|hello|hey)[,.! ]+)?(?:(?:can|could|would) you )?(?:please )?"
    r"(?:tell me (?:more )?about|i (?:want|would like|'d like|need) to know (?:more )?about|i have a question about|what about"
    r"|question about|help (?:me )?with|i need help with|about)\s+",
    re.IGNORECASE,
)


def standalone(messages: Sequence[Message]) -> str:
    """One question that can be understood alone, from what was said; a single message comes back unchanged.

    A reply to a question back is joined to the message that opened it (both roles are read: "the second one" is looked
    up in what the bot offered); a message that points back to an earlier answer gets the subject it points to.
    """
    messages = messages[: max((i for i, message in enumerate(messages) if message.role == "user"), default=-1) + 1]
    said = [message for message in messages if message.role == "user"]
    if not said:
        return ""
    part = open_part(messages)
    users = [i for i, message in enumerate(part) if message.role == "user"]
    if len(users) > 1:
        return _join_replies(part, users, messages[: len(messages) - len(part)])
    last = said[-1].text.strip()
    if len(said) == 1:
        return last
    last = essence(last)
    if not _leans_on_earlier(last):
        return last
    return join(subject(standalone(messages[: len(messages) - len(part)])), last)


def _join_replies(part: Sequence[Message], users: list[int], earlier: Sequence[Message]) -> str:
    question = standalone([*earlier, part[users[0]]])
    for place in users[1:]:
        reply = _resolve(part[place - 1] if place else None, part[place].text.strip())
        if reply:
            question = join(subject(question), reply)
    return question


def _resolve(before: Message | None, reply: str) -> str:
    """What a reply means after the bot's question: an ordinal or a yes becomes what was offered or asked."""
    if knows_not(reply):
        return ""
    if before is None or before.role != "assistant":
        return essence(reply)
    picked = pick(before.choices, reply)
    if picked:
        return picked
    if _YES.match(reply) and len(content(reply)) == 0:
        return before.choices[0] if len(before.choices) == 1 else f"{before.text.strip()} {reply}"
    return essence(reply)


def essence(text: str) -> str:
    """A message without the sentences that neither ask nor tell anything (thanks, small talk), if others remain."""
    parts = [part for part in sentences(text) if part.strip()]
    kept = [part for part in parts if content(part) and _says(part.strip())]
    return "".join(kept).strip() if kept and len(kept) < len(parts) else text


def _says(sentence: str) -> bool:
    if _ASKS.search(sentence) or _TELLS.search(sentence):
        return True
    return not sentence.endswith(("!", "！")) and _bare(sentence.rstrip("。."))


def subject(question: str) -> str:
    """What a question is about: the question without its asking part."""
    text = question.strip()
    if script(text) == "en":
        return _FRAME_EN.sub("", text).rstrip("?.! ")
    for pattern in (_SUBJECT_JA, _FRAME_JA):
        shorter = pattern.sub("", text)
        if shorter != text and content(shorter):
            return _plain(shorter.strip("、。 "))
    return _plain(text)


def _plain(text: str) -> str:
    """The plain form of a polite Japanese ending, so that it can stand before a noun."""
    for pattern, plain in _PLAIN_JA:
        text = pattern.sub(plain, text)
    return text


def join(about: str, text: str) -> str:
    """One question from a subject and what was said of it; `text` alone when it already names the subject."""
    subject_words, words = set(content(about)), set(content(text))
    names_it = subject_words <= words or (len(subject_words) <= 2 and len(words) >= 4 and subject_words & words)
    if not about or names_it:
        if script(text) != "en" and content(text) and _bare(text):
            return f"{text}について教えてください"
        return text
    if script(text) == "en" and script(about) == "en":
        return f"{text} ({about})" if text.rstrip().endswith("?") else f"{about} — {text}"
    if _bare(text):
        return f"{about}（{text}）"
    link = "件について" if re.search(r"(?:ない|たい|た|る|い)$", about) else "について"
    return f"{about}{link}、{text}"


def _bare(text: str) -> bool:
    """A noun phrase with no predicate, such as a choice that was clicked."""
    return len(text) <= 40 and not re.search(r"[。？?！!]|(?:す|せん|い|か|て|た|る)$", text.strip())


def _leans_on_earlier(text: str) -> bool:
    words = content(text)
    return len(words) <= 1 or (len(words) <= 6 and bool(_POINTS_BACK.search(text)))
