"""The best response to a message: answer it, ask a clarifying question, or refuse it as not documented.

`TurnContext.response` (`turn_context.py`) chooses which of the functions below decides.

A message after others whose sections have probabilities in the conversation (`messages/sections_in_conversation.py`; a
first message, a new subject, a choice that was picked and a few others have none, and neither has a reply to a clarifying
question of a bot with example questions):

| | response | decided by |
|---|---|---|
| asks several things, and any of them is answered | answer | `messages/questions_in_conversation.py` |
| is any other, and no section likely answers it | refuse | `later_response` |
| one section likely does | answer | `is_answered_later` |
| one of a few likely does, or some section, although none is likely | ask | `later_response` |
| any other | refuse | `later_response` |

Any other message; the first row that applies decides. Of a new subject after an answer only `ask` is taken from here; whether
it is refused is decided by `is_documented`.

| a message that | response | decided by |
|---|---|---|
| replies to a clarifying question | answer what the documents cover, if it adds anything | `embedded/assessment.py`, `is_documented` |
| is much more like an example question without an answer than like any other | refuse | `is_like_unanswered` |
| names a code that the best section has, or is that section's heading | answer | `best_response` |
| is like an example question of several sections | ask | `best_response` |
| goes to a small folder without example questions | answer what the documents cover, refuse the rest | `best_response` |
| asks one thing | the likeliest, each weighted | `best_response`, `answer_ask_refuse.toml` |
| is the first one, asks one thing, and would be answered though no section likely answers it | ask | `first_response` |
| asks several, without example questions | refuse, if that is the best response to it as a whole | `best_response` |
| asks several, before asking | answer, if the best section likely answers it | `is_likely_answered` |
| | else ask, if its wording is unclear | `clarify/unclear_probability.py` |
| asks several, before answering | refuse, if the documents do not cover it | `is_documented` |

The embedded engine uses this to assess a message (`embedded/assessment.py`), to search (`turn_search.py`) and to answer
(`embedded/reply.py`, where small talk, an unknown product and a repeated answer come first); its judge sees the probabilities
of the responses (`core/runs/judging/samples.py`). Whether the turn asks or searches is then decided by the scores
(`decision.py`, `clarify/routing.py`), as with a model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from core.base.means import share
from core.base.probabilities import linear, log_odds, softmax
from core.base.toml import bundled_toml
from core.base.types import AnyHit
from core.bot.clarify.unclear_probability import unclear_probability
from core.bot.embedded_settings import settings_for
from core.bot.section_probability import (
    collection_size_factor,
    documented_probability,
    evidence_features,
    fitted_language,
    is_documented,
    right_section_probability,
    section_probabilities,
    sections_of_like_question,
)
from core.documents.heading_names import last_heading
from core.text.language import content_words
from core.text.message_questions import asks_several, separate_questions
from core.text.normalize import normalize
from core.text.synonyms import words_with_synonyms

BestResponse = Literal["answer", "ask", "refuse"]
RESPONSES: tuple[BestResponse, ...] = get_args(BestResponse)
# Probability from which the best section answers a message whose best response is unknown.
ANSWER_FROM = 0.45
# Content words beyond which more do not make a message clearer.
MAX_CLARIFYING_WORDS = 5
# Ratio of the nearest unanswered example question to the nearest other one, at most.
MAX_NEARER_RATIO = 2.0
# BM25 ratio of an example question that no document answers, from which a message is like it.
LIKE_UNANSWERED_FROM = 0.6
# How many times nearer than all others such a question must be.
UNANSWERED_NEARER_RATIO = 1.4
# BM25 ratio of an example question to divide by, at least.
MIN_EXAMPLE = 0.1
# Words that no document has, counted at most.
MAX_UNKNOWN_WORDS = 4
# Letters of an English word from which it likely names something.
MIN_NAMING_LETTERS = 5
# Signals of the best section that are features: the weight of the message's words, and of those not covered.
WEIGHT_SIGNALS = ("weight", "learned_weight", "unmatched_anywhere", "unmatched", "unmatched_word")
# Probability of a section in the conversation, from which a message after others is answered from it if it is so many times
# as likely as any other.
LEADING_LATER_FROM = 0.15
LEAD_RATIO = 2.5
# Sections that are offered after other messages, their probability from which, and its sum from which they are asked about.
MAX_OFFERED_LATER = 3
OFFERED_SECTION_FROM = 0.08
OFFERED_SUM_FROM = 0.5
_NAMING = re.compile(r"[ァ-ヶ一-龥]")
_CODE = re.compile(r"(?<![A-Z0-9])[A-Z]{1,4}-?\d{2,5}(?![A-Z0-9])")


def response_features(message: str, sections: Sequence[AnyHit]) -> dict[str, float]:
    """Features of the best response, including those of `evidence_features`.

    `sections`: the sections found, best first, at least one.
    """
    best, said = sections[0], words_with_synonyms(message)
    chance, *others = section_probabilities(sections)
    example, shared = (max(getattr(hit, name) for hit in sections) for name in ("example", "shared"))
    return {
        **evidence_features(message, sections),
        "documented": log_odds(documented_probability(message, sections)),
        "right": log_odds(right_section_probability(message, sections)),
        "unclear": log_odds(unclear_probability(message, sections)),
        "word_count": float(min(len(content_words(message)), MAX_CLARIFYING_WORDS)),
        # Shares of the words of heading and title that the message says (0 to 2)
        "named": share(content_words(last_heading(best.heading)), said) + share(content_words(best.title), said),
        # Log odds that the best section answers, and the likeliest of the others
        "section": log_odds(chance),
        "rival": log_odds(max(others, default=0.0)),
        "length": math.sqrt(len(message)),
        "semantic": float(best.vector is not None),
        # The nearest example question; the nearest one without an answer (0 to 2) and of several sections (0 to 1),
        # relative to it
        "nearest_example": example,
        "unanswered": min(best.unanswered / max(example, MIN_EXAMPLE), MAX_NEARER_RATIO),
        "shared": shared / example if example else 0.0,
        **_unknown_features(message, best.unknown_words),
        **{name: float(getattr(best, name)) for name in WEIGHT_SIGNALS},
    }


def _unknown_features(message: str, unknown: Sequence[str]) -> dict[str, float]:
    """Features of the words that no document has; `unknown`: these words, empty if the bot has example questions.

    `unknown_names` counts those that likely name something: in kanji, katakana or long English words.
    """
    names = [word for word in unknown if _NAMING.search(word) or (word.isascii() and len(word) >= MIN_NAMING_LETTERS)]
    return {
        "unknown": float(min(len(unknown), MAX_UNKNOWN_WORDS)),
        "unknown_share": len(unknown) / max(len(content_words(message)), 1),
        "unknown_names": float(min(len(names), MAX_UNKNOWN_WORDS)),
        "figures": float(any(letter.isdigit() for letter in message)),
    }


def response_probabilities(message: str, sections: Sequence[AnyHit]) -> Mapping[BestResponse, float]:
    """Probability (0 to 1) of each response; `sections`: the sections found, best first, at least one.

    Multinomial logistic regression. answer_ask_refuse.toml has coefficients for bots without example questions (by
    language), with them, and with example questions that no document answers.
    """
    table = "with_unanswered" if sections[0].unanswered else settings_for(sections).coefficients
    table = f"{table}_{fitted_language(sections)}" if table == "without_examples" else table
    found, tables = response_features(message, sections), bundled_toml(__file__, "answer_ask_refuse.toml")[table]
    return dict(zip(RESPONSES, softmax([linear(tables[name], found) for name in RESPONSES]), strict=True))


def refuse_log_odds(message: str, sections: Sequence[AnyHit]) -> float:
    """Log odds that refusing is the best response to a message; `sections`: those found, best first."""
    return log_odds(response_probabilities(message, sections)["refuse"] if sections else 1.0)


def best_response(message: str, sections: Sequence[AnyHit], passage_count: int) -> BestResponse | None:
    """The best response to a message, given the sections or passages found (`sections`, best first) of `passage_count`.

    None if they do not decide it, so that the wording decides: the message names nothing, or asks several things, each
    of which is searched for (without example questions it is refused if that is the best response to the whole message).
    With example questions refusing counts less the fewer passages there are; without any, what the documents cover is
    answered if there are very few.
    """
    if is_like_unanswered(sections):
        return "refuse"
    if _names_its_code(message, sections) or _is_heading(message, sections):
        return "answer"
    if sections_of_like_question(sections):
        return "ask"
    settings, several = settings_for(sections), asks_several(message)
    if several and not (sections and settings.refuses_several and passage_count >= settings.min_passages):
        return None
    if not sections:
        return "refuse" if content_words(message) else None
    if passage_count < settings.min_passages:
        return "answer" if is_documented(message, sections, passage_count) else "refuse"
    probabilities = response_probabilities(message, sections)
    size = collection_size_factor(passage_count) if settings.refuses_less_if_few else 1.0
    weighted = {**settings.response_weights, "refuse": size * settings.response_weights["refuse"]}
    best = max(RESPONSES, key=lambda name: weighted[name] * probabilities[name])
    return None if several and best != "refuse" else best


def first_response(message: str, sections: Sequence[AnyHit], passage_count: int) -> BestResponse | None:
    """The best response to the first message: as `best_response`, but if it asks one thing and no section likely answers
    it, the likeliest sections are asked about."""
    response = best_response(message, sections, passage_count)
    if response != "answer" or len(separate_questions(message)) > 1:
        return response
    return "answer" if max(section_probabilities(sections)) >= settings_for(sections).answer_first_from else "ask"


def later_response(sections: Sequence[AnyHit]) -> BestResponse:
    """The best response to a message after others, by the probabilities of its sections in the conversation.

    `sections`: the sections, at least one, likeliest first. If any section likely answers: one that likely does is answered
    from; if one of a few likely does, or some section, although none is likely, it is asked which.
    """
    settings, documented = settings_for(sections), sections[0].documented_in_conversation or 0.0
    if documented < settings.refuse_later_below:
        return "refuse"
    first, *others = section_probabilities(sections)
    # One that is likelier than the first gives no first steps in an emergency, so ranks behind it
    chances = [first, *(chance for chance in others if chance <= first)]
    if is_answered_later(chances, settings.answer_later_from):
        return "answer"
    offered = [chance for chance in chances[:MAX_OFFERED_LATER] if chance >= OFFERED_SECTION_FROM]
    is_one_of_few = math.fsum(offered) >= OFFERED_SUM_FROM
    return "ask" if offered and (is_one_of_few or documented >= settings.ask_documented_later_from) else "refuse"


def is_answered_later(chances: Sequence[float], answer_from: float) -> bool:
    """Whether a message after others is answered from its likeliest section, by the probabilities of its sections (0 to 1),
    the highest first; `answer_from`: `EmbeddedSettings.answer_later_from`."""
    best, second = chances[0], max(chances[1:], default=0.0)
    return best >= answer_from or (best >= LEADING_LATER_FROM and best >= LEAD_RATIO * second)


def is_like_unanswered(sections: Sequence[AnyHit]) -> bool:
    """Whether a message is like an example question that no document answers, and much less like any other.

    True for 98 in 100 of those questions themselves, and for none of 606 first messages to answer or ask about.
    """
    nearest = max((hit.example for hit in sections), default=0.0)
    return bool(sections) and sections[0].unanswered >= max(LIKE_UNANSWERED_FROM, UNANSWERED_NEARER_RATIO * nearest)


def _names_its_code(message: str, sections: Sequence[AnyHit]) -> bool:
    """Whether a message names a code (E102, HB-423) that the best section has."""
    said = f"{sections[0].heading} {sections[0].text}".upper() if sections else ""
    return any(code in said for code in _CODE.findall(message.upper()))


def _is_heading(message: str, sections: Sequence[AnyHit]) -> bool:
    """Whether a message is the heading of the best section, apart from punctuation at its end."""
    return bool(sections) and normalize(message).strip(" .。?？!！") == normalize(last_heading(sections[0].heading))


def is_confident(message: str, sections: Sequence[AnyHit], passage_count: int) -> bool:
    """Whether answering from the best section is the best response, or likely if that is unknown."""
    response = best_response(message, sections, passage_count)
    return response == "answer" if response else is_likely_answered(message, sections)


def is_likely_answered(message: str, sections: Sequence[AnyHit]) -> bool:
    """Whether the best section likely answers a message whose best response is unknown."""
    return answer_probability(message, sections) >= ANSWER_FROM


def answer_probability(message: str, sections: Sequence[AnyHit]) -> float:
    """Probability (0 to 1) that the best section answers a message; 0 without sections."""
    return response_probabilities(message, sections)["answer"] if sections else 0.0
