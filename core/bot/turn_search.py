"""The search of a turn: its queries, and the passages that they find."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from core.base.prompt import Engine
from core.base.types import Hit, Passage, Section, SectionHit
from core.bot.message_kind.clauses import without_small_talk_clauses
from core.bot.messages.follow_up import follow_up_questions
from core.bot.messages.questions_in_conversation import LaterQuestion
from core.bot.other_language import searchable
from core.bot.pinned_sections import MAX_ADDED, picked_sections, pin_sections, pinned_sections
from core.bot.profile_filter import rank_down_other_profiles
from core.bot.rewrite.rewrite import Rewrite, rewrite
from core.bot.several_questions import JOINED_PASSAGES, SearchedQuestion, search_each_question
from core.bot.turn_context import TurnContext
from core.retrieval.index import ANSWER_PASSAGES
from core.text.standalone_question import split_follow_up, standalone_question

# Passages from which several questions in one message are answered.
PASSAGES_OF_SEVERAL = 8


class SearchResult(NamedTuple):
    """What was searched for, and the passages found."""

    queries: tuple[str, ...] = ()
    several: tuple[SearchedQuestion, ...] = ()  # each of several questions in one message; empty if it asks one
    hits: tuple[Hit, ...] = ()
    pinned_count: int = 0  # how many of the first hits are of pinned sections

    @property
    def query(self) -> str:
        """All queries, one a line."""
        return "\n".join(self.queries)


def search_queries(engine: Engine, context: TurnContext) -> tuple[str, ...]:
    """The conversation as standalone questions, in the language of the documents."""
    queries = rewrite(engine, Rewrite(language=context.language, **context.prompt_fields))
    queries = tuple(map(without_small_talk_clauses, queries)) if len(context.conversation) == 1 else queries
    return tuple(searchable(query, context.index) for query in queries)


def search(context: TurnContext, queries: tuple[str, ...], fixed_hits: tuple[Hit, ...] | None = None) -> SearchResult:
    """The passages for the queries; those of sections that were picked or are surely meant come first.

    With `fixed_hits`, or after a section was picked, the message is answered as one question, not question by question.
    """
    is_one_question = fixed_hits is not None or picked_sections(context.conversation)
    several = () if is_one_question else split_questions(context, queries)
    hits = find_passages(context, queries, several) if fixed_hits is None else fixed_hits
    is_own_query = queries == (searchable(context.question, context.index),) and fixed_hits is None
    if is_own_query and not several and context.is_scored_in_conversation and context.response == "answer":
        hits = ranked_in_conversation(context.sections, hits, context.index.passages)
    sections = pinned_sections(context.conversation, context.sections)
    return SearchResult(queries, several, *pin_sections(sections, hits, context.index.passages))


def ranked_in_conversation(
    sections: Sequence[SectionHit], hits: Sequence[Hit], passages: Sequence[Passage]
) -> tuple[Hit, ...]:
    """The hits of a message after others, by the probabilities of their sections in the conversation, best first.

    sections: those with these probabilities; first passages of the first one are added if none of it was found. Hits of
    other sections have the probability 0, and so have sections that are likelier than the first one but not to be quoted.
    """
    best = sections[0].in_conversation or 0.0
    chances = {one.section: one.in_conversation or 0.0 for one in sections if (one.in_conversation or 0.0) <= best}
    ranked = _ranked_by_section(chances, hits, passages)
    return tuple(hit.model_copy(update={"in_conversation": chances.get(hit.section, 0.0)}) for hit in ranked)


def _ranked_by_section(
    chances: Mapping[Section, float], hits: Sequence[Hit], passages: Sequence[Passage]
) -> tuple[Hit, ...]:
    """The hits, those of the likeliest sections first; first passages of the likeliest one are added if none of it was found.

    chances: the probability of each section, at least one; the score of a hit is its share of the highest.
    """
    first = max(chances, key=lambda section: chances[section])
    best, found = chances[first], [*hits]
    if all(hit.section != first for hit in hits):
        found += [Hit(passage=one, score=0.0) for one in passages if one.section == first][:MAX_ADDED]
    ranked = sorted(found, key=lambda hit: (-chances.get(hit.section, 0.0), -hit.score))
    return tuple(
        hit.model_copy(update={"score": round(chances.get(hit.section, 0.0) / best, 4) if best else 0.0})
        for hit in ranked
    )


def split_questions(context: TurnContext, queries: Sequence[str]) -> tuple[SearchedQuestion, ...]:
    """Each of several questions in one query, with what is found for it; questions of a follow-up get its subject."""
    if len(queries) != 1:
        return ()
    if context.later_questions and queries[0] == searchable(context.question, context.index):
        return tuple(_searched_later(context, one) for one in context.later_questions)
    if context.is_scored_in_conversation:
        return ()
    joined = queries[0] == standalone_question(context.conversation)
    questions = follow_up_questions(context.index, context.conversation) if joined else ()
    if joined and not questions and split_follow_up(context.conversation)[0]:
        return ()  # the subject of a follow-up is no question of its own
    return search_each_question(queries[0], _search(context), questions)


def _searched_later(context: TurnContext, one: LaterQuestion) -> SearchedQuestion:
    """One of several questions of a message after others, with the passages of its likeliest sections."""
    hits = _search(context)(one.query, JOINED_PASSAGES)
    chances = {hit.section: chance for hit, chance in zip(one.sections, one.probabilities, strict=True)}
    hits = _ranked_by_section(chances, hits, context.index.passages)[:ANSWER_PASSAGES]
    return SearchedQuestion(
        question=one.text,
        query=one.query,
        hits=hits,
        probabilities=tuple(chances.get(hit.section, 0.0) for hit in hits),
        message=context.message,
        is_answered=one.is_answered,
    )


def find_passages(context: TurnContext, queries: Sequence[str], several: Sequence[SearchedQuestion]) -> tuple[Hit, ...]:
    """The passages for one query; for several queries or questions (`several`) the best of each in turn.

    Passages meant for other people than the user rank last.
    """
    search = _search(context)
    found = [one.hits for one in several] or [search(query, ANSWER_PASSAGES) for query in queries]
    best: dict[str, Hit] = {}
    for hits in zip_longest(*found):
        for hit in hits:
            if hit:
                best.setdefault(hit.passage.id, hit)
    return tuple(best.values())[: PASSAGES_OF_SEVERAL if several else ANSWER_PASSAGES]


def _search(context: TurnContext) -> Callable[[str, int], tuple[Hit, ...]]:
    """A search in which passages for other people rank last, and without those of sections that the message rejects."""

    def search_passages(query: str, limit: int) -> tuple[Hit, ...]:
        hits = (hit for hit in context.index.search(query, limit) if hit.section not in context.rejected)
        return rank_down_other_profiles(tuple(hits), query, context.user_facts)

    return search_passages
