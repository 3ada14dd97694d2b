"""Whether the last message of a conversation is small talk, read beside what the documents hold."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Message
from core.bot.answer.relevance import asked_kinds
from core.bot.small_talk.classifier import KINDS, TalkKind, talk_chances
from core.text.conversation import is_clarifying_question, picked_choices, says_unknown
from core.text.language import content_words, predicates, sentences

LIKELY, CERTAIN = 0.5, 0.85  # probability from which a message counts as small talk; although a section covers it
URGENT = 0.65  # probability from which a message that a section covers counts as an emergency
AS_A_REPLY = 0.9  # and as a reply to a clarifying question
AHEAD, TOUCHED = 2, 0.3  # times as likely as a request, unless no section covers this much of the message
COVERED = 0.6  # share of a message's content words, by idf, from which a section speaks of it
ASKED = 0.7  # probability from which one sentence of a message makes the whole a request
SHORT = 2  # content words of a follow-up
REPLIES: frozenset[TalkKind] = frozenset({"thanks", "farewell", "insult", "person", "attack", "distress"})
# Of several sentences the one that matters most decides.
ORDER: tuple[TalkKind, ...] = (
    "attack",
    "distress",
    "emergency",
    "person",
    "insult",
    "abilities",
    "identity",
    "chat",
    "praise",
    "farewell",
    "thanks",
    "greeting",
)


def small_talk(messages: Sequence[Message], covered: float = 0.0) -> TalkKind:
    """The kind of small talk that the last message is, or "request"; `covered`: how much of it the best section covers."""
    text = messages[-1].text
    before = messages[-2] if len(messages) > 1 else None
    chances = talk_chances(text)
    talk = 1 - chances["request"]
    kind = _likeliest(text, ORDER)
    if before and is_clarifying_question(before):
        spoken = kind in REPLIES and talk >= AS_A_REPLY
        return kind if spoken and not says_unknown(text) and not picked_choices(before.choices, text) else "request"
    if kind == "emergency" and not set(content_words(text)) - predicates(text):
        return "request"  # lost, but what? First steps for a thing that was not named would be a guess
    if before and asked_kinds(text) and len(content_words(text)) <= SHORT:
        return "request"  # how many, how long: of what went before
    if chances[kind] < AHEAD * chances["request"] and covered >= TOUCHED:
        return "request"
    if talk >= (CERTAIN if covered >= COVERED else LIKELY) and (kind != "emergency" or chances[kind] >= URGENT):
        return _of_sentences(text, kind)
    return kind if kind == "emergency" and chances[kind] >= URGENT else "request"


def _of_sentences(text: str, kind: TalkKind) -> TalkKind:
    """The kind of a message of several sentences: a request if one of them is."""
    parts = [part for part in sentences(text) if part.strip()]
    if len(parts) < 2:
        return kind
    if any(talk_chances(part)["request"] >= ASKED and content_words(part) for part in parts):
        return "request"
    found = {_likeliest(part, KINDS) for part in parts}
    told: list[TalkKind] = [one for one in ORDER if one in found]
    return told[0] if told else kind


def _likeliest(text: str, among: Sequence[TalkKind]) -> TalkKind:
    chances = talk_chances(text)
    best = among[0]
    for kind in among:
        best = kind if chances[kind] > chances[best] else best
    return best
