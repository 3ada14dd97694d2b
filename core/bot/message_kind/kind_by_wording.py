"""The kind of a conversation's last message by its wording, and by how well the documents fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.base.types import Message
from core.bot.message_kind.classifier import MessageKind, is_only_symbols, kind_of_emoji, kind_probabilities
from core.bot.message_kind.clauses import message_clauses
from core.bot.message_kind.human_agent import only_wants_human
from core.bot.message_kind.kind_of_text import (
    PRIORITY,
    TOUCHED_SHARE,
    asks_matter,
    is_distress,
    kind_of_clauses,
    kind_of_whole,
    likeliest_kind,
)
from core.text.answer_kinds import Kind, asked_kinds
from core.text.attacks import is_prompt_injection, wants_others_data
from core.text.conversation import is_clarifying_question, is_unhelped
from core.text.distress.distress import DANGERS, GRAVE, distress_of
from core.text.distress.sympathy import PRACTICAL
from core.text.language import content_words
from core.text.offered_choices import picked_choices, rejects_choices
from core.text.questions import asks
from core.text.reactions import says_unknown
from core.text.small_talk_patterns import defers, gives_thanks, wants_human_agent

# Probability from which the kind of a reply to a clarifying question is certain.
REPLY_FROM = 0.9
# Probability of an insult from which no injury is reported ("you could not run a bath").
MERE_INSULT_FROM = 0.75
# Content words of a follow-up that asks for a value ("how many?").
MAX_FOLLOW_UP_WORDS = 2
# Content words of a message that says what a human agent was asked for.
MAX_WORDS_AFTER_WISH = 3
# Values that are not asked for in an emergency.
VALUE_KINDS: frozenset[Kind] = frozenset({"money", "count"})
# Kinds of reply to a clarifying question that do not answer it.
REPLY_KINDS: frozenset[MessageKind] = frozenset({"thanks", "farewell", "insult", "human_agent", "attack", "distress"})
# Kinds about the bot itself, in words that any section may have ("what do you know?", "good night").
ABOUT_BOT_KINDS: tuple[MessageKind, ...] = ("identity", "abilities", "farewell")
_AFTERWARDS = re.compile(  # asked after an emergency, not during one
    r"労災|手続|申請|届|書類|報告書|休(?:み|暇|め|業)|給料|給与|手当|補償|保険|\b(?:leave|days? off|time off|paperwork|forms?|claims?|insurance|sick pay|compensation)\b",
    re.IGNORECASE,
)


class DocumentFit(NamedTuple):
    """How well the documents cover a message."""

    coverage: float = 0.0  # share of the message that the best section covers (0 to 1)
    is_off_topic: bool = False  # the documents surely do not cover its matter
    has_no_section: bool = False  # no section is likely meant


def kind_by_wording(messages: Sequence[Message], fit: DocumentFit = DocumentFit()) -> MessageKind:
    """The kind of the last message; the first row that applies decides.

    | the last message | kind |
    |---|---|
    | picks one of the choices before it, or rejects them | request |
    | says that the last reply did not help, and reports no grave trouble | human_agent if it wants one, else request |
    | reports an emergency and does not ask for a price or number | emergency |
    | wants the data of others, or commands the bot | attack |
    | replies to a clarifying question | its own if nearly certain, else request |
    | only says that its writer will think about it | thanks if it thanks, else farewell |
    | has pictures and punctuation alone | what they stand for, else request |
    | reports a danger to life, or expresses exhaustion without a request | distress |
    | wants a human agent and nothing else | human_agent |
    | asks in a word or two how many or how long, about the message before | request |
    | says in a few words what a human agent was asked for | human_agent |
    | is any other | that of its clauses, else of the whole (`kind_of_whole`); practical problems are requests |
    """
    text = messages[-1].text
    if sure := _sure_kind(messages):
        return sure
    kind, distress = kind_of_clauses(text), distress_of(text)
    if not kind:
        likeliest = likeliest_kind(text, PRIORITY)
        no_section = fit.has_no_section and likeliest in ABOUT_BOT_KINDS
        coverage = min(fit.coverage, TOUCHED_SHARE) if no_section else fit.coverage
        kind = kind_of_whole(text, likeliest, coverage, fit.is_off_topic)
    practical = kind == "distress" and distress.trouble is None and distress.feeling in PRACTICAL
    names_nothing = kind == "attack" and not content_words(text)  # やり方を教えてください
    return "request" if practical or names_nothing else kind


def _sure_kind(messages: Sequence[Message]) -> MessageKind | None:
    """The kind by all but the last row of the table; None if none of them applies."""
    text, before = messages[-1].text, messages[-2] if len(messages) > 1 else None
    distress = distress_of(text)
    if before and before.choices and (picked_choices(before.choices, text) or rejects_choices(messages)):
        return "request"
    if is_unhelped(messages) and distress.trouble not in GRAVE:
        return "human_agent" if wants_human_agent(text) else "request"
    if _is_emergency(text):
        return "emergency"
    if wants_others_data(text) or is_prompt_injection(text):
        return "attack"
    if before and is_clarifying_question(before):
        return _kind_of_reply(before, text)
    if before and defers(text):
        return "thanks" if gives_thanks(text) else "farewell"
    if is_only_symbols(text):
        return kind_of_emoji(text)
    if _is_grave_distress(text):
        return "distress"
    if only_wants_human(text):
        return "human_agent"
    if before and asked_kinds(text) and len(content_words(text)) <= MAX_FOLLOW_UP_WORDS:
        return "request"  # how many, how long: about the message before
    return "human_agent" if _says_what_agent_is_for(messages) else None


def _kind_of_reply(question: Message, text: str) -> MessageKind:
    """The kind of a reply to a clarifying question: a request unless another kind is nearly certain."""
    kind, chance = likeliest_kind(text, PRIORITY), 1 - kind_probabilities(text)["request"]
    if kind not in REPLY_KINDS or says_unknown(text) or picked_choices(question.choices, text):
        return "request"
    if wants_human_agent(text) and not asks(text):
        kind = "human_agent"
    return kind if chance >= REPLY_FROM and (kind != "thanks" or gives_thanks(text)) else "request"


def _is_grave_distress(text: str) -> bool:
    """Whether a message reports a danger to life, or expresses exhaustion without a request."""
    distress = distress_of(text)
    if (distress.trouble in GRAVE and not asks(text)) or _in_danger(text) or distress.announces_danger:
        return True
    return distress.trouble == "weariness" and not asks_matter(text) and is_distress(text)


def _says_what_agent_is_for(messages: Sequence[Message]) -> bool:
    """Whether a user who asked for a human agent now says in a few words what for."""
    text, earlier = messages[-1].text, messages[:-2]
    if not earlier or asks(text) or len(content_words(text)) > MAX_WORDS_AFTER_WISH:
        return False
    return kind_by_wording(earlier) == "human_agent"


def _is_emergency(text: str) -> bool:
    """Whether a message reports an emergency, does not ask for a price or number, and is no mere insult that sounds like an injury."""
    found = distress_of(text).emergency
    if found is None or (found == "injury" and kind_probabilities(text)["insult"] >= MERE_INSULT_FROM):
        return False
    return not any(
        asks(part) and (VALUE_KINDS.intersection(asked_kinds(part)) or (found == "injury" and _AFTERWARDS.search(part)))
        for part in message_clauses(text)
    )


def _in_danger(text: str) -> bool:
    """Whether a clause that asks nothing reports a danger to life, whatever else the message asks."""
    return distress_of(text).trouble in DANGERS and any(
        distress_of(part).trouble in DANGERS and not asks(part) for part in message_clauses(text)
    )
