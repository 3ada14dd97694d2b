"""The question that follows from a conversation: replies joined to what was asked, follow-ups to their subject."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.base.types import Message
from core.text.conversation import begins_new_subject, is_unhelped, open_messages
from core.text.language import content_words, script, sentences
from core.text.message_questions import own_things, separate_questions
from core.text.offered_choices import offered_choices, picked_choices
from core.text.question_subject import is_noun_phrase, subject
from core.text.questions import asks, asks_or_needs
from core.text.reactions import correction, excluded, rejects_all, says_unknown, without_filler

RECENT = 60  # messages in which a message may depend on an earlier one
_YES = re.compile(
    r"^(?:はい|ええ|そうです|うん|お願いします|yes|yeah|yep|sure|right|correct|ok(?:ay)?)[、。,.!！\s]*", re.IGNORECASE
)
_NO = re.compile(r"^(?:いいえ|いや|違います|no|nope)[、。,.!！\s]*$", re.IGNORECASE)
_OPEN_QUESTION = re.compile(
    r"どの|どれ|どちら|どう|何|なに|いつ|どこ|誰|もう少し|\b(?:which|what|where|when|who|how|tell me)\b", re.IGNORECASE
)
_ASKED_JA = re.compile(r"(?:でしょうか|ですか|ますか)[。?？]*$")
_ASKED_EN = re.compile(r"^(?:do|does|did|are|is|have|has|can|would|will) (?:you|it|this|that|your)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|my|a|an)\s+", re.IGNORECASE)
_PRONOUN = re.compile(r"それ(?!と|から|で[は、])|そちら|\b(?:it|its|that|them|they|those)\b", re.IGNORECASE)
_NOT_BACK = re.compile(  # words that seem to point back, but join, give a time, or only say that something exists
    r"それと(?![はも同])|それはそう[とで]|そのうち|その前に|そのほか|そういえば|同じように|この(?:前|間|度|頃|たび|ごろ|ところ|たびは)"
    r"|\bthere (?:is|are|was|were|has|have)\b|\b(?:is|are|was|were) there\b|\bone (?:of|day|more)\b|\banother thing\b|\bme too\b",
    re.IGNORECASE,
)
_JOINED_JA = re.compile(
    r"^(?:えっと|ええと|あの|その|じゃあ|では|それと|あと)[、,\s]*|(?:の(?:こと|ほう|方|件)|の場合)?(?:なん)?(?:です|だと|なら|って|は|について)[。．?？!！]*$"
)
_JOINED_EN = re.compile(
    r"^(?:and\s+|so\s+|then\s+)?(?:what|how) about\s+|^and (?:for |with |in |on )?(?=\w+\W*$)", re.IGNORECASE
)
_LETTER = re.compile(r"\w")
_FULL_STOP = re.compile(  # not that of "Mr." or "No."
    r"(?<=[。！])|(?<![A-Z][.])(?<![A-Z][a-z][.])(?<![A-Z][a-z]{2}[.])(?<=[.!])(?=\s)|\n+"
)
_ACKNOWLEDGES = re.compile(
    r"ありがとう|助かり|了解|承知|わかりました|分かりました|なるほど|\b(?:thanks?|thank you|got it|great|perfect|cheers)\b",
    re.I,
)
_TELLS = re.compile(
    r"^[^。！!]{1,24}(?:です|でした|います|ました)[。！!]*$|[:：]"
    r"|\b(?:i am|i'm|we are|we're|it is|it's|my|our|on the|using|have|has|got|says?|shows?|plan|about)\b",
    re.IGNORECASE,
)


def standalone_question(messages: Sequence[Message]) -> str:
    """One question that can be understood alone, from what was said; a single message comes back unchanged.

    A reply to a clarifying question is joined to the message that opened it (both roles are read: "the second one" is
    looked up in what the bot offered); a message that points back to an earlier answer gets the subject it points to.
    """
    messages = messages[: max((i for i, message in enumerate(messages) if message.role == "user"), default=-1) + 1]
    messages = messages[-RECENT:]
    user_messages = [message for message in messages if message.role == "user"]
    if not user_messages:
        return ""
    part = open_messages(messages)
    earlier = messages[: len(messages) - len(part)]
    users = [i for i, message in enumerate(part) if message.role == "user"]
    if len(users) > 1:
        return _join_replies(part, users, earlier)
    if len(user_messages) == 1:
        return user_messages[0].text.strip()
    if (says_unknown(user_messages[-1].text) and not user_messages[-1].changes_subject) or is_unhelped(messages):
        return standalone_question(earlier)
    about, text = _follow_up(user_messages[-1])
    return join_to_subject(about, text) if about else text


class FollowUp(NamedTuple):
    """A message after an answer."""

    about: str  # subject of the earlier question that it needs; "" if it stands alone
    text: str


def split_follow_up(messages: Sequence[Message]) -> FollowUp:
    """The last message with what it points back to; without that if it follows no answer, or stands alone."""
    part = open_messages(messages[-RECENT:])
    earlier = messages[: len(messages) - len(part)]
    last = messages[-1]
    if not earlier or len(part) > 1 or says_unknown(last.text) or is_unhelped(messages):
        return FollowUp("", last.text.strip())
    return _follow_up(last)


def subject_before(earlier: Sequence[Message], text: str) -> str:
    """The subject that a message (`text`) after an answer points back to, if it does."""
    return subject(_topic(earlier, points_at_thing(text)))


def points_at_thing(text: str) -> bool:
    """Whether a text has a word for a thing named right before it (it, それ)."""
    return bool(_PRONOUN.search(_NOT_BACK.sub(" ", text)))


def _follow_up(last: Message) -> FollowUp:
    whole = last.text.strip()
    if not _needs_earlier(last):
        return FollowUp("", sentences_that_ask_or_tell(without_excluded(whole)))
    text, corrected, about = sentences_that_ask_or_tell(whole), correction(whole), last.about
    if excluded(whole) and corrected.instead_of.lower() in about.lower():
        return FollowUp("", sentences_that_ask_or_tell(corrected.meant))
    if corrected.instead_of:
        corrected = corrected._replace(meant=sentences_that_ask_or_tell(corrected.meant))
    else:
        corrected = correction(text)
    if corrected.instead_of and corrected.instead_of.lower() in about.lower():
        meant = _ARTICLE.sub("", _bare(corrected.meant))
        return FollowUp(re.sub(re.escape(corrected.instead_of), lambda _: meant, about, count=1, flags=re.I), meant)
    return FollowUp(about, _bare(corrected.meant if corrected.is_one else text))


def without_excluded(text: str) -> str:
    """A message without what it surely says is not meant (混雑の話じゃなくて、車の予約は？)."""
    found = excluded(text)
    return found.meant if found else text


def _needs_earlier(message: Message) -> bool:
    return bool(message.about) and not begins_new_subject(message)


def _topic(messages: Sequence[Message], newest: bool = False) -> str:
    """The question that follow-ups are about: the last one that stands alone, so that subjects do not accumulate.

    newest: whether to include what the last follow-up asks, if it names a thing, since "it" refers to that
    """
    rest, named = messages, ""
    while rest:
        part = open_messages(rest[:-1] if rest[-1].role == "assistant" else rest)
        earlier = rest[: len(rest) - len(part) - (rest[-1].role == "assistant")]
        users = [message for message in part if message.role == "user"]
        depends = len(users) == 1 and earlier and _needs_earlier(users[0])
        if not depends:
            break
        if newest and rest is messages and own_things(last := separate_questions(users[0].text)[-1].text):
            named = _bare(sentences_that_ask_or_tell(last))
        rest = earlier
    question = standalone_question(rest or messages)
    return join_to_subject(subject(question), named) if named else question


def _bare(text: str) -> str:
    """A follow-up without the words that only join it to the conversation (夏休みのことです, what about files?)."""
    japanese = script(text) != "en"
    text = without_filler(text)
    shorter = (_JOINED_JA if japanese else _JOINED_EN).sub("", text)
    return shorter if shorter and (not japanese or is_noun_phrase(shorter)) and content_words(shorter) else text


def _without_thanks(text: str) -> str:
    """A message without the sentences that only thank, if others remain."""
    parts = [part for part in sentences(text) if not (_ACKNOWLEDGES.search(part) and len(content_words(part)) <= 1)]
    return "".join(parts).strip() or text


def _join_replies(part: Sequence[Message], users: list[int], earlier: Sequence[Message]) -> str:
    question = standalone_question([*earlier, part[users[0]]])
    for place in users[1:]:
        reply = _bare(correction(_resolve(part[place - 1] if place else None, part[place].text.strip())).meant)
        if _LETTER.search(reply):
            about = subject(question)
            if content_words(about):
                question = join_to_subject(about, reply)
            elif content_words(reply):
                question = _ask_of(reply, question)
    return question


def _ask_of(reply: str, question: str) -> str:
    """A question that names nothing (何時まで？), asked of what the reply to it says."""
    return f"{reply}、{question}" if script(reply) != "en" else f"{reply} — {question}"


def _resolve(before: Message | None, reply: str) -> str:
    """The meaning of a reply to the bot's question: a number becomes the choice, a yes the statement in question."""
    if says_unknown(reply) or _NO.match(reply) or rejects_all(reply):
        return ""
    if before is None or before.role != "assistant":
        return sentences_that_ask_or_tell(reply)
    choices = offered_choices(before)
    if picked := picked_choices(choices, reply):
        return ("と" if script("".join(picked)) != "en" else " and ").join(picked)
    if _YES.match(reply) and not content_words(_YES.sub("", reply)):
        return choices[0] if len(choices) == 1 else _affirmed(before.text)
    return sentences_that_ask_or_tell(reply) if asks(reply) else _in_one_sentence(_without_thanks(reply))


def _in_one_sentence(reply: str) -> str:
    """What a reply tells, with commas between its sentences, so that it can be joined to a question."""
    parts = [part.strip().rstrip("。.!！") for part in _FULL_STOP.split(reply)]
    parts = [part for part in parts if _LETTER.search(part)]
    return ("、" if script(reply) != "en" else ", ").join(parts) if len(parts) > 1 else reply


def _affirmed(question: str) -> str:
    """The statement that a yes affirms: the last question without its asking part; "" if yes does not answer it."""
    last = (sentences(question.strip()) or ("",))[-1].strip()
    if _OPEN_QUESTION.search(last):
        return ""
    return _ASKED_EN.sub("", _ASKED_JA.sub("", last)).strip(" ?？。")


def sentences_that_ask_or_tell(text: str) -> str:
    """The sentences of a message that ask or report something, by patterns, if they name a thing; else the message, at
    least without thanks."""
    parts = [part for part in sentences(text) if part.strip()]
    remaining = [part for part in parts if content_words(part) and _says(part.strip())]
    if remaining and not own_things("".join(remaining)):
        return _without_thanks(text)
    return "".join(remaining).strip() if remaining and len(remaining) < len(parts) else text


def _says(sentence: str) -> bool:
    if _ACKNOWLEDGES.search(sentence) and len(content_words(sentence)) <= 1:
        return False
    if asks_or_needs(sentence) or _TELLS.search(sentence):
        return True
    return not sentence.endswith(("!", "！")) and is_noun_phrase(sentence.rstrip("。."))


def join_to_subject(about: str, text: str) -> str:
    """One question from a subject and what was said of it; `text` alone if it already names the subject."""
    subject_words, words = set(content_words(about)), set(content_words(text))
    shared = any(len(word) > 1 for word in subject_words & words)  # 月 of 月いくら is no part of a subject
    names_it = subject_words <= words or (len(subject_words) <= 2 and len(words) >= 4 and shared)
    if not about or names_it:
        if script(text) != "en" and words and is_noun_phrase(text):
            return f"{text}について教えてください"
        return text
    if script(text) == "en" and script(about) == "en":
        return f"{text} ({about})" if text.rstrip().endswith("?") else f"{about} — {text}"
    if is_noun_phrase(text):
        return f"{about}（{text}）"
    link = "件について" if re.search(r"(?:ない|たい|た|る|い)$", about) else "について"
    return f"{about}{link}、{text}"
