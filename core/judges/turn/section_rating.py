"""How good a reply is, told by the sections that the bot's search found for the message: is the one that it cites or
offers the likeliest, or would a neighbouring one fit better?

The probabilities come with the sample (`Sample.sections`); without them, or if it is known what the person wants,
nothing is told here. Coefficients: likelihood_with_sections.toml.
"""

from __future__ import annotations

import math
from itertools import combinations

from core.base.probabilities import log_odds
from core.base.types import LikelySection, Sample
from core.judges.rules.answer_measures import Measures
from core.judges.rules.evidence import unit
from core.judges.turn.answered_small_talk import answered_small_talk
from core.judges.turn.expected_rating import Reply, expected_rating
from core.judges.turn.features import (
    QuestionWords,
    answer_features,
    asked_of,
    choice_fits,
    mean_max_similarity,
    question_features,
    soft_coverage,
    used_passage_numbers,
    words_of_passages,
)
from core.text.answer_kinds import asked_kinds
from core.text.citations import read_citations
from core.text.distress.distress import distress_of
from core.text.reply_tone import apologizes, is_courtesy, is_sympathetic

LEAST = 0.003  # a probability is at least this far from 0 and 1 before its logarithm is taken
LIKELY = 0.15  # probability from which a section may well answer the message


def rating_by_sections(reply: Reply, sample: Sample, measures: Measures) -> float | None:
    """The rating (0 embarrassing, 1 acceptable, 2 good) to be expected of a reply; none if its sections are unknown."""
    if not knows_sections(sample):
        return None
    return expected_rating(reply, section_features(reply, sample, measures), with_sections=True)


def knows_sections(sample: Sample) -> bool:
    """Whether the sample has sections to tell from; an intent that is known says more than they do."""
    return bool(sample.sections) and not (sample.intent or sample.reference)


def section_features(reply: Reply, sample: Sample, measures: Measures) -> dict[str, float]:
    """What the sections say of a reply of this kind (log odds, shares from 0 to 1 and flags)."""
    asked = asked_of(sample)
    match reply:
        case "answer":
            return _of_answer(asked, sample, measures)
        case "question":
            return _of_question(asked, sample)
        case "offer":
            return _of_offer(asked, sample)
        case "refusal":
            return _of_refusal(asked, sample)
        case "small_talk":
            return _of_small_talk(sample, measures)


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


def _of_answer(asked: QuestionWords, sample: Sample, measures: Measures) -> dict[str, float]:
    """lead: of the cited section over the likeliest other one; first, margin: see `answer_features`; several: whether
    the message asks several things; outcome: that an answer is best (log odds)."""
    own, others = _cited(sample)
    found = words_of_passages(sample.contexts, asked.of)
    fit = (
        answer_features(asked, found, used_passage_numbers(sample, measures), sample.answer)
        if found and asked.words
        else {}
    )
    return {
        "lead": log_odds(_highest(own), LEAST) - log_odds(_highest(others), LEAST),
        "first": fit.get("first", 0.0),
        "margin": fit.get("margin", 0.0),
        "several": float(len(asked.parts) > 1),
        "outcome": _outcome(sample, "answer"),
    }


def _of_question(asked: QuestionWords, sample: Sample) -> dict[str, float]:
    """documented: that the documents speak of the matter; brief, fitting: see `question_features`; offers: whether
    there are choices; choices: how many; held: share of all sections' chances that the choices have; value: whether an
    amount, a date or another value is asked for; outcome: that a question is best."""
    offered, _ = _offered(sample)
    words = question_features(asked, sample.choices)
    total = math.fsum(one.chance for one in sample.sections)
    return {
        "documented": log_odds(sample.documented or 0.0, LEAST),
        "brief": words["brief"],
        "fitting": words["fitting"],
        "offers": float(bool(sample.choices)),
        "choices": float(len(sample.choices)),
        "held": math.fsum(one.chance for one in offered) / total if total else 0.0,
        "value": float(bool(asked.kinds or asked_kinds(asked.text))),
        "outcome": _outcome(sample, "ask"),
    }


def _of_offer(asked: QuestionWords, sample: Sample) -> dict[str, float]:
    """nearer: how much nearer the message is to the nearest choice than to another section; fits: how much of the
    message a choice has; alike: how alike two choices are; cold: whether the message tells of a feeling that the reply
    does not meet; second: the second likeliest section; documented: that the documents speak of the matter; several:
    whether the message asks several things; outcome: that a refusal is best."""
    offered, others = _offered(sample)
    near, rest = (max((_nearness(asked, one) for one in some), default=0.0) for some in (offered, others))
    words = [unit(choice, asked.of).words for choice in sample.choices]
    return {
        "nearer": near - rest,
        "fits": max(choice_fits(asked, sample.choices), default=0.0),
        "alike": max((mean_max_similarity(one, other) for one, other in combinations(words, 2)), default=0.0),
        "cold": float(bool(distress_of(sample.question).feeling) and not is_sympathetic(sample.answer)),
        "second": log_odds(sorted((0.0, 0.0, *(one.chance for one in sample.sections)))[-2], LEAST),
        "documented": log_odds(sample.documented or 0.0, LEAST),
        "several": float(len(asked.parts) > 1),
        "outcome": _outcome(sample, "refuse"),
    }


def _of_refusal(asked: QuestionWords, sample: Sample) -> dict[str, float]:
    """best: the likeliest section; talk: that the message is small talk; words: how many content words it has
    (log); outcome: that a refusal is best."""
    return {
        "best": log_odds(best_chance(sample), LEAST),
        "talk": sample.talk or 0.0,
        "words": math.log1p(len(asked.words)),
        "outcome": _outcome(sample, "refuse"),
    }


def _of_small_talk(sample: Sample, measures: Measures) -> dict[str, float]:
    """recognized: whether it is small talk by `answered_small_talk`; courteous: share of courteous sentences;
    sympathetic, sorry: whether it feels with the person or apologizes; best: the likeliest section; talk: that the
    message is small talk; unoffered: the likeliest section that no choice names."""
    parts = measures.parts
    return {
        "recognized": float(answered_small_talk(sample, measures) is not None),
        "courteous": sum(map(is_courtesy, parts)) / len(parts) if parts else 0.0,
        "sympathetic": float(is_sympathetic(sample.answer)),
        "sorry": float(apologizes(sample.answer)),
        "best": log_odds(best_chance(sample), LEAST),
        "talk": sample.talk or 0.0,
        "unoffered": log_odds(unoffered_chance(sample), LEAST),
    }


def _outcome(sample: Sample, name: str) -> float:
    """The log odds that an outcome is the best one of the message; 0 if that is unknown."""
    return log_odds(sample.outcomes[name], LEAST) if sample.outcomes else 0.0


def _cited(sample: Sample) -> tuple[list[LikelySection], list[LikelySection]]:
    """The sections that the answer cites, and the others."""
    _, numbers = read_citations(sample.answer, len(sample.contexts))
    names = {sample.contexts[number - 1].partition("\n")[0] for number in numbers}
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
    return soft_coverage(asked, asked.words, unit(f"{section.title} {section.heading}", asked.of).words)
