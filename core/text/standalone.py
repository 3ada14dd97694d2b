"""One standalone question made of a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.types import Message
from core.text.dialogue_cues import knows_not, offered, open_part, picks
from core.text.language import content, script, sentences
from core.text.questions import bare, subject

_YES = re.compile(
    r"^(?:はい|ええ|そうです|うん|お願いします|yes|yeah|yep|sure|right|correct|ok(?:ay)?)[、。,.!！\s]*", re.IGNORECASE
)
_NO = re.compile(r"^(?:いいえ|いや|違います|no|nope)[、。,.!！\s]*$", re.IGNORECASE)
_OPEN_QUESTION = re.compile(
    r"どの|どれ|どちら|どう|何|なに|いつ|どこ|誰|もう少し|\b(?:which|what|where|when|who|how|tell me)\b", re.IGNORECASE
)
_ASKED_JA = re.compile(r"(?:でしょうか|ですか|ますか)[。?？]*$")
_ASKED_EN = re.compile(r"^(?:do|does|did|are|is|have|has|can|would|will) (?:you|it|this|that|your)\s+", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"それ|その|これ|この|あれ|そこ|そちら|同じ|ほかに|他に|場合は|も(?:です|でき|同|可)"
    r"|\b(?:it|its|that|this|they|them|their|those|these|one|ones|there|he|she|his|her|him|same|else|instead|too)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^(?:and|but|or|also|then|so)\b|^(?:what|how) about\b|^(?:on|for|with|in|if|by) "
    r"|(?:だと|なら|では|の場合|は|も|って)[?？]?$|^(?:それから|あと|じゃあ|では|なら)",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"ところで|別の(?:質問|件)|別件|話は変わ|ほかの質問|\b(?:different|another|new|other) (?:question|topic|thing)|\bby the way\b",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"申請|手続き?|期限|締め?切り?|費用|料金|金額|日数|回数|時間|上限|下限|方法|手順|条件|対象|書類|証明|連絡先?|理由|期間|受け?取る?|使う|取る|取れる"
    r"|cost|deadlin|fee|limit|price|long|document|condit|proof"
)
_THANKS = re.compile(
    r"ありがとう|助かり|了解|承知|わかりました|分かりました|なるほど|\b(?:thanks?|thank you|got it|great|perfect|cheers)\b",
    re.I,
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
    earlier = messages[: len(messages) - len(part)]
    users = [i for i, message in enumerate(part) if message.role == "user"]
    if len(users) > 1:
        return _join_replies(part, users, earlier)
    if len(said) == 1:
        return said[0].text.strip()
    return _follow_up(earlier, said[-1].text.strip())


def _follow_up(earlier: Sequence[Message], last: str) -> str:
    """A message after an answer: alone when it can stand, else with the subject of the question before."""
    if knows_not(last):
        return standalone(earlier)
    last = essence(last)
    if _CHANGES.search(last) or not _leans(last, earlier[-1].text):
        return last
    return join(subject(standalone(earlier)), last)


def _leans(text: str, answer: str) -> bool:
    """Whether a message needs what went before: it points back, goes on, or is short and about the answer's matter."""
    words = content(text)
    if not words:
        return not _THANKS.search(text)
    if len(words) <= 3 and (all(map(_ATTRIBUTE.fullmatch, words)) or _without_subject(text)):
        return True
    if len(words) <= 6 and _POINTS_BACK.search(text):
        return True
    if len(words) <= 2 and _GOES_ON.search(text.strip()) and "の" not in text[:-1].strip("の場合"):
        return True
    return len(words) <= 2 and any(word in content(answer) for word in words)


def _without_subject(text: str) -> bool:
    """A Japanese sentence that names no thing it speaks of (半日だけでも取れますか)."""
    return script(text) == "ja" and not re.search(r"[はがをの]|について", text) and not bare(text)


def _join_replies(part: Sequence[Message], users: list[int], earlier: Sequence[Message]) -> str:
    question = standalone([*earlier, part[users[0]]])
    for place in users[1:]:
        reply = _resolve(part[place - 1] if place else None, part[place].text.strip())
        if reply:
            question = join(subject(question), reply)
    return question


def _resolve(before: Message | None, reply: str) -> str:
    """What a reply means after the bot's question: a number becomes what was offered, a yes what was asked."""
    if knows_not(reply) or _NO.match(reply):
        return ""
    if before is None or before.role != "assistant":
        return essence(reply)
    choices = offered(before)
    if picked := picks(choices, reply):
        return ("と" if script("".join(picked)) != "en" else " and ").join(picked)
    if _YES.match(reply) and not content(_YES.sub("", reply)):
        return choices[0] if len(choices) == 1 else _affirmed(before.text)
    return essence(reply)


def _affirmed(question: str) -> str:
    """What a yes says yes to: the last question without its asking; nothing for one that yes does not answer."""
    last = (sentences(question.strip()) or ("",))[-1].strip()
    if _OPEN_QUESTION.search(last):
        return ""
    return _ASKED_EN.sub("", _ASKED_JA.sub("", last)).strip(" ?？。")


def essence(text: str) -> str:
    """A message without the sentences that neither ask nor tell anything (thanks, small talk), if others remain."""
    parts = [part for part in sentences(text) if part.strip()]
    kept = [part for part in parts if content(part) and _says(part.strip())]
    return "".join(kept).strip() if kept and len(kept) < len(parts) else text


def _says(sentence: str) -> bool:
    if _THANKS.search(sentence) and len(content(sentence)) <= 1:
        return False
    if _ASKS.search(sentence) or _TELLS.search(sentence):
        return True
    return not sentence.endswith(("!", "！")) and bare(sentence.rstrip("。."))


def join(about: str, text: str) -> str:
    """One question from a subject and what was said of it; `text` alone when it already names the subject."""
    subject_words, words = set(content(about)), set(content(text))
    names_it = subject_words <= words or (len(subject_words) <= 2 and len(words) >= 4 and subject_words & words)
    if not about or names_it:
        if script(text) != "en" and words and bare(text):
            return f"{text}について教えてください"
        return text
    if script(text) == "en" and script(about) == "en":
        return f"{text} ({about})" if text.rstrip().endswith("?") else f"{about} — {text}"
    if bare(text):
        return f"{about}（{text}）"
    link = "件について" if re.search(r"(?:ない|たい|た|る|い)$", about) else "について"
    return f"{about}{link}、{text}"
