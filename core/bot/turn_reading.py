"""What is read from a conversation and the documents before a turn decides whether to ask."""

from __future__ import annotations

from typing import NamedTuple

from core.base.call_context import today_of
from core.base.types import Bot, Message, Profile, Topic
from core.bot.clarify.outcome import BestResponse, best_outcome
from core.bot.sections_for_others import Known
from core.bot.small_talk.talk_kind import TalkKind, talk_kind
from core.bot.turn_search import find_alternatives, find_topics, known_of, mark_turns
from core.bot.unknown_product import unknown_product
from core.retrieval.index import Index
from core.text.conversation import count_clarifying_questions, standalone_question


class TurnReading(NamedTuple):
    """What is known of a turn before anything is asked of the engine.

    conversation: the messages, marked by `mark_turns`; known: what is known of the person; topics: the sections found,
    best first; alternatives: the sections, one of each document, that a first message without a subject may mean; talk:
    the kind of the last message; product: the name of one of which the documents say nothing, if it is about one;
    outcome: what it is best met with, if that is known; searched: how many passages there are; asked: how many
    clarifying questions count as asked.
    """

    conversation: tuple[Message, ...]
    known: Known
    topics: tuple[Topic, ...]
    alternatives: tuple[Topic, ...]
    talk: TalkKind
    product: str
    outcome: BestResponse | None
    searched: int
    asked: int


def read_turn(
    bot: Bot, index: Index, messages: tuple[Message, ...], person: Profile = Profile(), clarify: bool = True
) -> TurnReading:
    """Read the last of the messages; with `clarify=False` all clarifying questions count as asked."""
    conversation, searched = mark_turns(index, messages), len(index.passages)
    known = known_of(index, conversation, bot.profile_fields, person, today_of(bot))
    topics = find_topics(index, conversation, known) if bot.clarify.look_first else ()
    return TurnReading(
        conversation=conversation,
        known=known,
        topics=topics,
        alternatives=find_alternatives(index, conversation, topics),
        talk=talk_kind(conversation, topics, searched),
        product=unknown_product(index, conversation[-1].text, topics),
        outcome=best_outcome(standalone_question(conversation), topics, searched),
        searched=searched,
        asked=count_clarifying_questions(conversation) if clarify else bot.clarify.max_questions,
    )
