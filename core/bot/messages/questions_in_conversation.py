"""Which section answers each of several questions in a message after others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.base.probabilities import linear, log_odds, logistic
from core.base.toml import bundled_toml
from core.base.types import Conversation, Message, Section, SectionHit
from core.bot.answer_ask_refuse import refuse_log_odds
from core.bot.embedded_settings import settings_for
from core.bot.messages.follow_up import mark_follow_ups, questions_after_others
from core.bot.messages.sections_in_conversation import leaves_earlier_matter, sections_in_conversation
from core.bot.other_language import searchable
from core.bot.search_query import search_query
from core.bot.section_probability import ranked_sections
from core.retrieval.index import Index
from core.text.questions import asks_or_needs
from core.text.reactions import is_astonished
from core.text.standalone_question import standalone_question


class LaterQuestion(NamedTuple):
    """One of several questions in a message after others, and the sections that may answer it, the likeliest first, with
    their probabilities (0 to 1)."""

    text: str
    query: str  # as a standalone question
    sections: tuple[SectionHit, ...]
    probabilities: tuple[float, ...]

    @property
    def is_answered(self) -> bool:
        """Whether it is answered from its likeliest section."""
        return self.probabilities[0] >= settings_for(self.sections).answer_each_later_from if self.sections else False


def questions_in_conversation(
    index: Index, conversation: Conversation, sections: Sequence[SectionHit]
) -> tuple[LaterQuestion, ...]:
    """Each of several questions in a message after others, with the sections that may answer it.

    Empty for a first message, one that asks one thing, and one that leaves what was said before. `conversation`: from
    `prepare_messages`; `sections`: those that may answer the message as a whole. Logistic regression; coefficients:
    questions_in_conversation.toml, fitted by benchmarks/fit_questions_in_conversation.py.
    """
    if len(conversation) < 2 or conversation[-2].role != "assistant" or leaves_earlier_matter(conversation):
        return ()
    return tuple(_question(index, conversation, sections, text) for text in questions_to_answer(conversation[-1].text))


def questions_to_answer(text: str) -> list[str]:
    """The questions, wishes and troubles of a message after others, without protests; empty if there are not several."""
    found = [one for one in questions_after_others(text) if _is_asked(one, text) and not is_astonished(one)]
    return found if len(found) > 1 else []


def _is_asked(part: str, text: str) -> bool:
    """Whether a part of a message asks, wishes or reports a problem, also by a question mark behind it."""
    return asks_or_needs(part) or text.partition(part)[2].lstrip().startswith(("?", "？"))


def _question(index: Index, conversation: Conversation, sections: Sequence[SectionHit], text: str) -> LaterQuestion:
    query, found, features = later_question_features(index, conversation, sections, text)
    fitted = bundled_toml(__file__, "questions_in_conversation.toml")[settings_for(found).coefficients]
    chances = [logistic(linear(fitted, values)) for values in features]
    ranked = sorted(zip(chances, found, strict=True), key=lambda pair: -pair[0])
    return LaterQuestion(text, query, tuple(hit for _, hit in ranked), tuple(chance for chance, _ in ranked))


def later_question_features(
    index: Index, conversation: Conversation, sections: Sequence[SectionHit], text: str
) -> tuple[str, list[SectionHit], list[dict[str, float]]]:
    """A question in the last message as a standalone one, the sections found for it, and the features of each: log odds that
    it answers the question in the conversation (`itself`), the whole message (`message`), the question joined to what was
    asked before (`joined`), and the question alone (`alone`); the log odds that refusing is the best response to the last two."""
    asked = mark_follow_ups(index, (*conversation[:-1], Message(role="user", text=text)))
    query = search_query(index, standalone_question(asked))
    joined, alone = index.sections(query), index.sections(searchable(text, index))
    in_conversation = sections_in_conversation(index, asked)
    of_message = [hit for hit in sections if hit.in_conversation is not None]
    found = {hit.section: hit for hits in (of_message, alone, joined, in_conversation) for hit in hits}
    odds = {
        "itself": _log_odds(in_conversation or joined),
        "message": _log_odds(of_message or joined),
        "joined": _log_odds(joined),
        "alone": _log_odds(alone),
    }
    lowest = log_odds(0.0)
    refuse = {
        "refuse_joined": refuse_log_odds(query, joined),
        "refuse_alone": refuse_log_odds(text, alone),
    }
    features = [
        {**{name: chances.get(section, lowest) for name, chances in odds.items()}, **refuse} for section in found
    ]
    return query, list(found.values()), features


def _log_odds(hits: Sequence[SectionHit]) -> dict[Section, float]:
    return {hit.section: log_odds(chance) for chance, hit in ranked_sections(hits)}
