"""How good a reply is, told by the sections that the bot's search found for the message: is the one that it cites or
offers the likeliest, or would a neighbouring one fit better?

The probabilities come with the sample (`Sample.sections`); without them, or if it is known what the person wants,
nothing is told here. Coefficients: likelihood_with_sections.toml.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.probabilities import log_odds
from core.base.types import LikelySection, Sample
from core.judges.rules.answer_measures import Measures
from core.judges.rules.claim_check import segment
from core.judges.turn.answered_small_talk import answered_small_talk
from core.judges.turn.expected_rating import ReplyKind, expected_rating
from core.judges.turn.reply_features import (
    QuestionWords,
    asked_of,
    choice_fits,
    cited_passages,
    most_alike,
    open_part,
    question_features,
    soft_coverage,
    unknown_share,
    unsaid_sentences,
)
from core.judges.turn.reply_tone import is_sympathetic
from core.text.talk_patterns import wants_person

LEAST = 0.003  # a probability is at least this far from 0 and 1 before its logarithm is taken
LIKELY = 0.15  # probability from which a section may well answer the message


def rating_by_sections(reply: ReplyKind, sample: Sample, measures: Measures) -> float | None:
    """The rating (0 embarrassing, 1 acceptable, 2 good) to be expected of a reply; none if its sections are unknown."""
    if not knows_sections(sample):
        return None
    return expected_rating(reply, section_features(reply, sample, measures), with_sections=True)


def knows_sections(sample: Sample) -> bool:
    """Whether the sample has sections to tell from; an intent that is known says more than they do."""
    return bool(sample.sections) and not (sample.intent or sample.reference)


def section_features(reply: ReplyKind, sample: Sample, measures: Measures) -> dict[str, float]:
    """What the sections say of a reply of this kind (log odds, shares from 0 to 1 and flags).

    outcome: that such a reply is the best one for the message; talk: that the message is small talk.
    Answers: lead: of the likeliest cited section over the likeliest other one; weakest: the least likely cited section;
    open: whether one of several questions is left open; heading: how alike in meaning the message is to a cited
    section's title and headings; unsaid: the same for the sentences of these sections that the answer leaves out.
    Questions: held: share of all sections' chances that the choices have; fitting: share of the choices that fit the
    message. Offers: nearer: how much nearer the message is to the nearest choice than to another section; fits: how
    much of the message a choice has; unknown: share of the message's words that no passage has. Refusals: best: the
    likeliest section. Small talk: recognized: whether it is answered as its kind needs (`answered_small_talk`);
    sympathetic: whether the reply feels with the person; person: whether the message asks for one; rival: the second
    likeliest section; echo: how alike the message and the nearest sentence of the reply are.
    """
    asked = asked_of(sample)
    match reply:
        case "answer":
            own, others = _cited(sample)
            passages = cited_passages(sample)
            return {
                "lead": log_odds(_highest(own), LEAST) - log_odds(_highest(others), LEAST),
                "weakest": log_odds(_lowest(own, len(passages)), LEAST),
                "open": float(bool(open_part(asked, sample.answer))),
                "heading": most_alike(asked.text, [one.partition("\n")[0] for one in passages]),
                "unsaid": most_alike(asked.text, unsaid_sentences(passages, sample.answer)),
                "outcome": _outcome(sample, "answer"),
            }
        case "question":
            total = math.fsum(one.chance for one in sample.sections)
            held = math.fsum(one.chance for one in _offered(sample)[0]) / total if total else 0.0
            fitting = question_features(asked, sample.choices)["fitting"]
            return {"fitting": fitting, "held": held, "outcome": _outcome(sample, "ask"), "talk": sample.talk or 0.0}
        case "offer":
            near, rest = (max((_nearness(asked, one) for one in some), default=0.0) for some in _offered(sample))
            fits = max(choice_fits(asked, sample.choices), default=0.0)
            return {"nearer": near - rest, "fits": fits, "unknown": unknown_share(asked, sample.contexts)}
        case "refusal":
            return {
                "best": log_odds(best_chance(sample), LEAST),
                "outcome": _outcome(sample, "refuse"),
            }
        case "small_talk":
            chances = sorted((one.chance for one in sample.sections), reverse=True)
            return {
                "recognized": float(answered_small_talk(sample, measures) is not None),
                "sympathetic": float(is_sympathetic(sample.answer)),
                "talk": sample.talk or 0.0,
                "person": float(wants_person(sample.question)),
                "rival": log_odds(chances[1] if len(chances) > 1 else 0.0, LEAST),
                "echo": most_alike(asked.text, measures.sentences),
            }


def rival_of(sample: Sample) -> LikelySection | None:
    """The likeliest section that an answer does not cite, if it is likelier than those that it cites."""
    own, others = _cited(sample)
    best = max(others, key=lambda one: one.chance, default=None)
    return best if best and best.chance > _highest(own) else None


def unoffered_chance(sample: Sample) -> float:
    """The probability (0 to 1) of the likeliest section that no choice names."""
    return _highest(_offered(sample)[1])


def best_chance(sample: Sample) -> float:
    """The probability (0 to 1) of the likeliest section."""
    return _highest(sample.sections)


def _lowest(own: Sequence[LikelySection], cited: int) -> float:
    """The probability of the least likely section cited; 0 if one of those cited is not among the first that were
    found."""
    return min((one.chance for one in own), default=0.0) if len(own) >= cited else 0.0


def _outcome(sample: Sample, name: str) -> float:
    """The log odds that an outcome is the best one of the message; 0 if that is unknown."""
    return log_odds(sample.outcomes[name], LEAST) if sample.outcomes else 0.0


def _cited(sample: Sample) -> tuple[list[LikelySection], list[LikelySection]]:
    """The sections that the answer cites, and the others."""
    names = {passage.partition("\n")[0] for passage in cited_passages(sample)}
    own = [one for one in sample.sections if " › ".join(filter(None, (one.title, one.heading))) in names]
    return own, [one for one in sample.sections if one not in own]


def _offered(sample: Sample) -> tuple[list[LikelySection], list[LikelySection]]:
    """The sections that the choices name, and the others."""
    own = [one for one in sample.sections if any(_names(choice, one) for choice in sample.choices)]
    return own, [one for one in sample.sections if one not in own]


def _names(choice: str, section: LikelySection) -> bool:
    """Whether a choice names a section: its heading, the last of several headings, or its document."""
    heading = section.heading
    return choice == section.title or (bool(heading) and (heading.endswith(choice) or choice.endswith(heading)))


def _highest(sections: tuple[LikelySection, ...] | list[LikelySection]) -> float:
    return max((one.chance for one in sections), default=0.0)


def _nearness(asked: QuestionWords, section: LikelySection) -> float:
    """How near a section is to the message: the cosine of sentence vectors, or the words of its headings."""
    if section.vector is not None:
        return section.vector
    return soft_coverage(asked, asked.words, segment(f"{section.title} {section.heading}", asked.of).words)
