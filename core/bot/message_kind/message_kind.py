"""The kind of a conversation's last message, given what the documents have for it: a request, or small talk."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import AnyHit, Message, SectionHit
from core.bot.answer_ask_refuse import best_response, is_confident, later_response
from core.bot.embedded_settings import settings_for
from core.bot.message_kind.classifier import MessageKind, kind_probabilities
from core.bot.message_kind.clauses import without_small_talk_clauses
from core.bot.message_kind.despair import may_despair, surely_despairs
from core.bot.message_kind.kind_by_meaning import kinds_by_meaning
from core.bot.message_kind.kind_by_wording import DocumentFit, kind_by_wording
from core.bot.message_kind.kind_of_text import (
    COVERED_FROM,
    EASILY_CONFUSED_KINDS,
    GRATEFUL_KINDS,
    PRIORITY,
    SMALL_TALK_FROM,
    SURE_FROM,
    TOUCHED_SHARE,
    UNRELATED_KINDS,
    likeliest_kind,
)
from core.bot.message_kind.message_vector import vector_language
from core.bot.section_probability import (
    documented_probability,
    is_documented,
    likeliest_section,
    scored_in_conversation,
    section_probabilities,
)
from core.text.attacks import is_prompt_injection, wants_others_data
from core.text.conversation import is_clarifying_question
from core.text.distress.classifiers import is_figure_of_speech
from core.text.distress.distress import distress_of
from core.text.distress.sympathy import ILL_TREATED, MILD, PRACTICAL
from core.text.language import content_words, predicates
from core.text.message_questions import own_things
from core.text.questions import asks, asks_in_earnest, wants

# Sections or passages that are considered.
READ_SECTIONS = 6
# Probability of thanks or praise from which a message that would be refused as not documented counts as it.
UNDOCUMENTED_PRAISE_FROM = 0.4
# Probability of small talk by meaning from which a message that no section surely answers counts as it: a first message, a
# later one, and chat that asks something.
MEANT_FROM, MEANT_LATER_FROM, ASKED_CHAT_FROM = 0.5, 0.95, 0.7
# Probability of the likeliest of these kinds from which it is that one.
MEANT_KIND_FROM = 0.28
# Probability that a section answers, from which an easily confused kind is a request.
ANSWERED_FROM = 0.5
# Probability that the documents cover the matter, from which an easily confused kind is a request.
DOCUMENTED_FROM = 0.9
# Probability that the documents cover the matter, from which a message of one or two words is not chat.
NAMED_FROM = 0.5
# Probability of the likeliest section below which no section is meant.
NOTHING_FOUND_BELOW = 0.25
# Content words of a keyword.
MAX_KEYWORDS = 2
# Probability of a section from which an angry message is about it.
MATTER_SECTION_FROM = 0.3
# Content words of a message that names a matter, and the share of them in the first section.
MIN_NAMED_WORDS = 2
NAMED_COVERAGE = 0.2
# Kinds that short messages without a subject are taken for.
MISTAKEN_KINDS: tuple[MessageKind, ...] = (*UNRELATED_KINDS, "attack", "abilities")
# Kinds that get a small-talk reply if the documents do not cover them.
ANSWERED_WITHOUT_DOCUMENTS: tuple[MessageKind, ...] = tuple(
    kind for kind in PRIORITY if kind not in ("attack", "emergency", "human_agent", *UNRELATED_KINDS)
)
# Kinds that a message may be by its meaning.
MEANT_KINDS: tuple[MessageKind, ...] = (
    *(kind for kind in ANSWERED_WITHOUT_DOCUMENTS if kind != "distress"),
    "human_agent",
    *UNRELATED_KINDS,
)


def message_kind(messages: Sequence[Message], found: Sequence[AnyHit] | None, passage_count: int) -> MessageKind:
    """The kind of the last message, given the sections or passages found for it; the first row that applies decides.

    `found`: best first, None if nothing was searched for; `passage_count`: out of how many passages.

    | the last message | kind |
    |---|---|
    | was not searched for | that of its wording (`kind_by_wording`) |
    | is worded as a request or perhaps as chat, and is undocumented despair | distress |
    | is worded as a request, and is undocumented small talk | that small talk |
    | is worded as a request that no section surely answers, and means small talk | that small talk (`kind_by_meaning.py`) |
    | is worded as an easily confused kind, and a section surely answers it | request |
    | may be an attack by its wording, but is best answered | request |
    | is worded as a kind that short messages are taken for, and is answered in the conversation | request |
    | is any other | that of its wording |
    """
    if found is None:
        return kind_by_wording(messages)
    text, found = messages[-1].text, found[:READ_SECTIONS]
    is_known = found and (settings_for(found).found_is_known or is_documented(text, found, passage_count))
    fit = DocumentFit(
        coverage=max((one.coverage for one in found), default=0.0),
        is_off_topic=not is_known,
        has_no_section=likeliest_section(found)[0] < NOTHING_FOUND_BELOW,
    )
    kind = kind_by_wording(messages, fit)
    is_unsure = kind == "request" or (kind == "chat" and kind_probabilities(text)[kind] < SURE_FROM)
    if is_unsure and _is_undocumented_despair(messages, found, passage_count):
        return "distress"
    if kind == "request":
        if _is_undocumented_small_talk(messages, found, passage_count):
            return likeliest_kind(text, ANSWERED_WITHOUT_DOCUMENTS)
        return _small_talk_by_meaning(messages, found, passage_count) or "request"
    if kind in EASILY_CONFUSED_KINDS and _is_answered_by_section(text, kind, found):
        return "request"
    if kind == "attack" and not _is_surely_attack(text) and best_response(text, found, passage_count) == "answer":
        return "request"
    return "request" if _is_answered_in_conversation(text, kind, found) else kind


def _is_undocumented_despair(messages: Sequence[Message], found: Sequence[AnyHit], passage_count: int) -> bool:
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


def _is_undocumented_small_talk(messages: Sequence[Message], found: Sequence[AnyHit], passage_count: int) -> bool:
    """Whether a message asks nothing, is likely small talk, and would be refused as not documented."""
    text, is_first = messages[-1].text, len(messages) == 1
    least = UNDOCUMENTED_PRAISE_FROM if likeliest_kind(text, PRIORITY) in GRATEFUL_KINDS else SMALL_TALK_FROM
    if not is_first or asks(text) or 1 - kind_probabilities(text)["request"] < least:
        return False
    if distress_of(text).feeling not in (None, *MILD):
        return False
    return (
        likeliest_kind(text, PRIORITY) in ANSWERED_WITHOUT_DOCUMENTS
        and best_response(text, found, passage_count) == "refuse"
    )


def _small_talk_by_meaning(
    messages: Sequence[Message], found: Sequence[AnyHit], passage_count: int
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


def _is_answered_by_section(text: str, kind: MessageKind, found: Sequence[AnyHit]) -> bool:
    """Whether a section surely answers a message that is not certainly of this kind, or the documents cover what one or
    two words name (犬)."""
    if kind == "chat" and _is_keyword(text) and documented_probability(text, found) >= NAMED_FROM:
        return True
    if kind_probabilities(text)[kind] >= COVERED_FROM:
        return False
    return likeliest_section(found)[0] >= ANSWERED_FROM and documented_probability(text, found) >= DOCUMENTED_FROM


def _is_surely_attack(text: str) -> bool:
    """Whether a message commands the bot or demands another person's data, or nearly certainly is an attack by its wording."""
    by_pattern = is_prompt_injection(text) or wants_others_data(text)
    return by_pattern or kind_probabilities(text)["attack"] >= SURE_FROM


def _is_keyword(text: str) -> bool:
    """Whether a text is one or two words that may name a thing."""
    words = content_words(text)
    return 0 < len(words) <= MAX_KEYWORDS and not asks(text) and not predicates(text)


def _is_answered_in_conversation(text: str, kind: MessageKind, found: Sequence[AnyHit]) -> bool:
    """Whether a message after others that is not certainly of this kind is likely answered by a section in the
    conversation."""
    if kind not in MISTAKEN_KINDS or not scored_in_conversation(found):
        return False
    return later_response(found) == "answer" and kind_probabilities(text)[kind] < SURE_FROM


def may_be_request(kind: MessageKind, text: str, found: Sequence[AnyHit]) -> bool:
    """Whether a message without a subject that was taken for this kind may be a request.

    The kind is not certain, and what the message names, if anything, is in one of the sections found.
    """
    named = not own_things(text) or max((one.coverage for one in found), default=0.0) >= TOUCHED_SHARE
    return kind in MISTAKEN_KINDS and named and kind_probabilities(text)[kind] < SURE_FROM


def reports_trouble(messages: Sequence[Message], sections: Sequence[SectionHit], passage_count: int) -> bool:
    """Whether the last message reports a problem and asks nothing, and no section found surely answers it."""
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
