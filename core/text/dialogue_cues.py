"""Reading a conversation: what is still open, what was asked back, what a reply picks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.types import Message
from core.text.language import content, normalise, sentences

_QUESTION_END = re.compile(r"(?:[?？]|(?:です|ます|でしょう|ません|ください|下さい)か[。．!！]?)[」』)）\s]*$")
_UNKNOWN = re.compile(
    r"(?:よく|ちょっと|まだ)?(?:わかりません|分かりません|わからない|分からない|存じません|不明です|特にありません|知りません)(?:が|けど|けれど)?"
    r"|\bi (?:do not|don['’]t) know\b|\bnot sure\b|\bno idea\b|\bcan['’]t say\b",
    re.IGNORECASE,
)
_ORDINALS = (
    re.compile(r"(?:^|[^\d])1(?:番|つ目|つめ|です|で|$)|一つ目|ひとつ目|最初|前者|\bfirst\b|\bformer\b"),
    re.compile(r"(?:^|[^\d])2(?:番|つ目|つめ|です|で|$)|二つ目|ふたつ目|後者|\bsecond\b|\blatter\b"),
    re.compile(r"(?:^|[^\d])3(?:番|つ目|つめ|です|で|$)|三つ目|みっつ目|\bthird\b"),
    re.compile(r"(?:^|[^\d])4(?:番|つ目|つめ|です|で|$)|四つ目|よっつ目|\bfourth\b"),
)
_NUMBERS_ONLY = re.compile(r"^(?:[1-9]|番目?|つ目|と|and|,|、|・|&|\+|です|both|\s|[.。])+$", re.IGNORECASE)
_TOLD = re.compile(
    r"(?:です|だと思います|と思います)$|\b(?:i am|i'm) (?:on|in|using)\b|\b(?:my|the) \w+ is\b|\bit(?:'s| is)\b", re.I
)
MOST = 5  # content words of a reply that says "I do not know" and no more
_QUOTED = re.compile(r"「([^」]{1,60})」|[\"“]([^\"”]{2,60})[\"”]")
_EITHER = (
    re.compile(r"([^、。?？]{1,20}?)(?:です|ます)か、(?:それとも)?([^、。?？]{1,20}?)(?:です|ます)か"),
    re.compile(r"([^、。?？「」]{1,20}?)と([^、。?？「」]{1,20}?)(?:の|、)?(?:どちら|どっち)"),
    re.compile(
        r"(?:[:,;] |is it |do you mean |do you use |by |with |about )?([\w'’ -]{2,30}?),? or ([\w'’ -]{2,30}?)\?", re.I
    ),
)


def is_question_back(message: Message) -> bool:
    """Whether an assistant's message asks the person something (marked, or by how it ends)."""
    return message.role == "assistant" and (message.asks or bool(_QUESTION_END.search(message.text.strip())))


def open_part(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages since the bot's last answer: the opening, the bot's questions back and the replies to them."""
    last = max((i for i, m in enumerate(messages) if m.role == "assistant" and not is_question_back(m)), default=-1)
    return tuple(messages[last + 1 :])


def asked_back(messages: Sequence[Message]) -> int:
    """How often the bot has asked back in the conversation."""
    return sum(1 for message in messages if is_question_back(message))


def knows_not(text: str) -> bool:
    """Whether a reply says that the person does not know, and tells nothing beside it."""
    if not _UNKNOWN.search(text) or len(content(text)) > MOST:
        return False
    rest = _UNKNOWN.sub("。", text)
    return not any(_TOLD.search(part.strip()) and content(part) for part in re.split(r"[。.!！…]", rest))


def offered(question: Message) -> tuple[str, ...]:
    """What a question back lets the person pick: its choices, else what its text quotes or joins by "or"."""
    if question.choices:
        return question.choices
    quoted = tuple(left or right for left, right in _QUOTED.findall(question.text))
    if len(quoted) >= 2:
        return quoted
    last = (sentences(question.text) or ("",))[-1]
    found = next((match for pattern in _EITHER if (match := pattern.search(last))), None)
    return tuple(part.strip(" 、は") for part in found.groups()) if found else ()


def picks(choices: Sequence[str], reply: str) -> tuple[str, ...]:
    """The offered choices that a reply names by their words or numbers; empty when it names none."""
    plain = normalise(reply)
    named = [choice for choice in choices if normalise(choice) == plain]
    if named or not choices:
        return tuple(named[:1])
    if _NUMBERS_ONLY.match(plain) and (numbers := [int(digit) for digit in re.findall(r"[1-9]", plain)]):
        return tuple(dict.fromkeys(choices[number - 1] for number in numbers if number <= len(choices)))
    if len(content(reply)) > 3:
        return ()
    found = [choice for choice, ordinal in zip(choices, _ORDINALS, strict=False) if ordinal.search(plain)]
    return tuple(found)


def pick(choices: Sequence[str], reply: str) -> str:
    """The first offered choice that a reply names; "" when it names none."""
    return next(iter(picks(choices, reply)), "")
