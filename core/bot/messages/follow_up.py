"""Detects messages after an answer that need the question before them, by what the documents have for them alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.probabilities import linear, log_odds, logistic
from core.base.toml import bundled_toml
from core.base.types import Message, SectionHit
from core.bot.embedded_settings import EmbeddedSettings, settings_for
from core.bot.messages.shown_sections import names_section_alone, quoted_sections
from core.bot.search_query import search_query
from core.bot.section_probability import OWN_SECTION_FROM, likeliest_section, ranked_sections
from core.retrieval.document_values import DocumentValues, Value
from core.retrieval.index import Index
from core.text.conversation import is_clarifying_question, is_unhelped
from core.text.japanese import words as japanese_words
from core.text.language import content_words, script
from core.text.message_questions import Question, own_things, question_parts, separate_questions
from core.text.offered_choices import picked_choices
from core.text.questions import asks
from core.text.reactions import says_unknown
from core.text.standalone_question import (
    join_to_subject,
    points_at_thing,
    split_follow_up,
    standalone_question,
    subject_before,
)

_WORD = re.compile(r"[\w'’-]+|[^\w]+")
_REQUEST = re.compile(
    r"について|に関して|(?:知り|聞き|し|取り|買い|使い|変え|直し)たい|の(?:方法|やり方|仕方)|教えて"
    r"|\b(?:(?:tell me|ask|question|help|info\w*|know) (?:about|on|with)|I(?: want|['’]d like| would like| need)|how (?:do|can) I)\b",
    re.IGNORECASE,
)  # the wording of a request that stands alone
_FURTHER = re.compile(r"もう(?:一|1|ひと)つ|\b(?:one more|another) (?:thing|question)\b", re.IGNORECASE)
# Probability from which a message needs the question before it; below 0.5, since most messages after an answer do.
NEEDS_EARLIER_FROM = 0.45
# Probability of another section than the one quoted, from which a message is not about that one: 57 of 79 such messages in
# benchmarks/follow_ups.jsonl and other conversations were answered by it, 18 by the one quoted.
ELSEWHERE_FROM = 0.5
# Content words of a message, counted at most.
MAX_WORDS = 8
# Words of a name of a value.
MAX_NAME_WORDS = 3


def mark_follow_ups(index: Index, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages; those after an answer that need the question before it get its subject (`Message.about`)."""
    result: list[Message] = []
    for message in messages:
        names_section = message.role == "user" and names_section_alone(index, message.text)
        if message.role == "user" and not names_section and _comes_after_answer(result, message):
            following = with_subject(index, result, message)
            needs = needs_earlier_probability(index, result, following) >= NEEDS_EARLIER_FROM
            needs = needs and not _is_answered_elsewhere(index, result, following)
            message = following if needs or names_value_alone(index.document_values, message.text) else message
        result.append(message)
    return tuple(result)


def names_value_alone(values: DocumentValues, text: str) -> bool:
    """Whether a message names a value, such as a device or a plan, and no other thing ("and on Android?"): then it asks
    the earlier question again, for that value."""
    own, named = own_things(text), values.named(text)
    return bool(own and named) and all(values.named(word) or any(word in value for value in named) for word in own)


def _comes_after_answer(earlier: Sequence[Message], message: Message) -> bool:
    """Whether a message comes after an answer and is neither a choice nor only about that answer."""
    if not earlier or message.changes_subject or is_clarifying_question(earlier[-1]):
        return False
    if picked_choices(earlier[-1].choices, message.text) or says_unknown(message.text):
        return False
    return not is_unhelped((*earlier, message)) and not _FURTHER.search(message.text)


def needs_earlier_probability(index: Index, earlier: Sequence[Message], message: Message) -> float:
    """Probability (0 to 1) that a message after an answer needs the question before it to be found.

    Logistic regression; coefficients: follow_up.toml, with and without example questions. `earlier`: marked already.
    """
    features, settings = follow_up_features(index, earlier, message)
    return logistic(linear(bundled_toml(__file__, "follow_up.toml")[settings.coefficients], features))


def _is_answered_elsewhere(index: Index, earlier: Sequence[Message], following: Message) -> bool:
    """Whether a message alone probably finds another section than with its subject, which finds only what was quoted
    already; in a bot with example questions. A message that names no thing itself ("how many days?") never does."""
    if not _names_thing(following.text):
        return False
    alone, joined = (
        index.sections(search_query(index, standalone_question([*earlier, one])))
        for one in (following.model_copy(update={"about": ""}), following)
    )
    (chance, best), (_, again) = likeliest_section(alone), likeliest_section(joined)
    if best is None or again is None or chance < ELSEWHERE_FROM or best.section == again.section:
        return False
    return settings_for(alone).coefficients == "with_examples" and again.section in quoted_sections(index, earlier[-1])


def follow_up_features(
    index: Index, earlier: Sequence[Message], message: Message
) -> tuple[dict[str, float], EmbeddedSettings]:
    """Features of whether a message after an answer needs the question before it, and the settings of the bot."""
    alone = standalone_question([*earlier, message.model_copy(update={"about": ""})])
    found, of_before = (index.sections(search_query(index, text)) for text in (alone, standalone_question(earlier)))
    (likely, best), (_, before) = likeliest_section(found), likeliest_section(of_before)
    features = {
        "words": float(min(len(content_words(alone)), MAX_WORDS)),
        # Log odds, by a search for the message alone: of its likeliest section, and of the section of the question before
        "alone": log_odds(likely),
        "before": log_odds(_probability_of(before, found)),
        "request": float(is_worded_as_request(alone)),
        # Whether its likeliest section is in the document of the question before
        "document": float(best is not None and before is not None and best.document == before.document),
    }
    return features, settings_for((*found, *of_before))


def is_worded_as_request(text: str) -> bool:
    """Whether a message is worded like a request that stands alone."""
    return bool(_REQUEST.search(text))


def with_subject(index: Index, earlier: Sequence[Message], message: Message) -> Message:
    """A message after an answer with what was asked before as its subject; if it names another value, that replaces the
    earlier one: "and on Android?" after a question about the iPhone."""
    about, values = subject_before(earlier, message.text), index.document_values
    said, asked = values.named(message.text), values.named(about)
    for value in said.keys() - asked.keys():
        for rival in values.rivals[value].intersection(asked):
            old, new = _words_for(values, rival, about), _words_for(values, value, message.text)
            about = about.replace(old, new) if old and new else about
    return message.model_copy(update={"about": about})


def _words_for(values: DocumentValues, value: Value, text: str) -> str:
    """The first of the shortest runs of words in a text that name a value, else ""."""
    words = (
        [one.surface for one in japanese_words(text, loanwords=True)] if script(text) == "ja" else _WORD.findall(text)
    )
    runs = (words[start : start + size] for size in range(1, MAX_NAME_WORDS + 1) for start in range(len(words)))
    return next((run for run in map("".join, runs) if value in values.named(run.strip())), "").strip()


def _probability_of(section: SectionHit | None, found: Sequence[SectionHit]) -> float:
    """The probability of a section among those found; 0 if it was not found."""
    chances = {one.section: chance for chance, one in ranked_sections(found)}
    return chances.get(section.section, 0.0) if section else 0.0


def follow_up_questions(index: Index, messages: Sequence[Message]) -> tuple[Question, ...]:
    """The questions of a follow-up, each with the subject before it unless it surely stands alone.

    Empty if the message stands alone or asks one thing.
    """
    about, text = split_follow_up(messages)
    questions = questions_after_others(text)
    if not about or len(questions) < 2:
        return ()
    return tuple(
        Question(one, one) if _stands_alone(index, one) else Question(one, join_to_subject(about, one), "earlier")
        for one in questions
    )


def questions_after_others(text: str) -> list[str]:
    """The questions of a message after others; one that names no thing is about the subject before, unless it points to
    another one of them."""
    found = [one.text for one in separate_questions(text)]
    if len(found) > 1:
        return found
    asked = list(filter(asks, question_parts(text)))
    return asked if len(asked) > 1 and not any(map(points_at_thing, asked)) else found


def _stands_alone(index: Index, text: str) -> bool:
    return _names_thing(text) and likeliest_section(index.sections(text))[0] >= OWN_SECTION_FROM


def _names_thing(text: str) -> bool:
    return bool(own_things(text)) and len(content_words(text)) > 1
