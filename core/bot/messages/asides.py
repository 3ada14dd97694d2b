"""Removes asides: clauses that have nothing to do with the question (the weather, the cat, "sorry for the long message").

They are detected by the wording of a clause (`aside_wording.json`), by what the documents have for it and by whether it
asks (`asides.toml`); both are fitted by benchmarks/fit_asides.py on everyday talk (benchmarks/everyday_frames.jsonl).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from core.base.probabilities import linear, log_odds, logistic
from core.base.toml import bundled_toml
from core.base.types import Message, SectionHit
from core.bot.embedded_settings import settings_for
from core.bot.message_kind.classifier import MessageKind, kind_probabilities
from core.bot.message_kind.clauses import message_clauses
from core.bot.message_kind.despair import CARE_FROM, despair_probability, may_despair
from core.bot.section_probability import documented_probability, likeliest_section
from core.retrieval.index import Index
from core.text.attacks import is_prompt_injection, wants_others_data
from core.text.conversation import map_user_messages
from core.text.courtesy_frame import without_courtesy_frame
from core.text.distress.classifiers import incident
from core.text.distress.distress import distress_of
from core.text.distress.sympathy import MILD
from core.text.language import content_words
from core.text.ngram_classifier import read_classifier
from core.text.normalize import MAX_CLASSIFIED_CHARACTERS
from core.text.questions import asks, asks_or_needs
from core.text.small_talk_patterns import wants_human_agent

# Probability from which a clause is removed.
ASIDE_FROM = 0.6
# Probability that the documents cover what remains, from which it is the matter of a message that asks nothing.
MATTER_FROM = 0.8
# Removing is refused unless the rest's first section is among the whole message's first five and as likely as its first, or
# is likelier than that by .2.
MAX_SECTIONS_OF_WHOLE, MUCH_LIKELIER = 5, 0.2
# Content words of an aside; shorter clauses (greetings) are only left out of the query.
MIN_WORDS = 2
# Kinds whose clauses are kept although they have nothing to do with a question, and the probability from which.
KEPT_KINDS: tuple[MessageKind, ...] = ("human_agent", "attack", "emergency", "distress", "insult")
KEPT_KIND_FROM = 0.5
# Kinds of a whole message that stays as it is: of a question about the bot no half is an aside.
WHOLE_KINDS: tuple[MessageKind, ...] = ("identity", "abilities")
# Kinds that name no matter, and their probability from which the rest of a message is none, so that nothing is removed.
REST_WITHOUT_MATTER_KINDS: tuple[MessageKind, ...] = ("greeting", "thanks", "farewell", "praise", "chat", "insult")
REST_WITHOUT_MATTER_FROM = 0.5
# What divides the clauses of one that no comma divides: colons, dashes, and spaces between Japanese words.
_BREAK = re.compile(
    r"(?<=:)\s(?=\S)|(?<=：)(?!\d)|(?<=…)(?!…)|(?<=\s)[-–—](?=\s)|(?<=[ぁ-んー！？!?])[ 　](?=[一-龥ぁ-んァ-ヶ])"
)
_WORDING = Path(__file__).with_name("aside_wording.json")


def leave_out_asides(index: Index, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages, the first one without its asides.

    What a later message tells is nearly always about the matter: of 90 that would lose a clause, 10 get a right answer only
    if it stays, and 3 only if it goes.
    """
    return (*map_user_messages(messages[:1], lambda text: without_asides(index, text)), *messages[1:])


def without_asides(index: Index, text: str) -> str:
    """A message without its asides; unchanged if nothing else remains that names a matter, or if it names one better as a
    whole.

    Clauses about danger, loss, harassment or despair are kept, and so are requests for a human agent and attacks. The frame
    of a message written like a letter is left out.
    """
    text = without_courtesy_frame(text)
    parts = small_clauses(text)
    if (
        len(parts) < 2
        or len(text) > MAX_CLASSIFIED_CHARACTERS
        or (not asks(text) and despair_probability(text) >= CARE_FROM)
        or max(kind_probabilities(text)[kind] for kind in WHOLE_KINDS) >= KEPT_KIND_FROM
    ):
        return text
    clauses = [part for part in parts if not _is_aside(index, part)]
    rest = " ".join(clauses)
    return (
        rest
        if len(clauses) < len(parts) and _is_matter(index, rest) and not _names_section_better(index, text, rest)
        else text
    )


def _names_section_better(index: Index, text: str, rest: str) -> bool:
    """Whether a whole message tells better than its rest which section it is about, or the rest leads to a section that the
    whole message does not: then what would be left out belongs to the matter (a story whose last clause is the
    question)."""
    whole, left = index.sections(text), index.sections(rest)
    gain = likeliest_section(left)[0] - likeliest_section(whole)[0]
    if gain < 0 or not left:
        return True
    same = left[0].section in [one.section for one in whole[:MAX_SECTIONS_OF_WHOLE]]
    return not same and gain < MUCH_LIKELIER


def _is_matter(index: Index, rest: str) -> bool:
    """Whether the rest of a message asks or needs something, or says something that the documents cover, beyond a
    greeting, thanks or an insult."""
    if (
        not content_words(rest)
        or sum(kind_probabilities(rest)[kind] for kind in REST_WITHOUT_MATTER_KINDS) >= REST_WITHOUT_MATTER_FROM
    ):
        return False
    return asks_or_needs(rest) or documented_probability(rest, index.sections(rest)) >= MATTER_FROM


def small_clauses(text: str) -> list[str]:
    """The clauses of a message, also those that a colon, a dash or a space in Japanese divides."""
    parts = (part.strip() for whole in message_clauses(text) for part in _BREAK.split(whole))
    return [part for part in parts if part]


def _is_aside(index: Index, clause: str) -> bool:
    says_something = len(content_words(clause)) >= MIN_WORDS
    return says_something and not is_always_kept(clause) and aside_probability(index, clause) >= ASIDE_FROM


def aside_probability(index: Index, clause: str) -> float:
    """Probability (0 to 1) that a clause has nothing to do with what its writer wants to know.

    Logistic regression; coefficients: asides.toml, with and without example questions.
    """
    found = index.sections(clause)
    fitted = bundled_toml(__file__, "asides.toml")[settings_for(found).coefficients]
    return logistic(linear(fitted, aside_features(clause, found)))


def aside_features(clause: str, found: Sequence[SectionHit]) -> dict[str, float]:
    """The features by which an aside is told from a part of a question; `found`: the sections found for the clause."""
    return {
        # Log odds
        "wording": log_odds(worded_like_aside(clause)),
        "documented": log_odds(documented_probability(clause, found)),
        "section": log_odds(likeliest_section(found)[0]),
        "request": log_odds(kind_probabilities(clause)["request"]),
        "coverage": max((one.coverage for one in found), default=0.0),  # share of its words in a section (0 to 1)
        "asks": float(asks(clause)),
        "words": math.log1p(len(content_words(clause))),
    }


@lru_cache(maxsize=4_096)
def worded_like_aside(clause: str) -> float:
    """Probability (0 to 1) that a clause is an aside, by its n-grams alone."""
    return read_classifier(_WORDING).probabilities(clause)[0]


@lru_cache(maxsize=4_096)
def is_always_kept(clause: str) -> bool:
    """Whether a clause is never an aside: it reports something bad, wants a human agent or attacks the bot."""
    distress, kinds = distress_of(clause), kind_probabilities(clause)
    grave = (
        distress.emergency or distress.trouble or distress.feeling not in (None, *MILD) or incident(clause) != "none"
    )
    attack = wants_others_data(clause) or is_prompt_injection(clause) or wants_human_agent(clause)
    return bool(grave) or attack or max(kinds[kind] for kind in KEPT_KINDS) >= KEPT_KIND_FROM or may_despair(clause)
