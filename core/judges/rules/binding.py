"""Which figure belongs to what: the 3 days of contract staff are not the 1 day of part-timers.

For answers that give a figure of the passage, but the wrong one. Without it, F1 on RAGTruth falls by .022; it costs .026 of
the correlation on MTRAG.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.text.language import Script
from core.text.numbers import Amount, amounts, is_among, rivals
from core.text.synonyms import canonical_words

AROUND = 0.35  # what a word of the rest of the sentence, of its heading or of the question counts
EXTRA = 0.2  # what a word counts against a clause that is about something else besides
OTHER = 2.5  # weight of another figure that the two sentences share
MARGIN = 1.0  # weight by which a rival must fit better before the figure counts as swapped
TOPIC = 0.34  # share of the claim that a rival must hold if the figure is nowhere
_CUT = re.compile(r"[、,;](?!\d)|。|(?<=\w)\s+(?:and|but|or|while|whereas)\s+(?=[\w\d])")
_TOPIC = re.compile(r"^([^「」]{2,30}?)(?:には|では|は)(?!じ)")
_OLD = re.compile(r"旧|改定前|以前は|\b(?:former|formerly|previously|old (?:price|rule)s?)\b", re.IGNORECASE)
OUTDATED = 0.6  # what a rule that was replaced counts against one that holds
_CELL = re.compile(r"\s/\s")
Weigh = Callable[[frozenset[str]], float]  # the summed weight of words


class Piece(NamedTuple):
    """A clause or cell with figures: its own words and figures, and the words and figures around it."""

    words: frozenset[str]
    figures: frozenset[Amount]
    around: frozenset[str]
    others: frozenset[Amount]
    old: bool = False


@lru_cache(maxsize=4_096)
def pieces(text: str, of: Script, head: frozenset[str] = frozenset()) -> tuple[Piece, ...]:
    """The clauses (or the cells, each with the first cell of its row) of a sentence that hold figures."""
    if not amounts(text):
        return ()
    row = " / " in text and ": " in text
    parts = [part for part in (_CELL if row else _CUT).split(text) if part.strip()]
    first = canonical_words(parts[0], of) if row else frozenset[str]()
    rest, figures = canonical_words(text, of) | head, amounts(text)
    found, carried, topic, old = list[Piece](), first, frozenset[str](), bool(_OLD.search(text))
    for part in parts:
        own, about = amounts(part), _TOPIC.match(part)
        topic = canonical_words(about[1], of) if about else topic
        words = canonical_words(part, of) | carried | topic
        if own:
            found.append(Piece(words, own, rest - words, figures - own, old))
        elif not row:
            carried = words
    return tuple(found)


class LookUpRules(NamedTuple):
    """What a claim is looked up by: words' weights; words of the question and the person's own figures need no support.

    expected: the claim is what should be stated, and the source is the answer; then only a figure that the claim does not
    hold somewhere else counts as the one that belongs there.
    """

    weigh: Weigh
    question_words: frozenset[str] = frozenset()
    user_figures: frozenset[Amount] = frozenset()
    expected: bool = False


def swapped_figure(claim: Iterable[Piece], evidence: Sequence[Piece], rules: LookUpRules) -> tuple[str, str] | None:
    """(the figure claimed, the one that belongs there) for the first figure that fits a rival's place better than its
    own."""
    for piece in claim:
        if not piece.words:
            continue  # a bare date
        for figure in sorted(piece.figures):
            rival = None if is_among(figure, rules.user_figures) else _rival(piece, figure, evidence, rules)
            if rival:
                return figure.text, rival
    return None


def _rival(piece: Piece, figure: Amount, evidence: Sequence[Piece], rules: LookUpRules) -> str | None:
    best, rival, own, is_new = 0.0, "", 0.0, False
    claimed = piece.figures | piece.others
    known = frozenset(one for one in piece.others | rules.user_figures if one.unit != figure.unit)
    for other in evidence:
        has = is_among(figure, other.figures)
        against = rivals(figure, other.figures) or _listed(figure, other)
        if not (has or against):
            continue
        fit = _fit(piece, other, known, rules)
        if has:
            own = max(own, fit)
        elif fit > best and not (rules.expected and all(is_among(one, claimed) for one in against)):
            best, rival, is_new = fit, against[0].text, any(not is_among(one, claimed) for one in against)
    if not own:
        most = rules.weigh(piece.words | (rules.question_words & piece.around)) or 1.0
        return rival if is_new and best >= TOPIC * most else None
    several = bool(rivals(figure, piece.figures))
    return rival if best > 1.05 * own + MARGIN and not several else None


def _listed(figure: Amount, other: Piece) -> list[Amount]:
    """The bare figures of a list (3 on Free, 15 on Plus) that holds the figure at another place."""
    if not any(one.figure == figure.figure and not one.unit for one in other.others):
        return []
    return sorted(one for one in other.figures if not one.unit and one.figure != figure.figure)


def _fit(piece: Piece, other: Piece, known: frozenset[Amount], rules: LookUpRules) -> float:
    weigh, wanted = rules.weigh, piece.around | rules.question_words
    fit = weigh(piece.words & other.words)
    fit += AROUND * (weigh(piece.words & other.around) + weigh((wanted - piece.words) & (other.words | other.around)))
    fit -= EXTRA * weigh(other.words - piece.words - wanted)
    fit += OTHER * sum(1 for figure in known if is_among(figure, other.figures | other.others))
    return fit * OUTDATED if other.old and not piece.old else fit
