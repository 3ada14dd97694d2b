"""The contact that a reply names, and the headings that it offers instead of an answer; both are computed lazily."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from core.base.cached_by_object import cached_by_object
from core.base.types import Answer, Contact, Hit, Message, Passage, SectionHit
from core.bot.choices.reply_choices import (
    MAX_OFFERED,
    helpful_headings,
    is_likely_meant,
    nearest_headings,
    related_headings,
    unshown_headings,
)
from core.bot.choices.section_names import section_choices
from core.bot.contacts import (
    contact_named_in,
    contact_of_sections,
    contacts_of_documents,
    contacts_to_choose,
    find_contact,
    fitting_contact,
    general_contact,
)
from core.bot.embedded_settings import settings_for
from core.bot.message_kind.first_steps_sections import names_other_device, speaks_of_death
from core.bot.message_kind.human_agent import is_impatient, matter_of
from core.bot.message_kind.replies import helpful_queries
from core.bot.messages.shown_sections import quoted_sections
from core.bot.search_query import search_query
from core.bot.section_probability import documented_probability, sections_above
from core.bot.turn_context import TurnContext
from core.bot.turn_search import SearchResult
from core.documents.heading_names import last_heading
from core.retrieval.index import Index
from core.text.distress.distress import distress_of
from core.text.distress.sympathy import ILL_TREATED
from core.text.language import content_words
from core.text.questions import asks, wants
from core.text.quotation_marks import is_quoted

# Sum of the BM25 ratios of the nearest example questions with and without an answer, from which the documents' contacts
# are counted.
MIN_EXAMPLE_RATIOS = 0.5
# Probability of a section from which it names the contact for what a human agent is wanted for.
MATTER_FROM = 0.35
# Sections that are searched for.
SEARCHED_SECTIONS = 6
CACHED_CONTACTS = 8  # lists of contacts: a bot's, before and after it is edited
# The heading of a section that says how to reach the organisation, and what such a section has.
_CONTACT_HEADING = re.compile(
    r"問い?合わ?せ|連絡先|(?:相談|受付|総合|担当|サポート|デスクの)窓口|^窓口|ご相談|電話番号|(?:人|担当者|オペレーター)(?:と|に)(?:話|相談|つな)"
    r"|^contacts?\b|\bcontact (?:us|details|information)|\b(?:how|where|whom?) to (?:contact|reach|ask)|\bget(?:ting)? in touch"
    r"|\bcustomer (?:service|care|support)\b|\bask us\b"
    r"|\b(?:reach|(?:speak|talk) (?:to|with)) (?:us|someone|somebody|support|an? (?:human|person|agent|adviser))\b",
    re.IGNORECASE,
)
_WAY_TO_REACH = re.compile(
    r"(?<![\w.+-])[\w.+-]++@[\w.-]++|(?<!\d)\d{2,5}[-–‐ ]\d{2,4}[-–‐ ]\d{3,4}(?!\d)|(?<!\d)0120|内線\s{0,3}[:：]?\s{0,3}\d|\bext(?:ension|\.)?\s{0,3}\d"
    r"|電話|チャット|\b(?:phone|call|chat|email)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Referral:
    """The contact and the headings for the last message of a turn; each is computed on first use."""

    context: TurnContext

    @cached_property
    def contact(self) -> Contact | None:
        """The contact that fits best, or None."""
        return _contact(self.context)

    @cached_property
    def nearest(self) -> tuple[str, ...]:
        """The headings that a reply without an answer can offer."""
        return _nearest(self.context, self._unquoted, self._documented)

    @cached_property
    def others(self) -> tuple[str, ...]:
        """The headings of sections that no reply has shown, to offer instead of the same answer again."""
        conversation = self.context.conversation
        return unshown_headings(conversation, self.context.sections) if len(conversation) > 1 else ()

    @cached_property
    def contact_section(self) -> str:
        """The section of the documents that says whom to ask, for a bot without contacts; empty if there is none."""
        context = self.context
        return "" if context.bot.contacts else _contact_section(context.index.passages, context.sections)

    @cached_property
    def is_likely_meant(self) -> bool:
        """Whether one of the offered headings is probably meant."""
        return is_likely_meant(self._unquoted, self._documented)

    @cached_property
    def _unquoted(self) -> tuple[SectionHit, ...]:
        """The sections found; for a message after others without those that the last reply quotes."""
        context = self.context
        if not context.is_scored_in_conversation:
            return context.sections
        quoted = quoted_sections(context.index, context.conversation[-2])
        return tuple(hit for hit in context.sections if hit.section not in quoted)

    @cached_property
    def _documented(self) -> float:
        context = self.context
        if context.is_scored_in_conversation:
            return context.sections[0].documented_in_conversation or 0.0
        return documented_probability(context.question, context.sections)


def with_choices(reply: Answer, context: TurnContext, search_result: SearchResult, referral: Referral) -> Answer:
    """The reply with what can be picked below it: sections to go on with, or, if it has no answer, the headings and contacts
    that it offers."""
    if not reply.answered or not reply.cited:
        choices = _choices_without_answer(reply, context, referral)
    elif search_result.pinned_count and not search_result.several:
        choices = ()
    else:
        choices = _choices_to_go_on(reply, context, search_result)
    return reply.model_copy(update={"choices": choices})


def _choices_to_go_on(reply: Answer, context: TurnContext, search_result: SearchResult) -> tuple[str, ...]:
    """The headings of sections to go on with after an answer."""
    quoted = [search_result.hits[number - 1].passage for number in reply.cited]
    near = [one.hits for one in search_result.several] or [context.sections]
    choices = related_headings(near, quoted, reply.text, context.user_facts)
    alone = context.sections_alone
    if not alone:
        return choices
    of_message_alone = related_headings([alone], quoted, reply.text, context.user_facts)
    return tuple(dict.fromkeys((*of_message_alone, *choices)))[:MAX_OFFERED]


def _choices_without_answer(reply: Answer, context: TurnContext, referral: Referral) -> tuple[str, ...]:
    """The headings that a reply without an answer names, and contacts if a human agent is wanted and it does not say how to
    reach a special one.

    An angry user gets few contacts, and none that the reply names.
    """
    contacts, message = context.bot.contacts, context.message
    offered = (*referral.nearest, *referral.others, referral.contact_section)
    named = [heading for heading in filter(None, offered) if heading in reply.text or is_quoted(heading, reply.text)]
    names: list[str] = []
    if context.message_kind == "human_agent" and not any(
        one.reach in reply.text for one in contacts if not one.general
    ):
        few = is_impatient(message) or distress_of(message).feeling == "anger"
        to_choose = contacts_to_choose(contacts, context.conversation, few)
        names = [one.name for one in to_choose if not (few and one.reach in reply.text)]
    return tuple(dict.fromkeys([*named, *names]))


def _contact(context: TurnContext) -> Contact | None:
    """The contact for what a human agent is wanted for; else that of the documents that the message belongs to; else the one
    whose field it touches."""
    contacts, sections = context.bot.contacts, context.sections
    if matter := _matter(context):
        said = (Message(role="user", text=matter),)
        about = sections_above(_sections_about(context, matter), MATTER_FROM)
        return fitting_contact(contacts, said, (), named=True) or find_contact(contacts, said, about)
    named = context.message_kind not in ("request", "emergency") or context.reports_trouble
    nearest = (max((getattr(hit, name) for hit in sections), default=0.0) for name in ("example", "unanswered"))
    if not named and sum(nearest) >= MIN_EXAMPLE_RATIOS:
        voted = contact_of_sections(sections, _contacts_of_documents(context.index, contacts))
        if voted:
            return voted
    least = settings_for(sections).contact_from
    likely = sections if least is None else sections_above(sections, least)
    return find_contact(contacts, context.conversation, likely, named=named)


@cached_by_object(CACHED_CONTACTS)
def _contacts_of_documents(index: Index, contacts: tuple[Contact, ...]) -> Mapping[str, Contact]:
    """The contact of each document."""
    return contacts_of_documents(contacts, index.passages)


def _nearest(context: TurnContext, sections: Sequence[SectionHit], documented: float) -> tuple[str, ...]:
    """The headings near a message, of the sections in `sections`; for a user in trouble, or who wants a human agent without
    saying why, those that help."""
    if (matter := _matter(context)) and (about := helpful_headings(_sections_about(context, matter))):
        return about
    near = nearest_headings(sections, documented)
    if distress_of(context.message).trouble == "bereavement":
        return _after_death(context, near, documented)
    if context.message_kind == "request" and near and not context.reports_trouble:
        return near
    queries = helpful_queries(context.message_kind, context.message, context.bot.language)
    if not queries:
        return near
    found = filter(None, (_helpful(context, query) for query in queries))
    feeling = distress_of(context.message).feeling
    helpful = tuple(dict.fromkeys(chain(*found)))[:MAX_OFFERED] if feeling == "loss" else next(found, ())
    return helpful or (near if context.message_kind == "request" and feeling not in ILL_TREATED else ())


def _after_death(context: TurnContext, near: tuple[str, ...], documented: float) -> tuple[str, ...]:
    """Sections to offer after a bereavement: nearby ones about a death; else, if something is asked for, those that are
    likely meant or that the message names; else any about a death. Prefers none to an unrelated one."""
    fitting = tuple(heading for heading in near if speaks_of_death(heading))
    if not fitting and (asks(context.message) or wants(context.message)):
        said = set(content_words(context.message))
        likely = is_likely_meant(context.sections, documented)
        fitting = tuple(heading for heading in near if likely or said.intersection(content_words(heading)))
    queries = () if fitting else helpful_queries("distress", context.message, context.bot.language)
    found = (heading for query in queries for heading in _helpful(context, query) if speaks_of_death(heading))
    return fitting or tuple(dict.fromkeys(found))


def _matter(context: TurnContext) -> str:
    """What a user who wants a human agent needs one for; "" if unknown, and for other messages."""
    return matter_of(context.conversation) if context.message_kind == "human_agent" else ""


def _sections_about(context: TurnContext, matter: str) -> tuple[SectionHit, ...]:
    return context.index.sections(search_query(context.index, matter), SEARCHED_SECTIONS)


def _helpful(context: TurnContext, query: str) -> tuple[str, ...]:
    """The headings of sections about a query.

    In an emergency none for another device; for a user who wants a human agent none that name a special contact, if the bot
    has a general one.
    """
    found, contacts = context.index.sections(query, SEARCHED_SECTIONS), context.bot.contacts
    general = general_contact(contacts)
    if context.message_kind == "human_agent" and general:
        names = (contact_named_in((f"{one.heading} {one.text}",), contacts) for one in found)
        found = [one for one, name in zip(found, names, strict=True) if name in (None, general)]
    headings = helpful_headings(found)
    if context.message_kind == "emergency":  # first steps for a lost telephone do not fit a lost card
        return tuple(heading for heading in headings if not names_other_device(context.message, heading))
    return headings


def _contact_section(passages: Sequence[Passage], sections: Sequence[SectionHit]) -> str:
    """The section, as a choice, that says how to reach the organisation; empty if the documents have none.

    Of several that of the document that is nearest to the message (`sections`, best first), else the one with the
    shortest heading.
    """
    headed = [one for one in passages if "…" not in last_heading(one.heading)]  # not the first words of a paragraph
    found = [
        one for one in headed if _CONTACT_HEADING.search(last_heading(one.heading)) and _WAY_TO_REACH.search(one.text)
    ]
    if not found:
        return ""
    near = [hit.document for hit in sections]
    best = min(found, key=lambda one: (_place(near, one.document), len(last_heading(one.heading))))
    return next(iter(section_choices([Hit(passage=best, score=0.0)])), "")


def _place(documents: Sequence[str], document: str) -> int:
    return documents.index(document) if document in documents else len(documents)
