"""What a turn searches for, and what it finds: the sections before the decision, the passages after it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from core.base.call_context import today_of
from core.base.prompt import Engine
from core.base.types import Bot, Hit, Message, Profile, Topic
from core.bot.answer.several_questions import SearchedQuestion, ask_each
from core.bot.clarify.subjectless import alternatives
from core.bot.other_language import searchable
from core.bot.rewrite.rewrite import rewrite
from core.bot.small_talk.helpful import with_first_steps, with_telephone
from core.bot.small_talk.talk_kind import without_talk
from core.retrieval.index import Index
from core.text.conversation import standalone_question

PASSAGES = 6  # passages that an answer is made from
PASSAGES_OF_SEVERAL = 8  # the same for a message that asks several things
TOPICS = 16  # sections that are looked at before asking
Conversation = tuple[Message, ...]


def find_topics(index: Index, conversation: Conversation) -> tuple[Topic, ...]:
    """The sections that compete for what is open in the conversation (its subject changes marked), found without a model."""
    found = index.topics(searchable(without_talk(standalone_question(conversation)), index), TOPICS)
    text = conversation[-1].text
    return with_first_steps(index, text, with_telephone(index, text, found))


def find_alternatives(index: Index, conversation: Conversation, topics: Sequence[Topic]) -> tuple[Topic, ...]:
    """The sections, one of each document, that a first message without a subject may mean; none for any other message."""
    if len(conversation) != 1 or not topics:
        return ()
    return alternatives(searchable(without_talk(conversation[0].text), index), index, topics)


def find_passages(index: Index, queries: Sequence[str], several: Sequence[SearchedQuestion] = ()) -> tuple[Hit, ...]:
    """The passages for one query, or the best of each by turns for several queries or for the questions of one (`several`)."""
    found = [one.hits for one in several] or [index.search(query, PASSAGES) for query in queries]
    best: dict[str, Hit] = {}
    for hits in zip_longest(*found):
        for hit in hits:
            if hit:
                best.setdefault(hit.passage.id, hit)
    return tuple(best.values())[: PASSAGES_OF_SEVERAL if several else PASSAGES]


def split_questions(index: Index, queries: Sequence[str]) -> tuple[SearchedQuestion, ...]:
    """Each of several questions in one query, with what is found for it."""
    return ask_each(queries[0], index.search) if len(queries) == 1 else ()


def search_queries(
    engine: Engine, bot: Bot, index: Index, conversation: Conversation, person: Profile
) -> tuple[str, ...]:
    """What to search for: the conversation as standalone questions, in words that the documents can have."""
    queries = rewrite(engine, conversation, person.text(), today_of(bot), person.earlier)
    queries = tuple(map(without_talk, queries)) if len(conversation) == 1 else queries
    return tuple(searchable(query, index) for query in queries)
