"""Whether an answer gives the simulated user what was wanted."""

from __future__ import annotations

from core.base.types import Scenario
from core.simulation.bot_reply import is_about, without_sources
from core.text.answer_kinds import FIGURES, asked_kinds, says_kind
from core.text.language import content_words, frame_words
from core.text.message_questions import question_parts, without_courtesy
from core.text.numbers import Amount, amounts, is_among

STATED = 0.5  # share of a reference's own words from which an answer states it


def intent_of(scenario: Scenario) -> str:
    """What the person wants: the intent, of a scenario that has none what its question asks."""
    return scenario.intent.strip() or without_courtesy(scenario.question).strip()


def is_satisfied(scenario: Scenario, answer: str) -> bool:
    """Whether an answer is about what is wanted and says it; a refusal never does.

    With a reference it says what that says: a figure of it, or most of its words where none was asked for. Without one
    it says something of the kind that each question asks for (an amount, a date, a count, a person, steps).
    """
    intent = intent_of(scenario)
    if not is_about(intent, answer):
        return False
    text = without_sources(answer)
    if scenario.reference.strip():
        return states_reference(scenario, text)
    return all(gives_kind(part, text) for part in question_parts(intent))


def gives_kind(question: str, answer: str) -> bool:
    """Whether an answer says a thing of one of the kinds that the question asks for; true if it asks for none."""
    kinds = asked_kinds(question)
    return not kinds or any(says_kind(answer, kind, beside=question) for kind in kinds)


def states_reference(scenario: Scenario, answer: str) -> bool:
    """Whether an answer says what the reference says beyond the person's own words: figures, else most of its words."""
    own = f"{scenario.question}\n{scenario.intent}\n{scenario.facts}"
    figures = _figures_beyond(scenario.reference, own)
    if figures:
        found = amounts(answer)
        if any(is_among(one, found) for one in figures):
            return True
        if asked_kinds(intent_of(scenario), FIGURES):
            return False
    return _share(scenario.reference, own, answer) >= STATED


def _figures_beyond(reference: str, own: str) -> frozenset[Amount]:
    known = amounts(own)
    return frozenset(one for one in amounts(reference) if not is_among(one, known))


def _share(reference: str, own: str, answer: str) -> float:
    """Share of the reference's words that the person has not said which the answer has; 1 if there are none."""
    known, have = set(content_words(own)), set(content_words(answer))
    words = [word for word in content_words(reference) if word not in known and word not in frame_words()]
    return sum(word in have for word in words) / len(words) if words else 1.0
