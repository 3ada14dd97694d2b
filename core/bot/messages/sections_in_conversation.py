"""Which section answers a message after others: by the message alone, joined to what was asked before, and by what the bot
has just quoted or offered."""

from __future__ import annotations

from core.base.probabilities import linear, log_odds, logistic
from core.base.toml import bundled_toml
from core.base.types import Conversation, Section, Topic
from core.bot.decision_settings import settings_for
from core.bot.message_kind.clauses import without_small_talk_clauses
from core.bot.messages.follow_up import MAX_WORDS, is_worded_as_request, with_subject
from core.bot.messages.shown_sections import quoted_sections, sections_of_choices
from core.bot.other_language import searchable
from core.bot.section_probability import ranked_sections
from core.retrieval.index import Index
from core.text.conversation import begins_new_subject, is_unhelped
from core.text.language import content_words
from core.text.message_questions import asks_several
from core.text.offered_choices import picked_choices
from core.text.reactions import rejects_all, says_unknown
from core.text.standalone_question import standalone_question


def sections_in_conversation(index: Index, conversation: Conversation) -> tuple[Topic, ...]:
    """The sections that may answer the last message, the likeliest first, with their probabilities in the conversation.

    Empty for a bot with example questions, which find more sections surely than the conversation does; for a first message,
    a new subject, and a message that picks or rejects what was offered, asks several things, or only says that the reply did
    not help. `conversation`: from `prepare_messages`. Logistic regression; coefficients:
    sections_in_conversation.toml, fitted by benchmarks/fit_later_messages.py.
    """
    if len(conversation) < 2 or conversation[-2].role != "assistant" or is_read_alone(conversation):
        return ()
    if settings_for(index.topics(without_small_talk_clauses(conversation[-1].text))).coefficients == "examples":
        return ()
    found, features = features_in_conversation(index, conversation)
    fitted = bundled_toml(__file__, "sections_in_conversation.toml")["section"]
    chances = [logistic(linear(fitted, values)) for values in features]
    ranked = sorted(zip(chances, found, strict=True), key=lambda pair: -pair[0])
    return tuple(topic.model_copy(update={"in_conversation": chance}) for chance, topic in ranked)


def is_read_alone(conversation: Conversation) -> bool:
    """Whether a message after another is read like a first one."""
    before, last = conversation[-2:]
    return (
        begins_new_subject(last)
        or says_unknown(last.text)
        or rejects_all(last.text)
        or is_unhelped(conversation)
        or bool(picked_choices(before.choices, last.text))
        or not content_words(last.text)
        or asks_several(last.text)
        or (not before.asks and not last.about and is_worded_as_request(last.text))
    )


def features_in_conversation(index: Index, conversation: Conversation) -> tuple[list[Topic], list[dict[str, float]]]:
    """The sections found for the last message, alone or joined to what was asked before, and the features of each."""
    *earlier, last = conversation
    before = earlier[-1]
    joined_to = conversation if before.asks or last.about else [*earlier, with_subject(index, earlier, last)]
    odds_alone, found_alone = _odds(index, last.text)
    odds_joined, found_joined = _odds(index, standalone_question(joined_to))
    found = {**found_alone, **found_joined}
    quoted, offered = quoted_sections(index, before), sections_of_choices(index, before.choices)
    documents = {document for document, _ in quoted}
    lowest = log_odds(0.0)
    best_alone = max(odds_alone.values(), default=lowest)
    best_joined = max(odds_joined.values(), default=lowest)
    words = min(len(content_words(last.text)), MAX_WORDS) / MAX_WORDS
    features: list[dict[str, float]] = []
    for section in found:
        by_itself, together = odds_alone.get(section, lowest), odds_joined.get(section, lowest)
        shown = {
            "quoted": float(section in quoted),
            "quoted_document": float(section[0] in documents),
            "offered": float(section in offered),
        }
        features.append(
            {
                # Log odds that it answers the message alone, and joined to what was asked before
                "alone": by_itself,
                "joined": together,
                "either": max(by_itself, together),
                # The more words a message has, the better it stands alone
                "alone_by_words": words * by_itself,
                # Behind the likeliest section of each search
                "behind_alone": by_itself - best_alone,
                "behind_joined": together - best_joined,
                # Whether the last reply quotes it, quotes its document, or offers it; less so if the message alone finds
                # something else
                **shown,
                **{f"{name}_by_alone": best_alone * value for name, value in shown.items()},
            }
        )
    return list(found.values()), features


def _odds(index: Index, text: str) -> tuple[dict[Section, float], dict[Section, Topic]]:
    """The log odds of the likeliest sections for a text, and the sections."""
    ranked = ranked_sections(index.topics(searchable(without_small_talk_clauses(text), index)))
    places = [(one.section, chance, one) for chance, one in ranked]
    return {place: log_odds(chance) for place, chance, _ in places}, {place: one for place, _, one in places}
