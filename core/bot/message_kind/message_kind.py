"""Whether the last message of a conversation is small talk, read beside what the documents hold."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from core.base.types import Hit, Message, Topic
from core.bot.answer_ask_refuse import best_response, is_confident
from core.bot.decision_settings import settings_for
from core.bot.message_kind.classifier import MessageKind, kind_probabilities
from core.bot.message_kind.clauses import message_clauses, without_small_talk_clauses
from core.bot.message_kind.despair import despair_probability, may_despair, surely_despairs
from core.bot.message_kind.person_wish import only_wants_person
from core.bot.section_probability import documented_probability, is_documented, likeliest_section, section_probabilities
from core.text.answer_kinds import Kind, asked_kinds
from core.text.attacks import is_prompt_injection, wants_others_data
from core.text.conversation import is_clarifying_question, is_unhelped
from core.text.distress.distress import DANGERS, GRAVE, distress_of
from core.text.distress.hypothetical import asks_what_if
from core.text.distress.incidents import incident
from core.text.distress.moods import OUT_OF_CONTEXT, is_figure_of_speech, mood_probabilities
from core.text.distress.sympathy import ILL_TREATED, MILD, PRACTICAL
from core.text.language import content_words, predicates
from core.text.message_questions import own_things
from core.text.normalize import normalize
from core.text.offered_choices import picked_choices, rejects_choices
from core.text.questions import asks, asks_in_earnest, wants
from core.text.reactions import says_unknown
from core.text.talk_patterns import gives_thanks, wants_person

# Sections or passages that are read.
READ_SECTIONS = 6
# Probability of small talk from which a message counts as it.
SMALL_TALK_FROM = 0.5
# The same of thanks or praise that would be refused as not documented.
UNDOCUMENTED_PRAISE_FROM = 0.4
# The same although a section covers the message; a kind is sure from it.
SURE_FROM = 0.85
# The same as a reply to a clarifying question.
REPLY_FROM = 0.9
# Probability from which somebody wants a person, whatever the documents hold.
PERSON_FROM = 0.6
# Probability from which a message that a section covers counts as an emergency.
EMERGENCY_FROM = 0.65
# Probability of a danger to a life from which nothing is declined as far off.
MAY_BE_DANGER_FROM = 0.4
# Probability from which a message that the documents do not cover is far from every help desk.
FAR_OFF_FROM = 0.3
# Probability from which a kind that is hardly ever a question (STATEMENTS) counts if nothing is asked.
STATEMENT_FROM = 0.45
# Probability of a request from which one clause makes the whole message one.
REQUEST_CLAUSE_FROM = 0.7
# Probability that a section answers, from which light small talk is a request.
ANSWERED_FROM = 0.5
# The same, that the documents speak of the matter.
SPOKEN_OF_FROM = 0.9
# The same, that the documents speak of what one or two words name, from which these are no chat.
NAMED_FROM = 0.5
# Probability of the likeliest section, below which nothing is found for what is said to the bot itself.
NOTHING_FOUND_BELOW = 0.25
# Content words of a keyword, and of a clause that tells what somebody scolds about.
MAX_KEYWORDS = 2
MIN_MATTER_WORDS = 2
# Share of a message's content words, by idf, from which a section speaks of it.
SPEAKING_COVERAGE = 0.6
# The same, from which a section touches it.
TOUCHING_COVERAGE = 0.3
# Times as likely as a request that small talk must be if a section touches the message.
TOUCHED_SMALL_TALK_RATIO = 2.0
# The same of chat if none does.
CHAT_RATIO = 1.5
# Content words of a follow-up that asks for a value ("how many?").
MAX_FOLLOW_UP_WORDS = 2
# Content words of somebody who asked for a person and now says what for.
MAX_WORDS_AFTER_WISH = 3
# Probability of a section from which it is what an angry message is about.
MATTER_SECTION_FROM = 0.3
# Content words of a message that names a matter, and the share of them that the first section has.
MIN_NAMED_WORDS = 2
NAMED_COVERAGE = 0.2
# Values that nobody asks for while it burns.
VALUE_KINDS: frozenset[Kind] = frozenset({"money", "count"})
# Hardly ever questions.
STATEMENTS: frozenset[MessageKind] = frozenset({"thanks", "praise", "farewell", "greeting", "attack"})
# What replies to a clarifying question without an answer to it.
REPLY_KINDS: frozenset[MessageKind] = frozenset({"thanks", "farewell", "insult", "person", "attack", "distress"})
GRATEFUL: tuple[MessageKind, ...] = ("thanks", "praise")
# What a word or two is easily taken for.
LIGHT: frozenset[MessageKind] = frozenset({"greeting", "chat", "abilities", "praise"})
# Said to the bot itself, in words that any section may have ("what do you know?", "good night").
TO_BOT: tuple[MessageKind, ...] = ("identity", "abilities", "farewell")
# Matters of no help desk, unless a section covers them.
FAR_OFF: tuple[MessageKind, ...] = ("outside", "jobs")
# What short messages without a subject pass for.
TENTATIVE: tuple[MessageKind, ...] = (*FAR_OFF, "attack", "abilities")
_AFTERWARDS = re.compile(  # what is asked when nobody is in danger any more
    r"労災|手続|申請|届|書類|報告書|休(?:み|暇|め|業)|給料|給与|手当|補償|保険|\b(?:leave|days? off|time off|paperwork|forms?|claims?|insurance|sick pay|compensation)\b",
    re.IGNORECASE,
)
# Of several clauses the one that matters most decides.
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
# Probability of distress by wording from which a message is in distress whatever it means, and of despair by meaning from
# which one is that is less sure.
SURELY_DISTRESS_FROM = 0.8
AGREES_FROM = 0.3
# What is met with a word where the documents say nothing.
CALM: tuple[MessageKind, ...] = tuple(
    kind for kind in PRIORITY if kind not in ("attack", "emergency", "person", *FAR_OFF)
)


def message_kind(messages: Sequence[Message], found: Sequence[Topic | Hit] | None, passage_count: int) -> MessageKind:
    """The kind of small talk that the last message is, or "request", read beside the sections or passages found for it.

    `found`: best first, None if nothing was searched for; `passage_count`: out of how many passages.
    """
    is_searched, found = found is not None, (found or ())[:READ_SECTIONS]
    covered = max((one.coverage for one in found), default=0.0)
    is_known = found and (settings_for(found).found_is_known or is_documented(messages[-1].text, found, passage_count))
    unspoken = is_searched and not is_known
    nowhere = is_searched and likeliest_section(found)[0] < NOTHING_FOUND_BELOW
    kind = kind_by_coverage(messages, covered, unspoken, nowhere)
    is_unsure = kind == "request" or (kind == "chat" and kind_probabilities(messages[-1].text)[kind] < SURE_FROM)
    if is_searched and is_unsure and _sounds_desperate(messages, found, passage_count):
        return "distress"
    if is_searched and kind == "request" and _is_undocumented_small_talk(messages, found, passage_count):
        return _likeliest(messages[-1].text, CALM)
    return "request" if kind in LIGHT and _is_answered(messages[-1].text, kind, found) else kind


def _is_answered(text: str, kind: MessageKind, found: Sequence[Topic | Hit]) -> bool:
    """Whether a section surely answers what is not surely small talk of a kind, or the documents speak of what is named
    by a word or two (犬)."""
    if kind == "chat" and _is_keyword(text) and documented_probability(text, found) >= NAMED_FROM:
        return True
    if kind_probabilities(text)[kind] >= SURE_FROM:
        return False
    return likeliest_section(found)[0] >= ANSWERED_FROM and documented_probability(text, found) >= SPOKEN_OF_FROM


def _is_keyword(text: str) -> bool:
    """Whether a text is nothing but one or two words that may name a thing."""
    words = content_words(text)
    return 0 < len(words) <= MAX_KEYWORDS and not asks(text) and not predicates(text)


def may_be_request(kind: MessageKind, text: str, found: Sequence[Topic | Hit]) -> bool:
    """Whether a message without a subject that passes for this kind of small talk may ask for something documented.

    The kind is not sure, and what the message names, if anything, is in one of the sections found.
    """
    named = not own_things(text) or max((one.coverage for one in found), default=0.0) >= TOUCHING_COVERAGE
    return kind in TENTATIVE and named and kind_probabilities(text)[kind] < SURE_FROM


def _is_undocumented_small_talk(messages: Sequence[Message], found: Sequence[Topic | Hit], passage_count: int) -> bool:
    """Whether a message asks nothing, is likely small talk, and would be refused as not documented."""
    text, is_first = messages[-1].text, len(messages) == 1
    least = UNDOCUMENTED_PRAISE_FROM if _likeliest(text, PRIORITY) in GRATEFUL else SMALL_TALK_FROM
    if not is_first or asks(text) or 1 - kind_probabilities(text)["request"] < least:
        return False
    if distress_of(text).feeling not in (None, *MILD):
        return False
    return _likeliest(text, PRIORITY) in CALM and best_response(text, found, passage_count) == "refuse"


def _sounds_desperate(messages: Sequence[Message], found: Sequence[Topic | Hit], passage_count: int) -> bool:
    """Whether a message may well tell of despair, in whatever words, and would be refused as not documented: better a
    kind word too many than "I don't know"."""
    text = messages[-1].text
    if (len(messages) > 1 and messages[-2].choices) or likeliest_section(found)[0] >= ANSWERED_FROM:
        return False
    if len(content_words(text)) <= 1:
        return False  # 消えた: more likely a note
    if distress_of(text).feeling in PRACTICAL or is_figure_of_speech(text):
        return False
    if not may_despair(text) or (len(messages) > 1 and not surely_despairs(text)):
        return False
    return best_response(text, found, passage_count) in ("refuse", None)


def kind_by_coverage(
    messages: Sequence[Message], covered: float = 0.0, unspoken: bool = False, nowhere: bool = False
) -> MessageKind:
    """The kind of small talk that the last message is, or "request"; the first row that holds decides.

    covered: how much of it the best section covers (0 to 1); unspoken: the documents surely do not speak of its matter;
    nowhere: no section is likely meant.

    | the last message | kind |
    |---|---|
    | picks one of the choices before it, or rejects them | request |
    | says that the last reply did not help, and tells of no grave trouble | person if it wants one, else request |
    | tells what cannot wait, and asks for no price | emergency |
    | wants the data of others, or commands the bot | attack |
    | replies to a clarifying question | its own if nearly certain, else request |
    | tells of a danger to a life, or is worn out and asks for nothing | distress |
    | wants a person and nothing else | person |
    | asks in a word or two how many or how long, of what went before | request |
    | says in a few words what the person is wanted for | person |
    | is any other | that of its clauses, else of the whole; practical troubles are requests |
    """
    text = messages[-1].text
    if sure := _sure_kind(messages):
        return sure
    kind, distress = _of_parts(text), distress_of(text)
    if not kind:
        likeliest = _likeliest(text, PRIORITY)
        if nowhere and likeliest in TO_BOT:
            covered = min(covered, TOUCHING_COVERAGE)
        kind = _of_whole(text, likeliest, covered, unspoken)
    practical = kind == "distress" and distress.trouble is None and distress.feeling in PRACTICAL
    return "request" if practical else kind


def _sure_kind(messages: Sequence[Message]) -> MessageKind | None:
    """The kind by all but the last row of the table; none if none of them holds."""
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
    if _is_grave(text):
        return "distress"
    if only_wants_person(text):
        return "person"
    if before and asked_kinds(text) and len(content_words(text)) <= MAX_FOLLOW_UP_WORDS:
        return "request"  # how many, how long: of what went before
    return "person" if _says_what_person_is_for(messages) else None


def _kind_of_reply(question: Message, text: str) -> MessageKind:
    """The kind of a reply to a clarifying question: a request unless it is nearly certain that it is another."""
    kind, chance = _likeliest(text, PRIORITY), 1 - kind_probabilities(text)["request"]
    if kind not in REPLY_KINDS or says_unknown(text) or picked_choices(question.choices, text):
        return "request"
    if wants_person(text) and not asks(text):
        kind = "person"
    return kind if chance >= REPLY_FROM and (kind != "thanks" or gives_thanks(text)) else "request"


def _is_grave(text: str) -> bool:
    """Whether a message tells of a danger to a life, or is worn out and asks for nothing."""
    distress = distress_of(text)
    if (distress.trouble in GRAVE and not asks(text)) or _in_danger(text) or distress.announces_danger:
        return True
    return distress.trouble == "weariness" and not _asks_matter(text) and _is_distress(text)


def _says_what_person_is_for(messages: Sequence[Message]) -> bool:
    """Whether somebody who asked for a person now says in a few words what for."""
    text, earlier = messages[-1].text, messages[:-2]
    if not earlier or asks(text) or len(content_words(text)) > MAX_WORDS_AFTER_WISH:
        return False
    return kind_by_coverage(earlier) == "person"


def _is_emergency(text: str) -> bool:
    """Whether a message tells what cannot wait, and asks for no price or number beside it."""
    found = distress_of(text).emergency
    return found is not None and not any(
        asks(part) and (VALUE_KINDS.intersection(asked_kinds(part)) or (found == "injury" and _AFTERWARDS.search(part)))
        for part in message_clauses(text)
    )


def _in_danger(text: str) -> bool:
    """Whether a clause that asks nothing tells of a danger to a life, whatever else the message asks."""
    return distress_of(text).trouble in DANGERS and any(
        distress_of(part).trouble in DANGERS and not asks(part) for part in message_clauses(text)
    )


def _of_whole(text: str, kind: MessageKind, covered: float, unspoken: bool = False) -> MessageKind:
    """A kind of small talk, or "request", by how likely it is the kind of a text as one, and how much of the text a
    section covers."""
    probabilities, is_question = kind_probabilities(text), asks(text)
    likely, request = probabilities[kind], probabilities["request"]
    if kind == "outside" and mood_probabilities(text)["danger"] >= MAY_BE_DANGER_FROM:
        return "request"  # never declined
    if kind == "outside" and unspoken and likely >= max(FAR_OFF_FROM, request):
        return kind
    if _says_too_little(text, kind):
        return "request"
    grateful = kind in GRATEFUL and not is_question
    if grateful and unspoken:
        covered = min(covered, TOUCHING_COVERAGE)  # words that any section may have
    if kind in LIGHT and is_question and likely < SURE_FROM and asks_what_if(normalize(text)):
        return "request"  # what if it rains?
    if kind in FAR_OFF and (likely < SMALL_TALK_FROM or covered >= SPEAKING_COVERAGE):
        return "request"
    if kind in STATEMENTS and likely < (SURE_FROM if is_question else STATEMENT_FROM):
        return "request"
    if kind == "person" and (likely >= PERSON_FROM or (wants_person(text) and not is_question)):
        return kind  # whatever it is about
    ahead = TOUCHED_SMALL_TALK_RATIO if covered >= TOUCHING_COVERAGE else CHAT_RATIO if kind == "chat" else 1
    alike = math.fsum(probabilities[one] for one in GRATEFUL) if grateful else likely  # the same reply, nearly
    if alike < ahead * request:
        return "request"
    if kind == "emergency":
        return kind if likely >= EMERGENCY_FROM else "request"
    return kind if 1 - request >= (SURE_FROM if covered >= SPEAKING_COVERAGE else SMALL_TALK_FROM) else "request"


def _says_too_little(text: str, kind: MessageKind) -> bool:
    """Whether a text names nothing that an emergency could be of, or is a single word that hardly tells of distress."""
    if kind == "emergency":
        return not set(content_words(text)) - predicates(text)  # lost, but what? First steps would be a guess
    if kind != "distress" or kind_probabilities(text)[kind] >= SURE_FROM:
        return False
    return len(content_words(text)) <= 1 and distress_of(text).trouble is None  # 消えた, "dead": a note, or a screen


def _of_parts(text: str) -> MessageKind | None:
    """The kind of a message of several clauses: an attack if one surely is, a request if one asks, follows thanks or
    tells what somebody scolds about, distress if one surely is, a person if one wants that, the one that matters most if each is surely small talk; none
    for any other."""
    parts = message_clauses(text)
    if len(parts) < 2:
        return None
    kinds: list[MessageKind] = [_of_part(part) for part in parts]
    requests = [part for part, kind in zip(parts, kinds, strict=True) if kind == "request"]
    wanted = [part for part in requests if kind_probabilities(part)["request"] >= REQUEST_CLAUSE_FROM and asks(part)]
    if any(kind_probabilities(part)["attack"] >= SURE_FROM for part in parts):
        return "attack"
    likeliest = _likeliest(text, PRIORITY)
    if wanted or (kinds[-1] == "request" and likeliest in GRATEFUL and not _is_surely(likeliest, text, parts[-1])):
        return "request"
    if likeliest == "insult" and any(map(_tells_matter, requests)):
        return "request"
    told = any(_of_part(part) == "distress" and kind_probabilities(part)["distress"] >= SURE_FROM for part in parts)
    if told and not _only_worries(text):
        return "distress"
    if any(map(wants_person, parts)):
        return "person"
    is_sure = all(
        kind != "request" and kind_probabilities(part)[kind] >= SURE_FROM
        for part, kind in zip(parts, kinds, strict=True)
    )
    return min(kinds, key=PRIORITY.index) if is_sure else None


def _is_surely(kind: MessageKind, text: str, last: str) -> bool:
    """Whether a text is surely of a kind, and its last clause not likely a request ("great class, loved every minute")."""
    if asks(last):
        return False
    return kind_probabilities(text)[kind] >= SURE_FROM and kind_probabilities(last)["request"] < REQUEST_CLAUSE_FROM


def _tells_matter(clause: str) -> bool:
    """Whether a clause likely is a request and names something ("your machine ate my card")."""
    return (
        kind_probabilities(clause)["request"] >= REQUEST_CLAUSE_FROM and len(content_words(clause)) >= MIN_MATTER_WORDS
    )


def _only_worries(text: str) -> bool:
    """Whether a message with a clause in distress is a request of somebody worried: "I am about to cry, it won't load"."""
    is_mild = distress_of(text).feeling in MILD and kind_probabilities(text)["distress"] < OUT_OF_CONTEXT
    return is_mild and despair_probability(text) < AGREES_FROM


def _of_part(text: str) -> MessageKind:
    """The kind of a clause; a request if it is not likely one kind of small talk.

    A single word ("give it back") is too little for an attack.
    """
    if wants_person(text):
        return "person"
    kind = _of_whole(text, _likeliest(text, PRIORITY), 0.0)
    if kind == "attack" and len(content_words(text)) < 2:
        return "request"
    return kind if kind_probabilities(text)[kind] >= SMALL_TALK_FROM else "request"


def reports_trouble(messages: Sequence[Message], topics: Sequence[Topic], passage_count: int) -> bool:
    """Whether the last message tells of a trouble and asks nothing, and no section found surely answers it."""
    text = messages[-1].text
    replies = len(messages) > 1 and is_clarifying_question(messages[-2])
    feeling = distress_of(text).feeling
    if replies or feeling in (None, *MILD) or asks_in_earnest(text):
        return False
    if feeling in ILL_TREATED or not topics:
        return feeling in ILL_TREATED
    if feeling not in PRACTICAL and feeling != "overwork" and wants(text):
        return False  # a death, an illness, and what is to be done now
    return not is_confident(text, topics, passage_count) and not (feeling == "anger" and _names_matter(text, topics))


def _names_matter(text: str, topics: Sequence[Topic]) -> bool:
    """Whether a message names a thing that the sections found speak of, more or less: that is what helps."""
    if section_probabilities(topics)[0] >= MATTER_SECTION_FROM:
        return True
    named = content_words(without_small_talk_clauses(text))
    return len(named) >= MIN_NAMED_WORDS and topics[0].coverage >= NAMED_COVERAGE


def _asks_matter(text: str) -> bool:
    """Whether a clause asks for something beside a talk or a listener."""
    return any(
        asks(part) and _of_part(part) == "request" and incident(part) == "none" for part in message_clauses(text)
    )


def _is_distress(text: str) -> bool:
    """Whether what sounds like distress by its wording is: surely by that, or by its meaning, or as a trouble is told."""
    trouble = distress_of(text).trouble
    told = trouble in (*GRAVE, "bereavement") or (trouble == "weariness" and not asks(text))
    surely = told or kind_probabilities(text)["distress"] >= SURELY_DISTRESS_FROM
    return surely or despair_probability(text) >= AGREES_FROM


def _likeliest(text: str, among: Sequence[MessageKind]) -> MessageKind:
    probabilities = kind_probabilities(text)
    ranked: list[MessageKind] = sorted(among, key=lambda kind: -probabilities[kind])
    best = ranked[0]
    if best == "distress" and (is_figure_of_speech(text) or not _is_distress(text)):
        return ranked[1]  # dying of boredom
    return best
