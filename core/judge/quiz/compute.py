"""The grade of an answer without a language model: by the reference as the correctness judge, by passages claim by claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.base.language import script
from core.base.prompt import NeedsModel
from core.base.types import Language, Sample
from core.judge.correctness.compute import compute
from core.judge.correctness.extra import addition, unheld
from core.judge.correctness.say import say
from core.judge.correctness.verdict import Claim
from core.judge.quiz.verdict import Grade
from core.judge.turn.marks import judge_answer
from core.judge.turn.reading import read

TRUE = 4  # mark (1 to 5) of correctness from which the passages bear an answer out
SPEAKS = 3  # mark (1 to 5) of relevance from which an answer speaks to the question


class Graded(NamedTuple):
    """The steps, the reason and the grade."""

    steps: tuple[str, ...]
    reason: str
    grade: Grade


def by_reference(sample: Sample, strict: bool, language: Language) -> Graded:
    """The grade by the reference; strict: what the answer adds to it counts against it. Raises NeedsModel as the correctness judge."""
    verdict = compute(sample, language)
    steps = tuple(_step(claim, language) for claim in verdict.claims)
    if verdict.verdict == "No":
        return Graded(steps, verdict.reason, "INCORRECT")
    added = addition(sample) if strict else ""
    if added:
        return Graded(steps, say("wrong.extra", language, said=added), "INCORRECT")
    return Graded(steps, say("found.strict", language) if strict else verdict.reason, "CORRECT")


def by_contexts(sample: Sample, strict: bool, language: Language) -> Graded:
    """The grade by the passages: every claim borne out, the question spoken to; raises NeedsModel across languages."""
    held = tuple(text for text in sample.contexts if text.strip())
    if script(sample.answer) != script(" ".join(held)[:1_500]) and sample.answer.strip():
        raise NeedsModel("the answer and the passages are in different languages")
    alone = sample.model_copy(update={"reference": (), "contexts": held, "kind": None, "asked_back": False})
    found = read(alone)
    marks = judge_answer(alone, found, language)
    true, speaks = marks.correctness.score or 1, marks.relevance.score or 1
    reason = (marks.relevance if true >= TRUE and speaks < SPEAKS else marks.correctness).reason
    steps = (marks.relevance.reason, marks.correctness.reason)
    if true < TRUE or speaks < SPEAKS or not (found.claims or found.refusal):
        return Graded(steps, reason, "INCORRECT")
    if found.empty_slots and not found.refusal:
        return Graded(steps, say("missing.slot", language, said=found.said), "INCORRECT")
    added = unheld(found.claims) if strict else ""
    if added:
        return Graded(steps, say("wrong.beyond", language, said=added), "INCORRECT")
    return Graded(steps, reason, "CORRECT")


def _step(claim: Claim, language: Language) -> str:
    """One claim of the reference and how it stands."""
    return say(f"step.{claim.status}", language, wanted=claim.claim, said=claim.evidence)


def joined(steps: Sequence[str]) -> tuple[str, ...]:
    """The steps without repetitions."""
    return tuple(dict.fromkeys(steps))
