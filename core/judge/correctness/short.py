"""A short reference (a name, a date, a figure, a phrase) against an answer: the fitted model, and why."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Language
from core.judge.correctness.dates import dates
from core.judge.correctness.features import Features, best_of, items
from core.judge.correctness.forms import form
from core.judge.correctness.measures import content, held_in, share
from core.judge.correctness.model import chance
from core.judge.correctness.said import Said, said
from core.judge.correctness.say import say, unsaid
from core.judge.correctness.verdict import Claim, CorrectnessVerdict, Status

YES = 0.5  # chance from which an answer counts as right
HELD = 0.6  # share of an item's words that the answer must hold


def judge_short(question: str, answer: str, references: Sequence[str], language: Language) -> CorrectnessVerdict:
    """The verdict by the reference that the answer fits best."""
    told = said(answer)
    best, measured = best_of(question, answer, references)
    yes = is_right(measured, chance(measured))
    key = _found(measured) if yes else _failed(measured, told, best, bool(answer.strip()))
    lacking = next((item for item in items(best) if not _holds(told, item)), best)
    words = {"wanted": best, "said": nearest_part(told, best), "lacking": lacking}
    return CorrectnessVerdict(
        claims=_claims(told, best, yes, key), reason=say(key, language, **words), verdict="Yes" if yes else "No"
    )


def is_right(measured: Features, likely: float) -> bool:
    """Whether an answer counts as right, given the chance by the model: the same words are, a denial, a row of candidates or nothing is not."""
    if measured["empty"] or measured["denied"] or (measured["scattered"] and not measured["exact"]):
        return False
    return measured["exact"] == 1.0 or likely >= YES


def nearest_part(told: Said, wanted: str) -> str:
    """The assertion that shares most with a reference, the first of several; "" for no assertion."""
    stems = content(form(wanted))
    return max(told.parts, key=lambda part: share(stems, frozenset(form(part).stems)), default="")


def _found(measured: Features) -> str:
    if measured["exact"] or measured["same_set"]:
        return "found.same"
    if measured["held"]:
        return "found.held"
    if measured["date"] > 0 or (measured["span"] > 0 and not measured["figures_held"]):
        return "found.date"
    return "found.figure" if measured["figures_wanted"] and measured["figures_held"] >= 1 else "found.near"


def _failed(measured: Features, told: Said, wanted: str, written: bool) -> str:
    if not told.parts:
        return "missing.refused" if told.refused or told.opens else unsaid(told.plea) if written else "missing.empty"
    if measured["denied"]:
        return "wrong.denied"
    if measured["scattered"]:
        return "wrong.several"
    if measured["date"] < 0 or (measured["span"] < 0 and dates(wanted)):
        return "wrong.date"
    if measured["figures_other"]:
        return "wrong.figure"
    if told.opens and measured["coverage_new"] < HELD:
        return "missing.refused"
    if measured["held"] or measured["coverage_new"] >= 1:
        return "wrong.doubtful"
    return "missing.partly" if 0 < measured["items_held"] < 1 and len(items(wanted)) > 1 else "wrong.other"


def _claims(told: Said, wanted: str, yes: bool, key: str) -> tuple[Claim, ...]:
    """One claim for each item of the reference; an item that a right answer says in other words is found too."""
    missed: Status = "missing" if key.startswith("missing") else "contradicted"
    found: list[Claim] = []
    for item in items(wanted):
        status: Status = "found" if _holds(told, item) and key != "wrong.denied" else "found" if yes else missed
        if not yes and len(items(wanted)) == 1:
            status = missed
        found.append(Claim(claim=item, evidence="" if status == "missing" else nearest_part(told, item), status=status))
    return tuple(found)


def _holds(told: Said, item: str) -> bool:
    whole = form(told.text)
    return held_in(form(item), whole) or share(content(form(item)), frozenset(whole.stems)) >= HELD
