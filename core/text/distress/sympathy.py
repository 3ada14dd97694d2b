"""Feelings that call for a word of sympathy, and the sentence for each; said at most once in a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple, get_args

from core.base.toml import bundled_toml
from core.base.types import Language, Message
from core.text.distress.classifiers import incident, moods
from core.text.distress.exclusions import is_hypothetical, with_deaths_named
from core.text.language import clauses, sentences
from core.text.normalize import MAX_CLASSIFIED_CHARACTERS, normalize
from core.text.questions import starts_asking

Feeling = Literal[
    "bereavement", "accident", "illness", "loss", "overwork", "waiting", "complaint", "anger", "unwell", "worry"
]  # the gravest first
FEELINGS: tuple[Feeling, ...] = get_args(Feeling)
MILD: tuple[Feeling, ...] = ("unwell", "worry")  # a word for them is enough
PRACTICAL: tuple[Feeling, ...] = ("loss", "waiting", "complaint", "anger")  # about matters that the desk may correct
ILL_TREATED: tuple[Feeling, ...] = ("waiting", "complaint")  # by the desk itself: an apology, and where to complain
MOODS_FELT: tuple[Feeling, ...] = ("complaint", "anger", "unwell", "worry")  # feelings that are moods, too
# Feelings that a question may report, too
IN_QUESTIONS: frozenset[Feeling] = frozenset({"bereavement", "waiting", "complaint", "anger", "worry"})
_SUPPOSES = re.compile(  # what has not happened yet: "when I cancel", "once the trial ends", 解約したら…ます
    r"^if\b|\b(?:if|when(?:ever)?|once|as soon as|after|unless|until|before) (?:i|we|you|they|he|she|someone|somebody|the \w+|my \w+|our \w+|a \w+)(?: \w+)? (?:cancels?|downgrades?|deletes?|closes?|leaves?|switch(?:es)?|stops?|ends?|removes?|quits?|unsubscribes?|uninstalls?|expires?|runs? out|moves?|changes?)\b"
    r"|(?:場合|とき|際)[には]*$"
)


class _Sympathy(NamedTuple):
    """What is stored for a feeling."""

    pattern: re.Pattern[str]  # of its causes
    sentence: dict[Language, str]  # of sympathy, by language


@lru_cache(maxsize=4_096)
def feeling(text: str) -> Feeling | None:
    """The gravest feeling of a message that calls for sympathy; None for a question about a possible case."""
    text = with_deaths_named(text[:MAX_CLASSIFIED_CHARACTERS])
    wholes = sentences(text)
    parts = [part for whole in wholes for part in _clauses(whole)]
    found: Feeling | None = next(
        (one for one in FEELINGS if any(_reports(one, clause, supposed) for clause, supposed in parts)), None
    )
    supposes = any(supposed or _SUPPOSES.search(clause) for clause, supposed in parts)
    if found in (None, *MILD) and not supposes:
        felt: list[Feeling] = [mood for mood in MOODS_FELT if mood in moods(text)]
        found = felt[0] if felt else found
    if found in (None, "loss", "overwork", "anger", *MILD) and incident(text) == "bereavement":
        return "bereavement"
    if found in ("overwork", "accident") and "complaint" in moods(text):
        return "complaint"  # worn out by how the desk treats them
    waits = found in (None, "anger", *MILD) and any(_reports("waiting", normalize(whole), False) for whole in wholes)
    return "waiting" if waits else found


def word_of_sympathy(messages: Sequence[Message], language: Language) -> str:
    """The sentence of sympathy for the last message; "" for most, and if one was already said in the conversation."""
    found = feeling(messages[-1].text) if messages else None
    if found is None:
        return ""
    said = [message.text for message in messages if message.role == "assistant"]
    known = [sentence for one in _stored().values() for sentence in one.sentence.values()]
    return "" if any(sentence in text for text in said for sentence in known) else _stored()[found].sentence[language]


def _clauses(sentence: str) -> list[tuple[str, bool]]:
    """The clauses of a sentence, and whether an earlier one supposes something ("if I cancel, ...")."""
    found: list[tuple[str, bool]] = []
    supposed = False
    for part in map(normalize, clauses(sentence)):
        if part.strip():
            found.append((part, supposed))
            supposed = supposed or bool(_SUPPOSES.search(part))
    return found


def _reports(one: Feeling, clause: str, supposed: bool) -> bool:
    """Whether a clause reports the cause of a feeling, and does not ask about a possible case."""
    found = _stored()[one].pattern.search(clause)
    if found is None or is_hypothetical(clause, found.end()):
        return False
    if one == "loss" and (supposed or _SUPPOSES.search(clause)):
        return False
    return one in IN_QUESTIONS or not starts_asking(clause)


@cache
def _stored() -> dict[Feeling, _Sympathy]:
    tables = bundled_toml(__file__, "sympathy.toml")
    return {
        one: _Sympathy(re.compile("|".join([*tables[one]["ja"], *tables[one]["en"]])), tables[one]["said"])
        for one in FEELINGS
    }
