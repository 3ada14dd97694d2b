"""What a turn searches for after the decision, and the passages that it finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from core.base.prompt import Engine
from core.base.types import Hit
from core.bot.message_kind.clauses import without_small_talk_clauses
from core.bot.messages.follow_up import follow_up_questions
from core.bot.other_language import searchable
from core.bot.pinned_sections import picked_sections, pin_sections, pinned_sections
from core.bot.profile_filter import PersonFacts, rank_down_other_profiles
from core.bot.rewrite.rewrite import Rewrite, rewrite
from core.bot.several_questions import SearchedQuestion, search_each_question
from core.bot.turn_context import TurnContext
from core.retrieval.index import ANSWER_PASSAGES, Index
from core.text.standalone_question import split_follow_up, standalone_question

# Passages that several questions in one message are answered from.
PASSAGES_OF_SEVERAL = 8


class SearchResult(NamedTuple):
    """What was searched for, and the passages found, the first of which (`pinned_count`) are of pinned sections.

    several: each of several questions with what is found for it.
    """

    queries: tuple[str, ...] = ()
    several: tuple[SearchedQuestion, ...] = ()
    hits: tuple[Hit, ...] = ()
    pinned_count: int = 0

    @property
    def query(self) -> str:
        """All that was searched for, one query a line."""
        return "\n".join(self.queries)


def search_queries(engine: Engine, context: TurnContext) -> tuple[str, ...]:
    """What to search for: the conversation as standalone questions, in words that the documents can have."""
    queries = rewrite(engine, Rewrite(language=context.language, **context.prompt_fields))
    queries = tuple(map(without_small_talk_clauses, queries)) if len(context.conversation) == 1 else queries
    return tuple(searchable(query, context.index) for query in queries)


def search(context: TurnContext, queries: tuple[str, ...], given: tuple[Hit, ...] | None = None) -> SearchResult:
    """The passages for the queries, those of the sections that were picked or are surely meant first.

    Passages that are `given`, or of a picked section, answer the message as a whole: what is found for each of its
    questions is not among them.
    """
    is_whole = given is not None or picked_sections(context.conversation)
    several = () if is_whole else split_questions(context, queries)
    hits = find_passages(context, queries, several) if given is None else given
    sections = pinned_sections(context.conversation, context.topics)
    return SearchResult(queries, several, *pin_sections(sections, hits, context.index.passages))


def split_questions(context: TurnContext, queries: Sequence[str]) -> tuple[SearchedQuestion, ...]:
    """Each of several questions in one query, with what is found for it; of a follow-up with the subject before."""
    if len(queries) != 1:
        return ()
    joined = queries[0] == standalone_question(context.conversation)
    questions = follow_up_questions(context.index, context.conversation) if joined else ()
    if joined and not questions and split_follow_up(context.conversation)[0]:
        return ()  # what it is about is no question of its own
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
    return lambda query, most: rank_down_other_profiles(index.search(query, most), query, facts)
