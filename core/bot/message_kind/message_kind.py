"""The kind of a conversation's last message, given what the documents have for it: a request, or small talk."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from core.base.types import Hit, Message, SectionHit
from core.bot.answer_ask_refuse import best_response, is_confident, later_response
from core.bot.embedded_settings import settings_for
from core.bot.message_kind.classifier import MessageKind, is_only_symbols, kind_of_emoji, kind_probabilities
from core.bot.message_kind.clauses import message_clauses, without_small_talk_clauses
from core.bot.message_kind.despair import despair_probability, may_despair, surely_despairs
from core.bot.message_kind.kind_by_meaning import kinds_by_meaning
from core.bot.message_kind.message_vector import vector_language
from core.bot.message_kind.person_wish import only_wants_person
from core.bot.section_probability import (
    documented_probability,
    is_documented,
    likeliest_section,
    scored_in_conversation,
    section_probabilities,
)
from core.text.answer_kinds import Kind, asked_kinds
from core.text.attacks import is_prompt_injection, wants_others_data
from core.text.conversation import is_clarifying_question, is_unhelped
from core.text.distress.classifiers import IN_CONTEXT_FROM, incident, is_figure_of_speech, mood_probabilities
from core.text.distress.distress import DANGERS, GRAVE, distress_of
from core.text.distress.exclusions import asks_what_if
from core.text.distress.sympathy import ILL_TREATED, MILD, PRACTICAL
from core.text.language import content_words, predicates
from core.text.message_questions import own_things
from core.text.normalize import normalize
from core.text.offered_choices import picked_choices, rejects_choices
from core.text.questions import asks, asks_in_earnest, wants
from core.text.reactions import asks_to_confirm, says_unknown
from core.text.small_talk_patterns import gives_thanks, wants_person

# Sections or passages that are considered.
READ_SECTIONS = 6
# Probability of small talk from which a message counts as it.
SMALL_TALK_FROM = 0.5
# Probability of thanks or praise from which a message that would be refused as not documented counts as it.
UNDOCUMENTED_PRAISE_FROM = 0.4
# Probability of small talk from which a message that a section covers or answers counts as it.
COVERED_FROM = 0.8
# Probability from which a kind is certain.
SURE_FROM = 0.85
# Probability from which the kind of a reply to a clarifying question is certain.
REPLY_FROM = 0.9
# Probability of small talk by meaning from which a message that no section surely answers counts as it: a first message, a
# later one, and chat that asks something.
MEANT_FROM, MEANT_LATER_FROM, ASKED_CHAT_FROM = 0.5, 0.95, 0.7
# Probability of the likeliest of these kinds from which it is that one.
MEANT_KIND_FROM = 0.28
# Probability from which the user wants a human agent, whatever the documents say.
PERSON_FROM = 0.6
# Probability from which a message that a section covers counts as an emergency.
EMERGENCY_FROM = 0.65
# Probability of an insult from which no injury is reported ("you could not run a bath").
MERE_INSULT_FROM = 0.75
# Probability of a danger to life from which nothing is declined as unrelated.
MAY_BE_DANGER_FROM = 0.4
# Probability from which a message that the documents do not cover is unrelated to any help desk.
UNRELATED_FROM = 0.3
# Probability from which a kind that is rarely a question (STATEMENT_KINDS) counts if nothing is asked.
STATEMENT_FROM = 0.45
# Probability of a request from which one clause makes the whole message one.
REQUEST_CLAUSE_FROM = 0.7
# Probability that a section answers, from which an easily confused kind is a request.
ANSWERED_FROM = 0.5
# Probability that the documents cover the matter, from which an easily confused kind is a request.
DOCUMENTED_FROM = 0.9
# Probability that the documents cover the matter, from which a message of one or two words is not chat.
NAMED_FROM = 0.5
# Probability of the likeliest section below which no section is meant.
NOTHING_FOUND_BELOW = 0.25
# Content words of a keyword, and of a clause that says what a complaint is about.
MAX_KEYWORDS = 2
MIN_MATTER_WORDS = 2
# Share of a message's content words, by idf, from which a section covers it.
COVERED_SHARE = 0.6
# Share of a message's content words, by idf, from which a section touches it.
TOUCHED_SHARE = 0.3
# How many times as likely as a request small talk must be if a section touches the message.
TOUCHED_RATIO = 2.0
# How many times as likely as a request chat must be if no section touches the message.
CHAT_RATIO = 1.5
# Content words of a follow-up that asks for a value ("how many?").
MAX_FOLLOW_UP_WORDS = 2
# Content words of a message that says what a human agent was asked for.
MAX_WORDS_AFTER_WISH = 3
# Probability of a section from which an angry message is about it.
MATTER_SECTION_FROM = 0.3
# Content words of a message that names a matter, and the share of them in the first section.
MIN_NAMED_WORDS = 2
NAMED_COVERAGE = 0.2
# Values that are not asked for in an emergency.
VALUE_KINDS: frozenset[Kind] = frozenset({"money", "count"})
# Kinds that are rarely questions.
STATEMENT_KINDS: frozenset[MessageKind] = frozenset({"thanks", "praise", "farewell", "greeting", "attack"})
# Kinds of reply to a clarifying question that do not answer it.
REPLY_KINDS: frozenset[MessageKind] = frozenset({"thanks", "farewell", "insult", "person", "attack", "distress"})
GRATEFUL_KINDS: tuple[MessageKind, ...] = ("thanks", "praise")
# Kinds that a request of a word or two is easily taken for.
EASILY_CONFUSED_KINDS: frozenset[MessageKind] = frozenset({"greeting", "chat", "abilities", "praise"})
# Kinds about the bot itself, in words that any section may have ("what do you know?", "good night").
ABOUT_BOT_KINDS: tuple[MessageKind, ...] = ("identity", "abilities", "farewell")
# Probability from which the clauses of a message that ask are about who the bot is.
ASKED_OF_BOT_FROM = 0.7
# Kinds unrelated to any help desk, unless a section covers them.
UNRELATED_KINDS: tuple[MessageKind, ...] = ("outside", "jobs")
# Kinds that short messages without a subject are taken for.
MISTAKEN_KINDS: tuple[MessageKind, ...] = (*UNRELATED_KINDS, "attack", "abilities")
_AFTERWARDS = re.compile(  # asked after an emergency, not during one
    r"労災|手続|申請|届|書類|報告書|休(?:み|暇|め|業)|給料|給与|手当|補償|保険|\b(?:leave|days? off|time off|paperwork|forms?|claims?|insurance|sick pay|compensation)\b",
    re.IGNORECASE,
)
# The kinds by importance: the most important one of several clauses decides.
PRIORITY: tuple[MessageKind, ...] = (
    "attack",
    "distress",
    "emergency",
    "person",
    "insult",
    "jobs",
    "outside",
    "abilities",
    "identity",
    "chat",
    "praise",
    "farewell",
    "thanks",
    "greeting",
)
# Probability of distress by wording from which a message is distress.
SURELY_DISTRESS_FROM = 0.8
# Probability of despair by meaning from which a message that sounds like distress is distress.
DESPAIR_AGREES_FROM = 0.3
# Kinds that get a small-talk reply if the documents do not cover them.
ANSWERED_WITHOUT_DOCUMENTS: tuple[MessageKind, ...] = tuple(
    kind for kind in PRIORITY if kind not in ("attack", "emergency", "person", *UNRELATED_KINDS)
)

# Kinds that a message may be by its meaning.
MEANT_KINDS: tuple[MessageKind, ...] = (
    *(kind for kind in ANSWERED_WITHOUT_DOCUMENTS if kind != "distress"),
    "person",
    *UNRELATED_KINDS,
)


def message_kind(
    messages: Sequence[Message], found: Sequence[SectionHit | Hit] | None, passage_count: int
) -> MessageKind:
    """The kind of the last message, given the sections or passages found for it.

    `found`: best first, None if nothing was searched for; `passage_count`: out of how many passages.
    """
    is_searched = found is not None
    found = (found or ())[:READ_SECTIONS]
    is_known = found and (settings_for(found).found_is_known or is_documented(messages[-1].text, found, passage_count))
    fit = DocumentFit(
        coverage=max((one.coverage for one in found), default=0.0),
        is_off_topic=is_searched and not is_known,
        has_no_section=is_searched and likeliest_section(found)[0] < NOTHING_FOUND_BELOW,
    )
    kind = kind_by_fit(messages, fit)
    is_unsure = kind == "request" or (kind == "chat" and kind_probabilities(messages[-1].text)[kind] < SURE_FROM)
    if is_searched and is_unsure and _sounds_desperate(messages, found, passage_count):
        return "distress"
    if is_searched and kind == "request" and _is_undocumented_small_talk(messages, found, passage_count):
        return _likeliest_kind(messages[-1].text, ANSWERED_WITHOUT_DOCUMENTS)
    if is_searched and kind == "request" and (meant := _kind_meant(messages, found, passage_count)):
        return meant
    is_request = kind in EASILY_CONFUSED_KINDS and _is_answered(messages[-1].text, kind, found)
    return "request" if is_request or _follows_up(messages[-1].text, kind, found) else kind


def _follows_up(text: str, kind: MessageKind, found: Sequence[SectionHit | Hit]) -> bool:
    """Whether a message after others that is not certainly of this kind is likely answered by a section in the
    conversation."""
    if kind not in MISTAKEN_KINDS or not scored_in_conversation(found):
        return False
    return later_response(found) == "answer" and kind_probabilities(text)[kind] < SURE_FROM


def _is_answered(text: str, kind: MessageKind, found: Sequence[SectionHit | Hit]) -> bool:
    """Whether a section surely answers a message that is not certainly of this kind, or the documents cover what one or
    two words name (犬)."""
    if kind == "chat" and _is_keyword(text) and documented_probability(text, found) >= NAMED_FROM:
        return True
    if kind_probabilities(text)[kind] >= COVERED_FROM:
        return False
    return likeliest_section(found)[0] >= ANSWERED_FROM and documented_probability(text, found) >= DOCUMENTED_FROM


def _is_keyword(text: str) -> bool:
    """Whether a text is one or two words that may name a thing."""
    words = content_words(text)
    return 0 < len(words) <= MAX_KEYWORDS and not asks(text) and not predicates(text)


def may_be_request(kind: MessageKind, text: str, found: Sequence[SectionHit | Hit]) -> bool:
    """Whether a message without a subject that was taken for this kind may be a request.

    The kind is not certain, and what the message names, if anything, is in one of the sections found.
    """
    named = not own_things(text) or max((one.coverage for one in found), default=0.0) >= TOUCHED_SHARE
    return kind in MISTAKEN_KINDS and named and kind_probabilities(text)[kind] < SURE_FROM


def _kind_meant(
    messages: Sequence[Message], found: Sequence[SectionHit | Hit], passage_count: int
) -> MessageKind | None:
    """The kind of small talk that a message is by its meaning, if no section surely answers it and it would not be
    answered; None for a request."""
    text = messages[-1].text
    if likeliest_section(found)[0] >= ANSWERED_FROM or best_response(text, found, passage_count) == "answer":
        return None
    if not any(map(str.isalnum, text)) or (len(messages) > 1 and messages[-2].choices):
        return None
    if vector_language(text) == "en" and (not found or found[0].language != "en"):
        return None  # the model of sentence vectors, which takes seconds to load, is not in use
    distress = distress_of(text)
    if distress.trouble or distress.feeling not in (None, *MILD):
        return None
    chances = kinds_by_meaning(text)
    kind = max(MEANT_KINDS, key=lambda one: chances[one])
    least = MEANT_FROM if len(messages) == 1 else MEANT_LATER_FROM
    if kind == "chat" and asks(text):  # "can you walk my dog?"
        least = max(least, ASKED_CHAT_FROM)
    is_small_talk = sum(chances[one] for one in MEANT_KINDS) >= least and chances[kind] >= MEANT_KIND_FROM
    return kind if is_small_talk else None


def _is_undocumented_small_talk(
    messages: Sequence[Message], found: Sequence[SectionHit | Hit], passage_count: int
) -> bool:
    """Whether a message asks nothing, is likely small talk, and would be refused as not documented."""
    text, is_first = messages[-1].text, len(messages) == 1
    least = UNDOCUMENTED_PRAISE_FROM if _likeliest_kind(text, PRIORITY) in GRATEFUL_KINDS else SMALL_TALK_FROM
    if not is_first or asks(text) or 1 - kind_probabilities(text)["request"] < least:
        return False
    if distress_of(text).feeling not in (None, *MILD):
        return False
    return (
        _likeliest_kind(text, PRIORITY) in ANSWERED_WITHOUT_DOCUMENTS
        and best_response(text, found, passage_count) == "refuse"
    )


def _sounds_desperate(messages: Sequence[Message], found: Sequence[SectionHit | Hit], passage_count: int) -> bool:
    """Whether an undocumented message probably expresses despair, so that it gets sympathy rather than a refusal."""
    text = messages[-1].text
    if (len(messages) > 1 and messages[-2].choices) or likeliest_section(found)[0] >= ANSWERED_FROM:
        return False
    if len(content_words(text)) <= 1:
        return False  # 消えた: more likely a note
    if is_figure_of_speech(text) or not may_despair(text):
        return False
    is_sure = surely_despairs(text)
    is_calmer = len(messages) > 1 or distress_of(text).feeling in PRACTICAL  # what they are about can be put right
    if is_calmer and not is_sure:
        return False
    return best_response(text, found, passage_count) in (("refuse", "ask", None) if is_sure else ("refuse", None))


class DocumentFit(NamedTuple):
    """How well the documents cover a message."""

    coverage: float = 0.0  # share of the message that the best section covers (0 to 1)
    is_off_topic: bool = False  # the documents surely do not cover its matter
    has_no_section: bool = False  # no section is likely meant


def kind_by_fit(messages: Sequence[Message], fit: DocumentFit = DocumentFit()) -> MessageKind:
    """The kind of the last message; the first row that applies decides.

    | the last message | kind |
    |---|---|
    | picks one of the choices before it, or rejects them | request |
    | says that the last reply did not help, and reports no grave trouble | person if it wants one, else request |
    | reports an emergency and does not ask for a price or number | emergency |
    | wants the data of others, or commands the bot | attack |
    | replies to a clarifying question | its own if nearly certain, else request |
    | has pictures and punctuation alone | what they stand for, else request |
    | reports a danger to life, or expresses exhaustion without a request | distress |
    | wants a human agent and nothing else | person |
    | asks in a word or two how many or how long, about the message before | request |
    | says in a few words what a human agent was asked for | person |
    | is any other | that of its clauses, else of the whole (`_kind_of_whole`); practical troubles are requests |
    """
    text = messages[-1].text
    if sure := _sure_kind(messages):
        return sure
    kind, distress = _kind_of_clauses(text), distress_of(text)
    if not kind:
        likeliest = _likeliest_kind(text, PRIORITY)
        no_section = fit.has_no_section and likeliest in ABOUT_BOT_KINDS
        coverage = min(fit.coverage, TOUCHED_SHARE) if no_section else fit.coverage
        kind = _kind_of_whole(text, likeliest, coverage, fit.is_off_topic)
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
        return "person" if wants_person(text) else "request"
    if _is_emergency(text):
        return "emergency"
    if wants_others_data(text) or is_prompt_injection(text):
        return "attack"
    if before and is_clarifying_question(before):
        return _kind_of_reply(before, text)
    if is_only_symbols(text):
        return kind_of_emoji(text)
    if _is_grave_distress(text):
        return "distress"
    if only_wants_person(text):
        return "person"
    if before and asked_kinds(text) and len(content_words(text)) <= MAX_FOLLOW_UP_WORDS:
        return "request"  # how many, how long: about the message before
    return "person" if _says_what_person_is_for(messages) else None


def _kind_of_reply(question: Message, text: str) -> MessageKind:
    """The kind of a reply to a clarifying question: a request unless another kind is nearly certain."""
    kind, chance = _likeliest_kind(text, PRIORITY), 1 - kind_probabilities(text)["request"]
    if kind not in REPLY_KINDS or says_unknown(text) or picked_choices(question.choices, text):
        return "request"
    if wants_person(text) and not asks(text):
        kind = "person"
    return kind if chance >= REPLY_FROM and (kind != "thanks" or gives_thanks(text)) else "request"


def _is_grave_distress(text: str) -> bool:
    """Whether a message reports a danger to life, or expresses exhaustion without a request."""
    distress = distress_of(text)
    if (distress.trouble in GRAVE and not asks(text)) or _in_danger(text) or distress.announces_danger:
        return True
    return distress.trouble == "weariness" and not _asks_matter(text) and _is_distress(text)


def _says_what_person_is_for(messages: Sequence[Message]) -> bool:
    """Whether a user who asked for a human agent now says in a few words what for."""
    text, earlier = messages[-1].text, messages[:-2]
    if not earlier or asks(text) or len(content_words(text)) > MAX_WORDS_AFTER_WISH:
        return False
    return kind_by_fit(earlier) == "person"


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


def _kind_of_whole(text: str, kind: MessageKind, coverage: float, is_off_topic: bool = False) -> MessageKind:
    """The likeliest kind of a text, or "request"; the first row that applies decides.

    `coverage`: of the best section; `is_off_topic`: the documents surely do not cover the text's matter.

    | the text | kind |
    |---|---|
    | is outside of any desk, and may report a danger to life | request |
    | is outside of any desk, off topic, and likelier outside than a request | outside |
    | says too little for an emergency or distress (`_says_too_little`) | request |
    | asks "what if" and is of an easily confused kind that is not certain | request |
    | is of an unrelated kind that is not likely, or a section covers it | request |
    | is of a kind that is rarely a question, and that is not likely enough | request |
    | likely wants a human agent | person |
    | is not so many times likelier small talk than a request; more if a section touches it | request |
    | is an emergency | emergency if likely enough, else request |
    | is any other | the kind if small talk is likely enough, more so if a section covers it, else request |
    """
    probabilities, is_question = kind_probabilities(text), asks(text)
    likely, request = probabilities[kind], probabilities["request"]
    if kind == "outside" and mood_probabilities(text)["danger"] >= MAY_BE_DANGER_FROM:
        return "request"  # never declined
    if kind == "outside" and is_off_topic and likely >= max(UNRELATED_FROM, request):
        return kind
    if _says_too_little(text, kind):
        return "request"
    grateful = kind in GRATEFUL_KINDS and not is_question
    if grateful and is_off_topic:
        coverage = min(coverage, TOUCHED_SHARE)  # words that any section may have
    if kind in EASILY_CONFUSED_KINDS and is_question and likely < SURE_FROM and asks_what_if(normalize(text)):
        return "request"  # what if it rains?
    if kind in UNRELATED_KINDS and (likely < SMALL_TALK_FROM or coverage >= COVERED_SHARE):
        return "request"
    if kind in STATEMENT_KINDS and likely < (SURE_FROM if is_question else STATEMENT_FROM):
        return "request"
    if kind == "person" and (likely >= PERSON_FROM or (wants_person(text) and not is_question)):
        return kind  # whatever it is about
    required_ratio = TOUCHED_RATIO if coverage >= TOUCHED_SHARE else CHAT_RATIO if kind == "chat" else 1
    combined = (
        math.fsum(probabilities[one] for one in GRATEFUL_KINDS) if grateful else likely
    )  # thanks and praise get nearly the same reply
    if combined < required_ratio * request:
        return "request"
    if kind == "emergency":
        return kind if likely >= EMERGENCY_FROM else "request"
    return kind if 1 - request >= (COVERED_FROM if coverage >= COVERED_SHARE else SMALL_TALK_FROM) else "request"


def _says_too_little(text: str, kind: MessageKind) -> bool:
    """Whether a text names nothing that an emergency could be about, or is a single word that is hardly distress."""
    if kind == "emergency":
        return not set(content_words(text)) - predicates(text)  # lost, but what? First steps would be a guess
    if kind != "distress" or kind_probabilities(text)[kind] >= SURE_FROM:
        return False
    return len(content_words(text)) <= 1 and distress_of(text).trouble is None  # 消えた, "dead": a note, or a screen


def _kind_of_clauses(text: str) -> MessageKind | None:
    """The kind of a message of several clauses; None if no row applies, and for a message of one clause.

    | a clause | kind |
    |---|---|
    | is surely an attack | attack |
    | asks, follows thanks, or says what a complaint is about | request |
    | is surely distress, and the message is no worried request, nor asks to confirm ("so I can't, right?") | distress |
    | wants a human agent | person |
    | all that ask are about who the bot is, and no other is likely a request that names something | identity |
    | all are surely small talk | the most important one (`PRIORITY`) |
    """
    parts = message_clauses(text)
    if len(parts) < 2:
        return None
    kinds: list[MessageKind] = [_kind_of_clause(part) for part in parts]
    requests = [part for part, kind in zip(parts, kinds, strict=True) if kind == "request"]
    wanted = [part for part in requests if kind_probabilities(part)["request"] >= REQUEST_CLAUSE_FROM and asks(part)]
    if any(
        kind == "attack" and kind_probabilities(part)[kind] >= SURE_FROM
        for part, kind in zip(parts, kinds, strict=True)
    ):
        return "attack"
    likeliest = _likeliest_kind(text, PRIORITY)
    if wanted or (
        kinds[-1] == "request" and likeliest in GRATEFUL_KINDS and not _is_surely(likeliest, text, parts[-1])
    ):
        return "request"
    if likeliest == "insult" and any(map(_names_matter_of_request, requests)):
        return "request"
    has_distress_clause = any(
        _kind_of_clause(part) == "distress" and kind_probabilities(part)["distress"] >= SURE_FROM for part in parts
    )
    if has_distress_clause and not _only_worries(text) and not asks_to_confirm(text):
        return "distress"
    if any(map(wants_person, parts)):
        return "person"
    asked = [(part, kind) for part, kind in zip(parts, kinds, strict=True) if asks(part)]
    none_is = math.prod(1 - kind_probabilities(part)["identity"] for part, _ in asked)
    asks_who = bool(asked) and all(kind == "identity" for _, kind in asked) and 1 - none_is >= ASKED_OF_BOT_FROM
    if asks_who and not any(map(_names_matter_of_request, requests)):
        return "identity"
    is_sure = all(
        kind != "request" and kind_probabilities(part)[kind] >= SURE_FROM
        for part, kind in zip(parts, kinds, strict=True)
    )
    return min(kinds, key=PRIORITY.index) if is_sure else None


def _is_surely(kind: MessageKind, text: str, last: str) -> bool:
    """Whether a text is surely of a kind, and its last clause no request ("great class, loved every minute")."""
    if asks(last):
        return False
    return kind_probabilities(text)[kind] >= SURE_FROM and kind_probabilities(last)["request"] < REQUEST_CLAUSE_FROM


def _names_matter_of_request(clause: str) -> bool:
    """Whether a clause likely is a request and names something ("your machine ate my card")."""
    return (
        kind_probabilities(clause)["request"] >= REQUEST_CLAUSE_FROM and len(content_words(clause)) >= MIN_MATTER_WORDS
    )


def _only_worries(text: str) -> bool:
    """Whether a message with a distress clause is a worried request: "I am about to cry, it won't load"."""
    is_mild = distress_of(text).feeling in MILD and kind_probabilities(text)["distress"] < IN_CONTEXT_FROM
    return is_mild and despair_probability(text) < DESPAIR_AGREES_FROM


def _kind_of_clause(text: str) -> MessageKind:
    """The kind of a clause; "request" if no other kind is likely.

    A single word ("give it back") is too little for an attack.
    """
    if wants_person(text):
        return "person"
    kind = _kind_of_whole(text, _likeliest_kind(text, PRIORITY), 0.0)
    if kind == "attack" and len(content_words(text)) < 2:
        return "request"
    return kind if kind_probabilities(text)[kind] >= SMALL_TALK_FROM else "request"


def reports_trouble(messages: Sequence[Message], sections: Sequence[SectionHit], passage_count: int) -> bool:
    """Whether the last message reports a trouble and asks nothing, and no section found surely answers it."""
    text = messages[-1].text
    replies = len(messages) > 1 and is_clarifying_question(messages[-2])
    feeling = distress_of(text).feeling
    if replies or feeling in (None, *MILD) or asks_in_earnest(text):
        return False
    if feeling in ILL_TREATED or not sections:
        return feeling in ILL_TREATED
    if feeling not in PRACTICAL and feeling != "overwork" and wants(text):
        return False  # a death or an illness, and what to do now
    return not is_confident(text, sections, passage_count) and not (
        feeling == "anger" and _names_matter(text, sections)
    )


def _names_matter(text: str, sections: Sequence[SectionHit]) -> bool:
    """Whether a message names a thing that the sections found may be about."""
    if section_probabilities(sections)[0] >= MATTER_SECTION_FROM:
        return True
    named = content_words(without_small_talk_clauses(text))
    return len(named) >= MIN_NAMED_WORDS and sections[0].coverage >= NAMED_COVERAGE


def _asks_matter(text: str) -> bool:
    """Whether a clause asks for something other than a talk or a listener."""
    return any(
        asks(part) and _kind_of_clause(part) == "request" and incident(part) == "none" for part in message_clauses(text)
    )


def _is_distress(text: str) -> bool:
    """Whether what sounds like distress is distress: by a reported trouble, certain wording, or its meaning."""
    trouble = distress_of(text).trouble
    is_reported = trouble in (*GRAVE, "bereavement") or (trouble == "weariness" and not asks(text))
    surely = is_reported or kind_probabilities(text)["distress"] >= SURELY_DISTRESS_FROM
    return surely or despair_probability(text) >= DESPAIR_AGREES_FROM


def _likeliest_kind(text: str, among: Sequence[MessageKind]) -> MessageKind:
    probabilities = kind_probabilities(text)
    ranked: list[MessageKind] = sorted(among, key=lambda kind: -probabilities[kind])
    best = ranked[0]
    if best == "distress" and (is_figure_of_speech(text) or not _is_distress(text)):
        return ranked[1]  # dying of boredom
    return best
