"""What is measured between one answer and one reference: numbers that hold in Japanese, English and Chinese."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import JaroWinkler

from core.judge.correctness.asked import KINDS, asked
from core.judge.correctness.dates import between, date_match, dates, figures, nearness, span_match
from core.judge.correctness.forms import Form, form
from core.judge.correctness.measures import (
    content,
    content_words,
    fresh,
    held_in,
    initials,
    letters,
    longest_row,
    nearest_word,
    part_likeness,
    prefixes,
    share,
)
from core.judge.correctness.said import Said, denies, said
from core.judge.text.amounts import Amount, among, amounts, rivals

_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")
_OR = re.compile(r"\s+or\s+|\s*/\s*|または|もしくは", re.IGNORECASE)
_ITEMS = re.compile(r"\s*(?:,\s*(?:and\s+)?|;|、|・|\band\b|&|および|及び|と(?=[^\s]{2,}))\s*", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:are|were|names|list|all|some|two|three|four|five|six|these|those|\d+)\b", re.IGNORECASE)
_ROW = re.compile(r"\b\d[\d.]*(?:\s*,\s*\d[\d.]*){2,}\s*,?\s*or\s+\d")
_CAPITAL = re.compile(r"(?<=[\w,;:)] )[A-Z][\w'’.-]*")
_NOT = re.compile(
    r"\b(?:not|isnt|wasnt|arent|werent|never|neither|nor|except|excluding|unlike)(?: (?:by|in|on|at|with|from|actually))?$"
)
Features = dict[str, float]


def features(question: str, answer: str, references: Sequence[str]) -> Features:
    """All measures; of several references those of the one that the answer fits best."""
    return best_of(question, answer, references)[1]


def best_of(question: str, answer: str, references: Sequence[str]) -> tuple[str, Features]:
    """(the reference that the answer fits best, all measures)."""
    told = said(answer)
    wanted = [variant for reference in references for variant in variants(reference)]
    options = [against(question, told, variant) for variant in wanted]
    place = max(range(len(options)), key=lambda one: (_fit(options[one]), -one))
    best = options[place]
    return wanted[place], {
        **best,
        **whole_of(question, told),
        "references": math.log(len(options)),
        "references_met": sum(1 for one in options if one["held"] or one["coverage"] >= 0.99) / len(options),
        "worst_coverage": min(one["coverage"] for one in options),
        "mean_coverage": sum(one["coverage"] for one in options) / len(options),
    }


@lru_cache(maxsize=8_192)
def variants(reference: str) -> tuple[str, ...]:
    """A reference, and what it says without its brackets, and on each side of an "or"."""
    bare = " ".join(_BRACKETS.sub(" ", reference).split()).strip(" -,")
    sides = _OR.split(bare) if len(bare) < 80 else []
    kept = tuple(
        dict.fromkeys(one for one in (reference, bare, *(sides if len(sides) == 2 else ())) if re.search(r"\w", one))
    )
    return kept or (reference,)


@lru_cache(maxsize=8_192)
def items(reference: str) -> tuple[str, ...]:
    """The items of a reference that is a list; the whole where it is none."""
    found = [one for one in _ITEMS.split(reference) if re.search(r"\w", one)]
    dated = bool(dates(reference))
    return (
        tuple(found) if len(found) >= 2 and not dated and all(len(one.split()) <= 5 for one in found) else (reference,)
    )


def _fit(one: Features) -> float:
    return (
        3 * one["exact"]
        + 2 * one["held"]
        + one["coverage_new"]
        + one["coverage"]
        + one["likeness"]
        + max(one["date"], one["span"])
    )


def whole_of(question: str, told: Said) -> Features:
    """What is measured on question and answer alone."""
    kind = asked(question)
    words = form(told.text).words
    new = fresh(form(told.text), form(question))
    first = fresh(form(told.first), form(question))
    return {
        **{f"asks_{name}": float(kind == name) for name in KINDS},
        "length": math.log1p(len(words)),
        "sentences": math.log1p(len(told.parts)),
        "fresh": math.log1p(len(new)),
        "fresh_first": math.log1p(len(first)),
        "refused": float(told.refused),
        "opens_refused": float(told.opens),
        "disclaims": float(told.disclaims > 0),
        "denies": float(told.denies > 0),
        "denies_first": float(denies(told.first)),
        "hedges": float(told.hedges > 0),
        "turns": float(told.turns > 0),
        "empty": float(not told.parts),
        "lists": math.log1p(len(re.findall(r",|、|;| and | or |・|/", told.first))),
        "echo": share(form(question).stems, frozenset(form(told.text).stems)),
    }


def against(question: str, told: Said, reference: str) -> Features:
    """What is measured between answer and reference."""
    ask, want, whole, first = form(question), form(reference), form(told.text), form(told.first)
    new = fresh(want, ask) or want.stems
    held, start = held_in(want, whole)
    said_new = fresh(whole, ask)
    first_new = fresh(first, ask)
    names = content(want)
    have = frozenset(whole.stems)
    wanted = frozenset(want.stems)
    near = [nearest_word(word, whole.words) for word in content_words(want)]
    figure_wanted, figure_said = figures(reference), figures(told.text)
    figure_asked = frozenset(figures(question))
    figure_other = [one for one in figures(told.first) if one not in figure_asked]
    share_figures = sum(1 for one in figure_wanted if one in figure_said) / len(figure_wanted) if figure_wanted else 0.0
    measured = amounts(reference) if figure_wanted else frozenset[Amount]()
    given = amounts(told.text) if measured else frozenset[Amount]()
    names_first = fresh(form(_names(told.first)), ask)
    run = longest_row(first, ask)
    listed = [share(content(form(one)), have) for one in items(reference)]
    return {
        "items": math.log(len(listed)),
        "items_held": sum(1 for one in listed if one >= 0.6) / len(listed),
        "span": span_match(reference, told.text),
        "span_first": span_match(reference, told.first),
        "nearness": nearness(figure_wanted, figure_said),
        "between": float(between(figure_wanted, figure_said)),
        "coverage_letters": letters(new, have),
        "prefixes": prefixes(new, whole.stems),
        "exact": float(want.flat == whole.flat or want.stems == whole.stems or _glued(want) == _glued(whole)),
        "glued": float(len(_glued(want)) >= 5 and _glued(want) in _glued(whole)),
        "same_set": float(wanted == have and bool(wanted)),
        "held": float(held),
        "held_first": float(held_in(want, first)[0]),
        "held_back": float(held_in(whole, want)[0] if whole.words else 0.0),
        "place": start if held else 1.0,
        "coverage": share(names, have),
        "coverage_new": share(new, have),
        "coverage_first": share(new, frozenset(first.stems)),
        "precision": share(said_new, wanted),
        "precision_first": share(first_new, wanted),
        "run_precision": share(run, wanted),
        "run_coverage": share(new, frozenset(run)),
        "last_word": float(bool(names) and names[-1] in have),
        "first_word": float(bool(names) and names[0] in have),
        "spelling": sum(near) / len(near) if near else 0.0,
        "spelling_worst": min(near, default=0.0),
        "likeness": fuzz.ratio(want.flat, whole.flat) / 100,
        "likeness_part": part_likeness(want, whole),
        "likeness_sorted": fuzz.token_sort_ratio(" ".join(want.words), " ".join(whole.words)) / 100,
        "likeness_run": JaroWinkler.similarity(" ".join(new), " ".join(run)),
        "initials": float(initials(want, whole) or initials(whole, want)),
        "date": date_match(dates(reference), dates(told.text)),
        "date_first": date_match(dates(reference), dates(told.first)),
        "figures_wanted": float(bool(figure_wanted)),
        "figures_held": share_figures,
        "figures_none": float(bool(figure_wanted) and not figure_said),
        "figures_other": float(bool(figure_wanted) and bool(figure_other) and not share_figures),
        "figures_clash": float(
            bool(figure_wanted) and not share_figures and any(one not in figure_asked for one in figure_said)
        ),
        "amounts_held": sum(1 for one in measured if among(one, given)) / len(measured) if measured else 0.0,
        "amounts_rival": float(any(rivals(one, given) for one in measured if not among(one, given))),
        "names_held": share(names_first, wanted),
        "names_other": math.log1p(len([word for word in names_first if word not in wanted])),
        "names_wanted": float(any(word[:1].isupper() for word in reference.split())),
        "figures_extra": math.log1p(len([one for one in figure_other if one not in figure_wanted])),
        "reference_length": math.log1p(len(want.words)),
        "reference_new": len(fresh(want, ask)) / max(len(names), 1),
        "reference_asked": float(not fresh(want, ask)),
        "extra": math.log1p(len([word for word in said_new if word not in wanted])),
        "extra_first": math.log1p(len([word for word in first_new if word not in wanted])),
        "missing": math.log1p(len([word for word in new if word not in have])),
        "denied": float(held and _denied(want, told)),
        "scattered": float(held and _scattered(question, reference, told)),
        "negated_want": float(denies(reference)),
        "hedged_before": float(_after_turn(want, told)),
    }


def _scattered(question: str, reference: str, told: Said) -> bool:
    """Whether an answer to a question for one thing is a bare row of four or more candidates."""
    if _SEVERAL.search(question) or len(items(reference)) > 1 or (dates(reference) and not _ROW.search(told.text)):
        return False
    if any(_ROW.search(part) for part in told.parts) and not _ROW.search(reference):
        return True
    row = [item for item in _ITEMS.split(told.first) if item.strip()]
    return len(told.parts) == 1 and len(row) >= 4 and all(len(item.split()) <= 3 for item in row)


def _glued(text: Form) -> str:
    return "".join(text.words)


def _names(text: str) -> str:
    """The words that begin with a capital, the first one aside."""
    return " ".join(_CAPITAL.findall(text))


def _denied(want: Form, told: Said) -> bool:
    """Whether every assertion that holds the reference has a negation right before it."""
    before = [form(part).flat.partition(want.flat) for part in told.parts]
    held = [start for start, found, _ in before if found]
    return bool(held) and all(_NOT.search(start) for start in held)


def _after_turn(want: Form, told: Said) -> bool:
    """Whether the reference stands only in a later part, after another assertion."""
    places = [n for n, part in enumerate(told.parts) if held_in(want, form(part))[0]]
    return bool(places) and places[0] > 0
