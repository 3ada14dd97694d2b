"""Which section answers a message after others: by the message alone, joined to what was asked before, by what the bot has
just quoted or offered, and by what the message says is not meant."""

from __future__ import annotations

from typing import NamedTuple

from core.base.cached_by_object import cached_by_object
from core.base.probabilities import linear, log_odds, logistic
from core.base.toml import bundled_toml
from core.base.types import Conversation, Section, SectionHit
from core.bot.answer_ask_refuse import refuse_log_odds
from core.bot.embedded_settings import settings_for
from core.bot.messages.follow_up import MAX_WORDS, is_worded_as_request, names_value_alone, with_subject
from core.bot.messages.shown_sections import names_section_alone, quoted_sections, sections_of_choices
from core.bot.search_query import search_query
from core.bot.section_probability import ranked_sections
from core.documents.heading_names import last_heading
from core.retrieval.index import CACHED_QUERIES, Index
from core.text.conversation import begins_new_subject, is_unhelped, user_texts
from core.text.language import content_words, script
from core.text.offered_choices import picked_choices
from core.text.reactions import asks_to_confirm, correction, rejects_all, says_unknown
from core.text.standalone_question import join_to_subject, standalone_question

LOWEST = log_odds(0.0)
# Content words of a request that says too little to be found in a conversation ("about holidays, please").
MAX_VAGUE_WORDS = 2


def sections_in_conversation(index: Index, conversation: Conversation) -> tuple[SectionHit, ...]:
    """The sections that may answer the last message, the likeliest first, with their probabilities in the conversation.

    Empty for a first message, a new subject, and a message that picks or rejects what was offered, or only says that the
    reply did not help; with example questions also for a reply to a clarifying question, which they find more surely together
    with the question before. `conversation`: from `prepare_messages`. Logistic regression;
    coefficients: sections_in_conversation.toml, fitted by benchmarks/fit_sections_in_conversation.py.
    """
    if len(conversation) < 2 or conversation[-2].role != "assistant":
        return ()
    table = settings_for(_search(index, conversation[-1].text).sections).coefficients
    if is_decided_by_search(index, conversation, table == "with_examples"):
        return ()
    found, features = features_in_conversation(index, conversation)
    fitted = bundled_toml(__file__, "sections_in_conversation.toml")
    chances = [logistic(linear(fitted[f"section_{table}"], values)) for values in features]
    of_any = documented_features(index, conversation, max(chances, default=0.0))
    documented = logistic(linear(fitted[f"documented_{table}"], of_any))
    ranked = sorted(zip(chances, found, strict=True), key=lambda pair: -pair[0])
    return tuple(
        hit.model_copy(update={"in_conversation": chance, "documented_in_conversation": documented})
        for chance, hit in ranked
    )


def is_decided_by_search(index: Index, conversation: Conversation, has_examples: bool) -> bool:
    """Whether the search alone decides what answers a message after another: for the message as it is, like a first one, or
    the name of a section; or, with example questions (`has_examples`), joined to the question before, for a reply to a
    clarifying question, or one that asks it again for another case ("and on Android?")."""
    before, last = conversation[-2:]
    stands_alone = not before.asks and not last.about and is_worded_as_request(last.text)
    is_vague = len(content_words(last.text)) <= MAX_VAGUE_WORDS
    is_joined = before.asks or names_value_alone(index.document_values, last.text)
    names_section = not before.asks and names_section_alone(index, last.text)
    return (
        leaves_earlier_matter(conversation)
        or names_section
        or (is_joined or (stands_alone and is_vague) if has_examples else stands_alone)
    )


def leaves_earlier_matter(conversation: Conversation) -> bool:
    """Whether a message after another begins a new subject, picks or rejects what was offered, or names nothing to be found."""
    before, last = conversation[-2:]
    return (
        begins_new_subject(last)
        or says_unknown(last.text)
        or rejects_all(last.text)
        or is_unhelped(conversation)
        or bool(picked_choices(before.choices, last.text))
        or not content_words(last.text)
    )


def features_in_conversation(
    index: Index, conversation: Conversation
) -> tuple[list[SectionHit], list[dict[str, float]]]:
    """The sections found for the last message, alone, joined to what was asked before or first, or below the heading quoted,
    and the features of each."""
    before, last = conversation[-2:]
    searches = _searches(index, conversation)
    found = {hit.section: hit for search in searches.of_sections for hit in search.sections}
    quoted, offered = quoted_sections(index, before), sections_of_choices(index, before.choices)
    documents = {document for document, _ in quoted}
    words = min(len(content_words(last.text)), MAX_WORDS) / MAX_WORDS
    confirms, is_corrected = float(asks_to_confirm(last.text)), float(correction(last.text).is_one)
    features: list[dict[str, float]] = []
    for section in found:
        odds = _odds_features(searches, section, words)
        case = float(index.document_values.names_said(last.text, section))
        # Whether the last reply quotes it, quotes its document, or offers it; less so if the message alone finds something else
        shown = {
            "quoted": float(section in quoted),
            "quoted_document": float(section[0] in documents),
            "offered": float(section in offered),
        }
        features.append(
            {
                **odds,
                **shown,
                **{f"{name}_by_alone": searches.alone.best * value for name, value in shown.items()},
                # The log odds that it answers the message before, if it is quoted in reply to that
                "quoted_by_asked_before": odds["asked_before"] * shown["quoted"],
                # Whether it is quoted by a reply that the message corrects, or asks to confirm
                "quoted_corrected": is_corrected * shown["quoted"],
                "quoted_to_confirm": confirms * shown["quoted"],
                # Whether the section names a case that the message names (a plan, a device, a group of employees)
                "case": case,
                "quoted_case": case * shown["quoted"],
                "quoted_document_case": case * shown["quoted_document"],
            }
        )
    return list(found.values()), features


def _odds_features(searches: _Searches, section: Section, words: float) -> dict[str, float]:
    """The features of a section by what was found; `words`: how many words the message has (0 to 1)."""
    alone, joined, headed, from_first, previous, meant, ruled_out = (
        search.odds.get(section, LOWEST) for search in searches
    )
    return {
        # Log odds that it answers the message alone, joined to what was asked before, below the heading quoted, and joined
        # to the first message
        "alone": alone,
        "joined": joined,
        "headed": headed,
        "from_first": from_first,
        "either": max(alone, joined),
        # The more words a message has, the better it stands alone
        "alone_by_words": words * alone,
        # Behind the likeliest section of each search
        "behind_alone": alone - searches.alone.best,
        "behind_joined": joined - searches.joined.best,
        "behind_headed": headed - searches.headed.best,
        "behind_from_first": from_first - searches.from_first.best,
        # Log odds that it answers the message before, and what the message means; how much likelier what it rules out is
        "asked_before": previous,
        "meant": meant,
        "ruled_out": ruled_out - LOWEST,
    }


def documented_features(index: Index, conversation: Conversation, best: float) -> dict[str, float]:
    """Features of whether any section answers the last message; `best`: the probability of the likeliest one."""
    *_, before, last = conversation
    alone, joined = _search(index, last.text), _search(index, _joined(index, conversation))
    quoted = quoted_sections(index, before)
    return {
        "best": log_odds(best),
        # Log odds that refusing is the best response to the message alone, and joined to what was asked before
        "refuse_alone": alone.refuse,
        "refuse_joined": joined.refuse,
        # Log likelihoods that no document answers, by the example questions
        "unanswered_alone": alone.unanswered,
        "unanswered_joined": joined.unanswered,
        "confirms": float(asks_to_confirm(last.text)),
        "replies": float(before.asks),
        # Whether a section that the reply quotes names a case that the message names
        "quoted_case": float(any(index.document_values.names_said(last.text, section) for section in quoted)),
    }


class _Search(NamedTuple):
    """What is found for a text, in log odds."""

    sections: tuple[SectionHit, ...]
    odds: dict[Section, float]  # of each of the likeliest sections
    refuse: float  # that refusing is the best response
    unanswered: float  # that no document answers, by the example questions

    @property
    def best(self) -> float:
        """The log odds of the likeliest section."""
        return max(self.odds.values(), default=LOWEST)


class _Searches(NamedTuple):
    """What is found for the last message and for what was asked before."""

    alone: _Search
    joined: _Search  # to what was asked before
    headed: _Search  # below the heading quoted
    from_first: _Search  # joined to the first message
    previous: _Search  # for the message before
    meant: _Search  # for what the message says is meant
    ruled_out: _Search  # for what it says is not meant

    @property
    def of_sections(self) -> tuple[_Search, ...]:
        """Those whose sections may answer, the one that counts most last."""
        return self.alone, self.headed, self.from_first, self.joined


def _searches(index: Index, conversation: Conversation) -> _Searches:
    text, asked = conversation[-1].text, user_texts(conversation[:-1])
    quoted, corrected = quoted_sections(index, conversation[-2]), correction(text)
    joined, headed = _joined(index, conversation), _below_heading(index, quoted, text)
    texts = (text, joined, headed, join_to_subject(asked[0], text), asked[-1], corrected.meant, corrected.instead_of)
    return _Searches(*(_search(index, each) for each in texts))


@cached_by_object(CACHED_QUERIES)
def _search(index: Index, text: str) -> _Search:
    query = search_query(index, text)
    sections = index.sections(query)
    ranked = ranked_sections(sections)
    odds = {one.section: log_odds(chance) for chance, one in ranked}
    refuse = refuse_log_odds(query, sections)
    return _Search(tuple(one for _, one in ranked), odds, refuse, sections[0].unanswered_log_ratio if sections else 0.0)


def _joined(index: Index, conversation: Conversation) -> str:
    """The last message, joined to what was asked before."""
    *earlier, last = conversation
    is_joined = earlier[-1].asks or last.about
    return standalone_question(conversation if is_joined else [*earlier, with_subject(index, earlier, last)])


def _below_heading(index: Index, quoted: frozenset[Section], text: str) -> str:
    """A text after the heading of the first section quoted; the text itself if none is."""
    heading = next((last_heading(one.heading) for one in index.passages if one.section in quoted), "")
    return f"{heading}、{text}" if heading and script(text) != "en" else f"{heading} {text}".strip()
