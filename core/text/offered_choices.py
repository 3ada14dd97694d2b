"""The choices that a text offers, and those that a reply picks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.reply_fields import without_number
from core.base.types import Message
from core.text.language import content_words, sentences
from core.text.normalize import normalize
from core.text.quotation_marks import is_quoted
from core.text.reactions import rejects_all

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
_STRAIGHT_MARKS = str.maketrans("“”『』", '""「」')
_NOT_MEANT = re.compile(
    r"[」』](?:の(?:こと|件|方|ほう))?(?:(?:では|じゃ)な|以外|とは別)|\b(?:not|neither|nor|than|except)\b|n['’]t\b",
    re.IGNORECASE,
)
_ORDINALS = (
    re.compile(r"(?:^|[^\d])1(?:番|つ目|つめ|です|で|$)|一つ目|ひとつ目|最初|前者|\bfirst\b|\bformer\b"),
    re.compile(r"(?:^|[^\d])2(?:番|つ目|つめ|です|で|$)|二つ目|ふたつ目|後者|\bsecond\b|\blatter\b"),
    re.compile(r"(?:^|[^\d])3(?:番|つ目|つめ|です|で|$)|三つ目|みっつ目|\bthird\b"),
    re.compile(r"(?:^|[^\d])4(?:番|つ目|つめ|です|で|$)|四つ目|よっつ目|\bfourth\b"),
)
_NUMBERS_ONLY = re.compile(r"^(?:[1-9]|番目?|つ目|と|and|,|、|・|&|\+|です|both|\s|[.。])+$", re.IGNORECASE)
_ALL = re.compile(
    r"^(?:その|the |all )?(?:どっちも|どちらも|両方(?:とも)?|どれも|全部|ぜんぶ|すべて|全て|both|all)(?: of (?:them|these|those)| (?:two|three|four)| please)?(?:です|だ|なんです|なんだけど|を|が|お願いします|教えて(?:ください)?|知りたい|[、。.!！\s])*$",
    re.IGNORECASE,
)
_THAT_ONE = re.compile(
    r"^(?:(?:はい|ええ|うん|そう)(?:です)?(?:ね|よ)?[、。!！\s]{0,2})?(?:それ|そちら|そっち)(?:です|でお願いします|を(?:お願いします|見たいです|見せて(?:ください)?|教えて(?:ください)?)?|がいい(?:です)?)?(?:ね|よ)?[。!！\s]{0,3}$"
    r"|^(?:はい|ええ|うん)[、。!！\s]{0,2}(?:ぜひ)?お願いします[。!！\s]{0,3}$"
    r"|^(?:(?:yes|yeah|yep|ok|okay|sure)\b[,.!\s]{0,3})?(?:(?:please\b[,.\s]{0,2})?(?:i(?:['’]d| would) like |i want |show me |give me |i(?:['’]ll| will) take |let(?:['’]s| us) (?:see|try) )?(?:that|this)(?: one|['’]s the one| is the one)?)(?:[,\s]{0,2}(?:please|thanks|thank you))?[.!\s]{0,3}$"
    r"|^(?:yes|yeah|yep|sure)[,\s]{0,2}please[.!\s]{0,3}$",
    re.IGNORECASE,
)  # the only thing that was offered
MAX_ALL = 3  # choices that "both" or "all" may mean


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


def offered_choices(question: Message) -> tuple[str, ...]:
    """The choices of a clarifying question, else those that its text lists."""
    return question.choices or listed_choices(question.text)


def without_list_of(choices: Sequence[str], question: str) -> str:
    """The question without lines that list these choices; unchanged if nothing else would remain."""
    offered = {normalize(choice) for choice in choices}
    lines = [line for line in question.splitlines() if normalize(without_number(line)) not in offered]
    return "\n".join(lines).strip() or question


def rejects_choices(messages: Sequence[Message]) -> bool:
    """Whether the last message rejects all choices just offered, and says nothing else."""
    return len(messages) > 1 and bool(messages[-2].choices) and rejects_all(messages[-1].text)


def picked_choices(choices: Sequence[str], reply: str) -> tuple[str, ...]:
    """The offered choices that a reply names by their words or numbers or quotes, the only one ("yes, that one"), or all of a
    few; () if it names none."""
    plain = normalize(reply)
    named = [choice for choice in choices if normalize(choice) == plain]
    if named or not choices:
        return tuple(named[:1])
    if quoted := _quoted_choices(choices, reply):
        return quoted
    if len(choices) == 1 and _THAT_ONE.match(plain):
        return tuple(choices)
    if _ALL.match(plain) and 1 < len(choices) <= MAX_ALL:
        return tuple(choices)
    if _NUMBERS_ONLY.match(plain) and (numbers := [int(digit) for digit in re.findall(r"[1-9]", plain)]):
        return tuple(dict.fromkeys(choices[number - 1] for number in numbers if number <= len(choices)))
    if len(content_words(reply)) > 3:
        return ()
    return tuple(choice for choice, ordinal in zip(choices, _ORDINALS, strict=False) if ordinal.search(plain))


def offered_again(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages; if the last one is word for word what an earlier reply offered, the reply before it offers that, too."""
    if len(messages) < 2 or messages[-2].role != "assistant":
        return tuple(messages)
    *earlier, before, last = messages
    plain, known = normalize(last.text), set(map(normalize, before.choices))
    again = [choice for one in earlier for choice in one.choices if normalize(choice) == plain and plain not in known]
    return (*earlier, before.model_copy(update={"choices": (*before.choices, *again[:1])}), last)


def _quoted_choices(choices: Sequence[str], reply: str) -> tuple[str, ...]:
    """The offered choices that a reply has in quotation marks, if nothing says that they are not meant."""
    plain = normalize(reply.translate(_STRAIGHT_MARKS))
    found = tuple(choice for choice in choices if is_quoted(normalize(choice), plain))
    for choice in found:
        plain = plain.replace(normalize(choice), "")  # a heading may say "not" itself
    return () if _NOT_MEANT.search(plain) else found
