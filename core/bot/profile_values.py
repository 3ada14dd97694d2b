"""The values of a profile field that a text names, also in a short form: "on Plus" is the Plus plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from core.base.types import ProfileField
from core.text.japanese import words
from core.text.language import script
from core.text.normalize import normalize
from core.text.shared_ending import is_short_form, shared_ending_length

_SAID_OF_SOMEBODY = r"(?=(?:社員|さん)?(?:です|でして|でも|だ(?:けど|が|から|と|し|った)|なの|なん|なら|の(?:者|人|身|場合|とき|方)|として|は[?？]))"
_USED = r"(?:on|have|having|has|got|using|use|with|from|to|for|our|my|your)(?: the| a)?"
_REACHES = re.compile(
    r"以上|以下|以外|未満|より|を除|どの|すべて|全て|全員|共通|だけ|のみ|に限|と同じ"
    r"|その他|それ以外|(?m:^[ \t|*-]{0,8}(?:all |any )?others?\b)"
    r"|\b(?:upwards?|or (?:higher|above|lower)|and (?:above|up|higher|below)|at least|up to|other than|except|all|any|every|both|only|same as)\b",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(r"\bnot (?:(?:a|an|the|on|in|at|from|using) ){0,3}$", re.IGNORECASE)
_DENIED_AFTER = re.compile(r"(?:の(?:方|ほう|者|人))?(?:では|じゃ)(?:な|あり)")


def named_values(field: ProfileField, text: str) -> frozenset[str]:
    """The values of a field that a text names, and does not deny ("not on Plus", 課長ではない)."""
    return _named(field.values, text)


def other_value(fields: tuple[ProfileField, ...], known: str, text: str) -> bool:
    """Whether a text is about other people: it names other values of a field than `known`, a text about the user.

    A text that covers several values ("from Plus upwards", "all but") is about the user, too.
    """
    if _REACHES.search(text):
        return False
    return any(
        bool(own := named_values(field, known)) and bool(said := named_values(field, text)) and not own & said
        for field in fields
    )


def values_left_out(
    fields: Sequence[ProfileField], said: Sequence[str], text: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(the user's values that a text leaves out, those that it names), for the first field of which it names several
    and none of the user's; both empty if there is none, or the text covers everybody.

    said: what the user said, the newest first
    """
    if not _REACHES.search(text):
        for field in fields:
            own = next(filter(None, (named_values(field, one) for one in said)), frozenset[str]())
            named = named_values(field, text)
            is_mentioned = any((_as_said(value) or value) in text for value in own)  # 派遣社員 may be 派遣スタッフ
            if own and len(named) > 1 and not is_mentioned and not own & named:
                return tuple(filter(own.__contains__, field.values)), tuple(filter(named.__contains__, field.values))
    return (), ()


@lru_cache(maxsize=4_096)
def _named(values: tuple[str, ...], text: str) -> frozenset[str]:
    return frozenset(
        value
        for value, pattern in _patterns(values)
        if any(not _is_denied(text, found.start(), found.end()) for found in pattern.finditer(text))
    )


def _is_denied(text: str, start: int, end: int) -> bool:
    return bool(_DENIED_BEFORE.search(text[:start]) or _DENIED_AFTER.match(text, end))


@lru_cache(maxsize=256)
def _patterns(values: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((value, _pattern(value, values)) for value in values)


def _pattern(value: str, values: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for a value, for what is left of it without the word that it shares with others, or for its place."""
    forms = [_spelled(value)]
    if (short := _without_shared(value, values)) and short != value:
        forms.append(_standing(short) if value.isascii() else _spelled(short))
    if (said := _as_said(value)) and sum(other.startswith(said) for other in values) == 1:
        forms.append(rf"(?<![一-龥]){re.escape(said)}{_SAID_OF_SOMEBODY}")
    if (place := _place(value)) and sum(place in other for other in values) == 1:
        forms.append(re.escape(place))
    return re.compile("|".join(forms))


def _spelled(value: str) -> str:
    """A word or several as they are written, in any letter case, and not as a part of a longer word."""
    if value.isascii():
        return rf"(?i:(?<![A-Za-z0-9]){re.escape(value)}s?(?![A-Za-z0-9]))"
    return rf"(?<![ァ-ヶー]){re.escape(value)}(?![ァ-ヶー])" if is_short_form(value) else re.escape(value)


def _standing(short: str) -> str:
    """A short English form alone: capitalised inside a sentence, or in small letters as something that is used."""
    if short != short.capitalize():
        return rf"(?i:(?<![A-Za-z0-9]){re.escape(short)}(?![A-Za-z0-9]))"
    small = re.escape(short.lower())
    return rf"(?<![A-Za-z0-9]){re.escape(short)}(?![A-Za-z0-9'’])(?<!^{re.escape(short)})|(?i:\b{_USED} {small}(?![A-Za-z0-9]))"


def _without_shared(value: str, values: tuple[str, ...]) -> str:
    """What is left of a value without the ending that another value has, if that is one word in Latin letters or
    katakana."""
    endings = [_shared_ending(value, other) for other in values if other != value]
    longest = max(endings, key=len, default="")
    short = value.removesuffix(longest).strip() if longest else value
    return short if is_short_form(short) else ""


def _shared_ending(one: str, two: str) -> str:
    """The longest ending of two texts; of English ones in whole words."""
    if one.isascii() != two.isascii() or not one.isascii():
        return one[len(one) - shared_ending_length(one, two) :]
    first, second = one.split(), two.split()
    return " ".join(first[len(first) - shared_ending_length(first, second) :])


def _as_said(value: str) -> str:
    """The first word of a Japanese value of several words, as people call themselves (派遣 of 派遣スタッフ)."""
    if script(value) != "ja" or _REACHES.search(value):
        return ""
    first, *others = words(normalize(value))
    return first.surface if others and len(first.surface) > 1 else ""


def _place(value: str) -> str:
    """The name of a place with which a Japanese value begins (大阪 of 大阪支社)."""
    if script(value) != "ja":
        return ""
    return "".join(word.surface for word in words(normalize(value))[:1] if word.kind == "地名")
