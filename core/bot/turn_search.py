"""What a turn searches for after the decision, and the passages that it finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from core.base.call_context import today_of
from core.base.prompt import Engine
from core.base.types import Hit
from core.bot.messages.follow_up import follow_up_questions
from core.bot.other_language import searchable
from core.bot.rewrite.rewrite import rewrite
from core.bot.sections_for_others import PersonFacts, set_aside
from core.bot.several_questions import SearchedQuestion, search_each_question
from core.bot.small_talk.clauses import without_talk
from core.bot.turn_context import TurnContext
from core.retrieval.index import ANSWER_PASSAGES, Index
from core.text.conversation import standalone_question

# Passages that several questions in one message are answered from.
PASSAGES_OF_SEVERAL = 8


def search_queries(engine: Engine, context: TurnContext) -> tuple[str, ...]:
    """What to search for: the conversation as standalone questions, in words that the documents can have."""
    person = context.person
    queries = rewrite(engine, context.conversation, person.text(), today_of(context.bot), person.earlier)
    queries = tuple(map(without_talk, queries)) if len(context.conversation) == 1 else queries
    return tuple(searchable(query, context.index) for query in queries)


def split_questions(context: TurnContext, queries: Sequence[str]) -> tuple[SearchedQuestion, ...]:
    """Each of several questions in one query, with what is found for it; of a follow-up with the subject before."""
    if len(queries) != 1:
        return ()
    joined = queries[0] == standalone_question(context.conversation)
    questions = follow_up_questions(context.index, context.conversation) if joined else ()
    return search_each_question(queries[0], _search(context.index, context.person_facts), questions)


def find_passages(context: TurnContext, queries: Sequence[str], several: Sequence[SearchedQuestion]) -> tuple[Hit, ...]:
    """The passages for one query, or the best of each by turns for several queries or for the questions of one
    (`several`).

    Those for people of another kind than what is known of the person are behind.
    """
    search = _search(context.index, context.person_facts)
    found = [one.hits for one in several] or [search(query, ANSWER_PASSAGES) for query in queries]
    best: dict[str, Hit] = {}
    for hits in zip_longest(*found):
        for hit in hits:
            if hit:
                best.setdefault(hit.passage.id, hit)
    return tuple(best.values())[: PASSAGES_OF_SEVERAL if several else ANSWER_PASSAGES]


def _search(index: Index, facts: PersonFacts) -> Callable[[str, int], tuple[Hit, ...]]:
    """The search for a person: passages for others are behind."""
    return lambda query, most: set_aside(index.search(query, most), query, facts)
