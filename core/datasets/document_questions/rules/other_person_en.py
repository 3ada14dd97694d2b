"""English sentences in the words of the other person: what is said to a reader, as the reader asks it."""

from __future__ import annotations

import re

from core.text.english import AUXILIARIES, base_form

_OTHERS = {
    "your": "my", "yours": "mine", "yourself": "myself", "we": "you", "us": "you", "our": "your", "ours": "yours"
}  # fmt: skip
_PERSON = re.compile(r"\b(?:[Yy]ou|[Yy]our|[Yy]ours|[Yy]ourself|[Ww]e|us|[Oo]ur|[Oo]urs)\b")
_CLAUSE = re.compile(
    r"(?:^|[,:;]|\b(?:if|when|that|because|after|before|until|once|unless|what|which|who|and|as|while|where|whether|than|but|or|since))\s*$"
)
_TO_OBJECT = re.compile(
    r"\b(?:to|for|from|of|with|at|by|give|charge|let|tell|show|send|ask|reach|call|help|refund|pay|against|about|offer|cost|allow|take)\s*$"
)
_NO_VERB = re.compile("to|in|on|at|for|by|with|a|an|the|as|up|back|first|better|like|about|out")


def other_person(text: str) -> str:
    """What is said to "you" by "us", said by that person: your card that we send you is my card that you send me."""

    def other(match: re.Match[str]) -> str:
        word = match[0].lower()
        return _subject_or_object(text[: match.start()], text[match.end() :]) if word == "you" else _OTHERS[word]

    swapped = _PERSON.sub(other, text)
    return re.sub(r"\bI are\b", "I am", re.sub(r"\bI were\b", "I was", swapped))


def _subject_or_object(before: str, after: str) -> str:
    following = re.match(r"\s+([a-z']+)", after)
    word = following[1] if following else ""
    is_verb = bool(word) and (word in (*AUXILIARIES, "cannot", "don't", "can't") or base_form(word) != "")
    is_subject = _CLAUSE.search(before) or (is_verb and not _NO_VERB.fullmatch(word) and not _TO_OBJECT.search(before))
    return "I" if is_subject else "me"
