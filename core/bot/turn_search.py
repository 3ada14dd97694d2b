"""What a turn searches for, and what it finds: the sections before the decision, the passages after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from itertools import zip_longest

from core.base.call_context import today_of
from core.base.prompt import Engine
from core.base.types import Bot, Hit, Message, Profile, ProfileField, Topic
from core.bot.answer.several_questions import SearchedQuestion, search_each_question
from core.bot.clarify.subject_change import mark_subject_changes
from core.bot.clarify.subjectless import alternatives
from core.bot.follow_up import WIDE, follow_up_questions, mark_follow_ups, with_own_evidence
from core.bot.other_language import searchable
from core.bot.respelled_messages import respelled
from core.bot.rewrite.rewrite import rewrite
from core.bot.sections_for_others import Known, set_aside
from core.bot.small_talk.first_steps import with_first_steps
from core.bot.small_talk.talk_kind import without_talk
from core.bot.small_talk.telephone import with_telephone
from core.retrieval.index import Index
from core.text.conversation import own_words, standalone_question

PASSAGES = 6  # passages that an answer is made from
PASSAGES_OF_SEVERAL = 8  # the same for a message that asks several things
TOPICS = 16  # sections that are looked at before asking
Conversation = tuple[Message, ...]


def mark_turns(index: Index, messages: Sequence[Message]) -> Conversation:
    """The conversation as it is read: kana spelt as in the documents, and messages marked that change the subject or
    follow up.

    The latter are those of which the wording does not show it.
    """
    return mark_follow_ups(index, mark_subject_changes(index, respelled(index, messages)))


def known_of(
    index: Index,
    conversation: Conversation,
    fields: tuple[ProfileField, ...] = (),
    person: Profile | None = None,
    today: date | None = None,
) -> Known:
    """What is known of the person who speaks, and on what day."""
    said = [message.text for message in reversed(conversation) if message.role == "user"]
    before = (*said, person.text() if person else "")
    return Known(index.document_values, fields, standalone_question(conversation), before, today)


def find_topics(index: Index, conversation: Conversation, known: Known | None = None) -> tuple[Topic, ...]:
    """The sections that compete for what is open in the conversation (as `mark_turns` gives it), found without a model.

    Those for people of another kind than what is known of the person are behind.
    """
    query = searchable(without_talk(standalone_question(conversation)), index)
    found = set_aside(index.topics(query, TOPICS), query, known or known_of(index, conversation))
    if own := own_part(index, conversation):
        found = with_own_evidence(found, own, index.search)
    text = conversation[-1].text
    return with_first_steps(index, text, with_telephone(index, text, found))


def find_alternatives(index: Index, conversation: Conversation, topics: Sequence[Topic]) -> tuple[Topic, ...]:
    """The sections, one of each document, that a first message without a subject may mean; none for any other
    message."""
    if len(conversation) != 1 or not topics:
        return ()
    return alternatives(searchable(without_talk(conversation[0].text), index), index, topics)


def own_part(index: Index, conversation: Conversation) -> str:
    """What the last message says itself, if it is searched for together with an earlier one; empty for every other
    one."""
    text = own_words(conversation)
    return text if searchable(text, index) == text else ""


def find_passages(
    index: Index,
    queries: Sequence[str],
    several: Sequence[SearchedQuestion] = (),
    own: str = "",
    known: Known | None = None,
) -> tuple[Hit, ...]:
    """The passages for one query, or the best of each by turns for several queries or for the questions of one
    (`several`).

    own: the words of a message that the one query joins to an earlier one. Passages for people of another kind than
    what is known of the person (of `several` already) are behind.
    """
    search = _search(index, known)
    if own and len(queries) == 1 and not several:
        return with_own_evidence(search(queries[0], WIDE), own, index.search)[:PASSAGES]
    found = [one.hits for one in several] or [search(query, PASSAGES) for query in queries]
    best: dict[str, Hit] = {}
    for hits in zip_longest(*found):
        for hit in hits:
            if hit:
                best.setdefault(hit.passage.id, hit)
    return tuple(best.values())[: PASSAGES_OF_SEVERAL if several else PASSAGES]


def split_questions(
    index: Index, queries: Sequence[str], conversation: Conversation = (), known: Known | None = None
) -> tuple[SearchedQuestion, ...]:
    """Each of several questions in one query, with what is found for it; of a follow-up in the conversation, with the
    subject before."""
    if len(queries) != 1:
        return ()
    joined = bool(conversation) and queries[0] == standalone_question(conversation)
    return search_each_question(
        queries[0], _search(index, known), follow_up_questions(index, conversation) if joined else ()
    )


def _search(index: Index, known: Known | None) -> Callable[[str, int], tuple[Hit, ...]]:
    """The search for a person: passages for others are behind."""

    def search(query: str, most: int) -> tuple[Hit, ...]:
        found = index.search(query, most)
        return set_aside(found, query, known) if known else found

    return search


def search_queries(
    engine: Engine, bot: Bot, index: Index, conversation: Conversation, person: Profile
) -> tuple[str, ...]:
    """What to search for: the conversation as standalone questions, in words that the documents can have."""
    queries = rewrite(engine, conversation, person.text(), today_of(bot), person.earlier)
    queries = tuple(map(without_talk, queries)) if len(conversation) == 1 else queries
    return tuple(searchable(query, index) for query in queries)
