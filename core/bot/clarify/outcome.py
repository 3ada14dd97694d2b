"""What a first message is best met with: an answer at once, a clarifying question, or "not in the documents"."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from core.base.probabilities import coefficients, linear, log_odds, logistic, softmax
from core.base.types import Topic
from core.bot.clarify import clarity
from core.bot.evidence import (
    FULL,
    claim_probability,
    has_examples,
    section_probabilities,
    sections_of_like_question,
)
from core.retrieval.headings import last_heading
from core.text.language import content_words
from core.text.message_questions import asks_several
from core.text.normalize import normalize
from core.text.synonyms import words_with_synonyms

BestResponse = Literal["answer", "ask", "refuse"]
_CODE = re.compile(r"(?<![A-Z0-9])[A-Z]{1,4}-?\d{2,5}(?![A-Z0-9])")
OUTCOMES: tuple[BestResponse, ...] = get_args(BestResponse)
COUNTS: Mapping[BestResponse, float] = {
    "answer": 1.0,
    "ask": 1.9,
    "refuse": 1.8,
}  # what an outcome that was missed counts
THRESHOLD = 0.45  # without example questions, a choice between asking needlessly and answering wrongly
WORDS = 5  # content words from which a message is not clearer for more of them
FAR_NEARER = 2.0  # how many times nearer than all other example questions says no more
ALIKE = 1.3  # nearness of an example question from which a message is like it
LIKE_UNANSWERED, MUCH_NEARER = 0.6, 1.4  # the same, of one that no document answers; and how many times that of others
FAINT = 0.1  # nearness of an example question that is hardly any


def outcome_features(message: str, topics: Sequence[Topic]) -> dict[str, float]:
    """What speaks for each outcome; `topics`: the sections found, best first, at least one.

    Log odds of: documented: that the documents speak of the matter; right: that the best section is the right one;
    unclear: that the wording needs a clarifying question; section: that the best section answers; rival: that the
    likeliest of the others does. words: content words; named: share of the words of heading and title that the message
    says (0 to 2); length: square root of the characters; semantic: whether vectors tell the meaning (0 or 1); example:
    how near the nearest example question is; unanswered: how near the nearest one that no document answers is, divided
    by the nearest of all others (0 to 2); shared: the nearest one of several sections, divided by the nearest of any
    section (0 to 1); beside: how likely what no document answers is, beside the likeliest section (log).
    """
    best, said = topics[0], words_with_synonyms(message)
    chance, *others = section_probabilities(topics)
    example, shared = (max(getattr(topic, name) for topic in topics) for name in ("example", "shared"))
    return {
        "documented": log_odds(claim_probability("documented", message, topics)),
        "right": log_odds(claim_probability("certain", message, topics)),
        "unclear": log_odds(clarity.unclear_probability(message, topics)),
        "words": float(min(len(content_words(message)), WORDS)),
        "named": _share(last_heading(best.heading), said) + _share(best.title, said),
        "section": log_odds(chance),
        "rival": log_odds(max(others, default=0.0)),
        "length": math.sqrt(len(message)),
        "semantic": float(best.vector is not None),
        "example": example,
        "unanswered": min(best.unanswered / max(example, FAINT), FAR_NEARER),
        "shared": shared / example if example else 0.0,
        "beside": best.beside,
    }


def outcome_chances(message: str, topics: Sequence[Topic]) -> Mapping[BestResponse, float]:
    """Probability (0 to 1) of each outcome, if sections have example questions (`topics`: best first, at least one).

    Multinomial logistic regression; coefficients: outcome.toml, with and without example questions that no document
    answers.
    """
    found = outcome_features(message, topics)
    tables = coefficients(__file__, "outcome.toml")["with_unanswered" if topics[0].unanswered else "examples"]
    totals = [linear(tables[name], found) for name in OUTCOMES]
    return dict(zip(OUTCOMES, softmax(totals), strict=True))


def best_outcome(message: str, topics: Sequence[Topic], searched: int = FULL) -> BestResponse | None:
    """What a first message is best met with; `searched`: how many passages there are.

    Among few passages little is found by accident, so refusing counts less; a message like an example question is never
    refused, one like a question that no document answers always is, one like a question of several sections is asked
    about, one with a code that the best section has is answered. None if nothing was found, sections have no example
    questions, or it asks several things, each of which is looked at.
    """
    if is_like_unanswered(topics):
        return "refuse"
    if _names_its_code(message, topics) or _is_heading(message, topics):
        return "answer"
    if sections_of_like_question(topics):
        return "ask"
    if not topics or not has_examples(topics) or asks_several(message):
        return None
    chances = outcome_chances(message, topics)
    size = 0.0 if _is_like_example(topics) else min(1.0, math.log1p(searched) / math.log1p(FULL))
    counts = {**COUNTS, "refuse": size * COUNTS["refuse"]}
    return max(OUTCOMES, key=lambda name: counts[name] * chances[name])


def is_like_unanswered(topics: Sequence[Topic]) -> bool:
    """Whether a message is like a question that no document answers, and much less like any that a section does.

    It is true of 98 in 100 of those questions themselves, and of none of 606 first messages with an answer or to be
    asked about.
    """
    nearest = max((topic.example for topic in topics), default=0.0)
    return bool(topics) and topics[0].unanswered >= max(LIKE_UNANSWERED, MUCH_NEARER * nearest)


def _is_like_example(topics: Sequence[Topic]) -> bool:
    """Whether a message is like an example question that a section answers, and less like any that none does."""
    nearest = max(topic.example for topic in topics)
    return nearest >= max(ALIKE, topics[0].unanswered)


def _names_its_code(message: str, topics: Sequence[Topic]) -> bool:
    """Whether a message names a code (E102, HB-423) that the best section has."""
    said = f"{topics[0].heading} {topics[0].text}".upper() if topics else ""
    return any(code in said for code in _CODE.findall(message.upper()))


def _is_heading(message: str, topics: Sequence[Topic]) -> bool:
    """Whether a message is the heading of the best section, letter by letter but for signs at its end."""
    return bool(topics) and normalize(message).strip(" .。?？!！") == normalize(last_heading(topics[0].heading))


def is_confident(message: str, topics: Sequence[Topic]) -> bool:
    """Whether to answer from the best section at once."""
    if outcome := best_outcome(message, topics):
        return outcome == "answer"
    return confidence(message, topics) >= THRESHOLD


def confidence(message: str, topics: Sequence[Topic]) -> float:
    """Probability (0 to 1) that the best section answers a message; 0 without sections."""
    if not topics:
        return 0.0
    if has_examples(topics):
        return outcome_chances(message, topics)["answer"]
    fitted = coefficients(__file__, "outcome.toml")["documents"]["answer"]
    return logistic(linear(fitted, outcome_features(message, topics)))


def _share(heading: str, said: frozenset[str]) -> float:
    words = content_words(heading)
    return sum(word in said for word in words) / len(words) if words else 0.0
