"""Features of an answer compared with a short reference, for the fitted model (correctness.toml)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import JaroWinkler, Prefix

from core.base.means import mean, share
from core.judges.correctness.assertions import Assertions, assertions_of
from core.text.comparable import SMALL_WORDS, ComparableText, comparable, figures
from core.text.dates import dates, match_dates, match_years
from core.text.negation import holds_negation, negates_next
from core.text.numbers import Amount, amounts, is_among, rivals

ITEM_MATCHED_FROM = 0.6  # share of an item's words that the answer must have
MAX_COMPARED = 200  # characters of a reference in a partial comparison with an answer


def content(text: ComparableText) -> tuple[str, ...]:
    """The distinct stems of a text without small words; all if nothing else is left."""
    found = dict.fromkeys(s for word, s in zip(text.words, text.stems, strict=True) if word not in SMALL_WORDS)
    return tuple(found) or tuple(dict.fromkeys(text.stems))


def fresh(text: ComparableText, ask: ComparableText) -> tuple[str, ...]:
    """The distinct stems that are not in the question."""
    known = frozenset(ask.stems)
    pairs = zip(text.words, text.stems, strict=True)
    return tuple(dict.fromkeys(stem for word, stem in pairs if stem not in known and word not in SMALL_WORDS))


def longest_row(text: ComparableText, ask: ComparableText) -> tuple[str, ...]:
    """The longest row of words that are not the question's, in the first assertion."""
    known = frozenset(ask.stems)
    best: list[str] = []
    row: list[str] = []
    for word, stem in zip(text.words, text.stems, strict=True):
        if word in SMALL_WORDS and row:
            continue
        row = [*row, stem] if stem not in known and word not in SMALL_WORDS else []
        best = row if len(row) > len(best) else best
    return tuple(best)


def letters(wanted: Sequence[str], have: frozenset[str]) -> float:
    """Share of the letters of the wanted words that belong to words of the answer (`have`)."""
    total = sum(map(len, wanted))
    return sum(len(word) for word in wanted if word in have) / total if total else 0.0


def prefixes(wanted: Sequence[str], have: Sequence[str]) -> float:
    """Share of the wanted words with the same beginning as a word of the answer (four letters and half of the
    longer)."""
    beginnings = tuple(word[:4] for word in have)
    met = [
        any(start == word[:4] and len(word) >= 4 and Prefix.similarity(word, other) * 2 > max(len(word), len(other)) for start, other in zip(beginnings, have, strict=True))
        or word in have
        for word in wanted
    ]  # fmt: skip
    return mean(met) or 0.0


def is_contained(want: ComparableText, whole: ComparableText) -> bool:
    """Whether one text contains the other word for word, or stem for stem."""
    if not want.words or not whole.words:
        return False
    if want.flat in whole.flat:
        return True
    return want.english and f" {' '.join(want.stems)} " in f" {' '.join(whole.stems)} "


def part_likeness(want: ComparableText, whole: ComparableText) -> float:
    """Similarity (0 to 1) of a text to the part of another one that is most like it."""
    if len(want.flat.strip()) < 4 or len(whole.flat) < len(want.flat):
        return fuzz.ratio(want.flat, whole.flat) / 100
    return fuzz.partial_ratio(want.flat[:MAX_COMPARED], whole.flat) / 100


@lru_cache(maxsize=4_096)
def nearest_word(word: str, words: tuple[str, ...]) -> float:
    """Similarity (0 to 1) of a word to the nearest one; for a figure 1 or 0."""
    if word in words:
        return 1.0
    if word[0].isdigit() or not words:
        return 0.0
    return max(JaroWinkler.similarity(word, other) for other in words if other)


def initials(short: ComparableText, long: ComparableText) -> bool:
    """Whether a word of the short text consists of first letters of the long one's words."""
    row = "".join(word[0] for word in long.words if word not in SMALL_WORDS)
    full = "".join(word[0] for word in long.words)
    return any(
        2 <= len(word) <= 6 and word.isalpha() and word.isascii() and (word in row or word in full) and len(short.words) <= 3
        for word in short.words
    )  # fmt: skip


def nearness(wanted: tuple[str, ...], answered: tuple[str, ...]) -> float:
    """Ratio (0 to 1) of a wanted figure and the nearest one of the answer; 0 if one side has none."""
    wanted_values, given_values = [float(x) for x in wanted], [float(x) for x in answered]
    pairs = [(a, b) for a in wanted_values for b in given_values if a > 0 and b > 0]
    return max((min(a, b) / max(a, b) for a, b in pairs), default=0.0)


def lies_between(wanted: tuple[str, ...], answered: tuple[str, ...]) -> bool:
    """Whether the reference has exactly two figures, low and high, and the answer has one between them."""
    if len(wanted) != 2 or float(wanted[0]) >= float(wanted[1]):
        return False
    return any(float(wanted[0]) <= float(one) <= float(wanted[1]) for one in answered)


_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")
_OR = re.compile(r"(?<!\s)\s++or\s+|(?:(?<!\s)\s++)?/\s*|または|もしくは", re.IGNORECASE)
_ITEMS = re.compile(
    r"(?:(?<!\s)\s++)?(?:,\s*+(?:and\s+)?|;|、|・|\band\b|&|および|及び|と(?=[^\s]{2}))\s*", re.IGNORECASE
)
_SEVERAL = re.compile(r"\b(?:are|were|names|list|all|some|two|three|four|five|six|these|those|\d+)\b", re.IGNORECASE)
_ROW = re.compile(r"\b\d[\d.]{0,30}+(?:\s*+,\s*+\d[\d.]{0,30}+){2,40}\s*+,?\s*or\s+\d")
_CAPITAL = re.compile(r"(?<=[\w,;:)] )[A-Z][\w'’.-]*")
Features = dict[str, float]


def best_of(question: str, answer: str, references: Sequence[str]) -> tuple[str, Features]:
    """(the reference that the answer fits best, all measures)."""
    asserted = assertions_of(answer)
    wanted = [variant for reference in references for variant in variants(reference)]
    options = [pair_features(question, asserted, variant) for variant in wanted]
    place = max(range(len(options)), key=lambda one: (_fit(options[one]), -one))
    best = options[place]
    return wanted[place], {
        **best,
        **whole_of(asserted),
        "references": math.log(len(options)),
        "references_met": sum(1 for one in options if one["in_answer"] or one["coverage"] >= 0.99) / len(options),
        "worst_coverage": min(one["coverage"] for one in options),
        "mean_coverage": sum(one["coverage"] for one in options) / len(options),
    }


@lru_cache(maxsize=8_192)
def variants(reference: str) -> tuple[str, ...]:
    """A reference, and what it says without its brackets, and on each side of an "or"."""
    bare = " ".join(_BRACKETS.sub(" ", reference).split()).strip(" -,")
    sides = _OR.split(bare) if len(bare) < 80 else []
    spellings = dict.fromkeys((reference, bare, *(sides if len(sides) == 2 else ())))
    return tuple(one for one in spellings if re.search(r"\w", one)) or (reference,)


@lru_cache(maxsize=8_192)
def items(reference: str) -> tuple[str, ...]:
    """The items of a reference that is a list; else the reference alone."""
    found = [one for one in _ITEMS.split(reference) if re.search(r"\w", one)]
    is_list = len(found) >= 2 and not dates(reference) and all(len(one.split()) <= 5 for one in found)
    return tuple(found) if is_list else (reference,)


def _fit(one: Features) -> float:
    by_words = 3 * one["exact"] + 2 * one["in_answer"] + one["coverage_new"] + one["coverage"] + one["likeness"]
    return by_words + max(one["date"], one["span"])


def whole_of(asserted: Assertions) -> Features:
    """Features of the answer alone: does it refuse, hedge, deny?"""
    return {
        "refused": float(asserted.refused),
        "opens_refused": float(asserted.opens),
        "disclaims": float(asserted.disclaims > 0),
        "denies": float(asserted.denies > 0),
        "denies_first": float(holds_negation(asserted.first)),
        "hedges": float(asserted.hedges > 0),
        "empty": float(not asserted.parts),
    }


def pair_features(question: str, asserted: Assertions, reference: str) -> Features:
    """Features of the answer compared with the reference."""
    ask, want, whole, first = map(comparable, (question, reference, asserted.text, asserted.first))
    contained = is_contained(want, whole)
    return {
        **_by_words(ask, want, whole, first),
        **_by_letters(ask, want, whole, first),
        **_by_names(ask, want, asserted),
        **_by_figures(question, asserted, reference),
        **_by_items(reference, whole),
        "in_answer": float(contained),
        "in_first": float(is_contained(want, first)),
        "in_answer_reversed": float(is_contained(whole, want)),
        "denied": float(contained and _denied(want, asserted)),
        "scattered": float(contained and _scattered(question, reference, asserted)),
        "negated_want": float(holds_negation(reference)),
        "hedged_before": float(_after_turn(want, asserted)),
    }


def _by_words(ask: ComparableText, want: ComparableText, whole: ComparableText, first: ComparableText) -> Features:
    """Shares of words: of the reference in the answer, and of the answer in the reference."""
    asked_for = fresh(want, ask)
    new, names = asked_for or want.stems, content(want)
    have, wanted = frozenset(whole.stems), frozenset(want.stems)
    said_new, first_new, run = fresh(whole, ask), fresh(first, ask), longest_row(first, ask)
    return {
        "same_set": float(wanted == have and bool(wanted)),
        "coverage": share(names, have),
        "coverage_new": share(new, have),
        "coverage_first": share(new, frozenset(first.stems)),
        "precision": share(said_new, wanted),
        "precision_first": share(first_new, wanted),
        "run_precision": share(run, wanted),
        "run_coverage": share(new, frozenset(run)),
        "last_word": float(bool(names) and names[-1] in have),
        "first_word": float(bool(names) and names[0] in have),
        "reference_length": math.log1p(len(want.words)),
        "reference_new": len(asked_for) / max(len(names), 1),
        "reference_asked": float(not asked_for),
        "extra": _count(word for word in said_new if word not in wanted),
        "extra_first": _count(word for word in first_new if word not in wanted),
        "missing": _count(word for word in new if word not in have),
    }


def _by_letters(ask: ComparableText, want: ComparableText, whole: ComparableText, first: ComparableText) -> Features:
    """Similarity of letters: other spellings, word forms and abbreviations."""
    new = fresh(want, ask) or want.stems
    wanted = [word for word in want.words if word not in SMALL_WORDS] or want.words
    near = [nearest_word(word, whole.words) for word in wanted]
    return {
        "exact": float(want.flat == whole.flat or want.stems == whole.stems or _glued(want) == _glued(whole)),
        "glued": float(len(_glued(want)) >= 5 and _glued(want) in _glued(whole)),
        "coverage_letters": letters(new, frozenset(whole.stems)),
        "prefixes": prefixes(new, whole.stems),
        "spelling": mean(near) or 0.0,
        "spelling_worst": min(near, default=0.0),
        "likeness": fuzz.ratio(want.flat, whole.flat) / 100,
        "likeness_part": part_likeness(want, whole),
        "likeness_sorted": fuzz.token_sort_ratio(" ".join(want.words), " ".join(whole.words)) / 100,
        "likeness_run": JaroWinkler.similarity(" ".join(new), " ".join(longest_row(first, ask))),
        "initials": float(initials(want, whole) or initials(whole, want)),
    }


def _by_names(ask: ComparableText, want: ComparableText, asserted: Assertions) -> Features:
    """Capitalized words of the first assertion: the reference's name or another?"""
    names, wanted = fresh(comparable(_names(asserted.first)), ask), frozenset(want.stems)
    return {
        "names_matched": share(names, wanted),
        "names_other": _count(word for word in names if word not in wanted),
        "names_wanted": float(any(word[:1].isupper() for word in want.text.split())),
    }


def _by_figures(question: str, asserted: Assertions, reference: str) -> Features:
    """Dates, years and figures with their units: the same, less exact, near, or other ones."""
    wanted, answered, asked_for = figures(reference), figures(asserted.text), frozenset(figures(question))
    matched = sum(1 for one in wanted if one in answered) / len(wanted) if wanted else 0.0
    other = [one for one in figures(asserted.first) if one not in asked_for]
    measured = amounts(reference) if wanted else frozenset[Amount]()
    asserted_amounts = amounts(asserted.text) if measured else frozenset[Amount]()
    lacking = [one for one in measured if not is_among(one, asserted_amounts)]
    lost = bool(wanted) and not matched
    return {
        "date": match_dates(dates(reference), dates(asserted.text)),
        "date_first": match_dates(dates(reference), dates(asserted.first)),
        "span": match_years(reference, asserted.text),
        "span_first": match_years(reference, asserted.first),
        "nearness": nearness(wanted, answered),
        "between": float(lies_between(wanted, answered)),
        "figures_wanted": float(bool(wanted)),
        "figures_matched": matched,
        "figures_none": float(bool(wanted) and not answered),
        "figures_other": float(lost and bool(other)),
        "figures_clash": float(lost and any(one not in asked_for for one in answered)),
        "figures_extra": _count(one for one in other if one not in wanted),
        "amounts_matched": (len(measured) - len(lacking)) / len(measured) if measured else 0.0,
        "amounts_rival": float(any(rivals(one, asserted_amounts) for one in lacking)),
    }


def _by_items(reference: str, whole: ComparableText) -> Features:
    """The items of a reference that is a list."""
    have = frozenset(whole.stems)
    listed = [share(content(comparable(one)), have) for one in items(reference)]
    return {
        "items": math.log(len(listed)),
        "items_matched": sum(1 for one in listed if one >= ITEM_MATCHED_FROM) / len(listed),
    }


def _count(found: Iterable[str]) -> float:
    """The logarithm of the count plus one."""
    return math.log1p(sum(1 for _ in found))


def _scattered(question: str, reference: str, asserted: Assertions) -> bool:
    """Whether an answer to a question for one thing is a bare row of four or more candidates."""
    if _SEVERAL.search(question) or len(items(reference)) > 1 or (dates(reference) and not _ROW.search(asserted.text)):
        return False
    if any(_ROW.search(part) for part in asserted.parts) and not _ROW.search(reference):
        return True
    row = [item for item in _ITEMS.split(asserted.first) if item.strip()]
    return len(asserted.parts) == 1 and len(row) >= 4 and all(len(item.split()) <= 3 for item in row)


def _glued(text: ComparableText) -> str:
    return "".join(text.words)


def _names(text: str) -> str:
    """The capitalized words, without the first word."""
    return " ".join(_CAPITAL.findall(text))


def _denied(want: ComparableText, asserted: Assertions) -> bool:
    """Whether every assertion that contains the reference has a negation right before it."""
    before = [comparable(part).flat.partition(want.flat) for part in asserted.parts]
    starts = [start for start, found, _ in before if found]
    return bool(starts) and all(negates_next(start) for start in starts)


def _after_turn(want: ComparableText, asserted: Assertions) -> bool:
    """Whether the reference is only in a later assertion, after another one."""
    places = [n for n, part in enumerate(asserted.parts) if is_contained(want, comparable(part))]
    return bool(places) and places[0] > 0
