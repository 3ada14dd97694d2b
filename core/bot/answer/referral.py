"""Whom a reply names, and which headings it offers instead of an answer: worked out only if a reply needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from weakref import WeakKeyDictionary

from core.base.types import Answer, Contact, Message, Topic
from core.bot.answer.refusal import MAX_OFFERED, helpful_headings, is_likely_meant, nearest_headings
from core.bot.contacts import (
    contact_named_in,
    contact_of_sections,
    contacts_of_documents,
    contacts_to_choose,
    find_contact,
    fitting_contact,
    general_contact,
)
from core.bot.evidence import documented_probability, has_examples, sections_above
from core.bot.small_talk.classifier import TalkKind
from core.bot.small_talk.clauses import without_talk
from core.bot.small_talk.person_wish import is_impatient, matter_of
from core.bot.small_talk.replies import helpful_queries
from core.bot.turn_context import TurnContext
from core.retrieval.index import Index
from core.text.conversation import standalone_question
from core.text.distress.distress import distress_of
from core.text.distress.sympathy import ILL_TREATED
from core.text.quotation_marks import is_quoted

# Sum of the BM25 ratios of the nearest example questions with and without an answer, from which a matter is a desk's.
DESK_EXAMPLES = 0.5
# Sections that show what a message is about.
SEARCHED_SECTIONS = 6
# Probability of a section from which it says whom to ask: of 63 messages refused though documented 41 are sent to the
# right contact, with .03 38.
CONTACT_FROM = 0.1
_OF_DOCUMENTS: WeakKeyDictionary[Index, dict[tuple[Contact, ...], Mapping[str, Contact]]] = WeakKeyDictionary()


class Referral:
    """The contact for a conversation's last message, and the headings near it; each is found when first asked for.

    context: the turn's; without one there is nothing to refer to.
    """

    def __init__(self, context: TurnContext | None = None) -> None:
        self._context = context

    @cached_property
    def contact(self) -> Contact | None:
        """The contact that fits best, or none."""
        return _contact(self._context) if self._context else None

    @cached_property
    def nearest(self) -> tuple[str, ...]:
        """The headings that a reply without an answer can offer."""
        return _nearest(self._context, self._documented) if self._context else ()

    @cached_property
    def is_likely_meant(self) -> bool:
        """Whether one of the headings offered may well be what is meant."""
        return self._context is None or is_likely_meant(self._context.topics, self._documented)

    @cached_property
    def _documented(self) -> float:
        context = self._context
        return documented_probability(standalone_question(context.conversation), context.topics) if context else 0.0


def with_choices(
    reply: Answer, nearest: Sequence[str], contacts: Sequence[Contact], conversation: Sequence[Message], talk: TalkKind
) -> Answer:
    """A reply without an answer, with what it offers to go on with: the headings it names, and contacts if it says of
    no special one how to reach it.

    Who is angry gets few contacts, and none that the reply names.
    """
    named = [heading for heading in nearest if heading in reply.text or is_quoted(heading, reply.text)]
    some = talk == "person" and not any(contact.reach in reply.text for contact in contacts if not contact.general)
    few = some and (is_impatient(conversation[-1].text) or distress_of(conversation[-1].text).feeling == "anger")
    offered = contacts_to_choose(contacts, conversation, few) if some else ()
    names = [one.name for one in offered if not (few and one.reach in reply.text)]
    return reply.model_copy(update={"choices": tuple(dict.fromkeys([*named, *names]))})


def _contact(context: TurnContext) -> Contact | None:
    """The contact for what a person is wanted for; else that of the documents that the message belongs to; else the one
    whose field it touches."""
    contacts, topics = context.bot.contacts, context.topics
    if matter := _matter(context):
        said, about = (Message(role="user", text=matter),), _sections_about(context, matter)
        return fitting_contact(contacts, said, (), named=True) or find_contact(contacts, said, about)
    named = context.talk not in ("request", "emergency") or context.tells_trouble
    nearest = (max((getattr(topic, name) for topic in topics), default=0.0) for name in ("example", "unanswered"))
    if not named and sum(nearest) >= DESK_EXAMPLES:
        voted = contact_of_sections(topics, _contacts_of_documents(context.index, contacts))
        if voted:
            return voted
    likely = sections_above(topics, CONTACT_FROM) if has_examples(topics) else topics
    return find_contact(contacts, context.conversation, likely, named=named)


def _contacts_of_documents(index: Index, contacts: tuple[Contact, ...]) -> Mapping[str, Contact]:
    """The contact of each document, worked out once for each index, and forgotten with it."""
    known = _OF_DOCUMENTS.setdefault(index, {})
    if contacts not in known:
        known[contacts] = contacts_of_documents(contacts, index.passages)
    return known[contacts]


def _nearest(context: TurnContext, documented: float) -> tuple[str, ...]:
    """The headings near a message; of sections that help, for somebody in trouble or who wants a person for nothing
    named."""
    if (matter := _matter(context)) and (about := helpful_headings(_sections_about(context, matter))):
        return about
    near = nearest_headings(context.topics, documented)
    if context.talk == "request" and near and not context.tells_trouble:
        return near
    queries = helpful_queries(context.talk, context.conversation[-1].text, context.bot.language)
    if not queries:
        return near
    found = filter(None, (_helpful(context, query) for query in queries))
    feeling = distress_of(context.conversation[-1].text).feeling
    helpful = tuple(dict.fromkeys(chain(*found)))[:MAX_OFFERED] if feeling == "loss" else next(found, ())
    return helpful or (near if context.talk == "request" and feeling not in ILL_TREATED else ())


def _matter(context: TurnContext) -> str:
    """What somebody who wants a person needs one for; empty if that is unknown."""
    return matter_of(context.conversation) if context.talk == "person" else ""


def _sections_about(context: TurnContext, matter: str) -> tuple[Topic, ...]:
    return context.index.topics(without_talk(matter), SEARCHED_SECTIONS)


def _helpful(context: TurnContext, query: str) -> tuple[str, ...]:
    """The headings of sections about a query; to somebody who wants a person, of none about one special contact, if the
    bot has one for everything else."""
    found, contacts = context.index.topics(query, SEARCHED_SECTIONS), context.bot.contacts
    general = general_contact(contacts)
    if context.talk == "person" and general:
        names = (contact_named_in((f"{one.heading} {one.text}",), contacts) for one in found)
        found = [one for one, name in zip(found, names, strict=True) if name in (None, general)]
    return helpful_headings(found)
