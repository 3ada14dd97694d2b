"""Whom a reply names, and which headings it offers instead of an answer: worked out only if a reply needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from weakref import WeakKeyDictionary

from core.base.types import Answer, Bot, Contact, Message, Topic
from core.bot.answer.refusal import helpful_topics, is_likely_meant, nearest_topics
from core.bot.contacts import (
    contact_named_in,
    contact_of_sections,
    contacts_of_documents,
    contacts_to_choose,
    find_contact,
    fitting_contact,
    general_contact,
)
from core.bot.evidence import claim_probability, has_examples, sections_above
from core.bot.small_talk.replies import helpful_queries
from core.bot.small_talk.talk_kind import TalkKind, is_impatient, matter_of, tells_trouble, without_talk
from core.bot.small_talk.telephone import asks_to_telephone
from core.retrieval.index import Index
from core.text.conversation import standalone_question
from core.text.distress.distress import distress_of

MOST = 3  # sections that may help
NEAR = 0.5  # nearness of example questions, those with and those without an answer, from which a matter is one of the desks'
LOOK = 6  # sections that show what a message is about
LIKELY = 0.1  # probability of a section from which it says whom to ask: of 63 messages declined though documented 41 are sent to the right contact, with .03 38
_OF_DOCUMENTS: WeakKeyDictionary[Index, dict[tuple[Contact, ...], Mapping[str, Contact]]] = WeakKeyDictionary()


class Referral:
    """The contact of a matter, and the headings near it; each is found when first asked for."""

    def __init__(
        self,
        contact: Callable[[], Contact | None] = lambda: None,
        nearest: Callable[[], tuple[str, ...]] = lambda: (),
        likely: Callable[[], bool] = lambda: True,
    ) -> None:
        self._find_contact, self._find_nearest, self._find_likely = contact, nearest, likely

    @cached_property
    def contact(self) -> Contact | None:
        """The contact that fits best, or none."""
        return self._find_contact()

    @cached_property
    def nearest(self) -> tuple[str, ...]:
        """The headings that a reply without an answer can offer."""
        return self._find_nearest()

    @cached_property
    def likely(self) -> bool:
        """Whether the matter may well be one of the headings offered."""
        return self._find_likely()


def referral_of(
    bot: Bot, index: Index, conversation: Sequence[Message], topics: Sequence[Topic], talk: TalkKind
) -> Referral:
    """Where a conversation's last message, of this kind, can be referred to; `topics`: the sections found, best first."""

    def contact() -> Contact | None:
        calls = asks_to_telephone(conversation[-1].text)
        if talk == "person" and not calls and (matter := matter_of(conversation)):
            about = index.topics(without_talk(matter), LOOK)
            said = (Message(role="user", text=matter),)
            return fitting_contact(bot.contacts, said, named=True) or find_contact(bot.contacts, said, about)
        named = calls or talk not in ("request", "emergency") or tells_trouble(conversation, topics)
        likely = sections_above(topics, LIKELY) if has_examples(topics) else topics
        near = max((topic.example for topic in topics), default=0.0) + max(
            (topic.unanswered for topic in topics), default=0.0
        )
        if not named and near >= NEAR:
            voted = contact_of_sections(topics, _contacts_of_documents(index, bot.contacts))
            if voted:
                return voted
        return find_contact(bot.contacts, conversation, likely, named=named)

    def documented() -> float:
        return claim_probability("documented", standalone_question(conversation), topics)

    return Referral(
        contact,
        lambda: _nearest(bot, index, conversation, topics, talk, documented()),
        lambda: is_likely_meant(topics, documented()),
    )


def _contacts_of_documents(index: Index, contacts: tuple[Contact, ...]) -> Mapping[str, Contact]:
    """The contact of each document, worked out once for each index, and forgotten with it."""
    known = _OF_DOCUMENTS.setdefault(index, {})
    if contacts not in known:
        known[contacts] = contacts_of_documents(contacts, index.passages)
    return known[contacts]


def with_choices(
    reply: Answer, nearest: Sequence[str], contacts: Sequence[Contact], conversation: Sequence[Message], talk: TalkKind
) -> Answer:
    """A reply without an answer, with what it offers to go on with: the headings it names, and contacts if it says of no special one how to reach it.

    Who is angry gets few contacts, and none that the reply names.
    """
    named = [heading for heading in nearest if heading in reply.text]
    some = talk == "person" and not any(contact.reach in reply.text for contact in contacts if not contact.general)
    few = some and (is_impatient(conversation[-1].text) or distress_of(conversation[-1].text).feeling == "anger")
    offered = contacts_to_choose(contacts, conversation, few) if some else ()
    names = [one.name for one in offered if not (few and one.reach in reply.text)]
    return reply.model_copy(update={"choices": tuple(dict.fromkeys([*named, *names]))})


def _nearest(
    bot: Bot,
    index: Index,
    conversation: Sequence[Message],
    topics: Sequence[Topic],
    kind: TalkKind,
    documented: float,
) -> tuple[str, ...]:
    """The headings near a message; of sections that help, for somebody in trouble or who wants a person for nothing named."""
    text = conversation[-1].text
    if kind == "person" and (matter := matter_of(conversation)):
        about = helpful_topics(index.topics(without_talk(matter), LOOK))
        if about or asks_to_telephone(text):
            return () if asks_to_telephone(text) else about
    near = nearest_topics(topics, documented) if kind == "request" else ()
    if near and not tells_trouble(conversation, topics):
        return near
    queries = helpful_queries(kind, text, bot.language)
    searched = (index.topics(query, LOOK) for query in queries)
    each = [
        found for one in searched if (found := helpful_topics(_of_no_other_desk(bot, one) if kind == "person" else one))
    ]
    found = tuple(dict.fromkeys(chain(*each)))[:MOST] if distress_of(text).feeling == "loss" else next(iter(each), ())
    return found or near if queries else nearest_topics(topics, documented)


def _of_no_other_desk(bot: Bot, topics: Sequence[Topic]) -> list[Topic]:
    """The sections without those about one special contact, if the bot has one for everything else."""
    general = general_contact(bot.contacts)
    names = (contact_named_in((f"{one.heading} {one.text}",), bot.contacts) for one in topics)
    return [one for one, name in zip(topics, names, strict=True) if general is None or name in (None, general)]
