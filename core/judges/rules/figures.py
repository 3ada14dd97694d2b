"""Finds a figure of the passage that the answer gives for the wrong thing: the 3 days of contract staff are not the 1
day of part-timers.

Without this rule, F1 on RAGTruth falls by .022; it costs .026 of the correlation on MTRAG.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.text.answer_kinds import Kind
from core.text.language import Script
from core.text.numbers import Amount, amounts, is_among, rivals
from core.text.synonyms import canonical_words

CONTEXT_WORD_WEIGHT = 0.35  # weight of a word of the rest of the sentence, of its heading or of the question
UNRELATED_WORD_PENALTY = 0.2  # weight of a word of the other clause that the claim's sentence lacks, subtracted
SHARED_FIGURE_WEIGHT = 2.5  # weight of another figure that the two sentences share
MIN_RIVAL_LEAD = 1.0  # weight by which a rival must fit better before the figure counts as wrong
SAME_TOPIC_FROM = 0.34  # share of the claim that a rival must have if no passage has the figure there
_CUT = re.compile(r"[、,;](?!\d)|。|(?<=\w)\s+(?:and|but|or|while|whereas)\s+(?=[\w\d])")
_TOPIC = re.compile(r"^([^「」]{2,30}?)(?:には|では|は)(?!じ)")
_OLD = re.compile(r"旧|改定前|以前は|\b(?:former|formerly|previously|old (?:price|rule)s?)\b", re.IGNORECASE)
OUTDATED_FACTOR = 0.6  # for a clause about a rule that was replaced
_CELL = re.compile(r"\s/\s")
# A row as a line of a list: "Pro — Monthly: 12 dollars, Yearly: 120 dollars", and what divides its cells.
_LISTED_ROW = re.compile(r"([^:：]{1,80}?) [—–] (?=[^:：]{1,40}[:：])")
_LISTED_CELL = re.compile(r"[,、;；]\s*(?=[^,、;；:：]{1,40}[:：])")
Weigh = Callable[[frozenset[str]], float]  # the summed weight of words


class FigureClause(NamedTuple):
    """A clause, or cell of a table row, that has figures."""

    words: frozenset[str]
    figures: frozenset[Amount]
    context_words: frozenset[str]  # of the rest of the sentence and of the heading
    other_figures: frozenset[Amount]  # of the rest of the sentence
    is_outdated: bool = False  # about a rule that was replaced


@lru_cache(maxsize=4_096)
def figure_clauses(text: str, of: Script, head: frozenset[str] = frozenset()) -> tuple[FigureClause, ...]:
    """The clauses of a sentence that have figures; of a table row the cells, each with the first cell of the row."""
    if not amounts(text):
        return ()
    parts, is_row = _cells(text)
    first_cell = canonical_words(parts[0], of) if is_row else frozenset[str]()
    rest, figures = canonical_words(text, of) | head, amounts(text)
    found = list[FigureClause]()
    carried, topic = first_cell, frozenset[str]()
    is_outdated = bool(_OLD.search(text))
    for part in parts:
        own_figures, about = amounts(part), _TOPIC.match(part)
        topic = canonical_words(about[1], of) if about else topic
        words = canonical_words(part, of) | carried | topic
        if own_figures:
            found.append(FigureClause(words, own_figures, rest - words, figures - own_figures, is_outdated))
        elif not is_row:
            carried = words
    return tuple(found)


def _cells(text: str) -> tuple[list[str], bool]:
    """The cells of a table row, the first one names it; else the clauses of a sentence; and whether it is a row."""
    if " / " in text and ": " in text:
        return [part for part in _CELL.split(text) if part.strip()], True
    if row := _LISTED_ROW.match(text):
        return [row[1], *_LISTED_CELL.split(text[row.end() :])], True
    return [part for part in _CUT.split(text) if part.strip()], False


def is_listed_row(text: str) -> bool:
    """Whether a text is a row of a table as a line of a list."""
    return bool(_LISTED_ROW.match(text))


class CheckOptions(NamedTuple):
    """How a claim is checked: the weights of words, and what needs no support."""

    weigh: Weigh
    question_words: frozenset[str] = frozenset()  # need no support
    user_figures: frozenset[Amount] = frozenset()  # need no support: the user gave them
    # The claim is what the answer should state, and the evidence is the answer: then only a figure that the claim has
    # nowhere else can be the wrong one.
    expected: bool = False
    # The kinds of figure that the question asks for: if the claim has any of them, its other figures need no support.
    asked_kinds: tuple[Kind, ...] = ()


def wrong_figure(
    claim: Iterable[FigureClause], evidence: Sequence[FigureClause], options: CheckOptions
) -> tuple[str, str] | None:
    """(the figure claimed, the right one) for the first figure whose clause fits the place of a rival figure better
    than the places of the figure itself."""
    for clause in claim:
        if not clause.words:
            continue  # a bare date
        for figure in sorted(clause.figures):
            rival = None if is_among(figure, options.user_figures) else _rival(clause, figure, evidence, options)
            if rival:
                return figure.text, rival
    return None


def _rival(clause: FigureClause, figure: Amount, evidence: Sequence[FigureClause], options: CheckOptions) -> str | None:
    best, rival, own_fit, is_new = 0.0, "", 0.0, False
    claimed = clause.figures | clause.other_figures
    known_figures = frozenset(one for one in clause.other_figures | options.user_figures if one.unit != figure.unit)
    for other in evidence:
        has_figure = is_among(figure, other.figures)
        rival_figures = rivals(figure, other.figures) or _listed(figure, other)
        if not (has_figure or rival_figures):
            continue
        fit = _fit(clause, other, known_figures, options)
        if has_figure:
            own_fit = max(own_fit, fit)
        elif fit > best and not (options.expected and all(is_among(one, claimed) for one in rival_figures)):
            best, rival, is_new = fit, rival_figures[0].text, any(not is_among(one, claimed) for one in rival_figures)
    if not own_fit:
        most = options.weigh(clause.words | (options.question_words & clause.context_words)) or 1.0
        return rival if is_new and best >= SAME_TOPIC_FROM * most else None
    several = bool(rivals(figure, clause.figures))
    return rival if best > 1.05 * own_fit + MIN_RIVAL_LEAD and not several else None


def _listed(figure: Amount, other: FigureClause) -> list[Amount]:
    """The other figures without a unit of a list (3 on Free, 15 on Plus) that has the figure at another place."""
    if not any(one.figure == figure.figure and not one.unit for one in other.other_figures):
        return []
    return sorted(one for one in other.figures if not one.unit and one.figure != figure.figure)


def _fit(clause: FigureClause, other: FigureClause, known_figures: frozenset[Amount], options: CheckOptions) -> float:
    weigh, wanted = options.weigh, clause.context_words | options.question_words
    fit = weigh(clause.words & other.words)
    fit += CONTEXT_WORD_WEIGHT * (
        weigh(clause.words & other.context_words) + weigh((wanted - clause.words) & (other.words | other.context_words))
    )
    fit -= UNRELATED_WORD_PENALTY * weigh(other.words - clause.words - wanted)
    there = other.figures | other.other_figures
    fit += SHARED_FIGURE_WEIGHT * sum(is_among(figure, there) for figure in known_figures)
    return fit * OUTDATED_FACTOR if other.is_outdated and not clause.is_outdated else fit
